//! Endgame tables of Siaius ("Classes of Siaius" in docs/tables.md).

use crate::bytes::{fail, reject_if, Result};
use crate::game::{members, Game};
use crate::siaius::{Position, Siaius, CHAMPION};
use crate::table::{before, choose, set_number, set_of, Best, Leaders, Score, Table};
use std::collections::HashMap;

/// The numbers of stones: of the side to move and of the other, by kind.
type Material = [[u8; 4]; 2];

fn packed(m: &Material) -> u32 {
    m.iter().flatten().fold(0, |sum, &n| sum << 4 | n as u32)
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
}

struct Class {
    material: Material,
    groups: Vec<Group>,
    leaders: Leaders,
    table: Table,
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
                groups.push(Group { side, kind, count, first, squares, sets: choose(squares, count) });
            }
        }
        let smallest = (0..groups.len()).min_by_key(|&i| groups[i].count).unwrap_or(0);
        groups[..=smallest].rotate_right(1);
        let lead = &groups[0];
        reject_if(lead.sets > 1 << 24, "the table has too many stones")?;
        let files = table.files;
        let image = |s: usize| s / files * files + files - 1 - s % files;
        let leaders = Leaders::new(lead.squares, lead.count, |set| members(set).fold(0, |sum, s| sum | 1 << image(s)));
        let entries = groups[1..].iter().fold(leaders.len() as u128, |n, g| n.saturating_mul(g.sets as u128));
        reject_if(entries != table.entries as u128, "the table has a wrong number of entries")?;
        Ok(Class { material, groups, leaders, table })
    }

    /// The index of a position; `names` are the kinds in this class.
    fn index(&self, p: &Position, names: &[usize; 4]) -> u64 {
        let (files, ranks) = (self.table.files, self.table.ranks);
        let mut sets = [[0u128; 4]; 2];
        for (i, stones) in p.stones.iter().enumerate() {
            for s in members(*stones) {
                let (file, rank) = (s % files, s / files);
                // Seen from the side to move.
                let rank = if p.side == 1 { ranks - 1 - rank } else { rank };
                sets[i ^ p.side as usize][names[p.kind(s)]] |= 1 << (rank * files + file);
            }
        }
        let mut index = 0;
        let mut mirror = false;
        for (i, g) in self.groups.iter().enumerate() {
            let mut set = sets[g.side][g.kind];
            if mirror {
                set = members(set).fold(0, |sum, s| sum | 1 << (s / files * files + files - 1 - s % files));
            }
            let number = set_number(set >> g.first);
            if i == 0 {
                (index, mirror) = self.leaders.find(number);
            } else {
                index = index * g.sets + number;
            }
        }
        index
    }

    /// The position of an entry, with South to move, or None if two stones share a square.
    fn position(&self, mut index: u64) -> Option<Position> {
        let mut p = Position::empty();
        for i in (0..self.groups.len()).rev() {
            let g = &self.groups[i];
            let set = if i == 0 { self.leaders.set(index).0 } else { set_of(index % g.sets, g.count) } << g.first;
            index /= g.sets;
            if set & (p.stones[0] | p.stones[1]) != 0 {
                return None;
            }
            members(set).for_each(|s| p.put(s, g.side, g.kind));
        }
        Some(p)
    }
}

/// The tables of one board and one option `huff`.
#[derive(Default)]
pub struct Tables {
    classes: HashMap<u32, Class>,
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
        self.classes.insert(packed(&class.material), class);
        Ok(())
    }

    /// The value of the stones with nothing pending.
    fn look_up(&self, game: &Siaius, p: &Position) -> Option<Score> {
        let mut material = [[0; 4]; 2];
        for (i, stones) in p.stones.iter().enumerate() {
            members(*stones).for_each(|s| material[i ^ p.side as usize][p.kind(s)] += 1);
        }
        // With beats=reverse, moons and stars are exchanged.
        if game.reverse {
            material.iter_mut().for_each(|side| side.swap(1, 2));
        }
        let (class, mut names) = canonical(&material);
        if game.reverse {
            names.swap(1, 2);
        }
        let class = self.classes.get(&packed(&class))?;
        Some(class.table.score(class.index(p, &names)))
    }

    /// The score for the side that has just made a ply, one ply further on.
    fn after_ply(&self, game: &Siaius, p: &Position, mover: u8) -> Option<Score> {
        match game.result_for(p, mover + 1) {
            Some(result) => Some(result as Score),
            None => self.value(game, p).map(|score| if p.side == mover { -before(score) } else { before(score) }),
        }
    }

    /// The score for the side to move of a game that is not over, whatever is pending. None: a table is missing.
    pub fn value(&self, game: &Siaius, p: &Position) -> Option<Score> {
        let mut best = Best::default();
        let mut plies = Vec::new();
        if p.has_bonus() || p.missed != 0 || p.passes != 0 {
            game.list(p, &mut plies);
        }
        if p.has_bonus() {
            for (_, next) in &plies {
                best.add(self.after_ply(game, next, p.side)?);
            }
            return Some(best.score());
        }
        // The second of two passes ends the game (S9).
        if plies.iter().any(|(_, next)| next.passes == 2) {
            return Some(0);
        }
        best.add(self.look_up(game, p)?);
        // Huffs are the plies after which the same side still has nothing pending to move (S7, S9).
        for (_, next) in plies.iter().filter(|(_, n)| n.side == p.side && !n.has_bonus()) {
            best.add(self.after_ply(game, next, p.side)?);
        }
        Some(best.score())
    }

    /// Check the table of a class; returns the number of positions.
    pub fn check(&self, game: &Siaius, name: &str, threads: usize) -> Result<u64> {
        let Some(class) = self.classes.values().find(|c| material_name(&c.material) == name) else { return fail("no table") };
        class.table.check(threads, |index| {
            let Some(p) = class.position(index) else { return Ok(None) };
            let mut plies = Vec::new();
            let mut best = Best::default();
            game.list(&p, &mut plies);
            for (ply, next) in &plies {
                match self.after_ply(game, next, p.side) {
                    Some(score) => best.add(score),
                    None => return fail(format!("the ply {ply} of entry {index} needs a table that is missing")),
                }
            }
            Ok(Some((best.score(), 1)))
        })
    }
}
