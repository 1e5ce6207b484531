// The panel that looks inside: the alignment head's map of a sentence, and the tree of what the beam search found.
//
// The graphs that the server runs give the place that the alignment head looks at, and nothing of the other heads;
// `dragoman attention` draws those of all heads from the float32 graphs.

import { wordsOf } from "./document.js";
import { element, svg } from "./dom.js";
import { say } from "./i18n.js";

const CELL = 24;
const LETTER = 8; // width of a letter of a label, about
const ROW = 36;
const GAP = 24;
const HYPOTHESES = 6;

export class Inspector {
  #root;
  #button;
  #translator;
  #part = null;
  #view = "attention";
  #asking = null;

  constructor(root, button, translator) {
    this.#root = root;
    this.#button = button;
    this.#translator = translator;
  }

  /** Shows a sentence, or how to choose one; without one, closes the panel if it is open. */
  open(part) {
    if (!part && !this.#root.hidden) return this.#close();
    this.#part = part;
    this.#root.hidden = false;
    this.#button.setAttribute("aria-expanded", "true");
    this.#draw();
    this.#root.scrollIntoView({ block: "nearest" });
  }

  #close() {
    this.#asking?.abort();
    this.#root.hidden = true;
    this.#button.setAttribute("aria-expanded", "false");
    this.#button.focus();
  }

  #draw() {
    this.#asking?.abort();
    if (!this.#part) this.#show("inspectHint");
    else if (this.#view === "attention") this.#show("attentionExplained", alignmentMap(this.#part));
    else this.#drawSearch();
  }

  async #drawSearch() {
    const { signal } = (this.#asking = new AbortController());
    this.#show("loading");
    try {
      const found = await this.#translator.hypotheses(this.#part, { count: HYPOTHESES, signal });
      this.#show("beamExplained", searchTree(found));
    } catch (error) {
      if (!signal.aborted) this.#show("inspectFailed", null, { reason: error.message || say("unreachable") });
    }
  }

  #show(message, drawing = null, values = {}) {
    const views = ["attention", "beam"].map((view) => {
      const button = element("button", { type: "button", className: "quiet", id: `view-${view}`, textContent: say(view), disabled: !this.#part });
      button.setAttribute("aria-pressed", String(view === this.#view));
      button.addEventListener("click", () => {
        this.#view = view;
        this.#draw();
        this.#root.querySelector(`#view-${view}`).focus();
      });
      return button;
    });
    const title = element("h2", { id: "inspector-title", textContent: say("inspect") });
    const close = element("button", { type: "button", className: "quiet", textContent: say("close"), onclick: () => this.#close() });
    const content = [element("p", { className: "quiet-text", textContent: say(message, values) })];
    if (drawing) {
      const frame = element("div", { className: "drawing", tabIndex: 0 }, drawing);
      frame.setAttribute("role", "group");
      frame.setAttribute("aria-label", say(this.#view));
      content.push(frame);
    }
    this.#root.replaceChildren(element("header", {}, title, ...views, close), ...content);
  }
}

/** A row for each word of the translation, a column for each of the text, and a cell where they are aligned. */
function alignmentMap({ source, target, links }) {
  const [columns, rows] = [wordsOf(source), wordsOf(target)];
  const [above, beside] = [columns.map(([begin, end]) => source.slice(begin, end)), rows.map(([begin, end]) => target.slice(begin, end))];
  const left = 16 + LETTER * Math.max(...beside.map((word) => word.length));
  const top = 16 + LETTER * Math.max(...above.map((word) => word.length));
  const [width, height] = [left + CELL * columns.length + 1, top + CELL * rows.length + 1];
  const drawing = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  const pairs = [];
  for (const [x, word] of above.entries()) {
    drawing.append(svg("text", { transform: `translate(${left + CELL * (x + 0.5) + 4} ${top - 8}) rotate(-90)` }, word));
    drawing.append(svg("path", { class: "grid", d: `M${left + CELL * x} ${top}V${height - 1}` }));
  }
  for (const [y, word] of beside.entries()) {
    drawing.append(svg("text", { x: left - 8, y: top + CELL * (y + 0.5) + 4, "text-anchor": "end" }, word));
    drawing.append(svg("path", { class: "grid", d: `M${left} ${top + CELL * y}H${width - 1}` }));
    for (const [x, other] of above.entries()) {
      if (!links.some((link) => overlaps(link.target, rows[y]) && overlaps(link.source, columns[x]))) continue;
      const cell = svg("rect", { class: "cell", x: left + CELL * x + 2, y: top + CELL * y + 2, width: CELL - 4, height: CELL - 4, rx: 4 });
      cell.append(svg("title", {}, `${word} – ${other}`));
      drawing.append(cell);
      pairs.push(`${word} – ${other}`);
    }
  }
  drawing.append(svg("rect", { class: "frame", x: left, y: top, width: CELL * columns.length, height: CELL * rows.length }));
  drawing.setAttribute("aria-label", `${say("attention")}: ${pairs.join(", ")}`);
  return drawing;
}

function overlaps([begin, end], [from, to]) {
  return begin < to && end > from;
}

/** The hypotheses, best first, as a tree: what two begin with is drawn once. */
function searchTree(hypotheses) {
  const root = { children: new Map() };
  for (const [rank, { text, score }] of hypotheses.entries()) {
    let node = root;
    for (const word of text.split(/\s+/)) {
      if (!node.children.has(word)) node.children.set(word, { word, children: new Map(), rank });
      node = node.children.get(word);
    }
    node.score = score;
  }
  const drawing = svg("svg", { role: "img", "aria-label": `${say("beam")}: ${hypotheses.map(({ text, score }) => `${text} (${score.toFixed(2)})`).join("; ")}` });
  const size = { width: 0, rows: 0 };
  for (const child of root.children.values()) place(child, GAP / 2, drawing, size);
  const [width, height] = [size.width + GAP / 2, size.rows * ROW + 8];
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) drawing.setAttribute(name, value);
  return drawing;
}

/** Draws a node and what follows it; returns its middle. */
function place(node, left, drawing, size) {
  const width = LETTER * node.word.length + 16;
  const mark = node.rank === 0 ? " best" : "";
  const next = [...node.children.values()].map((child) => [child, place(child, left + width + GAP, drawing, size)]);
  const middle = next.length ? next[0][1] : ROW * (size.rows++ + 0.5) + 4;
  const end = left + width;
  for (const [child, other] of next) {
    const from = `M${end} ${middle}C${end + GAP / 2} ${middle} ${end + GAP / 2} ${other} ${end + GAP} ${other}`;
    drawing.prepend(svg("path", { class: `branch${child.rank === 0 ? " best" : ""}`, d: from }));
  }
  drawing.append(
    svg("rect", { class: `node${mark}`, x: left, y: middle - 14, width, height: 28, rx: 6 }),
    svg("text", { x: left + width / 2, y: middle + 4, "text-anchor": "middle" }, node.word),
  );
  if (node.score !== undefined) drawing.append(svg("text", { class: "lost", x: end + 8, y: middle + 4 }, node.score.toFixed(2)));
  size.width = Math.max(size.width, end + (node.score === undefined ? 0 : 56));
  return middle;
}
