/** The curve of the values of a game, over the plies of its main line. */

import { drawn } from "./board.js";

const path = (className, d) => drawn("path", { class: className, d });

/**
 * Draws the curve into a box, or hides the box if there are no values.
 *
 * @param {HTMLElement} box
 * @param {(number[] | null)[]} values one for each ply: a height for each player, or a single one
 * @param {(index: number) => void} choose is called with the place of a click
 */
export const drawCurve = (box, values, choose) => {
  const known = values.filter(Boolean);
  box.hidden = known.length === 0;
  box.replaceChildren();
  if (!known.length) return;
  const curves = known.reduce((most, value) => Math.max(most, value.length), 0);
  const most = known.flat().reduce((most, value) => Math.max(most, Math.abs(value)), 1);
  const least = curves > 1 ? 0 : -most;
  const width = Math.max(values.length - 1, 1);
  const words = curves > 1 ? "chances of the players" : "value, South above";
  const svg = drawn("svg", {
    viewBox: `-0.5 0 ${width + 1} 100`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": `Curve of the ${words}, over ${values.length - 1} plies`,
  });
  const height = (value) => 95 - (90 * (value - least)) / (most - least);
  svg.append(path("axis", `M-0.5 ${height(0)}H${width + 0.5}`));
  for (let curve = 0; curve < curves; curve++) {
    let d = "";
    values.forEach((value, index) => {
      if (!value || value[curve] === undefined) return;
      const y = height(value[curve]).toFixed(1);
      d += `${index && values[index - 1] ? "L" : "M"}${index - 0.5} ${y}H${index + 0.5}`;
    });
    svg.append(path("line", d));
  }
  svg.append(path("now", ""));
  svg.addEventListener("click", (event) => {
    const { left, width: size } = svg.getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / size) * (width + 1));
    choose(Math.max(0, Math.min(index, values.length - 1)));
  });
  box.append(svg);
};

/** Marks a place of the curve; -1: none. */
export const markCurve = (box, index) =>
  box.querySelector(".now")?.setAttribute("d", index < 0 ? "" : `M${index} 0V100`);
