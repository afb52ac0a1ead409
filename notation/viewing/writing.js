/** The text of the record that is shown. People change it there, for example to correct an invalid record. */

import { byId } from "./dom.js";

/** The length of the first characters of a text, as fields count it. @param {string} text @param {number} count */
const lengthOf = (text, count) => [...text].slice(0, count).join("").length;

const NOT_USED = "changed, but not used yet";

export class Writing {
  /** @type {Map<string, string>} changed texts of records that are not shown, by their texts */
  #drafts = new Map();

  /**
   * @param {object} page
   * @param {() => string} page.text the text of the record; "": the page does not have it
   * @param {(text: string) => void} page.check fails with the first error of a text, with its place
   * @param {(text: string) => void} page.use puts the record of a valid text in the place of the one that is shown
   */
  constructor(page) {
    this.page = page;
    byId("writing").addEventListener("toggle", () => this.follow());
    byId("text-use").addEventListener("click", () => this.#use());
    byId("text").addEventListener("input", () => {
      const words = this.#isChanged ? NOT_USED : "";
      if (byId("text-error").textContent !== words) byId("text-error").textContent = words; // is read aloud once
    });
  }

  /** Shows the text of another record, or a changed one. */
  follow() {
    byId("writing").hidden = !this.page.text();
    const text = this.page.text();
    if (!byId("writing").open || byId("text").dataset.of === text) return;
    if (this.#isChanged) this.#drafts.set(byId("text").dataset.of, byId("text").value);
    byId("text").dataset.of = text;
    byId("text").value = this.#drafts.get(text) ?? text;
    this.#drafts.delete(text);
    byId("text-error").textContent = this.#isChanged ? NOT_USED : "";
  }

  /** Opens the text at its first error. */
  correct() {
    byId("writing").open = true;
    this.follow();
    this.#check();
  }

  /** Puts a ply in the place of the first error, unless the text is changed already: then uses that. @param {string} ply */
  replace(ply) {
    if (this.#isChanged) return this.#use();
    this.correct();
    const field = byId("text");
    field.setRangeText(ply, field.selectionStart, field.selectionEnd, "select");
    this.#use();
  }

  /** Whether the text is valid; otherwise says why, and selects the error. */
  #check() {
    const field = byId("text");
    try {
      this.page.check(field.value);
      byId("text-error").textContent = "";
      return true;
    } catch (error) {
      byId("text-error").textContent = error.message;
      field.focus();
      field.setSelectionRange(lengthOf(field.value, error.at), lengthOf(field.value, error.at + error.length));
      return false;
    }
  }

  get #isChanged() {
    return byId("writing").open && !byId("writing").hidden && byId("text").value !== byId("text").dataset.of;
  }

  #use() {
    if (this.#check()) this.page.use(byId("text").value);
  }

  /** Uses a changed text before the record is saved; fails if it is invalid. */
  finish() {
    if (!this.#isChanged) return;
    this.#use();
    if (this.#isChanged) throw new Error("the changed text of the record is invalid: correct it, or close it to keep the record as it was");
  }
}
