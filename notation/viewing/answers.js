/**
 * Answers of solvers in words, as `solve` prints them (cli/solve.py).
 *
 * @typedef {Record<string, any>} Solution the object that `solve --json` prints
 */

const BY_NUMBER = ["South", "North"];
/** @type {[number, string][]} */
const UNITS = [[1e12, "T"], [1e9, "G"], [1e6, "M"]];
/** What the core calls a value, and its sign in a table. */
const RESULT_SIGNS = { win: "W", loss: "L", draw: "=" };

/** A number for people: 12,345 or 12.3 M. @param {number} number */
export const shortNumber = (number) => {
  const [size, unit] = UNITS.find(([least]) => number >= least) ?? [0, ""];
  return size ? `${(number / size).toFixed(1)} ${unit}` : Math.round(number).toLocaleString("en");
};

const pliesWords = (count) => (count === 1 ? "1 ply" : `${count} plies`);
export const signed = (value) => (typeof value === "number" && value >= 0 ? `+${value}` : String(value));

/** A player of a game for two or for many. @param {number} number @param {number} players */
const playerWords = (number, players) => (players === 2 ? BY_NUMBER[number - 1] : `player ${number}`);

/** A probability as a number. @param {string} share such as "3/8" */
const shareNumber = (share) => {
  const [over, under = "1"] = share.split("/");
  return Number(over) / Number(under);
};

/** @param {(string | null)[]} shares */
const sharesWords = (shares) =>
  shares
    .flatMap((share, index) => {
      if (share === null) return [];
      return [`player ${index + 1}: ${share}${share.includes("/") ? ` ≈ ${shareNumber(share).toFixed(4)}` : ""}`];
    })
    .join(", ");

const winOrMargin = ({ player, players }, value, distance) => {
  if (value === "draw") return "draw";
  if (typeof value === "number") return `${signed(value)} for ${playerWords(player, players)}`;
  const winner = playerWords(value === "win" ? player : 3 - player, players);
  if (distance === 0) return `${winner} has won`;
  return `${winner} wins${distance === null ? "" : ` in ${pliesWords(distance)}`}`;
};

/** @param {import("./core.js").Position} position @param {Solution} solution */
const boundWords = (position, { value, lower, upper }) => {
  if (typeof value !== "string") {
    const between = `between ${signed(lower)} and ${signed(upper)}`;
    return typeof lower === "number" ? `for ${playerWords(position.player, position.players)} ${between}` : between;
  }
  const words = winOrMargin(position, value, null);
  if (typeof lower !== "number") return words;
  if (upper === null) return `${words} in ${pliesWords(lower)} or more`;
  return `${words} in ${lower === upper ? pliesWords(lower) : `${lower} to ${upper} plies`}`;
};

/** The value of an answer. @param {import("./core.js").Position} position @param {Solution} solution */
export const answerWords = (position, solution) => {
  const { status, value, model, decided, note, endless, horizon, open } = solution;
  if (status === "unknown") {
    if (decided === null) return "not known (a limit was reached)";
    return `not known: no forced win of either side within ${pliesWords(decided)}`;
  }
  if (model !== null) {
    const text = Array.isArray(value) ? sharesWords(value) : `between ${solution.lower} and ${solution.upper}`;
    return `${text} (${model}, horizon ${horizon}, ${open} open)`;
  }
  if (status === "bound") return boundWords(position, solution) + (note ? "" : " (a limit was reached)");
  const words = winOrMargin(position, value, solution.distance);
  return endless && typeof value === "number" ? `${words}, in endless play` : words;
};

/**
 * The value after a ply, as `solve --each` prints it.
 *
 * @param {import("./core.js").Position} after the position after the ply
 * @param {{value: any, distance: number | null}} row
 */
export const rowWords = (after, { value, distance }) => {
  if (value === null) return "not known";
  return Array.isArray(value) ? sharesWords(value) : winOrMargin(after, value, distance);
};

/**
 * How good a ply is for the player that plays it, and a short sign of it: "W5" wins in 5 plies, "L", "=", "+3", "38 %".
 *
 * @param {import("./core.js").Position} position the position before the ply
 * @param {import("./core.js").Position} after
 * @param {{value: any, distance: number | null}} row
 * @returns {{rank: number, sign: string}} plies with higher ranks are better
 */
export const gradeOf = (position, after, { value, distance }) => {
  if (value === null || (Array.isArray(value) && value[position.player - 1] === null)) return { rank: -Infinity, sign: "?" };
  if (Array.isArray(value)) {
    const chance = shareNumber(value[position.player - 1]);
    return { rank: chance, sign: `${Math.round(100 * chance)} %` };
  }
  const same = after.player === position.player;
  if (typeof value === "number") return { rank: same ? value : -value, sign: signed(same ? value : -value || 0) };
  const own = value === "draw" || same ? value : value === "win" ? "loss" : "win";
  const far = distance ?? 1e6;
  const plies = distance === null ? "" : String(distance + 1);
  const rank = { win: 1e9 - far, draw: 0, loss: far - 1e9 }[own];
  return { rank, sign: own === "draw" ? "=" : RESULT_SIGNS[own] + plies };
};

/** The effort of an answer. @param {Solution} solution */
export const effortWords = ({ nodes, seconds }) =>
  `${nodes === 1 ? "1 node" : `${shortNumber(nodes)} nodes`}, ${seconds.toFixed(2)} s`;

/**
 * An answer as rows of a name and words.
 *
 * @param {import("./core.js").Position} position
 * @param {Solution} solution
 * @returns {[string, string][]}
 */
export const answerRows = (position, solution) => {
  const { best, best_complete: isWhole, pv, pv_complete: ends, note } = solution;
  /** @type {[string, string][]} */
  const rows = [["value", answerWords(position, solution)]];
  if (best?.length) rows.push([isWhole ? "best" : "best (some)", best.join(" ")]);
  if (pv?.length) rows.push(["line", `${pv.join(" ")}${ends ? "" : " (cut short)"}`]);
  if (note) rows.push(["note", note]);
  return rows;
};
