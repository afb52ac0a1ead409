/**
 * The records of the page: their list with search, their texts, and the ones that the browser keeps.
 *
 * @typedef {object} Entry a record of the page
 * @property {string} name by which the browser keeps its text
 * @property {Element | null} stored the data that Python wrote; null: the record is new
 * @property {string | null} text its canonical text; null: that of `stored`, which is not read yet
 * @property {string | null} original its text before all changes; null: it is not read yet, or the record is new
 * @property {boolean} changed
 * @property {string} undecided the result that returns if the last position no longer decides the game
 * @property {[string, number][]} before texts to go back to, each with the ply that was shown
 * @property {[string, number][]} after texts that were undone
 * @property {Row} row what the list shows of it
 * @property {HTMLButtonElement} [button] shows it
 * @property {HTMLElement & {found?: string}} [item] its line of the list; `found`: the words that the search finds
 *
 * @typedef {{title: string, about: string, game: string, result: string, valid: boolean}} Row
 */

import { button, byId, element, visible } from "./dom.js";
import { playerTags, Records } from "./records.js";
import { Store } from "./storing.js";

const MOST_RECORDS = 10_000;
const ANALYSIS = "analysis";
const SHEET = "sheet";
/** Texts of a record to go back to. */
export const MOST_UNDONE = 200;

/**
 * What the list shows of a record that the core has read.
 *
 * @param {import("./records.js").RecordText} found
 * @param {import("./core.js").GameData[]} games
 * @param {number} number of the record; 0: it has none
 * @returns {Row}
 */
const rowOf = ({ tags, game, result, valid }, games, number) => {
  const values = new Map(tags);
  const known = games.find(({ id }) => id === game);
  const players = known ? playerTags(known) : ["South", "North"];
  const names = players.filter((name) => values.has(name)).map((name) => values.get(name).replace(/^\??$/, name));
  const about = ["Event", "Site", "Date", "Round"].map((name) => values.get(name) ?? "").filter((word) => /[^?.]/.test(word));
  const problem = values.get("Stipulation");
  const isNamed = players.some((name) => /[^?]/.test(values.get(name) ?? ""));
  return {
    title: (problem && !isNamed ? problem : names.join(" – ")) || (number ? `Record ${number}` : "New record"),
    about: about.join(", "),
    game: known?.name ?? "unknown game",
    result: problem ? "" : result,
    valid,
  };
};
const aboutOf = ({ game, result, about }) => [game, result, about].filter(Boolean).join(" · ");

export class Shelf {
  /** @type {Entry[]} */
  entries = [];
  /** @type {Entry | null} the entry of positions that belong to no record of the page */
  analysis = null;
  /** @type {Records | null} */
  records = null;
  #last = -1; // the last name that is a number
  /** @type {(string | string[])[]} texts of files of diagrams, and names of records that are problems */
  #sheet = [];

  /**
   * @param {{rows: object[], id: string}} data
   * @param {(one: Entry) => void} choose
   */
  constructor(data, choose) {
    this.rows = data.rows;
    this.store = new Store(data.id);
    this.choose = choose;
    document.querySelectorAll("script.record").forEach((stored, number) => this.#add(stored, null, data.rows[number]));
    byId("search").addEventListener("input", () => this.search());
    this.search();
  }

  #add(stored, text, row, name = String(this.#last + 1)) {
    if (this.entries.length >= MOST_RECORDS) {
      throw new Error(`a page has at most ${MOST_RECORDS.toLocaleString("en")} records`);
    }
    const made = { name, stored, text, original: null, row, changed: false, undecided: "*", before: [], after: [] };
    if (name !== ANALYSIS) this.#last = Math.max(this.#last, Number(name));
    this.#list(made);
    this.entries.push(made);
    byId("list").append(made.item);
    return made;
  }

  // Writes an entry of the list.
  #list(one) {
    const { row } = one;
    const state = !one.stored && one !== this.analysis ? " · new" : one.changed ? " · changed" : "";
    one.item ??= element("li");
    one.item.found = `${row.title} ${aboutOf(row)} ${row.valid ? "valid" : "invalid"}`.toLowerCase();
    one.button ??= one.item.appendChild(button("", () => this.choose(one)));
    one.button.replaceChildren(visible(row.title), element("small", "", `${aboutOf(row)}${row.valid ? "" : " · invalid"}${state}`));
  }

  search() {
    const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { item } of this.entries) {
      item.hidden = !words.every((word) => item.found.includes(word));
      if (!item.hidden) count++;
    }
    byId("count").textContent = `${count} of ${this.entries.length} records`;
    document.body.classList.toggle("single", this.entries.length <= 1);
  }

  /** The records to save: the analysis counts if it has plies, or if there is no other record. */
  saved() {
    const { analysis, entries } = this;
    return entries.filter((one) => one !== analysis || entries.length === 1 || one.changed);
  }

  /** The text of a record. @param {Entry} one */
  text(one) {
    if (one.stored) one.original ??= JSON.parse(one.stored.textContent).text;
    one.text ??= one.original;
    return one.text;
  }

  /** Replaces the text of a record. @param {Entry} one @param {import("./records.js").RecordText} found what was read of it */
  set(one, found) {
    this.text(one);
    const number = one === this.analysis ? 0 : this.entries.indexOf(one) + 1;
    Object.assign(one, { text: found.text, row: rowOf(found, this.records.games, number) });
    one.changed = one.text !== one.original;
    this.#list(one);
    this.search();
    this.#file = "";
    this.showKept(this.store.put(one.name, one.changed ? one.text : null));
  }

  /** Adds records. @param {import("./records.js").RecordText[]} found @returns {Entry[]} */
  add(found) {
    const made = found.map((one) => this.#add(null, one.text, rowOf(one, this.records.games, this.entries.length + 1)));
    this.search();
    this.#file = "";
    this.showKept(made.map(({ name, text }) => this.store.put(name, text)).every(Boolean));
    return made;
  }

  /**
   * Makes the analysis a record of the list, so that something else can be shown in its place.
   *
   * @param {boolean} keepsPosition whether that also applies if it is only a position, not the start of a game
   */
  keepAnalysis(keepsPosition) {
    const one = this.analysis;
    if (!one?.changed) return;
    const [found] = this.records.read(one.text);
    const isBare = found.tags.every(([name]) => name === "Game" || name === "FEN") && found.nodes.length === 1;
    if (isBare && !found.nodes[0].comments.length && !keepsPosition) return;
    this.analysis = null;
    this.store.put(ANALYSIS, null);
    Object.assign(one, { name: String(++this.#last), original: null });
    this.set(one, found);
  }

  /**
   * Puts a record in the place of the analysis, which undo brings back.
   *
   * @param {import("./records.js").RecordText} found
   * @param {boolean} isPlain whether it is the start of a game, which is not worth keeping
   */
  analyse(found, isPlain) {
    if (!this.analysis) this.analysis = this.#add(null, null, rowOf(found, this.records.games, 0), ANALYSIS);
    else this.analysis.before = [...this.analysis.before.slice(1 - MOST_UNDONE), [this.analysis.text, 0]];
    Object.assign(this.analysis, { original: isPlain ? found.text : null, undecided: "*", after: [] });
    this.set(this.analysis, found);
    return this.analysis;
  }

  // ---- what the browser keeps ----

  #file = ""; // the file that has all changes; "": none

  /** Remembers that all changes are saved. @param {string} name of the file */
  noteFile(name) {
    this.#file = name;
    this.showKept();
  }

  #isKept = true; // the last change

  /** Says what the browser keeps. @param {boolean} done whether it kept the last change */
  showKept(done = this.#isKept) {
    this.#isKept = done;
    const kept = this.store.texts();
    const count = kept.size - Number(kept.has(SHEET));
    byId("kept").hidden = kept.size === 0 && done;
    const things = [count === 1 ? "1 changed record" : count ? `${count} changed records` : "", kept.has(SHEET) ? "the added diagrams" : ""];
    const words = done
      ? `This browser keeps ${things.filter(Boolean).join(" and ")} in its local storage, also after a reload.`
      : "This browser has no room to keep your changes and added diagrams: they are lost when you leave the page.";
    const saved = this.#file ? `Your changes are saved in the file ${this.#file}.` : "Save all records writes a file.";
    byId("kept-words").textContent = `${words} ${saved}`;
    for (const id of ["discard-yes", "discard-no"]) byId(id).hidden = true;
    byId("discard").hidden = kept.size === 0;
  }

  /** Keeps diagrams that were added. @param {string | Entry[]} part the text of their file, or problems */
  keepSheet(part) {
    this.#sheet.push(typeof part === "string" ? part : part.map(({ name }) => name));
    this.showKept(this.store.put(SHEET, JSON.stringify(this.#sheet)));
  }

  /** The diagrams that the browser keeps, as `keepSheet` takes them. They may come from anywhere. @returns {(string | Entry[])[]} */
  keptSheet() {
    let found = null;
    try {
      found = JSON.parse(this.store.texts().get(SHEET) ?? "[]");
    } catch {
      // It is no sheet.
    }
    const isPart = (part) => typeof part === "string" || Array.isArray(part);
    this.#sheet = Array.isArray(found) ? found.filter(isPart) : [];
    const entriesOf = (names) => this.entries.filter(({ name, stored }) => !stored && names.includes(name));
    return this.#sheet.map((part) => (typeof part === "string" ? part : entriesOf(part)));
  }

  /** Takes the texts that the browser keeps. They may come from anywhere: only texts of one record count. */
  restore() {
    const order = (name) => (name === ANALYSIS ? Infinity : Number(name));
    const kept = [...this.store.texts()].filter(([name]) => name === ANALYSIS || /^(0|[1-9]\d{0,8})$/.test(name));
    for (const [name, text] of kept.sort(([a], [b]) => order(a) - order(b))) {
      const found = this.records.read(text);
      if (found.length !== 1) continue;
      const stored = this.entries.find((one) => one.name === name);
      if (stored) this.set(stored, found[0]);
      else if (name === ANALYSIS) this.analyse(found[0], false);
      else this.#add(null, found[0].text, rowOf(found[0], this.records.games, this.entries.length + 1), name);
    }
    this.search();
    this.showKept();
  }

  /** Forgets all changes and all new records. */
  discard() {
    this.store.clear();
    for (const one of this.entries) {
      if (!one.stored) one.item.remove();
      else if (one.changed) {
        const row = this.rows[Number(one.name)];
        Object.assign(one, { text: one.original, changed: false, row, undecided: "*", before: [], after: [] });
        this.#list(one);
      }
    }
    this.entries = this.entries.filter(({ stored }) => stored);
    this.analysis = null;
    this.#sheet = [];
    this.#last = this.entries.length - 1;
    this.search();
    this.showKept(true);
  }
}
