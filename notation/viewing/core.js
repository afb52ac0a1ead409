/**
 * The C core in a page (core_c/src/web/web.c). It is compiled to WebAssembly and knows the rules; this file only passes
 * texts to it and words its errors with the sentences of the command line.
 *
 * @typedef {object} GameData the names and messages of a game
 * @property {string} id
 * @property {string} name
 * @property {Record<string, string>} reasons sentences for the error keys of the core
 * @property {[number, number]} players the fewest and the most players
 * @property {boolean} chances whether values are the chances of the players
 * @property {boolean} margins whether values are margins
 * @property {Record<string, string>} starts the usual starts by the number of players or the size of the board, if a game has several
 * @property {[string, string, string][]} fields name, meaning and example of each field of a position
 * @property {string} rankForm
 * @property {import("./draft.js").Editor | null} editor what a position of the game can be made of
 * @property {Record<string, string>} boards boards by name, in base64; "" is the default board
 *
 * @typedef {object} CoreData
 * @property {GameData[]} games
 * @property {Record<string, string>} invisible names of invisible characters by their numbers
 * @property {{movetext: Record<string, string>, tags: Record<string, string>, noGame: string}} sentences about records
 * @property {Record<string, string>} severities of the codes of diagnostics
 * @property {string} version of Ringfen
 *
 * @typedef {{kind: string, owner: number, value: number, place: number, of: number, file: number, rank: number,
 *   marks: number}} Piece
 * @typedef {{game: string, fen: string, files: number, ranks: number, players: number, player: number, phase: string,
 *   outcome: number, chance: boolean, widest: number, pieces: Piece[],
 *   counters: {name: string, player: number, index: number, number: number}[],
 *   options: Record<string, string>}} Position
 * @typedef {{ply: string, fen: string, weight: number}} Successor
 *
 * @typedef {object} SolveOptions the options of the command `solve`, without endgame tables and threads
 * @property {number} [nodes] limits: positions to visit
 * @property {number} [seconds]
 * @property {number} [hash] memory for tables in MiB, 256 by default
 * @property {number} [depth] the most plies to search; in GRAN the horizon, 8 by default
 * @property {string} [model] GRAN: "maxn" (default) or "paranoid"
 * @property {number} [player] paranoid: the player whose probability is computed; the player to act by default
 * @property {number | string} [until] paranoid: search deeper until this much is open, as "1/20" or 0.05
 * @property {boolean} [wdl] Gygès, Siaius: find only the value
 * @property {boolean} [each] add the value after every legal ply
 *
 * @typedef {{nodes: number, depth: number, lower: number | null, upper: number | null}} Progress positions visited so far,
 *   the current depth, and the proven bounds of a margin for the side to move
 */

/** An error that the command line would print. `at` and `length` count characters of the text. */
export class RingfenError extends Error {
  /** @param {string} message @param {string} reason @param {number} at @param {number} length @param {number} kind */
  constructor(message, reason, at, length, kind = SYNTAX) {
    super(message);
    this.name = "RingfenError";
    this.reason = reason;
    this.at = at;
    this.length = length;
    this.kind = kind;
  }
}

const SYNTAX = 1;
export const IMPOSSIBLE = 2;
const STOPPED = { 1: "the limit of nodes was reached", 2: "the limit of time was reached", 3: "the calculation was cancelled" };
const OVERFLOW = 5;
const PERFT_TABLE = 1 << 26;
/** The bounds of the whole numbers among the options of `solve`. */
const BOUNDS = { nodes: Number.MAX_SAFE_INTEGER, hash: 2048, depth: 200, player: 6 };
const MOST_SECONDS = 1e9;
const OPTIONS = [...Object.keys(BOUNDS), "seconds", "model", "player", "until", "wdl", "each"];
const USUAL_HASH = 256;
const USUAL_HORIZON = 8;
const [WDL, EACH, PARANOID, UNTIL] = [1, 2, 4, 8];
const SHOWN = 24;
const MOST_DESCRIBED = 200;
const utf8 = { encoder: new TextEncoder(), decoder: new TextDecoder() };

/** @param {Uint8Array} bytes The characters of UTF-8 that begin in these bytes. */
const characters = (bytes) => bytes.reduce((count, byte) => count + ((byte & 0xc0) !== 0x80 ? 1 : 0), 0);

/** @param {string} base64 */
export const decoded = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** A character as Python writes it if it is invisible. @param {string} character */
const escaped = (character) => {
  const short = { "\t": "\\t", "\n": "\\n", "\r": "\\r" }[character];
  const digits = character.codePointAt(0).toString(16);
  const [letter, length] = digits.length <= 2 ? ["x", 2] : digits.length <= 4 ? ["u", 4] : ["U", 8];
  return short ?? `\\${letter}${digits.padStart(length, "0")}`;
};

/** A text in quotes as Python writes it. @param {string} text */
const quoted = (text) => {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`);
  return quote + inner.replace(/(?! )[\p{C}\p{Z}]/gu, escaped) + quote;
};

/** @param {string} message An error about an option. */
const badOption = (message) => new RingfenError(message, "bad-option", 0, 0);

/** A probability as numerator and denominator. @param {number | string} share @returns {[bigint, bigint]} */
const fraction = (share) => {
  let [top, bottom] = [0n, 0n];
  const parts = /^(\d{1,18})(?:\/(\d{1,18})|\.(\d{1,17}))?$/.exec(String(share).trim());
  if (typeof share === "number" && share >= 0 && share <= 1) {
    for (bottom = 1n; share % 1 !== 0 && bottom < 1n << 62n; share *= 2) bottom *= 2n;
    top = BigInt(Math.floor(share));
  } else if (parts) {
    const decimals = parts[3] ?? "";
    bottom = parts[2] === undefined ? 10n ** BigInt(decimals.length) : BigInt(parts[2]);
    top = BigInt(parts[1] + decimals);
  }
  if (bottom === 0n || top > bottom) throw badOption("until is a probability, 0 to 1");
  return [top, bottom];
};

/** Checks the options of `solve`. @param {SolveOptions} options @param {boolean} isChance whether the game has chance */
const checkOptions = (options, isChance) => {
  const { seconds, model, player, until } = options;
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown != null) throw badOption(`there is no option ${quoted(unknown)}`);
  for (const [name, most] of Object.entries(BOUNDS)) {
    const value = options[name];
    if (value != null && !(Number.isSafeInteger(value) && value >= 1 && value <= most)) {
      throw badOption(`${name} is 1 to ${most}, not ${value}`);
    }
  }
  if (seconds != null && !(typeof seconds === "number" && seconds > 0 && seconds <= MOST_SECONDS)) {
    throw badOption(`seconds is above 0 and at most ${MOST_SECONDS}`);
  }
  if (model != null && model !== "maxn" && model !== "paranoid") {
    throw badOption(`the model is maxn or paranoid, not ${quoted(String(model))}`);
  }
  if (isChance && model !== "paranoid" && (player != null || until != null)) {
    throw badOption("player and until belong to the model paranoid");
  }
};

/** The rules of all games. All functions are synchronous. */
export class Core {
  #exports;
  #data;
  #reports;
  #ids;
  #starts;
  #boards = new Map();
  #described = new Map(); // the latest described positions, by their texts

  /** @param {any} exports the functions of web.c @param {CoreData} data @param {{to: (progress: Progress) => void}} reports */
  constructor(exports, data, reports) {
    this.#exports = exports;
    this.#data = data;
    this.#reports = reports;
    const games = JSON.parse(this.#text(exports.rf_web_games()));
    this.#ids = games.map((game) => game.id);
    this.#starts = games.map((game) => game.start);
  }

  /** @param {BufferSource} module @param {CoreData} data @returns {Promise<Core>} */
  static async load(module, data) {
    /** @type {any} the functions of web.c and the memory */
    let exports;
    const clock = (_id, _precision, at) => {
      const now = BigInt(Math.round(performance.now() * 1e6));
      new DataView(exports.memory.buffer).setBigUint64(at, now, true);
      return 0;
    };
    const reports = { to: (_progress) => {} };
    const progress = (nodes, depth, lower, upper) =>
      reports.to(lower <= upper ? { nodes, depth, lower, upper } : { nodes, depth, lower: null, upper: null });
    const system = { clock_time_get: clock, poll_oneoff: () => 0, sched_yield: () => 0 };
    const imports = { wasi_snapshot_preview1: system, ringfen: { progress } };
    exports = (await WebAssembly.instantiate(module, imports)).instance.exports;
    exports._initialize();
    if (!exports.rf_web_start()) throw new Error("the core does not start");
    return new Core(exports, data, reports);
  }

  /** @returns {{id: string, name: string, start: string, starts: Record<string, string>}[]} */
  games() {
    return this.#ids.map((id, number) => {
      const { name, starts } = this.#game(id);
      return { id, name, start: this.#starts[number], starts };
    });
  }

  /** A position from its text, or from the id of a game for its start. @param {string} text @returns {Position} */
  position(text) {
    const known = this.#described.get(text);
    if (known) return known;
    if (this.#described.size >= MOST_DESCRIBED) this.#described.clear();
    const found = this.#call("rf_web_position", text);
    this.#described.set(text, found);
    return found;
  }

  /** The legal plies in byte order. @param {string} text @returns {Successor[]} */
  plies(text) {
    return this.#call("rf_web_plies", text).map(([ply, fen, weight]) => ({ ply, fen, weight }));
  }

  /**
   * The object that `solve --json` prints. Options that do not apply to the game have no effect.
   *
   * @param {string} text
   * @param {SolveOptions} options
   * @param {(progress: Progress) => void} report called about 20 times per second
   * @param {boolean} hasBounds whether the rows of `each` have the bounds too (answers.js)
   */
  solve(text, options = {}, report = () => {}, hasBounds = false) {
    const { fen, game, players } = this.position(text);
    const isChance = this.#game(game).chances;
    checkOptions(options, isChance);
    const paranoid = isChance && options.model === "paranoid";
    const hasUntil = paranoid && options.until != null;
    const [top, bottom] = hasUntil ? fraction(options.until) : [0n, 1n];
    const player = paranoid ? (options.player ?? 0) : 0;
    if (player > players) throw badOption(`the player is 1 to ${players}, not ${player}`);
    const flags =
      (options.wdl ? WDL : 0) | (options.each ? EACH : 0) | (paranoid ? PARANOID : 0) | (hasUntil ? UNTIL : 0);
    const depth = options.depth ?? (isChance && !hasUntil ? USUAL_HORIZON : 0);
    const bytes = (options.hash ?? USUAL_HASH) * 2 ** 20;
    const limits = [options.nodes ?? 0, options.seconds ?? 0];
    this.#reports.to = report;
    try {
      const { plies, ...answer } = this.#call("rf_web_solve", fen, ...limits, bytes, depth, flags, player, top, bottom);
      answer.version = this.#data.version;
      if (!plies) return answer;
      const plain = ({ ply, status, value, distance }) => ({ ply, status, value, distance });
      return { ...answer, plies: hasBounds ? plies : plies.map(plain) };
    } finally {
      this.#reports.to = () => {};
    }
  }

  /** @param {string} text @param {string} ply @returns {{ply: string, position: Position}} */
  play(text, ply) {
    return this.#call("rf_web_play", text, ply);
  }

  /**
   * A legal ply in the form that names the places which it passes, such as bounces: those of the text, or those of a
   * short path.
   *
   * @param {string} text @param {string} ply @returns {string}
   */
  path(text, ply) {
    return this.#call("rf_web_path", text, ply);
  }

  /**
   * The legal plies that can pass places in this order, each in the form that names them, and in the short form.
   *
   * @param {string} text
   * @param {string} first the place with which the plies begin
   * @param {string[]} passed
   * @returns {[string, string][]}
   */
  passing(text, first, passed) {
    return this.#call("rf_web_passing", text, [first, ...passed].join("-"), first.length);
  }

  /** @param {string} text @param {number} depth @param {number} seconds @returns {bigint} */
  perft(text, depth, seconds = 0) {
    if (!Number.isInteger(depth) || depth < 0 || depth > 255) {
      throw new RingfenError(`depth is 0 to 255, not ${depth}`, "", 0, 0);
    }
    const { count, stopped } = this.#call("rf_web_perft", text, depth, seconds, depth >= 4 ? PERFT_TABLE : 0);
    if (stopped === OVERFLOW) throw new RingfenError("the count does not fit 64 bits", "", 0, 0);
    if (stopped !== 0) throw new RingfenError(STOPPED[stopped] ?? "memory ran out", "limit-reached", 0, 0);
    return BigInt(count);
  }

  /** Where the records of a text are: [begin, end, line, whether it begins within a line]. @param {Uint8Array} bytes */
  split(bytes) {
    return this.#ask("rf_web_split", [bytes]);
  }

  /** The tags of a record (rf_web_tags). @param {Uint8Array} bytes @param {number} most */
  tags(bytes, most) {
    return this.#ask("rf_web_tags", [bytes], most);
  }

  /**
   * The movetext of a record (rf_web_movetext).
   *
   * @param {Position | null} start
   * @param {Uint8Array} bytes the record
   * @param {number} at where the movetext begins
   * @param {number} first the number of the first round; 0: the text says it
   * @param {number} most the most errors, and the most warnings, that are reported
   */
  movetext(start, bytes, at, first, most) {
    if (!start) return this.#ask("rf_web_movetext", [new Uint8Array(), bytes], -1, 0, at, first, most);
    const { number, context } = this.#place(start.fen, start.game);
    const texts = [utf8.encoder.encode(start.fen), bytes];
    return this.#ask("rf_web_movetext", texts, number, context, at, first, most);
  }

  /** The canonical text of a record; "" if it cannot be written. @param {string} start @param {Uint8Array} bytes */
  write(start, bytes, many) {
    const { game, players } = this.position(start);
    const { number, context } = this.#place(start, game);
    const texts = [utf8.encoder.encode(start), bytes];
    return this.#ask("rf_web_write", texts, number, context, many ? players : 0).text;
  }

  /** @param {string} id */
  #game(id) {
    return this.#data.games.find((game) => game.id === id);
  }

  /** @param {string} text The first invisible character. @returns {[number, string] | null} */
  #invisible(text) {
    let at = 0;
    for (const character of text) {
      const hidden = /[\p{C}\p{Z}\ufe00-\ufe0f\u034f\u2800\u3164\u115f\u1160]/u.test(character);
      if (hidden && character !== " ") {
        const number = character.codePointAt(0);
        const name = this.#data.invisible[number] ?? "CONTROL CHARACTER";
        return [at, `U+${number.toString(16).toUpperCase().padStart(4, "0")} (${name})`];
      }
      at++;
    }
    return null;
  }

  /** The number and the context of the game of a position. @param {string} text @param {string} id */
  #place(text, id) {
    const number = this.#ids.indexOf(id);
    if (number < 0) {
      const letters = [...id];
      const shown = letters.length <= SHOWN ? id : `${letters.slice(0, SHOWN).join("")}…`;
      const found = this.#invisible(text);
      const more = found ? ` (the text contains ${found[1]})` : "";
      const message = `no game with the id ${quoted(shown)}; the games are ${this.#ids.join(", ")}${more}`;
      throw new RingfenError(message, "unknown-game", 0, letters.length);
    }
    const boards = this.#game(id).boards;
    const named = [...text.matchAll(/(?<!\S)board=(\S*)/g)].find((match) => match[1] !== "default");
    const name = named && Object.keys(boards).length ? named[1] : "";
    if (name && !Object.hasOwn(boards, name)) {
      const at = [...text.slice(0, named.index)].length;
      throw new RingfenError(`no board ${name}.board is in this page`, "no-such-board", at, [...named[0]].length);
    }
    return { number, context: boards[name] === undefined ? 0 : this.#board(`${id} ${name}`, boards[name]) };
  }

  /** The address of a board in the memory of the core, where it stays. @param {string} key @param {string} base64 */
  #board(key, base64) {
    if (!this.#boards.has(key)) this.#boards.set(key, this.#put(decoded(base64), []));
    return this.#boards.get(key);
  }

  /** The answer of the core about a position and perhaps a ply. @param {string} name @param {string} text */
  #call(name, text, ...rest) {
    const [, id, more] = /^[ \t]*([^ \t]*)[ \t]*(.?)/su.exec(text);
    const { number, context } = this.#place(text, id);
    const texts = [more ? text : this.#starts[number]];
    if (typeof rest[0] === "string") texts.push(rest.shift());
    const raw = texts.map((one) => utf8.encoder.encode(one));
    const taken = [];
    try {
      const places = raw.flatMap((bytes) => [this.#put(bytes, taken), bytes.length]);
      const answer = JSON.parse(this.#text(this.#exports[name](number, context, ...places, ...rest)));
      if (answer.error) throw this.#error(answer.error, id, texts.at(-1), raw.at(-1));
      return answer;
    } finally {
      for (const memory of taken) this.#exports.rf_web_free(memory);
    }
  }

  /** The answer of the core about texts: a function takes game and context, the texts, and numbers. */
  #ask(name, texts, ...numbers) {
    const taken = [];
    try {
      const before = texts.length > 1 ? [numbers.shift(), numbers.shift()] : [];
      const places = texts.flatMap((bytes) => [this.#put(bytes, taken), bytes.length]);
      return JSON.parse(this.#text(this.#exports[name](...before, ...places, ...numbers)));
    } finally {
      for (const memory of taken) this.#exports.rf_web_free(memory);
    }
  }

  #put(bytes, taken) {
    const at = this.#exports.rf_web_new(bytes.length);
    if (at === 0) throw new Error("memory ran out");
    taken.push(at);
    new Uint8Array(this.#exports.memory.buffer).set(bytes, at);
    return at;
  }

  #text(at) {
    if (at === 0) throw new Error("memory ran out");
    const memory = new Uint8Array(this.#exports.memory.buffer);
    const text = utf8.decoder.decode(memory.subarray(at, memory.indexOf(0, at)));
    this.#exports.rf_web_free(at);
    return text;
  }

  #error(error, id, text, raw) {
    const game = this.#game(id);
    let at = characters(raw.subarray(0, error.at));
    let length = characters(raw.subarray(0, error.at + error.length)) - at;
    let message = game.reasons[error.reason].replace(/\{(\d)\}/g, (_, number) => error.args[number]);
    const found = error.kind === SYNTAX ? this.#invisible(text) : null;
    const missing = game.fields.slice(Math.max(0, text.trim().split(/\s+/).length - 1));
    if (found) {
      [at, length] = [found[0], 1];
      message = `the invisible character ${found[1]} does not belong here`;
    } else if (error.reason === "missing-field" && missing.length) {
      const [names, values] = [0, 2].map((part) => missing.map((field) => field[part]).join(" "));
      message = `${missing[0][0]}, ${missing[0][1]}, is missing; append ${names}, such as '${values}'`;
    } else if (error.reason === "bad-ranks" && game.rankForm) {
      const before = utf8.decoder.decode(raw.subarray(0, error.at)).trim().split(/\s+/).at(-1);
      message = `${message} in rank ${before.split("/").length} from the top; ${game.rankForm}`;
    }
    return new RingfenError(message, error.reason, at, length, error.kind);
  }
}
