//! Proofs in GRAN: probabilities, layer by layer ("A proof in GRAN" in docs/certificates.md).

use crate::bytes::{fail, reject_if, Numbers, Result};
use crate::certificate::{Certificate, Claim, Limits, Work};
use crate::game::{ordered, Game};
use crate::proof::{gcd, List};
use std::cmp::Ordering;

/// A fraction in lowest terms.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fraction(pub u128, pub u128);

pub const ZERO: Fraction = Fraction(0, 1);
pub const ONE: Fraction = Fraction(1, 1);

impl Fraction {
    /// Compare by continued fractions, without large products.
    pub fn compare(self, other: Fraction) -> Ordering {
        let (Fraction(a, b), Fraction(c, d)) = (self, other);
        match (a / b).cmp(&(c / d)) {
            Ordering::Equal => match (a % b, c % d) {
                (0, 0) => Ordering::Equal,
                (0, _) => Ordering::Less,
                (_, 0) => Ordering::Greater,
                (r, s) => Fraction(d, s).compare(Fraction(b, r)),
            },
            unequal => unequal,
        }
    }
    /// This sum and `weight` times another one; None if the numbers exceed 128 bits.
    fn plus(self, weight: u64, other: Fraction) -> Option<Fraction> {
        let shared = gcd(self.1, other.1);
        let bottom = self.1.checked_mul(other.1 / shared)?;
        let left = self.0.checked_mul(other.1 / shared)?;
        let right = other.0.checked_mul(self.1 / shared)?.checked_mul(weight as u128)?;
        Some(Fraction(left.checked_add(right)?, bottom).lowest())
    }
    fn lowest(self) -> Fraction {
        let shared = gcd(self.0, self.1).max(1);
        Fraction(self.0 / shared, self.1 / shared)
    }
}

/// The mean of fractions with their weights.
pub fn mean(all: Vec<(Fraction, u64)>) -> Result<Fraction> {
    let total: u64 = all.iter().map(|one| one.1).sum();
    let sum = all.iter().try_fold(ZERO, |sum, &(one, weight)| sum.plus(weight, one));
    let mean = sum.and_then(|s| s.1.checked_mul(total as u128).map(|bottom| Fraction(s.0, bottom).lowest()));
    mean.ok_or("a probability needs numbers of more than 128 bits".into())
}

/// A position in the next layer, or one of these results.
const WON: u32 = u32::MAX;
const LOST: u32 = u32::MAX - 1;

/// How the probability of a position follows from those after its plies.
enum Node {
    /// No successors: 0 or 1.
    Known(Fraction),
    /// The best (true) or worst of the next positions for the player.
    Choice(bool, Vec<u32>),
    /// The mean with these weights.
    Chance(Vec<(u32, u64)>),
}

impl Node {
    fn value(&self, next: &[Fraction]) -> Result<Fraction> {
        let of = |i: u32| match i {
            WON => ONE,
            LOST => ZERO,
            _ => next[i as usize],
        };
        match self {
            Node::Known(value) => Ok(*value),
            Node::Choice(best, all) => {
                let order = if *best { Ordering::Greater } else { Ordering::Less };
                let better = |a: Fraction, b: Fraction| if b.compare(a) == order { b } else { a };
                Ok(all.iter().map(|&i| of(i)).reduce(better).unwrap_or(ZERO))
            }
            Node::Chance(all) => mean(all.iter().map(|&(i, weight)| (of(i), weight)).collect()),
        }
    }
}

/// One claim with what its check needs.
struct Check<'a, G: Game> {
    game: &'a G,
    claim: &'a Claim,
    /// The value of an unfinished game with no plies left, and of a position without successors.
    unfinished: u32,
    open: Fraction,
}

impl<G: Game> Check<'_, G> {
    /// Find a position of the next layer, or its result.
    fn enter(&self, p: G::Position, next: &mut List<G::Position>, left: i64) -> Result<u32> {
        match self.game.result(&p) {
            Some(winner) if winner == self.claim.player as i64 => Ok(WON),
            Some(_) => Ok(LOST),
            None if left == 0 => Ok(self.unfinished),
            None => Ok(next.find_or_add(p, 0)? as u32),
        }
    }
    fn node(&self, p: &G::Position, first: bool, number: u32, next: &mut List<G::Position>, left: i64) -> Result<Node> {
        if number == 0 {
            return Ok(Node::Known(self.open));
        }
        let mut plies = ordered(self.game, p);
        if let (true, Some(key)) = (first, self.claim.except) {
            let Some(at) = plies.iter().position(|one| one.0 == key) else { return fail(format!("the key {key} is no legal ply")) };
            plies.remove(at);
        }
        let side = self.game.side(p);
        let own = side == self.claim.player;
        if side != 0 && own == self.claim.least.is_some() {
            // The party of the claim chooses.
            reject_if(number as usize > plies.len(), "a chosen ply does not exist")?;
            let chosen = plies.swap_remove(number as usize - 1).1;
            return Ok(Node::Choice(own, vec![self.enter(chosen, next, left)?]));
        }
        reject_if(number != 1, "a position has a choice that its party does not have")?;
        if side == 0 {
            let all = plies.into_iter().map(|one| Ok((self.enter(one.1, next, left)?, self.game.weight(p, one.0))));
            return Ok(Node::Chance(all.collect::<Result<_>>()?));
        }
        let all = plies.into_iter().map(|one| self.enter(one.1, next, left)).collect::<Result<_>>()?;
        Ok(Node::Choice(own, all))
    }
    /// The probability that the proof gives.
    fn run(&self, root: &G::Position, mut numbers: Numbers, limits: &Limits, work: &mut Work) -> Result<Fraction> {
        let horizon = self.claim.horizon.unwrap_or(0);
        let mut layer = List::new(limits.memory);
        let result = self.enter(root.clone(), &mut layer, horizon)?;
        let mut layers: Vec<Vec<Node>> = Vec::new();
        let (mut count, mut bytes) = (0u64, 0);
        for left in (0..horizon).rev() {
            if layer.items.is_empty() {
                break;
            }
            let mut next = List::new(limits.memory);
            let mut nodes = Vec::new();
            for (p, _) in &layer.items {
                reject_if(count == self.claim.positions, "the proof has more positions than the header says")?;
                count += 1;
                let node = self.node(p, layers.is_empty(), numbers.next()?, &mut next, left)?;
                let after = match &node {
                    Node::Known(_) => 0,
                    Node::Choice(_, all) => all.len(),
                    Node::Chance(all) => all.len(),
                };
                work.successors += after as u64;
                bytes += size_of::<Node>() + 16 * after;
                reject_if(bytes > limits.memory, "the proof needs more memory than --memory")?;
                nodes.push(node);
            }
            layers.push(nodes);
            layer = next;
        }
        work.positions += count;
        if count != self.claim.positions {
            return fail(format!("the proof has {count} positions, not {}", self.claim.positions));
        }
        numbers.end()?;
        let mut values = Vec::new();
        for nodes in layers.iter().rev() {
            values = nodes.iter().map(|n| n.value(&values)).collect::<Result<Vec<_>>>()?;
        }
        Node::Choice(true, vec![result]).value(&values)
    }
}

/// Check that the claims are bounds or a problem.
fn check_combination<G: Game>(game: &G, p: &G::Position, players: u8, claims: &[Claim]) -> Result<()> {
    let first = &claims[0];
    let same = claims.iter().all(|c| c.player == first.player && c.horizon == first.horizon && c.at_least.is_none());
    let find = |most: bool, excepted: bool| {
        let mut found = claims.iter().filter(|c| c.most.is_some() == most && c.except.is_some() == excepted);
        found.next().filter(|_| found.next().is_none())
    };
    let fits = match (find(false, false), find(true, false), find(true, true)) {
        (Some(_), Some(most), None) => claims.len() == 2 && !most.unfinished,
        (Some(least), Some(most), Some(rest)) => {
            let value = |f: Option<(u128, u128)>| f.map_or(ZERO, |(a, b)| Fraction(a, b));
            claims.len() == 3
                && most.unfinished
                && rest.unfinished
                && least.least == most.most
                && value(rest.most).compare(value(least.least)) == Ordering::Less
                && game.side(p) == first.player
        }
        _ => false,
    };
    reject_if(!same || !fits || first.player > players, "the claims are no combination of docs/certificates.md")
}

/// Check all claims of a certificate of GRAN with so many players.
pub fn check<G: Game>(game: &G, p: &G::Position, players: u8, certificate: &Certificate, limits: &Limits) -> Result<Work> {
    check_combination(game, p, players, &certificate.claims)?;
    let mut work = Work::default();
    for (i, (claim, proof)) in certificate.claims.iter().zip(&certificate.proofs).enumerate() {
        let least = claim.least.is_some();
        let certain = !least && !claim.unfinished;
        let open = if least { ZERO } else { ONE };
        let one = Check { game, claim, unfinished: if certain { WON } else { LOST }, open };
        let checked = Numbers::new(proof, claim.positions, limits.memory).and_then(|n| one.run(p, n, limits, &mut work)).and_then(|found| {
            let (top, bottom) = claim.least.or(claim.most).unwrap_or((0, 1));
            let fails = if least { Ordering::Less } else { Ordering::Greater };
            match found.compare(Fraction(top, bottom)) == fails {
                true => fail(format!("the proof gives the probability {}/{}, not {top}/{bottom}", found.0, found.1)),
                false => Ok(()),
            }
        });
        checked.map_err(|e| format!("claim {}: {e}", i + 1))?;
    }
    Ok(work)
}
