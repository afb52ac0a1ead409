/** Score sheets with diagrams, which the page prints. */

import { element } from "./dom.js";
import { writeMovetext } from "./movetext.js";

const MOST_DIAGRAMS = 8;
/** If more records are printed, each has only the diagram of its last position. */
const MOST_WITH_DIAGRAMS = 100;

/** The plies of the main line that are drawn: those with a comment or a NAG, or else each tenth; and the last. */
const drawnPlies = (nodes, most) => {
  const line = [0];
  while (nodes[line.at(-1)].next) line.push(nodes[line.at(-1)].next);
  const last = line.pop();
  const noted = line.filter((me) => me && (nodes[me].nags.length || nodes[me].comments.some(({ shown }) => shown)));
  const chosen = noted.length ? noted : line.filter((_, index) => index && index % 10 === 0);
  return [...chosen.slice(0, most - 1), last];
};

const figureOf = (node, first, draw) => {
  const figure = element("figure");
  const number = node.round ? `${node.round + first - 1}${node.opens ? "." : "..."} ` : "";
  figure.append(draw(node), element("figcaption", "", node.ply ? `after ${number}${node.ply}` : "start"));
  return figure;
};

/**
 * Fills the box with a sheet for each record.
 *
 * @param {HTMLElement} box
 * @param {[import("./shelf.js").Row, import("./records.js").RecordText][]} records what the list shows of each, and what was read of it
 * @param {(node: import("./tree.js").TreeNode, nodes: import("./tree.js").TreeNode[]) => SVGElement} draw
 */
export const writeSheets = (box, records, draw) => {
  const most = records.length > MOST_WITH_DIAGRAMS ? 1 : MOST_DIAGRAMS;
  box.replaceChildren(
    ...records.map(([row, record]) => {
      const sheet = element("section");
      const moves = element("div", "moves");
      const about = [row.game, row.about, row.result].filter(Boolean).join(" · ");
      sheet.append(element("h1", "", row.title), element("p", "about", about));
      const error = record.diagnostics.find(({ isError }) => isError);
      if (error) sheet.append(element("p", "", `This record is invalid: ${error.words}`));
      writeMovetext(moves, record, () => {});
      sheet.append(moves);
      if (record.start) {
        const diagrams = element("div", "diagrams");
        const plies = drawnPlies(record.nodes, most);
        diagrams.append(...plies.map((me) => figureOf(record.nodes[me], record.first, (node) => draw(node, record.nodes))));
        sheet.append(diagrams);
      }
      return sheet;
    })
  );
};
