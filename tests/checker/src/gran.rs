//! The rules of GRAN (R1 to R14).

use crate::bytes::{fail, reject_if, Result};
use crate::game::{fields, members, number, square, Game, Plies, Ply};
use crate::gran_board::{Board, DEFAULT, DRAGON, MAGIC_STONE, SWORD};

/// A figure that has not entered, or a ring about to be put.
const NOWHERE: u8 = 255;
/// The ring carried by player k is this plus k, from 0.
const CARRIED: u8 = 200;
const SEALS: &str = "TUGE";

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Player {
    point: u8,
    amulets: u8,
    seals: u8,
    fettered: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    Move,
    Fight,
    Extra,
    Ring,
    Stone,
    Sword,
    Over,
}

const PHASES: [(&str, Phase); 7] = {
    use Phase::*;
    [("move", Move), ("fight", Fight), ("extra", Extra), ("ring", Ring), ("stone", Stone), ("sword", Sword), ("over", Over)]
};

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Position {
    players: [Player; 6],
    ring: u8,
    stones: u128,
    deck: [u8; 7],
    /// The player to act, from 0.
    player: u8,
    phase: Phase,
}

/// The rules with the board and the number of seals (R13).
pub struct Gran {
    board: Board,
    pub players: usize,
    seals: u32,
}

impl Position {
    fn own(&mut self) -> &mut Player {
        &mut self.players[self.player as usize]
    }
    fn carries(&self, player: usize) -> bool {
        self.ring == CARRIED + player as u8
    }
    fn ring_point(&self) -> Option<usize> {
        (self.ring < 128).then_some(self.ring as usize)
    }
}

impl Gran {
    fn name(&self, ply: Ply, point: usize) -> Ply {
        let (file, rank) = self.board.places[point];
        ply.square(file, rank)
    }
    /// The points with figures.
    fn figures(&self, p: &Position) -> u128 {
        p.players[..self.players].iter().filter(|one| one.point < 128).fold(0, |set, one| set | 1 << one.point)
    }
    fn end_turn(&self, p: Position) -> Position {
        Position { player: (p.player + 1) % self.players as u8, phase: Phase::Move, ..p }
    }
    /// The effect of the point on which the acting figure has arrived (R7, R8, R10).
    fn arrive(&self, mut p: Position, at: usize) -> Position {
        let me = p.player as usize;
        let symbol = self.board.symbols[at];
        if let Some(city) = self.board.city(at) {
            let with_ring = p.carries(me);
            let own = p.own();
            own.amulets = 3.min(own.amulets + if with_ring { 2 } else { 1 });
            if !with_ring {
                return self.end_turn(p);
            }
            own.seals |= 1 << city;
            if own.seals.count_ones() >= self.seals {
                p.phase = Phase::Over;
            } else {
                p.phase = Phase::Ring;
                p.ring = NOWHERE;
            }
            return p;
        }
        p.phase = match symbol {
            DRAGON => Phase::Fight,
            MAGIC_STONE => Phase::Stone,
            SWORD => Phase::Sword,
            _ => return self.end_turn(p),
        };
        if symbol != DRAGON && !self.can_place(&p) {
            return self.end_turn(p);
        }
        p
    }
    /// List the moves (R3 to R6); `extra` is the move after a won fight (R8).
    fn list_moves(&self, p: &Position, extra: bool, out: &mut Plies<Position>) {
        let me = p.player as usize;
        let own = &p.players[me];
        let start = if own.point == NOWHERE { self.board.start } else { own.point as usize };
        let figures = self.figures(p);
        let carries = p.carries(me);
        let ring = p.ring_point();
        let (mut plain, mut taking) = (0u128, 0u128);
        for mid in members(self.board.lines[start]) {
            plain |= 1 << mid;
            // A figure that enters the ring's point carries it from then on, also over a dragon (R6).
            let takes = !carries && ring == Some(mid);
            let closed = self.board.symbols[mid] == DRAGON || (figures | p.stones) >> mid & 1 == 1;
            if carries || extra || takes || !closed {
                *(if takes { &mut taking } else { &mut plain }) |= self.board.lines[mid];
            }
        }
        for (reached, passed) in [(plain, None), (taking, ring)] {
            for to in members(reached & !p.stones & !(1 << start)) {
                self.list_arrival(p, start, passed, to, figures, out);
            }
        }
    }
    /// The plies to one point; `passed` is the point where the ring is taken in passing.
    fn list_arrival(&self, p: &Position, start: usize, passed: Option<usize>, to: usize, figures: u128, out: &mut Plies<Position>) {
        let me = p.player as usize;
        let ply = passed.into_iter().fold(self.name(Ply::default(), start), |ply, at| self.name(ply.byte(b'-'), at));
        let fights = (self.board.symbols[to] == DRAGON) as u8;
        let attacked = (0..self.players).find(|&k| k != me && p.players[k].point == to as u8);
        // A fight needs an amulet, an attack another one (R4, R5).
        if p.players[me].amulets < fights + attacked.is_some() as u8 {
            return;
        }
        let mut next = p.clone();
        next.own().point = to as u8;
        if passed.is_some() || p.ring_point() == Some(to) {
            next.ring = CARRIED + p.player;
        }
        let Some(other) = attacked else {
            out.push((self.name(ply.byte(b'-'), to), self.arrive(next, to)));
            return;
        };
        // Not in a city; the point that the attacker came from is free, the attacked point is not (R5).
        if self.board.city(to).is_some() {
            return;
        }
        let ring = next.ring_point().map_or(0, |at| 1 << at);
        let came_from = if p.players[me].point < 128 { 1 << p.players[me].point } else { 0 };
        for white in members(self.board.white & !(p.stones | ring | figures & !came_from | 1 << to)) {
            let mut next = next.clone();
            next.players[other].point = white as u8;
            next.players[other].fettered = false;
            next.own().amulets -= 1;
            if p.carries(other) {
                next.ring = CARRIED + p.player;
            }
            out.push((self.name(self.name(ply.byte(b'x'), to).byte(b'-'), white), self.arrive(next, to)));
        }
    }
    /// The points on one way from the ring to a figure past stones; None if there is no way, no points if there is no
    /// ring on the board (R10).
    fn way_to_ring(&self, p: &Position, stones: u128) -> Option<u128> {
        let Some(ring) = p.ring_point() else { return Some(0) };
        let mut goals = self.figures(p);
        if p.players[..self.players].iter().any(|one| one.point == NOWHERE) {
            goals |= 1 << self.board.start;
        }
        let mut from = [0u8; 128];
        let mut seen = 1u128 << ring;
        let mut queue = vec![ring];
        let mut done = 0;
        while done < queue.len() {
            let at = queue[done];
            done += 1;
            if goals >> at & 1 == 1 {
                let mut way = 1 << at;
                let mut step = at;
                while step != ring {
                    step = from[step] as usize;
                    way |= 1 << step;
                }
                return Some(way);
            }
            for next in members(self.board.lines[at] & !seen & !stones) {
                seen |= 1 << next;
                from[next] = at as u8;
                queue.push(next);
            }
        }
        None
    }
    /// Call `visit` with the point a stone comes from, if it is on the board, and the points where it can go (R10).
    fn placements(&self, p: &Position, mut visit: impl FnMut(Option<usize>, u128)) {
        let free = self.board.plain & !self.figures(p) & !p.stones & !p.ring_point().map_or(0, |at| 1 << at);
        let mut go = |from: Option<usize>, stones: u128| {
            // A stone beside the way leaves it open.
            let Some(way) = self.way_to_ring(p, stones) else { return };
            let blocking = members(free & way).filter(|&s| self.way_to_ring(p, stones | 1 << s).is_none());
            visit(from, free & !blocking.fold(0, |set, s| set | 1 << s));
        };
        if p.phase == Phase::Sword {
            members(p.stones).for_each(|from| go(Some(from), p.stones & !(1 << from)));
        } else if p.stones.count_ones() < self.board.stones {
            go(None, p.stones);
        }
    }
    fn can_place(&self, p: &Position) -> bool {
        let mut found = false;
        self.placements(p, |_, targets| found |= targets != 0);
        found
    }
    fn list_placements(&self, p: &Position, out: &mut Plies<Position>) {
        self.placements(p, |from, targets| {
            let mut ply = Ply::word(b"+");
            let mut stones = p.stones;
            if let Some(from) = from {
                ply = self.name(ply, from).byte(b'-');
                stones &= !(1 << from);
            }
            for to in members(targets) {
                out.push((self.name(ply, to), self.end_turn(Position { stones: stones | 1 << to, ..p.clone() })));
            }
        });
    }
    /// Put the ring in another realm (R11).
    fn list_rings(&self, p: &Position, out: &mut Plies<Position>) {
        let here = p.players[p.player as usize].point as usize;
        let closed = self.figures(p) | p.stones;
        for to in members(self.board.ring_points & !closed) {
            if self.board.realms[to] != self.board.realms[here] {
                out.push((self.name(Ply::word(b"="), to), self.end_turn(Position { ring: to as u8, ..p.clone() })));
            }
        }
        if out.is_empty() {
            out.push((Ply::word(b"pass"), self.end_turn(Position { ring: CARRIED + p.player, ..p.clone() })));
        }
    }
    /// The deck at the next draw: if all cards are used up, they are reshuffled (R8).
    fn deck(&self, p: &Position) -> [u8; 7] {
        Some(p.deck).filter(|&deck| deck != [0; 7]).unwrap_or(self.board.cards)
    }
    fn list_fights(&self, p: &Position, out: &mut Plies<Position>) {
        let deck = self.deck(p);
        for card in (0..7).filter(|&card| deck[card] > 0) {
            for die in 1..=6 {
                let mut next = Position { deck, ..p.clone() };
                next.deck[card] -= 1;
                if die >= card {
                    next.phase = Phase::Extra;
                } else {
                    let own = next.own();
                    own.amulets = own.amulets.saturating_sub(1);
                    own.fettered = true;
                    if p.carries(p.player as usize) {
                        next.ring = NOWHERE;
                        next.phase = Phase::Ring;
                    } else {
                        next = self.end_turn(next);
                    }
                }
                out.push((Ply::word(&[b'0' + card as u8, b':', b'0' + die as u8]), next));
            }
        }
    }
    /// At least so many plies pass until a player (from 0) wins, wherever stones lie and whatever the others do.
    pub fn plies_to_win(&self, p: &Position, player: usize) -> usize {
        let acting = player == p.player as usize;
        let moving = p.phase == Phase::Extra || p.phase == Phase::Move && !p.players[p.player as usize].fettered;
        // Every turn takes a ply or more. The player's next turn begins with ply `next`; the figure moves with ply `first`
        // or later.
        let next = 1 + if acting { self.players } else { (player + self.players - p.player as usize) % self.players };
        let first = match p.phase {
            _ if acting && moving => 1,
            Phase::Fight if acting => 2,
            _ => next,
        };
        // A player's moves are two plies apart or more (R8); each is one or two steps.
        let walk = |first: usize, steps: usize| first + 2 * (steps.div_ceil(2).max(1) - 1);
        let at = p.players[player].point;
        let here = if at == NOWHERE { self.board.start } else { at as usize };
        // A player puts the ring after a lost fight, or in a city that does not win. Then another turn begins.
        let one = (self.seals == 1) as usize;
        let put = match p.phase {
            Phase::Ring => 1,
            Phase::Fight if p.carries(p.player as usize) => 2,
            _ => 3 - moving as usize + one,
        };
        let after_put = next.max(put + 1);
        // Unless a player puts the ring, the player carries it, or takes it on the way, or attacks its carrier and moves on.
        let ring = match p.ring_point() {
            _ if p.carries(player) => first,
            None if p.ring == NOWHERE => after_put,
            None => first + 2,
            Some(ring) => {
                let near = self.board.lines[here] >> ring & 1 == 1;
                walk(first, self.board.city_steps[ring] + if near { 1 } else { 2 }).min(next + 2)
            }
        };
        // A banished figure starts again from a white point, in a later turn.
        walk(first, self.board.city_steps[here]).max(ring.min(after_put)).min(walk(next, self.board.white_steps))
    }
    fn read_players(&self, text: &str) -> Result<[Player; 6]> {
        let mut players = [Player { point: NOWHERE, amulets: 0, seals: 0, fettered: false }; 6];
        for (one, text) in players.iter_mut().zip(text.split('/')) {
            one.fettered = text.ends_with('!');
            let parts: Vec<&str> = text.strip_suffix('!').unwrap_or(text).split(':').collect();
            let [point, amulets, seals] = parts[..] else { return fail("a player is not POINT:AMULETS:SEALS") };
            one.amulets = number(amulets, 3)? as u8;
            if point != "-" {
                one.point = self.point(point)? as u8;
            }
            for seal in seals.chars().filter(|_| seals != "-") {
                match SEALS.find(seal) {
                    Some(i) if one.seals >> i == 0 => one.seals |= 1 << i,
                    _ => return fail("the seals are unknown or in disorder"),
                }
            }
            reject_if(seals.is_empty() || one.point == NOWHERE && (one.amulets != 3 || one.seals != 0), "a player has wrong amulets or seals")?;
        }
        Ok(players)
    }
    fn point(&self, text: &str) -> Result<usize> {
        let place = square(text, 12, 12)?;
        let at = self.board.places.iter().position(|&one| one == place);
        at.ok_or(format!("'{}' is no point of the board", text.escape_default()))
    }
    /// The conditions of docs/notation.md for a position that is well formed.
    fn validate(&self, p: &Position) -> Result<()> {
        let players = &p.players[..self.players];
        let on_board = players.iter().filter(|one| one.point < 128).count();
        let ring = p.ring_point().map_or(0, |at| 1 << at);
        let figures = self.figures(p);
        reject_if(
            figures.count_ones() as usize != on_board || (figures | ring) & p.stones != 0 || p.stones & !self.board.plain != 0,
            "two things are on one point",
        )?;
        reject_if(
            p.stones.count_ones() > self.board.stones || (0..7).any(|v| p.deck[v] > self.board.cards[v]),
            "there are too many stones or cards",
        )?;
        let carrier = p.ring.checked_sub(CARRIED).filter(|_| p.ring != NOWHERE);
        reject_if(carrier.is_some_and(|k| k as usize >= self.players || players[k as usize].point == NOWHERE), "the carrier is not on the board")?;
        reject_if((p.ring == NOWHERE) != (p.phase == Phase::Ring), "RING does not fit PHASE")?;
        let own = &players[p.player as usize];
        let symbol = self.board.symbols.get(own.point as usize).copied();
        let city = own.point < 128 && self.board.city(own.point as usize).is_some();
        let fits = match p.phase {
            Phase::Move => true,
            Phase::Fight | Phase::Extra => symbol == Some(DRAGON),
            Phase::Ring => symbol == Some(DRAGON) || city,
            Phase::Stone => symbol == Some(MAGIC_STONE),
            Phase::Sword => symbol == Some(SWORD),
            Phase::Over => city && p.carries(p.player as usize),
        };
        let winners = players.iter().filter(|one| one.seals.count_ones() >= self.seals).count();
        let won = winners == 1 && own.seals.count_ones() >= self.seals;
        if !fits || if p.phase == Phase::Over { !won } else { winners != 0 } {
            return fail("PHASE does not fit the acting figure, or there is a winner without 'over'");
        }
        Ok(())
    }
}

impl Game for Gran {
    type Position = Position;
    fn read(fen: &str, board: Option<&str>) -> Result<(Self, Position)> {
        let (f, options) = fields(fen, 6, &["board", "seals"])?;
        let named = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'-';
        let board = match (options[0], board) {
            (None, None) => Board::read(DEFAULT)?,
            (Some(name), Some(text)) if !name.is_empty() && name.bytes().all(named) => Board::read(text)?,
            _ => return fail("the option board and the board file do not fit"),
        };
        let seals = options[1].map_or(Ok(3), |text| number(text, 4))?;
        reject_if(options[1].is_some() && ![1, 2, 4].contains(&seals), "the option seals is not 1, 2 or 4")?;
        let players = f[0].split('/').count();
        reject_if(
            !(3..=6).contains(&players) || (board.white.count_ones() as usize) < players,
            "there are not three to six players with a white point each",
        )?;
        let game = Gran { board, players, seals };
        let ring = match f[1].strip_prefix('@') {
            Some(k) => CARRIED - 1 + number(k, players as u32)?.max(1) as u8,
            None if f[1] == "?" => NOWHERE,
            None => game.point(f[1])? as u8,
        };
        reject_if(f[1] == "@0", "there is no player 0")?;
        let mut stones = 0u128;
        for text in f[2].split(',').filter(|_| f[2] != "-") {
            let at = game.point(text)?;
            reject_if(stones >> at != 0, "STONES is in disorder")?;
            stones |= 1 << at;
        }
        let numbers = f[3].split('.').map(|n| number(n, 99).map(|n| n as u8)).collect::<Result<Vec<_>>>()?;
        let Ok(deck) = <[u8; 7]>::try_from(numbers) else { return fail("DECK does not have seven numbers") };
        let player = number(f[4], players as u32)?.checked_sub(1).ok_or("there is no player 0")? as u8;
        let Some((_, phase)) = PHASES.iter().find(|one| one.0 == f[5]) else { return fail("PHASE is unknown") };
        let p = Position { players: game.read_players(f[0])?, ring, stones, deck, player, phase: *phase };
        game.validate(&p)?;
        Ok((game, p))
    }
    fn side(&self, p: &Position) -> u8 {
        (p.player + 1) * (p.phase != Phase::Fight) as u8
    }
    fn result(&self, p: &Position) -> Option<i64> {
        (p.phase == Phase::Over).then_some(p.player as i64 + 1)
    }
    fn list(&self, p: &Position, out: &mut Plies<Position>) {
        match p.phase {
            Phase::Over => return,
            Phase::Fight => return self.list_fights(p, out),
            Phase::Ring => return self.list_rings(p, out),
            Phase::Stone | Phase::Sword => self.list_placements(p, out),
            Phase::Extra => {
                self.list_moves(p, true, out);
                out.push((Ply::word(b"stay"), self.end_turn(p.clone())));
            }
            // A fettered player's turn only removes the fetter (R9).
            Phase::Move if p.players[p.player as usize].fettered => {
                let mut next = p.clone();
                next.own().fettered = false;
                out.push((Ply::word(b"rest"), self.end_turn(next)));
            }
            Phase::Move => self.list_moves(p, false, out),
        }
        // A player without a legal move passes (R12).
        if out.is_empty() {
            out.push((Ply::word(b"pass"), self.end_turn(p.clone())));
        }
    }
    fn weight(&self, p: &Position, ply: Ply) -> u64 {
        let card = ply.first().wrapping_sub(b'0') as usize;
        self.deck(p).get(card).map_or(0, |&n| n as u64)
    }
}
