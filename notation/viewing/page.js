(() => {
  const SVG = SVG_NAMES;
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const texts = document.querySelectorAll("script.record");
  const boards = byId("boards").content.firstElementChild.children;
  const shapes = byId("shapes").content.firstElementChild.children;
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", "ringfen");
  picture.setAttribute("role", "img");
  picture.setAttribute("font-family", "sans-serif");
  byId("board").append(picture);

  let side = 0; // 0: South sees the board from below, 1: North
  let chosen = -1; // the record that is shown
  let record = null;
  let nodes = []; // its plies; number 0 is the start
  let at = 0; // the ply that is shown; -1: a position of a fault
  let shown = null; // what is on the board
  let places = {}; // the centres of its squares
  const PLACE = /[a-z][0-9]+|[NS]/g; // in the text of a ply

  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  // Scrolls nothing but the box, so that the board stays in sight.
  const reveal = (box, inner) => {
    const outside = box.getBoundingClientRect();
    const { top, bottom } = inner.getBoundingClientRect();
    if (top < outside.top) box.scrollTop -= outside.top - top;
    else if (bottom > outside.bottom) box.scrollTop += bottom - outside.bottom;
  };
  const view = (groups, number) => {
    const views = groups[number].children;
    return (views[side] || views[0]).cloneNode(true);
  };

  // ---- the list ----

  const items = data.rows.map((row, number) => {
    const item = element("li");
    const button = element("button", "", row.title);
    button.type = "button";
    const about = [row.game, row.result, row.about].filter(Boolean).join(" · ");
    button.append(element("small", "", row.valid ? about : `${about} · invalid`));
    button.addEventListener("click", () => choose(number));
    item.append(button);
    item.found = `${row.title} ${about} ${row.valid ? "valid" : "invalid"}`.toLowerCase();
    item.button = button;
    return item;
  });
  for (const item of items) byId("list").append(item); // arguments of one call are limited

  const search = () => {
    const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const item of items) {
      item.hidden = !words.every((word) => item.found.includes(word));
      count += !item.hidden;
    }
    byId("count").textContent = `${count} of ${items.length} records`;
  };
  byId("search").addEventListener("input", search);

  // ---- a record ----

  const kept = new Map(); // records with plies that were entered: their nodes and their text
  const leave = () => {
    if (chosen < 0) return;
    items[chosen].button.removeAttribute("aria-current");
    if (nodes.some((node) => node.position)) kept.set(chosen, [nodes, [...byId("movetext").childNodes]]);
  };

  const choose = (number) => {
    if (number < 0 || number >= items.length) return;
    leave();
    chosen = number;
    const item = items[number];
    item.button.setAttribute("aria-current", "true");
    reveal(byId("list"), item);
    const row = data.rows[number];
    record = JSON.parse(texts[number].textContent);
    byId("heading").textContent = row.title;
    byId("about").textContent = [row.game, row.about, row.result].filter(Boolean).join(" · ");
    byId("game").hidden = false;
    if (kept.has(number)) {
      const [before, written] = kept.get(number);
      nodes = before;
      byId("movetext").replaceChildren(...written);
      at = -1;
      for (const now of byId("movetext").querySelectorAll("[aria-current]")) now.removeAttribute("aria-current");
    } else read();
    writeTags();
    writeFaults();
    drawCurve();
    const fault = record.faults.find((one) => one.severity === "error" && one.standing);
    if (fault) show(fault, -1);
    else if (record.board >= 0) go(0);
    else clear();
    byId("play").hidden = record.board < 0 || !core;
  };

  const clear = () => {
    picture.replaceChildren();
    picture.setAttribute("aria-label", "no board");
    byId("caption").replaceChildren();
    byId("fen").value = "";
    byId("value").hidden = true;
  };

  // Makes the plies and their text from the tokens of the record: a list [ply, number, NAGs, shapes that go, shapes that
  // come, caption, position, value], a text (a comment), 1 and 0 (a variation opens and closes).
  const read = () => {
    const { start, caption, fen, position } = record;
    nodes = [{ parent: -1, next: 0, others: [], standing: start, caption, fen, position }];
    const around = [];
    let last = 0;
    let opened = false;
    let box = byId("movetext");
    box.replaceChildren();
    for (const token of record.tokens) {
      if (token === 1) {
        around.push(last);
        last = nodes[last].parent;
        opened = true;
        const inner = element("div", "variation");
        inner.setAttribute("role", "group");
        inner.setAttribute("aria-label", "variation");
        box.append(inner);
        box = inner;
      } else if (token === 0) {
        last = around.pop();
        box = box.parentElement;
      } else if (typeof token === "string") {
        box.append(element("span", "comment", token), " ");
      } else {
        const [ply, number, nags, gone, come, caption, fen, value] = token;
        const node = { ply, nags, gone, come, caption, fen, value, parent: last, next: 0, others: [] };
        const me = nodes.push(node) - 1;
        if (opened) nodes[last].others.push(me);
        else nodes[last].next = me;
        opened = false;
        last = me;
        write(node, number, me);
        box.append(node.place, " ");
      }
    }
    if (nodes.length > 1) nodes[1].button.tabIndex = 0;
    byId("movetext").append(element("span", "result", record.result));
  };

  // Makes the text of a ply, which shows its position when it is clicked.
  const write = (node, number, me) => {
    node.place = element("span", "ply");
    if (number) node.place.append(element("span", "number", number), " ");
    node.button = element("button", "", node.ply + node.nags);
    node.button.type = "button";
    node.button.tabIndex = -1;
    node.button.addEventListener("click", () => go(me));
    node.place.append(node.button);
  };

  // Adds a ply after a node: at the end of its line, or as a variation if it has a continuation.
  const add = (parent, ply, position) => {
    const before = nodes[parent];
    for (const known of [before.next, ...before.others]) if (known && nodes[known].ply === ply) return known;
    const node = { ply, nags: "", position, fen: position.fen, parent, next: 0, others: [] };
    const me = nodes.push(node) - 1;
    write(node, "", me);
    const main = before.next;
    let box = node.place;
    if (main) {
      box = element("div", "variation");
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", "variation");
      box.append(node.place, " ");
    }
    // Comments and variations of a ply are written after it.
    let last = main ? nodes[main].place : before.place;
    const belongs = (next) => next && (next.nodeType === Node.TEXT_NODE || next.matches(".comment, .variation"));
    if (last) while (belongs(last.nextSibling)) last = last.nextSibling;
    if (last) last.after(box, " ");
    else byId("movetext").prepend(box, " ");
    if (main) before.others.push(me);
    else before.next = me;
    return me;
  };

  const standing = (number) => {
    if (nodes[number].position) return [];
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
    return nodes[number].standing;
  };

  const draw = () => {
    const [board, things, position] = shown;
    const stored = board >= 0;
    const plain = stored ? null : plainBoard(position);
    const [width, height] = stored ? data.sizes[board] : [plain.width, plain.height];
    places = stored ? data.places[board][side] : plain.places;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const sorted = [...things].sort((a, b) => data.layers[a] - data.layers[b] || a - b);
    const ground = drawn("rect", { width, height, fill: "#fcfbf7" });
    const pieces = position ? [...cornersOf(shown[3].match(PLACE) ?? [], places), ...piecesOf(position, places)] : [];
    const parts = [stored ? view(boards, board) : plain.ground, ...sorted.map((one) => view(shapes, one)), ...pieces];
    picture.replaceChildren(ground, ...parts);
  };

  // The board of the page for a position that the core describes; -1 if there is none.
  const boardFor = (position) => {
    const name = position.options.board ?? "";
    return data.boards.findIndex(
      ([game, files, ranks, board]) =>
        game === position.game && files === position.files && ranks === position.ranks && board === name
    );
  };

  const wordsOf = (position, ply) => {
    const player = position.players === 2 ? ["South", "North"][position.player - 1] : `Player ${position.player}`;
    const won = position.players === 2 ? ["South", "North"][position.outcome - 1] : `Player ${position.outcome}`;
    const over = position.outcome < 0 ? "Drawn" : `${won} has won`;
    const status = position.outcome ? over : position.phase === "over" ? "The game is over" : `${player}: ${position.phase}`;
    const counters = position.counters.map(({ name, player: of, index, number }) => {
      const owner = of === 0 ? "" : position.players === 2 ? ` of ${["South", "North"][of - 1]}` : ` of player ${of}`;
      const numbered = position.counters.some((one) => one.name === name && one.index > 0);
      return `${name}${owner}${numbered ? ` ${index}` : ""}: ${number}`;
    });
    // What pieces hold, with the number of equal things.
    const held = new Map();
    for (const { kind, value, place, of } of position.pieces) {
      if (place !== HELD) continue;
      const sign = value > 32 ? ` ${String.fromCharCode(value)}` : value ? ` ${value}` : "";
      const things = held.get(of) ?? new Map();
      things.set(kind + sign, (things.get(kind + sign) ?? 0) + 1);
      held.set(of, things);
    }
    const holders = [...held].map(([of, things]) => {
      const { kind, owner, file, rank, place } = position.pieces[of];
      const who = position.players === 2 ? ["South", "North"][owner - 1] : `Player ${owner}`;
      const where = place === ON_SQUARE ? squareName(file, rank) : kind;
      const counts = [...things].map(([thing, count]) => (count > 1 ? `${count} × ${thing}` : thing));
      return `${who}, ${where}: ${counts.join(", ")}`;
    });
    const more = [...holders, ...(counters.length ? [counters.join(", ")] : [])];
    return [...(ply ? [`Last ply: ${ply}`] : []), status, ...more];
  };

  const show = (what, number) => {
    if (at > 0 && nodes[at]) {
      nodes[at].button.removeAttribute("aria-current");
    }
    at = number;
    const { position } = what;
    const board = position ? boardFor(position) : what.board === undefined ? record.board : what.board;
    shown = [board, what.standing ?? [], position, what.ply ?? ""];
    draw();
    const lines = position ? wordsOf(position, what.ply) : what.caption.map((line) => record.words[line]);
    byId("caption").replaceChildren(...lines.map((line) => element("div", "", line)));
    picture.setAttribute("aria-label", `${lines.join("; ")}. ${what.fen}`);
    byId("fen").value = what.fen;
    byId("said").textContent = lines.slice(0, 2).join(", ") + (what.value ? `, ${what.value[0]}` : "");
    byId("value").hidden = !what.value;
    byId("value").textContent = what.value ? `Value: ${what.value[0]}` : "";
    markCurve();
    offer();
  };

  const go = (number) => {
    standing(number);
    show(nodes[number], number);
    const button = number > 0 ? nodes[number].button : null;
    if (button) {
      for (const node of nodes.slice(1)) node.button.tabIndex = -1;
      button.tabIndex = 0;
      button.setAttribute("aria-current", "true");
      reveal(byId("movetext"), button);
    }
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
    const parent = nodes[nodes[at].parent];
    const all = [parent.next, ...parent.others];
    go(all[(all.indexOf(at) + by + all.length) % all.length]);
  };
  const flip = () => {
    side = 1 - side;
    byId("flip").setAttribute("aria-pressed", String(side === 1));
    if (shown) {
      draw();
      mark();
    }
  };

  // ---- playing ----

  const MOST_CHOICES = 100; // of all others, the text is entered
  let core = null;
  let legal = []; // the legal plies of the position that is shown, each with the places that it names
  let picked = []; // the places that were clicked

  const fails = (error) => {
    byId("error").textContent = error ? error.message : "";
  };

  // Plays a ply in the position that is shown. The result is its short form.
  const play = (text) => {
    const { ply, position } = core.play(byId("fen").dataset.shown, text);
    if (at < 0) throw new Error("go to a ply of the record first");
    go(add(at, ply, position));
    return ply;
  };

  // Deletes a ply that was entered, with all that follows it.
  const remove = () => {
    const node = nodes[at];
    if (at <= 0 || !node.position) throw new Error("only plies that you have entered can be deleted");
    const parent = nodes[node.parent];
    if (parent.next !== at) {
      parent.others = parent.others.filter((other) => other !== at);
      node.place.parentElement.remove();
    } else if (parent.others.length) {
      throw new Error("delete the variations of this ply first");
    } else {
      parent.next = 0;
      while (node.place.nextSibling && !node.place.nextSibling.matches?.(".result")) node.place.nextSibling.remove();
      node.place.remove();
    }
    go(node.parent);
  };

  const attempt = (action) => {
    try {
      fails(null);
      action();
    } catch (error) {
      fails(error);
    }
  };

  // Reads the legal plies of the position that is shown.
  const offer = () => {
    byId("fen").dataset.shown = byId("fen").value;
    picked = [];
    fails(null);
    byId("delete").disabled = at <= 0 || !nodes[at].position;
    byId("ply").value = "";
    legal = [];
    if (!core || at < 0) return mark();
    const found = core.plies(byId("fen").dataset.shown);
    legal = found.map(({ ply }) => ({ ply, names: (ply.match(PLACE) ?? []).filter((name) => places[name]) }));
    byId("plies").replaceChildren(...legal.map(({ ply }) => new Option(ply)));
    mark();
  };

  const matching = () => legal.filter(({ names }) => picked.every((name, index) => names[index] === name));

  // Marks the places that can be clicked next, and lists the plies that the clicks so far allow.
  const mark = () => {
    for (const old of picture.querySelectorAll(".target")) old.remove();
    picture.setAttribute("role", legal.length ? "group" : "img");
    const found = matching();
    const next = new Set(found.map(({ names }) => names[picked.length]).filter(Boolean));
    for (const [name, [x, y]] of Object.entries(legal.length ? places : {})) {
      const state = next.has(name) ? "next" : picked.includes(name) ? "picked" : "";
      const made = target(name, x, y, state, state === "next" ? name : `${name}, chosen`);
      made.addEventListener("click", () => click(name));
      made.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        click(name);
      });
      picture.append(made);
    }
    const choices = picked.length ? found : found.filter(({ names }) => names.length === 0);
    byId("choices").replaceChildren(
      ...choices.slice(0, MOST_CHOICES).map(({ ply }, index) => {
        const button = element("button", "", ply);
        button.type = "button";
        button.tabIndex = index ? -1 : 0; // the field for plies reaches all of them
        button.addEventListener("click", () => attempt(() => play(ply)));
        return button;
      })
    );
  };

  // A place is clicked: the next step of a ply, the first step of another, or nothing.
  const click = (name) => {
    fails(null);
    const steps = [...picked, name];
    const goes = (wanted) => legal.some(({ names }) => wanted.every((one, index) => names[index] === one));
    picked = goes(steps) ? steps : goes([name]) ? [name] : [];
    const found = matching();
    const whole = found.filter(({ names }) => names.length === picked.length);
    if (picked.length && found.length === 1 && whole.length === 1) attempt(() => play(whole[0].ply));
    else mark();
  };

  // Shows a position that belongs to no record of the page.
  const setPosition = (text) => {
    const position = core.position(text);
    leave();
    chosen = -1;
    record = { tags: [], result: "*", tokens: [], faults: [], words: [], board: 0, fen: position.fen, position };
    const name = core.games().find((game) => game.id === position.game).name;
    byId("heading").textContent = "Analysis";
    byId("about").textContent = name;
    byId("game").hidden = false;
    byId("play").hidden = false;
    read();
    writeTags();
    writeFaults();
    drawCurve();
    go(0);
    return position.fen;
  };

  // Shows what the address names: #3 (a record), #3/12 (its ply 12), #fen=... (a position).
  const follow = () => {
    const { hash } = location;
    const place = /^#(\d{1,6})(?:\/(\d{1,6}))?$/.exec(hash);
    if (place) {
      choose(Number(place[1]) - 1);
      for (let count = Number(place[2] ?? 0); count > 0 && nodes[here()].next; count--) go(nodes[here()].next);
    } else if (hash.startsWith("#fen=") && core) {
      attempt(() => setPosition(decodeURIComponent(hash.slice(5))));
    }
  };

  const enter = (id, action) =>
    byId(id).addEventListener("keydown", (event) => {
      if (event.key === "Enter") attempt(action);
    });
  enter("ply", () => play(byId("ply").value.trim()));
  enter("fen", () => setPosition(byId("fen").value));
  byId("delete").addEventListener("click", () => attempt(remove));
  byId("enter").addEventListener("click", () => attempt(() => play(byId("ply").value.trim())));
  byId("new").addEventListener("change", () => {
    const { value } = byId("new");
    byId("new").value = "";
    if (value) attempt(() => setPosition(value));
  });

  const loaded = async () => {
    const stored = byId("core");
    if (!stored) return;
    const { module, ...known } = JSON.parse(stored.textContent);
    const packed = new Blob([decoded(module)]).stream().pipeThrough(new DecompressionStream("gzip"));
    core = await Core.load(await new Response(packed).arrayBuffer(), known);
    for (const game of core.games()) byId("new").append(new Option(game.name, game.id));
    byId("new").hidden = false;
    byId("play").hidden = !record || record.board < 0;
    byId("fen").readOnly = false;
    if (!items.length) setPosition(core.games()[0].id);
    else if (record && at >= 0) offer();
    follow();
  };
  const ready = loaded().catch((error) => {
    fails(error);
    throw error;
  });
  ready.catch(() => {});
  const script = (action) => async (...given) => {
    await ready;
    return action(...given);
  };
  const PERFT_SECONDS = 10;
  window.ringfen = Object.freeze({
    games: script(() => core.games()),
    position: script(() => byId("fen").dataset.shown),
    setPosition: script((text) => setPosition(String(text))),
    plies: script(() => core.plies(byId("fen").dataset.shown).map(({ ply }) => ply)),
    play: script((text) => play(String(text))),
    perft: script((depth) => core.perft(byId("fen").dataset.shown, depth, PERFT_SECONDS)),
  });
  window.addEventListener("hashchange", follow);

  const writeTags = () => {
    byId("tags").replaceChildren(
      ...record.tags.map(([name, value]) => {
        const row = element("tr");
        row.append(element("td", "", name), element("td", "", value));
        return row;
      })
    );
  };

  const writeFaults = () => {
    const box = byId("faults");
    box.hidden = record.faults.length === 0;
    const list = element("ul");
    for (const fault of record.faults) {
      const words = `${fault.place} ${fault.severity} ${fault.code}: ${fault.message}`;
      const item = element("li", fault.severity, words);
      if (fault.suggest.length) item.append(` (perhaps ${fault.suggest.join(" or ")})`);
      if (fault.standing) {
        const button = element("button", "", "Position before it");
        button.type = "button";
        button.addEventListener("click", () => show(fault, -1));
        item.append(" ", button);
      }
      list.append(item);
    }
    const invalid = record.faults.some((fault) => fault.severity === "error");
    box.replaceChildren(element("h3", "", invalid ? "This record is invalid" : "Warnings"), list);
    box.classList.toggle("mild", !invalid);
  };

  // ---- the curve of values ----

  let line = []; // the plies of the main line
  const drawCurve = () => {
    line = [0];
    while (nodes[line[line.length - 1]].next) line.push(nodes[line[line.length - 1]].next);
    const values = line.map((me) => (nodes[me].value ? nodes[me].value[1] : null));
    const known = values.filter(Boolean);
    byId("curve").hidden = known.length === 0;
    byId("curve").replaceChildren();
    if (!known.length) return;
    const curves = known.reduce((most, value) => Math.max(most, value.length), 0);
    const most = known.flat().reduce((most, value) => Math.max(most, Math.abs(value)), 1);
    const least = curves > 1 ? 0 : -most;
    const svg = document.createElementNS(SVG, "svg");
    const width = Math.max(line.length - 1, 1);
    svg.setAttribute("viewBox", `-0.5 0 ${width + 1} 100`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("role", "img");
    const words = curves > 1 ? "chances of the players" : "value, South above";
    svg.setAttribute("aria-label", `Curve of the ${words}, over ${line.length - 1} plies`);
    const stroke = (className, d) => {
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("class", className);
      path.setAttribute("d", d);
      svg.append(path);
    };
    const height = (value) => 95 - (90 * (value - least)) / (most - least);
    stroke("axis", `M-0.5 ${height(0)}H${width + 0.5}`);
    for (let curve = 0; curve < curves; curve++) {
      let d = "";
      values.forEach((value, index) => {
        if (!value || value[curve] === undefined) return;
        const y = height(value[curve]).toFixed(1);
        d += `${index && values[index - 1] ? "L" : "M"}${index - 0.5} ${y}H${index + 0.5}`;
      });
      stroke("line", d);
    }
    stroke("now", "");
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const index = Math.floor(((event.clientX - box.left) / box.width) * (width + 1));
      go(line[Math.max(0, Math.min(index, line.length - 1))]);
    });
    byId("curve").append(svg);
  };
  const markCurve = () => {
    const now = byId("curve").querySelector(".now");
    const index = line.indexOf(at);
    if (now) now.setAttribute("d", index < 0 ? "" : `M${index} 0V100`);
  };

  // ---- keys and buttons ----

  for (const [name, step] of Object.entries(steps)) {
    byId(name).addEventListener("click", () => record && record.board >= 0 && step());
  }
  byId("flip").addEventListener("click", flip);
  byId("print").addEventListener("click", () => window.print());
  const keys = {
    ArrowLeft: steps.back,
    ArrowRight: steps.forward,
    Home: steps.first,
    End: steps.last,
    ArrowDown: () => turn(1),
    ArrowUp: () => turn(-1),
    f: flip,
    Delete: () => core && attempt(remove),
    n: () => choose(chosen + 1),
    p: () => choose(chosen - 1),
    "/": () => byId("search").focus(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select") || !record) return;
    const step = Object.hasOwn(keys, event.key) ? keys[event.key] : null;
    if (!step || (record.board < 0 && !["n", "p", "/"].includes(event.key))) return;
    event.preventDefault();
    const onPly = event.target.closest("#movetext button");
    step();
    if (onPly && at > 0) nodes[at].button.focus();
  });

  document.body.classList.toggle("single", items.length <= 1);
  search();
  if (items.length) {
    choose(0);
    follow();
  } else byId("game").hidden = true;
})();
