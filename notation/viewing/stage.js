/**
 * The board of the page: draws positions, and turns clicks on places into plies.
 *
 * @typedef {object} Scene what the board shows
 * @property {number} board the number of the board in the page; -1: none, a plain board is drawn
 * @property {number[]} things the numbers of shapes in the page that are on it
 * @property {import("./core.js").Position | null} position or the position that the core describes
 * @property {string} ply the ply that is marked
 *
 * @typedef {object} Arrangement how the position on the board is edited
 * @property {import("./core.js").Position} position
 * @property {string} picked the place whose piece moves next; "" none
 * @property {(place: string) => "next" | "free" | ""} [stateOf] whether a place can be pressed, and whether a circle marks it
 * @property {boolean} [isUnfinished] whether pieces are put that are not a ply yet
 * @property {() => boolean} [unclick] takes the last of them back. False: there is none
 * @property {(place: string) => boolean} canMove whether the place has a piece
 * @property {(place: string) => void} press is called with a place that was pressed
 * @property {(from: string, to: string) => void} drop is called after a piece was dragged; to "": beyond the board
 * @property {(place: string, key: string) => boolean} key is called with other keys; true: the key is used
 */

import { CAPTION_END, captionLine, drawn, judged, LINE_HEIGHT, marksOf, piecesOf, plainBoard, target, wrapped } from "./board.js";
import { placeWords, plyWords } from "./captions.js";
import { button, byId, element } from "./dom.js";

const PLACE = /[a-z][0-9]+|[NS]/g; // in the text of a ply
const MOST_CHOICES = 100; // of all others, the text is entered

/** The places that a ply names. @param {string} ply */
export const placesOf = (ply) => ply.match(PLACE) ?? [];

/** Games whose boards tint the squares of the last ply. */
const TINTED = ["rings", "siaius"];

export class Stage {
  #side = 0; // 0: South sees the board from below, 1: North
  #places = {}; // the centres of its squares
  /** @type {Scene | null} */
  #scene = null;
  /** @type {Map<string, string[]>} the legal plies, each with the places that it names */
  #legal = new Map();
  /** @type {import("./core.js").Core | null} for the places that plies pass; null: not loaded yet */
  core = null;
  /** @type {{ply: string, sign: string, isBest: boolean}[]} */
  #judged = []; // plies with their values, the best first
  #most = 0; // the maximum number of them that are drawn as arrows
  #pointed = ""; // the ply that a list points at
  /** @type {Arrangement | null} how the position is edited; null: plies are entered */
  #arrangement = null;
  #focus = ""; // the place that Tab reaches while a position is edited
  #picked = []; // the places that were clicked
  /** @type {import("./core.js").Position | null} */
  #position = null; // for the names of places

  /**
   * @param {{boards: object[], sizes: number[][], places: object[], layers: string}} data
   * @param {HTMLElement} box for the drawing
   * @param {HTMLElement} choices for the buttons with plies
   * @param {(ply: string) => void} play is called with a ply that was clicked
   * @param {(words: string) => void} say is called with a hint after each click; "": the click is a step of a ply
   */
  constructor(data, box, choices, play, say) {
    this.data = data;
    this.choices = choices;
    this.play = play;
    this.say = say;
    this.boards = byId("boards").content.firstElementChild.children;
    this.shapes = byId("shapes").content.firstElementChild.children;
    this.picture = drawn("svg", { class: "ringfen", role: "img", "aria-label": "no board", "font-family": "sans-serif" });
    box.append(this.picture);
    this.#connectDragging();
  }

  /** The board of the page for a position that the core describes; -1 if there is none. */
  boardFor(position) {
    const name = position.options.board ?? "";
    return this.data.boards.findIndex(
      ([game, files, ranks, board]) =>
        game === position.game && files === position.files && ranks === position.ranks && board === name
    );
  }

  clear() {
    this.#scene = null;
    this.picture.replaceChildren();
    this.picture.setAttribute("aria-label", "no board");
    this.offer([]);
  }

  /** Shows a scene. @param {Scene} scene @param {string} label for screen readers */
  show(scene, label) {
    this.#scene = scene;
    this.#judged = [];
    this.#pointed = "";
    this.picture.setAttribute("aria-label", label);
    this.#draw();
  }

  /** Turns the board, and returns whether North now sees it from below. */
  flip() {
    this.#side = 1 - this.#side;
    if (this.#scene) {
      this.#draw();
      if (this.#arrangement) this.arrange(this.#arrangement);
      else this.#mark();
    }
    return this.#side === 1;
  }

  #view(groups, number) {
    const views = groups[number].children;
    return (views[this.#side] || views[0]).cloneNode(true);
  }

  #draw() {
    this.#places = this.#fill(this.picture, this.#scene);
    this.#drawJudged();
  }

  /**
   * Draws plies with signs of their values, the best on top.
   *
   * @param {{ply: string, sign: string, isBest: boolean}[]} plies the best first
   * @param {number} most the maximum number that are drawn; of plies between the same places, the best is
   */
  judge(plies, most = 0) {
    this.#judged = plies;
    this.#most = most;
    this.#pointed = "";
    this.#drawJudged();
  }

  /** The judged plies that are drawn, the best last. After a click they begin at its place. */
  #drawable() {
    const seen = new Set();
    const [first] = this.#picked;
    const isNew = ({ ply }) => {
      const names = placesOf(ply);
      const ends = `${names[0]} ${names.at(-1)}`;
      return names.length && (!first || names[0] === first) && !seen.has(ends) && seen.add(ends);
    };
    return this.#judged.filter(isNew).slice(0, this.#most).reverse();
  }

  /** Draws one ply more. @param {string} ply "": none */
  point(ply) {
    this.#pointed = ply;
    this.#drawJudged();
  }

  #drawJudged() {
    for (const old of this.picture.querySelectorAll(".judged")) old.remove();
    const pointed = this.#pointed ? [{ ply: this.#pointed, sign: "", isBest: true }] : [];
    const signs = {}; // how many signs are at a place
    const made = (pointed.length ? pointed : this.#drawable()).flatMap(({ ply, sign, isBest }) => {
      const names = placesOf(this.#path(ply)).filter((name, index, all) => this.#places[name] && name !== all[index - 1]);
      if (!names.length) return [];
      const last = names.at(-1);
      signs[last] = (signs[last] ?? -1) + 1;
      return [judged(names.map((name) => this.#places[name]), sign, isBest, signs[last])];
    });
    const first = this.picture.querySelector(".target");
    if (first) first.before(...made);
    else this.picture.append(...made);
  }

  /** A legal ply with the places that it passes. @param {string} ply */
  #path(ply) {
    return this.core && this.#position ? this.core.path(this.#position.fen, ply) : ply;
  }

  // Draws a scene, and returns the centres of its places.
  #fill(picture, { board, things, position, ply }) {
    const stored = board >= 0;
    const plain = stored ? null : plainBoard(position);
    const [width, height] = stored ? this.data.sizes[board] : [plain.width, plain.height];
    const places = stored ? this.data.places[board][this.#side] : plain.places;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const layers = this.data.layers;
    const sorted = [...things].sort((a, b) => Number(layers[a]) - Number(layers[b]) || a - b);
    const ground = drawn("rect", { width, height, fill: "#fcfbf7" });
    const tinted = position && TINTED.includes(position.game);
    const marks = marksOf(placesOf(ply), places, tinted);
    const pieces = position ? [...marks, ...piecesOf(position, places)] : [];
    const empty = stored ? this.#view(this.boards, board) : plain.ground;
    picture.replaceChildren(ground, empty, ...sorted.map((one) => this.#view(this.shapes, one)), ...pieces);
    return places;
  }

  /** A drawing of a position, apart from the board of the page. @param {import("./core.js").Position} position */
  drawing(position, ply) {
    const picture = drawn("svg", { class: "ringfen", role: "img", "font-family": "sans-serif", "aria-label": position.fen });
    this.#fill(picture, { board: this.boardFor(position), things: [], position, ply });
    return picture;
  }

  /**
   * The plies that clicks can choose.
   *
   * @param {string[]} plies
   * @param {import("./core.js").Position | null} position for the names of places
   */
  offer(plies, position = null) {
    this.#arrangement = null;
    this.picture.classList.remove("arranging");
    this.#picked = [];
    this.#typed = "";
    this.#position = position;
    this.#legal = new Map(plies.map((ply) => [ply, placesOf(ply).filter((name) => this.#places[name])]));
    this.#mark();
  }

  // ---- editing ----

  /** Edits the position that is shown, or ends that. @param {Arrangement | null} arrangement */
  arrange(arrangement) {
    const hadFocus = this.picture.contains(document.activeElement) || this.#refocus;
    this.#arrangement = arrangement;
    this.picture.classList.toggle("arranging", arrangement !== null && !arrangement.stateOf);
    this.#legal = new Map();
    this.#picked = [];
    this.choices.replaceChildren();
    for (const old of this.picture.querySelectorAll(".target")) old.remove();
    this.picture.setAttribute("role", "group");
    if (!arrangement) return;
    const names = Object.keys(this.#places);
    if (!names.includes(this.#focus)) this.#focus = names.includes("a1") ? "a1" : names[0];
    for (const name of names) this.picture.append(this.#placeToEdit(name, arrangement));
    if (hadFocus) this.#placeElement(this.#focus)?.focus();
    this.#refocus = false;
  }
  #refocus = false; // whether the board has the focus when it is drawn next

  /** @returns {SVGElement | null} */
  #placeElement(name) {
    return this.picture.querySelector(`[data-place="${name}"]`);
  }

  /** @param {string} name @param {Arrangement} arrangement */
  #placeToEdit(name, { position, picked, stateOf, press, key }) {
    const [x, y] = this.#places[name];
    const words = placeWords(position, name);
    const state = picked === name ? "picked" : (stateOf?.(name) ?? "free");
    const made = target(name, x, y, state, picked === name ? `${words}, chosen` : words);
    made.setAttribute("tabindex", name === this.#focus ? "0" : "-1");
    made.addEventListener("focus", () => {
      this.#placeElement(this.#focus)?.setAttribute("tabindex", "-1");
      this.#focus = name;
      made.setAttribute("tabindex", "0");
    });
    made.addEventListener("click", () => press(name));
    made.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      this.#refocus = true;
      if (event.key === "Enter" || event.key === " ") press(name);
      else if (event.key.startsWith("Arrow")) this.#placeElement(this.#next(name, event.key))?.focus();
      else if (!key(name, event.key)) {
        this.#refocus = false;
        return;
      }
      this.#refocus = false;
      event.preventDefault();
    });
    return made;
  }

  /** The nearest place in the direction of an arrow key. @param {string} name @param {string} key */
  #next(name, key) {
    const [x, y] = this.#places[name];
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key] ?? [0, 0];
    const far = ([a, b]) => {
      const [along, across] = [(a - x) * dx + (b - y) * dy, Math.abs((a - x) * dy) + Math.abs((b - y) * dx)];
      return along > 1 ? along + 3 * across : Infinity;
    };
    /** @type {[string, number][]} */
    const others = Object.entries(this.#places).map(([other, place]) => [other, far(place)]);
    const [best, length] = others.reduce((one, other) => (other[1] < one[1] ? other : one));
    return length < Infinity ? best : name;
  }

  // Moves a piece with the mouse or a finger; the place under the pointer is chosen when it is released.
  #connectDragging() {
    let from = "";
    const placeAt = ({ clientX, clientY }) =>
      document.elementFromPoint(clientX, clientY)?.closest("#board .target")?.getAttribute("data-place") ?? "";
    this.picture.addEventListener("pointerdown", (event) => {
      const place = this.#arrangement ? placeAt(event) : "";
      from = place && this.#arrangement.canMove(place) ? place : "";
      this.picture.classList.toggle("drags", from !== "");
    });
    document.addEventListener("pointerup", (event) => {
      const [begin, place] = [from, placeAt(event)];
      from = "";
      this.picture.classList.remove("drags");
      if (begin && this.#arrangement && place !== begin) this.#arrangement.drop(begin, place);
    });
    document.addEventListener("pointercancel", () => (from = ""));
  }

  /**
   * The plies that clicks can mean, each with the places that are still to be clicked. Clicks name places as a ply does:
   * the short form, or a form that also names the places which it passes.
   *
   * @param {string[]} clicked
   * @returns {{ply: string, left: string[]}[]}
   */
  #readings(clicked) {
    const begins = (names) => clicked.every((name, index) => names[index] === name);
    const found = [...this.#legal]
      .filter(([, names]) => begins(names))
      .map(([ply, names]) => ({ ply, left: names.slice(clicked.length) }));
    const isWhole = found.some(({ left }) => !left.length);
    const [first] = clicked;
    for (let count = 2; this.core && count <= clicked.length; count++) {
      for (const [ply, short] of this.core.passing(this.#position.fen, first, clicked.slice(1, count))) {
        const names = [...clicked.slice(0, count), ...this.#legal.get(short).slice(1)];
        // A click on the end of a ply plays it, even if other plies can pass there.
        if (begins(names) && !(isWhole && names.length > clicked.length)) found.push({ ply, left: names.slice(clicked.length) });
      }
    }
    return found;
  }

  /** Lists only the plies that begin with a text. @param {string} typed */
  narrow(typed) {
    this.#typed = typed;
    if (!this.#arrangement) this.#mark();
  }
  #typed = "";

  // Marks the places that can be clicked next, and lists the plies that the clicks so far allow.
  #mark() {
    for (const old of this.picture.querySelectorAll(".target")) old.remove();
    this.picture.setAttribute("role", this.#position ? "group" : "img");
    const picked = this.#picked;
    const found = this.#readings(picked);
    const next = new Set(found.map(({ left }) => left[0]).filter(Boolean));
    for (const [name, [x, y]] of Object.entries(this.#position ? this.#places : {})) {
      const isPicked = picked.includes(name);
      const state = [next.has(name) ? "next" : "", isPicked ? "picked" : ""].join(" ").trim();
      const words = placeWords(this.#position, name);
      const label = isPicked ? `${words}, chosen` : state || !words.endsWith("empty") ? words : "";
      const made = target(name, x, y, state, label);
      made.addEventListener("click", () => this.#click(name));
      made.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        this.#click(name);
      });
      this.picture.append(made);
    }
    this.#listChoices(picked.length ? found : found.filter(({ left }) => !left.length));
    this.#drawJudged();
  }

  /** Lists plies as buttons; those that the clicks so far name whole come first, in words. */
  #listChoices(found) {
    const whole = this.#picked.length ? found.filter(({ left }) => !left.length) : [];
    const choices = [...whole, ...found.filter((one) => !whole.includes(one))];
    this.choices.classList.toggle("asks", whole.length > 0 || !this.#picked.length);
    this.choices.replaceChildren(
      ...choices
        .filter(({ ply }) => ply.startsWith(this.#typed))
        .slice(0, MOST_CHOICES)
        .map((one, index) => {
          const { ply } = one;
          const made = button(whole.includes(one) ? "" : ply, () => this.play(ply));
          const words = plyWords(this.#position.game, ply, placesOf(ply));
          if (whole.includes(one)) made.append(element("b", "", ply), words ? ` ${words}` : "");
          made.tabIndex = index ? -1 : 0; // the field for plies reaches all of them
          for (const event of ["focus", "pointerenter"]) made.addEventListener(event, () => this.point(ply));
          for (const event of ["blur", "pointerleave"]) made.addEventListener(event, () => this.point(""));
          return made;
        })
    );
  }

  // A place is clicked: the next step of a ply, the first step of another, or nothing.
  #click(name) {
    const steps = [...this.#picked, name];
    const goes = (clicked) => this.#readings(clicked).length > 0;
    this.#picked = goes(steps) ? steps : goes([name]) ? [name] : [];
    const found = this.#picked.length ? this.#readings(this.#picked) : [];
    const whole = found.filter(({ left }) => !left.length);
    if (found.length === 1 && whole.length === 1) {
      this.say("");
      this.play(whole[0].ply);
      return;
    }
    this.#mark();
    if (!found.length) this.say(this.#hint(steps));
    else if (!whole.length) this.say(`${this.#picked.join(", ")}: ${found.length === 1 ? "1 ply" : `${found.length} plies`}; click the next place, or choose a button`);
    else {
      const more = found.length > whole.length ? ", or click the next place" : "";
      this.say(`${this.#picked.join(", ")} fit ${found.length} plies: choose a button${more}`);
    }
  }

  /** Takes the last click of an unfinished ply back. False: there is none. */
  unclick() {
    if (this.#arrangement?.unclick) return this.#arrangement.unclick();
    if (!this.#picked.length) return false;
    this.#picked.pop();
    this.#mark();
    this.say("");
    return true;
  }

  /** Whether places are clicked that are not a ply yet. */
  get isUnfinished() {
    return this.#picked.length > 0 || this.#arrangement?.isUnfinished === true;
  }

  /** What to do instead of a click that is no step of a ply. @param {string[]} steps the places so far, and the one of the click */
  #hint(steps) {
    if (!this.#legal.size) return "";
    if ([...this.#legal.values()].every((names) => !names.length)) return "choose one of the buttons, or enter the ply in the field Ply";
    if (steps.length === 1) return `no ply begins at ${steps[0]}: click a place with a circle`;
    return `no ply goes ${steps.join(", ")}: click only places with circles, or enter it in the field Ply`;
  }

  /**
   * The position as an SVG document, without the values of its plies.
   *
   * @param {string} style of the document
   * @param {string[]} lines the caption below the board
   */
  document(style, lines) {
    const copy = /** @type {SVGSVGElement} */ (this.picture.cloneNode(true));
    for (const one of copy.querySelectorAll(".target, .judged")) one.remove();
    const { width, height: above } = /** @type {SVGSVGElement} */ (this.picture).viewBox.baseVal;
    const caption = lines.flatMap((line) => wrapped(line, width));
    const height = above + LINE_HEIGHT * caption.length + CAPTION_END;
    copy.querySelector("rect").setAttribute("height", String(height));
    copy.append(...caption.map((line, index) => captionLine(width / 2, above + LINE_HEIGHT * index, line)));
    copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
    for (const [name, value] of Object.entries({ width, height, role: "img" })) copy.setAttribute(name, String(value));
    copy.prepend(drawn("title", {}, this.picture.getAttribute("aria-label")), drawn("style", {}, style));
    copy.removeAttribute("aria-label");
    return new XMLSerializer().serializeToString(copy);
  }
}
