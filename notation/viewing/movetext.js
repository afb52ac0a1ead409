/** Writes the plies, comments and variations of a record. Texts are shown as text, never as markup. */

import { button, element } from "./dom.js";
import { SUFFIXES, walk } from "./tree.js";

/** Variations nested deeper have no separate box; in solutions they are not shown. */
const DEEPEST = 60;

const suffix = (nags) => nags.map((nag) => SUFFIXES[nag] ?? ` $${nag}`).join("");

/**
 * Fills the box. Each node gets `button`, which shows its position.
 *
 * @param {HTMLElement} box
 * @param {{nodes: import("./tree.js").TreeNode[], result: string, first: number}} record
 * @param {(number: number) => void} go
 */
export const writeMovetext = (box, { nodes, result, first }, go) => {
  const root = document.createDocumentFragment();
  const around = [];
  let [into, numbered] = [root, false];
  for (const piece of walk(nodes)) {
    if (piece.comment) {
      if (!piece.comment.shown) continue;
      into.append(element("span", "comment", piece.comment.shown), " ");
      numbered = false;
    } else if (piece.ply) {
      const node = nodes[piece.ply];
      const place = element("span", "ply");
      if (node.opens || !numbered) {
        place.append(element("span", "number", `${node.round + first - 1}${node.opens ? "." : "..."}`), " ");
      }
      node.button = button(node.ply + (node.suffix ?? suffix(node.nags)), () => go(piece.ply));
      node.button.tabIndex = -1;
      place.append(node.button);
      into.append(place, " ");
      numbered = true;
    } else if (piece.open) {
      around.push(into);
      numbered = false;
      if (around.length > DEEPEST) {
        into.append("( ");
        continue;
      }
      const inner = element("div", "variation");
      inner.setAttribute("role", "group");
      inner.setAttribute("aria-label", "variation");
      into.append(inner);
      into = inner;
    } else {
      if (around.length > DEEPEST) into.append(") ");
      into = around.pop();
      numbered = false;
    }
  }
  if (nodes.length > 1) nodes[1].button.tabIndex = 0;
  root.append(element("span", "result", result));
  box.replaceChildren(root);
};

/**
 * Fills the box with a solution: each line, then its variations. Variations that differ only in their first plies are one.
 *
 * @param {HTMLElement} box
 * @param {{nodes: import("./tree.js").TreeNode[], first: number}} record with a ply
 * @param {string} end the words after the main line
 * @param {(number: number) => void} go
 */
export const writeSolution = (box, { nodes, first }, end, go) => {
  const comments = (list) => list.filter(({ shown }) => shown).flatMap(({ shown }) => [element("span", "comment", shown), " "]);
  const plyOf = (me, numbered) => {
    const place = element("span", "ply");
    const number = `${nodes[me].round + first - 1}${nodes[me].opens ? "." : "..."}`;
    if (!numbered) place.append(element("span", "number", number), " ");
    place.append(button(nodes[me].ply + suffix(nodes[me].nags), () => go(me)));
    return place;
  };
  /** The rest of a line after its first ply: plies and comments, and the boxes of its variations. */
  const restOf = (head, depth) => {
    const [rest, below] = [[], []];
    for (let [me, numbered] = [head, true]; me; me = nodes[me].next) {
      if (me !== head) rest.push(plyOf(me, numbered && !nodes[me].opens), " ");
      const words = comments(nodes[me].comments);
      rest.push(...words);
      numbered = !words.length;
      below.push(...boxesOf(nodes[me].variations, depth + 1));
    }
    return [rest, below];
  };
  const boxesOf = (heads, depth) => {
    if (depth > DEEPEST) return heads.length ? ["…"] : [];
    const same = new Map(); // the first plies of a box, by all that follows them
    for (const head of heads) {
      const [rest, below] = restOf(head, depth);
      const box = element("div", "variation");
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", "variation");
      box.append(...rest, ...comments(nodes[head].after), ...below);
      const [intro, what] = [comments(nodes[head].intro), JSON.stringify([box.textContent, nodes[head].nags])];
      const plies = intro.length ? null : same.get(what);
      if (plies) plies.append(", ", plyOf(head, true));
      else {
        const begin = element("span");
        begin.append(...intro, plyOf(head, false));
        box.prepend(begin, " ");
        same.set(intro.length ? head : what, begin);
      }
    }
    return [...same.values()].map((begin) => begin.parentElement);
  };
  const [rest, below] = restOf(nodes[0].next, 0);
  const begin = [...comments(nodes[0].comments), plyOf(nodes[0].next, false), " "];
  box.replaceChildren(...begin, ...rest, element("span", "result", end), ...below);
};
