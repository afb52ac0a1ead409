//! The rules of Siaius (S1 to S10).

use crate::bytes::{fail, reject_if, Result};
use crate::game::{fields, members, number, side_of, square, Game, Plies, Ply};
use crate::siaius_table::Tables;
use crate::table::Score;

pub const CHAMPION: usize = 3;

/// The values of the option huff, by number.
pub const HUFFS: [&str; 3] = ["turn", "stone", "off"];
const TURN: u8 = 0;
const STONE: u8 = 1;
const OFF: u8 = 2;

/// The rules with the size of the board and the options.
pub struct Siaius {
    pub files: usize,
    pub ranks: usize,
    pub reverse: bool,
    pub huff: u8,
    /// For each square the squares one step away in the eight directions, and those two steps away.
    near: Vec<u128>,
    far: Vec<u128>,
    pub tables: Option<Tables>,
}

#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Position {
    /// The squares of South's and North's stones.
    pub stones: [u128; 2],
    /// The squares whose kind has each of two bits: 0 sun, 1 moon, 2 star, 3 champion.
    low: u128,
    high: u128,
    /// The numbers of stones, eight bits each: South's suns, moons, stars and champions from the highest bits down, then North's.
    pub material: u64,
    /// The stones that missed a capture: the opponent's, or with an open bonus the mover's own (S7).
    pub missed: u128,
    pub side: u8,
    /// The champion with an open bonus.
    pub bonus: Option<u8>,
    pub passes: u8,
}

impl Position {
    pub fn kind(&self, square: usize) -> usize {
        (self.low >> square & 1 | (self.high >> square & 1) << 1) as usize
    }
    /// The squares with a stone of this kind; for suns also the empty ones.
    pub fn of_kind(&self, kind: usize) -> u128 {
        (if kind & 1 == 1 { self.low } else { !self.low }) & (if kind & 2 == 2 { self.high } else { !self.high })
    }
    pub fn put(&mut self, squares: u128, side: usize, kind: usize) {
        self.stones[side] |= squares;
        self.low |= squares * (kind as u128 & 1);
        self.high |= squares * (kind as u128 >> 1);
        self.material += (squares.count_ones() as u64) << (56 - 32 * side - 8 * kind);
    }
    fn remove(&mut self, square: usize) {
        let rest = !(1u128 << square);
        let kind = self.kind(square);
        let stones = [0, 1].map(|i| (self.stones[i] >> square & 1) as u64);
        self.material -= (stones[0] << 56 | stones[1] << 24) >> (8 * kind);
        self.stones[0] &= rest;
        self.stones[1] &= rest;
        self.low &= rest;
        self.high &= rest;
    }
    /// The position after the huff of a stone.
    pub fn huffed(&self, square: usize) -> Position {
        let mut next = Position { missed: 0, ..self.clone() };
        next.remove(square);
        next
    }
}

/// A ply by what it does.
pub enum Step {
    /// From one square to another.
    Move(usize, usize),
    Stay,
    Huff(usize),
    Pass,
}

impl Siaius {
    pub fn new(files: usize, ranks: usize, reverse: bool, huff: u8) -> Siaius {
        let away = |distance: usize| {
            let all = (0..files * ranks).map(|s| (s % files, s / files));
            let reached = |a: usize, b: usize| [0, distance].contains(&a.abs_diff(b));
            let on_line = |a: (usize, usize), b: (usize, usize)| a != b && reached(a.0, b.0) && reached(a.1, b.1);
            let around = |a| all.clone().filter(|&b| on_line(a, b)).fold(0, |set, (file, rank)| set | 1 << (rank * files + file));
            all.clone().map(around).collect()
        };
        Siaius { files, ranks, reverse, huff, near: away(1), far: away(2), tables: None }
    }
    /// The squares to which the stone on `from` can move, with those where it captures (S3, S4, S6).
    pub fn targets(&self, p: &Position, from: usize) -> u128 {
        let [own, enemy] = [p.stones[p.side as usize], p.stones[1 - p.side as usize]];
        let kind = p.kind(from);
        if kind == CHAMPION {
            return self.leaps(from, own | enemy) & !own;
        }
        let prey = p.of_kind((kind + if self.reverse { 2 } else { 1 }) % 3);
        self.near[from] & !own & (prey | !enemy)
    }
    /// The squares to which a champion can move, also those of its own side's stones (S4).
    pub fn leaps(&self, from: usize, stones: u128) -> u128 {
        // A stone one step away hides the square behind it.
        let hidden = members(self.near[from] & stones).fold(0, |set, s| set | if s > from { 1 << s << (s - from) } else { 1 << s >> (from - s) });
        self.near[from] | self.far[from] & !hidden
    }
    pub fn can_move(&self, p: &Position) -> bool {
        members(p.stones[p.side as usize]).any(|s| self.targets(p, s) != 0)
    }
    fn can_capture(&self, p: &Position, square: usize) -> bool {
        self.targets(p, square) & p.stones[1 - p.side as usize] != 0
    }
    /// The stones that can be huffed if the turn has no capture (S7).
    pub fn able(&self, p: &Position) -> u128 {
        let stones = if self.huff == OFF { 0 } else { p.stones[p.side as usize] };
        members(stones).filter(|&s| self.can_capture(p, s)).fold(0, |set, s| set | 1 << s)
    }
    pub fn farthest(&self, side: u8, square: usize) -> bool {
        square / self.files == if side == 0 { self.ranks - 1 } else { 0 }
    }
    /// The position after a move; `able` are the stones that could capture when the first move of the turn was made,
    /// with an open bonus those that have missed a capture so far.
    pub fn after(&self, p: &Position, from: usize, to: usize, able: u128) -> Position {
        let capture = p.stones[1 - p.side as usize] >> to & 1 == 1;
        let kind = p.kind(from);
        let mut next = Position { bonus: None, passes: 0, ..p.clone() };
        next.remove(from);
        next.remove(to);
        let promoted = kind != CHAMPION && self.farthest(p.side, to);
        next.put(1 << to, p.side as usize, if promoted { CHAMPION } else { kind });
        // A stone that has moved may be huffed where it now stands, unless it captured (S7).
        let others = able & !(1 << from);
        next.missed = match self.huff {
            OFF => 0,
            TURN if capture => 0,
            STONE if capture => others,
            _ => others | (able >> from & 1) << to,
        };
        if next.stones[1 - p.side as usize] == 0 {
            next.missed = 0;
        } else if promoted {
            next.bonus = Some(to as u8);
            if self.huff != OFF && !capture && self.can_capture(&next, to) {
                next.missed |= 1 << to;
            }
            return next;
        }
        next.side = 1 - p.side;
        next
    }
    fn visit_moves(&self, p: &Position, from: usize, able: u128, visit: &mut impl FnMut(Step, Position)) -> bool {
        let targets = self.targets(p, from);
        members(targets).for_each(|to| visit(Step::Move(from, to), self.after(p, from, to, able)));
        targets != 0
    }
    /// Call `visit` with each ply and the position after it.
    pub fn visit(&self, p: &Position, mut visit: impl FnMut(Step, Position)) {
        if self.result(p).is_some() {
            return;
        }
        if let Some(bonus) = p.bonus {
            self.visit_moves(p, bonus as usize, p.missed, &mut visit);
            return visit(Step::Stay, Position { bonus: None, side: 1 - p.side, ..p.clone() });
        }
        for s in members(p.missed) {
            visit(Step::Huff(s), p.huffed(s));
        }
        let able = self.able(p);
        let mut moved = false;
        members(p.stones[p.side as usize]).for_each(|s| moved |= self.visit_moves(p, s, able, &mut visit));
        if !moved {
            visit(Step::Pass, Position { missed: 0, side: 1 - p.side, passes: p.passes + 1, ..p.clone() });
        }
    }
}

impl Game for Siaius {
    type Position = Position;
    fn read(fen: &str, _board: Option<&str>) -> Result<(Self, Position)> {
        let (f, options) = fields(fen, 5, &["beats", "huff"])?;
        let reverse = options[0] == Some("reverse");
        reject_if(options[0].is_some() && !reverse, "the option beats is not 'reverse'")?;
        let huff = HUFFS.iter().position(|&h| h == options[1].unwrap_or("turn")).unwrap_or(3) as u8;
        reject_if(huff > OFF || options[1] == Some("turn"), "the option huff is not 'stone' or 'off'")?;
        let rows = f[0].split('/').map(row).collect::<Result<Vec<_>>>()?;
        let (files, ranks) = (rows[0].len(), rows.len());
        reject_if(!(3..=10).contains(&files) || !(3..=12).contains(&ranks) || rows.iter().any(|r| r.len() != files), "RANKS has a wrong size")?;
        let game = Siaius::new(files, ranks, reverse, huff);
        let mut p = Position { side: side_of(f[1])?, passes: number(f[4], 2)? as u8, ..Position::default() };
        for (i, row) in rows.iter().enumerate() {
            for (file, stone) in row.iter().enumerate() {
                let at = (ranks - 1 - i) * files + file;
                if let Some((side, kind)) = *stone {
                    reject_if(kind != CHAMPION && game.farthest(side as u8, at), "an ordinary stone is on its farthest rank")?;
                    p.put(1 << at, side, kind);
                }
            }
        }
        let at = |text| square(text, files, ranks).map(|(file, rank)| rank * files + file);
        let (own, side) = (p.stones[p.side as usize], p.side);
        if f[3] != "-" {
            let bonus = at(f[3])?;
            reject_if(
                own >> bonus & 1 == 0 || p.kind(bonus) != CHAMPION || !game.farthest(side, bonus),
                "BONUS is no champion on its farthest rank",
            )?;
            p.bonus = Some(bonus as u8);
        }
        let missing = p.stones[if p.bonus.is_some() { side } else { 1 - side } as usize];
        for text in f[2].split(',').filter(|_| f[2] != "-") {
            let one = at(text)?;
            reject_if(missing >> one & 1 == 0 || p.missed >> one != 0 || huff == OFF, "MISSED is in disorder, or names no stone of its side")?;
            p.missed |= 1 << one;
        }
        let pending = p.missed != 0 || p.bonus.is_some() || p.passes != 0;
        reject_if(
            p.stones == [0, 0] || pending && p.stones.contains(&0) || p.passes != 0 && (p.missed != 0 || p.bonus.is_some()),
            "MISSED, BONUS and PASSES do not fit",
        )?;
        let blocked = |side| !game.can_move(&Position { side, ..p.clone() });
        reject_if(p.passes >= 1 && !blocked(1 - side) || p.passes == 2 && !blocked(side), "a side that passed has a legal move")?;
        Ok((game, p))
    }
    fn side(&self, p: &Position) -> u8 {
        p.side + 1
    }
    fn result(&self, p: &Position) -> Option<i64> {
        match p.stones {
            [0, _] => Some(-1),
            [_, 0] => Some(1),
            _ => (p.passes == 2).then_some(0),
        }
    }
    fn list(&self, p: &Position, out: &mut Plies<Position>) {
        self.visit(p, |step, next| {
            let ply = match step {
                Step::Move(from, to) => {
                    let capture = p.stones[1 - p.side as usize] >> to & 1 == 1;
                    Ply::default().on(from, self.files).byte(if capture { b'x' } else { b'-' }).on(to, self.files)
                }
                Step::Stay => Ply::word(b"stay"),
                Step::Huff(square) => Ply::word(b"*").on(square, self.files),
                Step::Pass => Ply::word(b"pass"),
            };
            out.push((ply, next));
        });
    }
    fn probe(&self, p: &Position) -> Option<(i64, u32)> {
        let score: Score = self.tables.as_ref()?.value(self, p)?;
        Some((score.signum() as i64, score.unsigned_abs()))
    }
}

type Row = Vec<Option<(usize, usize)>>;

/// One rank of RANKS: stones, and numbers of empty squares.
fn row(text: &str) -> Result<Row> {
    let mut row = Vec::new();
    let mut rest = text;
    let mut after_number = false;
    while let Some(c) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            let empty = number(&rest[..digits], 10)? as usize;
            reject_if(empty == 0 || after_number, "RANKS has a number in a wrong place")?;
            row.resize(row.len() + empty, None);
            rest = &rest[digits..];
        } else {
            let Some(at) = "SMTCsmtc".find(c) else { return fail("RANKS has an unknown character") };
            row.push(Some((at / 4, at % 4)));
            rest = &rest[1..];
        }
        after_number = digits > 0;
        reject_if(row.len() > 10, "RANKS has more than ten files")?;
    }
    Ok(row)
}
