/**
 * The board of the page: draws positions, and turns clicks on places into plies.
 *
 * @typedef {object} Scene what the board shows
 * @property {number} board the number of the board in the page; -1: none, a plain board is drawn
 * @property {number[]} things the numbers of shapes in the page that are on it
 * @property {import("./core.js").Position | null} position or the position that the core describes
 * @property {string} ply the ply that is marked
 */

const PLACE = /[a-z][0-9]+|[NS]/g; // in the text of a ply
const MOST_CHOICES = 100; // of all others, the text is entered

/** Games whose boards tint the squares of the last ply. */
const TINTED = ["rings", "siaius"];

export class Stage {
  #side = 0; // 0: South sees the board from below, 1: North
  #places = {}; // the centres of its squares
  /** @type {Scene | null} */
  #scene = null;
  #legal = []; // the legal plies, each with the places that it names
  /** @type {{ply: string, sign: string, isBest: boolean}[]} */
  #judged = []; // plies with their values, drawn as arrows
  #pointed = ""; // the ply that a list points at
  #picked = []; // the places that were clicked
  /** @type {import("./core.js").Position | null} */
  #position = null; // for the names of places

  /**
   * @param {{boards: object[], sizes: number[][], places: object[], layers: string}} data
   * @param {HTMLElement} box for the drawing
   * @param {HTMLElement} choices for the buttons with plies
   * @param {(ply: string) => void} play is called with a ply that was clicked
   */
  constructor(data, box, choices, play) {
    this.data = data;
    this.choices = choices;
    this.play = play;
    this.boards = byId("boards").content.firstElementChild.children;
    this.shapes = byId("shapes").content.firstElementChild.children;
    this.picture = drawn("svg", { class: "ringfen", role: "img", "font-family": "sans-serif" });
    box.append(this.picture);
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
      this.#mark();
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
    const seen = new Set();
    const isNew = ({ ply }) => {
      const names = ply.match(PLACE) ?? [];
      const ends = `${names[0]} ${names.at(-1)}`;
      return names.length && !seen.has(ends) && seen.add(ends);
    };
    this.#judged = plies.filter(isNew).slice(0, most).reverse();
    this.#pointed = "";
    this.#drawJudged();
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
    const made = (pointed.length ? pointed : this.#judged).flatMap(({ ply, sign, isBest }) => {
      const names = (ply.match(PLACE) ?? []).filter((name, index, all) => this.#places[name] && name !== all[index - 1]);
      if (!names.length) return [];
      const last = names.at(-1);
      signs[last] = (signs[last] ?? -1) + 1;
      return [judged(names.map((name) => this.#places[name]), sign, isBest, signs[last])];
    });
    const first = this.picture.querySelector(".target");
    if (first) first.before(...made);
    else this.picture.append(...made);
  }

  // Draws a scene, and returns the centres of its places.
  #fill(picture, { board, things, position, ply }) {
    const stored = board >= 0;
    const plain = stored ? null : plainBoard(position);
    const [width, height] = stored ? this.data.sizes[board] : [plain.width, plain.height];
    const places = stored ? this.data.places[board][this.#side] : plain.places;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const layers = this.data.layers;
    const sorted = [...things].sort((a, b) => layers[a] - layers[b] || a - b);
    const ground = drawn("rect", { width, height, fill: "#fcfbf7" });
    const tinted = position && TINTED.includes(position.game);
    const marks = marksOf(ply.match(PLACE) ?? [], places, tinted);
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
    this.#picked = [];
    this.#position = position;
    this.#legal = plies.map((ply) => ({ ply, names: (ply.match(PLACE) ?? []).filter((name) => this.#places[name]) }));
    this.#mark();
  }

  #matching() {
    return this.#legal.filter(({ names }) => this.#picked.every((name, index) => names[index] === name));
  }

  // Marks the places that can be clicked next, and lists the plies that the clicks so far allow.
  #mark() {
    for (const old of this.picture.querySelectorAll(".target")) old.remove();
    this.picture.setAttribute("role", this.#position ? "group" : "img");
    const found = this.#matching();
    const picked = this.#picked;
    const next = new Set(found.map(({ names }) => names[picked.length]).filter(Boolean));
    for (const [name, [x, y]] of Object.entries(this.#position ? this.#places : {})) {
      const state = next.has(name) ? "next" : picked.includes(name) ? "picked" : "";
      const words = placeWords(this.#position, name);
      const label = state === "picked" ? `${words}, chosen` : state || !words.endsWith("empty") ? words : "";
      const made = target(name, x, y, state, label);
      made.addEventListener("click", () => this.#click(name));
      made.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        this.#click(name);
      });
      this.picture.append(made);
    }
    const choices = picked.length ? found : found.filter(({ names }) => names.length === 0);
    this.choices.replaceChildren(
      ...choices.slice(0, MOST_CHOICES).map(({ ply }, index) => {
        const made = button(ply, () => this.play(ply));
        made.tabIndex = index ? -1 : 0; // the field for plies reaches all of them
        return made;
      })
    );
  }

  // A place is clicked: the next step of a ply, the first step of another, or nothing.
  #click(name) {
    const steps = [...this.#picked, name];
    const goes = (wanted) => this.#legal.some(({ names }) => wanted.every((one, index) => names[index] === one));
    this.#picked = goes(steps) ? steps : goes([name]) ? [name] : [];
    const found = this.#matching();
    const whole = found.filter(({ names }) => names.length === this.#picked.length);
    if (this.#picked.length && found.length === 1 && whole.length === 1) this.play(whole[0].ply);
    else this.#mark();
  }

  /** The drawing as an SVG document. @param {string} style of the document */
  document(style) {
    const copy = this.picture.cloneNode(true);
    for (const one of copy.querySelectorAll(".target")) one.remove();
    const { width, height } = this.picture.viewBox.baseVal;
    for (const [name, value] of Object.entries({ width, height, role: "img" })) copy.setAttribute(name, String(value));
    copy.prepend(drawn("title", {}, this.picture.getAttribute("aria-label")), drawn("style", {}, style));
    copy.removeAttribute("aria-label");
    return new XMLSerializer().serializeToString(copy);
  }
}
