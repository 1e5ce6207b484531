// Looking at the translation word by word: by pointer, by touch, by keyboard.

import { aligned, isFromMemory, wordAt, wordsOf } from "./document.js";
import { say } from "./i18n.js";
import { isDoubtful } from "./targetview.js";

/** Fires "open" with { part, begin, end, byKeyboard } for a word whose alternatives are wanted. */
export class Explorer extends EventTarget {
  #translator;
  #source;
  #target;
  #root;
  #note;
  #at = null; // the word that the keyboard is at
  #shown = undefined; // the sentence that is lit up
  /** The sentence that was looked at last. */
  part = null;

  constructor({ translator, source, target, root, area, note }) {
    super();
    this.#translator = translator;
    this.#source = source;
    this.#target = target;
    this.#root = root;
    this.#note = note;
    root.addEventListener("pointermove", (event) => this.#hover(event));
    root.addEventListener("pointerleave", () => this.#rest());
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("keydown", (event) => this.#key(event));
    for (const name of ["blur", "focus"]) root.addEventListener(name, () => this.#rest());
    root.addEventListener("pointerdown", () => (this.#at = null));
    area.addEventListener("pointermove", (event) => this.#hoverSource(event));
    area.addEventListener("pointerleave", () => this.#rest());
  }

  /** Stays at its sentence, as far as that is still there, when the translation has been drawn again. */
  follow() {
    const { text } = this.#translator;
    const part = this.#at && text.current(this.#at.part);
    if (part !== this.#at?.part) this.#at = part?.kind === "sentence" ? wordNear(part, this.#at.begin) : null;
    if (this.#at || text.current(this.#shown) !== this.#shown) this.#rest();
  }

  /** What there is to say about a sentence: where it is from, how sure the model is of it and what may be wrong. */
  static facts(part, isDoubted = isDoubtful(part)) {
    return [Explorer.#match(part), Explorer.#doubt(part, isDoubted)].filter(Boolean).join(" · ");
  }

  static #match(part) {
    if (!part.match) return "";
    const { score } = part.match;
    if (!isFromMemory(part)) return say("similarInMemory", { score });
    return say(score === 100 ? "fromMemory" : "fromMemoryAlike", { score });
  }

  static #doubt(part, isDoubted) {
    const percent = part.confidence === null || part.confidence === undefined ? null : Math.round(100 * part.confidence);
    if (!isDoubted) return percent === null ? "" : say("confidence", { percent });
    const reasons = part.verdicts.map((verdict) => say(verdict));
    return say("doubtful", { reasons: reasons.length ? reasons.join(", ") : say("low", { percent }) });
  }

  #hover(event) {
    const found = this.#target.at(event.clientX, event.clientY);
    if (found) this.#show(found.part, "target", wordAt(found.part.target, found.offset));
    else this.#rest();
  }

  #hoverSource(event) {
    if (event.buttons) return; // text is being selected
    const place = this.#source.placeAt(event.clientX, event.clientY);
    const found = place < 0 ? null : this.#translator.text.at(place);
    const word = found?.part.kind === "sentence" && wordAt(found.part.source, place - found.begin);
    if (word) this.#show(found.part, "source", word);
    else this.#rest();
  }

  #click(event) {
    if (!getSelection().isCollapsed) return; // text was selected
    const found = this.#target.at(event.clientX, event.clientY);
    if (!found) return;
    const [begin, end] = wordAt(found.part.target, found.offset) ?? [0, found.part.target.length];
    this.#show(found.part, "target", [begin, end]);
    this.#open(found.part, begin, end, false);
  }

  #key(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const isRightToLeft = getComputedStyle(this.#root).direction === "rtl" && event.key.match(/Left|Right/);
    if (step) this.#move(isRightToLeft ? -step : step);
    else if (event.key === "Enter" && this.#at) this.#open(this.#at.part, this.#at.begin, this.#at.end, true);
    else return;
    event.preventDefault();
  }

  #move(step) {
    const words = this.#target.words(this.#translator.text.parts);
    const now = this.#at ? words.findIndex(({ part, begin }) => part === this.#at.part && begin === this.#at.begin) : -1;
    const next = words[now < 0 ? 0 : Math.min(words.length - 1, Math.max(0, now + step))];
    if (!next) return;
    this.#show(next.part, "target", [next.begin, next.end], true);
    this.#at = next;
    this.#scrollTo(next);
  }

  #scrollTo({ part, begin, end }) {
    const box = () => this.#target.box(part, begin, end);
    if (!box()) return;
    const { top, bottom } = this.#root.getBoundingClientRect();
    if (box().top < top || box().bottom > bottom) this.#root.scrollTop += box().top - (top + bottom) / 2;
    if (box().top < 0 || box().bottom > innerHeight) scrollBy({ top: box().top - innerHeight / 2 });
  }

  #show(part, side, range, byKeyboard = false) {
    const ranges = range ? aligned(part.links, side, range) : { source: [], target: [] };
    const begin = this.#translator.text.begin(part);
    this.#source.light(ranges.source.map(([from, to]) => [from + begin, to + begin]));
    this.#target.light(part, byKeyboard ? [] : ranges.target, byKeyboard ? range : null);
    this.#target.mark(part);
    if (byKeyboard) {
      const others = [...new Set(ranges.source.map(([from, to]) => part.source.slice(from, to)))].join(" ");
      const word = part.target.slice(...range);
      this.#say(`${say(others ? "alignedWith" : "alignedWithNothing", { word, others })} · ${Explorer.facts(part)}`);
    } else {
      this.#say(Explorer.facts(part));
    }
    this.#shown = this.part = part;
  }

  /** Lights up the word that the keyboard is at, or nothing. */
  #rest() {
    if (this.#at && document.activeElement === this.#root) return this.#show(this.#at.part, "target", [this.#at.begin, this.#at.end], true);
    this.#shown = undefined;
    this.#source.light([]);
    this.#target.light(null, []);
    this.#target.mark(null);
    return this.#say("");
  }

  #say(text) {
    if (this.#note.textContent !== text) this.#note.textContent = text;
  }

  #open(part, begin, end, byKeyboard) {
    this.dispatchEvent(new CustomEvent("open", { detail: { part, begin, end, byKeyboard } }));
  }
}

/** The last word of a sentence that begins at or before a place. */
function wordNear(part, place) {
  const words = wordsOf(part.target);
  const [begin, end] = words.findLast(([from]) => from <= place) ?? words[0] ?? [0, part.target.length];
  return { part, begin, end };
}
