//! Checksums, compressed data and numbers in files (docs/certificates.md, docs/tables.md).

use std::ffi::{c_int, c_ulong, c_void};

/// An error as the text for the user.
pub type Result<T> = std::result::Result<T, String>;

/// The end of a function that rejects its input.
pub fn fail<T>(text: impl Into<String>) -> Result<T> {
    Err(text.into())
}

/// Reject input that is wrong.
pub fn reject_if(wrong: bool, text: &str) -> Result<()> {
    (!wrong).then_some(()).ok_or_else(|| text.into())
}

// ---- SHA-256 (FIPS 180-4) ----

/// The first bits of the cube roots of the first 64 primes, and of the square roots of the first eight.
const ROUNDS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];
const START: [u32; 8] = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/// The SHA-256 of `data`.
pub fn sha256(data: &[u8]) -> Vec<u8> {
    let mut state = START;
    let whole = data.len() / 64 * 64;
    let mut last = data[whole..].to_vec();
    last.push(0x80);
    last.resize((last.len() + 7) / 64 * 64 + 56, 0);
    last.extend((data.len() as u64 * 8).to_be_bytes());
    for block in data[..whole].chunks_exact(64).chain(last.chunks_exact(64)) {
        let mut w = [0u32; 64];
        for i in 0..64 {
            w[i] = if i < 16 {
                u32::from_be_bytes([block[4 * i], block[4 * i + 1], block[4 * i + 2], block[4 * i + 3]])
            } else {
                let (a, b) = (w[i - 15], w[i - 2]);
                let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
                let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
                w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1)
            };
        }
        let mut v = state;
        for i in 0..64 {
            let [a, b, c, _, e, f, g, h] = v;
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let t1 = h.wrapping_add(s1).wrapping_add((e & f) ^ (!e & g)).wrapping_add(ROUNDS[i]).wrapping_add(w[i]);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            v = [t1.wrapping_add(t2), a, b, c, v[3].wrapping_add(t1), e, f, g];
        }
        (0..8).for_each(|i| state[i] = state[i].wrapping_add(v[i]));
    }
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// The CRC-32 of `data` (the one of zlib and PNG).
pub fn crc32(data: &[u8]) -> u32 {
    // SAFETY: the slice is valid for its length.
    unsafe { crc32_z(0, data.as_ptr(), data.len()) as u32 }
}

/// A little-endian number of `count` bytes at `at`.
pub fn little(data: &[u8], at: usize, count: usize) -> Result<u64> {
    let bytes = data.get(at..at + count).ok_or("the file is too short")?;
    Ok(bytes.iter().rev().fold(0, |sum, &b| sum << 8 | b as u64))
}

// ---- the libraries for zlib and Zstandard ----

#[cfg_attr(target_os = "linux", link(name = "libz.so.1", modifiers = "+verbatim"))]
#[cfg_attr(not(target_os = "linux"), link(name = "z"))]
extern "C" {
    fn crc32_z(start: c_ulong, data: *const u8, length: usize) -> c_ulong;
    fn uncompress2(out: *mut u8, size: *mut c_ulong, data: *const u8, length: *mut c_ulong) -> c_int;
}

#[cfg_attr(target_os = "linux", link(name = "libzstd.so.1", modifiers = "+verbatim"))]
#[cfg_attr(not(target_os = "linux"), link(name = "zstd"))]
extern "C" {
    fn ZSTD_createDCtx() -> *mut c_void;
    fn ZSTD_decompressDCtx(context: *mut c_void, out: *mut c_void, size: usize, data: *const c_void, length: usize) -> usize;
    fn ZSTD_isError(code: usize) -> u32;
}

thread_local! {
    /// What Zstandard keeps from one frame to the next.
    // SAFETY: the function has no conditions.
    static CONTEXT: *mut c_void = unsafe { ZSTD_createDCtx() };
}

/// Decompress one Zstandard frame, which must have exactly the length of `out`.
pub fn zstd(data: &[u8], out: &mut [u8]) -> Result<()> {
    let context = CONTEXT.with(|&context| context);
    reject_if(context.is_null(), "no memory is left")?;
    // SAFETY: both slices are valid for their lengths, and the library writes at most `out.len()` bytes.
    let size = unsafe { ZSTD_decompressDCtx(context, out.as_mut_ptr().cast(), out.len(), data.as_ptr().cast(), data.len()) };
    // SAFETY: the function takes any number.
    reject_if(unsafe { ZSTD_isError(size) } != 0 || size != out.len(), "a block is no Zstandard frame of its size")
}

/// The numbers of a proof: LEB128 in a zlib stream.
pub struct Numbers {
    bytes: std::vec::IntoIter<u8>,
}

impl Numbers {
    /// A position has at most two numbers of five bytes. A zlib stream grows at most by the factor 1032.
    pub fn new(data: &[u8], positions: u64, memory: usize) -> Result<Numbers> {
        let most = (10 * positions.min(1 << 40) as usize).min(1032 * data.len()) + 1;
        reject_if(most > memory, "the proof could need more memory than --memory allows")?;
        let mut bytes = vec![0; most];
        let (mut size, mut read) = (most as c_ulong, data.len() as c_ulong);
        // SAFETY: both slices are valid for these lengths, which the library only lowers.
        let code = unsafe { uncompress2(bytes.as_mut_ptr(), &mut size, data.as_ptr(), &mut read) };
        reject_if(code != 0, "the zlib stream is damaged, truncated or too long")?;
        reject_if(read as usize != data.len(), "data follows the zlib stream")?;
        bytes.truncate(size as usize);
        Ok(Numbers { bytes: bytes.into_iter() })
    }
    /// The next number.
    pub fn next(&mut self) -> Result<u32> {
        let mut number = 0u64;
        for shift in (0..35).step_by(7) {
            let Some(byte) = self.bytes.next() else { return fail("the proof has too few numbers") };
            number |= ((byte & 127) as u64) << shift;
            if byte < 128 {
                reject_if(byte == 0 && shift != 0, "a number has more bytes than necessary")?;
                if number >= u32::MAX as u64 {
                    break;
                }
                return Ok(number as u32);
            }
        }
        fail("a number of the proof is too large")
    }
    /// Check that nothing follows.
    pub fn end(mut self) -> Result<()> {
        reject_if(self.bytes.next().is_some(), "the proof has too many numbers")
    }
}
