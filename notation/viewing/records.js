/**
 * Reads and checks texts of records with the core, as record_checker.py does, and writes them in canonical form.
 *
 * @typedef {{code: string, isError: boolean, line: number, column: number, at: number, length: number, ply: number | null,
 *   reason: string, words: string, text: string, tag: string}} Diagnostic `at` and `length` count characters of the record;
 *   `words` name what is wrong before the reason; `tag` is the name of the tag that it is about, or ""
 * @typedef {object} RecordText
 * @property {string} text its canonical text, or the given one if it is invalid
 * @property {[string, string][]} tags
 * @property {string | null} game its id
 * @property {string | null} start the position that it begins with
 * @property {import("./tree.js").TreeNode[]} nodes
 * @property {string} result
 * @property {number} first the number of its first round
 * @property {boolean} decided whether the last position decides the result
 * @property {Diagnostic[]} diagnostics
 * @property {boolean} valid
 * @property {boolean} isComplete whether it can be changed: its move numbers do not show that plies are missing
 */

import { shownComment } from "./commands.js";
import { IMPOSSIBLE, RingfenError } from "./core.js";
import { plant, tagText, textOf } from "./tree.js";

const PLY = 1;
const NAG = 2;
const COMMENT = 3;
const OPEN = 4;
const CLOSE = 5;
const MOST_REPORTED = 100;
const MOST_TAGS = 10_000;
/** Warnings that do not concern how a record is written. */
const OF_TAGS = ["missing-tag", "bad-date"];
/** The most tags that the core writes. */
const MOST_CORE_TAGS = 48;
/** The tags that come first in canonical form, besides those of players. */
const ORDERED_TAGS = ["Game", "Event", "Site", "Date", "Round", "Result", "FEN"];
/** The usual tags besides those of the players and the result. */
export const FIRST_TAGS = ["Event", "Date"];
const OF_TWO = { 1: "1-0", 2: "0-1", "-1": "1/2-1/2" };

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true });

/** The text as a terminal may show it. @param {string} text */
const printable = (text) => text.replace(/[\t\n\r]/g, " ").replace(/(?! )[\p{C}\p{Z}]/gu, "\ufffd");
const quote = (text) => {
  const letters = [...text];
  return printable(letters.length <= 60 ? text : `${letters.slice(0, 60).join("")}…`);
};

/** The offset of the first byte that is not UTF-8, or -1. @param {Uint8Array} bytes */
const badByte = (bytes) => {
  try {
    strict.decode(bytes);
    return -1;
  } catch {
    let [good, bad] = [0, bytes.length];
    while (bad - good > 1) {
      const middle = (good + bad) >> 1;
      try {
        new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, middle), { stream: true });
        good = middle;
      } catch {
        bad = middle;
      }
    }
    while (good > 0 && (bytes[good] & 0xc0) === 0x80) good--;
    return good;
  }
};

/**
 * What is wrong with a date, or nothing.
 * @param {string} text
 */
const dateError = (text) => {
  if (text === "" || text === "?") return "";
  const match = /^([0-9?]{4})(?:\.([0-9?]{2})(?:\.([0-9?]{2}))?)?$/.exec(text);
  if (!match) return "a date is YYYY.MM.DD, such as 1998.03.12, with ? for each unknown digit";
  const [year, month, day] = [match[1], match[2] ?? "??", match[3] ?? "??"];
  const fits = (number, pattern) =>
    [...String(number).padStart(pattern.length, "0")].every(
      (digit, index) => pattern[index] === "?" || pattern[index] === digit
    );
  const some = (most, test) => Array.from({ length: most }, (_, at) => at + 1).some(test);
  const isLeap = (one) => one % 4 === 0 && (one % 100 !== 0 || one % 400 === 0);
  const leap = some(9999, (one) => isLeap(one) && fits(one, year));
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  const exists =
    year !== "0000" && days.some((count, index) => fits(index + 1, month) && some(count, (one) => fits(one, day)));
  return exists ? "" : "the calendar has no such day";
};

/**
 * Whether one character was left out, added or exchanged, or two neighbours were swapped.
 * @param {string} a
 * @param {string} b
 */
const isOneSlip = (a, b) => {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const left = a.slice(start, a.length - end);
  const right = b.slice(start, b.length - end);
  return (
    a !== b &&
    ((left.length <= 1 && right.length <= 1) ||
      (left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]))
  );
};

/** A record whose tree is made when it is first used. @param {object} record @param {Reading} reading */
const withNodes = (record, reading) => {
  let nodes = null;
  return Object.defineProperty(record, "nodes", { enumerable: true, get: () => (nodes ??= reading.nodes()) });
};

/** One record on its way through the core. */
class Reading {
  constructor(records, bytes, place) {
    this.records = records;
    this.bytes = bytes;
    this.place = place; // source, number, line, column
    this.diagnostics = [];
    const whole = decoder.decode(bytes);
    this.aligned = whole.length === bytes.length ? whole : null; // then bytes and characters have the same places
  }

  text(at, length) {
    return this.aligned !== null ? this.aligned.slice(at, at + length) : decoder.decode(this.bytes.subarray(at, at + length));
  }

  say(code, at, length, subject, reason, ply = null, tag = "") {
    const { source, number, line, column } = this.place;
    const before = this.text(0, at).split(/\r\n|\r|\n/);
    const last = before.at(-1).replace(/^\ufeff/, "");
    const [row, col] = [line + before.length - 1, [...last].length + (before.length === 1 ? column : 1)];
    const isError = this.records.severities[code] === "error";
    const words = printable(reason);
    const where = `${subject ? `${subject} in` : "in"} record ${number}${ply ? `, ply ${ply}` : ""}`;
    const text = `${source}:${row}:${col}: ${code}: ${where}: ${words}${isError ? "" : " (warning)"}`;
    const [from, marked] = [[...this.text(0, at)].length, [...this.text(at, length)].length];
    const place = { line: row, column: col, at: from, length: marked, ply };
    const about = subject ? `${subject}: ${words}` : words;
    this.diagnostics.push({ code, isError, ...place, reason: words, words: about, text, tag });
  }

  sayOfTag(code, name, reason, at = 0, length = 0) {
    const { at: from, length: size } = this.tagPlace(name);
    const subject = quote(this.text(from, Math.min(size, 400)));
    // The place is given in characters of the value.
    const bytes = (count) => encoder.encode([...this.text(from, size)].slice(0, count).join("")).length;
    const begin = Math.min(bytes(at), size - 1);
    const marked = Math.max(1, length ? bytes(at + length) - begin : size - begin);
    this.say(code, from + begin, marked, `${name} ${subject}`, reason, null, name);
  }

  tagPlace(name) {
    const found = this.known.get(name);
    if (found) return { at: found.valueAt, length: Math.max(1, found.valueLength) };
    return this.head;
  }

  run() {
    const { records, bytes } = this;
    if (this.place.column > 1) this.say("missing-line-end", 0, 1, "", "a record begins on a new line");
    this.readTags();
    const bad = badByte(bytes);
    if (bad >= 0) {
      const shown = bytes[bad].toString(16).padStart(2, "0");
      this.say("bad-utf8", bad, 1, `byte ${shown}`, "it is not UTF-8; save the file as UTF-8");
    }
    const start = (this.start = this.findStart());
    const scan = this.scan();
    for (const found of scan.diagnostics) this.sayOfMovetext(found);
    const hidden = ["error", "warning"].map((kind) => {
      const shown = scan.diagnostics.filter(({ code }) => records.severities[code] === kind).length;
      return scan[`${kind}s`] - shown;
    });
    if (this.cut) {
      const words = `text after the first ${MOST_REPORTED} bad tags is not read`;
      this.say("not-shown", Math.max(0, bytes.length - 1), 1, "", words);
    } else if (hidden[0] > 0 || hidden[1] > 0) {
      const words = `${hidden[0]} more errors and ${hidden[1]} more warnings in this record are not shown`;
      this.say("not-shown", Math.max(0, bytes.length - 1), 1, "", words);
    }
    const result = this.findResult(scan, start);
    this.checkTags(start);
    this.diagnostics.sort((a, b) => a.line - b.line || a.column - b.column);
    const valid = !this.diagnostics.some(({ isError }) => isError);
    const tags = this.tags.map(([name, value]) => [name, name === "FEN" && start ? start.fen : value]);
    return {
      tags,
      game: this.game?.id ?? null,
      start: start?.fen ?? null,
      result,
      first: scan.first || 1,
      decided: this.decided !== null,
      diagnostics: this.diagnostics,
      valid,
    };
  }

  scan() {
    const first = this.known.has("FEN") ? 0 : 1;
    return this.records.core.movetext(this.start, this.bytes, this.movetext, first, MOST_REPORTED);
  }

  readTags() {
    const { bytes } = this;
    const { tags, movetext } = this.records.core.tags(bytes, MOST_TAGS);
    this.known = new Map();
    this.tags = [];
    this.movetext = movetext;
    this.head = tags.length ? { at: tags[0][0], length: Math.max(1, tags[0][1]) } : { at: 0, length: 1 };
    let bad = 0;
    for (const [at, length, nameAt, nameLength, valueAt, valueLength, problem] of tags) {
      const name = this.text(nameAt, nameLength);
      const subject = quote(this.text(at, Math.min(length, 400)));
      if (problem) this.say("bad-tag", at, length, subject, this.records.sentences.tags[problem]);
      else if (this.known.has(name)) {
        this.say("duplicate-tag", at, length, subject, `the tag ${quote(name)} was given before; each may occur once`);
      } else {
        this.known.set(name, { valueAt, valueLength });
        this.tags.push([name, this.text(valueAt, valueLength).replace(/\\(["\\])/g, "$1")]);
        continue;
      }
      if (++bad === MOST_REPORTED) {
        this.movetext = bytes.length;
        this.cut = true;
        break;
      }
    }
    this.values = Object.assign(Object.create(null), Object.fromEntries(this.tags));
  }

  /** The described start position, or null. */
  findStart() {
    const { core, games } = this.records;
    const { Game: name, FEN: fen } = this.values;
    this.game = games.find(({ id }) => id === name) ?? null;
    if (name !== undefined && !this.game) {
      this.sayOfTag("unknown-game", "Game", `the games are ${games.map(({ id }) => id).join(", ")}`);
    }
    if (fen !== undefined) return this.startOfFen(fen);
    if (name === undefined) {
      this.say("missing-game", this.head.at, this.head.length, "", this.records.sentences.noGame);
    }
    if (!this.game) return null;
    if (!this.checkPlayers(null)) return null;
    const players = Math.max(0, ...this.playerNumbers());
    return core.position(players ? this.game.starts[players] : this.game.id);
  }

  startOfFen(fen) {
    const words = fen.trim().split(/\s+/);
    const named = this.game;
    if (words.length < 2) {
      this.sayOfTag("bad-position", "FEN", "expected a whole position");
      return null;
    }
    const game = this.records.games.find(({ id }) => id === words[0]);
    if (game) {
      this.game = game;
      if (named && named !== game) {
        this.sayOfTag("game-mismatch", "Game", `the FEN tag has a position of ${game.id}`);
        return null;
      }
    }
    try {
      const start = this.records.core.position(fen);
      this.checkPlayers(start);
      return start;
    } catch (error) {
      if (!(error instanceof RingfenError)) throw error;
      const board = error.reason === "no-such-board";
      const code = board ? "unknown-board" : error.kind === IMPOSSIBLE ? "impossible-position" : "bad-position";
      this.sayOfTag(code, "FEN", error.message, error.at, error.length);
      return null;
    }
  }

  playerNumbers() {
    if (this.game.players[1] <= 2) return [];
    return [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((number) => this.known.has(`Player${number}`));
  }

  /** Whether the game can have these players. */
  checkPlayers(start) {
    const [least, most] = this.game.players;
    const numbers = this.playerNumbers();
    if (!numbers.length) return true;
    const gap = numbers.findIndex((number, index) => number !== index + 1);
    const count = numbers.length;
    const within = numbers.at(-1) <= most && numbers.at(-1) >= least;
    if (gap >= 0) this.sayOfTag("bad-players", `Player${numbers[gap]}`, `there is no tag Player${gap + 1}`);
    else if (start && count > start.players) {
      this.sayOfTag("bad-players", `Player${start.players + 1}`, `the position has ${start.players} players`);
    } else if (!start && !within) {
      const words = `${this.game.name} has ${least} to ${most} players, not ${count}`;
      this.sayOfTag("bad-players", `Player${count}`, words);
    }
    return within;
  }

  sayOfMovetext({ code, at, length, ply, expected, reason, args }) {
    const { sentences } = this.records;
    const subject = quote(this.text(at, Math.min(Math.max(1, length), 400)));
    const words = reason
      ? this.game.reasons[reason].replace(/\{(\d)\}/g, (_, number) => args[number])
      : sentences.movetext[code].replace("{0}", expected);
    this.say(code, at, Math.max(1, length), subject, words, ply || null);
  }

  /** What is wrong with a result, as [code, words], or null. */
  resultFault(result, start) {
    const of = this.game && this.game.players[1] > 2 ? "many" : "two";
    if (start) {
      const numbers = result.split("-");
      const sorted = [...numbers].sort().join("");
      const fits =
        result === "*" ||
        (of === "two"
          ? Object.values(OF_TWO).includes(result)
          : numbers.length === start.players && sorted === `${"0".repeat(start.players - 1)}1`);
      const example = ["1", ...Array(start.players - 1).fill("0")].join("-");
      const allowed =
        of === "two" ? "1-0, 0-1, 1/2-1/2 or *" : `* or ${start.players} numbers, a single 1 and otherwise 0, such as ${example}`;
      if (!fits) return ["bad-result", `a result here is ${allowed}`];
    } else if (!/^(\*|[01]-[01](-[01])*|1\/2-1\/2)$/.test(result)) {
      return ["bad-result", "it is not a result of any game"];
    }
    if (this.decided !== null && this.decided !== result) {
      return ["result-mismatch", `the last position says ${this.decided}`];
    }
    return null;
  }

  findResult(scan, start) {
    const tag = this.values.Result;
    let token;
    const { resultAt: at, resultLength: length, outcome } = scan;
    this.decided = null;
    if (scan.complete && start && outcome !== 0) {
      const winner = Array.from({ length: start.players }, (_, index) => (index + 1 === outcome ? "1" : "0")).join("-");
      this.decided = this.game.players[1] > 2 ? winner : OF_TWO[outcome];
    }
    if (length) token = quote(this.text(at, length));
    else if (!scan.errors && !this.cut) {
      const last = Math.max(0, this.bytes.findLastIndex((byte) => byte !== 32 && (byte < 9 || byte > 13)));
      this.say("missing-result", last, 1, "", "the movetext ends with a result, or with *");
    }
    let good = true;
    const fault = token === undefined ? null : this.resultFault(token, start);
    if (fault) this.say(fault[0], at, Math.max(1, length), token, fault[1]);
    const ofTag = tag === undefined ? null : this.resultFault(tag, start);
    if (ofTag) this.sayOfTag(ofTag[0], "Result", ofTag[1]);
    good = !fault && !ofTag;
    if (good && token !== undefined && tag !== undefined && token !== tag) {
      this.say("result-mismatch", at, Math.max(1, length), token, `the tag Result says ${quote(tag)}`);
    }
    return this.decided ?? token ?? tag ?? "*";
  }

  checkTags(start) {
    if (this.game) {
      const count = start ? start.players : this.game.players[0];
      const players = playerTags(this.game).slice(0, count);
      const missing = [...FIRST_TAGS, ...players, "Result"].filter((name) => !this.known.has(name));
      if (missing.length) {
        let words = `usual tags are absent: ${missing.join(", ")}`;
        if (missing.includes("South") && (this.known.has("White") || this.known.has("Black"))) {
          words += "; the players are South and North here, not White and Black";
        }
        const usual = [...FIRST_TAGS, ...players, "Result"];
        const others = [...this.known.keys()].filter((name) => !usual.includes(name));
        for (const name of missing) {
          for (const other of others) {
            if (isOneSlip(other, name)) words += `; the tag ${other} may be meant as ${name}`;
          }
        }
        this.say("missing-tag", this.head.at, this.head.length, "", words);
      }
    }
    const wrong = dateError(this.values.Date ?? "");
    if (wrong) this.sayOfTag("bad-date", "Date", wrong);
  }

  nodes() {
    const tree = plant({ fen: this.start?.fen ?? "" });
    if (!this.start) return tree.nodes;
    const comment = (at, length) => {
      const text = this.text(at, length)
        .replace(/(?<=[\r\n])(?:\ufeff?%[^\r\n]*|\ufeff)/g, "")
        .replace(/[ \t\r\n]+/g, " ")
        .replace(/^ | $/g, "");
      return { text, shown: shownComment(text) };
    };
    const before = this.text(0, this.head.at).replace(/(^|(?<=[\r\n]))(?:\ufeff?%[^\r\n]*|\ufeff)/g, "");
    if (this.tags.length) {
      for (const match of before.matchAll(/\{([^}]*)\}|;([^\r\n]*)/g)) {
        const text = (match[1] ?? match[2] ?? "").replace(/[ \t\r\n]+/g, " ").replace(/^ | $/g, "");
        tree.comment({ text, shown: shownComment(text) });
      }
    }
    for (const [kind, at, length, ...more] of this.scan().events) {
      if (kind === PLY) {
        const ply = this.text(at, length);
        const [round, opens, short, fen] = more;
        tree.ply({ ply, short: short || ply, round, opens: opens === 1, fen });
      } else if (kind === NAG) tree.nag(more[0]);
      else if (kind === COMMENT) {
        tree.comment(comment(at, length));
        if (more[0]) tree.state(more[0]);
      } else if (kind === OPEN) tree.open();
      else if (kind === CLOSE) tree.close();
    }
    return tree.nodes;
  }
}

/** The tags that name the players of a game, as many as can take part. @param {import("./core.js").GameData} game */
export const playerTags = (game) =>
  game.players[1] > 2 ? Array.from({ length: game.players[1] }, (_, index) => `Player${index + 1}`) : ["South", "North"];

/** Reads and writes texts of records. */
export class Records {
  /** @param {import("./core.js").Core} core @param {import("./core.js").CoreData} data */
  constructor(core, data) {
    this.core = core;
    this.games = data.games;
    this.sentences = data.sentences;
    this.severities = data.severities;
  }

  /**
   * The records of a text, each with its canonical text. An invalid record and one with wrong move numbers keep their
   * text: plies may be missing, and new numbers would hide that.
   *
   * @param {string | Uint8Array} given
   * @param {string} source what diagnostics call it
   * @param {boolean} renumbers whether wrong numbers are corrected
   */
  read(given, source = "<text>", renumbers = false) {
    let bytes = typeof given === "string" ? encoder.encode(given) : given;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3);
    return this.core.split(bytes).map(([begin, end, line, middle], index) => {
      const column = middle ? 1 + [...decoder.decode(bytes.subarray(0, begin)).split(/[\r\n]/).at(-1)].length : 1;
      const part = bytes.subarray(begin, end);
      const reading = new Reading(this, part, { source, number: index + 1, line: line + 1, column });
      const record = withNodes(reading.run(), reading);
      record.isComplete = renumbers || !record.diagnostics.some(({ code }) => code === "wrong-number");
      record.text = (record.valid && record.isComplete && this.canonical(record, part)) || `${decoder.decode(part).trimEnd()}\n\n`;
      return record;
    });
  }

  /** The one record of a text. An error of the text is raised, in the words of the command line. */
  readOne(text, renumbers = false) {
    const records = this.read(text, "<text>", renumbers);
    const error = records.flatMap(({ diagnostics }) => diagnostics).find(({ isError }) => isError);
    if (error) {
      throw Object.assign(new RingfenError(error.text, error.code, error.at, error.length), { words: error.words });
    }
    if (records.length === 1) return records[0];
    const words = records.length ? `expected one record, not ${records.length}` : "the text contains no record";
    throw new RingfenError(words, records.length ? "many-records" : "no-record", 0, 0);
  }

  /**
   * The canonical text of a record that is valid. The core writes it from the bytes, or from the tree if the bytes have
   * warnings or cannot be written as they are. If there are many tags, it gets those with a fixed place; the others follow them.
   */
  canonical(record, bytes) {
    const game = this.games.find(({ id }) => id === record.game);
    const write = (raw) => this.core.write(record.start, raw, game.players[1] > 2);
    const isPlain = record.diagnostics.every(({ code }) => OF_TAGS.includes(code));
    const text = isPlain ? write(bytes) : "";
    if (text || record.tags.length <= MOST_CORE_TAGS) return text || write(encoder.encode(textOf(record)));
    const fixed = [...ORDERED_TAGS, ...playerTags(game)];
    const isFixed = ([name]) => fixed.includes(name);
    const others = record.tags.filter((tag) => !isFixed(tag)).map(tagText).join("");
    const found = write(encoder.encode(textOf({ ...record, tags: record.tags.filter(isFixed) })));
    return found.replace("\n\n", () => `\n${others}\n`);
  }
}
