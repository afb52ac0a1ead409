//! Proofs of games of two players: "A proof in two-player games" and "A proof with a horizon" in docs/certificates.md.

use crate::bytes::{fail, reject_if, Numbers, Result};
use crate::certificate::{Claim, Limits, Work};
use crate::game::{ordered, Game};
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

pub fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A list of different positions.
pub struct List<P> {
    /// Each with its number: the highest rank that it may have, then its rank; or the plies left.
    pub items: Vec<(Rc<P>, i64)>,
    index: HashMap<Rc<P>, usize>,
    most: usize,
}

impl<P: Eq + Hash> List<P> {
    pub fn new(memory: usize) -> List<P> {
        List { items: Vec::new(), index: HashMap::new(), most: (memory / (size_of::<P>() + 96)).min(u32::MAX as usize / 4) }
    }
    /// The index of a position, which is appended with `number` if it is new.
    pub fn find_or_add(&mut self, p: P, number: i64) -> Result<usize> {
        if let Some(&at) = self.index.get(&p) {
            return Ok(at);
        }
        let at = self.items.len();
        reject_if(at >= self.most, "the proof needs more memory than --memory")?;
        let p = Rc::new(p);
        self.index.insert(p.clone(), at);
        self.items.push((p, number));
        Ok(at)
    }
}

/// The check of one claim.
struct Proof<'a, G: Game> {
    game: &'a G,
    player: u8,
    at_least: i64,
    horizon: bool,
    list: List<G::Position>,
}

impl<G: Game> Proof<'_, G> {
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
        // The player needs one such ply, the opponent must have no other one.
        let own = mover == self.player;
        plies.iter().any(|(_, next)| self.holds(next, left - 1) == own) == own
    }
    /// Enter a position that play reaches: with a horizon, `highest` plies are left; in a win it is the highest rank.
    /// The first `ranks` positions of the list have their ranks, the others their highest.
    fn enter(&mut self, p: G::Position, highest: i64, ranks: usize) -> Result<()> {
        let mover = self.game.side(&p) == self.player;
        let short = |what: String| fail(format!("{what}, which falls short of the claim"));
        if let Some(result) = self.game.result_for(&p, self.player) {
            return if result >= self.at_least { Ok(()) } else { short(format!("a game ends with {result}")) };
        }
        if self.horizon {
            if highest <= 2 {
                return if self.holds(&p, highest) { Ok(()) } else { short("the last two plies lose".into()) };
            } else if mover && self.game.ends_now(&p).is_some_and(|r| r >= self.at_least) {
                return Ok(());
            }
        } else if let Some((value, distance)) = self.game.probe(&p) {
            let result = if mover { value } else { -value };
            if result < self.at_least {
                return short(format!("a table gives {result}"));
            }
            return reject_if(self.at_least > 0 && distance as i64 > highest, "a table needs too many plies");
        }
        let ranked = self.at_least > 0;
        let at = self.list.find_or_add(p, highest)?;
        let number = &mut self.list.items[at].1;
        reject_if(ranked && at < ranks && *number > highest, "a rank does not decrease")?;
        if ranked && at >= ranks {
            *number = (*number).min(highest);
        }
        Ok(())
    }
}

/// Check the proof of one claim.
pub fn check<G: Game>(game: &G, root: &G::Position, claim: &Claim, mut numbers: Numbers, limits: &Limits, work: &mut Work) -> Result<()> {
    let at_least = claim.at_least.unwrap_or(0);
    let ranked = at_least > 0;
    let mut proof = Proof { game, player: claim.player, at_least, horizon: claim.horizon.is_some(), list: List::new(limits.memory) };
    let first = claim.horizon.or(claim.within).unwrap_or(0);
    match claim.except {
        None => proof.enter(root.clone(), first, 0)?,
        Some(key) => {
            let mut plies = ordered(game, root);
            let Some(at) = plies.iter().position(|one| one.0 == key) else { return fail(format!("the key {key} is no legal ply")) };
            reject_if(first < 1 && (ranked || claim.horizon.is_some()), "a claim with an excepted ply has no ply left")?;
            plies.remove(at);
            plies.into_iter().try_for_each(|(_, next)| proof.enter(next, first - 1, 0))?;
        }
    };
    let mut done = 0;
    while let Some((p, mut number)) = proof.list.items.get(done).cloned() {
        let mut plies = ordered(game, &p);
        if game.side(&p) == claim.player {
            let choice = numbers.next()? as usize;
            reject_if(choice >= plies.len(), "a chosen ply does not exist")?;
            plies.swap(0, choice);
            plies.truncate(1);
        }
        if ranked {
            number -= numbers.next()? as i64;
            reject_if(number < 1, "a rank is below 1")?;
            proof.list.items[done].1 = number;
        }
        done += 1;
        work.successors += plies.len() as u64;
        plies.into_iter().try_for_each(|(_, next)| proof.enter(next, number - 1, done))?;
        reject_if(proof.list.items.len() as u64 > claim.positions, "the proof has more positions than the header says")?;
    }
    work.positions += done as u64;
    if done as u64 != claim.positions {
        return fail(format!("the proof has {done} positions, not {}", claim.positions));
    }
    numbers.end()
}
