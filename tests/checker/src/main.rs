//! Checks Ringfen's certificates, endgame tables and values of GRAN, and counts plies. See README.md.

mod bytes;
mod certificate;
mod chance;
mod endings;
mod game;
mod gran;
mod gran_board;
mod gyges;
mod gyges_table;
mod json;
mod proof;
mod rings;
mod siaius;
mod siaius_table;
mod table;

use bytes::{fail, reject_if, Result};
use certificate::{Certificate, Limits, Work};
use game::Game;
use siaius::{Siaius, HUFFS};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

const USAGE: &str = "usage: checker [OPTIONS] FILE...          check certificates and tables (.rft); a folder: its tables
       checker endings FILE                         check the values of endings of GRAN
       checker perft POSITION DEPTH [--board FILE]  count the lines of so many plies
options: --threads N   threads for tables (default: one per processor)
         --memory MB   memory for the positions of a proof (default 4000)
         --tables DIR  the folder with tables that certificates of Siaius name";

struct Options {
    limits: Limits,
    tables: Option<PathBuf>,
    board: Option<String>,
    arguments: Vec<String>,
}

fn options() -> Result<Options> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut found = Options { limits: Limits { threads, memory: 4000 << 20 }, tables: None, board: None, arguments: Vec::new() };
    let mut args = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned());
    while let Some(arg) = args.next() {
        if !arg.starts_with("--") {
            found.arguments.push(arg);
            continue;
        }
        let value = args.next().ok_or(USAGE)?;
        match arg.as_str() {
            "--threads" => found.limits.threads = game::number(&value, 1024)?.max(1) as usize,
            "--memory" => found.limits.memory = (game::number(&value, 1 << 24)? as usize) << 20,
            "--tables" => found.tables = Some(value.into()),
            "--board" => found.board = Some(std::fs::read_to_string(value).map_err(|e| e.to_string())?),
            _ => return fail(USAGE),
        }
    }
    Ok(found)
}

/// The tables in a folder, or the file itself.
fn expand(path: &str) -> Result<Vec<PathBuf>> {
    if !Path::new(path).is_dir() {
        return Ok(vec![path.into()]);
    }
    let entries = std::fs::read_dir(path).map_err(|e| format!("{path}: {e}"))?;
    let is_table = |f: &PathBuf| f.extension().is_some_and(|e| e == "rft");
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).filter(is_table).collect();
    files.sort();
    reject_if(files.is_empty(), &format!("{path}: there are no tables; state a folder such as gyges-6x6"))?;
    Ok(files)
}

fn check_claims<G: Game>(certificate: &Certificate, options: &Options) -> Result<Work> {
    let (game, p) = G::read(&certificate.fen, None)?;
    certificate::check_two(&game, &p, certificate, &options.limits)
}

fn folder_of(game: &Siaius) -> String {
    format!("siaius-{}x{}-{}", game.files, game.ranks, HUFFS[game.huff as usize])
}

/// Certificates of Siaius can end in tables, which they name with their checksums.
fn check_siaius(certificate: &Certificate, options: &Options) -> Result<Work> {
    let (mut game, p) = Siaius::read(&certificate.fen, None)?;
    if !certificate.tables.is_empty() {
        let Some(folder) = &options.tables else { return fail("the certificate needs tables; state their folder with --tables") };
        let mut tables = siaius_table::Tables::default();
        for (name, digest) in &certificate.tables {
            reject_if(name.is_empty() || !name.bytes().all(|b| b"SMTCv".contains(&b)), "a name of a table is impossible")?;
            let path = folder.join(folder_of(&game)).join(format!("{name}.rft"));
            let file = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            if certificate::digest(&file) != *digest {
                return fail(format!("the table {name} is another one than the certificate names"));
            }
            tables.add(&game, name, table::Table::of(&file)?)?;
        }
        game.tables = Some(tables);
    }
    certificate::check_two(&game, &p, certificate, &options.limits)
}

/// The tables of Siaius in one folder, to check one after another.
type Loaded = Option<(PathBuf, Siaius)>;

fn check_table(path: &Path, file: Vec<u8>, options: &Options, loaded: &mut Loaded) -> Result<(u64, u64)> {
    let table = table::Table::of(&file)?;
    drop(file);
    let (entries, threads) = (table.entries, options.limits.threads);
    let path = std::path::absolute(path).map_err(|e| e.to_string())?;
    let folder = &path.parent().unwrap_or(Path::new("/")).canonicalize().map_err(|e| e.to_string())?;
    let name = |p: &Path| p.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    if table.gyges {
        reject_if(name(folder) != "gyges-6x6", "the folder is not gyges-6x6")?;
        return Ok((entries, gyges_table::check(&table, &name(&path), threads)?));
    }
    reject_if(!((3..=10).contains(&table.files) && (3..=12).contains(&table.ranks) && table.huff < 3), "the head is impossible")?;
    let mut game = Siaius::new(table.files, table.ranks, false, table.huff);
    if name(folder) != folder_of(&game) {
        return fail(format!("the folder is not {}", folder_of(&game)));
    }
    // A table that cannot be used is reported when it is checked itself.
    siaius_table::Tables::default().add(&game, &name(&path), table)?;
    if loaded.as_ref().is_none_or(|l| &l.0 != folder) {
        let mut tables = siaius_table::Tables::default();
        for other in expand(&folder.to_string_lossy())? {
            let file = std::fs::read(&other).map_err(|e| e.to_string())?;
            let _ = table::Table::of(&file).and_then(|t| tables.add(&game, &name(&other), t));
        }
        game.tables = Some(tables);
        *loaded = Some((folder.into(), game));
    }
    let Some((_, game @ Siaius { tables: Some(tables), .. })) = &*loaded else { return fail("no tables") };
    Ok((entries, tables.check(game, &name(&path), threads)?))
}

/// Check a file; returns the line for the user.
fn check(path: &Path, options: &Options, loaded: &mut Loaded) -> Result<String> {
    let started = Instant::now();
    let rate = |count: u64| {
        let seconds = started.elapsed().as_secs_f64();
        format!("{seconds:.1} s, {:.0} per second", count as f64 / seconds.max(1e-6))
    };
    let file = std::fs::read(path).map_err(|e| e.to_string())?;
    if path.extension().is_some_and(|e| e == "rft") {
        let (entries, count) = check_table(path, file, options, loaded)?;
        return Ok(format!("table of {entries} entries, {count} positions, {}", rate(count)));
    }
    let certificate = certificate::read(&file)?;
    let game = certificate.fen.split(' ').next();
    let foreign = certificate.board.is_some() && game != Some("gran") || !certificate.tables.is_empty() && game != Some("siaius");
    reject_if(foreign, "the certificate has a board or tables that the game does not have")?;
    let work = match game {
        Some("gyges") => check_claims::<gyges::Gyges>(&certificate, options),
        Some("gran") => gran::Gran::read(&certificate.fen, certificate.board.as_deref())
            .and_then(|(game, p)| chance::check(&game, &p, game.players as u8, &certificate, &options.limits)),
        Some("rings") => check_claims::<rings::Rings>(&certificate, options),
        Some("siaius") => check_siaius(&certificate, options),
        _ => fail("the game is unknown"),
    }?;
    let proven = certificate.claims.iter().fold(certificate.fen.clone(), |all, c| format!("{all}; {}", c.text));
    Ok(format!("{proven}; {} positions, {} after their plies, {}", work.positions, work.successors, rate(work.successors)))
}

fn count<G: Game>(fen: &str, board: Option<&str>, depth: u32) -> Result<u64> {
    G::read(fen, board).map(|(game, p)| game::perft(&game, &p, depth))
}

fn perft(fen: &str, depth: &str, board: Option<&str>) -> Result<u64> {
    let depth = game::number(depth, 20)?;
    match fen.split(' ').next() {
        Some("gyges") => count::<gyges::Gyges>(fen, board, depth),
        Some("gran") => count::<gran::Gran>(fen, board, depth),
        Some("rings") => count::<rings::Rings>(fen, board, depth),
        Some("siaius") => count::<Siaius>(fen, board, depth),
        _ => fail("the game is unknown"),
    }
}

fn say(line: &str) -> Result<()> {
    writeln!(std::io::stdout(), "{line}").map_err(|e| format!("standard output: {e}"))
}

/// Check the endings of GRAN in a file, one per line.
fn endings(path: &str) -> Result<bool> {
    let (started, mut number, mut wrong) = (Instant::now(), 0, 0);
    for line in std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?.lines() {
        number += 1;
        if let Err(e) = endings::check(line) {
            say(&format!("line {number}: {e}"))?;
            wrong += 1;
        }
    }
    say(&format!("{number} endings, {wrong} wrong, {:.1} s", started.elapsed().as_secs_f64()))?;
    Ok(wrong == 0 && number > 0)
}

fn run() -> Result<bool> {
    let options = options()?;
    match &options.arguments[..] {
        [] => fail(USAGE),
        [name, fen, depth] if name == "perft" => perft(fen, depth, options.board.as_deref()).and_then(|n| say(&n.to_string())).map(|()| true),
        [name, path] if name == "endings" => endings(path),
        paths => {
            let mut all = true;
            let mut loaded = None;
            for argument in paths {
                for path in expand(argument)? {
                    match check(&path, &options, &mut loaded) {
                        Ok(line) => say(&format!("{}: ok: {line}", path.display()))?,
                        Err(e) => {
                            say(&format!("{}: rejected: {e}", path.display()))?;
                            all = false;
                        }
                    }
                }
            }
            Ok(all)
        }
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(good) => ExitCode::from(!good as u8),
        Err(e) => {
            eprintln!("{e}");
            ExitCode::from(2)
        }
    }
}
