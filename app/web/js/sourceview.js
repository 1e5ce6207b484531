// The text area with the text to translate, and the mirror behind it that can show highlights.

import { caretAt, element, highlight, patch, rangeIn } from "./dom.js";

// Laying out 100,000 characters at once takes 50 ms, on top of what the text area needs for the same text.
const CHARS_PER_FRAME = 10_000;

export class SourceView {
  #area;
  #mirror;
  #lines = [];
  #shown = 0;

  constructor(area, mirror) {
    this.#area = area;
    this.#mirror = mirror;
    this.#reflect();
    area.addEventListener("input", () => this.#reflect());
  }

  get value() {
    return this.#area.value;
  }

  /** Puts a text in as if it had been typed, so that the browser can undo it. */
  replace(text) {
    const area = this.#area;
    const hadFocus = /** @type {HTMLElement} */ (document.activeElement);
    area.focus({ preventScroll: true });
    area.select();
    const done = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
    if (!done || area.value !== text) {
      area.value = text;
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (hadFocus !== area) hadFocus?.focus?.({ preventScroll: true });
  }

  /** Puts a text in at the cursor, as if it had been typed. */
  insert(text) {
    this.#area.focus({ preventScroll: true });
    document.execCommand("insertText", false, text);
  }

  /** Lights up ranges [begin, end] of the text. */
  light(ranges) {
    const found = [];
    for (const [begin, end] of ranges) {
      let at = 0;
      for (const { text, node } of this.#lines) {
        if (begin < at + text.length && end > at) found.push(rangeIn(node, Math.max(0, begin - at), end - at));
        at += text.length + 1;
        if (at >= end) break;
      }
    }
    highlight("source-aligned", found);
  }

  /** The place in the text under a point, or -1. */
  placeAt(x, y) {
    this.#area.style.pointerEvents = "none"; // the point then hits the mirror
    this.#mirror.style.pointerEvents = "auto";
    this.#mirror.style.userSelect = "text";
    const caret = caretAt(x, y);
    this.#area.style.pointerEvents = "";
    this.#mirror.style.pointerEvents = "";
    this.#mirror.style.userSelect = "";
    let at = 0;
    for (const { text, node } of this.#lines) {
      if (node === caret?.node) return at + caret.offset;
      at += text.length + 1;
    }
    return -1;
  }

  /** The elements of the lines. */
  get lines() {
    return this.#lines.map(({ line }) => line);
  }

  #reflect() {
    const texts = this.#area.value.split("\n");
    const old = this.#lines;
    let same = 0;
    while (same < Math.min(old.length, texts.length) && old[same].text === texts[same]) same += 1;
    let end = 0;
    while (end < Math.min(old.length, texts.length) - same && old.at(-1 - end).text === texts.at(-1 - end)) end += 1;
    const fresh = texts.slice(same, texts.length - end).map((text) => {
      const node = document.createTextNode(text);
      return { text, node, line: element("div", {}, node) };
    });
    this.#lines = [...old.slice(0, same), ...fresh, ...old.slice(old.length - end)];
    // What is long is shown from the next frame on, so that the browser lays out the text area in a task of its own.
    const chars = fresh.reduce((sum, { text }) => sum + text.length, 0);
    cancelAnimationFrame(this.#shown);
    if (chars > CHARS_PER_FRAME) this.#shown = requestAnimationFrame(() => this.#show());
    else this.#show();
  }

  /** Puts the lines into the mirror, of many new ones some in each frame. */
  #show() {
    const elements = this.lines;
    let count = 0;
    for (let chars = 0; count < elements.length && chars <= CHARS_PER_FRAME; count += 1) {
      if (!elements[count].isConnected) chars += this.#lines[count].text.length;
    }
    patch(this.#mirror, elements.slice(0, count));
    cancelAnimationFrame(this.#shown);
    if (count < elements.length) this.#shown = requestAnimationFrame(() => this.#show());
  }
}
