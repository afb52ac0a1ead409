//! What the four games have in common: plies as texts, squares, and the interface for counting and proofs.

use crate::bytes::{fail, reject_if, Result};
use std::hash::Hash;

/// A ply as its short form, padded with zero bytes: the order of the numbers is the byte order of the texts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Ply(u128);

impl Ply {
    pub fn of(text: &str) -> Result<Ply> {
        if text.is_empty() || text.len() > 16 || !text.bytes().all(|b| (33..127).contains(&b)) {
            return fail(format!("'{}' is no ply", text.escape_default()));
        }
        Ok(text.bytes().fold(Ply::default(), Ply::byte))
    }
    /// A text of the rules, such as `pass`.
    pub fn word(text: &[u8]) -> Ply {
        text.iter().fold(Ply::default(), |ply, &b| ply.byte(b))
    }
    /// This text with one more byte.
    pub fn byte(self, byte: u8) -> Ply {
        let used = 16 - self.0.trailing_zeros().min(128) / 8;
        debug_assert!(used < 16);
        Ply(self.0 | (byte as u128) << (120 - 8 * used))
    }
    pub fn first(self) -> u8 {
        (self.0 >> 120) as u8
    }
    /// This text with a square of a board of so many files.
    pub fn on(self, square: usize, files: usize) -> Ply {
        self.square(square % files, square / files)
    }
    /// This text with a square after it, such as `c10`.
    pub fn square(self, file: usize, rank: usize) -> Ply {
        let ply = self.byte(b'a' + file as u8);
        let ply = if rank >= 9 { ply.byte(b'1') } else { ply };
        ply.byte(b'0' + ((rank + 1) % 10) as u8)
    }
}

impl std::fmt::Display for Ply {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let bytes: Vec<u8> = self.0.to_be_bytes().into_iter().take_while(|&b| b != 0).collect();
        f.write_str(&String::from_utf8_lossy(&bytes))
    }
}

/// The members of a set of squares or points.
pub fn members(set: u128) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(set), |s| Some(s & s.wrapping_sub(1))).take_while(|&s| s != 0).map(|s| s.trailing_zeros() as usize)
}

/// The plies of a position with the positions after them.
pub type Plies<P> = Vec<(Ply, P)>;

/// The rules of a game, with the board and the options that a position states.
pub trait Game: Sync + Sized {
    type Position: Clone + Eq + Hash + Send + Sync;
    /// Read a position with its rules. Only GRAN has a board file.
    fn read(fen: &str, board: Option<&str>) -> Result<(Self, Self::Position)>;
    /// The player who decides, from 1. Chance is 0 (GRAN).
    fn side(&self, p: &Self::Position) -> u8;
    /// The result of a finished game: South's margin, in GRAN the number of the winner.
    fn result(&self, p: &Self::Position) -> Option<i64>;
    /// List all plies in any order; none if the game is over.
    fn list(&self, p: &Self::Position, out: &mut Plies<Self::Position>);
    /// The best result for the side to move among the plies that end the game.
    fn ends_now(&self, p: &Self::Position) -> Option<i64> {
        let mut plies = Vec::new();
        self.list(p, &mut plies);
        plies.iter().filter_map(|(_, next)| self.result_for(next, self.side(p))).max()
    }
    /// The result of a finished game of two players for one of them.
    fn result_for(&self, p: &Self::Position, player: u8) -> Option<i64> {
        self.result(p).map(|r| if player == 1 { r } else { -r })
    }
    /// Is the value a margin (King of Rings), not a win, draw or loss?
    fn has_margins(&self) -> bool {
        false
    }
    /// The weight of a chance ply (R8); 1 for other plies.
    fn weight(&self, _p: &Self::Position, _ply: Ply) -> u64 {
        1
    }
    /// The value by endgame tables for the side to move, with its distance: (1, 0 or −1; plies).
    fn probe(&self, _p: &Self::Position) -> Option<(i64, u32)> {
        None
    }
}

/// The plies in the byte order of their texts.
pub fn ordered<G: Game>(game: &G, p: &G::Position) -> Plies<G::Position> {
    let mut plies = Vec::new();
    game.list(p, &mut plies);
    plies.sort_unstable_by_key(|one| one.0);
    plies
}

/// The number of lines of `depth` plies.
pub fn perft<G: Game>(game: &G, p: &G::Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut plies = Vec::new();
    game.list(p, &mut plies);
    if depth == 1 {
        return plies.len() as u64;
    }
    plies.iter().map(|(_, next)| perft(game, next, depth - 1)).sum()
}

/// The fields of a position: the game's id, then `count` fields, then options in alphabetical order.
pub fn fields<'a>(fen: &'a str, count: usize, options: &[&str]) -> Result<(Vec<&'a str>, Vec<Option<&'a str>>)> {
    let all: Vec<&str> = fen.split(' ').collect();
    reject_if(all.len() < 1 + count || all.iter().any(|f| f.is_empty()), "the position has too few fields")?;
    let mut values = vec![None; options.len()];
    let mut next = 0;
    for field in &all[1 + count..] {
        let Some((name, value)) = field.split_once('=') else { return fail("the position has too many fields") };
        match options.iter().position(|&o| o == name) {
            Some(i) if i >= next => {
                values[i] = Some(value);
                next = i + 1;
            }
            _ => return fail(format!("the option '{}' is unknown or in a wrong place", name.escape_default())),
        }
    }
    Ok((all[1..=count].to_vec(), values))
}

/// A number in decimal without leading zeros.
pub fn number(text: &str, most: u32) -> Result<u32> {
    match text.parse::<u32>() {
        Ok(n) if n <= most && text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0')) => Ok(n),
        _ => fail(format!("'{}' is no number from 0 to {most}", text.escape_default())),
    }
}

/// A square such as `c10` as (file, rank) from 0, on a board of this size.
pub fn square(text: &str, files: usize, ranks: usize) -> Result<(usize, usize)> {
    let wrong = || format!("'{}' is no square of the board", text.escape_default());
    let bytes = text.as_bytes();
    let file = bytes.first().map_or(255, |b| b.wrapping_sub(b'a')) as usize;
    let rank = number(text.get(1..).unwrap_or(""), ranks as u32).map_err(|_| wrong())? as usize;
    if file >= files || rank == 0 {
        return Err(wrong());
    }
    Ok((file, rank - 1))
}

/// The side to move: 0 South, 1 North.
pub fn side_of(text: &str) -> Result<u8> {
    let side = ["s", "n"].iter().position(|&s| s == text).ok_or("SIDE is not s or n")?;
    Ok(side as u8)
}
