//! The rules of Siaius (S1 to S10).

use crate::bytes::{fail, reject_if, Result};
use crate::game::{fields, members, number, side_of, square, Game, Plies, Ply};
use crate::siaius_table::Tables;
use crate::table::Score;

pub const CHAMPION: usize = 3;
const NONE: u8 = 255;

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
    /// For each square its neighbours in eight directions, or `NONE`.
    steps: Vec<[u8; 8]>,
    pub tables: Option<Tables>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Position {
    /// The squares of South's and North's stones.
    pub stones: [u128; 2],
    /// The two bits of the kinds: 0 sun, 1 moon, 2 star, 3 champion.
    low: u128,
    high: u128,
    /// The stones that missed a capture: the opponent's, or with an open bonus the mover's own (S7).
    pub missed: u128,
    pub side: u8,
    /// The champion with an open bonus, or `NONE`.
    bonus: u8,
    pub passes: u8,
}

impl Position {
    pub fn empty() -> Position {
        Position { stones: [0; 2], low: 0, high: 0, missed: 0, side: 0, bonus: NONE, passes: 0 }
    }
    pub fn kind(&self, square: usize) -> usize {
        (self.low >> square & 1 | (self.high >> square & 1) << 1) as usize
    }
    pub fn put(&mut self, square: usize, side: usize, kind: usize) {
        self.stones[side] |= 1 << square;
        self.low |= (kind as u128 & 1) << square;
        self.high |= (kind as u128 >> 1) << square;
    }
    fn remove(&mut self, square: usize) {
        let rest = !(1u128 << square);
        self.stones[0] &= rest;
        self.stones[1] &= rest;
        self.low &= rest;
        self.high &= rest;
    }
    pub fn has_bonus(&self) -> bool {
        self.bonus != NONE
    }
}

impl Siaius {
    pub fn new(files: usize, ranks: usize, reverse: bool, huff: u8) -> Siaius {
        let mut steps = vec![[NONE; 8]; files * ranks];
        for (s, list) in steps.iter_mut().enumerate() {
            for (i, direction) in [0, 1, 2, 3, 5, 6, 7, 8].into_iter().enumerate() {
                let (file, rank) = (s % files + direction % 3, s / files + direction / 3);
                if (1..=files).contains(&file) && (1..=ranks).contains(&rank) {
                    list[i] = ((rank - 1) * files + file - 1) as u8;
                }
            }
        }
        Siaius { files, ranks, reverse, huff, steps, tables: None }
    }

    /// Does a stone of this kind capture that one? (S4, S6)
    fn captures(&self, kind: usize, other: usize) -> bool {
        kind == CHAMPION || other != CHAMPION && other == (kind + if self.reverse { 2 } else { 1 }) % 3
    }

    /// Call `visit` with each square to which the stone on `from` can move, and whether it captures there (S3, S6).
    fn moves(&self, p: &Position, from: usize, mut visit: impl FnMut(usize, bool)) {
        let kind = p.kind(from);
        let own = p.stones[p.side as usize];
        let enemy = p.stones[1 - p.side as usize];
        for direction in 0..8 {
            let mut at = from;
            for _ in 0..if kind == CHAMPION { 2 } else { 1 } {
                let next = self.steps[at][direction];
                if next == NONE || own >> next & 1 == 1 {
                    break;
                }
                at = next as usize;
                if enemy >> at & 1 == 1 {
                    if self.captures(kind, p.kind(at)) {
                        visit(at, true);
                    }
                    break;
                }
                visit(at, false);
            }
        }
    }

    fn can_move(&self, p: &Position) -> bool {
        let mut found = false;
        members(p.stones[p.side as usize]).for_each(|s| self.moves(p, s, |_, _| found = true));
        found
    }

    fn can_capture(&self, p: &Position, square: usize) -> bool {
        let mut found = false;
        self.moves(p, square, |_, capture| found |= capture);
        found
    }

    fn farthest(&self, side: u8, square: usize) -> bool {
        square / self.files == if side == 0 { self.ranks - 1 } else { 0 }
    }

    fn name(&self, ply: Ply, square: usize) -> Ply {
        ply.square(square % self.files, square / self.files)
    }

    /// The position after a move; `able` are the stones that could capture when the first move of the turn was made,
    /// with an open bonus those that have missed a capture so far.
    fn after(&self, p: &Position, from: usize, to: usize, capture: bool, able: u128) -> Position {
        let kind = p.kind(from);
        let mut next = Position { bonus: NONE, passes: 0, ..p.clone() };
        next.remove(from);
        next.remove(to);
        let promoted = kind != CHAMPION && self.farthest(p.side, to);
        next.put(to, p.side as usize, if promoted { CHAMPION } else { kind });
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
            next.bonus = to as u8;
            if self.huff != OFF && !capture && self.can_capture(&next, to) {
                next.missed |= 1 << to;
            }
            return next;
        }
        next.side = 1 - p.side;
        next
    }

    fn list_moves(&self, p: &Position, from: usize, able: u128, out: &mut Plies<Position>) {
        let start = self.name(Ply::default(), from);
        self.moves(p, from, |to, capture| {
            let ply = self.name(start.byte(if capture { b'x' } else { b'-' }), to);
            out.push((ply, self.after(p, from, to, capture, able)));
        });
    }
}

impl Game for Siaius {
    type Position = Position;
    fn read(fen: &str, _board: Option<&str>) -> Result<(Self, Position)> {
        let (f, options) = fields(fen, 5, &["beats", "huff"])?;
        let reverse = match options[0] {
            None => false,
            Some("reverse") => true,
            _ => return fail("the option beats is not 'reverse'"),
        };
        let huff = HUFFS.iter().position(|&h| h == options[1].unwrap_or("turn")).unwrap_or(3) as u8;
        reject_if(huff > OFF || options[1] == Some("turn"), "the option huff is not 'stone' or 'off'")?;
        let rows = f[0].split('/').map(row).collect::<Result<Vec<_>>>()?;
        let (files, ranks) = (rows[0].len(), rows.len());
        reject_if(!(3..=10).contains(&files) || !(3..=12).contains(&ranks) || rows.iter().any(|r| r.len() != files), "RANKS has a wrong size")?;
        let game = Siaius::new(files, ranks, reverse, huff);
        let mut p = Position { side: side_of(f[1])?, passes: number(f[4], 2)? as u8, ..Position::empty() };
        for (i, row) in rows.iter().enumerate() {
            for (file, stone) in row.iter().enumerate() {
                let at = (ranks - 1 - i) * files + file;
                if let Some((side, kind)) = *stone {
                    reject_if(kind != CHAMPION && game.farthest(side as u8, at), "an ordinary stone is on its farthest rank")?;
                    p.put(at, side, kind);
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
            p.bonus = bonus as u8;
        }
        let missing = p.stones[if p.has_bonus() { side } else { 1 - side } as usize];
        for text in f[2].split(',').filter(|_| f[2] != "-") {
            let one = at(text)?;
            reject_if(missing >> one & 1 == 0 || p.missed >> one != 0 || huff == OFF, "MISSED is in disorder, or names no stone of its side")?;
            p.missed |= 1 << one;
        }
        let pending = p.missed != 0 || p.has_bonus() || p.passes != 0;
        reject_if(
            p.stones == [0, 0] || pending && p.stones.contains(&0) || p.passes != 0 && (p.missed != 0 || p.has_bonus()),
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
        if self.result(p).is_some() {
            return;
        }
        if p.has_bonus() {
            self.list_moves(p, p.bonus as usize, p.missed, out);
            out.push((Ply::word(b"stay"), Position { bonus: NONE, side: 1 - p.side, ..p.clone() }));
            return;
        }
        for s in members(p.missed) {
            let mut next = Position { missed: 0, ..p.clone() };
            next.remove(s);
            out.push((self.name(Ply::word(b"*"), s), next));
        }
        let own = p.stones[p.side as usize];
        let able = match self.huff {
            OFF => 0,
            _ => members(own).filter(|&s| self.can_capture(p, s)).fold(0, |set, s| set | 1 << s),
        };
        let before = out.len();
        members(own).for_each(|s| self.list_moves(p, s, able, out));
        if out.len() == before {
            out.push((Ply::word(b"pass"), Position { missed: 0, side: 1 - p.side, passes: p.passes + 1, ..p.clone() }));
        }
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
