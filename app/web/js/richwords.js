// Looking at formatted text word by word: its sentences are found in the text nodes of both sides.

import { aligned, isFromMemory, wordAt } from "./document.js";
import { caretAt, highlight } from "./dom.js";
import { Explorer } from "./explore.js";
import { isDoubtful } from "./targetview.js";

/** Lights up what a word under the pointer is aligned with, and underlines sentences that are doubtful or from the memory. */
export class RichWords {
  #note;
  #blocks = [];

  /** `panes` are the elements { source, target }; `note` is where facts about a sentence are said. */
  constructor(panes, note) {
    this.#note = note;
    for (const [side, pane] of Object.entries(panes)) {
      pane.addEventListener("pointermove", (event) => !event.buttons && this.#hover(event, side));
      pane.addEventListener("pointerleave", () => this.#rest());
    }
  }

  /** Takes blocks { source, target, sentences }: the nodes of both sides, and their sentences as the parts of a text have them. */
  show(blocks) {
    this.#rest();
    this.#blocks = blocks.map((block) => located(block));
    const underline = (name, matters) => {
      const ranges = ({ target, sentences }) =>
        sentences.filter(({ part }) => matters(part)).map(({ part, places }) => target.range(places.target, [0, part.target.length]));
      highlight(name, this.#blocks.flatMap(ranges));
    };
    underline("doubtful", isDoubtful);
    underline("remembered", isFromMemory);
  }

  #hover(event, side) {
    const caret = caretAt(event.clientX, event.clientY);
    for (const block of caret ? this.#blocks : []) {
      const place = block[side].place(caret);
      const found = place < 0 ? null : block.sentences.find(({ places }) => places[side][0] <= place && place < places[side].at(-1));
      if (found) return this.#light(block, found, side, place);
    }
    return this.#rest();
  }

  #light({ source, target }, { part, places }, side, place) {
    const word = wordAt(part[side], places[side].findLastIndex((begin) => begin <= place));
    const ranges = word ? aligned(part.links, side, word) : { source: [], target: [] };
    highlight("source-aligned", ranges.source.map((range) => source.range(places.source, range)));
    highlight("aligned", ranges.target.map((range) => target.range(places.target, range)));
    this.#say(Explorer.facts(part));
  }

  #rest() {
    highlight("source-aligned", []);
    highlight("aligned", []);
    this.#say("");
  }

  #say(text) {
    if (this.#note.textContent !== text) this.#note.textContent = text;
  }
}

/** A block with the texts of both sides, and its sentences as { part, places }: where each character of them is. */
function located({ source, target, sentences }) {
  const block = { source: new FlatText(source), target: new FlatText(target), sentences: [] };
  const from = { source: 0, target: 0 };
  for (const part of sentences) {
    const places = { source: block.source.find(part.source, from.source), target: block.target.find(part.target, from.target) };
    if (!places.source || !places.target) continue;
    for (const side of ["source", "target"]) from[side] = places[side].at(-1);
    block.sentences.push({ part, places });
  }
  return block;
}

/** The text of some nodes, without their markup. */
class FlatText {
  #nodes = [];
  #text = "";

  constructor(nodes) {
    for (const root of nodes) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      for (let node = root.nodeType === Node.TEXT_NODE ? root : walker.nextNode(); node; node = walker.nextNode()) {
        this.#nodes.push({ node, begin: this.#text.length });
        this.#text += node.data;
      }
    }
  }

  /** The place of a caret, or -1. */
  place({ node, offset }) {
    const found = this.#nodes.find((each) => each.node === node);
    return found ? found.begin + offset : -1;
  }

  /** The place of each character of a sentence and of its end, or null; white space may differ, as in HTML. */
  find(sentence, from) {
    for (let begin = from; (begin = this.#text.indexOf(sentence[0], begin)) >= 0; begin += 1) {
      const places = this.#match(sentence, begin);
      if (places) return places;
    }
    return null;
  }

  /** The range of characters [begin, end] of a sentence whose places are known. */
  range(places, [begin, end]) {
    const range = new Range();
    const [first, last] = [this.#point(places[begin], false), this.#point(places[end - 1] + 1, true)];
    range.setStart(first.node, first.offset);
    range.setEnd(last.node, last.offset);
    return range;
  }

  #match(sentence, begin) {
    const places = [];
    let at = begin;
    for (const character of sentence.split("")) {
      const isSpace = /\s/.test(character);
      if (!isSpace && this.#text[at] !== character) return null;
      places.push(at);
      if (!isSpace) at += 1;
      else while (/\s/.test(this.#text[at] ?? "")) at += 1;
    }
    return [...places, at];
  }

  /** A place as text node and offset; the end of a node rather than the beginning of the next where `isEnd`. */
  #point(place, isEnd) {
    const { node, begin } = this.#nodes.findLast((each) => (isEnd ? each.begin < place : each.begin <= place));
    return { node, offset: Math.min(place - begin, node.length) };
  }
}
