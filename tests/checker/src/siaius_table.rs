//! Endgame tables of Siaius ("Classes of Siaius" in docs/tables.md).

use crate::bytes::{fail, reject_if, Result};
use crate::game::{members, Game};
use crate::siaius::{Position, Siaius, CHAMPION};
use crate::table::{before, earlier, next_set, set_number, set_of, worth, Leaders, Score, Table, CHOOSE};
use std::array::from_fn;
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
        let entries = groups[1..].iter().fold(leaders.sets.len() as u128, |n, g| n.saturating_mul(g.sets as u128));
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
    /// The numbers of a set of a group, with North to move.
    fn numbers(&self, place: usize, set: u128) -> [u64; 2] {
        [0, 1].map(|mirror| set_number(seen(set, &self.frames[1][mirror]) >> self.groups[place].first))
    }
    /// The sets of the groups in an entry.
    fn sets(&self, index: u64, sets: &mut [u128]) {
        for (set, g) in sets.iter_mut().zip(&self.groups).skip(1) {
            *set = set_of(index / g.stride % g.sets, g.count) << g.first;
        }
        sets[0] = self.leaders.sets[(index / self.groups[0].stride) as usize].0 << self.groups[0].first;
    }
    /// The position with these sets and with South to move, or None if two stones share a square.
    fn position(&self, sets: &[u128]) -> Option<Position> {
        let mut p = Position::default();
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
        if p.bonus.is_some() {
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
        if p.bonus.is_some() {
            let mut best = Some(i32::MIN);
            game.visit(p, |_, next| best = best.and_then(|best| Some(best.max(self.after_turn(game, &next, plies + 1, least)?))));
            return best;
        }
        let bound = earlier(self.look_up(p)?, plies);
        if p.missed == 0 || bound < least {
            return Some(bound);
        }
        self.value(game, p).map(|score| earlier(score, plies))
    }
    /// The class after a ply of a stone of the group `own`, with or without a promotion and a capture from the group `prey`.
    fn link(&self, class: &Class, own: usize, promoted: bool, prey: usize) -> Option<Link<'_>> {
        let kind = class.groups.get(own).filter(|g| g.side == 0)?.kind;
        let landed = if promoted { CHAMPION } else { kind };
        let [mut mover, mut other] = class.material;
        mover[kind] -= 1;
        mover[landed] += 1;
        class.groups.get(prey).filter(|g| g.side == 1).iter().for_each(|g| other[g.kind] -= 1);
        let (next, names) = self.links.get(&packed(&[other, mover]))?;
        let next = &self.classes[*next];
        let place = |side, kind: usize| next.groups.iter().position(|n| (n.side, n.kind) == (1 - side, names[kind])).unwrap_or(0);
        Some(Link { class: next, places: class.groups.iter().map(|g| place(g.side, g.kind)).collect(), landed: place(0, landed) })
    }
    /// Check the table of a class; returns the number of positions.
    pub fn check(&self, game: &Siaius, name: &str, threads: usize) -> Result<u64> {
        let Some(class) = self.classes.iter().find(|c| material_name(&c.material) == name) else { return fail("no table") };
        let links: Links = from_fn(|own| [false, true].map(|promoted| from_fn(|prey| self.link(class, own, promoted, prey))));
        let Some(next) = &links[class.groups.iter().position(|g| g.side == 0).unwrap_or(0)][0][NO_PREY] else {
            return fail("the table after simple moves is missing");
        };
        // The group that changes fastest is the last one of the index after simple moves: most look-ups are neighbours.
        let inner = next.places.iter().position(|&place| place + 1 == class.groups.len()).unwrap_or(0);
        let fast = &class.groups[inner];
        let count = if inner == 0 { class.leaders.sets.len() as u64 } else { fast.sets };
        class.table.check(threads, (fast.stride, count), || {
            let (mut sets, mut numbers, mut expected, links) = ([0; 8], [[0; 2]; 8], 0, &links);
            move |index, digit| {
                let changed = if digit == 0 || index != expected { 0..class.groups.len() } else { inner..inner + 1 };
                if changed.len() > 1 {
                    class.sets(index, &mut sets);
                } else if inner == 0 {
                    sets[0] = class.leaders.sets[digit as usize].0 << fast.first;
                } else {
                    sets[inner] = next_set(sets[inner] >> fast.first) << fast.first;
                }
                changed.for_each(|i| numbers[next.places[i]] = next.class.numbers(next.places[i], sets[i]));
                expected = index + fast.stride;
                let Some(p) = class.position(&sets) else { return Ok(None) };
                let score = class.table.score(index);
                let best = |least| self.best(game, class, links, (&sets, &numbers), &p, least);
                if best(worth(score)) == Some(worth(score)) {
                    return Ok(Some((score, 1)));
                }
                best(i32::MIN).map_or(fail(format!("the plies of entry {index} need a table that is missing")), |best| Ok(Some((worth(best), 1))))
            }
        })
    }
    /// The best worth that South's plies have. A value below `least` need not be exact. `numbers` are those of the sets after
    /// simple moves.
    fn best(&self, game: &Siaius, class: &Class, links: &Links, (sets, numbers): Stones, p: &Position, mut least: i32) -> Option<i32> {
        let ([ours, enemy], able, mut best) = (p.stones, game.able(p), i32::MIN);
        // The worth after a capture at `to` that ends a turn of so many plies; the highest number if a table cannot say it.
        let captured = |own: usize, from: usize, to: usize, plies| {
            let prey = (0..NO_PREY).find(|&i| sets[i] >> to & 1 == 1).unwrap_or(NO_PREY);
            links[own][plies as usize - 1][prey].as_ref().map_or(i32::MAX, |l| l.landing(sets, 1 << from | 1 << to).worth(to, plies))
        };
        for (own, group) in class.groups.iter().enumerate().filter(|one| one.1.side == 0) {
            let simple = links[own][0][NO_PREY].as_ref()?;
            for from in members(sets[own]) {
                let landing = Landing::new(simple.class, simple.landed, sets[own] & !(1 << from), numbers);
                let promotes = group.kind != CHAMPION && game.farthest(0, from + game.files);
                let promotion = links[own][1][NO_PREY].as_ref().filter(|_| promotes).map(|l| l.landing(sets, 1 << from));
                for to in members(game.targets(p, from)) {
                    // A bound of the worth, and whether it is exact: North may huff stones (S7), which only lowers it.
                    let (capture, last) = (enemy >> to & 1 == 1, promotes && game.farthest(0, to));
                    let (bound, exact) = match &promotion {
                        _ if !last && !capture => (landing.worth(to, 1), able == 0),
                        _ if !last => (captured(own, from, to, 1), able & !(1 << from) == 0),
                        Some(landing) if !capture => {
                            let rest = ours & !(1 << from);
                            let bonus = game.leaps(to, rest | enemy) & !rest;
                            let quiet = members(bonus & !enemy | 1 << to).map(|end| landing.worth(end, 2));
                            let captures = members(bonus & enemy).map(|end| captured(own, from, end, 2));
                            (quiet.chain(captures).fold(i32::MIN, i32::max), able == 0 && bonus & enemy == 0)
                        }
                        _ => (i32::MAX, false),
                    };
                    if bound >= least {
                        let value = if exact && bound < i32::MAX { bound } else { self.after_turn(game, &game.after(p, from, to, able), 1, least)? };
                        best = best.max(value);
                        least = least.max(best.saturating_add(1));
                    }
                }
            }
        }
        if best == i32::MIN && !game.can_move(p) {
            game.visit(p, |_, next| best = self.value(game, &next).map_or(best, |score| worth(before(score))));
        }
        (best > i32::MIN).then_some(best)
    }
}

/// The sets of the groups, and for each group the number of its set: as the board is, and if it is mirrored.
type Sets = [u128; 8];
type Numbers = [[u64; 2]; 8];
type Stones<'a> = (&'a Sets, &'a Numbers);

/// The links by the group that moves, whether it promotes a stone, and the group of the captured stone or `NO_PREY`.
type Links<'a> = [[[Option<Link<'a>>; NO_PREY + 1]; 2]; 8];
const NO_PREY: usize = 8;

/// The class after a ply, with the group there of each group, and of the stone that moved.
struct Link<'a> {
    class: &'a Class,
    places: Vec<usize>,
    landed: usize,
}

impl<'a> Link<'a> {
    /// The positions without the stones on `gone` and with one more stone of South.
    fn landing(&self, sets: &Sets, gone: u128) -> Landing<'a> {
        let (mut there, mut numbers) = ([0; 8], [[0; 2]; 8]);
        self.places.iter().zip(sets).for_each(|(&place, set)| there[place] |= set & !gone);
        (0..self.class.groups.len()).for_each(|i| numbers[i] = self.class.numbers(i, there[i]));
        Landing::new(self.class, self.landed, there[self.landed], &numbers)
    }
}

/// Positions with North to move that differ in the square of one stone: what their indexes have in common.
struct Landing<'a> {
    class: &'a Class,
    place: usize,
    frame: &'a [u8],
    /// The other stones of the group as squares of the group, and their part in the number of the set, by how many of
    /// them are below the one stone.
    stay: u128,
    kept: [u64; 8],
    /// The part of the other groups in the index, as in `Numbers`.
    rest: [u64; 2],
}

impl<'a> Landing<'a> {
    fn new(class: &'a Class, place: usize, stay: u128, numbers: &Numbers) -> Landing<'a> {
        let (lead, mirror) = if place == 0 { (0, false) } else { class.leaders.find(numbers[0][0]) };
        let others = || class.groups.iter().zip(numbers).enumerate().skip(1).filter(|one| one.0 != place);
        let rest = [0, 1].map(|mirror| others().fold(lead * class.groups[0].stride, |sum, (_, (g, n))| sum + n[mirror] * g.stride));
        let frame = &class.frames[1][mirror as usize];
        let (stay, mut kept) = (seen(stay, frame) >> class.groups[place].first, [0; 8]);
        for (below, kept) in kept[..class.groups[place].count].iter_mut().enumerate() {
            *kept = members(stay).zip(1..).map(|(s, k)| CHOOSE[s][k + (k > below) as usize]).sum();
        }
        Landing { class, place, frame, stay, kept, rest: if place == 0 { rest } else { [rest[mirror as usize]; 2] } }
    }
    /// The worth for South with the stone on this square, after so many plies.
    fn worth(&self, to: usize, plies: i32) -> i32 {
        let group = &self.class.groups[self.place];
        let square = self.frame[to] as usize - group.first;
        let below = (self.stay & ((1 << square) - 1)).count_ones() as usize;
        let number = self.kept[below] + CHOOSE[square][below + 1];
        let (number, mirror) = if self.place == 0 { self.class.leaders.find(number) } else { (number, false) };
        earlier(self.class.table.score(self.rest[mirror as usize] + number * group.stride), plies)
    }
}
