/**
 * A sheet of diagrams: positions with their numbers, and perhaps answers of a solver or stipulations below them.
 *
 * @typedef {object} Diagram
 * @property {number} number
 * @property {string} fen
 * @property {import("./answers.js").Solution | null} [solution]
 * @property {string} [stipulation] if it is a problem
 * @property {string} [author] of the problem
 * @property {number} [record] the number of the record of the problem
 */

import { answerRows } from "./answers.js";
import { captionOf } from "./captions.js";
import { element } from "./dom.js";

/** How far below the window diagrams are drawn, so that scrolling finds them. */
const AHEAD = "800px";
/** The most diagrams of a page. */
const MOST_DIAGRAMS_OF_SHEET = 10_000;
/** The statuses of answers. */
const STATUSES = ["unknown", "bound", "horizon", "exact"];
/** Fields of an answer with plies. */
const PLY_LISTS = ["best", "pv"];

/** Whether the fields of an answer that the page shows have their types. @param {any} found */
const isAnswer = (found) =>
  typeof found === "object" &&
  found !== null &&
  typeof found.fen === "string" &&
  STATUSES.includes(found.status) &&
  PLY_LISTS.every((name) => found[name] == null || (Array.isArray(found[name]) && found[name].every((one) => typeof one === "string"))) &&
  (found.value == null ||
    ["win", "loss", "draw"].includes(found.value) ||
    Number.isInteger(found.value) ||
    (Array.isArray(found.value) && found.value.every((one) => one === null || typeof one === "string")));

/** What stipulations mean. @type {[RegExp, string][]} */
const MEANINGS = [
  [/^win in /, "Win in n: find the first ply with which the side to move wins within 2n − 1 plies, whatever the other side plays."],
  [/^best margin /, "Best margin m: find the first ply with which the side to move ends m points ahead, with best play of both sides."],
  [
    /^best chance .* maxn /,
    "Best chance p maxn n: find the first ply with which the player to move wins within n plies with probability p, if all play for their own chance. A card and a die are one ply.",
  ],
  [
    /^best chance .* paranoid /,
    "Best chance p paranoid n: find the first ply with which the player to move wins within n plies with probability p, if all others play against this player. A card and a die are one ply.",
  ],
];

/** The fields of an answer that are not in it. */
const NO_ANSWER = {
  ...{ value: null, distance: null, best: [], best_complete: false, pv: [], pv_complete: false, nodes: 0, seconds: 0 },
  ...{ lower: null, upper: null, decided: null, endless: null, model: null, horizon: null, open: null, note: null },
};
/** An answer with all fields; those that it lacks are null. */
const wholeAnswer = (found) => {
  const given = Object.entries(found).filter(([name, value]) => Object.hasOwn(NO_ANSWER, name) && value !== null);
  return { status: found.status, ...NO_ANSWER, ...Object.fromEntries(given) };
};

/**
 * The lines of a text that contain something, as [number from 1, text, column of its start].
 *
 * @param {string} text @returns {Generator<[number, string, number]>}
 */
function* linesOf(text) {
  let number = 0;
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)) {
    number++;
    const begin = line.length - line.trimStart().length;
    if (line.trim()) yield [number, line.trim(), begin + 1];
  }
}

/**
 * Whether a text is a file of positions or of answers, as its first line shows.
 *
 * @param {string} text
 * @param {{id: string}[]} games
 */
export const isSheet = (text, games) => {
  for (const [, line] of linesOf(text.slice(0, 1 << 16))) {
    if (line.startsWith("#")) continue;
    if (line.startsWith("{")) return /"fen"\s*:/.test(line) && /"status"\s*:/.test(line);
    const [id, ranks] = line.split(/\s+/);
    return games.some((game) => game.id === id) && (ranks === undefined || ranks.includes("/"));
  }
  return false;
};

/**
 * The diagrams of a file of positions or of answers, and what is wrong in it.
 *
 * @param {string} text
 * @param {string} name of the file
 * @param {import("./core.js").Core} core
 * @returns {{diagrams: Diagram[], errors: string[]}}
 */
export const readSheet = (text, name, core) => {
  const [diagrams, errors] = [[], []];
  for (const [number, line, column] of linesOf(text)) {
    const isObject = line.startsWith("{");
    const words = isObject ? line : line.replace(/\s*#.*/s, "");
    if (!words) continue;
    try {
      const found = isObject ? JSON.parse(line) : null;
      if (found && !isAnswer(found)) throw new SyntaxError("not an answer");
      const { fen } = core.position(found ? found.fen : words);
      diagrams.push({ number, fen, solution: found ? wholeAnswer(found) : null });
    } catch (error) {
      if (error instanceof SyntaxError) errors.push(`line ${number} of ${name} is not an answer`);
      else errors.push(`${name}:${number}:${column + (isObject ? 0 : (error.at ?? 0))}: ${error.reason}: ${error.message}`);
    }
  }
  return { diagrams, errors };
};

/** The address that shows a position. @param {string} fen */
export const addressOf = (fen) => `#fen=${encodeURIComponent(fen)}`;

export class Sheet {
  /** @type {Diagram[]} */
  diagrams = [];
  #waiting = new Map(); // figures that are not drawn yet, with their diagrams
  #seen; // draws the figures that come into sight

  /**
   * @param {HTMLElement} box
   * @param {import("./core.js").Core} core
   * @param {(position: import("./core.js").Position) => SVGElement} draw
   * @param {(diagram: Diagram) => HTMLElement | null} solve returns the moves of a problem's solution, if it has one
   */
  constructor(box, core, draw, solve) {
    this.box = box;
    this.core = core;
    this.draw = draw;
    this.solve = solve;
    this.#seen = new IntersectionObserver(
      (found) => {
        for (const { isIntersecting, target: figure } of found) if (isIntersecting) this.#write(figure);
      },
      { rootMargin: AHEAD }
    );
  }

  /** Adds diagrams. @param {Diagram[]} diagrams */
  add(diagrams) {
    if (this.diagrams.length + diagrams.length > MOST_DIAGRAMS_OF_SHEET) {
      throw new Error(`a page has at most ${MOST_DIAGRAMS_OF_SHEET.toLocaleString("en")} positions`);
    }
    this.diagrams.push(...diagrams);
    this.box.append(
      ...diagrams.map((one) => {
        const figure = element("figure");
        this.#waiting.set(figure, one);
        this.#seen.observe(figure);
        return figure;
      })
    );
  }

  /** Removes all diagrams except the first ones. @param {number} count */
  cut(count) {
    this.diagrams.length = count;
    for (const figure of [...this.box.children].slice(count)) {
      this.#waiting.delete(figure);
      this.#seen.unobserve(figure);
      figure.remove();
    }
  }

  /** What the sheet shows, in words. */
  get words() {
    const thing = this.diagrams.every((one) => one.record) ? "problem" : "position";
    return `${this.diagrams.length} ${thing}${this.diagrams.length === 1 ? "" : "s"}`;
  }

  /** What the stipulations on the sheet mean. */
  get meanings() {
    const given = this.diagrams.map(({ stipulation }) => stipulation ?? "");
    return MEANINGS.filter(([form]) => given.some((one) => form.test(one))).map(([, words]) => words);
  }

  /** Draws all diagrams, and writes the solutions of problems on a new page, to print them. @param {HTMLElement} box */
  writeAll(box) {
    for (const figure of [...this.#waiting.keys()]) this.#write(figure);
    const solutions = this.diagrams.flatMap((one) => {
      const moves = this.solve(one);
      if (!moves) return [];
      const solution = element("div", "solution");
      solution.append(element("h2", "", `${one.number}. ${one.stipulation}`), moves);
      return [solution];
    });
    box.replaceChildren(...(solutions.length ? [element("h1", "", "Solutions"), ...solutions] : []));
  }

  #write(figure) {
    const diagram = this.#waiting.get(figure);
    if (!diagram) return;
    this.#waiting.delete(figure);
    this.#seen.unobserve(figure);
    const position = this.core.position(diagram.fen);
    const link = element("a");
    link.href = addressOf(diagram.fen);
    const picture = this.draw(position);
    link.append(picture);
    const words = [...captionOf(position, ""), ...(diagram.record ? [diagram.stipulation] : [])].join("; ");
    picture.setAttribute("aria-label", `Diagram ${diagram.number}: ${words}. ${diagram.fen}`);
    figure.append(link, this.caption(diagram, position));
  }

  /** The number, status and answer or problem below a diagram. @param {Diagram} diagram @param {import("./core.js").Position} position */
  caption(diagram, position) {
    const { number, fen, solution } = diagram;
    const caption = element("figcaption");
    const words = captionOf(position, "");
    caption.append(element("div", "", `${number}. ${position.players === 2 ? words.join("; ") : words[0]}`));
    if (solution) {
      const list = element("dl");
      for (const [name, words] of answerRows(position, solution)) list.append(element("dt", "", name), element("dd", "", words));
      caption.append(list);
    }
    if (diagram.record) caption.append(...[diagram.author, diagram.stipulation].filter(Boolean).map((words) => element("div", "", words)));
    if (position.players > 2) caption.append(...words.slice(1).map((one) => element("p", "", one)));
    if (diagram.record) caption.append(...this.#hidden(diagram));
    const text = element("code");
    text.append(...fen.split(/(?<=[/,])/).flatMap((part) => [part, element("wbr")]));
    caption.append(text);
    return caption;
  }

  /** The solution of a problem, which is written when the reader opens it. @param {Diagram} diagram */
  #hidden(diagram) {
    const moves = this.solve(diagram);
    if (!moves) return [];
    const details = element("details");
    details.append(element("summary", "", "Solution"));
    details.addEventListener("toggle", () => details.open && details.append(moves));
    return [details];
  }
}
