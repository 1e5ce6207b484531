// The text area with the text to translate, and the mirror behind it that can show highlights.

import { caretAt, element, highlight, patch, rangeIn } from "./dom.js";

export class SourceView {
  #area;
  #mirror;
  #lines = [];

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
    const hadFocus = document.activeElement;
    area.focus({ preventScroll: true });
    area.select();
    const done = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
    if (!done || area.value !== text) {
      area.value = text;
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (hadFocus !== area) hadFocus?.focus?.({ preventScroll: true });
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
    patch(this.#mirror, this.#lines.map(({ line }) => line));
  }
}
