//! The rules of The King of Rings (K1 to K11).

use crate::bytes::{fail, reject_if, Result};
use crate::game::{fields, number, side_of, Game, Plies, Ply};

const RANKS: usize = 7;
const VALUES: [i64; 3] = [1, 3, 5];

/// What is on a square: the two lowest bits are one of the kinds below; then come the numbers of rings worth 1, 3 and 5,
/// those of a knight or the free ring itself.
type Square = u16;
const EMPTY: Square = 0;
const FREE: Square = 1;
/// South's knight; North's is one more.
const KNIGHT: Square = 2;
const SHIFTS: [u32; 3] = [2, 7, 10];
const MASKS: [Square; 3] = [31, 7, 1];

/// The number of rings of a value on a square.
fn rings(square: Square, value: usize) -> u32 {
    (square >> SHIFTS[value] & MASKS[value]) as u32
}

fn kind(square: Square) -> Square {
    square & 3
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Position {
    squares: [Square; 49],
    /// Knights in hand (K7).
    hands: [u8; 2],
    side: u8,
    passes: u8,
}

/// The rules with the number of files, 5 or 7 (K1).
pub struct Rings {
    files: usize,
}

impl Rings {
    /// The square so many steps away in a direction (0 to 8, without 4), if it is on the board.
    fn step(&self, from: usize, direction: usize, count: usize) -> Option<usize> {
        let go = |at: usize, way: usize, size: usize| match way {
            0 => at.checked_sub(count),
            1 => Some(at),
            _ => Some(at + count).filter(|&to| to < size),
        };
        let file = go(from % self.files, direction % 3, self.files)?;
        Some(go(from / self.files, direction / 3, RANKS)? * self.files + file)
    }
    /// Call `visit` with each square that the knight on `from` can move to (K4, K5).
    fn moves(&self, p: &Position, from: usize, mut visit: impl FnMut(usize)) {
        let count: u32 = (0..3).map(|v| rings(p.squares[from], v)).sum();
        let enemy = KNIGHT + 1 - p.side as Square;
        for direction in (0..9).filter(|&d| d != 4) {
            if let Some(to) = self.step(from, direction, count.max(1) as usize) {
                let there = kind(p.squares[to]);
                if there == FREE || there == enemy || count == 0 && there == EMPTY {
                    visit(to);
                }
            }
        }
    }
    fn all(&self) -> std::ops::Range<usize> {
        0..self.files * RANKS
    }
    fn knights<'a>(&'a self, p: &'a Position) -> impl Iterator<Item = usize> + 'a {
        self.all().filter(|&s| kind(p.squares[s]) == KNIGHT + p.side as Square)
    }
    fn has_free_rings(&self, p: &Position) -> bool {
        self.all().any(|s| kind(p.squares[s]) == FREE)
    }
    /// Has the side to move a move or a drop, whether or not the game is over?
    fn can_play(&self, p: &Position) -> bool {
        let mut found = p.hands[p.side as usize] > 0 && self.has_free_rings(p);
        self.knights(p).for_each(|s| self.moves(p, s, |_| found = true));
        found
    }
}

fn after(p: &Position) -> Position {
    Position { side: 1 - p.side, passes: 0, ..p.clone() }
}

impl Game for Rings {
    type Position = Position;
    fn read(fen: &str, _board: Option<&str>) -> Result<(Self, Position)> {
        let (f, _) = fields(fen, 4, &[])?;
        let rows = f[0].split('/').map(row).collect::<Result<Vec<_>>>()?;
        let files = rows[0].len();
        reject_if(rows.len() != RANKS || !(files == 5 || files == 7) || rows.iter().any(|r| r.len() != files), "RANKS has a wrong size")?;
        let game = Rings { files };
        let mut squares = [EMPTY; 49];
        for (i, row) in rows.iter().enumerate() {
            squares[(RANKS - 1 - i) * files..(RANKS - i) * files].copy_from_slice(row);
        }
        let Some((south, north)) = f[2].split_once('+') else { return fail("HANDS is not two numbers") };
        let hands = [number(south, 7)? as u8, number(north, 7)? as u8];
        let p = Position { squares, hands, side: side_of(f[1])?, passes: number(f[3], 2)? as u8 };
        let (knights, most) = if files == 7 { (7, [28, 6, 1]) } else { (5, [20, 4, 1]) };
        for side in 0..2 {
            let on_board = game.all().filter(|&s| kind(squares[s]) == KNIGHT + side as Square).count();
            reject_if(on_board + hands[side] as usize > knights, "the position has more knights than the game")?;
        }
        reject_if((0..3).any(|v| game.all().map(|s| rings(squares[s], v)).sum::<u32>() > most[v]), "there are too many rings")?;
        let plays = |side| game.can_play(&Position { side, ..p.clone() });
        reject_if(p.passes >= 1 && plays(1 - p.side) || p.passes == 2 && plays(p.side), "a side that passed has a legal ply")?;
        Ok((game, p))
    }
    fn side(&self, p: &Position) -> u8 {
        p.side + 1
    }
    /// The margin of a finished game (K9, K10).
    fn result(&self, p: &Position) -> Option<i64> {
        if p.passes < 2 && (p.side == 1 || self.has_free_rings(p)) {
            return None;
        }
        let points = |s: usize| (0..3).map(|v| rings(p.squares[s], v) as i64 * VALUES[v]).sum::<i64>();
        let of = |side| self.all().filter(|&s| kind(p.squares[s]) == side).map(points).sum::<i64>();
        Some(of(KNIGHT) - of(KNIGHT + 1))
    }
    fn list(&self, p: &Position, out: &mut Plies<Position>) {
        if self.result(p).is_some() {
            return;
        }
        let side = p.side as usize;
        let own = KNIGHT + p.side as Square;
        for from in self.knights(p) {
            let start = Ply::default().on(from, self.files);
            self.moves(p, from, |to| {
                let there = p.squares[to];
                let capture = kind(there) >= KNIGHT;
                let mut next = after(p);
                next.squares[from] = EMPTY;
                // The rings of both squares, which are at most those of the game (K6, K7).
                next.squares[to] = p.squares[from] + (there & !3);
                // A captured holder goes to its owner's hand, a knight without rings out of the game (K7).
                if capture && there >> 2 != 0 {
                    next.hands[1 - side] += 1;
                }
                out.push((start.byte(if capture { b'x' } else { b'-' }).on(to, self.files), next));
            });
        }
        if p.hands[side] > 0 {
            for to in self.all().filter(|&s| kind(p.squares[s]) == FREE) {
                let mut next = after(p);
                next.squares[to] = own + (p.squares[to] & !3);
                next.hands[side] -= 1;
                out.push((Ply::word(b"@").on(to, self.files), next));
            }
        }
        if out.is_empty() {
            out.push((Ply::word(b"pass"), Position { passes: p.passes + 1, ..after(p) }));
        }
    }
    fn has_margins(&self) -> bool {
        true
    }
}

/// A ring as it is counted on a square.
fn ring(c: u8) -> Option<Square> {
    [b'1', b'3', b'5'].iter().position(|&one| one == c).map(|v| 1 << SHIFTS[v])
}

/// One rank of RANKS.
fn row(text: &str) -> Result<Vec<Square>> {
    let mut row = Vec::new();
    let mut bytes = text.bytes().peekable();
    while let Some(c) = bytes.next() {
        let square = match c {
            b'.' => EMPTY,
            b'K' | b'k' => {
                let mut square = if c == b'K' { KNIGHT } else { KNIGHT + 1 };
                if bytes.next_if_eq(&b'(').is_some() {
                    let mut last = b'9';
                    while let Some(c) = bytes.next_if(|&c| c != b')') {
                        let Some(one) = ring(c).filter(|_| c <= last && (square >> 2 & 31) < 31) else {
                            return fail("a holder has no rings in descending order");
                        };
                        let value = SHIFTS.iter().position(|&s| one >> s == 1).unwrap_or(0);
                        reject_if(rings(square, value) == MASKS[value] as u32, "a holder has too many rings")?;
                        square += one;
                        last = c;
                    }
                    reject_if(bytes.next().is_none() || square >> 2 == 0, "a holder's rings have no end")?;
                }
                square
            }
            _ => FREE + ring(c).ok_or("RANKS has an unknown character")?,
        };
        row.push(square);
        reject_if(row.len() > 7, "RANKS has more than seven files")?;
    }
    Ok(row)
}
