/** The fields for comments, NAGs, tags and the result of a record. Each change goes through the page, which checks it. */

import { button, byId, element, isWithin, visible } from "./dom.js";
import { FIRST_TAGS, playerTags } from "./records.js";
import { SUFFIXES } from "./tree.js";

/** Tags that the list of new tags offers. */
const MORE_TAGS = ["Site", "Round"];
const NUMBERS = Object.fromEntries(Object.entries(SUFFIXES).map(([number, sign]) => [sign, Number(number)]));

/** NAGs as people write them: `!? $7`. @param {number[]} nags */
const nagsText = (nags) => nags.map((nag) => SUFFIXES[nag] ?? `$${nag}`).join(" ");
const nagsOf = (text) =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => {
      const number = NUMBERS[word] ?? (/^\$?(0|[1-9]\d{0,2})$/.test(word) ? Number(word.replace("$", "")) : 256);
      if (number > 255) throw new Error(`${word}: expected $ and a number from 0 to 255, or ! ? !! ?? !? ?!`);
      return number;
    });

let isPressed = false; // a mouse button, a finger or a pen is down
/** @type {(() => void)[]} */
const waiting = []; // the actions of fields that have lost the focus
const runWaiting = () => {
  for (const action of waiting.splice(0)) action();
};
const runSoon = () => setTimeout(() => isPressed || runWaiting()); // the next press may come before the timer
for (const type of ["pointerdown", "pointerup", "pointercancel"]) {
  const follow = () => {
    isPressed = type === "pointerdown";
    if (!isPressed) runSoon();
  };
  document.addEventListener(type, follow, true);
}
// A click may save, or show another record: the actions run before it takes effect. One that opens or closes a part does not.
document.addEventListener("click", (event) => isWithin(event, "summary") || runWaiting(), true);

/** Runs an action when the next field has the focus; if a press moved it, after the press, so that nothing moves below it. */
const afterPress = (action) => {
  waiting.push(action);
  if (!isPressed) runSoon();
};

/** A field that is changed when it is left, or by Enter. @param {(text: string) => void} action */
const field = (kind, label, value, action) => {
  const made = element(kind);
  if (kind === "textarea") made.rows = Math.min(6, 1 + Math.floor(value.length / 40));
  made.value = value;
  made.setAttribute("aria-label", label);
  let done = value;
  const run = () => {
    if (made.value === done) return;
    done = made.value;
    action(made.value);
  };
  made.addEventListener("change", () => afterPress(run));
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    run();
  });
  return made;
};

/** The results that a game can have, with their words. */
const resultsOf = (game, players) => {
  const two = game.players[1] <= 2;
  const of = (winner) => Array.from({ length: players }, (_, index) => (index === winner ? "1" : "0")).join("-");
  const wins = playerTags(game).slice(0, players).map((name, index) => [of(index), `${two ? name : `Player ${index + 1}`} wins`]);
  return [...wins, ...(two ? [["1/2-1/2", "draw"]] : []), ["*", "unfinished or unknown"]];
};

/**
 * Fills the fields for the ply that is shown.
 *
 * @param {import("./tree.js").TreeNode[]} nodes
 * @param {number} at
 * @param {(edit: (record: object) => void) => void} change
 */
export const fillPly = (nodes, at, change) => {
  const node = nodes[at];
  const comments = byId("comments");
  const lists = [["Comment", "comments"]];
  if (node.head) lists.unshift(["Comment before the variation", "intro"]);
  if (node.after.length) lists.push(["Comment after the variation", "after"]);
  const rows = lists.flatMap(([label, name]) =>
    [...node[name].map(({ text }) => text), ""].map((text, index) =>
      field("textarea", text ? label : `New ${label.toLowerCase()}`, text, (made) =>
        change((record) => {
          const words = made.trim();
          const put = words ? [{ text: words }] : [];
          record.nodes[at][name].splice(index, text ? 1 : 0, ...put);
        })
      )
    )
  );
  for (const row of rows) row.placeholder = row.getAttribute("aria-label");
  comments.replaceChildren(...rows);
  byId("nags").hidden = at === 0;
  const set = (nags) => change((record) => (record.nodes[at].nags = nags));
  const buttons = Object.entries(NUMBERS).map(([sign, number]) => {
    const given = node.nags.includes(number);
    const made = button(sign, () => {
      const others = node.nags.filter((nag) => nag > 6 || nag === 0);
      set(given ? others : [number, ...others]);
    });
    made.setAttribute("aria-pressed", String(given));
    made.setAttribute("aria-label", `NAG ${sign}`);
    return made;
  });
  const others = field("input", "NAGs", nagsText(node.nags), (text) => change((record) => {
    record.nodes[at].nags = nagsOf(text);
  }));
  others.placeholder = "such as $13";
  const label = element("label", "", "NAGs ");
  label.append(others);
  byId("nags").replaceChildren(...buttons, label);
};

/** Sets the value of a tag, at the end of the list if it is new. @param {[string, string][]} tags */
const setTag = (tags, name, value) => {
  const found = tags.find(([known]) => known === name);
  if (found) found[1] = value;
  else tags.push([name, value]);
};

/** Sets the result of a record: its tag, and the end of the moves. */
const setResult = (record, result) => {
  record.result = result;
  setTag(record.tags, "Result", result);
};

/** The words below a field: the warnings about the tag, and its text if that has invisible characters. */
const wordsAbout = (name, value, problems) => {
  const found = problems.filter(({ tag, severity }) => tag === name && severity === "warning").map(({ reason }) => reason);
  return [...found, ...(visible(value) === value ? [] : [visible(value)])];
};

/** A row of the table of tags. @param {string} name @param {HTMLElement} control @param {string[]} words below it */
const tagRow = (name, control, words = []) => {
  const row = element("tr");
  const cells = [element("th", "", name), element("td"), element("td")];
  cells[0].scope = "row";
  cells[1].append(control);
  if (words.length) {
    const below = element("small", "", words.join("; "));
    below.id = `about-${name}`;
    control.setAttribute("aria-describedby", below.id);
    cells[1].append(below);
  }
  row.append(...cells);
  return row;
};

/**
 * Fills the table of tags: the usual ones, which may be empty, the result, and the others. An unknown value is "?".
 *
 * @param {object} record
 * @param {import("./core.js").GameData} game
 * @param {number} players
 * @param {(edit: (record: object) => void) => void} change
 */
export const fillTags = (record, game, players, change) => {
  const values = new Map(record.tags);
  const sides = playerTags(game).slice(0, players);
  const usual = [...FIRST_TAGS, ...sides];
  const others = [...values.keys()].filter((name) => ![...usual, "Game", "Result"].includes(name));
  const set = (name, text) => (made) => {
    setTag(made.tags, name, usual.includes(name) ? text.trim() || "?" : text);
    if (sides.includes(name)) for (const side of sides) setTag(made.tags, side, new Map(made.tags).get(side) ?? "?");
    if (usual.includes(name)) setTag(made.tags, "Result", made.result);
  };
  const rowOf = (name) => {
    const value = values.get(name) ?? "";
    const shown = usual.includes(name) && value === "?" ? "" : value;
    const input = field("input", name, shown, (text) => change(set(name, text)));
    input.placeholder = name === "Date" ? "YYYY.MM.DD" : "";
    const row = tagRow(name, input, wordsAbout(name, value, record.problems));
    if (usual.includes(name)) return row;
    const remove = button("Remove", () => change((made) => (made.tags = made.tags.filter(([known]) => known !== name))));
    remove.setAttribute("aria-label", `Remove the tag ${name}`);
    row.lastElementChild.append(remove);
    return row;
  };
  const results = resultsOf(game, players);
  const table = byId("tags");
  /** @type {HTMLElement | null} */
  let row = table.querySelector("tr:has(#result)");
  const offered = [...(row?.querySelectorAll("option") ?? [])].map((one) => one.value);
  if (offered.join() !== results.map(([one]) => one).join()) {
    const list = element("select");
    list.id = "result";
    list.setAttribute("aria-label", "Result");
    list.append(...results.map(([one, words]) => new Option(`${one} ${words}`, one)));
    list.addEventListener("change", () => change((made) => setResult(made, list.value)));
    row = tagRow("Result", list);
    table.replaceChildren(row);
  }
  // The row of the result stays in the page: a click on its list may be what ends the change of another field.
  for (const other of [...table.children]) if (other !== row) other.remove();
  row.before(...usual.map(rowOf));
  row.after(...others.map(rowOf));
  byId("result").value = record.result;
  byId("tag-names").replaceChildren(...MORE_TAGS.filter((name) => !values.has(name)).map((name) => new Option(name)));
};

/** Connects the field for a new tag. */
export const connectTags = (change) => {
  const add = () => {
    const [name, value] = [byId("tag-name"), byId("tag-value")];
    change((record) => {
      if (name.value.trim() === "Result") setResult(record, record.result);
      else record.tags.push([name.value.trim(), value.value]);
    });
    name.value = value.value = "";
    if (!byId("error").textContent) name.focus();
  };
  byId("add-tag").addEventListener("click", add);
  for (const id of ["tag-name", "tag-value"]) {
    byId(id).addEventListener("keydown", (event) => {
      if (event.key === "Enter") add();
    });
  }
};
