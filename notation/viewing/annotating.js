/**
 * Values of positions in a record, as annotate writes them (annotating.py): comments with the proven values of the main line, and
 * marks of plies that provably lost value.
 *
 * @typedef {[number, number]} Bounds the lowest and the highest proven value for South; wins are 1, losses -1
 * @typedef {{node: import("./tree.js").TreeNode, start: string, reached: string}} Step a ply of the main line, with the
 *   positions before and after it
 */

const MISTAKE = 2;
const BLUNDER = 4;
const ENDLESS = 2 ** 30;
const JUDGING_NAGS = [1, 2, 3, 4, 5, 6];
const OWN = / ?\[%(?:value|mark)(?: [^[\]]*)?\]/g;
const MARK = /\[%mark ([24])\]/g;
const BEST_LINE = "[%best]";
const RESULT_VALUES = { win: 1, loss: -1, draw: 0 };

/** The plies of the main line. @param {import("./tree.js").TreeNode[]} nodes @returns {Step[]} */
export const stepsOf = (nodes) => {
  const steps = [];
  for (let at = 0; nodes[at].next; at = nodes[at].next) {
    const node = nodes[nodes[at].next];
    steps.push({ node, start: nodes[at].fen, reached: node.reached ?? node.fen });
  }
  return steps;
};

/**
 * The positions whose values concern the main line, the last first, each once.
 *
 * @param {Step[]} steps
 * @param {boolean} chances whether the values of the game are chances: then no ply is judged by the position before it
 */
export const positionsToSolve = (steps, chances) =>
  [...new Set([...steps].reverse().flatMap(({ start, reached }) => (chances ? [reached] : [reached, start])))];

/** What an answer proves, for South. @returns {Bounds} */
const boundsOf = (position, solution, margins) => {
  const widest = margins ? ENDLESS : 1;
  let [low, high] = [-widest, widest];
  if (solution) {
    const { value, status, lower, upper } = solution;
    if (!margins && typeof value === "string") low = high = RESULT_VALUES[value];
    else if (typeof value === "number") low = high = value;
    else if (margins && status === "bound") {
      if (Number.isInteger(lower) && lower > -position.widest) low = lower;
      if (Number.isInteger(upper) && upper < position.widest) high = upper;
    }
  }
  return position.player === 1 ? [low, high] : [-high, -low];
};

/**
 * The bounds before and after each ply, tightened by those of the neighbouring positions: the player of a ply chose it, so
 * that the position before is worth at least as much for that player as the one after.
 *
 * @returns {[Bounds, Bounds][]}
 */
const tightened = (steps, of, isSouth) => {
  const bounds = steps.map(({ start, reached }) => [of(start), of(reached)]);
  // Where a comment states another position, the line breaks.
  const joined = (index) => index >= 0 && index + 1 < steps.length && steps[index].reached === steps[index + 1].start;
  for (let index = steps.length - 1; index >= 0; index--) {
    let [before, after] = bounds[index];
    if (joined(index)) after = bounds[index + 1][0];
    before = isSouth[index] ? [Math.max(before[0], after[0]), before[1]] : [before[0], Math.min(before[1], after[1])];
    bounds[index] = [before, after];
  }
  for (let index = 0; index < steps.length; index++) {
    let [before, after] = bounds[index];
    if (joined(index - 1)) before = bounds[index - 1][1];
    after = isSouth[index] ? [after[0], Math.min(after[1], before[1])] : [Math.max(after[0], before[0]), after[1]];
    bounds[index] = [before, after];
  }
  return bounds;
};

/** Whether a ply provably cost its player something: 2, 4 or null. */
const markOf = (isSouth, before, after) => {
  const own = ([low, high]) => (isSouth ? [low, high] : [-high, -low]);
  const [[least], [, most]] = [own(before), own(after)];
  if (most >= least) return null;
  return least > 0 && most < 0 ? BLUNDER : MISTAKE;
};

const plus = (number) => (number >= 0 ? `+${number}` : String(number));

/** The contents of `[%value …]`: one value, two bounds, or none if nothing is proven. @returns {string[]} */
const valuesOf = ([low, high], solution, margins) => {
  if (margins) {
    if (low === high) return [plus(low)];
    return [...(low > -ENDLESS ? [`>=${low}`] : []), ...(high < ENDLESS ? [`<=${high}`] : [])];
  }
  if (low !== high) return [];
  if (low === 0) return ["draw"];
  const distance = solution?.distance ?? null;
  return [`${low > 0 ? "s" : "n"}${distance === null ? "" : ` ${distance}`}`];
};

/** The same in a game of chance. */
const chancesOf = (solution) => {
  const known = solution?.model === "maxn" && Array.isArray(solution.value) && !solution.value.includes(null);
  return known ? [`${solution.value.join(" ")} maxn ${solution.horizon}`] : [];
};

/** Removes what an earlier run wrote. */
const clearOwn = (nodes, node) => {
  for (const { text } of node.comments) {
    for (const [, number] of text.matchAll(MARK)) {
      const at = node.nags.indexOf(Number(number));
      if (at >= 0) node.nags.splice(at, 1);
    }
  }
  const without = (text) => text.replace(OWN, "").replace(/^ +| +$/g, "");
  node.comments = node.comments.map(({ text }) => [text, without(text)]).filter(([text, left]) => left || !text).map(([, left]) => ({ text: left }));
  const kept = [];
  for (const one of node.variations) {
    const line = nodes[one];
    if (!line.intro[0]?.text.startsWith(BEST_LINE)) kept.push(one);
    else (kept.length ? nodes[kept.at(-1)].after : node.comments).push(...line.after);
  }
  node.variations = kept;
};

/**
 * Writes values and marks into a record, in place of those that an earlier run wrote.
 *
 * @param {import("./tree.js").TreeNode[]} nodes
 * @param {Map<string, import("./answers.js").Solution>} solutions by position; positions may be missing
 * @param {import("./core.js").Core} core
 * @param {{chances: boolean, margins: boolean}} game
 * @returns {{plies: number, proven: number, bounded: number, marks: number}}
 */
export const annotateNodes = (nodes, solutions, core, { chances, margins }) => {
  const steps = stepsOf(nodes);
  const isSouth = steps.map(({ start }) => core.position(start).player === 1);
  const of = (fen) => boundsOf(core.position(fen), solutions.get(fen), margins);
  const bounds = chances ? [] : tightened(steps, of, isSouth);
  const counts = { plies: steps.length, proven: 0, bounded: 0, marks: 0 };
  steps.forEach(({ node, reached }, index) => {
    const solution = solutions.get(reached);
    clearOwn(nodes, node);
    const values = chances ? chancesOf(solution) : valuesOf(bounds[index][1], solution, margins);
    const isJudged = chances || node.nags.some((nag) => JUDGING_NAGS.includes(nag));
    const mark = isJudged ? null : markOf(isSouth[index], ...bounds[index]);
    const words = values.map((value) => `[%value ${value}]`);
    if (mark !== null) {
      words.push(`[%mark ${mark}]`);
      node.nags.unshift(mark);
    }
    const first = node.comments[0]?.text;
    if (words.length && first) node.comments[0] = { text: [...words, first].join(" "), shown: "" };
    else if (words.length) node.comments.unshift({ text: words.join(" "), shown: "" });
    const isBounded = values.length > 0 && /^[<>]/.test(values[0]);
    if (values.length > 0 && !isBounded) counts.proven++;
    if (isBounded) counts.bounded++;
    if (mark !== null) counts.marks++;
  });
  return counts;
};

/** The counts in words, as annotate prints them. */
export const annotatedWords = ({ plies, proven, bounded, marks }) =>
  [
    plies === 1 ? "1 ply" : `${plies.toLocaleString("en")} plies`,
    `${proven.toLocaleString("en")} with a proven value`,
    ...(bounded ? [`${bounded.toLocaleString("en")} with bounds`] : []),
    `${marks.toLocaleString("en")} marked`,
  ].join(", ");
