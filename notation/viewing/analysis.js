/** Solves the position on the board in the background, and shows the answer: value, best plies, line, the value of each ply. */

import { annotatedWords, annotateNodes, positionsToSolve, stepsOf } from "./annotating.js";
import { answerWords, effortWords, gradeOf, rowWords, shortNumber, signed } from "./answers.js";
import { button, byId, element } from "./dom.js";

/** Plies whose values are drawn on the board: the best ones. */
const MOST_ARROWS = 8;
/** On narrow screens the panel and the buttons for changes are below the board, otherwise next to it. */
const NARROW = "(max-width: 50rem)";

/** A number as people write it: 10, 1,000, 20k, 1.5M, 1e6. NaN: it is none. @param {string} text */
const numberOf = (text) => {
  const [, digits, unit] = /^(\d+(?:\.\d+)?(?:e\d\d?)?)([kMG]?)$/i.exec(text.replace(/[,_\s]/g, "")) ?? [];
  return digits ? Number(digits) * { "": 1, K: 1e3, M: 1e6, G: 1e9 }[unit.toUpperCase()] : NaN;
};

/** Bounds of a margin so far. */
const boundsWords = ({ lower, upper }) => (lower === null ? "" : `, value ${signed(lower)} to ${signed(upper)}`);

export class Analysis {
  #fen = "";
  /** @type {AbortController | null} of the search in progress */
  #search = null;
  /** @type {Map<string, import("./answers.js").Solution>} */
  #known = new Map();
  #last = null; // the last progress
  #isAnnotating = false; // then the search continues while other positions of the record are shown

  /**
   * @param {object} page
   * @param {import("./core.js").Core} page.core
   * @param {import("./solver.js").Solver} page.solver
   * @param {import("./stage.js").Stage} page.stage
   * @param {(plies: string[]) => void} page.enter plays plies
   * @param {(id: string) => import("./core.js").GameData} page.gameOf
   * @param {() => object} page.record the record that is shown, read from its text; an error says why it cannot be changed
   * @param {() => string} page.text the text of this record
   * @param {(edit: (record: object) => void) => void} page.change changes it
   */
  constructor(page) {
    this.page = page;
    byId("solve").addEventListener("click", () => this.#start(false));
    byId("solve-each").addEventListener("click", () => this.#start(true));
    byId("annotate").addEventListener("click", () => this.#annotate());
    byId("stop").addEventListener("click", () => {
      this.stop();
      byId("solve").focus();
    });
    byId("limit-kind").addEventListener("change", () => {
      const kind = byId("limit-kind").value;
      byId("limit").disabled = kind === "none";
      byId("limit").value = kind === "nodes" ? "1M" : "10";
    });
    byId("analyse").addEventListener("click", () => this.#openOrClose());
    const narrow = matchMedia(NARROW);
    const place = () => {
      const [panel, changes] = [byId("analysis"), byId("edit")];
      if (narrow.matches) byId("play").after(panel, changes);
      else byId("right").prepend(changes, panel);
    };
    narrow.addEventListener("change", place);
    place();
  }

  /** Opens or closes the panel. @param {boolean} isOpen */
  open(isOpen) {
    byId("analysis").hidden = !isOpen;
    document.body.classList.toggle("analyses", isOpen);
    byId("analyse").setAttribute("aria-expanded", String(isOpen));
    if (isOpen) this.#write();
    else {
      this.stop();
      this.page.stage.judge([]);
    }
  }

  /** Opens the panel and solves the position, unless its answer is known; or closes the panel. */
  #openOrClose() {
    this.open(byId("analysis").hidden);
    if (!byId("analysis").hidden && this.#fen && !this.#known.has(this.#fen)) this.#start(false);
  }

  /** Solves the position, or stops the search in progress. */
  toggle() {
    if (this.#search) return this.stop();
    this.open(true);
    if (this.#fen) this.#start(false);
  }

  /** Remembers an answer that was computed elsewhere. */
  remember(fen, solution) {
    this.#known.set(fen, solution);
  }

  /** Follows the position on the board; a search for another position stops. @param {string} fen "": none */
  follow(fen) {
    if (fen === this.#fen) {
      if (!byId("analysis").hidden && !this.#search) this.#write(); // the board was redrawn
      return;
    }
    if (!this.#isAnnotating) this.stop();
    this.#fen = fen;
    if (this.#isAnnotating) return;
    if (!byId("analysis").hidden) this.#write();
  }

  /** Stops the search in progress. */
  stop() {
    this.#search?.abort(new Error("stopped"));
  }

  /** The options from the fields. */
  #options(isEach) {
    const kind = byId("limit-kind").value;
    const options = isEach ? { each: true } : {};
    if (kind !== "none") options[kind] = numberOf(byId("limit").value);
    const horizon = byId("horizon").value.trim();
    if (!byId("horizons").hidden && horizon) options.depth = Number(horizon);
    return options;
  }

  async #start(isEach) {
    this.stop();
    const fen = this.#fen;
    const search = new AbortController();
    this.#search = search;
    this.#isAnnotating = false;
    this.#last = null;
    this.#clear();
    byId("verdict").textContent = "solving…";
    this.#running(true);
    const progress = (found) => {
      this.#last = found;
      byId("effort").textContent = `${shortNumber(found.nodes)} nodes, depth ${found.depth}${boundsWords(found)}`;
    };
    try {
      const solution = await this.page.solver.solve(fen, this.#options(isEach), { signal: search.signal, progress, hasBounds: true });
      this.#known.set(fen, solution);
      if (fen === this.#fen) this.#write();
    } catch (error) {
      if (fen === this.#fen && this.#search === search) {
        byId("verdict").textContent = search.signal.aborted ? `stopped${this.#last ? boundsWords(this.#last) : ""}` : error.message;
      }
    } finally {
      if (this.#search === search) {
        this.#search = null;
        this.#running(false);
      }
    }
  }

  /** Solves the positions of the main line, the last first, and writes their values into the record. */
  async #annotate() {
    this.stop();
    const { page } = this;
    const search = new AbortController();
    const { signal } = search;
    this.#search = search;
    try {
      const record = page.record();
      const game = page.gameOf(record.game);
      const positions = positionsToSolve(stepsOf(record.nodes), game.chances);
      const [text, options, solutions] = [page.text(), this.#options(false), new Map()];
      this.#isAnnotating = true;
      this.#clear();
      byId("verdict").textContent = "annotating…";
      this.#running(true);
      for (const fen of positions) {
        byId("effort").textContent = `${solutions.size} of ${positions.length} positions`;
        solutions.set(fen, await page.solver.solve(fen, options, { signal }));
        if (page.text() !== text) throw new Error("stopped: another record is shown, or this one has changed");
      }
      let words = "";
      page.change((changed) => (words = annotatedWords(annotateNodes(changed.nodes, solutions, page.core, game))));
      for (const [fen, solution] of solutions) if (!this.#known.get(fen)?.plies) this.#known.set(fen, solution);
      this.#clear();
      byId("verdict").textContent = words;
    } catch (error) {
      if (this.#search !== search) return;
      this.#clear();
      byId("verdict").textContent = signal.aborted ? "stopped: nothing is written" : error.message;
    } finally {
      if (this.#search === search) {
        this.#search = null;
        this.#isAnnotating = false;
        this.#running(false);
      }
    }
  }

  #running(isRunning) {
    byId("stop").disabled = !isRunning;
    const solve = [byId("solve"), byId("solve-each"), byId("annotate")];
    for (const one of solve) one.setAttribute("aria-disabled", String(isRunning));
    if (isRunning && solve.includes(document.activeElement)) byId("stop").focus();
  }

  #clear() {
    byId("verdict").textContent = byId("effort").textContent = "";
    byId("found").replaceChildren();
    byId("values").replaceChildren();
    byId("values").hidden = true;
    this.page.stage.judge([]);
  }

  /** Writes the answer for the position, if there is one. */
  #write() {
    this.#clear();
    const { core, gameOf } = this.page;
    const position = this.#fen ? core.position(this.#fen) : null;
    byId("horizons").hidden = !position || !gameOf(position.game).chances;
    for (const id of ["solve", "solve-each", "annotate"]) byId(id).disabled = !position;
    const solution = this.#known.get(this.#fen);
    if (!position || !solution) return;
    byId("verdict").textContent = answerWords(position, solution);
    byId("effort").textContent = `${solution.status} · ${effortWords(solution)}`;
    const { best, best_complete: isWhole, pv, pv_complete: ends, note } = solution;
    if (best.length) this.#list(isWhole ? "Best" : "Best (some)", best.map((ply) => [ply, [ply]]));
    const isEvery = isWhole && best.length > 1 && best.length === core.plies(this.#fen).length;
    if (isEvery) byId("found").append(element("p", "", "Every ply is best."));
    if (pv.length) this.#list(ends ? "Line" : "Line (cut short)", pv.map((ply, index) => [ply, pv.slice(0, index + 1)]));
    if (note) byId("found").append(element("p", "", note));
    if (solution.plies) this.#writeEach(position, solution);
    else this.#draw([...new Set([...pv.slice(0, 1), ...best])].map((ply) => ({ ply, sign: "", isBest: true })), "best plies");
  }

  /** Writes plies as buttons, which enter them. @param {string} name @param {[string, string[]][]} plies */
  #list(name, plies) {
    const row = element("p");
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", name);
    row.append(element("span", "name", name));
    for (const [words, line] of plies) {
      const made = button(words, () => this.page.enter(line));
      this.#point(made, line[0]);
      row.append(" ", made);
    }
    byId("found").append(row);
  }

  /** Draws a ply on the board while its button has the focus or the pointer. */
  #point(made, ply) {
    const { stage } = this.page;
    for (const event of ["focus", "pointerenter"]) made.addEventListener(event, () => stage.point(ply));
    for (const event of ["blur", "pointerleave"]) made.addEventListener(event, () => stage.point(""));
  }

  #writeEach(position, solution) {
    const { core, enter } = this.page;
    const after = new Map(core.plies(this.#fen).map(({ ply, fen }) => [ply, core.position(fen)]));
    const judged = solution.plies
      .filter(({ ply }) => after.has(ply))
      .map((row) => ({ ply: row.ply, words: rowWords(position, after.get(row.ply), row, solution), ...gradeOf(position, after.get(row.ply), row) }))
      .sort((a, b) => (a.rank === b.rank ? Number(b.ply === solution.pv[0]) - Number(a.ply === solution.pv[0]) : b.rank - a.rank));
    byId("values").hidden = false;
    byId("values").replaceChildren(
      ...judged.map(({ ply, words }) => {
        const item = element("li");
        const made = button("", () => enter([ply]));
        made.append(element("b", "", ply), ` ${words}`);
        this.#point(made, ply);
        item.append(made);
        return item;
      })
    );
    const [top] = judged;
    this.#draw(judged.filter(({ rank }) => rank > -Infinity).map((one) => ({ ...one, isBest: one.rank === top.rank })), "values");
  }

  /** Draws the first plies of a list. @param {{ply: string, sign: string, isBest: boolean}[]} judged @param {string} name "values" or "best plies" */
  #draw(judged, name) {
    if (judged.length > MOST_ARROWS) {
      const words = `The board shows ${MOST_ARROWS} of ${judged.length} ${name}; after a click on a piece, those of its plies.`;
      byId("found").append(element("p", "name", words));
    }
    this.page.stage.judge(judged, MOST_ARROWS);
  }
}
