//! Values of GRAN under both models ("Value" in the rules of GRAN), compared with those of a file.

use crate::bytes::{fail, Result};
use crate::certificate::fraction;
use crate::chance::{mean, Fraction, ONE, ZERO};
use crate::game::{ordered, Game, Plies};
use crate::gran::{Gran, Position};
use crate::json;
use std::cmp::Ordering::Greater;
use std::collections::HashMap;

const HORIZON: usize = 8;

/// What each player maximises: its probability of winning; under `paranoid`, for all players but one, that this one does not win.
type Chances = [Fraction; 6];

struct Solver {
    game: Gran,
    /// Under `paranoid`: the player (from 1), and whether an unfinished game counts as won by it.
    paranoid: Option<(i64, bool)>,
    /// For each number of plies left the positions with their values.
    known: [HashMap<Position, Chances>; HORIZON + 1],
}

impl Solver {
    /// The winner (from 1) is certain; 0: the game is unfinished.
    fn certain(&self, winner: i64) -> Chances {
        let (player, wins) = match self.paranoid {
            None => (winner, true),
            Some((player, unfinished)) => (player, winner == player || winner == 0 && unfinished),
        };
        [1, 2, 3, 4, 5, 6].map(|one| [ZERO, ONE][((one == player) == wins) as usize])
    }
    fn value(&mut self, p: &Position, left: usize) -> Result<Chances> {
        if let Some(winner) = self.game.result(p) {
            return Ok(self.certain(winner));
        }
        let matters = |one: usize| self.paranoid.is_none_or(|(player, unfinished)| (one as i64 + 1 == player) != unfinished);
        if (0..self.game.players).all(|one| !matters(one) || self.game.plies_to_win(p, one) > left) {
            return Ok(self.certain(0));
        }
        if let Some(known) = self.known[left].get(p) {
            return Ok(*known);
        }
        let plies = ordered(&self.game, p);
        // A ply that ends the game wins for its player, so no ply is better.
        let value = match plies.iter().find_map(|one| self.game.result(&one.1)) {
            Some(winner) => self.certain(winner),
            None => self.by_plies(p, &plies, left)?,
        };
        // With one ply left a second look is cheaper than memory.
        if left > 1 {
            self.known[left].insert(p.clone(), value);
        }
        Ok(value)
    }
    fn by_plies(&mut self, p: &Position, plies: &Plies<Position>, left: usize) -> Result<Chances> {
        let Some(player) = self.game.side(p).checked_sub(1) else {
            let after = plies.iter().map(|one| self.value(&one.1, left - 1)).collect::<Result<Vec<_>>>()?;
            let mut means = self.certain(0);
            for (i, chance) in means.iter_mut().enumerate() {
                let weighted = plies.iter().zip(&after).map(|(one, after)| (after[i], self.game.weight(p, one.0)));
                *chance = mean(weighted.collect())?;
            }
            return Ok(means);
        };
        let mut best = self.value(&plies[0].1, left - 1)?;
        // Of equal plies the first counts. Under `maxn` all are equal to a player who cannot win.
        let open = self.paranoid.is_some() || self.game.plies_to_win(p, player as usize) <= left;
        for (_, next) in plies[1..].iter().filter(|_| open) {
            if best[player as usize] == ONE {
                break;
            }
            let value = self.value(next, left - 1)?;
            if value[player as usize].compare(best[player as usize]) == Greater {
                best = value;
            }
        }
        Ok(best)
    }
}

/// Compare the values of an ending with those of its line.
pub fn check(line: &str) -> Result<()> {
    let line = json::read(line)?;
    let (game, p) = Gran::read(line.need("fen")?.text()?, None)?;
    let Some(player) = game.side(&p).checked_sub(1) else { return fail("no player decides") };
    let mut solver = Solver { game, paranoid: None, known: Default::default() };
    let mut best = [None; 2];
    for (ply, next) in ordered(&solver.game, &p) {
        let value = solver.value(&next, HORIZON - 1)?[player as usize];
        let one = &mut best[ply.to_string().contains('x') as usize];
        if one.is_none_or(|best| value.compare(best) == Greater) {
            *one = Some(value);
        }
    }
    let [Some(other), Some(attack)] = best else { return fail("there is no attack or no other ply") };
    let maxn = if attack.compare(other) == Greater { attack } else { other };
    let [lower, upper] = [false, true].map(|unfinished| {
        solver.paranoid = Some((player as i64 + 1, unfinished));
        solver.known = Default::default();
        solver.value(&p, HORIZON).map(|value| value[player as usize])
    });
    for (name, found) in [("maxn", maxn), ("attack", attack), ("other", other), ("lower", lower?), ("upper", upper?)] {
        let (top, bottom) = fraction(line.need(name)?)?;
        if found != Fraction(top, bottom) {
            return fail(format!("{name} is {top}/{bottom} in the file, but {}/{} by the rules", found.0, found.1));
        }
    }
    Ok(())
}
