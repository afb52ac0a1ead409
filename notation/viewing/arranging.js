/** Edits the position on the board: places, moves and removes pieces, and sets the fields of its text. The core checks it. */

import { pieceDrawing } from "./board.js";
import { captionOf, pieceName } from "./captions.js";
import { button, byId, element } from "./dom.js";
import { Draft } from "./draft.js";

const MOVE = "move";
const REMOVE = "remove";

export class Arranging {
  /** @type {Draft | null} the position that is edited; null: none */
  #draft = null;
  /** @type {any} MOVE, REMOVE, or a piece of the palette */
  #tool = MOVE;
  #picked = ""; // the place whose piece moves next
  /** @type {{field: import("./draft.js").EditorField, label: HTMLElement, control: any}[]} */
  #fields = [];
  /** @type {import("./draft.js").PalettePiece[]} the pieces that the tools show */
  #shown = [];
  #known = null; // the last position that the core accepted: for the board and the number of players

  /**
   * @param {object} page
   * @param {import("./core.js").Core} page.core
   * @param {import("./stage.js").Stage} page.stage
   * @param {(id: string) => import("./core.js").GameData} page.gameOf
   * @param {(text: string) => void} page.use takes the position
   * @param {() => void} page.back shows the position again that was on the board before
   * @param {() => string} page.position the position on the board
   * @param {(words: string) => void} page.say shows a note
   */
  constructor(page) {
    this.page = page;
    byId("arrange").addEventListener("click", () => this.open());
    byId("arrange-use").addEventListener("click", () => this.#use());
    byId("arrange-cancel").addEventListener("click", () => this.#cancel());
    byId("arrange-clear").addEventListener("click", () => {
      this.#draft.clear();
      this.#write();
    });
    byId("draft").addEventListener("input", () => this.#read(byId("draft").value));
    byId("arranging").addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#cancel();
    });
  }

  get isOpen() {
    return this.#draft !== null;
  }

  open() {
    this.#known = this.page.core.position(this.page.position());
    this.#tool = MOVE;
    this.#show(true);
    this.#read(this.#known.fen);
    byId("draft").value = this.#known.fen;
    byId("tools").querySelector("button").focus();
  }

  /** Ends without a change, because the page shows something else. */
  close() {
    if (!this.isOpen) return;
    this.#draft = null;
    this.#show(false);
    this.page.stage.arrange(null);
  }

  #show(isOpen) {
    document.body.classList.toggle("arranges", isOpen);
    byId("arranging").hidden = !isOpen;
  }

  #cancel() {
    this.close();
    this.page.back();
    byId("arrange").focus();
  }

  #use() {
    const { text } = this.#draft;
    if (this.#known.fen === this.page.position()) return this.#cancel(); // the same position keeps its game
    this.close();
    this.page.use(text);
    byId("arrange").focus();
  }

  /** Takes a text that was typed; unknown games leave only the text. */
  #read(text) {
    const game = this.page.gameOf(text.trim().split(/\s+/)[0]) ?? this.page.gameOf(this.#known.game);
    this.#draft = new Draft(text, game);
    this.#writeTools();
    this.#writeFields();
    this.#check(text);
  }

  /** Writes the draft after a change by the board or a field. */
  #write() {
    byId("draft").value = this.#draft.text;
    const { palette } = this.#draft;
    if (palette.length !== this.#shown.length) this.#writeTools(); // the number of players has changed
    this.#writeFields();
    this.#check(this.#draft.text);
  }

  /** Asks the core, says what is wrong, and draws the board. */
  #check(text) {
    let position = null;
    try {
      position = this.#known = this.page.core.position(text);
      byId("draft-error").textContent = "";
      byId("draft-good").textContent = `possible: ${captionOf(position, "")[0]}`;
    } catch (error) {
      byId("draft-error").textContent = error.message;
      byId("draft-good").textContent = "";
    }
    byId("arrange-use").disabled = !position;
    byId("draft").setAttribute("aria-invalid", String(!position));
    this.#draw(position ?? this.#sketch());
  }

  /** The draft as the core would describe it, as far as a board can show it. */
  #sketch() {
    const { rows, pieces, id, options } = this.#draft;
    const files = rows.reduce((most, row) => Math.max(most, row.length), 0);
    const isSame = id === this.#known.game;
    const named = options.split(" ").map((word) => word.split("=")).filter((pair) => pair.length === 2);
    return {
      ...this.#known,
      game: this.page.gameOf(id) ? id : this.#known.game,
      pieces,
      files: Math.min(files, 26) || (isSame ? this.#known.files : 1),
      ranks: Math.min(rows.length, 26) || (isSame ? this.#known.ranks : 1),
      options: Object.fromEntries(named),
    };
  }

  #draw(position) {
    const { stage } = this.page;
    const label = `Position to edit. ${this.#draft.text}`;
    stage.show({ board: stage.boardFor(position), things: [], position, ply: "" }, label);
    if (!this.#draft.editor) return stage.arrange(null);
    const canMove = (name) => this.#draft.at(name) !== null;
    stage.arrange({
      position,
      picked: this.#picked,
      canMove,
      press: (name) => this.#press(name),
      drop: (from, to) => this.#drop(from, to),
      key: (name, key) => this.#key(name, key),
    });
  }

  // ---- the board ----

  #press(name) {
    const draft = this.#draft;
    this.page.say("");
    if (this.#tool === REMOVE) draft.remove(name);
    else if (this.#tool !== MOVE) this.#put(name, this.#tool);
    else if (this.#picked) {
      this.#move(this.#picked, name);
      this.#picked = "";
    } else if (draft.at(name)) this.#picked = name;
    this.#write();
  }

  #put(place, piece) {
    this.#report(place, piece, this.#draft.put(place, piece));
  }
  #move(from, to) {
    const { piece } = this.#draft.at(from) ?? {};
    this.#report(to, piece, this.#draft.move(from, to));
  }

  /**
   * Says what became of a piece on a place where another was put.
   *
   * @param {string} place @param {import("./draft.js").PalettePiece} piece @param {ReturnType<Draft["put"]>} what
   */
  #report(place, piece, { holder, held, gone }) {
    const name = (one) => pieceName(this.#known.game, one);
    if (holder) this.page.say(`${place}: ${name(held)} added to ${name(holder)}`);
    else if (gone && gone !== piece) this.page.say(`${place}: ${name(piece)} instead of ${name(gone)}`);
  }

  /** @param {string} from @param {string} to "" beyond the board */
  #drop(from, to) {
    this.#picked = "";
    this.page.say("");
    if (to) this.#move(from, to);
    else this.#draft.remove(from);
    this.#write();
  }

  /** A key on a place: Delete, or the text of a piece. True: it is used. */
  #key(name, key) {
    const piece = this.#draft.palette.find(({ text }) => text && text === key);
    this.page.say("");
    if (piece) this.#put(name, piece);
    else if (key === "Delete" || key === "Backspace") this.#draft.remove(name);
    else return false;
    this.#picked = "";
    this.#write();
    return true;
  }

  // ---- the palette and the fields ----

  #writeTools() {
    const { palette, id } = this.#draft;
    this.#shown = palette;
    const game = this.page.gameOf(id) ? id : this.#known.game;
    if (!palette.includes(this.#tool) && typeof this.#tool !== "string") this.#tool = MOVE;
    /** @type {[any, string, SVGElement | null][]} */
    const tools = [
      [MOVE, "Move", null],
      [REMOVE, "Remove", null],
      ...palette.map((piece) => /** @type {[any, string, SVGElement]} */ ([piece, pieceName(game, piece), pieceDrawing(game, piece)])),
    ];
    byId("tools").hidden = byId("arrange-clear").hidden = !palette.length;
    const made = tools.map(([tool, name, picture]) => {
      const one = button(picture ? "" : name, () => {
        this.#tool = tool;
        this.#picked = "";
        for (const other of made) other.setAttribute("aria-pressed", String(other === one));
        this.#write();
      });
      one.setAttribute("aria-pressed", String(tool === this.#tool));
      one.setAttribute("aria-label", name);
      if (!picture) return one;
      one.title = tool.text ? `${name} (${tool.text})` : name;
      one.append(picture);
      return one;
    });
    byId("tools").replaceChildren(...made);
  }

  /** Makes the fields of a game, or updates them; the one with the focus stays. */
  #writeFields() {
    const { game, id } = this.#draft;
    const box = byId("draft-fields");
    if (box.dataset.game !== id) {
      box.dataset.game = id;
      box.replaceChildren();
      this.#fields = this.#draft.controls.map((field) => this.#addField(game, field, box));
    }
    for (const { field, label, control } of this.#fields) {
      const value = this.#draft.value(field);
      label.hidden = value === null;
      const choices = this.#draft.choices(field);
      const isNew = choices.length !== control.querySelectorAll("option:not(.other)").length;
      if (isNew) control.replaceChildren(...choices.map(([text, meaning]) => new Option(meaning, text)));
      if (value !== null && (isNew || control !== document.activeElement)) setValue(control, value);
    }
    for (const group of box.querySelectorAll("fieldset")) group.hidden = !group.querySelector("label:not([hidden])");
  }

  /** Adds a field to the box, in the group of its heading. */
  #addField(game, field, box) {
    const { label: words, choices, pattern, group } = field;
    const control = element(choices.length ? "select" : "input");
    if (!choices.length) control.spellcheck = false;
    if (!choices.length && pattern) control.inputMode = "numeric";
    control.addEventListener("input", () => {
      this.#draft.change(field, control.value.replace(/\s+/g, ""));
      this.#write();
    });
    const label = element("label", "", words);
    label.append(" ", control);
    if (group && box.lastElementChild?.dataset.group !== group) {
      const made = element("fieldset");
      made.dataset.group = group;
      made.append(element("legend", "", group));
      box.append(made);
    }
    (group ? box.lastElementChild : box).append(label);
    return { field, label, control };
  }
}

/** Sets the value of a field; a list gets a value that is not in it as a further choice. */
const setValue = (field, value) => {
  if (field.matches("select")) {
    field.querySelector(".other")?.remove();
    if (![...field.options].some((one) => one.value === value)) {
      field.append(new Option(value || "?", value));
      field.lastElementChild.className = "other";
    }
  }
  field.value = value;
};
