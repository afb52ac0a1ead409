/**
 * The page: a list of records, the one that is shown, and what people do with it.
 *
 * A record is kept as its text. Every change makes a new text, which the core reads before it counts; to undo is to take
 * the text before it. Until it is changed, a record of the page is shown from the data that Python wrote.
 */

import { Analysis } from "./analysis.js";
import { Arranging } from "./arranging.js";
import { captionOf, scoreOf } from "./captions.js";
import { valueIn } from "./commands.js";
import { Core, decoded } from "./core.js";
import { drawCurve, markCurve } from "./curve.js";
import { button, byId, element, isWithin, reveal, visible } from "./dom.js";
import { connectTags, fillPly, fillTags } from "./editing.js";
import { writeMovetext, writeSolution } from "./movetext.js";
import { writeSheets } from "./printing.js";
import { Putting } from "./putting.js";
import { Records } from "./records.js";
import { connectOpening, connectSaving } from "./saving.js";
import { isSheet, readSheet, Sheet } from "./sheet.js";
import { MOST_UNDONE, Shelf } from "./shelf.js";
import { Solver } from "./solver.js";
import { Stage } from "./stage.js";
import { choicesAfter, cut, demote, grow, numberInText, plant, promote, textOf } from "./tree.js";
import { Writing } from "./writing.js";

(() => {
  const MAY_MISS = "the move numbers show that plies may be missing: correct them in the text first";
  const data = JSON.parse(byId("data").textContent);
  const NULL_PLY = "--";
  const title = document.title;

  /** @type {import("./shelf.js").Entry | null} */
  let entry = null; // the one that is shown
  let record = null; // and what was read of it
  let nodes = []; // its plies; number 0 is the start
  let at = 0; // the ply that is shown; -1: a position of a problem
  let fen = ""; // of the position that is shown
  /** @type {Core | null} */
  let core = null;
  let solver = null;
  /** @type {Records | null} */
  let records = null;
  /** @type {Sheet | null} */
  let sheet = null;
  /** @type {Analysis | null} */
  let analysis = null;
  /** @type {Arranging | null} */
  let arranging = null;
  /** @type {Writing | null} */
  let writing = null;

  const say = (words, error = false) => {
    byId("error").textContent = error ? words : "";
    byId("note").textContent = error ? "" : words;
  };
  const attempt = (action) => {
    try {
      say("");
      action();
    } catch (error) {
      say(error.message, true);
    }
  };
  const playClicked = (ply) => attempt(() => play(ply));
  const sayOfClick = (words) => {
    say(words);
    fillUndo();
  };
  const stage = new Stage(data, byId("board"), byId("choices"), playClicked, sayOfClick);

  // ---- the sheet of diagrams ----

  const isOnSheet = () => !byId("sheet").hidden;
  const showSheet = () => {
    arranging.close();
    analysis.follow("");
    byId("sheet").hidden = false;
    byId("game").hidden = byId("to-sheet").hidden = true;
    byId("print-sheet").hidden = false;
    byId("heading").textContent = title;
    byId("about").textContent = sheet.words;
    byId("meanings").replaceChildren(...sheet.meanings.map((words) => element("p", "", words)));
    byId("solutions").after(byId("kept"));
  };
  /** Adds diagrams, and shows all. */
  const addDiagrams = (diagrams) => {
    sheet.add(diagrams);
    for (const { fen: one, solution } of diagrams) if (solution) analysis.remember(one, solution);
    showSheet();
  };
  /** Adds the diagrams that the browser keeps. */
  const restoreSheet = () => {
    for (const part of shelf.keptSheet()) {
      const made = typeof part === "string" ? readSheet(part, "local storage", core).diagrams : part.map((one, index) => problemOf(one, index + 1));
      if (made.length) attempt(() => addDiagrams(made.filter(Boolean)));
    }
  };
  /** The diagram of a record; null: it is no problem. @param {import("./shelf.js").Entry} one @param {number} number */
  const problemOf = (one, number) => {
    const { start, tags } = readOf(one);
    const [stipulation, author] = ["Stipulation", "Author"].map((name) => tags.find(([tag]) => tag === name)?.[1]);
    return start && stipulation !== undefined ? { number, fen: start, record: shelf.entries.indexOf(one) + 1, stipulation, author } : null;
  };
  /**
   * The moves of the solution of a problem. A click on a ply shows it in the record.
   *
   * @param {import("./sheet.js").Diagram} diagram
   */
  const solutionOf = ({ record: number }) => {
    const one = number ? shelf.entries[number - 1] : null;
    if (!one) return null;
    const found = readOf(one);
    if (found.nodes.length === 1) return null;
    let last = 0;
    while (found.nodes[last].next) last = found.nodes[last].next;
    const position = core.position(found.nodes[last].fen);
    const result = found.result.replace("*", position.players === 2 ? "…" : ""); // GRAN's lines end if no player can win
    const end = [result, scoreOf(position)].filter(Boolean).join("; ");
    const moves = element("div", "moves");
    writeSolution(moves, found, end, (ply) => {
      choose(one);
      go(ply);
    });
    return moves;
  };

  // ---- a record ----

  const choose = (one) => {
    if (!one) return;
    entry?.button.removeAttribute("aria-current");
    entry = one;
    entry.button.setAttribute("aria-current", "true");
    reveal(byId("list"), entry.item);
    read();
    const errors = record.problems.filter(({ severity }) => severity === "error");
    const problem = errors.find(({ standing: known }) => known);
    if (problem) show(problem, -1);
    else if (nodes[0].fen) go(entry.row.valid ? 0 : nodes.length - 1);
    else clear();
    openFields();
    if (errors.length) say(`this record is invalid: ${errors[0].message}`, true);
  };

  /** Reads the record that is shown: from the data of the page, or from its text. */
  const read = () => {
    if (entry.stored && !entry.changed) record = fromPage(JSON.parse(entry.stored.textContent));
    else record = fromCore(records.read(shelf.text(entry))[0]);
    nodes = record.nodes;
    write();
  };

  const fromCore = (found) => {
    const { chances } = records.games.find(({ id }) => id === found.game) ?? {};
    const players = found.start ? core.position(found.start).players : 0;
    for (const node of found.nodes) node.value = valueIn(node.comments.map(({ text }) => text), players, chances);
    const problems = found.diagnostics
      .filter(({ code }) => code !== "missing-tag" || entry !== shelf.analysis)
      .map(({ line, column, isError, code, reason, words: message, tag }) => ({
        ...{ tag, reason },
        place: `${line}:${column}`,
        severity: isError ? "error" : "warning",
        code,
        message,
        suggest: [],
      }));
    return { ...found, problems, isRead: true, board: found.start ? 0 : -1 };
  };

  // The plies of the data that Python wrote: a list [ply, number, NAGs, shapes that go, shapes that come, caption,
  // position, value], a text (a comment), 1 and 0 (a variation opens and closes).
  const fromPage = (stored) => {
    const { start, caption, fen: begin = "" } = stored;
    const tree = plant({ standing: start, caption, fen: begin });
    for (const token of stored.tokens) {
      if (token === 1) tree.open();
      else if (token === 0) tree.close();
      else if (typeof token === "string") tree.comment({ text: token, shown: token });
      else {
        const [ply, number, suffix, gone, come, lines, after, value] = token;
        const opens = /\d\.$/.test(number);
        const fields = { ply, short: ply, suffix, gone, come, caption: lines, fen: after, value };
        tree.ply({ ...fields, opens, round: Number.parseInt(number, 10) || 0 });
      }
    }
    return { ...stored, nodes: tree.nodes, first: 1, isRead: false };
  };

  /** Reads a record that need not be the one that is shown. @param {import("./shelf.js").Entry} one */
  const readOf = (one) => {
    const [found] = records.read(shelf.text(one), title);
    if (found) return found;
    const stored = fromPage(JSON.parse(one.stored.textContent)); // an invalid record without its text
    return { ...stored, start: stored.fen, diagnostics: [] };
  };

  /** Reads the record from its text, so that it can be changed. The plies keep their numbers. */
  const adopt = () => {
    if (!record) throw new Error("choose a game first");
    if (!entry.row.valid) throw new Error("the record is invalid: correct its text first");
    if (record.isRead) return;
    record = fromCore(records.readOne(shelf.text(entry)));
    nodes = record.nodes;
  };

  /** Writes all that is shown of the record besides the position. */
  const write = () => {
    const { row } = entry;
    byId("heading").textContent = visible(row.title);
    byId("about").textContent = visible([row.game, row.about, row.result].filter(Boolean).join(" · "));
    byId("game").hidden = false;
    byId("sheet").hidden = true;
    byId("meanings").replaceChildren();
    byId("keys").before(byId("kept"));
    byId("to-sheet").hidden = !sheet?.diagrams.length;
    byId("print-sheet").hidden = true;
    byId("play").hidden = !nodes[0].fen || !core;
    writeMovetext(byId("movetext"), record, go);
    writeTags();
    writeProblems();
    line = [0];
    while (nodes[line.at(-1)].next) line.push(nodes[line.at(-1)].next);
    drawCurve(byId("curve"), line.map((me) => nodes[me].value?.[1] ?? null), (index) => go(line[index]));
  };

  const writeTags = () => {
    const game = record.isRead && entry.row.valid ? records.games.find(({ id }) => id === record.game) : null;
    byId("tagging").hidden = !game;
    if (game) {
      fillTags(record, game, core.position(record.start).players, tryChange);
      return;
    }
    byId("tags").replaceChildren(
      ...record.tags.map(([name, value]) => {
        const row = element("tr");
        row.append(element("th", "", name), element("td", "", value));
        return row;
      })
    );
  };

  /** Whether the record can be changed; then it is read from its text for the fields that show it. */
  const isOpen = () => byId("annotating").open || byId("more").open;
  const openFields = () => {
    if (!core || !record || !isOpen() || record.isRead || !entry.row.valid) return;
    const was = at;
    adopt();
    write();
    go(was);
  };
  /** Marks the buttons that cannot step further; they keep the focus. */
  const fillSteps = () => {
    const isLast = !nodes[here()].next;
    for (const [name, off] of Object.entries({ first: at === 0, back: at === 0, forward: isLast, last: isLast })) {
      byId(name).setAttribute("aria-disabled", String(off));
    }
  };
  const fillUndo = () => (byId("undo").disabled = !stage.isUnfinished && !entry?.before.length);
  const fill = () => {
    const changeable = Boolean(core && record && nodes[0].fen && entry.row.valid && at >= 0);
    byId("edit").hidden = !core;
    byId("annotating").hidden = !changeable;
    if (changeable && record.isRead && byId("annotating").open) fillPly(nodes, at, tryChange);
    fillUndo();
    if (record) fillSteps();
    byId("redo").disabled = !entry?.after.length;
    for (const id of ["delete", "promote", "demote"]) byId(id).disabled = !changeable || at === 0;
    writing?.follow();
    for (const one of byId("problems").querySelectorAll(".correct")) one.hidden = byId("writing").hidden;
  };

  const writeProblems = () => {
    const box = byId("problems");
    box.hidden = record.problems.length === 0;
    const found = element("ul");
    const first = record.problems.find(({ severity }) => severity === "error");
    for (const problem of record.problems) {
      const words = `line ${problem.place.replace(":", ", column ")}: ${problem.severity} ${problem.code}: ${problem.message}`;
      const item = element("li", problem.severity, words);
      found.append(item);
      const canUse = problem === first && problem.standing; // the text selects only its first error
      if (problem.suggest.length && !canUse) item.append(` (perhaps ${problem.suggest.join(" or ")})`);
      if (!problem.standing) continue;
      for (const ply of canUse ? problem.suggest : []) {
        const made = button(`Use ${ply}`, () => writing?.replace(ply));
        made.className = "correct";
        item.append(" ", made);
      }
      const before = button("Position before it", () => {
        show(problem, -1);
        byId("board").scrollIntoView({ block: "nearest" });
      });
      item.append(" ", before);
    }
    const invalid = record.problems.some((problem) => problem.severity === "error");
    box.replaceChildren(element("h2", "", invalid ? "This record is invalid" : "Warnings"), found);
    if (invalid) {
      const correct = button("Correct the text", () => writing?.correct());
      correct.className = "correct";
      box.append(correct);
    }
    box.classList.toggle("mild", !invalid);
  };

  const clear = () => {
    stage.clear();
    at = 0;
    fen = byId("fen").value = "";
    byId("caption").replaceChildren();
    byId("value").hidden = true;
    analysis?.follow("");
    arranging?.close();
    fill();
  };

  // ---- steps ----

  let line = []; // the plies of the main line

  const standing = (number) => {
    const way = [];
    let me = number;
    while (!nodes[me].standing) {
      way.push(me);
      me = nodes[me].parent;
    }
    for (me = way.pop(); me !== undefined; me = way.pop()) {
      const gone = new Set(nodes[me].gone);
      nodes[me].standing = nodes[nodes[me].parent].standing.filter((one) => !gone.has(one)).concat(nodes[me].come);
    }
  };

  /**
   * The ply of a node with the places that it passes; "" if its position is not the position after them.
   *
   * @param {import("./tree.js").TreeNode} node
   * @param {import("./tree.js").TreeNode[]} all the plies of the record
   */
  const pathOf = ({ ply, parent, reached, fen: after }, all) =>
    !ply || ply === NULL_PLY || (reached ?? after) !== after ? "" : core.path(all[parent].fen, ply);

  const show = (what, number) => {
    arranging?.close();
    if (at > 0) nodes[at]?.button.removeAttribute("aria-current");
    at = number;
    const position = what.standing ? null : core.position(what.fen);
    const board = position ? stage.boardFor(position) : (what.board ?? record.board);
    const lines = position ? captionOf(position, what.ply) : what.caption.map((one) => record.words[one]);
    stage.show({ board, things: what.standing ?? [], position, ply: position ? pathOf(what, nodes) : "" }, `${lines.join("; ")}. ${what.fen}`);
    const isEnd = number === line.at(-1) && record.result !== "*" && !(position ?? core?.position(what.fen))?.outcome;
    const end = isEnd ? [`Result: ${record.result}`] : [];
    byId("caption").replaceChildren(...[...lines, ...end].map((one, index) => element("div", index === Number(Boolean(what.ply)) ? "status" : "", one)));
    fen = byId("fen").value = what.fen;
    byId("said").textContent = [...lines.slice(0, 2), ...end].join(", ") + (what.value ? `, ${what.value[0]}` : "");
    byId("value").hidden = !what.value;
    byId("value").textContent = what.value ? `Value: ${what.value[0]}` : "";
    markCurve(byId("curve"), line.indexOf(at));
    offer();
    analysis?.follow(fen);
  };

  const go = (number) => {
    if (!record.isRead) standing(number);
    show(nodes[number], number);
    const chosen = number > 0 ? nodes[number].button : null;
    if (!chosen) return;
    byId("movetext").querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    chosen.tabIndex = 0;
    chosen.setAttribute("aria-current", "true");
    reveal(byId("movetext"), chosen);
  };
  const here = () => Math.max(at, 0);
  const steps = {
    first: () => go(0),
    back: () => go(at > 0 ? nodes[at].parent : 0),
    forward: () => go(nodes[here()].next || here()),
    last: () => {
      let end = here();
      while (nodes[end].next) end = nodes[end].next;
      go(end);
    },
  };
  // The next alternative to the ply that is shown.
  const turn = (by) => {
    if (at <= 0) return;
    const all = choicesAfter(nodes, nodes[at].parent);
    go(all[(all.indexOf(at) + by + all.length) % all.length]);
  };
  const flip = () => byId("flip").setAttribute("aria-pressed", String(stage.flip()));

  // ---- changes ----

  /** Keeps a new text of the record, which was read from it. */
  const keep = (found, number) => {
    shelf.set(entry, found);
    record = fromCore(found);
    nodes = record.nodes;
    write();
    if (nodes[0].fen) go(Math.min(number, nodes.length - 1));
    else clear();
  };
  const remember = (texts) => {
    texts.push([shelf.text(entry), here()]);
    if (texts.length > MOST_UNDONE) texts.shift();
  };
  const replace = (found, number, undecided = "*") => {
    if (found.text !== shelf.text(entry)) {
      remember(entry.before);
      Object.assign(entry, { undecided, after: [] });
    }
    keep(found, number);
  };

  /** The record with another result; its tag follows it. */
  const withResult = (one, result) => ({
    ...one,
    result,
    tags: one.tags.map(([name, value]) => [name, name === "Result" ? result : value]),
  });

  /**
   * Changes the record. If it is invalid then, nothing changes, and the error says why.
   *
   * @param {(record: object) => unknown} edit changes tags, plies or result; it may return the number of the ply to show
   */
  const change = (edit) => {
    adopt();
    if (!record.isComplete) throw new Error(MAY_MISS);
    const [was, decided, result] = [here(), record.decided, record.result];
    const undecided = decided ? entry.undecided : result;
    try {
      const wanted = edit(record);
      const shown = numberInText(nodes, typeof wanted === "number" ? wanted : was);
      let [found] = records.read(textOf(record));
      if (record.result === result && (found.decided || decided)) {
        record = withResult(record, found.decided ? found.result : undecided);
      }
      found = records.readOne(records.readOne(textOf(record), true).text);
      replace(found, shown, undecided);
    } catch (error) {
      record = fromCore(records.readOne(shelf.text(entry)));
      nodes = record.nodes;
      write();
      go(was);
      throw error.words ? new Error(error.words) : error;
    }
  };

  /** Takes the last change back, or makes it again. */
  const undo = (from, to, words) => {
    const last = from.pop();
    if (!last) throw new Error(words);
    remember(to);
    keep(records.read(last[0])[0], last[1]);
  };

  const takeBack = () => stage.unclick() || undo(entry.before, entry.after, "there is nothing to undo");
  const makeAgain = () => undo(entry.after, entry.before, "there is nothing to redo");

  /**
   * Plays plies in the position that is shown; those that the record lacks are one change.
   *
   * @param {string[]} plies short forms
   * @param {string[]} texts what the record gets: also longer forms
   */
  const enterLine = (plies, texts = plies) => {
    if (at < 0) throw new Error("go to a ply of the record first");
    let [me, count] = [at, 0];
    for (; count < plies.length; count++) {
      const known = choicesAfter(nodes, me).find((one) => nodes[one].short === plies[count]);
      if (!known) break;
      me = known;
    }
    if (count === plies.length) go(me);
    else change(() => texts.slice(count).reduce((last, ply) => grow(nodes, last, ply), me));
  };

  // Plays a ply in the position that is shown; the record keeps the places that the text names. Returns the short form.
  const play = (text) => {
    if (at < 0) throw new Error("go to a ply of the record first");
    const { ply } = core.play(fen, text);
    enterLine([ply], [text]);
    return ply;
  };

  const remove = () => {
    if (at <= 0) throw new Error("go to a ply of the record first");
    change(() => {
      const { parent } = nodes[at];
      cut(nodes, at);
      return parent;
    });
  };

  /** Changes the record from a field, which is a new one afterwards and keeps the focus, and its text after an error. */
  const tryChange = (edit) => {
    const { value, ariaLabel: label } = /** @type {HTMLInputElement} */ (document.activeElement);
    attempt(() => change(edit));
    if (!label) return;
    const fields = byId("right").querySelectorAll("input, textarea, select, button");
    const same = [...fields].find((one) => one.getAttribute("aria-label") === label);
    same?.focus();
    if (byId("error").textContent && same?.matches("input, textarea")) same.value = value;
  };
  const move = (how, words) => () => {
    if (at <= 0) throw new Error("go to a ply of the record first");
    change(() => {
      if (!how(nodes, at)) throw new Error(words);
    });
  };
  const lift = move(promote, "this ply is in the main line");
  const lower = move(demote, "no variation follows this line, and it cannot become a variation of the ply before it");

  /** Shows a record of this text in the place of the current one. */
  const setRecord = (text) => {
    const found = records.readOne(text);
    if (entry) replace(found, 0);
    else choose(shelf.analyse(found, false));
    return entry.text;
  };

  /**
   * Shows a position that belongs to no record of the page. A game that was entered there stays in the list of records; undo
   * brings back a position, unless that stays too.
   */
  const setPosition = (text, keepsPosition = false) => {
    const position = core.position(text);
    const { start, starts } = core.games().find(({ id }) => id === position.game);
    const isStart = [start, ...Object.values(starts)].includes(position.fen);
    const tags = `[Game "${position.game}"]\n${start === position.fen ? "" : `[FEN "${position.fen}"]\n`}`;
    const [{ result }] = records.read(`${tags}\n*\n`); // a finished position decides it
    const was = shelf.analysis;
    shelf.keepAnalysis(keepsPosition);
    const isKept = was && shelf.analysis !== was;
    choose(shelf.analyse(records.readOne(`${tags}\n${result}\n`), isStart));
    if (isStart) byId("more").open = true; // people enter the players' names first
    if (isKept) say(`the previous game is in the list of records: ${visible(was.row.title)}`);
    return position.fen;
  };

  /** A position text; one without a game belongs to the game that is shown. @param {string} text */
  const withGame = (text) => (fen && /^[^\s[{;]*\/\S*[ \t][^\r\n]*$/.test(text.trim()) ? `${core.position(fen).game} ${text.trim()}` : text);

  /** Adds the records of a text, or shows a position. */
  const take = (content, name) => {
    const text = typeof content === "string" ? withGame(content.trim()) : "";
    if (core.games().some(({ id }) => text === id || text.startsWith(`${id} `)) && !text.includes("\n")) {
      setPosition(text);
      return;
    }
    const whole = typeof content === "string" ? text : new TextDecoder().decode(content);
    if (whole.includes("\0")) throw new Error(`${name}: this is not a text in UTF-8`);
    if (isSheet(whole, core.games())) {
      const { diagrams, errors } = readSheet(whole, name, core);
      if (diagrams.length) {
        if (location.hash) location.hash = "";
        addDiagrams(diagrams);
        shelf.keepSheet(whole);
      }
      const more = errors.length > 1 ? ` (and ${errors.length - 1} more lines)` : "";
      const words = `${diagrams.length} ${diagrams.length === 1 ? "position" : "positions"} added`;
      say(errors.length ? `${words}; ${errors[0]}${more}` : words, errors.length > 0);
      return;
    }
    const found = records.read(content, name);
    if (!found.length) throw new Error(`${name}: the text contains no record`);
    const added = shelf.add(found);
    const diagrams = [];
    for (const one of added) {
      const made = problemOf(one, diagrams.length + 1);
      if (!made) break;
      diagrams.push(made);
    }
    if (diagrams.length === added.length) {
      if (location.hash) location.hash = "";
      addDiagrams(diagrams);
      shelf.keepSheet(added);
    } else choose(added[0]);
    const invalid = found.filter(({ valid }) => !valid);
    const words = `${found.length} ${found.length === 1 ? "record" : "records"} added`;
    if (invalid.length) say(`${words}; ${invalid.length} invalid: ${invalid[0].diagnostics.find((one) => one.isError).text}`, true);
    else say(words);
  };

  // Reads the legal plies of the position that is shown.
  const offer = () => {
    say("");
    fill();
    byId("ply").value = "";
    const successors = core && at >= 0 ? core.plies(fen) : [];
    const plies = successors.map(({ ply }) => ply);
    byId("plies").replaceChildren(...plies.map((ply) => new Option(ply)));
    stage.offer(plies, core && at >= 0 ? core.position(fen) : null);
    if (plies.length) Putting.offer(core, stage, fen, successors, playClicked, sayOfClick);
  };

  // Shows what the address names: #3 (a record), #3/12 (its ply 12), #fen=... (a position).
  const follow = () => {
    const { hash } = location;
    const place = /^#(\d{1,6})(?:\/(\d{1,6}))?$/.exec(hash);
    if (place) {
      const wanted = shelf.entries[Number(place[1]) - 1];
      if (!wanted) return say(`there is no record ${place[1]}`, true);
      choose(wanted);
      if (!record) return;
      for (let count = Number(place[2] ?? 0); count > 0 && nodes[here()].next; count--) go(nodes[here()].next);
    } else if (hash.startsWith("#fen=") && core) {
      attempt(() => {
        const shown = setPosition(decodeURIComponent(hash.slice(5)));
        const problem = sheet?.diagrams.find((one) => one.stipulation && one.fen === shown);
        if (problem) say(`problem ${problem.number}: ${problem.stipulation}`);
      });
    } else if (sheet?.diagrams.length) showSheet();
  };
  window.addEventListener("hashchange", follow);
  byId("to-sheet").addEventListener("click", () => (location.hash ? (location.hash = "") : showSheet()));

  // ---- buttons and keys ----

  const enter = (id, action) =>
    byId(id).addEventListener("keydown", (event) => {
      if (event.key === "Enter") attempt(action);
    });
  const onClick = (id, action) => byId(id).addEventListener("click", () => attempt(action));
  // Plays the plies in the field, with or without move numbers. If one fails, it and the rest stay in the field.
  const playTyped = () => {
    if (!byId("ply").value.trim()) throw new Error("no ply is chosen: click a place with a circle, or type a ply in the field Ply");
    if (byId("ply").value.trim().startsWith("(")) {
      throw new Error("enter the plies without parentheses; Demote then makes the first and all after it a variation");
    }
    const words = byId("ply").value.trim().replace(/(^|\s)\d+\.+\s*/g, "$1").split(/\s+/);
    words.forEach((word, index) => {
      byId("ply").value = words.slice(index).join(" ");
      play(word);
    });
  };
  enter("ply", playTyped);
  byId("ply").addEventListener("input", () => stage.narrow(byId("ply").value.trim()));
  enter("fen", () => setPosition(withGame(byId("fen").value)));
  byId("fen").addEventListener("focus", () => byId("fen").select()); // what is pasted replaces it
  onClick("enter", playTyped);
  onClick("delete", remove);
  onClick("promote", lift);
  onClick("demote", lower);
  onClick("undo", takeBack);
  onClick("redo", makeAgain);
  for (const id of ["annotating", "more"]) {
    byId(id).addEventListener("toggle", () => {
      if (document.activeElement.matches("textarea")) return; // the key for comments has opened it
      attempt(openFields);
      fill();
    });
  }
  connectTags(tryChange);
  const ask = (asked) => {
    for (const id of ["discard-yes", "discard-no"]) byId(id).hidden = !asked;
    byId("discard").hidden = asked;
    byId(asked ? "discard-no" : "discard").focus();
  };
  onClick("discard", () => ask(true));
  onClick("discard-no", () => ask(false));
  onClick("discard-yes", () => {
    shelf.discard();
    sheet.cut(data.diagrams.length);
    if (isOnSheet() && sheet.diagrams.length) return showSheet();
    if (shelf.entries.length) choose(shelf.entries.includes(entry) ? entry : shelf.entries[0]);
    else setPosition(core.games()[0].id);
  });
  const closeNew = () => (byId("new").open = false);
  document.addEventListener("pointerdown", (event) => isWithin(event, "#new") || closeNew());
  // A click on a button in WebKit gives the focus to nothing: the list stays open for it.
  byId("new").addEventListener("focusout", ({ relatedTarget: to }) => to && !byId("new").contains(to) && closeNew());
  byId("new").addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !byId("new").open) return;
    event.preventDefault();
    byId("new").querySelector("summary").focus();
    closeNew();
  });
  /** A button that begins a game. @param {string} name @param {string} start */
  const newGame = (name, start) =>
    button(name, () => {
      byId("new").querySelector("summary").focus();
      closeNew();
      attempt(() => setPosition(start, true));
      byId("board").scrollIntoView({ block: "nearest" });
    });
  for (const [name, step] of Object.entries(steps)) {
    byId(name).addEventListener("click", () => record && nodes[0].fen && step());
  }
  byId("flip").addEventListener("click", flip);
  const openList = (open) => {
    document.body.classList.toggle("listed", open);
    byId("listing").setAttribute("aria-expanded", String(open));
  };
  byId("listing").addEventListener("click", () => openList(!document.body.classList.contains("listed")));
  byId("list").addEventListener("click", () => openList(false));
  let printed = null; // the records that are printed; null: the one that is shown
  const print = (wanted) => {
    printed = wanted;
    window.print();
    printed = null;
  };
  for (const id of ["print", "print-sheet"]) byId(id).addEventListener("click", () => print(null));
  byId("print-all").addEventListener("click", () => print(shelf.saved()));
  window.addEventListener("beforeprint", () => {
    if (isOnSheet()) return sheet.writeAll(byId("solutions"));
    const wanted = printed ?? (entry ? [entry] : []);
    if (!core || !wanted.length) return;
    writeSheets(byId("sheets"), wanted.map((one) => [one.row, readOf(one)]), (node, all) => stage.drawing(core.position(node.fen), pathOf(node, all)));
    document.body.classList.add("sheets");
  });
  window.addEventListener("afterprint", () => {
    document.body.classList.remove("sheets");
    byId("sheets").replaceChildren();
    byId("solutions").replaceChildren();
  });
  const comment = () => {
    byId("annotating").open = true;
    attempt(openFields);
    fill();
    byId("comments").querySelector("textarea")?.focus();
  };
  const near = (by) => choose(shelf.entries[shelf.entries.indexOf(entry) + by]);
  const keys = {
    ArrowLeft: steps.back,
    ArrowRight: steps.forward,
    Home: steps.first,
    End: steps.last,
    ArrowDown: () => turn(1),
    ArrowUp: () => turn(-1),
    f: flip,
    Delete: () => core && attempt(remove),
    c: () => core && comment(),
    a: () => analysis?.toggle(),
    Escape: () => stage.unclick() || analysis?.stop(),
    n: () => near(1),
    p: () => near(-1),
    "/": () => {
      openList(true);
      byId("search").focus();
    },
  };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || isWithin(event, "input, select, textarea") || !record || isOnSheet() || arranging?.isOpen) return;
    if (event.ctrlKey || event.metaKey) {
      const back = event.key === "z" && !event.shiftKey;
      if (!core || !(back || event.key === "y" || (event.key.toLowerCase() === "z" && event.shiftKey))) return;
      event.preventDefault();
      attempt(back ? takeBack : makeAgain);
      return;
    }
    if (event.shiftKey && (event.key === "ArrowUp" || event.key === "ArrowDown") && core) {
      event.preventDefault();
      attempt(event.key === "ArrowUp" ? lift : lower);
      return;
    }
    const step = Object.hasOwn(keys, event.key) ? keys[event.key] : null;
    if (!step || (!nodes[0].fen && !["n", "p", "/"].includes(event.key))) return;
    event.preventDefault();
    const onPly = isWithin(event, "#movetext button");
    step();
    if (onPly && at > 0) nodes[at].button.focus();
  });

  // ---- the core and scripts ----

  const loaded = async () => {
    const stored = byId("core");
    if (!stored) return;
    const { module, code, ...known } = JSON.parse(stored.textContent);
    const packed = new Blob([decoded(module)]).stream().pipeThrough(new DecompressionStream("gzip"));
    const bytes = await new Response(packed).arrayBuffer();
    core = await Core.load(bytes, known);
    stage.core = core;
    solver = new Solver(code, bytes, known);
    records = new Records(core, known);
    const gameOf = (id) => known.games.find((game) => game.id === id);
    for (const { id, name, starts } of core.games()) {
      const several = Object.entries(starts).map(([one, text]) => newGame(`${name}, ${/^\d+$/.test(one) ? `${one} players` : one}`, text));
      byId("new").lastElementChild.append(...(several.length ? several : [newGame(name, id)]));
    }
    for (const id of ["new", "saving", "print-all"]) byId(id).hidden = false;
    byId("play").hidden = !record || !nodes[0].fen;
    byId("fen").readOnly = byId("fen-use").hidden = false;
    shelf.records = records;
    shelf.restore();
    analysis = new Analysis({
      ...{ core, solver, stage, gameOf, change },
      enter: (plies) =>
        attempt(() => {
          const was = entry.text;
          enterLine(plies);
          if (entry.text !== was) say(`${plies.join(" ")} entered into the record; Undo takes it back`);
        }),
      record: () => {
        const was = at;
        adopt();
        write();
        go(was);
        if (!record.isComplete) throw new Error(MAY_MISS);
        return record;
      },
      text: () => (entry ? shelf.text(entry) : ""),
    });
    arranging = new Arranging({
      ...{ core, stage, gameOf, say, position: () => fen },
      use: (text) => attempt(() => setPosition(text)),
      back: () => go(here()),
    });
    writing = new Writing({
      text: () => (entry ? shelf.text(entry) : ""),
      check: (text) => records.readOne(text),
      use: (text) => attempt(() => {
        replace(records.readOne(text), at < 0 ? nodes.length : at); // the ply that was invalid
        say("the record is valid");
      }),
    });
    sheet = new Sheet(byId("sheet"), core, (position) => stage.drawing(position, ""), solutionOf);
    if (data.diagrams.length) addDiagrams(data.diagrams);
    else if (!shelf.entries.length) setPosition(core.games()[0].id);
    else if (!entry || entry.changed || !entry.row.valid) choose(entry ?? shelf.entries[0]);
    else if (record && at >= 0 && nodes[0].fen) offer();
    else if (record) fill();
    restoreSheet();
    if (!isOnSheet()) analysis.follow(fen);
    openFields();
    connectOpening(take, say);
    follow();
  };
  const ready = loaded().catch((error) => {
    say(error.message, true);
    throw error;
  });
  ready.catch(() => {});
  const script = (action) => async (...given) => {
    await ready;
    return action(...given);
  };
  const PERFT_SECONDS = 10;
  const recordText = () => {
    if (!entry) throw new Error("choose a game first");
    if (!shelf.text(entry)) throw new Error("the page does not contain the text of this invalid record");
    return shelf.text(entry);
  };
  /** @type {any} */ (window).ringfen = Object.freeze({
    games: script(() => core.games()),
    position: script(() => fen),
    setPosition: script((text) => setPosition(String(text))),
    plies: script(() => core.plies(fen).map(({ ply }) => ply)),
    play: script((text) => play(String(text))),
    record: script(recordText),
    setRecord: script((text) => setRecord(String(text))),
    perft: script((depth) => core.perft(fen, depth, PERFT_SECONDS)),
    solve: script((options, more) => solver.solve(fen, options, { progress: more?.progress, signal: more?.signal })),
  });

  connectSaving({
    name: title.replace(/\.rgn(\.gz)?$|[^\p{L}\p{N} ._-]+/gu, "").slice(0, 80) || "ringfen",
    finish: () => writing?.finish(),
    noteFile: (name) => shelf.noteFile(name),
    record: recordText,
    records: () => {
      const all = shelf.saved();
      const texts = all.map((one) => shelf.text(one)).filter(Boolean);
      const missing = all.length - texts.length; // the page does not contain the texts of these invalid records
      return { texts, invalid: all.filter(({ row }) => !row.valid).length - missing, missing };
    },
    position: () => fen,
    svg: (dark) => stage.document(dark ? data.style : "", [...byId("caption").children].map((one) => one.textContent)),
    say,
  });

  const shelf = new Shelf(data, (one) => choose(one));
  if (shelf.entries.length && !data.diagrams.length) {
    choose(shelf.entries[0]);
    follow();
  } else byId("game").hidden = true;
})();
