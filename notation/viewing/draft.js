/**
 * The text of a position that is being edited: its fields, and the pieces on its squares. The text may be impossible; only
 * the core knows.
 *
 * @typedef {{palette: PalettePiece[], throne: string, empty: string, fields: EditorField[]}} Editor base.py describes it
 * @typedef {{label: string, kind: string, name: string, choices: [string, string][], pattern: string, group: string,
 *   players: Record<string, number>}} EditorField
 * @typedef {object} PalettePiece
 * @property {string} kind
 * @property {number} owner
 * @property {number} value
 * @property {string} text
 * @property {string} holds
 * @property {string} field
 * @property {boolean} is_list
 * @property {number} part
 * @property {string} gone
 * @property {string} held
 */

import { HELD, ON_SQUARE, squareName } from "./board.js";

/** The texts on the squares of a rank: a letter or digit, perhaps with held pieces; with runs, numbers of empty squares. */
const SQUARES = /[^()]\([^()]*\)?|./gsu;
const SQUARES_OR_RUNS = /\d+|[^()]\([^()]*\)?|./gsu;
const SQUARE_NAME = /^([a-z])([1-9]\d?)$/;

/** The file and rank of a square, from 0. @param {string} name @returns {[number, number] | null} */
export const squareAt = (name) => {
  const [, file, rank] = SQUARE_NAME.exec(name) ?? [];
  return file ? [file.charCodeAt(0) - 97, Number(rank) - 1] : null;
};

/** A list of another length. The items that go or come are at the end, or in the middle. */
const resized = (list, length, fresh, isMiddle = false) => {
  const kept = Math.min(length, list.length);
  const before = isMiddle ? Math.ceil(kept / 2) : kept;
  return [...list.slice(0, before), ...Array(length - kept).fill(fresh), ...list.slice(list.length - kept + before)];
};

const inOrder = (one, other) => {
  const [[a, b], [c, d]] = [squareAt(one), squareAt(other)];
  return b - d || a - c;
};

export class Draft {
  /** @param {string} text @param {import("./core.js").GameData} game */
  constructor(text, game) {
    const [id, ...words] = text.trim().split(/\s+/);
    this.id = id;
    this.game = game;
    this.editor = game.editor;
    const count = game.fields.length;
    this.fields = game.fields.map((_, index) => words[index] ?? "");
    this.options = words.slice(count).join(" ");
  }

  get text() {
    return [this.id, ...this.fields, this.options].filter(Boolean).join(" ");
  }

  /** The number of a field. @param {string} name */
  #index(name) {
    return this.game.fields.findIndex((field) => field[0] === name);
  }
  #field(name) {
    return this.fields[this.#index(name)] ?? "";
  }
  #setField(name, text) {
    this.fields[this.#index(name)] = text;
  }

  /** Whether RANKS has a text for each square. */
  get hasRanks() {
    return this.editor !== null && this.editor.palette.some(({ text }) => text);
  }

  /** The fields that the editor offers. Without an editor: those of the text. @returns {EditorField[]} */
  get controls() {
    const parts = this.game.fields.map(([name, label]) => ({ label, kind: "field", name, choices: [], pattern: "", group: "", players: {} }));
    return this.editor?.fields ?? parts;
  }

  /** The choices of a field, without those of players who do not take part. @param {EditorField} field */
  choices({ choices, players }) {
    const counted = this.editor?.fields.find(({ kind }) => kind === "count");
    const count = counted ? Number(this.value(counted)) : Infinity;
    return choices.filter(([value]) => (players[value] ?? 0) <= count);
  }

  /** The value of a field of the editor; null: the position does not have it. @param {EditorField} field */
  value({ kind, name, pattern }) {
    if (kind === "files") return String(this.rows[0]?.length ?? 0);
    if (kind === "ranks") return String(this.rows.length);
    if (kind === "option") return this.#option(name)?.slice(name.length + 1) ?? "";
    const text = this.#field(name);
    if (kind === "count") return String(text.split("/").length);
    return pattern ? (new RegExp(pattern).exec(text)?.[1] ?? null) : text;
  }

  /** Changes a field of the editor. @param {EditorField} field @param {string} value */
  change({ kind, name, pattern }, value) {
    const number = Number(value);
    if (kind === "files") this.rows = this.rows.map((row) => resized(row, number, ""));
    else if (kind === "ranks") this.rows = resized(this.rows, number, this.rows[0].map(() => ""), true);
    else if (kind === "option") {
      const others = this.options.split(" ").filter((word) => word && word !== this.#option(name));
      this.options = [...others, ...(value ? [`${name}=${value}`] : [])].sort().join(" ");
    } else if (kind === "count") {
      const parts = this.#field(name).split("/");
      const [fresh] = this.game.fields[this.#index(name)][2].split("/");
      this.#setField(name, resized(parts, number, fresh).join("/"));
    } else if (pattern) {
      const text = this.#field(name);
      const [start, end] = new RegExp(pattern, "d").exec(text).indices[1];
      this.#setField(name, text.slice(0, start) + value + text.slice(end));
    } else this.#setField(name, value);
  }

  #option(name) {
    return this.options.split(" ").find((word) => word.startsWith(`${name}=`));
  }

  /** The texts on the squares, rank 1 first; "" is an empty square. @returns {string[][]} */
  get rows() {
    if (!this.hasRanks) return [];
    const { empty } = this.editor;
    const rank = (text) =>
      [...text.matchAll(empty ? SQUARES : SQUARES_OR_RUNS)].flatMap(([one]) => {
        if (!empty && /^\d/.test(one)) return Array(Math.min(Number(one), 99)).fill("");
        return [one === empty ? "" : one];
      });
    return this.fields[0].split("/").map(rank).reverse();
  }
  set rows(rows) {
    const { empty } = this.editor;
    const written = (row) => {
      const all = row.map((one) => one || empty || "\0").join("");
      return all.replace(/\0+/g, (run) => String(run.length));
    };
    this.fields[0] = [...rows].reverse().map(written).join("/");
  }

  /** The pieces of the palette that can take part: parts of a field exist. */
  get palette() {
    const parts = (one) => one.part < this.#field(one.field).split("/").length;
    return (this.editor?.palette ?? []).filter((one) => one.text || one.part < 0 || parts(one));
  }

  /** The places of a piece that a field names. @param {PalettePiece} piece */
  #places({ field, is_list: isList, part }) {
    const text = this.#field(field);
    if (part >= 0) return [(text.split("/")[part] ?? "").split(":")[0]];
    return isList ? text.split(",") : [text];
  }
  #setPlaces({ field, part, gone }, places) {
    const names = places.filter((name) => squareAt(name)).sort(inOrder).join(",") || gone;
    if (part < 0) return this.#setField(field, names);
    const parts = this.#field(field).split("/");
    parts[part] = [names, ...(parts[part] ?? "").split(":").slice(1)].join(":");
    this.#setField(field, parts.join("/"));
  }

  /** The piece on a place, with the text of a square. @returns {{piece: PalettePiece, text: string} | null} */
  at(place) {
    const square = squareAt(place);
    if (!square) {
      const text = this.editor?.throne ? this.#field(this.editor.throne) : "";
      const piece = this.palette.find((one) => one.text && one.text === text);
      return piece ? { piece, text } : null;
    }
    const text = this.rows[square[1]]?.[square[0]];
    if (text) {
      const piece = this.palette.find((one) => one.text && text.startsWith(one.text));
      return piece ? { piece, text } : null;
    }
    const piece = this.palette.find((one) => one.field && this.#places(one).includes(place));
    return piece ? { piece, text: "" } : null;
  }

  /**
   * Puts a piece on a place. A piece that can hold it takes it, and a piece that can hold the one there takes that;
   * otherwise it replaces the piece there.
   *
   * @param {string} place @param {PalettePiece} piece @param {string} text
   * @returns {{holder?: PalettePiece, held?: PalettePiece, gone?: PalettePiece}} what became of the piece there
   */
  put(place, piece, text = piece.text) {
    const square = squareAt(place);
    const there = this.at(place)?.piece;
    if (!square) {
      if (this.editor.throne && piece.text) this.#setField(this.editor.throne, text);
      return { gone: there };
    }
    if (there && there.holds === piece.kind) {
      if (text) {
        const held = [...(/\((.*?)\)?$/.exec(this.at(place).text)?.[1] ?? ""), text].sort().reverse();
        this.#write(square, `${there.text}(${held.join("")})`);
      } else this.#setField(piece.field, `${piece.held}${there.owner}`);
      return { holder: there, held: piece };
    }
    const takes = there?.held && piece.holds === there.kind;
    if (takes) this.#setField(there.field, `${there.held}${piece.owner}`);
    else if (there) this.remove(place);
    if (piece.text) this.#write(square, text);
    else this.#setPlaces(piece, piece.is_list ? [...this.#places(piece), place] : [place]);
    return takes ? { holder: piece, held: there } : { gone: there };
  }

  #write([file, rank], text) {
    const rows = this.rows;
    if (rows[rank]?.[file] === undefined) return;
    rows[rank][file] = text;
    this.rows = rows;
  }

  remove(place) {
    const square = squareAt(place);
    const there = this.at(place);
    if (!square) {
      if (this.editor?.throne) this.#setField(this.editor.throne, "-");
    } else if (there && !there.piece.text) {
      this.#setPlaces(there.piece, this.#places(there.piece).filter((name) => name !== place));
    } else this.#write(square, "");
  }

  /** Moves the piece on a place to another, and returns what `put` returns. */
  move(from, to) {
    const there = this.at(from);
    if (!there || from === to) return {};
    this.remove(from);
    return this.put(to, there.piece, there.text);
  }

  /** Removes all pieces. */
  clear() {
    if (this.hasRanks) this.rows = this.rows.map((row) => row.map(() => ""));
    for (const piece of this.palette) if (piece.field) this.#setPlaces(piece, []);
    if (this.editor?.throne) this.#setField(this.editor.throne, "-");
  }

  /**
   * The pieces on squares as the core would describe them, if the text were possible.
   *
   * @returns {import("./core.js").Piece[]}
   */
  get pieces() {
    const made = [];
    const add = (piece, name, text) => {
      const [file, rank] = squareAt(name);
      const { kind, owner, value } = piece;
      const number = made.push({ kind, owner, value, place: ON_SQUARE, of: 0, file, rank, marks: 0 }) - 1;
      for (const letter of /\((.*?)\)?$/.exec(text)?.[1] ?? "") {
        const held = this.palette.find((one) => one.text === letter);
        if (held) made.push({ ...made[number], kind: held.kind, owner: 0, value: held.value, place: HELD, of: number });
      }
    };
    this.rows.forEach((row, rank) =>
      row.forEach((text, file) => {
        const piece = text && this.palette.find((one) => one.text && text.startsWith(one.text));
        if (piece) add(piece, squareName(file, rank), text);
      })
    );
    for (const piece of this.palette.filter(({ field }) => field)) {
      for (const name of this.#places(piece)) if (squareAt(name)) add(piece, name, "");
    }
    return made;
  }
}
