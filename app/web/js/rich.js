// Formatted text: pasted with its markup, translated block by block, and only the blocks that have changed.

import { ask, retryDelayMs } from "./api.js";
import { sentencePart, withMatches } from "./document.js";
import { harmless, written } from "./html.js";
import { withMemory } from "./memorychoice.js";
import { withTerms } from "./terms.js";
import { TYPING_PAUSE_MS } from "./translator.js";

const BLOCKS = /^(blockquote|dl|div|h[1-6]|hr|ol|p|pre|table|ul)$/;
const TEXTS_PER_REQUEST = 50;

/** Fires "change" when the translation has changed, and "failed" with the error where it can't be had, or not yet. */
export class RichText extends EventTarget {
  #source;
  #output;
  #languages;
  #detect;
  #note;
  #words = null;
  #cache = new Map(); // the HTML of a block -> { html, details } of its translation
  #timer = 0;
  #running = null;
  #failures = 0;

  /**
   * `languages()` returns { source, target } codes, source "auto" until `detect(text, signal)` has found it; `note` is
   * where facts about a sentence are said.
   */
  constructor({ source, output, languages, detect, note }) {
    super();
    this.#source = source;
    this.#output = output;
    this.#languages = languages;
    this.#detect = detect;
    this.#note = note;
    source.addEventListener("input", () => this.#schedule(TYPING_PAUSE_MS));
    source.addEventListener("paste", (event) => this.#paste(event));
  }

  get isOpen() {
    return !this.#source.hidden;
  }

  get text() {
    return this.#source.innerText;
  }

  get html() {
    return written(this.#source);
  }

  get translation() {
    return { text: this.#output.innerText, html: written(this.#output) };
  }

  /** Shows some HTML in the place of plain text, and translates it. */
  open(html) {
    this.#source.replaceChildren(harmless(html));
    this.#output.replaceChildren();
    this.#source.hidden = this.#output.hidden = false;
    this.#source.focus();
    this.again();
  }

  close() {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#words?.show([]);
    this.#source.hidden = this.#output.hidden = true;
    this.#source.replaceChildren();
    this.#output.replaceChildren();
  }

  /** Makes the translation the text. */
  swap() {
    this.open(written(this.#output));
  }

  /** Translates everything between the languages of now. */
  again() {
    this.#cache.clear();
    this.resume();
  }

  /** Translates what is still missing. */
  resume() {
    this.#schedule(0);
  }

  #schedule(delayMs) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), delayMs);
  }

  async #run() {
    this.#running?.abort();
    const { signal } = (this.#running = new AbortController());
    const blocks = this.#blocks();
    this.#output.setAttribute("aria-busy", "true");
    try {
      if (this.text.trim()) await this.#detect(this.text, signal);
      const { RichWords } = await import("./richwords.js");
      if (signal.aborted) return;
      this.#words ??= new RichWords({ source: this.#source, target: this.#output }, this.#note);
      for (let missing; (missing = this.#missing(blocks)).length; ) {
        const body = { q: missing, ...withMemory(withTerms(this.#languages())), format: "html", details: true };
        const answer = await ask("translate", { body, signal });
        const { translatedText, details, memory = [] } = answer;
        missing.forEach((html, at) => this.#cache.set(html, { html: translatedText[at], details: details[at], matches: memory[at] ?? [] }));
        this.#draw(blocks);
      }
      this.#draw(blocks);
      this.#failures = 0;
      this.dispatchEvent(new Event("change"));
    } catch (error) {
      if (signal.aborted) return; // another run has begun
      const delayMs = retryDelayMs(error, this.#failures++);
      if (delayMs !== null) this.#schedule(delayMs);
      this.dispatchEvent(new CustomEvent("failed", { detail: error }));
    }
    this.#output.setAttribute("aria-busy", "false");
  }

  #missing(blocks) {
    const unknown = blocks.map(({ html }) => html).filter((html) => !this.#cache.has(html));
    return [...new Set(unknown)].slice(0, TEXTS_PER_REQUEST);
  }

  #draw(blocks) {
    const drawn = blocks.map(({ nodes, html }) => {
      const known = this.#cache.get(html) ?? { html, details: [], matches: [] };
      return { source: nodes, target: [...harmless(known.html).childNodes], sentences: withMatches(known.details.map(sentencePart), known.matches) };
    });
    this.#output.replaceChildren(...drawn.flatMap(({ target }) => target));
    this.#words.show(drawn);
  }

  /** The blocks as { nodes, html }: what is not in one makes a paragraph with its neighbours. */
  #blocks() {
    const found = [];
    let loose = null;
    for (const node of this.#source.childNodes) {
      if (BLOCKS.test(node.localName ?? "")) {
        loose = null;
        found.push([node]);
      } else if (loose || node.textContent.trim()) {
        if (!loose) found.push((loose = []));
        loose.push(node);
      }
    }
    return found.map((nodes) => ({ nodes, html: written(harmless(written({ childNodes: nodes }))) }));
  }

  #paste(event) {
    event.preventDefault();
    const html = event.clipboardData.getData("text/html");
    const content = html ? harmless(html) : document.createTextNode(event.clipboardData.getData("text/plain"));
    const range = getSelection().getRangeAt(0);
    range.deleteContents();
    range.insertNode(content);
    range.collapse(false);
    this.#schedule(0);
  }
}
