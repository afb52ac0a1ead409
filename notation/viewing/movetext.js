/** Writes the plies, comments and variations of a record. Texts are shown as text, never as markup. */

import { button, element } from "./dom.js";
import { SUFFIXES, walk } from "./tree.js";

/** Variations nested deeper have no separate box. */
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
