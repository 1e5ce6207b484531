// Small line charts, as SVG.

import { element, svg } from "./dom.js";
import { say } from "./i18n.js";

const WIDTH = 320;
const HEIGHT = 96;

/** A chart of one or two lines over the last `length` readings, with its title and newest values as text. */
export class Chart {
  #length;
  #lines;
  #paths;
  #value;
  #top;

  constructor(parent, title, length, lineCount = 1) {
    this.#length = length;
    this.#lines = Array.from({ length: lineCount }, () => []);
    this.#paths = this.#lines.map((_, index) => svg("path", { class: index ? "line second" : "line" }));
    this.#top = element("span", { className: "quiet-text" });
    this.#value = element("strong");
    const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    drawing.append(svg("path", { class: "grid", d: `M0 ${HEIGHT - 0.5}H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 .5H${WIDTH}` }), ...this.#paths);
    const head = element("figcaption", {}, element("span", { textContent: title }), this.#value);
    parent.append(element("figure", { className: "card chart" }, head, drawing, this.#top));
  }

  /** Adds the newest values, one a line; null where there is none. */
  add(...values) {
    for (const [index, value] of values.entries()) {
      this.#lines[index].push(value);
      this.#lines[index].splice(0, this.#lines[index].length - this.#length);
    }
    const highest = Math.max(1e-9, ...this.#lines.flat().map((value) => value ?? 0));
    for (const [index, line] of this.#lines.entries()) this.#paths[index].setAttribute("d", this.#path(line, highest));
    this.#value.textContent = values.map((value) => (value === null ? "–" : short(value))).join(" / ");
    this.#top.textContent = `${say("highest")}: ${short(highest < 1e-6 ? 0 : highest)}`;
  }

  #path(line, highest) {
    let path = "";
    let isOpen = false;
    for (const [index, value] of line.entries()) {
      if (value === null) {
        isOpen = false;
        continue;
      }
      const x = ((this.#length - line.length + index) * WIDTH) / (this.#length - 1);
      const y = HEIGHT - 2 - ((HEIGHT - 4) * value) / highest;
      path += `${isOpen ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
      isOpen = true;
    }
    return path;
  }
}

function short(value) {
  return value.toLocaleString(document.documentElement.lang, { maximumSignificantDigits: 3 });
}
