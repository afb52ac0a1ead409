//! Certificates: the file, its header and its claims (docs/certificates.md).

use crate::bytes::{fail, reject_if, sha256, Numbers, Result};
use crate::game::{Game, Ply};
use crate::json::{self, Json};
use crate::proof;

const MAGIC: &[u8] = b"ringfen certificate 1\n";
const HEADER: usize = 1 << 20;

/// One claim of the header.
#[derive(Default)]
pub struct Claim {
    pub player: u8,
    pub positions: u64,
    pub bytes: usize,
    pub at_least: Option<i64>,
    pub within: Option<i64>,
    pub horizon: Option<i64>,
    pub unfinished: bool,
    pub except: Option<Ply>,
    /// GRAN: the probability is at least (or at most) this fraction.
    pub least: Option<(u128, u128)>,
    pub most: Option<(u128, u128)>,
    /// All of this for the user, as in the header.
    pub text: String,
}

/// What the whole file states.
pub struct Certificate<'a> {
    pub fen: String,
    pub board: Option<String>,
    pub tables: Vec<(String, String)>,
    pub claims: Vec<Claim>,
    pub proofs: Vec<&'a [u8]>,
}

/// What a check has gone through.
#[derive(Default)]
pub struct Work {
    pub positions: u64,
    /// The positions after plies.
    pub successors: u64,
}

fn range(json: &Json, least: i64, most: i64) -> Result<i64> {
    match json.number()? {
        n if (least..=most).contains(n) => Ok(*n),
        n => fail(format!("the number {n} of the header is not from {least} to {most}")),
    }
}

pub fn fraction(json: &Json) -> Result<(u128, u128)> {
    let text = json.text()?;
    let (top, bottom) = text.split_once('/').unwrap_or((text, "1"));
    let plain = |t: &str| (t == "0" || !t.starts_with('0')) && t.bytes().all(|b| b.is_ascii_digit());
    match (top.parse::<u128>(), bottom.parse::<u128>()) {
        (Ok(a), Ok(b)) if plain(top) && plain(bottom) && a <= b && proof::gcd(a, b) == 1 && (b != 1 || text == top) => Ok((a, b)),
        _ => fail("a probability of the header is no fraction in lowest terms from 0 to 1"),
    }
}

fn claim(json: &Json) -> Result<Claim> {
    json.only(&["player", "positions", "bytes", "at_least", "within", "horizon", "unfinished", "except", "least", "most"])?;
    const BILLION: i64 = 1_000_000_000;
    let value = |j: &Json| j.number().map(i64::to_string).or_else(|_| j.text().map(str::to_string));
    let shown = json.fields()?.iter().filter(|(name, _)| !matches!(name.as_str(), "positions" | "bytes"));
    let text: Vec<String> = shown.map(|(name, j)| Ok(format!("{name} {}", value(j)?))).collect::<Result<_>>()?;
    let all = i64::MAX;
    let optional = |name, least, most| json.get(name).map(|n| range(n, least, most)).transpose();
    let claim = Claim {
        player: range(json.need("player")?, 1, 6)? as u8,
        positions: range(json.need("positions")?, 0, all)? as u64,
        bytes: range(json.need("bytes")?, 0, all)? as usize,
        at_least: optional("at_least", -BILLION, BILLION)?,
        within: optional("within", 0, BILLION)?,
        horizon: optional("horizon", 0, BILLION)?,
        unfinished: optional("unfinished", 0, 0)?.is_some(),
        except: json.get("except").map(|e| Ply::of(e.text()?)).transpose()?,
        least: json.get("least").map(fraction).transpose()?,
        most: json.get("most").map(fraction).transpose()?,
        text: text.join(", "),
    };
    reject_if(
        [claim.at_least.is_some(), claim.least.is_some(), claim.most.is_some()].iter().filter(|&&b| b).count() != 1,
        "a claim has not one result",
    )?;
    match claim.at_least {
        Some(least) if claim.within.is_some() != (least > 0) => fail("'within' does not fit 'at_least'"),
        Some(least) if claim.unfinished || claim.horizon.is_some() && least != 0 => fail("'horizon' or 'unfinished' does not fit"),
        None if claim.within.is_some() || !matches!(claim.horizon, Some(0..=10_000)) || claim.unfinished && claim.most.is_none() => {
            fail("'within', 'horizon' or 'unfinished' does not fit a probability")
        }
        _ => Ok(claim),
    }
}

/// Read a file up to its proofs.
pub fn read(file: &[u8]) -> Result<Certificate<'_>> {
    let Some(rest) = file.strip_prefix(MAGIC) else { return fail("the file is no certificate") };
    reject_if(rest.len() < 32, "the certificate is truncated")?;
    let (content, checksum) = file.split_at(file.len() - 32);
    reject_if(sha256(content) != checksum, "the checksum of the certificate is wrong")?;
    let Some(length) = rest.iter().take(HEADER).position(|&b| b == b'\n') else { return fail("the header has no end") };
    let line = &rest[..length];
    let Some(text) = std::str::from_utf8(line).ok().filter(|text| text.is_ascii()) else { return fail("the header is not ASCII") };
    let header = json::read(text)?;
    header.only(&["fen", "board", "tables", "claims"])?;
    let claims: Vec<Claim> = header.need("claims")?.list()?.iter().map(claim).collect::<Result<_>>()?;
    reject_if(claims.is_empty() || claims.len() > 3, "the certificate does not have one to three claims")?;
    let mut data = content.get(MAGIC.len() + length + 1..).unwrap_or(&[]);
    let mut proofs = Vec::new();
    for one in &claims {
        let Some((proof, later)) = data.split_at_checked(one.bytes) else { return fail("the certificate is truncated") };
        proofs.push(proof);
        data = later;
    }
    reject_if(!data.is_empty(), "data follows the last proof")?;
    let mut tables = Vec::new();
    for (name, digest) in header.get("tables").map_or(Ok(&[][..]), Json::fields)? {
        tables.push((name.clone(), digest.text()?.to_string()));
    }
    reject_if(header.get("tables").is_some() && tables.is_empty(), "'tables' is empty")?;
    let board = header.get("board").map(|b| b.text().map(str::to_string)).transpose()?;
    Ok(Certificate { fen: header.need("fen")?.text()?.to_string(), board, tables, claims, proofs })
}

/// Check that the claims of a game of two players are a value or a problem.
fn check_combination<G: Game>(game: &G, p: &G::Position, claims: &[Claim]) -> Result<()> {
    const WRONG: &str = "the claims are no combination of docs/certificates.md";
    reject_if(claims.iter().any(|c| c.player > 2 || c.at_least.is_none()), WRONG)?;
    let (mover, other) = (game.side(p), 3 - game.side(p));
    let at_least = |c: &Claim| c.at_least.unwrap_or(0);
    let excepted: Vec<&Claim> = claims.iter().filter(|c| c.except.is_some()).collect();
    let plain: Vec<&Claim> = claims.iter().filter(|c| c.except.is_none() && c.horizon.is_none()).collect();
    let early: Vec<&Claim> = claims.iter().filter(|c| c.except.is_none() && c.horizon.is_some()).collect();
    let both = |a: &Claim, b: &Claim| a.player != b.player && at_least(a) == -at_least(b);
    let fits = match (&plain[..], &early[..], &excepted[..]) {
        ([one], [], []) => !game.has_margins() && at_least(one) == 1,
        ([a, b], [], []) => both(a, b) && (game.has_margins() || at_least(a) == 0),
        // A win in n: horizons 2n − 3, only if n is above 1, and 2n − 1.
        ([win], early, [rest]) if !game.has_margins() => {
            let last = rest.horizon.unwrap_or(0);
            let first = match early {
                [] => last == 1,
                [one] => last > 1 && one.horizon == Some(last - 2) && one.player == other,
                _ => false,
            };
            first && last % 2 == 1 && win.player == mover && at_least(win) == 1 && win.within.unwrap_or(last + 1) <= last && rest.player == other
        }
        // A best margin m; after the other plies the opponent gets at least g − m.
        ([a, b], [], [rest]) if game.has_margins() => {
            let m = if a.player == mover { at_least(a) } else { at_least(b) };
            both(a, b) && rest.player == other && rest.horizon.is_none() && at_least(rest) > -m
        }
        _ => false,
    };
    reject_if(!fits, WRONG)
}

/// Check all claims of a game of two players.
pub fn check_two<G: Game>(game: &G, p: &G::Position, certificate: &Certificate, limits: &Limits) -> Result<Work> {
    check_combination(game, p, &certificate.claims)?;
    let mut work = Work::default();
    for (i, (claim, proof)) in certificate.claims.iter().zip(&certificate.proofs).enumerate() {
        let checked = Numbers::new(proof, claim.positions, limits.memory).and_then(|n| proof::check(game, p, claim, n, limits, &mut work));
        checked.map_err(|e| format!("claim {}: {e}", i + 1))?;
    }
    Ok(work)
}

/// How many threads the check of a table may use, and how many bytes of memory the positions of a proof.
pub struct Limits {
    pub threads: usize,
    pub memory: usize,
}

/// The SHA-256 of a file as text.
pub fn digest(file: &[u8]) -> String {
    sha256(file).iter().map(|b| format!("{b:02x}")).collect()
}
