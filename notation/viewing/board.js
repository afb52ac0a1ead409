/** Draws the pieces of a described position (core.js). The board comes from the page, drawn by Python. */

const SVG_NAMES = "http://www.w3.org/2000/svg";
const UNIT = 60;
export const ON_SQUARE = 0;
export const ON_THRONE = 1;
export const HELD = 2;
export const REMOVABLE = 1;
export const EXTRA_PLY = 2;
export const RESTING = 4;
const LIGHT = { fill: "#ffffff", ink: "#101214" };
const DARK = { fill: "#33373d", ink: "#fefefe" };
const EDGE = "#15181c";
const PAPER = "#fcfbf7";
const GOLD = "#b98300";
const PENDING = "#d55e00";
const FIGURES = [["#c65102", 1], ["#0061a3", 1], ["#f0b323", 0], ["#00795b", 1], ["#e3a1c6", 0], ["#2d3035", 1]];
/** The size of the rings of a holder, and how many have space in a line of this size. */
const [SMALL, MOST_BELOW] = [11, 8];
const FREE_RINGS = { 1: ["#7d828a", 3], 3: ["#0b6aa8", 5], 5: ["#0b6aa8", 8] };

/** @param {string} name @param {Record<string, string | number>} attributes @param {string} text */
export const drawn = (name, attributes, text = "") => {
  const made = document.createElementNS(SVG_NAMES, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text) made.textContent = text;
  return made;
};
const disc = (x, y, r, fill, stroke = EDGE, width = 2) =>
  drawn("circle", { cx: x, cy: y, r, fill, stroke, "stroke-width": width });
const hoop = (x, y, r, stroke, width = 2) => {
  const arc = `a${r} ${r} 0 1 0`;
  const d = `M${x - r} ${y}${arc} ${2 * r} 0${arc} ${-2 * r} 0z`;
  return drawn("path", { d, fill: "none", stroke, "stroke-width": width });
};
const stroke = (d, colour, width) => drawn("path", { d, fill: "none", stroke: colour, "stroke-width": width });
const words = (x, y, text, size, fill) =>
  drawn("text", { x, y: y + 0.36 * size, "font-size": size, "text-anchor": "middle", fill }, text);

// ---- captions, with the measures of the drawings of the command line ----

const FONT = 15;
const BESIDE = 34; // the margins of a caption, together
export const LINE_HEIGHT = 22;
export const CAPTION_END = 8; // below the last line

/** A line of a caption. @param {number} x its centre @param {number} y its upper edge @param {string} text */
export const captionLine = (x, y, text) =>
  drawn("text", { x, y: y + FONT, "font-size": FONT, "text-anchor": "middle", fill: "#20242a" }, text);

/** A text in lines that fit into a drawing. @param {string} text @param {number} width of the drawing */
export const wrapped = (text, width) => {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${FONT}px sans-serif`;
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (lines.at(-1) && pen.measureText(longer).width > width - BESIDE) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
};

const frame = (x, y, dashed) => {
  const path = stroke(`M${x - 26} ${y - 26}h52v52h-52z`, PENDING, 3);
  if (dashed) path.setAttribute("stroke-dasharray", "7 5");
  return path;
};

const star = (x, y) => {
  const corner = (k) => {
    const [r, a] = [k % 2 ? 5.2 : 13, (Math.PI * k) / 5 - Math.PI / 2];
    return `${x + r * Math.cos(a)} ${y + 1 + r * Math.sin(a)}`;
  };
  return `M${Array.from({ length: 10 }, (_, k) => corner(k)).join("L")}z`;
};
const sun = (x, y) => {
  const ray = (k) => {
    const [across, up] = [Math.cos((Math.PI * k) / 4), Math.sin((Math.PI * k) / 4)];
    return `M${x + 9 * across} ${y + 9 * up}L${x + 13.5 * across} ${y + 13.5 * up}`;
  };
  const arc = "a6.5 6.5 0 1 0";
  return `M${x - 6.5} ${y}${arc} 13 0${arc} -13 0z${Array.from({ length: 8 }, (_, k) => ray(k)).join("")}`;
};
const moon = (x, y) => `M${x + 4} ${y - 11}a11.5 11.5 0 1 0 0 22a9 11.5 0 0 1 0 -22z`;
const SIGNS = { sun, moon, star };

const colours = (owner) => (owner === 2 ? DARK : LIGHT);

/** What a piece looks like, by its game and its kind. @type {Record<string, (x, y, piece, held) => SVGElement[]>} */
const LOOKS = {
  "gyges ring": (x, y, { value }) => [
    disc(x, y, 22, LIGHT.fill, EDGE, 2.5),
    ...Array.from({ length: value - 1 }, (_, level) => hoop(x, y, 17 - 5 * level, LIGHT.ink)),
    words(x, y, String(value), 15, LIGHT.ink),
  ],
  "rings ring": (x, y, { value }) => {
    const [colour, width] = FREE_RINGS[value];
    return [disc(x, y, 19 - width / 2, PAPER, colour, width), words(x, y, String(value), 15, "#20242a")];
  },
  "rings knight": (x, y, { owner }, held) => {
    const { fill, ink } = colours(owner);
    const values = held.map((ring) => ring.value).sort((a, b) => b - a);
    const radius = values.length ? 15 : 20;
    const made = [disc(x, y, radius, fill)];
    if (owner === 2) made.push(hoop(x, y, radius - 3, ink, 1.5));
    const sum = values.reduce((total, value) => total + value, 0);
    made.push(words(x, y, sum ? String(sum) : " Kk"[owner], sum ? 13 : 16, ink));
    const below = values.length <= MOST_BELOW ? values.length : (values.length + 1) >> 1;
    const size = Math.min(SMALL, Math.floor((SMALL * MOST_BELOW) / below));
    const lines = [values.slice(values.length - below), values.slice(0, values.length - below)];
    lines.forEach((line, above) => line.length && made.push(words(x, y + 23 - above * 46, line.join(""), size, "#20242a")));
    return made;
  },
  "gran stone": (x, y) => [disc(x, y, 14, "#7d828a"), stroke(`M${x - 7} ${y - 7}l14 14m0 -14l-14 14`, PAPER, 3)],
  "gran ring": (x, y) => [disc(x, y, 19, "none", EDGE, 8), hoop(x, y, 19, GOLD, 5)],
  "gran figure": (x, y, { owner, marks }, held) => {
    const [fill, light] = FIGURES[owner - 1];
    const made = [hoop(x, y, 13, PAPER, 5), disc(x, y, 12, fill)];
    if (held.some((one) => one.kind === "ring")) made.push(hoop(x, y, 16, EDGE, 7), hoop(x, y, 16, GOLD, 4));
    if (marks & RESTING) {
      made.push(stroke(`M${x - 16} ${y + 12}h32`, EDGE, 8), stroke(`M${x - 16} ${y + 12}h32`, PAPER, 4));
    }
    made.push(words(x, y, String(owner), 13, light ? DARK.ink : LIGHT.ink));
    return made;
  },
};
const otherLook = (x, y, { kind, owner, marks }) => {
  const { fill, ink } = colours(owner);
  const made = marks ? [frame(x, y, marks & REMOVABLE)] : [];
  made.push(disc(x, y, 20, fill));
  if (owner === 2) made.push(hoop(x, y, 17, ink, 1.5));
  if (marks & EXTRA_PLY) made.push(stroke(`M${x - 9} ${y}h18m-9 -9v18`, PENDING, 4));
  if (Object.hasOwn(SIGNS, kind)) {
    const sign = { d: SIGNS[kind](x, y), fill: ink, ...(kind === "sun" ? { stroke: ink, "stroke-width": 2 } : {}) };
    made.push(drawn("path", sign));
  } else if (kind !== "champion") {
    made.push(words(x, y, kind[0], 15, ink));
  }
  return made;
};

/** The name of a square. @param {number} file @param {number} rank */
export const squareName = (file, rank) => `${String.fromCharCode(97 + file)}${rank + 1}`;

/** The name of the place of a piece on the board or on a throne; "" for other pieces. */
export const placeOf = (piece) =>
  piece.place === ON_SQUARE ? squareName(piece.file, piece.rank) : piece.place === ON_THRONE ? "SN"[piece.of - 1] : "";

/**
 * The pieces of a position as SVG elements.
 * @param {import("./core.js").Position} position
 * @param {Record<string, [number, number]>} places the centres of squares and thrones
 */
export const piecesOf = (position, places) =>
  position.pieces.flatMap((piece) => {
    const place = places[placeOf(piece)];
    if (!place) return [];
    const number = position.pieces.indexOf(piece);
    const held = position.pieces.filter((one) => one.place === HELD && one.of === number);
    const look = LOOKS[`${position.game} ${piece.kind}`] ?? otherLook;
    return look(place[0], place[1], piece, held);
  });

/** A drawing of one piece. @param {string} game @param {{kind: string, owner: number, value: number}} piece */
export const pieceDrawing = (game, piece) => {
  const picture = drawn("svg", { class: "ringfen", viewBox: "-27 -27 54 54", "aria-hidden": "true", "font-family": "sans-serif" });
  picture.append(...(LOOKS[`${game} ${piece.kind}`] ?? otherLook)(0, 0, { ...piece, marks: 0 }, []));
  return picture;
};

const arrow = ([x1, y1], [x2, y2]) => {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [tipX, tipY] = [x2 - 24 * dx, y2 - 24 * dy];
  const [backX, backY] = [tipX - 9 * dx, tipY - 9 * dy];
  const head = `M${tipX} ${tipY}L${backX - 5 * dy} ${backY + 5 * dx}L${backX + 5 * dy} ${backY - 5 * dx}z`;
  const made = stroke(`M${x1} ${y1}L${backX} ${backY}${head}`, "#0072b2", 3);
  made.setAttribute("fill", "#0072b2");
  return made;
};

/** Arrows leave this much around the centre of a place, so that the number on a piece can be read. */
const CLEAR = 14;

/** The direction from a point to another. @param {[number, number]} from @param {[number, number]} to */
const direction = ([x1, y1], [x2, y2]) => {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  return [(x2 - x1) / length, (y2 - y1) / length];
};

/**
 * A ply with a sign of its value, such as "W5": an arrow over its places, or a circle if it has one place.
 *
 * @param {[number, number][]} points the centres of its places
 * @param {string} sign
 * @param {boolean} isBest best plies have thick whole lines, others thin dashed ones
 * @param {number} above how many signs are at the last place already
 */
export const judged = (points, sign, isBest, above = 0) => {
  const group = drawn("g", { class: `judged ${isBest ? "best" : "other"}`, "pointer-events": "none" });
  const [end, before] = [points.at(-1), points.at(-2)];
  const [x, y] = end;
  const colour = isBest ? "#00795b" : "#6b3fa0";
  const line = { fill: "none", stroke: colour, "stroke-width": isBest ? 6 : 3, "stroke-linejoin": "round", opacity: 0.85 };
  if (!isBest) line["stroke-dasharray"] = "9 5";
  if (before) {
    const [dx, dy] = direction(before, end);
    const [tipX, tipY] = [x - 8 * dx, y - 8 * dy];
    const [backX, backY] = [tipX - 15 * dx, tipY - 15 * dy];
    const way = points.slice(1).map((to, index) => {
      const [fromX, fromY] = points[index];
      const [alongX, alongY] = direction(points[index], to);
      const [toX, toY] = to === end ? [backX, backY] : [to[0] - CLEAR * alongX, to[1] - CLEAR * alongY];
      return `M${fromX + CLEAR * alongX} ${fromY + CLEAR * alongY}L${toX} ${toY}`;
    });
    group.append(drawn("path", { class: "way", d: way.join(""), ...line }));
    const head = `M${tipX} ${tipY}L${backX - 9 * dy} ${backY + 9 * dx}L${backX + 9 * dy} ${backY - 9 * dx}z`;
    group.append(drawn("path", { class: "head", d: head, fill: colour }));
  } else group.append(drawn("circle", { class: "way", cx: x, cy: y, r: 25, ...line }));
  if (!sign) return group;
  const width = 10 + 9 * sign.length;
  const [middle, high] = [x + 12, y - 17 - 20 * above];
  const edge = { x: middle - width / 2, y: high - 11, width, height: 22, rx: 5, fill: PAPER, stroke: colour };
  group.append(drawn("rect", { class: "way", ...edge, "stroke-width": isBest ? 3 : 1.5 }), words(middle, high, sign, 15, "#15181c"));
  return group;
};

/** The marks of the last ply: corners around the places that it names, and arrows between them. */
export const marksOf = (names, places, tinted) => {
  const known = names.filter((name) => places[name]);
  const corners = [...new Set(known)].flatMap((name) => {
    const [x, y] = places[name];
    const corner = (sx, sy) => `M${x + sx * 16} ${y + sy * 27}H${x + sx * 27}V${y + sy * 16}`;
    const lines = stroke([corner(-1, -1), corner(-1, 1), corner(1, -1), corner(1, 1)].join(""), "#0072b2", 3);
    const field = { x: x - 29, y: y - 29, width: 58, height: 58, fill: "#cfe3f0" };
    return tinted ? [drawn("rect", field), lines] : [lines];
  });
  const steps = known.slice(1).map((name, index) => [known[index], name]);
  return [...corners, ...steps.filter(([a, b]) => a !== b).map(([a, b]) => arrow(places[a], places[b]))];
};

/** A place: its name in words, and whether it can be clicked for the next step ("next"), was ("picked"), or both. */
export const target = (name, x, y, state, label) => {
  const group = drawn("g", { class: `target ${state}`, "data-place": name });
  group.append(drawn("rect", { x: x - UNIT / 2, y: y - UNIT / 2, width: UNIT, height: UNIT, fill: "transparent" }));
  if (state.includes("next")) group.append(hoop(x, y, 27, "#00795b", 4));
  if (state.includes("picked")) group.append(stroke(`M${x - 28} ${y - 28}h56v56h-56z`, "#00795b", 5));
  if (label) {
    group.setAttribute("role", state ? "button" : "img");
    group.setAttribute("aria-label", label);
  }
  if (state) group.setAttribute("tabindex", "0");
  return group;
};

/** The empty board of squares of a position for which the page has no drawing. */
export const plainBoard = (position) => {
  const ground = drawn("g", {});
  const [places, height] = [{}, 68 + 60 * position.ranks];
  for (let file = 0; file < position.files; file++) {
    for (let rank = 0; rank < position.ranks; rank++) {
      const [x, y] = [64 + UNIT * file, height - 64 - UNIT * rank];
      places[squareName(file, rank)] = [x, y];
      const fill = (file + rank) % 2 ? "#f3ead6" : "#e2d4b4";
      ground.append(drawn("rect", { x: x - 30, y: y - 30, width: UNIT, height: UNIT, fill, stroke: "#8c7a5c" }));
    }
  }
  for (let file = 0; file < position.files; file++) {
    ground.append(words(64 + UNIT * file, height - 22, String.fromCharCode(97 + file), 14, "#5d5a52"));
  }
  for (let rank = 0; rank < position.ranks; rank++) {
    ground.append(words(17, height - 64 - UNIT * rank, String(rank + 1), 14, "#5d5a52"));
  }
  return { ground, places, width: 68 + 60 * position.files, height };
};
