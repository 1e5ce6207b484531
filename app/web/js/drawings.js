// The drawings of the panel that looks inside, as SVG: maps of words to words, and the tree of a search.

import { wordsOf } from "./document.js";
import { svg } from "./dom.js";

const CELL = 24;
const LETTER = 8; // width of a letter of a label, about
const ROW = 36;
const GAP = 24;
const FAINTEST = 0.02; // a weight below this can't be seen

/** A row for each word of the translation, a column for each of the text, and a cell where they are aligned. */
export function alignmentMap({ source, target, links }, name) {
  const [columns, rows] = [wordsOf(source), wordsOf(target)];
  const weights = rows.map((row) =>
    columns.map((column) => Number(links.some((link) => overlaps(link.target, row) && overlaps(link.source, column)))),
  );
  const words = (text, places) => places.map(([begin, end]) => text.slice(begin, end));
  return heatMap({ rows: words(target, rows), columns: words(source, columns), weights, name });
}

/** A map of weights from 0 to 1; the stronger, the darker. Its name says what each row looks at most. */
export function heatMap({ rows, columns, weights, name }) {
  const longest = (labels) => Math.max(0, ...labels.map((label) => label.length));
  const [left, top] = [16 + LETTER * longest(rows), 16 + LETTER * longest(columns)];
  const [width, height] = [left + CELL * columns.length + 1, top + CELL * rows.length + 1];
  const drawing = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  for (const [x, label] of columns.entries()) {
    drawing.append(svg("text", { transform: `translate(${left + CELL * (x + 0.5) + 4} ${top - 8}) rotate(-90)` }, label));
    drawing.append(svg("path", { class: "grid", d: `M${left + CELL * x} ${top}V${height - 1}` }));
  }
  const strongest = [];
  for (const [y, label] of rows.entries()) {
    drawing.append(svg("text", { x: left - 8, y: top + CELL * (y + 0.5) + 4, "text-anchor": "end" }, label));
    drawing.append(svg("path", { class: "grid", d: `M${left} ${top + CELL * y}H${width - 1}` }));
    for (const [x, weight] of weights[y].entries()) {
      if (weight < FAINTEST) continue;
      const place = { x: left + CELL * x + 2, y: top + CELL * y + 2, width: CELL - 4, height: CELL - 4, rx: 4 };
      const cell = svg("rect", { class: "cell", "fill-opacity": weight, ...place });
      cell.append(svg("title", {}, weight === 1 ? `${label} – ${columns[x]}` : `${label} – ${columns[x]}: ${weight}`));
      drawing.append(cell);
      if (weight === Math.max(...weights[y])) strongest.push(`${label} – ${columns[x]}`);
    }
  }
  drawing.append(svg("rect", { class: "frame", x: left, y: top, width: CELL * columns.length, height: CELL * rows.length }));
  drawing.setAttribute("aria-label", `${name}: ${strongest.join(", ")}`);
  return drawing;
}

function overlaps([begin, end], [from, to]) {
  return begin < to && end > from;
}

/** The hypotheses of all steps of a search as a tree, from the server's list of nodes. */
export function searchTree(nodes, name) {
  const tree = nodes.map((node) => ({ ...node, label: label(node), children: [] }));
  const roots = [];
  for (const node of tree) (node.parent === undefined ? roots : tree[node.parent].children).push(node);
  const text = (node) => (node ? text(tree[node.parent]) + (node.score === undefined ? node.text : "") : "");
  const ended = tree.filter(({ score }) => score !== undefined).sort((one, other) => other.score - one.score);
  const drawing = svg("svg", { role: "img", "aria-label": `${name}: ${ended.map((node) => `${text(node).trim()} (${node.score.toFixed(2)})`).join("; ")}` });
  const size = { width: 0, rows: 0 };
  for (const root of roots) place(root, GAP / 2, drawing, size);
  const [width, height] = [size.width + GAP / 2, size.rows * ROW + 8];
  for (const [key, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) drawing.setAttribute(key, value);
  return drawing;
}

/** What stands in a node: a dot marks a piece that goes on with a word, and the end of a sentence has its score. */
function label({ text, score }) {
  if (score !== undefined) return score.toFixed(2);
  return text.startsWith(" ") ? text.slice(1) || "␣" : text.replace(/^(?=[\p{L}\p{N}])/u, "·");
}

/** Draws a node and what follows it; returns its middle. */
function place(node, left, drawing, size) {
  const width = LETTER * node.label.length + 16;
  const next = node.children.map((child) => [child, place(child, left + width + GAP, drawing, size)]);
  const middle = next.length ? next[0][1] : ROW * (size.rows++ + 0.5) + 4;
  const end = left + width;
  for (const [child, other] of next) {
    const from = `M${end} ${middle}C${end + GAP / 2} ${middle} ${end + GAP / 2} ${other} ${end + GAP} ${other}`;
    drawing.prepend(svg("path", { class: `branch${child.best ? " best" : ""}`, d: from }));
  }
  const hasEnded = node.score !== undefined;
  const kind = `node${node.best ? " best" : ""}${hasEnded ? " end" : ""}${next.length || hasEnded ? "" : " dropped"}`;
  const box = svg("rect", { class: kind, x: left, y: middle - 14, width, height: 28, rx: hasEnded ? 14 : 6 });
  box.append(svg("title", {}, node.log_probability.toFixed(2)));
  drawing.append(box, svg("text", { x: left + width / 2, y: middle + 4, "text-anchor": "middle" }, node.label));
  size.width = Math.max(size.width, end);
  return middle;
}
