//! Endgame tables of Siaius ("Classes of Siaius" in docs/tables.md).

use crate::bytes::{fail, reject_if, Result};
use crate::game::{members, Game};
use crate::siaius::{Position, Siaius, CHAMPION};
use crate::table::{before, next_set, set_number, set_of, worth, Leaders, Score, Table, CHOOSE};
use std::collections::HashMap;

/// The numbers of stones: of the side to move and of the other, by kind.
type Material = [[u8; 4]; 2];

/// The numbers as in `Position::material`.
fn packed(m: &Material) -> u64 {
    m.iter().flatten().fold(0, |sum, &n| sum << 8 | n as u64)
}

pub fn material_name(m: &Material) -> String {
    m.map(|side| (0..4).map(|k| "SMTC"[k..=k].repeat(side[k] as usize)).collect::<String>()).join("v")
}

/// The class of a material, and for each kind the kind that it has there.
fn canonical(m: &Material) -> (Material, [usize; 4]) {
    let renamed = |names: [usize; 4]| {
        let mut out = [[0; 4]; 2];
        for side in 0..2 {
            for kind in 0..4 {
                out[side][names[kind]] += m[side][kind];
            }
        }
        (out, names)
    };
    if m.iter().any(|side| side[..3] == [0; 3]) {
        return renamed([0, 0, 0, 3]);
    }
    let turns = [[0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3]].map(renamed);
    turns.into_iter().max_by_key(|t| packed(&t.0)).unwrap_or(renamed([0, 1, 2, 3]))
}

/// Like stones of one side.
struct Group {
    side: usize,
    kind: usize,
    count: usize,
    /// The first square and the number of squares that they can have.
    first: usize,
    squares: usize,
    sets: u64,
    /// What the index grows by from one set to the next.
    stride: u64,
}

struct Class {
    material: Material,
    groups: Vec<Group>,
    leaders: Leaders,
    table: Table,
    /// For each square the one that it becomes: by the side to move, then if the board is mirrored.
    frames: [[Vec<u8>; 2]; 2],
}

impl Class {
    fn new(table: Table) -> Result<Class> {
        let nibble = |i: usize| (table.material >> (28 - 4 * i) & 15) as u8;
        let material: Material = [0, 4].map(|start| [0, 1, 2, 3].map(|k| nibble(start + k)));
        let total: u32 = material.iter().flatten().map(|&n| n as u32).sum();
        reject_if(!(3..=10).contains(&table.files) || !(3..=12).contains(&table.ranks) || total > 8, "the head is impossible")?;
        reject_if(material.iter().any(|side| side == &[0; 4]) || canonical(&material).0 != material, "the material of the table is impossible")?;
        let all = table.files * table.ranks;
        let mut groups = Vec::new();
        for side in 0..2 {
            for kind in (0..4).filter(|&k| material[side][k] > 0) {
                let count = material[side][kind] as usize;
                // An ordinary stone is never on its farthest rank (S5).
                let squares = if kind == CHAMPION { all } else { all - table.files };
                let first = if kind != CHAMPION && side == 1 { table.files } else { 0 };
                groups.push(Group { side, kind, count, first, squares, sets: CHOOSE[squares][count], stride: 1 });
            }
        }
        let smallest = (0..groups.len()).min_by_key(|&i| groups[i].count).unwrap_or(0);
        groups[..=smallest].rotate_right(1);
        let lead = &groups[0];
        reject_if(lead.sets > 1 << 24, "the table has too many stones")?;
        let (files, ranks) = (table.files, table.ranks);
        let image = |s: usize, file: usize, rank: usize| ((s / files).abs_diff(rank) * files + (s % files).abs_diff(file)) as u8;
        let frame = |file, rank| (0..all).map(|s| image(s, file, rank)).collect::<Vec<_>>();
        let frames = [0, ranks - 1].map(|rank| [0, files - 1].map(|file| frame(file, rank)));
        let leaders = Leaders::new(lead.squares, lead.count, |set| seen(set, &frames[0][1]));
        let entries = groups[1..].iter().fold(leaders.len() as u128, |n, g| n.saturating_mul(g.sets as u128));
        reject_if(entries != table.entries as u128, "the table has a wrong number of entries")?;
        (1..groups.len()).rev().for_each(|i| groups[i - 1].stride = groups[i].stride * groups[i].sets);
        Ok(Class { material, groups, leaders, table, frames })
    }

    /// The index of a position; `names` are the kinds in this class.
    fn index(&self, p: &Position, names: &[usize; 4]) -> u64 {
        let frames = &self.frames[p.side as usize];
        let mut sets = [[0u128; 4]; 2];
        for (i, stones) in p.stones.iter().enumerate() {
            (0..4).for_each(|kind| sets[i ^ p.side as usize][names[kind]] |= stones & p.of_kind(kind));
        }
        let number = |g: &Group, mirror| set_number(seen(sets[g.side][g.kind], &frames[mirror as usize]) >> g.first);
        let (lead, mirror) = self.leaders.find(number(&self.groups[0], false));
        self.groups[1..].iter().fold(lead * self.groups[0].stride, |index, g| index + number(g, mirror) * g.stride)
    }

    /// The sets of the groups in an entry.
    fn sets(&self, index: u64, sets: &mut [u128]) {
        for (set, g) in sets.iter_mut().zip(&self.groups).skip(1) {
            *set = set_of(index / g.stride % g.sets, g.count) << g.first;
        }
        sets[0] = self.leaders.set(index / self.groups[0].stride).0 << self.groups[0].first;
    }

    /// The position with these sets and with South to move, or None if two stones share a square.
    fn position(&self, sets: &[u128]) -> Option<Position> {
        let mut p = Position::empty();
        for (&set, g) in sets.iter().zip(&self.groups) {
            if set & (p.stones[0] | p.stones[1]) != 0 {
                return None;
            }
            p.put(set, g.side, g.kind);
        }
        Some(p)
    }
}

/// The images of squares.
fn seen(set: u128, frame: &[u8]) -> u128 {
    members(set).fold(0, |sum, s| sum | 1 << frame[s])
}

/// The tables of one board and one option `huff`.
#[derive(Default)]
pub struct Tables {
    classes: Vec<Class>,
    /// For each material on the board its class, and for each kind the kind that it has there.
    links: HashMap<u64, (usize, [usize; 4])>,
}

impl Tables {
    /// Add the table of a file with this name.
    pub fn add(&mut self, game: &Siaius, name: &str, table: Table) -> Result<()> {
        if table.gyges || (table.files, table.ranks, table.huff) != (game.files, game.ranks, game.huff) {
            return fail(format!("the table {name} is one of another board"));
        }
        let class = Class::new(table)?;
        if material_name(&class.material) != name {
            return fail(format!("the file {name} has the table of {}", material_name(&class.material)));
        }
        let sums = class.material.map(|side| (side[..3].iter().sum::<u8>(), side[3]));
        let kinds = |(n, c): (u8, u8)| (0..=n).flat_map(move |s| (0..=n - s).map(move |m| [s, m, n - s - m, c]));
        for mut material in kinds(sums[0]).flat_map(|own| kinds(sums[1]).map(move |other| [own, other])) {
            let (found, mut names) = canonical(&material);
            if found == class.material {
                // With beats=reverse, moons and stars are exchanged.
                if game.reverse {
                    material.iter_mut().for_each(|side| side.swap(1, 2));
                    names.swap(1, 2);
                }
                self.links.insert(packed(&material), (self.classes.len(), names));
            }
        }
        self.classes.push(class);
        Ok(())
    }

    /// The value of the stones with nothing pending.
    fn look_up(&self, p: &Position) -> Option<Score> {
        let (class, names) = self.links.get(&p.material.rotate_left(32 * p.side as u32))?;
        let class = &self.classes[*class];
        Some(class.table.score(class.index(p, names)))
    }

    /// The score for the side to move of a game that is not over, whatever is pending. None: a table is missing.
    pub fn value(&self, game: &Siaius, p: &Position) -> Option<Score> {
        if p.has_bonus() {
            return self.after_turn(game, p, 0, i32::MIN).map(worth);
        }
        // The second of two passes ends the game (S9).
        if p.passes == 1 && !game.can_move(p) {
            return Some(0);
        }
        let huffs = members(p.missed).map(|s| match p.huffed(s) {
            next if game.result(&next).is_some() => Some(1),
            next => Some(-before(self.look_up(&next)?)),
        });
        huffs.chain([self.look_up(p)]).try_fold(i32::MIN, |best, score| Some(best.max(worth(score?)))).map(worth)
    }

    /// The worth of a position for the player who has made so many plies of a turn with it. A value below `least` need not
    /// be exact: it may lack the huffs, which can only be bad for that player.
    fn after_turn(&self, game: &Siaius, p: &Position, plies: i32, least: i32) -> Option<i32> {
        if let Some(result) = game.result_for(p, 2 - p.side) {
            return Some(worth(result as Score * plies));
        }
        if p.has_bonus() {
            let mut best = Some(i32::MIN);
            game.visit(p, |_, next| best = best.and_then(|best| Some(best.max(self.after_turn(game, &next, plies + 1, least)?))));
            return best;
        }
        let earlier = |score: Score| worth(-score - plies * score.signum());
        let bound = earlier(self.look_up(p)?);
        if p.missed == 0 || bound < least {
            return Some(bound);
        }
        self.value(game, p).map(earlier)
    }

    /// Check the table of a class; returns the number of positions.
    pub fn check(&self, game: &Siaius, name: &str, threads: usize) -> Result<u64> {
        let Some(class) = self.classes.iter().find(|c| material_name(&c.material) == name) else { return fail("no table") };
        let [own, other] = class.material;
        let Some((next, names)) = self.links.get(&packed(&[other, own])) else { return fail("the table after simple moves is missing") };
        let next = &self.classes[*next];
        // The group there of each group.
        let place = |g: &Group| next.groups.iter().position(|n| (n.side, n.kind) == (1 - g.side, names[g.kind])).unwrap_or(0);
        let places: Vec<usize> = class.groups.iter().map(place).collect();
        class.table.check(threads, || {
            let (mut sets, mut expected, last) = (vec![0; places.len()], 0, places.len() - 1);
            let (places, group) = (&places, &class.groups[last]);
            move |index| {
                if index % group.sets == 0 || index != expected {
                    class.sets(index, &mut sets);
                } else {
                    sets[last] = next_set(sets[last] >> group.first) << group.first;
                }
                expected = index + 1;
                let Some(p) = class.position(&sets) else { return Ok(None) };
                let score = class.table.score(index);
                let best = |least| self.best(game, (next, places), &sets, &p, least);
                if best(worth(score)) == Some(worth(score)) {
                    return Ok(Some((score, 1)));
                }
                best(i32::MIN).map_or(fail(format!("the plies of entry {index} need a table that is missing")), |best| Ok(Some((worth(best), 1))))
            }
        })
    }

    /// The best worth that South's plies have. A value below `least` need not be exact.
    fn best(&self, game: &Siaius, (next, places): (&Class, &[usize]), sets: &[u128], p: &Position, mut least: i32) -> Option<i32> {
        // The part of each group in the index after a move: as the board is, and if it is mirrored.
        let mut parts = [[0; 2]; 8];
        for (&set, &place) in sets.iter().zip(places) {
            let g = &next.groups[place];
            parts[place] = [0, 1].map(|mirror| g.stride * set_number(seen(set, &next.frames[1][mirror]) >> g.first));
        }
        let (lead, mirror) = next.leaders.find(parts[0][0] / next.groups[0].stride);
        parts[0] = [lead * next.groups[0].stride; 2];
        let sums = [0, 1].map(|mirror| parts.iter().map(|part| part[mirror]).sum::<u64>());
        let (able, mut best, mut blocked) = (game.able(p), i32::MIN, true);
        for (&set, &place) in sets.iter().zip(places).filter(|one| one.0 & p.stones[0] != 0) {
            let there = &next.groups[place];
            let frame = &next.frames[1][(place != 0 && mirror) as usize];
            let rest = [0, 1].map(|mirror| sums[mirror] - parts[place][mirror]);
            for from in members(set) {
                let stay = seen(set & !(1 << from), frame) >> there.first;
                // The part of these stones in the number of a set with one more, by how many of them are below it.
                let mut kept = [0; 8];
                for (below, kept) in kept[..there.count].iter_mut().enumerate() {
                    *kept = members(stay).zip(1..).map(|(s, k)| CHOOSE[s][k + (k > below) as usize]).sum::<u64>();
                }
                for to in members(game.targets(p, from)) {
                    blocked = false;
                    // Moves without a capture and a promotion change one part of the index.
                    if p.stones[1] >> to & 1 == 0 && (there.kind == CHAMPION || !game.farthest(0, to)) {
                        let square = frame[to] as usize - there.first;
                        let below = (stay & ((1 << square) - 1)).count_ones() as usize;
                        let number = kept[below] + CHOOSE[square][below + 1];
                        let (number, mirror) = if place == 0 { next.leaders.find(number) } else { (number, mirror) };
                        let index = rest[mirror as usize] + number * there.stride;
                        if worth(before(next.table.score(index))) < least {
                            continue;
                        }
                    }
                    best = best.max(self.after_turn(game, &game.after(p, from, to, able), 1, least)?);
                    least = least.max(best.saturating_add(1));
                }
            }
        }
        if blocked {
            game.visit(p, |_, next| best = self.value(game, &next).map_or(best, |score| worth(before(score))));
        }
        (best > i32::MIN).then_some(best)
    }
}
