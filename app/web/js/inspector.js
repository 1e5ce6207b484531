// The panel that looks inside the model: attention as a heat map, beam search as a tree.

import { ask } from "./api.js";
import { element, svg } from "./dom.js";
import { say } from "./i18n.js";

const CELL = 24;
const LETTER = 8; // width of a letter of a label, about
const STEP = 128;
const ROW = 40;

export class Inspector {
  #root;
  #button;
  #translator;
  #found = null;
  #view = "attention";
  #choice = { kind: "cross", layer: null, head: null };
  #asking = null;

  constructor(root, button, translator) {
    this.#root = root;
    this.#button = button;
    this.#translator = translator;
  }

  /** Shows a sentence, or how to choose one; closes the panel where it shows one already and none is given. */
  async open(part) {
    if (!part && !this.#root.hidden) return this.#close();
    this.#root.hidden = false;
    this.#button.setAttribute("aria-expanded", "true");
    this.#found = null;
    if (!part) return this.#show(element("p", { className: "quiet-text", textContent: say("inspectHint") }));
    this.#show(element("p", { className: "quiet-text", textContent: say("loading") }));
    this.#asking?.abort();
    const { signal } = (this.#asking = new AbortController());
    const { language: source, target } = this.#translator;
    try {
      this.#found = await ask("inspect", { body: { q: part.source, source, target }, signal });
      const trained = this.#found.alignmentHead;
      this.#choice = { kind: "cross", layer: trained?.layer ?? this.#found.attention.cross.length - 1, head: trained?.head ?? "all" };
      this.#draw();
    } catch (error) {
      if (signal.aborted) return;
      const reason = error.message || say("unreachable");
      this.#show(element("p", { className: "quiet-text", textContent: say("inspectFailed", { reason }) }));
    }
    this.#root.scrollIntoView({ block: "nearest" });
  }

  #close() {
    this.#root.hidden = true;
    this.#button.setAttribute("aria-expanded", "false");
    this.#button.focus();
  }

  #show(...content) {
    const views = ["attention", "beam"].map((view) => {
      const button = element("button", { type: "button", className: "quiet", textContent: say(view), onclick: () => this.#turn(view) });
      button.setAttribute("aria-pressed", String(view === this.#view));
      button.disabled = !this.#found;
      return button;
    });
    const title = element("h2", { id: "inspector-title", textContent: say("inspect") });
    const close = element("button", { type: "button", className: "quiet", textContent: say("close"), onclick: () => this.#close() });
    this.#root.replaceChildren(element("header", {}, title, ...views, close), ...content);
  }

  #turn(view) {
    this.#view = view;
    this.#draw();
  }

  #draw() {
    const drawing = element("div", { className: "drawing", tabIndex: 0 });
    drawing.setAttribute("role", "group");
    drawing.setAttribute("aria-label", say(this.#view));
    if (this.#view === "beam") {
      drawing.append(beamTree(this.#found.beam));
      this.#show(element("p", { className: "quiet-text", textContent: say("beamExplained") }), drawing);
      return;
    }
    const { kind, layer, head } = this.#choice;
    const { sourceTokens, targetTokens, attention } = this.#found;
    const maps = attention[kind][layer];
    const rows = kind === "encoder" ? sourceTokens : targetTokens;
    const columns = kind === "decoder" ? targetTokens : sourceTokens;
    drawing.append(heatMap(head === "all" ? mean(maps) : maps[head], rows, columns));
    this.#show(this.#controls(attention), drawing);
  }

  #controls(attention) {
    const { kind, layer, head } = this.#choice;
    const trained = this.#found.alignmentHead;
    const heads = attention[kind][layer].map((_, index) => {
      const isTrained = kind === "cross" && trained?.layer === layer && trained.head === index;
      return [index, isTrained ? say("alignmentHead", { head: index + 1 }) : index + 1];
    });
    return element(
      "div",
      { className: "controls" },
      this.#select("kind", ["cross", "encoder", "decoder"].map((name) => [name, say(name)]), kind),
      this.#select("layer", attention[kind].map((_, index) => [index, index + 1]), layer),
      this.#select("head", [["all", say("allHeads")], ...heads], head),
    );
  }

  #select(name, options, chosen) {
    const select = element("select", { id: `inspect-${name}` }, ...options.map(([value, text]) => new Option(text, value, false, value === chosen)));
    select.addEventListener("change", () => {
      const value = /^\d+$/.test(select.value) ? Number(select.value) : select.value;
      this.#choice = { ...this.#choice, [name]: value };
      if (name === "kind") this.#choice = { kind: value, layer: this.#found.attention[value].length - 1, head: "all" };
      this.#draw();
      this.#root.querySelector(`#inspect-${name}`).focus();
    });
    return element("label", { htmlFor: select.id }, say(name), select);
  }
}

function mean(maps) {
  return maps[0].map((row, y) => row.map((_, x) => maps.reduce((total, map) => total + map[y][x], 0) / maps.length));
}

function heatMap(map, rows, columns) {
  const left = 12 + LETTER * Math.max(...rows.map((token) => token.length));
  const top = 12 + LETTER * Math.max(...columns.map((token) => token.length));
  const [width, height] = [left + CELL * columns.length + 2, top + CELL * rows.length + 2];
  const drawing = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": say("attentionTable") });
  for (const [x, token] of columns.entries()) {
    const at = left + CELL * (x + 0.5) + 4;
    drawing.append(svg("text", { transform: `translate(${at} ${top - 6}) rotate(-90)` }, token));
  }
  for (const [y, token] of rows.entries()) {
    drawing.append(svg("text", { x: left - 8, y: top + CELL * (y + 0.5) + 4, "text-anchor": "end" }, token));
    for (const [x, weight] of map[y].entries()) {
      const cell = svg("rect", { class: "cell", x: left + CELL * x, y: top + CELL * y, width: CELL - 1, height: CELL - 1, "fill-opacity": weight.toFixed(3) });
      cell.append(svg("title", {}, `${token} → ${columns[x]}: ${Math.round(100 * weight)} %`));
      drawing.append(cell);
    }
  }
  drawing.append(svg("rect", { class: "frame", x: left - 0.5, y: top - 0.5, width: CELL * columns.length, height: CELL * rows.length }));
  return drawing;
}

function beamTree(steps) {
  const widest = Math.max(...steps.map((step) => step.length));
  const [width, height] = [STEP * steps.length + 16, ROW * widest + 8];
  const drawing = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": say("beamExplained") });
  const nodes = [];
  for (const [x, step] of steps.entries()) {
    for (const [y, { token, total, parent, isBest }] of step.entries()) {
      const [left, middle] = [8 + STEP * x, 4 + ROW * (y + 0.5)];
      const mark = isBest ? " best" : "";
      if (x) {
        const [from, start] = [left - STEP + 100, 4 + ROW * (parent + 0.5)];
        drawing.append(svg("path", { class: `branch${mark}`, d: `M${from} ${start}C${from + 14} ${start} ${left - 14} ${middle} ${left} ${middle}` }));
      }
      nodes.push(
        svg("rect", { class: `node${mark}`, x: left, y: middle - 16, width: 100, height: 32, rx: 6 }),
        svg("text", { x: left + 8, y: middle + 4 }, token.length > 8 ? `${token.slice(0, 7)}…` : token),
        svg("text", { class: "lost", x: left + 94, y: middle + 4, "text-anchor": "end" }, total.toFixed(1)),
      );
    }
  }
  drawing.append(...nodes);
  return drawing;
}
