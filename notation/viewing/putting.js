/**
 * Enters plies that put several pieces on the board at once, such as a setup in Gygès: choose a piece, click its square.
 *
 * The core lists the pieces that each ply puts: those of the position after it. What can be clicked next follows from the plies
 * that agree with the clicks so far.
 *
 * @typedef {Map<string, import("./core.js").Piece>} Put the pieces that a ply puts on the board, by their places
 */

import { pieceDrawing, placeOf } from "./board.js";
import { pieceName } from "./captions.js";
import { button, byId, element } from "./dom.js";
import { placesOf } from "./stage.js";

const isSame = (one, other) => ["kind", "owner", "value"].every((name) => one[name] === other[name]);

/**
 * What each ply puts on the board; null if a ply names a place, or puts nothing.
 *
 * @param {import("./core.js").Core} core
 * @param {import("./core.js").Position} position
 * @param {import("./core.js").Successor[]} successors
 * @returns {Map<string, Put> | null}
 */
const putsOf = (core, position, successors) => {
  const before = new Set(position.pieces.map(placeOf));
  const puts = new Map();
  for (const { ply, fen } of successors) {
    if (placesOf(ply).length) return null;
    const pieces = core.position(fen).pieces.filter((piece) => placeOf(piece) && !before.has(placeOf(piece)));
    if (!pieces.length) return null;
    puts.set(ply, new Map(pieces.map((piece) => [placeOf(piece), piece])));
  }
  return puts.size ? puts : null;
};

export class Putting {
  /** @type {Put} the pieces that were put so far */
  #made = new Map();
  /** @type {import("./core.js").Piece | null} the piece that the next click puts */
  #piece = null;

  /**
   * @param {import("./stage.js").Stage} stage
   * @param {import("./core.js").Position} position
   * @param {Map<string, Put>} puts
   * @param {(ply: string) => void} play is called with the ply when all its pieces are put
   * @param {(words: string) => void} say is called with a hint after each click
   */
  constructor(stage, position, puts, play, say) {
    this.stage = stage;
    this.position = position;
    this.puts = puts;
    this.play = play;
    this.say = say;
    const pieces = [...puts.values()].flatMap((put) => [...put.values()]);
    this.pieces = pieces.filter((piece, index) => pieces.findIndex((one) => isSame(one, piece)) === index);
    this.pieces.sort((one, other) => one.owner - other.owner || one.value - other.value);
    this.#write();
  }

  /** The plies that put the pieces on the board so far. @returns {[string, Put][]} */
  #agreeing() {
    const agrees = (put) => [...this.#made].every(([place, piece]) => put.has(place) && isSame(put.get(place), piece));
    return [...this.puts].filter(([, put]) => agrees(put));
  }

  /** The most pieces of a kind that are still to be put. */
  #left(piece) {
    const count = (put) => [...put].filter(([place, one]) => !this.#made.has(place) && isSame(one, piece)).length;
    return Math.max(0, ...this.#agreeing().map(([, put]) => count(put)));
  }

  /** The piece that a click on a place puts there; undefined: no ply puts such a piece there. */
  #pieceAt(name, piece) {
    if (this.#made.has(name)) return undefined;
    return this.#agreeing().map(([, put]) => put.get(name)).find((one) => one && isSame(one, piece));
  }

  #press(name) {
    if (!this.#take(name)) this.#put(name, this.#piece);
  }

  /** Takes a piece away that was put. False: there is none. */
  #take(name) {
    if (!this.#made.delete(name)) return false;
    this.#write();
    this.say("");
    return true;
  }

  #put(name, piece) {
    const words = pieceName(this.position.game, piece);
    const put = this.#pieceAt(name, piece);
    if (!put) return this.say(`a ${words} cannot be put on ${name}: click a place with a circle`);
    this.#made.set(name, put);
    const whole = this.#agreeing().find(([, put]) => put.size === this.#made.size);
    if (whole) return this.play(whole[0]);
    this.#write();
    this.say("");
  }

  /** A key on a place: the text of a piece puts it, Delete removes it. True: it is used. */
  #key(name, key) {
    const piece = this.pieces.find(({ value }) => String(value) === key);
    if (piece) {
      this.#made.delete(name);
      this.#put(name, piece);
      return true;
    }
    return (key === "Delete" || key === "Backspace") && this.#take(name);
  }

  #write() {
    const { stage, position } = this;
    if (!this.#piece || !this.#left(this.#piece)) this.#piece = this.pieces.find((one) => this.#left(one));
    const shown = { ...position, pieces: [...position.pieces, ...this.#made.values()] };
    stage.show({ board: stage.boardFor(position), things: [], position: shown, ply: "" }, position.fen);
    stage.arrange({
      position: shown,
      picked: "",
      stateOf: (name) => (this.#pieceAt(name, this.#piece) ? "next" : this.#made.has(name) ? "free" : ""),
      isUnfinished: this.#made.size > 0,
      unclick: () => this.#take([...this.#made.keys()].at(-1)),
      canMove: () => false,
      press: (name) => this.#press(name),
      drop: () => {},
      key: (name, key) => this.#key(name, key),
    });
    byId("choices").replaceChildren(element("span", "", "Choose a piece, then click its place:"), ...this.pieces.map((piece) => this.#button(piece)));
  }

  #button(piece) {
    const left = this.#left(piece);
    const made = button("", () => {
      this.#piece = piece;
      this.#write();
      byId("choices").querySelector('[aria-pressed="true"]').focus();
    });
    made.append(pieceDrawing(this.position.game, piece), ` × ${left}`);
    made.setAttribute("aria-label", `${pieceName(this.position.game, piece)}, ${left} left`);
    made.setAttribute("aria-pressed", String(piece === this.#piece));
    made.disabled = left === 0;
    return made;
  }

  /**
   * Offers the plies of a position this way; null: they do not put pieces only.
   *
   * @param {import("./core.js").Core} core
   * @param {import("./stage.js").Stage} stage
   * @param {string} fen
   * @param {import("./core.js").Successor[]} successors
   */
  static offer(core, stage, fen, successors, play, say) {
    const position = core.position(fen);
    const puts = putsOf(core, position, successors);
    return puts && new Putting(stage, position, puts, play, say);
  }
}
