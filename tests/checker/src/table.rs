//! Files of endgame tables, and what the tables of both games share (docs/tables.md).

use crate::bytes::{crc32, fail, little, reject_if, zstd, Result};
use crate::game::members;
use std::sync::atomic::{AtomicU64, Ordering};

/// A value for the side to move: a win in n plies is n, a loss in n plies is −n, a draw is 0.
pub type Score = i32;

/// The score of an entry, and how many placements it counts for; None if the entry contains no position.
type Value = Result<Option<(Score, u64)>>;

/// One table, checked and decompressed.
pub struct Table {
    pub gyges: bool,
    pub files: usize,
    pub ranks: usize,
    pub huff: u8,
    pub material: u32,
    pub entries: u64,
    /// Wins, draws, losses.
    counts: [u64; 3],
    /// The longest win and loss, each with its entry.
    longest: [(u64, u64); 2],
    width: usize,
    data: Vec<u8>,
}

const BLOCK: u64 = 1024;

impl Table {
    /// Read the content of a file: check its form, sizes and checksums.
    pub fn of(file: &[u8]) -> Result<Table> {
        let n = |at, count| little(file, at, count);
        let gyges = match file.get(..8) {
            Some(b"RNGFTG\r\n") => true,
            Some(b"RNGFTB\r\n") => false,
            _ => return fail("the file is no table"),
        };
        reject_if(n(8, 4)? != 1, "the version of the table is not 1")?;
        let (start, entries, per_block, blocks, size) = (n(12, 8)?, n(28, 8)?, n(36, 8)?, n(44, 8)?, n(52, 8)?);
        let (width, gap) = (n(23, 1)?, n(112, 8)? | n(120, 4)?);
        reject_if(crc32(&file[..124]) as u64 != n(124, 4)? || gap != 0, "the head of the table is damaged")?;
        reject_if(!(1..=2).contains(&width) || per_block != BLOCK / width || entries == 0 || entries >= 1 << 32, "the sizes of the table are wrong")?;
        let index_size = (8 * (blocks as u128 + 1) + 4 * blocks as u128).div_ceil(8) * 8;
        reject_if(
            blocks != entries.div_ceil(per_block) || start as u128 != 128 + index_size || file.len() as u128 != start as u128 + size as u128,
            "the sizes of the table are wrong",
        )?;
        reject_if(crc32(&file[128..start as usize]) as u64 != n(108, 4)?, "the index of the table is damaged")?;
        let mut table = Table {
            gyges,
            files: n(20, 1)? as usize,
            ranks: n(21, 1)? as usize,
            huff: n(22, 1)? as u8,
            material: n(24, 4)? as u32,
            entries,
            counts: [n(60, 8)?, n(68, 8)?, n(76, 8)?],
            longest: [(n(84, 4)?, n(92, 8)?), (n(88, 4)?, n(100, 8)?)],
            width: width as usize,
            data: vec![0; (entries * width) as usize],
        };
        for block in 0..blocks as usize {
            let (from, to) = (n(128 + 8 * block, 8)?, n(136 + 8 * block, 8)?);
            let checksum = n(128 + 8 * (blocks as usize + 1) + 4 * block, 4)?;
            reject_if(
                from > to || to > size || block == 0 && from != 0 || block + 1 == blocks as usize && to != size,
                "the index of the table is wrong",
            )?;
            let packed = &file[(start + from) as usize..(start + to) as usize];
            let end = table.data.len().min((block + 1) * BLOCK as usize);
            if crc32(packed) as u64 != checksum {
                return fail(format!("block {} is damaged", block + 1));
            }
            zstd(packed, &mut table.data[block * BLOCK as usize..end])?;
        }
        Ok(table)
    }
    pub fn score(&self, index: u64) -> Score {
        let at = index as usize * self.width;
        let (raw, sign) = match self.width {
            1 => (self.data[at] as Score, 0x80),
            _ => (u16::from_le_bytes([self.data[at], self.data[at + 1]]) as Score, 0x8000),
        };
        // No loss takes 0 plies: this value differs from all that follow from plies.
        let loss = if raw == sign { -(1 << 20) } else { sign - raw };
        [raw, loss][(raw >= sign) as usize]
    }
    /// Compare every entry with the values after its plies. `value` takes an entry with the digit of its index that changes
    /// fastest, whose stride and number of values are `fastest`. This is a proof by induction: see "Building" in
    /// docs/tables.md. Each thread makes its own `value`.
    pub fn check<V: FnMut(u64, u64) -> Value>(&self, threads: usize, fastest: (u64, u64), make: impl Fn() -> V + Sync) -> Result<u64> {
        let (next, (stride, count)) = (AtomicU64::new(0), fastest);
        let work = || -> Result<Counts> {
            let (mut counts, mut value) = (Counts::default(), make());
            loop {
                let start = next.fetch_add(4096, Ordering::Relaxed);
                if start >= self.entries {
                    return Ok(counts);
                }
                for turn in start..self.entries.min(start + 4096) {
                    let (digit, rest) = (turn % count, turn / count);
                    let index = rest % stride + (rest / stride * count + digit) * stride;
                    match value(index, digit) {
                        Ok(Some((score, weight))) if score == self.score(index) => counts.add(score, weight),
                        Ok(None) => {}
                        wrong => {
                            // The other threads stop too.
                            next.store(self.entries, Ordering::Relaxed);
                            let score = wrong?.map_or(0, |v| v.0);
                            let here = self.score(index);
                            return fail(format!("entry {index} is {here}, but its plies give {score} (n: a win in n plies, -n: a loss)"));
                        }
                    }
                }
            }
        };
        let mut total = Counts::default();
        std::thread::scope(|scope| {
            let teams: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            teams.into_iter().try_for_each(|t| t.join().unwrap_or(fail("a thread failed")).map(|c| total.merge(&c)))
        })?;
        if total.results != self.counts {
            return fail(format!("the head counts {:?}, the entries {:?}", self.counts, total.results));
        }
        for (i, sign) in [(0, 1), (1, -1)] {
            let (longest, entry) = self.longest[i];
            let is_one = |e| self.score(e) as i64 == sign * longest as i64 && matches!(make()(e, e / stride % count), Ok(Some(_)));
            let wrong = entry >= self.entries || longest != 0 && !is_one(entry);
            if longest != total.longest[i] || wrong {
                return fail(format!("the longest win or loss of the head is wrong: {:?}", self.longest));
            }
        }
        Ok(total.results.iter().sum())
    }
}

#[derive(Default)]
struct Counts {
    results: [u64; 3],
    longest: [u64; 2],
}

impl Counts {
    fn add(&mut self, score: Score, weight: u64) {
        let which = (1 - score.signum()) as usize;
        self.results[which] += weight;
        if score != 0 {
            let longest = &mut self.longest[which / 2];
            *longest = (*longest).max(score.unsigned_abs() as u64);
        }
    }
    fn merge(&mut self, other: &Counts) {
        (0..3).for_each(|i| self.results[i] += other.results[i]);
        (0..2).for_each(|i| self.longest[i] = self.longest[i].max(other.longest[i]));
    }
}

/// A number that is greater for a better score: a shorter win or a longer loss. The worth of the worth is the score.
pub fn worth(score: Score) -> i32 {
    score.signum() * (1 << 22) - score
}

/// The worth for the player of a score of the opponent after so many plies.
pub fn earlier(opponents: Score, plies: i32) -> i32 {
    worth(-opponents - plies * opponents.signum())
}

/// A score of the opponent as the player's, one ply earlier.
pub fn before(opponents: Score) -> Score {
    -opponents - opponents.signum()
}

const SQUARES: usize = 120;
const STONES: usize = 8;

/// `CHOOSE[n][k]` is the number of sets of `k` of `n` squares (Pascal's triangle).
pub static CHOOSE: [[u64; STONES + 1]; SQUARES + 1] = {
    let mut choose = [[0; STONES + 1]; SQUARES + 1];
    let mut n = 0;
    while n <= SQUARES {
        choose[n][0] = 1;
        let mut k = 1;
        while n > 0 && k <= STONES {
            choose[n][k] = choose[n - 1][k - 1] + choose[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    choose
};

/// The numbers of the sets of a class's first group, up to mirroring ("The index" in docs/tables.md).
pub struct Leaders {
    /// For each set: twice its number, plus 1 if its mirror image has that number.
    number: Vec<u32>,
    /// For each number: the set, and whether it is its own mirror image.
    pub sets: Vec<(u128, bool)>,
}

impl Leaders {
    /// `count` of `squares` squares; `mirror` returns the mirror image of a set.
    pub fn new(squares: usize, count: usize, mirror: impl Fn(u128) -> u128) -> Leaders {
        let mut leaders = Leaders { number: Vec::new(), sets: Vec::new() };
        let mut set = (1u128 << count) - 1;
        while set >> squares == 0 {
            let image = set_number(mirror(set));
            match leaders.number.get(image as usize) {
                Some(&other) => leaders.number.push(other | 1),
                None => {
                    leaders.sets.push((set, image == leaders.number.len() as u64));
                    leaders.number.push(2 * (leaders.sets.len() as u32 - 1));
                }
            }
            set = next_set(set);
        }
        leaders
    }
    /// The number of a set, and whether the board has to be mirrored.
    pub fn find(&self, number: u64) -> (u64, bool) {
        let found = self.number[number as usize];
        (found as u64 >> 1, found & 1 == 1)
    }
}

/// The set of as many squares with the next number.
pub fn next_set(set: u128) -> u128 {
    let low = set & set.wrapping_neg();
    let ripple = set + low;
    ripple | ((set ^ ripple) >> 2) >> low.trailing_zeros()
}

/// The number of a set of squares s0 < s1 < …: `CHOOSE[s0][1]` + `CHOOSE[s1][2]` + …
pub fn set_number(set: u128) -> u64 {
    members(set).zip(1..).map(|(square, k)| CHOOSE[square][k]).sum()
}

/// The set of `count` squares with a number.
pub fn set_of(mut number: u64, count: usize) -> u128 {
    let mut set = 0;
    for k in (1..=count).rev() {
        let mut square = k - 1;
        while CHOOSE[square + 1][k] <= number {
            square += 1;
        }
        set |= 1 << square;
        number -= CHOOSE[square][k];
    }
    set
}
