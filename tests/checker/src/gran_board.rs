//! Boards of GRAN (R1, and "Board file" in the rules).

use crate::bytes::{fail, reject_if, Result};
use crate::game::{members, number, square};
use std::collections::HashMap;

pub const DRAGON: u8 = b'D';
pub const MAGIC_STONE: u8 = b'Z';
pub const SWORD: u8 = b'X';
const CITY: u8 = b'C';
const START: u8 = b'S';
const RING: u8 = b'R';
const WHITE: u8 = b'w';

/// The default board: the file gran.board of the rules.
pub const DEFAULT: &str = include_str!("../gran.board");

/// A board with its points numbered a1, b1, …, then the next rank.
#[derive(Default)]
pub struct Board {
    /// The file and rank of each point, from 0.
    pub places: Vec<(usize, usize)>,
    pub realms: Vec<u8>,
    pub symbols: Vec<u8>,
    /// For each point the points that a line connects with it.
    pub lines: Vec<u128>,
    /// The white points (R1).
    pub white: u128,
    /// The points for stones: plain ones, black or white (R10).
    pub plain: u128,
    /// The points for the ring: plain black ones and crystal balls (R11).
    pub ring_points: u128,
    pub start: usize,
    /// For each point the least number of steps to a city, and the least one from a white point.
    pub city_steps: Vec<usize>,
    pub white_steps: usize,
    pub cards: [u8; 7],
    pub stones: u32,
}

/// The lines of a board file: each name that occurs once with its value or block, and the lines to add or remove.
#[derive(Default)]
struct File<'a> {
    once: HashMap<&'a str, Vec<&'a str>>,
    links: Vec<(bool, &'a str)>,
}

fn parse(text: &str) -> Result<File<'_>> {
    let mut file = File::default();
    let mut lines = text.lines().map(|line| line.split('#').next().unwrap_or("").trim());
    while let Some(line) = lines.next() {
        let Some((name, value)) = line.split_once(':') else {
            reject_if(!line.is_empty(), "a line of the board file has no name")?;
            continue;
        };
        let value = value.trim();
        let content = match name.trim() {
            "link" | "unlink" => {
                file.links.push((name.trim() == "link", value));
                continue;
            }
            "lines" | "cards" | "stones" => value.split_whitespace().collect(),
            "realms" | "symbols" if value.is_empty() => lines.by_ref().take_while(|row| !row.is_empty()).collect(),
            _ => return fail("a line of the board file is unknown"),
        };
        reject_if(file.once.insert(name.trim(), content).is_some(), "a line of the board file occurs twice")?;
    }
    Ok(file)
}

impl Board {
    pub fn read(text: &str) -> Result<Board> {
        let file = parse(text)?;
        let of = |name: &str| file.once.get(name).map(|v| &v[..]);
        let all_lines = match of("lines") {
            Some(["orthogonal"]) => false,
            Some(["all"]) => true,
            _ => return fail("the board file does not say which lines there are"),
        };
        let cards = of("cards").unwrap_or(&["2", "0", "4", "6", "6", "4", "2"]);
        let cards = cards.iter().map(|w| number(w, 99).map(|n| n as u8)).collect::<Result<Vec<_>>>()?;
        let Ok(cards) = cards.try_into() else { return fail("the board file does not have seven numbers of cards") };
        let stones = match of("stones") {
            None => 16,
            Some([one]) => number(one, 100)?,
            _ => return fail("the board file does not have one number of stones"),
        };
        let (realms, symbols) = (of("realms").unwrap_or(&[]), of("symbols").unwrap_or(&[]));
        let width = realms.first().map_or(0, |r| r.len());
        let sizes = realms.len() <= 12 && (1..=12).contains(&width) && realms.len() == symbols.len();
        reject_if(!sizes, "the board does not have the same 1×1 to 12×12 places twice")?;
        let mut board = Board { cards, stones, ..Board::default() };
        for (rank, (realm_row, symbol_row)) in realms.iter().zip(symbols).rev().enumerate() {
            reject_if(realm_row.len() != width || symbol_row.len() != width, "the rows of the board do not have the same length")?;
            for (file, (realm, symbol)) in realm_row.bytes().zip(symbol_row.bytes()).enumerate() {
                reject_if(
                    (realm == b'_') != (symbol == b'_') || !b"TUGEw_".contains(&realm) || !b".DZXCSR_".contains(&symbol),
                    "a place of the board is unknown",
                )?;
                reject_if(realm == WHITE && symbol != b'.', "a white point of the board has a symbol")?;
                if realm != b'_' {
                    board.places.push((file, rank));
                    board.realms.push(realm);
                    board.symbols.push(symbol);
                }
            }
        }
        board.connect(all_lines, &file.links)?;
        board.classify()?;
        Ok(board)
    }
    /// The lines between neighbouring points, and those added or removed.
    fn connect(&mut self, all_lines: bool, links: &[(bool, &str)]) -> Result<()> {
        reject_if(self.places.len() > 128, "the board has more than 128 points")?;
        let near = |a: usize, b: usize| a.abs_diff(b) <= 1;
        self.lines = vec![0; self.places.len()];
        for (i, a) in self.places.iter().enumerate() {
            for (j, b) in self.places.iter().enumerate() {
                if i != j && near(a.0, b.0) && near(a.1, b.1) && (all_lines || a.0 == b.0 || a.1 == b.1) {
                    self.lines[i] |= 1 << j;
                }
            }
        }
        for (add, text) in links {
            let ends = text.split_whitespace().map(|t| {
                let place = square(t, 12, 12)?;
                self.places.iter().position(|&p| p == place).ok_or(format!("{t} is no point of the board"))
            });
            let ends = ends.collect::<Result<Vec<_>>>()?;
            let [a, b] = ends[..] else { return fail("a link of the board does not have two points") };
            reject_if(a == b || (self.lines[a] >> b & 1 == 1) == *add, "a link of the board exists, or an unlink does not")?;
            self.lines[a] ^= 1 << b;
            self.lines[b] ^= 1 << a;
        }
        Ok(())
    }
    fn classify(&mut self) -> Result<()> {
        for i in 0..self.places.len() {
            let (realm, symbol) = (self.realms[i], self.symbols[i]);
            self.white |= ((realm == WHITE) as u128) << i;
            self.plain |= ((symbol == b'.') as u128) << i;
            let for_ring = symbol == START || symbol == RING || symbol == b'.' && realm != WHITE;
            self.ring_points |= (for_ring as u128) << i;
        }
        let of = |symbol| -> Vec<usize> { (0..self.places.len()).filter(|&i| self.symbols[i] == symbol).collect() };
        let mut cities: Vec<u8> = of(CITY).iter().map(|&i| self.realms[i]).collect();
        cities.sort_unstable();
        let ([start], [_]) = (&of(START)[..], &of(RING)[..]) else { return fail("the board does not have one S and one R") };
        reject_if(cities != *b"EGTU" || self.cards == [0; 7], "the board does not have one city in each realm and a card")?;
        self.start = *start;
        self.city_steps = vec![usize::from(u8::MAX); self.places.len()];
        let (mut front, mut seen) = (of(CITY).iter().fold(0u128, |set, i| set | 1 << i), 0);
        for steps in 0.. {
            if front == 0 {
                break;
            }
            members(front).for_each(|i| self.city_steps[i] = steps);
            seen |= front;
            front = members(front).fold(0, |set, i| set | self.lines[i]) & !seen;
        }
        self.white_steps = members(self.white).map(|i| self.city_steps[i]).min().unwrap_or(0);
        Ok(())
    }
    /// The number of the city's realm on a point, in the order TUGE.
    pub fn city(&self, point: usize) -> Option<usize> {
        let realm = self.realms.get(point).filter(|_| self.symbols[point] == CITY)?;
        b"TUGE".iter().position(|r| r == realm)
    }
}
