/**
 * The plies of a record as a tree. Node 0 is the start of the record; the others have the order of the text.
 *
 * @typedef {{text: string, shown: string}} Comment the text as written, and what people see of it
 * @typedef {object} TreeNode
 * @property {string} ply its text in the record
 * @property {string} short its short form
 * @property {number} round from 1
 * @property {boolean} opens whether it begins a turn of South (player 1)
 * @property {number[]} nags
 * @property {Comment[]} comments after the ply
 * @property {Comment[]} intro at the start of the variation that begins with it
 * @property {Comment[]} after after the parenthesis that closes this variation
 * @property {number[]} variations the first plies of the lines that replace it
 * @property {number} head the ply that it replaces, if it begins a variation
 * @property {number} parent the ply before it
 * @property {number} next the ply that follows in its line; 0: none
 * @property {string} fen the position after it
 * @property {string} [suffix] signs such as ! after it, if the record is not read yet
 * @property {HTMLButtonElement} [button] shows it
 * @property {string} [reached] the position after it, if a comment states another one
 */

export const SUFFIXES = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!" };

/** Makes a tree from the pieces of a movetext in their order. @param {object} start fields of node 0 */
export const plant = (start) => {
  const fresh = () => ({ nags: [], comments: [], intro: [], after: [], variations: [], head: 0, parent: -1, next: 0 });
  const nodes = [{ ply: "", ...fresh(), ...start }];
  const around = []; // the open variations: the ply that they replace, and their own first one
  let [last, head, closed, intro] = [0, 0, 0, []];
  return {
    nodes,
    ply(fields) {
      const me = nodes.push({ ...fresh(), ...fields, parent: last, head, intro }) - 1;
      if (head) {
        nodes[head].variations.push(me);
        around.at(-1)[1] = me;
      } else nodes[last].next = me;
      [last, head, closed, intro] = [me, 0, 0, []];
    },
    nag(nag) {
      nodes[last].nags.push(nag);
    },
    comment(comment) {
      const list = head ? intro : closed ? nodes[closed].after : nodes[last].comments;
      list.push(comment);
    },
    open() {
      around.push([last, 0]);
      [head, closed, intro] = [last, 0, []];
      last = nodes[last].parent;
    },
    close() {
      [last, closed] = around.pop();
      head = 0;
    },
    /** A comment states another position. */
    state(fen) {
      if (head) return;
      nodes[last].reached ??= nodes[last].fen;
      nodes[last].fen = fen;
    },
  };
};

/**
 * The pieces of the movetext in the order of the text: `ply` (a number of a node), `comment`, `open`, `close`. There is no
 * recursion, however deep the variations are.
 */
export function* walk(nodes) {
  const around = [];
  let [at, lines, line] = [nodes[0].next, [], 0];
  for (const comment of nodes[0].comments) yield { comment };
  for (;;) {
    if (line < lines.length) {
      const first = lines[line];
      yield { open: first };
      for (const comment of nodes[first].intro) yield { comment };
      around.push([at, lines, line + 1, first]);
      [at, lines, line] = [first, [], 0];
      yield* one(nodes, at);
      [lines, at] = [nodes[at].variations, nodes[at].next];
    } else if (at) {
      yield* one(nodes, at);
      [lines, line, at] = [nodes[at].variations, 0, nodes[at].next];
    } else if (around.length) {
      let first;
      [at, lines, line, first] = around.pop();
      yield { close: first };
      for (const comment of nodes[first].after) yield { comment };
    } else return;
  }
}
function* one(nodes, at) {
  yield { ply: at };
  for (const comment of nodes[at].comments) yield { comment };
}

/** The alternatives after a ply in the order of the text, the continuation of its line first. */
export const choicesAfter = (nodes, parent) => {
  const found = [];
  const waiting = nodes[parent].next ? [nodes[parent].next] : [];
  while (waiting.length) {
    const me = waiting.pop();
    found.push(me);
    waiting.push(...[...nodes[me].variations].reverse());
  }
  return found;
};

const statesPosition = ({ text }) => text.includes("[%position");

const written = ({ text }) => {
  const line = text.replace(/[ \t\r\n]+/g, " ").replace(/^ | $/g, "");
  return line.includes("}") ? `; ${line}\n` : `{${line}}`;
};

/** A tag as it is written. @param {[string, string]} tag */
export const tagText = ([name, value]) => `[${name} "${value.replace(/["\\]/g, "\\$&")}"]\n`;

/**
 * A text of a record, from which the core makes the canonical one.
 *
 * @param {{tags: [string, string][], nodes: TreeNode[], result: string, first: number}} record
 */
export const textOf = ({ tags, nodes, result, first }) => {
  const head = tags.map(tagText);
  const out = [];
  let numbered = first === 1; // the core counts from here on
  for (const piece of walk(nodes)) {
    if (piece.comment) {
      out.push(written(piece.comment));
      if (statesPosition(piece.comment)) numbered = false;
    } else if (piece.ply) {
      const { ply, nags, round, opens } = nodes[piece.ply];
      if (!numbered && round) out.push(`${round + first - 1}${opens ? "." : "..."}`);
      numbered = true;
      out.push(ply, ...nags.map((nag) => `$${nag}`));
    } else out.push(piece.open ? "(" : ")");
  }
  return `${head.join("")}\n${out.join(" ")} ${result}\n`;
};

/** How many plies precede a ply in the text; the number that it gets when the text is read. */
export const numberInText = (nodes, wanted) => {
  let number = 0;
  if (wanted <= 0) return wanted;
  for (const { ply } of walk(nodes)) {
    if (ply) number++;
    if (ply === wanted) return number;
  }
  return 0;
};

// ---- changes ----

/** Exchanges the comments after the closing parentheses of two lines: they belong to their places. */
const swapAfter = (nodes, one, other) => {
  [nodes[one].after, nodes[other].after] = [nodes[other].after, nodes[one].after];
};
const swapNext = (nodes, all, at) => {
  [all[at], all[at + 1]] = [all[at + 1], all[at]];
  swapAfter(nodes, all[at], all[at + 1]);
};
const replaceIn = (list, old, ...made) => list.splice(list.indexOf(old), 1, ...made);

/** Adds a ply after another: at the end of its line, or as the last variation. */
export const grow = (nodes, parent, ply) => {
  const next = nodes[parent].next;
  const node = { ply, short: ply, nags: [], comments: [], intro: [], after: [], variations: [], next: 0 };
  const me = nodes.push({ ...node, head: next, parent }) - 1;
  if (next) nodes[next].variations.push(me);
  else nodes[parent].next = me;
  return me;
};

/** Puts another line in the place of the line that begins with a ply. */
const takePlace = (nodes, old, made) => {
  const { head, parent } = nodes[old];
  nodes[made].head = head;
  swapAfter(nodes, made, old);
  if (head) replaceIn(nodes[head].variations, old, made);
  else {
    nodes[parent].next = made;
    nodes[made].comments.unshift(...nodes[made].intro.splice(0));
  }
};

/** Deletes a ply and all that follows it; its first variation takes its place. */
export const cut = (nodes, me) => {
  const { head, parent, variations } = nodes[me];
  const [first, ...others] = variations;
  if (first) {
    takePlace(nodes, me, first);
    for (const other of others) nodes[other].head = first;
    nodes[first].variations.unshift(...others);
  } else if (head) replaceIn(nodes[head].variations, me);
  else nodes[parent].next = 0;
};

/** The first ply of the line that contains a ply. */
const begins = (nodes, me) => {
  while (!nodes[me].head && nodes[nodes[me].parent]?.next === me && nodes[me].parent > 0) me = nodes[me].parent;
  return me;
};

const exchange = (nodes, main, line) => {
  const all = nodes[main].variations;
  takePlace(nodes, main, line);
  replaceIn(all, line, main);
  nodes[main].head = line;
  nodes[main].variations = [];
  for (const other of all) nodes[other].head = line;
  nodes[line].variations.unshift(...all);
};

/** Moves the line that contains a ply one place up among the alternatives. False: it is the main line. */
export const promote = (nodes, me) => {
  const line = begins(nodes, me);
  const { head } = nodes[line];
  if (!head) return false;
  const all = nodes[head].variations;
  const at = all.indexOf(line);
  if (at === 0) exchange(nodes, head, line);
  else swapNext(nodes, all, at - 1);
  return true;
};

/** Whether the ply begins a variation that repeats the ply which it replaces. */
const isRepeated = (nodes, { short, head }) => head > 0 && nodes[head].short === short;

/**
 * Makes the rest of a line a variation of the ply before it, which the variation repeats, with a position that a comment
 * states: `A B` becomes `A (A B)`.
 */
const detach = (nodes, me) => {
  const { parent } = nodes[me];
  const { ply, short, round, opens } = nodes[parent];
  const comments = nodes[parent].comments.filter(statesPosition);
  const node = { ply, short, round, opens, nags: [], comments, intro: [], after: [], variations: [], next: me };
  const copy = nodes.push({ ...node, head: parent, parent: nodes[parent].parent }) - 1;
  Object.assign(nodes[parent], { next: 0, variations: [...nodes[parent].variations, copy] });
  nodes[me].parent = copy;
};

/**
 * Moves a line one place down: a variation among the variations, or a ply of a line behind its first variation; otherwise it
 * becomes a variation of the ply before it. False: there is none, or it is one already.
 */
export const demote = (nodes, me) => {
  const line = begins(nodes, me);
  const all = nodes[line].head ? nodes[nodes[line].head].variations : [];
  const at = all.indexOf(line);
  if (nodes[me].variations.length) exchange(nodes, me, nodes[me].variations[0]);
  else if (at >= 0 && at + 1 < all.length) swapNext(nodes, all, at);
  else if (!nodes[me].head && nodes[me].parent > 0 && !isRepeated(nodes, nodes[nodes[me].parent])) detach(nodes, me);
  else return false;
  return true;
};
