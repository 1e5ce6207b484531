// What stands beside the sentence that is reviewed: doubts, the translation memory, terms, other translations.

import { ask, reason } from "./api.js";
import { button, text } from "./controls.js";
import { element } from "./dom.js";
import { Explorer } from "./explore.js";
import { direction, say } from "./i18n.js";
import { withMemory } from "./memorychoice.js";
import { ReviewedDocument } from "./reviewed.js";
import { withTerms } from "./terms.js";

const COUNT = 3;
const TERMS = { applied: "term_applied", inflected: "term_inflected", not_found: "term_not_found" };
const PAUSE_MS = 250; // so that going through the sentences asks for nothing

/** Shows what there is for a sentence in `root`; calls `use(translation)` with what was picked. */
export class DeskSide {
  #root;
  #pair;
  #use;
  #timer = 0;
  #asking = null;
  #found = new Map(); // by sentence; forgotten when the memory has changed

  constructor(root, { pair, use }) {
    this.#root = root;
    this.#pair = pair;
    this.#use = use;
  }

  /** Shows what there is for a sentence; null for none. */
  show(sentence) {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    if (!sentence) return this.#root.replaceChildren();
    this.#draw(sentence, this.#found.get(sentence.source) ?? { isAsking: true });
    if (!this.#found.has(sentence.source)) this.#timer = setTimeout(() => this.#ask(sentence), PAUSE_MS);
    return undefined;
  }

  /** Forgets what was found: the memory has changed. */
  forget() {
    this.#found.clear();
  }

  async #ask(sentence) {
    const { signal } = (this.#asking = new AbortController());
    const body = { q: sentence.source, ...withMemory(withTerms(this.#pair)), alternatives: COUNT, details: true };
    let found;
    try {
      const answer = await ask("translate", { body, signal });
      const texts = [answer.translatedText, ...(answer.alternatives ?? [])];
      const matches = (answer.memory ?? []).map(({ score, target, source, applied }) => ({ score, source, translation: applied ? answer.translatedText : target }));
      found = { others: texts, matches };
      this.#found.set(sentence.source, found);
    } catch (error) {
      if (signal.aborted) return;
      found = { problem: reason(error) };
    }
    if (!signal.aborted) this.#draw(sentence, found);
  }

  #draw(sentence, { others = [], matches = null, problem = "", isAsking = false }) {
    const nodes = [text("h3", "aboutSentence")];
    const facts = Explorer.facts({ ...sentence, match: null }, sentence.isDoubtful);
    if (facts) nodes.push(element("p", { className: sentence.isDoubtful ? "doubt" : "quiet-text", textContent: facts }));
    if (sentence.isFixed) nodes.push(text("p", "fixedSentence", { className: "quiet-text" }));
    const lost = ReviewedDocument.lost(sentence);
    if (lost.length) nodes.push(element("p", { className: "doubt", textContent: say("lostParts", { parts: lost.join(" ") }) }));
    const isChanged = sentence.current !== sentence.translation;
    if (isChanged) nodes.push(text("h4", "machineTranslation"), this.#option(sentence, sentence.translation));
    nodes.push(...this.#memory(sentence, matches ?? (sentence.match ? [sentence.match] : [])), ...this.#terms(sentence));
    nodes.push(text("h4", "alternatives"));
    const different = [...new Set(others)].filter((other) => other !== sentence.current && other !== sentence.translation);
    const instead = problem || say(isAsking ? "loading" : "noAlternatives");
    nodes.push(...(different.length ? different.map((other) => this.#option(sentence, other)) : [element("p", { className: "quiet-text", textContent: instead })]));
    this.#root.replaceChildren(...nodes);
  }

  #memory(sentence, matches) {
    if (!matches.length) return [];
    return [
      text("h4", "memory"),
      ...matches.flatMap(({ source, translation, score }) => [
        this.#option(sentence, translation),
        element("p", { className: "quiet-text", lang: this.#pair.source, dir: "auto", textContent: `${score}% · ${source}` }),
      ]),
    ];
  }

  #terms({ terms }) {
    if (!terms.length) return [];
    const rows = terms.map(({ source, target, status }) =>
      element("li", {}, element("b", { lang: this.#pair.source, textContent: source }), " → ", element("b", { lang: this.#pair.target, textContent: target }), ` (${say(TERMS[status])})`),
    );
    return [text("h4", "glossary"), element("ul", { className: "terms" }, ...rows)];
  }

  #option(sentence, translation) {
    const { target } = this.#pair;
    return element("button", { type: "button", className: "option", lang: target, dir: direction(target), textContent: translation, disabled: sentence.isFixed, onclick: () => this.#use(translation) });
  }
}

/** The list of keys. */
export function keys() {
  const rows = [
    ["Enter", "confirmSentence"],
    ["Alt ↓", "nextSentence"],
    ["Alt ↑", "previousSentence"],
    ["Alt N", "nextDoubtful"],
    ["Alt A", "toSuggestions"],
  ];
  const list = rows.flatMap(([names, message]) => [
    element("dt", {}, ...names.split(" ").flatMap((name) => [element("kbd", { textContent: name }), " "])),
    text("dd", message),
  ]);
  return element("details", {}, text("summary", "shortcuts"), element("dl", { className: "shortcuts" }, ...list));
}

/** The buttons of the same, for those who have no keyboard. */
export function commands(actions) {
  return element("div", { className: "commands" }, ...Object.entries(actions).map(([message, action]) => button(message, action)));
}
