//! Endgame tables of Gygès: the placements of one material ("Classes of Gygès" in docs/tables.md).

use crate::bytes::{fail, reject_if, Result};
use crate::gyges::{displaced, moved, reach_throne, squares, turned_board, Gyges, Rings};
use crate::table::{before, set_of, worth, Leaders, Table, CHOOSE};

/// The squares are numbered a1, b1, …, f6.
struct Class {
    /// The heights that occur, from 0, with their numbers of rings.
    groups: Vec<(usize, usize)>,
    /// For each group the number of its sets.
    sizes: Vec<u64>,
    leaders: Leaders,
    /// `choose[square][k]`
    choose: Vec<[u32; 5]>,
    /// For each group but the first the sets by number, among the squares that are left.
    sets: Vec<Vec<u64>>,
}

/// The mirror image of a set of squares.
fn mirrored(set: u64) -> u64 {
    const A: u64 = 0x0_4104_1041;
    (set & A) << 5 | (set & A << 1) << 3 | (set & A << 2) << 1 | (set & A << 3) >> 1 | (set & A << 4) >> 3 | (set & A << 5) >> 5
}

impl Class {
    fn new(material: u32) -> Result<Class> {
        let count = |h: usize| (material >> (4 * h) & 15) as usize;
        let groups: Vec<(usize, usize)> = (0..3).map(|h| (h, count(h))).filter(|g| g.1 > 0).collect();
        reject_if(material >> 12 != 0 || groups.is_empty() || groups.iter().any(|g| g.1 > 4), "the material of the table is impossible")?;
        let leaders = Leaders::new(36, groups[0].1, |set| mirrored(set as u64) as u128);
        let (mut sizes, mut sets, mut left) = (vec![leaders.sets.len() as u64], vec![Vec::new()], 36 - groups[0].1);
        for &(_, count) in &groups[1..] {
            sizes.push(CHOOSE[left][count]);
            sets.push((0..CHOOSE[left][count]).map(|n| set_of(n, count) as u64).collect());
            left -= count;
        }
        let choose = (0..37).map(|n| [0, 1, 2, 3, 4].map(|k| CHOOSE[n][k] as u32)).collect();
        Ok(Class { groups, sizes, leaders, choose, sets })
    }
    fn name(&self) -> String {
        self.groups.iter().map(|&(h, count)| ["1", "2", "3"][h].repeat(count)).collect()
    }
    /// The number of a set among the squares that are not taken.
    fn number(&self, mut set: u64, taken: u64) -> u64 {
        let mut number = 0;
        let mut k = 1;
        while set != 0 {
            let below = (set & set.wrapping_neg()) - 1;
            number += self.choose[(below & !taken).count_ones() as usize][k];
            set &= set - 1;
            k += 1;
        }
        number as u64
    }
    fn index(&self, rings: &Rings) -> u64 {
        let (mut index, mirror) = self.leaders.find(self.number(rings[self.groups[0].0], 0));
        let seen = if mirror { rings.map(mirrored) } else { *rings };
        let mut taken = seen[self.groups[0].0];
        for (group, size) in self.groups.iter().zip(&self.sizes).skip(1) {
            let set = seen[group.0];
            index = index * size + self.number(set, taken);
            taken |= set;
        }
        index
    }
    /// The placement of an entry, and how many placements it stands for.
    fn placement(&self, mut index: u64) -> (Rings, u64) {
        let mut numbers = [0u64; 3];
        for i in (1..self.groups.len()).rev() {
            numbers[i] = index % self.sizes[i];
            index /= self.sizes[i];
        }
        let (first, own_image) = self.leaders.sets[index as usize];
        let mut rings = [0; 3];
        rings[self.groups[0].0] = first as u64;
        let mut taken = first as u64;
        for (i, group) in self.groups.iter().enumerate().skip(1) {
            let mut compact = self.sets[i][numbers[i] as usize];
            let mut set = 0;
            let (mut square, mut seen) = (0, 0);
            while compact != 0 {
                // Go to the free square with the number of the lowest one.
                while taken >> square & 1 == 1 || seen < compact.trailing_zeros() {
                    seen += (taken >> square & 1 == 0) as u32;
                    square += 1;
                }
                set |= 1 << square;
                compact &= compact - 1;
            }
            rings[group.0] = set;
            taken |= set;
        }
        (rings, if own_image { 1 } else { 2 })
    }
}

/// Check a table; returns the number of placements.
pub fn check(table: &Table, name: &str, threads: usize) -> Result<u64> {
    let class = Class::new(table.material)?;
    reject_if((table.files, table.ranks, table.huff) != (6, 6, 0) || table.entries != class.sizes.iter().product::<u64>(), "the head is impossible")?;
    if name != class.name() {
        return fail(format!("the file has the table of {}", class.name()));
    }
    let gyges = Gyges::new();
    let value = |index, _| {
        let (rings, weight) = class.placement(index);
        let mut best = None;
        let (movers, count) = gyges.movers(&rings, 0);
        if reach_throne(&movers[..count]) {
            return Ok(Some((1, weight)));
        }
        let mut look_up = |next: &Rings| best = best.max(Some(worth(before(table.score(class.index(&turned_board(next)))))));
        Gyges::moves(&movers[..count], |from, to, targets| {
            if targets == 0 {
                look_up(&moved(&rings, from, to));
            }
            squares(targets).for_each(|square| look_up(&displaced(&rings, from, to, square)));
        });
        Ok(Some((best.map_or(0, worth), weight)))
    };
    table.check(threads, (1, 1), || value)
}
