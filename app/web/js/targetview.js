// The translation: one element a line, one span a sentence; words are found by place, not by elements of their own.

import { caretAt, element, highlight, patch, rangeIn } from "./dom.js";
import { isFromMemory, wordsOf } from "./document.js";

// 500 at once take 40 ms of styles, layout and painting.
const LINES_PER_FRAME = 100;
/** Below this chance that it is good, a sentence is underlined. */
export const DOUBTFUL_BELOW = 0.4;

/** Whether a person should look at a sentence again. */
export function isDoubtful(part, below = DOUBTFUL_BELOW) {
  return part.verdicts?.length > 0 || (part.confidence !== null && part.confidence < below);
}

export class TargetView {
  #root;
  #spans = new WeakMap(); // part -> span
  #parts = new WeakMap(); // span -> part
  #lines = [];
  #current = null;

  constructor(root) {
    this.#root = root;
  }

  /**
   * Draws the parts of a text, of many new lines only the first; returns whether that is all. `emptyText` stands there while
   * there are no parts.
   */
  draw(parts, emptyText) {
    if (!parts.length) {
      this.#lines = [];
      this.#root.replaceChildren(element("p", { className: "line empty", textContent: emptyText }));
      return true;
    }
    const most = this.#root.childElementCount + LINES_PER_FRAME;
    const lines = [[]];
    let isAll = true;
    for (const part of parts) {
      if (part.kind !== "break") lines.at(-1).push(this.#span(part));
      else if ((isAll = lines.length < most)) lines.push([]);
      else break;
    }
    const elements = this.#elements(lines.length);
    for (const [index, spans] of lines.entries()) patch(elements[index], spans.length ? spans : [elements[index].blank]);
    patch(this.#root, elements);
    return isAll;
  }

  /** The part and the place in its translation under a point, or null. */
  at(x, y) {
    const caret = caretAt(x, y);
    const span = caret?.node.parentNode;
    const part = this.#parts.get(span);
    return part?.kind === "sentence" ? { part, offset: caret.offset } : null;
  }

  /** Lights up ranges of the translation of a part; `cursor` is the word that the keyboard is at. */
  light(part, ranges, cursor = null) {
    const node = part && this.#spans.get(part)?.firstChild;
    highlight("aligned", node ? ranges.map(([begin, end]) => rangeIn(node, begin, end)) : []);
    highlight("cursor", node && cursor ? [rangeIn(node, ...cursor)] : []);
  }

  /** Marks the sentence that is being looked at. */
  mark(part) {
    this.#current?.classList.remove("current");
    this.#current = part ? (this.#spans.get(part) ?? null) : null;
    this.#current?.classList.add("current");
  }

  /** The rectangle of a range of a part's translation. */
  box(part, begin, end) {
    const node = this.#spans.get(part)?.firstChild;
    return node && rangeIn(node, begin, end).getClientRects()[0];
  }

  /** All words of the shown sentences, in order, as { part, begin, end }. */
  words(parts) {
    return parts
      .filter((part) => part.kind === "sentence")
      .flatMap((part) => wordsOf(part.target).map(([begin, end]) => ({ part, begin, end })));
  }

  #elements(count) {
    while (this.#lines.length < count) {
      const line = element("div", { className: "line" });
      line.blank = document.createElement("br");
      this.#lines.push(line);
    }
    this.#lines.length = count;
    return this.#lines;
  }

  #span(part) {
    let span = this.#spans.get(part);
    if (!span) {
      span = element("span");
      this.#spans.set(part, span);
      this.#parts.set(span, part);
    }
    const name = part.kind === "sentence" ? `sentence ${mark(part)}`.trim() : part.kind;
    if (span.className !== name && !span.classList.contains("current")) span.className = name;
    if ((span.firstChild?.data ?? "") !== part.target) span.textContent = part.target;
    return span;
  }
}

/** How a sentence is underlined. */
function mark(part) {
  if (isDoubtful(part)) return "doubtful";
  if (isFromMemory(part)) return "remembered";
  return part.match ? "offered" : "";
}
