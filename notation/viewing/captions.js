/** Positions in words, as the drawings of the package have them (core_c/drawing): captions, and names of squares. */

import { EXTRA_PLY, HELD, ON_SQUARE, ON_THRONE, placeOf, REMOVABLE, RESTING, squareName } from "./board.js";

const BY_TWO = ["South", "North"];
const CITIES = { T: "Tirad", U: "Urgad", G: "Galad", E: "Elgad" };
const GRAN_PHASES = {
  move: "to move",
  fight: "fights the dragon: a card and the die are next",
  extra: "has beaten the dragon: an extra move or stay",
  ring: "has to put the ring",
  stone: "has to place an obstacle stone",
  sword: "has to move an obstacle stone",
  over: "has won",
};

const countOf = ({ counters }, name, player = 0, index = 0) =>
  counters.find((one) => one.name === name && one.player === player && one.index === index)?.number ?? 0;
const heldBy = ({ pieces }, piece) => pieces.filter(({ place, of }) => place === HELD && pieces[of] === piece);
const squareOf = ({ file, rank }) => squareName(file, rank);
const marked = ({ pieces }, mark) =>
  pieces.filter(({ marks }) => marks & mark).sort((a, b) => a.rank - b.rank || a.file - b.file).map(squareOf);

const gyges = (position) => {
  const goals = [1, 2].map((player) => countOf(position, "goals", player));
  const mover = BY_TWO[position.player - 1];
  const thrown = position.pieces.find(({ place }) => place === ON_THRONE);
  const status =
    position.phase === "over"
      ? `${BY_TWO[goals.indexOf(0)]} has won`
      : position.phase === "setup"
        ? `${mover} sets up six rings`
        : position.phase === "put"
          ? `${mover} puts the ${thrown.value}-ring back from its throne, then moves`
          : `${mover} to move`;
  const needed = `conquests needed: South ${goals[0]}, North ${goals[1]}`;
  return [status, ...(Math.max(...goals) > 1 ? [needed] : [])];
};

/** The final score of The King of Rings; "" before the end and in other games. @param {import("./core.js").Position} position */
export const scoreOf = (position) => (position.game === "rings" && position.phase === "over" ? rings(position)[0] : "");
const rings = (position) => {
  const knights = (player) => position.pieces.filter(({ place, owner }) => place === ON_SQUARE && owner === player);
  const points = (player) =>
    knights(player).flatMap((knight) => heldBy(position, knight)).reduce((sum, { value }) => sum + value, 0);
  const hands = [1, 2].flatMap((player) => {
    const hand = countOf(position, "hand", player);
    return hand ? [`${BY_TWO[player - 1]} has ${hand} knight${hand > 1 ? "s" : ""} in hand`] : [];
  });
  const passed = countOf(position, "passes") ? `${BY_TWO[2 - position.player]} has passed; ` : "";
  const free = position.pieces.some(({ kind, place }) => kind === "ring" && place === ON_SQUARE);
  const status = `${passed}${BY_TWO[position.player - 1]} to move${free ? "" : " (the last turn)"}`;
  const score = `South has ${points(1)} ${points(1) === 1 ? "point" : "points"}, North ${points(2)}`;
  return [score, ...hands, position.phase === "over" ? "The game is over" : status];
};

const siaius = (position) => {
  const [mover, other] = [BY_TWO[position.player - 1], BY_TWO[2 - position.player]];
  const passes = countOf(position, "passes");
  const south = position.pieces.some(({ owner }) => owner === 1);
  const status =
    passes === 2
      ? "drawn: neither side can move"
      : position.phase === "over"
        ? `${BY_TWO[south ? 0 : 1]} has won`
        : position.phase === "bonus"
          ? `${mover} may move the champion on ${marked(position, EXTRA_PLY)[0]} again, or stay`
          : `${mover} to move${passes ? `; ${other} had to pass` : ""}`;
  const missed = marked(position, REMOVABLE);
  const until = position.phase === "bonus" ? " unless the bonus ply captures" : "";
  const options = Object.entries(position.options).map(([name, value]) => `${name}=${value}`);
  return [
    status,
    ...(missed.length ? [`missed a capture and may be huffed${until}: ${missed.join(", ")}`] : []),
    ...(options.length ? [`options: ${options.join(", ")}`] : []),
  ];
};

const gran = (position) => {
  const figures = position.pieces.filter(({ kind }) => kind === "figure").sort((a, b) => a.owner - b.owner);
  const fettered = position.phase === "move" && figures[position.player - 1].marks & RESTING;
  const acts = fettered ? "takes off the fetter" : GRAN_PHASES[position.phase];
  const players = figures.map((figure) => {
    const held = heldBy(position, figure);
    const amulets = held.filter(({ kind }) => kind === "amulet").length;
    const seals = Object.keys(CITIES).filter((letter) => held.some(({ value }) => value === letter.charCodeAt(0)));
    const cities = seals.map((letter) => CITIES[letter]).join(", ") || "none";
    const where = figure.place === ON_SQUARE ? `on ${squareOf(figure)}` : "not entered yet";
    const carries = held.some(({ kind }) => kind === "ring");
    const more = `${figure.marks & RESTING ? ", fettered" : ""}${carries ? ", carries the ring" : ""}`;
    return `Player ${figure.owner} ${where}, amulets ${amulets}, seals: ${cities}${more}`;
  });
  const cards = Array.from({ length: 7 }, (_, value) => countOf(position, "cards", 0, value)).join(" ");
  const stones = position.pieces.filter(({ kind }) => kind === "stone").length;
  return [
    `Player ${position.player} ${acts}`,
    ...players,
    `Cards left of value 0 to 6: ${cards}; stones on the board: ${stones}`,
    `Seals needed to win: ${position.options.seals ?? "3"}`,
  ];
};

const other = (position) => {
  const two = position.players === 2;
  const player = (number) => (two ? BY_TWO[number - 1] : `Player ${number}`);
  const over = position.outcome < 0 ? "Drawn" : `${player(position.outcome)} has won`;
  const acts = position.phase === "over" ? "The game is over" : `${player(position.player)}: ${position.phase}`;
  const counters = position.counters.map(({ name, player: of, index, number }) => {
    const owner = of === 0 ? "" : two ? ` of ${player(of)}` : ` of player ${of}`;
    return `${name}${owner}${index ? ` ${index}` : ""}: ${number}`;
  });
  return [position.outcome ? over : acts, ...(counters.length ? [counters.join(", ")] : [])];
};

const WORDS = { gyges, rings, siaius, gran };

/** The lines below the board. @param {import("./core.js").Position} position @param {string} ply the last one */
export const captionOf = (position, ply) => {
  const words = (WORDS[position.game] ?? other)(position);
  return [...(ply ? [`Last ply: ${ply}`] : []), ...words];
};

const throneWords = (place) => ({ S: "South's throne", N: "North's throne" })[place] ?? place;
const PLY_WORDS = {
  gyges: (names, displaces) => {
    const [bounces, end] = displaces ? [names.slice(1, -2), names.at(-2)] : [names.slice(1, -1), names.at(-1)];
    const last = displaces ? `displace the ring of ${end} to ${names.at(-1)}` : `end on ${throneWords(end)}`;
    return bounces.length ? `bounce on ${bounces.join(", ")}, then ${last}` : last;
  },
  gran: (names, attacks) => {
    const [passed, end] = attacks ? [names.slice(1, -2), names.at(-2)] : [names.slice(1, -1), names.at(-1)];
    const last = attacks ? `attack on ${end}, banish to ${names.at(-1)}` : `end on ${end}`;
    return passed.length ? `pass ${passed.join(", ")}, then ${last}` : last;
  },
};

/** What a ply does, for people who choose between plies. @param {string} game @param {string} ply @param {string[]} names its places */
export const plyWords = (game, ply, names) => PLY_WORDS[game]?.(names, ply.includes("x")) ?? "";

/** A piece in words. */
/** @type {[number, string][]} */
const MARK_WORDS = [
  [REMOVABLE, "may be huffed"],
  [EXTRA_PLY, "may move again"],
  [RESTING, "fettered"],
];
const pieceWords = (position, piece) => {
  const { game, players } = position;
  const owner = piece.owner === 0 ? "" : players === 2 ? `${BY_TWO[piece.owner - 1]}'s ` : `player ${piece.owner}'s `;
  const value = game === "gyges" ? ` of height ${piece.value}` : game === "rings" && piece.value ? ` of ${piece.value} ${piece.value === 1 ? "point" : "points"}` : "";
  const held = heldBy(position, piece).map(({ kind, value: points }) => (game === "rings" ? points : kind));
  const holds = held.length ? ` with ${held.sort().join(", ")}` : "";
  const marks = MARK_WORDS.filter(([mark]) => piece.marks & mark);
  return `${owner}${piece.kind}${value}${holds}${marks.map(([, words]) => `, ${words}`).join("")}`;
};

/** A piece of a palette in words. @param {string} game @param {{kind: string, owner: number, value: number}} piece */
export const pieceName = (game, piece) =>
  pieceWords({ game, players: piece.owner > 2 || piece.kind === "figure" ? 3 : 2, pieces: [] }, { ...piece, marks: 0 });

/** What is at a place, for screen readers: `b1, ring of height 3`. @param {import("./core.js").Position} position */
export const placeWords = (position, name) => {
  const there = position.pieces.filter((piece) => placeOf(piece) === name).map((piece) => pieceWords(position, piece));
  return `${throneWords(name)}, ${there.join(", ") || "empty"}`;
};
