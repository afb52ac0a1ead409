/** Commands in comments, as commands.py has them: what people see of a comment, and the values in it. */

const COMMAND = / ?\[%[A-Za-z]+(?: [^[\]]*)?\]/g;
const VALUE = /\[%value ([^[\]]*)\]/g;
const SIDES = { s: "South", n: "North" };

/** A comment for people: without its commands, but a best line is named. @param {string} comment */
export const shownComment = (comment) => comment.replaceAll("[%best]", "best:").replace(COMMAND, "").trim();

/** @param {string[]} values one value, or two bounds */
export const valueWords = (values) => {
  const first = values[0].split(/\s+/).filter(Boolean);
  if (Object.hasOwn(SIDES, first[0]) && first.length <= 2) {
    if (first[1] === "0") return `${SIDES[first[0]]} has won`;
    const plies = first.length === 1 ? "" : ` in ${first[1]} ${first[1] === "1" ? "ply" : "plies"}`;
    return `${SIDES[first[0]]} wins${plies}`;
  }
  if (values.length === 1 && values[0] === "draw") return "a draw";
  if (first.includes("maxn")) return `chances: ${first.slice(0, first.indexOf("maxn")).join(" ")}`;
  return `South's margin is ${values.join(" and ")}`;
};

const NUMBER = /^[+-]?\d{1,9}$/;
const share = (text) => {
  const [over, under = "1"] = text.split("/");
  return NUMBER.test(over) && NUMBER.test(under) ? Number(over) / Number(under) : NaN;
};

/** The heights of the curves, one for each player of a game of chances. */
const heights = (values, players, chances) => {
  if (chances) {
    const all = values[0].split(/\s+/).filter(Boolean).slice(0, players).map(share);
    return all.length === players ? all : [NaN];
  }
  if (values[0] === "draw") return [0];
  if ("sn".includes(values[0][0] ?? "?")) return [values[0][0] === "s" ? 1 : -1];
  const bounds = values.map((text) => text.replace(/^[<>=]+/, "")).map((text) => (NUMBER.test(text) ? Number(text) : NaN));
  return [bounds.reduce((sum, bound) => sum + bound, 0) / bounds.length];
};

/**
 * The value that `annotate` wrote after a ply: in words, and as heights of curves; null if there is none.
 *
 * @param {string[]} comments
 * @param {number} players
 * @param {boolean} chances whether values of the game are the chances of the players
 * @returns {[string, number[]] | null}
 */
export const valueIn = (comments, players, chances) => {
  const found = comments.flatMap((comment) => [...comment.matchAll(VALUE)].map((match) => match[1]));
  if (!found.length) return null;
  const curve = heights(found, players, chances);
  return curve.every(Number.isFinite) ? [valueWords(found), curve] : null;
};
