//! The rules of Gygès (G1 to G11).

use crate::bytes::{fail, reject_if, Result};
use crate::game::{fields, number, side_of, Game, Plies, Ply};

/// The squares are 0 to 35: a1, b1, …, f6. Then come the thrones of South and North (G1).
const SQUARES: usize = 36;
const ALL: u64 = (1 << SQUARES) - 1;
const RANK: u64 = 63;

/// A way of some steps over connections without turning back onto one of them (G5).
struct Leg {
    /// The connections used, as a set of 72.
    connections: u128,
    /// The squares passed over.
    over: u64,
    end: usize,
}

/// The rules, with the legs of each side from each square: `legs[side][square][height - 1]`.
pub struct Gyges {
    legs: [Vec<[Vec<Leg>; 3]>; 2],
}

/// The rings by height: a set of squares for each.
pub type Rings = [u64; 3];

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Position {
    rings: Rings,
    side: u8,
    /// The height of the ring on the throne just conquered, or 0.
    throne: u8,
    goals: [u8; 2],
    /// The side to move sets up its rings (G3).
    setup: bool,
}

/// The height of the ring on a square, which has one.
fn height(rings: &Rings, square: usize) -> usize {
    1 + (0..3).find(|&h| rings[h] >> square & 1 == 1).unwrap_or(0)
}

/// The board as seen from the other side.
pub fn turned_board(rings: &Rings) -> Rings {
    rings.map(|set| set.reverse_bits() >> (64 - SQUARES))
}

/// The squares on which `side` may put a ring while `occupied` squares have the other rings: empty, and not nearer to
/// the opponent than the opponent's active rank (G7).
fn free(occupied: u64, side: usize) -> u64 {
    let allowed = if occupied == 0 {
        ALL
    } else if side == 0 {
        let rank = (63 - occupied.leading_zeros()) / 6;
        ALL >> (30 - 6 * rank)
    } else {
        let rank = occupied.trailing_zeros() / 6;
        ALL << (6 * rank) & ALL
    };
    allowed & !occupied
}

pub fn squares(set: u64) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(set), |s| Some(s & s.wrapping_sub(1))).take_while(|&s| s != 0).map(|s| s.trailing_zeros() as usize)
}

impl Gyges {
    pub fn new() -> Gyges {
        // The connections (G1): between neighbours, and from each throne to its rank.
        let mut links: Vec<Vec<(usize, usize)>> = vec![Vec::new(); SQUARES + 2];
        let mut count = 0;
        let mut link = |a: usize, b: usize| {
            links[a].push((b, count));
            links[b].push((a, count));
            count += 1;
        };
        for s in 0..SQUARES {
            if s % 6 < 5 {
                link(s, s + 1);
            }
            if s < 30 {
                link(s, s + 6);
            }
        }
        for file in 0..6 {
            link(36, file);
            link(37, 30 + file);
        }
        let legs = [0, 1].map(|side| {
            let mut all = Vec::new();
            for start in 0..SQUARES {
                let mut legs: [Vec<Leg>; 3] = Default::default();
                let mut ways = vec![Leg { connections: 0, over: 0, end: start }];
                for (steps, list) in legs.iter_mut().enumerate() {
                    let mut longer = Vec::new();
                    for way in &ways {
                        // No way leads on from a throne (G8).
                        for &(next, c) in links[way.end].iter().filter(|_| way.end < SQUARES) {
                            let over = if steps == 0 { 0 } else { way.over | 1 << way.end };
                            // A player enters only the opponent's throne (G8).
                            if way.connections >> c & 1 == 0 && next != 36 + side {
                                longer.push(Leg { connections: way.connections | 1 << c, over, end: next });
                            }
                        }
                    }
                    list.extend(longer.iter().map(|l| Leg { ..*l }));
                    ways = longer;
                }
                all.push(legs);
            }
            all
        });
        Gyges { legs }
    }
    /// The fields on which the ring from `start` can land, as a set: empty squares, rings, the opponent's throne.
    fn landings(&self, rings: &Rings, occupied: u64, start: usize, side: usize) -> u64 {
        let legs = &self.legs[side];
        let ends = |from: usize, h: usize| legs[from][h - 1].iter().filter(|l| l.over & occupied == 0).fold(0u64, |set, l| set | 1 << l.end);
        // What can be reached from each ring if connections may be used again: the walk stops when nothing new is left.
        let mut reach = [0u64; SQUARES + 2];
        squares(occupied).for_each(|s| reach[s] = ends(s, height(rings, s)));
        let mut changed = true;
        while changed {
            changed = false;
            for s in squares(occupied) {
                let more = squares(reach[s] & occupied).fold(reach[s], |set, r| set | reach[r]);
                changed |= more != reach[s];
                reach[s] = more;
            }
        }
        let mut found = 0;
        self.walk(rings, occupied, side, start, height(rings, start), 0, &reach, &mut found);
        found
    }
    /// Walk all legs from a field, and on from the rings on which they end (G6).
    #[allow(clippy::too_many_arguments)]
    fn walk(&self, rings: &Rings, occupied: u64, side: usize, from: usize, h: usize, used: u128, reach: &[u64; 38], found: &mut u64) {
        for leg in &self.legs[side][from][h - 1] {
            if leg.over & occupied == 0 && leg.connections & used == 0 {
                *found |= 1 << leg.end;
                if reach[leg.end] & !*found != 0 {
                    let next = height(rings, leg.end);
                    self.walk(rings, occupied, side, leg.end, next, used | leg.connections, reach, found);
                }
            }
        }
    }
    /// The rings of `side` that may move (G4), each with its square, the fields on which it can land legally, and the
    /// squares for a ring that it displaces.
    pub fn movers(&self, rings: &Rings, side: usize) -> ([Mover; 6], usize) {
        let all = rings[0] | rings[1] | rings[2];
        let mut movers = [Mover::default(); 6];
        let mut count = 0;
        for i in 0..6 {
            let rank = if side == 0 { i } else { 5 - i };
            for from in squares(all & RANK << (6 * rank)) {
                // The starting square counts as empty (G5).
                let occupied = all & !(1 << from);
                let displaced = free(occupied, side);
                let found = self.landings(rings, occupied, from, side);
                let landings = if displaced == 0 { found & !occupied } else { found };
                if landings != 0 {
                    movers[count] = Mover { from, landings, occupied, displaced };
                    count += 1;
                }
            }
            if count != 0 {
                break;
            }
        }
        (movers, count)
    }
    /// Call `visit` with the fields from and to and the squares for the displaced ring (0 in a move without one) of
    /// these moves.
    pub fn moves(movers: &[Mover], mut visit: impl FnMut(usize, usize, u64)) {
        for m in movers {
            for to in squares(m.landings) {
                visit(m.from, to, if m.occupied >> to & 1 == 1 { m.displaced } else { 0 });
            }
        }
    }
}

#[derive(Clone, Copy, Default)]
pub struct Mover {
    from: usize,
    landings: u64,
    occupied: u64,
    displaced: u64,
}

/// Does a ring reach a throne?
pub fn reach_throne(movers: &[Mover]) -> bool {
    movers.iter().any(|m| m.landings >> SQUARES != 0)
}

/// The rings after a ring has moved to a square.
pub fn moved(rings: &Rings, from: usize, to: usize) -> Rings {
    let mut next = *rings;
    let h = height(rings, from) - 1;
    next[h] &= !(1 << from);
    next[h] |= 1 << to & ALL;
    next
}

/// The rings after a ring has moved to a square and the ring there was put on another.
pub fn displaced(rings: &Rings, from: usize, to: usize, square: usize) -> Rings {
    let mut next = moved(rings, from, to);
    let (own, other) = (height(rings, from) - 1, height(rings, to) - 1);
    next[other] &= if own == other { ALL } else { !(1 << to) };
    next[other] |= 1 << square;
    next
}

fn after_move(p: &Position, rings: Rings) -> Position {
    Position { rings, side: 1 - p.side, throne: 0, goals: p.goals, setup: false }
}

fn at(ply: Ply, square: usize) -> Ply {
    match square {
        36 => ply.byte(b'S'),
        37 => ply.byte(b'N'),
        _ => ply.on(square, 6),
    }
}

/// The setups (G3): two rings of each height in any order.
fn list_setups(p: &Position, out: &mut Plies<Position>) {
    let rank = if p.side == 0 { 0 } else { 30 };
    for code in 0..729u32 {
        let heights: Vec<usize> = (0..6).map(|i| (code / 3u32.pow(i) % 3) as usize).collect();
        if (0..3).all(|h| heights.iter().filter(|&&one| one == h).count() == 2) {
            let mut next = after_move(p, p.rings);
            next.setup = p.side == 0;
            let mut ply = Ply::default();
            for (file, &h) in heights.iter().enumerate() {
                next.rings[h] |= 1 << (rank + file);
                ply = ply.byte(b'1' + h as u8);
            }
            out.push((ply, next));
        }
    }
}

impl Game for Gyges {
    type Position = Position;
    fn read(fen: &str, _board: Option<&str>) -> Result<(Self, Position)> {
        let (f, options) = fields(fen, 4, &["setup"])?;
        let ranks: Vec<&str> = f[0].split('/').collect();
        reject_if(ranks.len() != 6 || ranks.iter().any(|r| r.len() != 6), "RANKS does not have 6×6 squares")?;
        let mut rings = [0u64; 3];
        for (i, rank) in ranks.iter().enumerate() {
            for (file, c) in rank.bytes().enumerate() {
                match c {
                    b'.' => {}
                    b'1'..=b'3' => rings[(c - b'1') as usize] |= 1 << (6 * (5 - i) + file),
                    _ => return fail("RANKS has an unknown character"),
                }
            }
        }
        let side = side_of(f[1])?;
        let throne = if f[2] == "-" { 0 } else { number(f[2], 3)? as u8 };
        let goals = match f[3].split_once('+') {
            Some((a, b)) => [number(a, 9)? as u8, number(b, 9)? as u8],
            None => return fail("GOALS is not two numbers"),
        };
        let counts: Vec<u32> = (0..3).map(|h| rings[h].count_ones() + (throne as usize == h + 1) as u32).collect();
        let total: u32 = counts.iter().sum();
        reject_if(counts.iter().any(|&n| n > 4) || (f[2] != "-" && throne == 0), "there are more than four rings of a height")?;
        reject_if(
            goals.contains(&0) && (throne == 0 || goals[side as usize] == 0) || throne != 0 && goals[1 - side as usize] == 9,
            "GOALS and THRONE do not fit",
        )?;
        let occupied = rings[0] | rings[1] | rings[2];
        let first = side == 1 && throne == 0 && occupied == RANK && counts.iter().all(|&n| n == 2);
        let done = options[0] == Some("done");
        reject_if(
            options[0].is_some() && !(done && first) || total == 0 && (side == 1 || throne != 0),
            "the option setup does not fit, or there is no ring",
        )?;
        let setup = total == 0 || first && !done;
        Ok((Gyges::new(), Position { rings, side, throne, goals, setup }))
    }
    fn side(&self, p: &Position) -> u8 {
        p.side + 1
    }
    fn result(&self, p: &Position) -> Option<i64> {
        match p.goals {
            [0, _] => Some(1),
            [_, 0] => Some(-1),
            _ => None,
        }
    }
    fn list(&self, p: &Position, out: &mut Plies<Position>) {
        let side = p.side as usize;
        if self.result(p).is_some() {
        } else if p.setup {
            list_setups(p, out);
        } else if p.throne != 0 {
            // The conquered player puts the ring back, then moves (G9).
            let occupied = p.rings[0] | p.rings[1] | p.rings[2];
            let allowed = free(occupied, side);
            for square in squares(if allowed == 0 { ALL & !occupied } else { allowed }) {
                let mut next = Position { throne: 0, ..p.clone() };
                next.rings[p.throne as usize - 1] |= 1 << square;
                out.push((at(Ply::default().byte(b'='), square), next));
            }
        } else {
            let (movers, count) = self.movers(&p.rings, side);
            Gyges::moves(&movers[..count], |from, to, displaced_to| {
                let start = at(Ply::default(), from);
                let rings = moved(&p.rings, from, to);
                if to >= SQUARES {
                    let mut next = after_move(p, rings);
                    next.throne = height(&p.rings, from) as u8;
                    next.goals[side] -= 1;
                    out.push((at(start.byte(b'-'), to), next));
                } else if displaced_to == 0 {
                    out.push((at(start.byte(b'-'), to), after_move(p, rings)));
                } else {
                    for square in squares(displaced_to) {
                        let ply = at(at(start.byte(b'x'), to).byte(b'-'), square);
                        out.push((ply, after_move(p, displaced(&p.rings, from, to, square))));
                    }
                }
            });
        }
    }
    fn ends_now(&self, p: &Position) -> Option<i64> {
        let side = p.side as usize;
        let (movers, count) = self.movers(&p.rings, side);
        let plays = !p.setup && p.throne == 0 && p.goals[side] == 1 && p.goals[1 - side] != 0;
        (plays && reach_throne(&movers[..count])).then_some(1)
    }
}
