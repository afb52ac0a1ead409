//! Proofs of games of two players: "A proof in two-player games" and "A proof with a horizon" in docs/certificates.md.

use crate::bytes::{fail, reject_if, Numbers, Result};
use crate::certificate::{Claim, Limits, Work};
use crate::game::{ordered, Game, Plies};
use std::hash::{BuildHasher, RandomState};

pub fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}

/// A list of different positions, found by their hash.
pub struct List<P> {
    /// Each with its number: the highest rank that it may have, then its rank; or the plies left.
    pub items: Vec<(P, i64)>,
    /// For a hash the index of an item plus one, or 0; open addressing.
    slots: Vec<u32>,
    hasher: RandomState,
    most: usize,
}

impl<P: Eq + std::hash::Hash> List<P> {
    pub fn new(memory: usize) -> List<P> {
        let most = (memory / (size_of::<(P, i64)>() + 24)).min(u32::MAX as usize / 4);
        List { items: Vec::new(), slots: vec![0; 1 << 10], hasher: RandomState::new(), most }
    }

    pub fn hash(&self, p: &P) -> u64 {
        self.hasher.hash_one(p)
    }

    fn slot(&self, p: &P, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != 0 && self.items[self.slots[at] as usize - 1].0 != *p {
            at = (at + 1) & mask;
        }
        at
    }

    /// The index of a position, which is appended with `number` if it is new.
    pub fn find_or_add(&mut self, p: P, hash: u64, number: i64) -> Result<usize> {
        let at = self.slot(&p, hash);
        if self.slots[at] != 0 {
            return Ok(self.slots[at] as usize - 1);
        }
        reject_if(self.items.len() >= self.most, "the proof needs more memory than --memory")?;
        self.items.push((p, number));
        self.slots[at] = self.items.len() as u32;
        if 2 * self.items.len() > self.slots.len() {
            self.slots = vec![0; 2 * self.slots.len()];
            for i in 0..self.items.len() {
                let at = self.slot(&self.items[i].0, self.hash(&self.items[i].0));
                self.slots[at] = i as u32 + 1;
            }
        }
        Ok(self.items.len() - 1)
    }
}

/// What follows a ply.
enum Next<P> {
    /// The game is over, or the player holds the result anyway.
    Good,
    /// A table gives the player the result within so many plies.
    Leaf(i64),
    /// The player falls short.
    Short(String),
    Open(P, u64),
}

/// What a thread needs to look at positions of one proof.
struct Look<'a, G: Game> {
    game: &'a G,
    player: u8,
    at_least: i64,
    horizon: bool,
    list: &'a List<G::Position>,
}

impl<G: Game> Look<'_, G> {
    /// Does the player hold the result for so many plies?
    fn holds(&self, p: &G::Position, left: i64) -> bool {
        let mover = self.game.side(p);
        match self.game.result_for(p, self.player) {
            Some(result) => return result >= self.at_least,
            None if left == 0 => return true,
            None if left == 1 && mover != self.player => return self.game.ends_now(p).is_none_or(|r| -r >= self.at_least),
            None => {}
        }
        let mut plies = Vec::new();
        self.game.list(p, &mut plies);
        if mover == self.player {
            plies.iter().any(|(_, next)| self.holds(next, left - 1))
        } else {
            plies.iter().all(|(_, next)| self.holds(next, left - 1))
        }
    }
    /// Sort a position that play reaches, with `left` plies left (if there is a horizon).
    fn sort(&self, p: G::Position, left: i64) -> Next<G::Position> {
        if let Some(result) = self.game.result_for(&p, self.player) {
            return if result >= self.at_least { Next::Good } else { Next::Short(format!("a game ends with {result}")) };
        }
        if self.horizon {
            let ends = || self.game.side(&p) == self.player && self.game.ends_now(&p).is_some_and(|r| r >= self.at_least);
            if left <= 2 {
                return if self.holds(&p, left) { Next::Good } else { Next::Short("the last two plies lose".into()) };
            } else if ends() {
                return Next::Good;
            }
        } else if let Some((value, distance)) = self.game.probe(&p) {
            let result = if self.game.side(&p) == self.player { value } else { -value };
            if result < self.at_least {
                return Next::Short(format!("a table gives {result}"));
            }
            return if self.at_least > 0 { Next::Leaf(distance as i64) } else { Next::Good };
        }
        let hash = self.list.hash(&p);
        Next::Open(p, hash)
    }
    /// The positions after the chosen ply, or after all.
    fn expand(&self, p: &G::Position, choice: Option<u32>, left: i64, plies: &mut Plies<G::Position>) -> Result<Vec<Next<G::Position>>> {
        ordered(self.game, p, plies);
        match choice {
            Some(index) if index as usize >= plies.len() => fail("a chosen ply does not exist"),
            Some(index) => Ok(vec![self.sort(plies.swap_remove(index as usize).1, left - 1)]),
            None => Ok(plies.drain(..).map(|(_, next)| self.sort(next, left - 1)).collect()),
        }
    }
}

const BATCH: usize = 1 << 11;

/// Check the proof of one claim.
pub fn check<G: Game>(game: &G, root: &G::Position, claim: &Claim, mut numbers: Numbers, limits: &Limits, work: &mut Work) -> Result<()> {
    let at_least = claim.at_least.unwrap_or(0);
    let ranked = at_least > 0;
    let mut list: List<G::Position> = List::new(limits.memory);
    let first = claim.horizon.or(claim.within).unwrap_or(0);
    let look = Look { game, player: claim.player, at_least, horizon: claim.horizon.is_some(), list: &list };
    let starts = match claim.except {
        None => vec![look.sort(root.clone(), first)],
        Some(key) => {
            let mut plies = Vec::new();
            ordered(game, root, &mut plies);
            let Some(at) = plies.iter().position(|one| one.0 == key) else { return fail(format!("the key {key} is no legal ply")) };
            reject_if(first < 1 && (ranked || claim.horizon.is_some()), "a claim with an excepted ply has no ply left")?;
            plies.remove(at);
            plies.into_iter().map(|(_, next)| look.sort(next, first - 1)).collect()
        }
    };
    // A leaf needs fewer plies than the rank of the position before it; the position of the header, at most `within`.
    let (highest, before) = if claim.except.is_some() { (first - 1, first) } else { (first, first + 1) };
    for next in starts {
        enter(&mut list, next, before, highest, 0, ranked)?;
    }
    let mut done = 0;
    while done < list.items.len() {
        let end = list.items.len().min(done + BATCH * limits.threads);
        let mut read = Vec::with_capacity(end - done);
        for (p, _) in &list.items[done..end] {
            let choice = if game.side(p) == claim.player { Some(numbers.next()?) } else { None };
            read.push((choice, if ranked { numbers.next()? } else { 0 }));
        }
        let look = Look { game, player: claim.player, at_least, horizon: claim.horizon.is_some(), list: &list };
        let expanded = expand_all(&look, &list.items[done..end], &read, limits.threads)?;
        for (i, nexts) in expanded.into_iter().enumerate() {
            let mut number = list.items[done + i].1;
            if ranked {
                number -= read[i].1 as i64;
                list.items[done + i].1 = number;
                reject_if(number < 1, "a rank is below 1")?;
            }
            work.successors += nexts.len() as u64;
            for next in nexts {
                enter(&mut list, next, number, number - 1, done + i + 1, ranked)?;
            }
        }
        reject_if(list.items.len() as u64 > claim.positions, "the proof has more positions than the header says")?;
        done = end;
    }
    work.positions += done as u64;
    if done as u64 != claim.positions {
        return fail(format!("the proof has {done} positions, not {}", claim.positions));
    }
    numbers.end()
}

/// Enter a position into the list. The first `ranks` items have their ranks, the others their highest.
fn enter<P: Eq + std::hash::Hash>(list: &mut List<P>, next: Next<P>, before: i64, highest: i64, ranks: usize, ranked: bool) -> Result<()> {
    match next {
        Next::Good => Ok(()),
        Next::Leaf(distance) if distance < before => Ok(()),
        Next::Leaf(_) => fail("a table needs too many plies"),
        Next::Short(why) => fail(format!("{why}, which falls short of the claim")),
        Next::Open(p, hash) => {
            let at = list.find_or_add(p, hash, highest)?;
            let number = &mut list.items[at].1;
            reject_if(ranked && at < ranks && *number > highest, "a rank does not decrease")?;
            if ranked && at >= ranks {
                *number = (*number).min(highest);
            }
            Ok(())
        }
    }
}

type Expanded<P> = Vec<Vec<Next<P>>>;

/// Expand a part of the list with several threads.
fn expand_all<G: Game>(look: &Look<G>, items: &[(G::Position, i64)], read: &[(Option<u32>, u32)], threads: usize) -> Result<Expanded<G::Position>> {
    let one = |part: &[(G::Position, i64)], read: &[(Option<u32>, u32)]| -> Result<Expanded<G::Position>> {
        let mut plies = Vec::new();
        part.iter().zip(read).map(|((p, left), number)| look.expand(p, number.0, *left, &mut plies)).collect()
    };
    let share = items.len().div_ceil(threads).max(64);
    let parts: Vec<Result<Expanded<G::Position>>> = std::thread::scope(|scope| {
        let teams: Vec<_> = items.chunks(share).zip(read.chunks(share)).map(|(p, r)| scope.spawn(move || one(p, r))).collect();
        teams.into_iter().map(|t| t.join().unwrap_or(fail("a thread failed"))).collect()
    });
    let mut all = Vec::with_capacity(items.len());
    for part in parts {
        all.extend(part?);
    }
    Ok(all)
}
