"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
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

  const choose = (number) => {
    if (number < 0 || number >= items.length) return;
    if (chosen >= 0) items[chosen].button.removeAttribute("aria-current");
    chosen = number;
    const item = items[number];
    item.button.setAttribute("aria-current", "true");
    reveal(byId("list"), item);
    const row = data.rows[number];
    record = JSON.parse(texts[number].textContent);
    byId("heading").textContent = row.title;
    byId("about").textContent = [row.game, row.about, row.result].filter(Boolean).join(" · ");
    byId("game").hidden = false;
    read();
    writeTags();
    writeFaults();
    drawCurve();
    const fault = record.faults.find((one) => one.severity === "error" && one.standing);
    if (fault) show(fault, -1);
    else if (record.board >= 0) go(0);
    else clear();
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
    nodes = [{ parent: -1, next: 0, others: [], standing: record.start, caption: record.caption, fen: record.fen }];
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
        const place = element("span", "ply");
        if (number) place.append(element("span", "number", number), " ");
        node.button = element("button", "", ply + nags);
        node.button.type = "button";
        node.button.tabIndex = -1;
        node.button.addEventListener("click", () => go(me));
        place.append(node.button);
        box.append(place, " ");
      }
    }
    if (nodes.length > 1) nodes[1].button.tabIndex = 0;
    byId("movetext").append(element("span", "result", record.result));
  };

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
    return nodes[number].standing;
  };

  const draw = () => {
    const [board, things] = shown;
    const [width, height] = data.sizes[board];
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const sorted = [...things].sort((a, b) => data.layers[a] - data.layers[b] || a - b);
    const ground = document.createElementNS(SVG, "rect");
    for (const [name, value] of [["width", width], ["height", height], ["fill", "#fcfbf7"]]) {
      ground.setAttribute(name, value);
    }
    picture.replaceChildren(ground, view(boards, board), ...sorted.map((one) => view(shapes, one)));
  };

  const show = (what, number) => {
    if (at > 0 && nodes[at]) {
      nodes[at].button.removeAttribute("aria-current");
    }
    at = number;
    shown = [what.board === undefined ? record.board : what.board, what.standing];
    draw();
    const lines = what.caption.map((line) => record.words[line]);
    byId("caption").replaceChildren(...lines.map((line) => element("div", "", line)));
    picture.setAttribute("aria-label", `${lines.join("; ")}. ${what.fen}`);
    byId("fen").value = what.fen;
    byId("said").textContent = lines.slice(0, 2).join(", ") + (what.value ? `, ${what.value[0]}` : "");
    byId("value").hidden = !what.value;
    byId("value").textContent = what.value ? `Value: ${what.value[0]}` : "";
    markCurve();
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
    if (shown) draw();
  };

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
    n: () => choose(chosen + 1),
    p: () => choose(chosen - 1),
    "/": () => byId("search").focus(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input") || !record) return;
    const step = Object.hasOwn(keys, event.key) ? keys[event.key] : null;
    if (!step || (record.board < 0 && !["n", "p", "/"].includes(event.key))) return;
    event.preventDefault();
    const onPly = event.target.closest("#movetext button");
    step();
    if (onPly && at > 0) nodes[at].button.focus();
  });

  document.body.classList.toggle("single", items.length === 1);
  search();
  if (items.length) choose(0);
  else byId("game").hidden = true;
})();
