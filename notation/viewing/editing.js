/** The fields for comments, NAGs, tags and the result of a record. Each change goes through the page, which checks it. */

import { button, byId, element } from "./dom.js";
import { playerTags } from "./records.js";
import { SUFFIXES } from "./tree.js";

const COMMON_TAGS = ["Event", "Site", "Date", "Round"];
const NUMBERS = Object.fromEntries(Object.entries(SUFFIXES).map(([number, sign]) => [sign, Number(number)]));

/** NAGs as people write them: `!? $7`. @param {number[]} nags */
const nagsText = (nags) => nags.map((nag) => SUFFIXES[nag] ?? `$${nag}`).join(" ");
const nagsOf = (text) =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => {
      const number = NUMBERS[word] ?? (/^\$?(0|[1-9]\d{0,2})$/.test(word) ? Number(word.replace("$", "")) : 256);
      if (number > 255) throw new Error(`${word}: $ and a number from 0 to 255 are expected, or ! ? !! ?? !? ?!`);
      return number;
    });

let isPressed = false; // a mouse button, a finger or a pen is down
for (const type of ["pointerdown", "pointerup", "pointercancel"]) {
  document.addEventListener(type, () => (isPressed = type === "pointerdown"), true);
}

/** Runs an action when the next field has the focus; if a press moved it, after the click, so that nothing moves below it. */
const afterPress = (action) => {
  const later = () => setTimeout(action);
  if (!isPressed) return later();
  const ended = new AbortController();
  for (const type of ["pointerup", "pointercancel"]) {
    document.addEventListener(type, () => (ended.abort(), later()), { signal: ended.signal });
  }
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

/** The results that a game can have. */
const resultsOf = (game, players) => {
  if (game.players[1] <= 2) return ["1-0", "0-1", "1/2-1/2", "*"];
  const of = (winner) => Array.from({ length: players }, (_, index) => (index === winner ? "1" : "0")).join("-");
  return [...Array.from({ length: players }, (_, winner) => of(winner)), "*"];
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
  byId("nags").replaceChildren(...buttons, others);
};

/**
 * Fills the table of tags and the list of results.
 *
 * @param {object} record
 * @param {import("./core.js").GameData} game
 * @param {number} players
 * @param {(edit: (record: object) => void) => void} change
 */
export const fillTags = (record, game, players, change) => {
  const rows = record.tags.map(([name, value], index) => {
    const row = element("tr");
    const fixed = name === "Game" || name === "Result";
    const input = field("input", name, value, (text) => change((made) => (made.tags[index] = [name, text])));
    input.readOnly = fixed;
    const remove = button("Remove", () => change((made) => made.tags.splice(index, 1)));
    remove.setAttribute("aria-label", `Remove the tag ${name}`);
    remove.disabled = name === "Game";
    const cells = [element("th", "", name), element("td"), element("td")];
    cells[0].scope = "row";
    cells[1].append(input);
    cells[2].append(remove);
    row.append(...cells);
    return row;
  });
  byId("tags").replaceChildren(...rows);
  const missing = [...COMMON_TAGS, ...playerTags(game).slice(0, players), "Result"].filter(
    (name) => !record.tags.some(([known]) => known === name)
  );
  byId("tag-names").replaceChildren(...missing.map((name) => new Option(name)));
  const results = resultsOf(game, players);
  byId("result").replaceChildren(...results.map((result) => new Option(result)));
  byId("result").value = record.result;
};

/** Connects the field for a new tag and the list of results. */
export const connectTags = (change) => {
  const add = () => {
    const [name, value] = [byId("tag-name"), byId("tag-value")];
    change((record) => {
      const text = name.value.trim() === "Result" ? record.result : value.value;
      record.tags.push([name.value.trim(), text]);
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
  byId("result").addEventListener("change", () => {
    const { value } = byId("result");
    change((record) => {
      record.result = value;
      record.tags = record.tags.map(([name, text]) => [name, name === "Result" ? value : text]);
    });
  });
};
