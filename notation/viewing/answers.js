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

/**
 * @typedef {{status: string, value: any, distance: number | null, lower: any, upper: any, decided: number | null}} PlyAnswer
 *   the value after a ply, with its bounds
 */

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

const noWinWords = (decided) => `not known: no forced win of either side within ${pliesWords(decided)}`;

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
    if (decided === null) return note ? "not known" : "not known (a limit was reached)";
    return noWinWords(decided);
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
 * The value after a ply for the side that plays it. Distances count from the position before the ply.
 *
 * @param {import("./core.js").Position} position
 * @param {import("./core.js").Position} after
 * @param {PlyAnswer} row
 * @returns {PlyAnswer}
 */
const fromBefore = (position, after, row) => {
  const { value, distance, lower, upper, decided } = row;
  const one = (plies) => (plies === null ? null : plies + 1);
  if (Array.isArray(value) || typeof lower === "string") return row;
  if (typeof value === "string") {
    const isSame = after.player === position.player;
    const own = value === "draw" || isSame ? value : value === "win" ? "loss" : "win";
    return { ...row, value: own, distance: one(distance), lower: one(lower), upper: one(upper) };
  }
  if (after.player === position.player) return { ...row, decided: one(decided) };
  const other = (margin) => (margin === null ? null : -margin || 0);
  return { ...row, value: other(value), lower: other(upper), upper: other(lower), decided: one(decided) };
};

/** Bounds of a margin, of which one may be known before the search. @param {import("./core.js").Position} position */
const marginBoundWords = ({ player, players, widest }, { lower, upper }) => {
  if (lower <= -widest && upper >= widest) return "not known";
  const side = playerWords(player, players);
  if (upper >= widest) return `at least ${signed(lower)} for ${side}`;
  if (lower <= -widest) return `at most ${signed(upper)} for ${side}`;
  return `between ${signed(lower)} and ${signed(upper)} for ${side}`;
};

/**
 * The value after a ply in words, counted from the position before it.
 *
 * @param {import("./core.js").Position} position the position before the ply
 * @param {import("./core.js").Position} after
 * @param {PlyAnswer} row
 * @param {Solution} solution the answer for the position
 */
export const rowWords = (position, after, row, solution) => {
  const found = fromBefore(position, after, row);
  const { value, distance, lower, decided } = found;
  if (value === null && typeof lower === "number") return marginBoundWords(position, found);
  if (typeof value === "string" && distance === null && typeof lower === "number") return boundWords(position, found);
  if (Array.isArray(value)) return sharesWords(value);
  if (value !== null) return winOrMargin(position, value, distance);
  if (decided !== null) return noWinWords(decided);
  if (solution.decided === null) return "not known";
  const side = playerWords(position.player, position.players);
  return `not known: no forced win of ${side} within ${pliesWords(solution.decided)}`;
};

/**
 * How good a ply is for the player that plays it, and a short sign of it: "W5" wins in 5 plies, "L", "=", "+3", "38 %".
 *
 * @param {import("./core.js").Position} position the position before the ply
 * @param {import("./core.js").Position} after
 * @param {PlyAnswer} row
 * @returns {{rank: number, sign: string}} plies with higher ranks are better
 */
export const gradeOf = (position, after, row) => {
  const { value, distance } = fromBefore(position, after, row);
  if (value === null || (Array.isArray(value) && value[position.player - 1] === null)) return { rank: -Infinity, sign: "?" };
  if (Array.isArray(value)) {
    const chance = shareNumber(value[position.player - 1]);
    return { rank: chance, sign: `${Math.round(100 * chance)} %` };
  }
  if (typeof value === "number") return { rank: value, sign: signed(value) };
  const far = distance ?? 1e6;
  const rank = { win: 1e9 - far, draw: 0, loss: far - 1e9 }[value];
  return { rank, sign: value === "draw" ? "=" : RESULT_SIGNS[value] + (distance ?? "") };
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
