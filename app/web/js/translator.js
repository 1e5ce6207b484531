// Keeps a translation up to date with the text: detects, asks for what has changed, tries again when the server was away.

import { ask, events, retryDelayMs, ServerError, Unreachable } from "./api.js";
import { sentencePart, TranslatedText, withMatches } from "./document.js";
import { errorSentence, languageName, say } from "./i18n.js";
import { withMemory } from "./memorychoice.js";
import { withTerms } from "./terms.js";

export const TYPING_PAUSE_MS = 150;
const FIRST_CHUNK_CHARS = 600;
const CHUNK_CHARS = 4000;
const CHUNK_TEXTS = 100;
const DETECTED_CHARS = 2000;
// Alternatives whose score, a log-probability over a length penalty, is further behind the best are rarely right.
const FARTHEST_SCORE = 3;

/** Fires "change" when the translation has changed, "state" when `state`, `error` or `detected` have. */
export class Translator extends EventTarget {
  text = new TranslatedText();
  source = "auto";
  target = "";
  /** { language, confidence } of the text, or the language as `unsupported`; null if nothing was detected. */
  detected = null;
  /** The pivot language, if the text was translated through one. */
  pivot = null;
  /** "idle", "working", "waiting" (the server is away or busy) or "failed". */
  state = "idle";
  /** Why, if waiting or failed. */
  error = null;
  #mayDetect = true;
  #timer = 0;
  #running = null;
  #failures = 0;

  /** The language that is really translated from; null while it is unknown. */
  get language() {
    if (this.source !== "auto") return this.source;
    return this.detected && !this.detected.unsupported ? this.detected.language : null;
  }

  /** Throws where the text is in a language that the server doesn't translate. */
  check() {
    const code = this.source === "auto" && this.detected?.unsupported;
    if (code) throw new ServerError(say("unsupported", { language: languageName(code) }), { status: 400, code: "unsupported_pair" });
  }

  /** What every request says of the languages, with the terms that there are for them. */
  get #pair() {
    return withTerms({ source: this.language, target: this.target });
  }

  /** Takes the text in and translates it, after a pause unless `now`. */
  edit(text, { now = false } = {}) {
    if (!this.text.edit(text)) return;
    if (!text.trim()) {
      this.#running?.abort(); // an answer on its way would tell the language of a text that is gone
      this.detected = null; // at once: formatted text may come in its place, and be detected
    }
    this.#announce("change");
    this.#schedule(now ? 0 : TYPING_PAUSE_MS);
  }

  /** Translates between other languages from now on. */
  choose(source, target) {
    if (source === this.source && target === this.target) return;
    this.source = source;
    this.target = target;
    if (source !== "auto") this.detected = null;
    this.again();
  }

  /** Translates everything anew. */
  again() {
    this.#mayDetect = true; // with another key, perhaps
    this.text.forget();
    this.#announce("change");
    this.resume();
  }

  /** Translates everything anew but what the user has chosen. */
  renew() {
    this.#mayDetect = true;
    this.text.renew();
    this.#announce("change");
    this.resume();
  }

  /** Translates what is still missing. */
  resume() {
    this.#schedule(0);
  }

  /** Other translations of a sentence: of all of it, or of what follows the first `prefix` characters. */
  async alternatives(part, prefix, options) {
    const found = await this.hypotheses(part, { ...options, prefix });
    return found.filter(({ score }) => score > found[0].score - FARTHEST_SCORE).map(({ text }) => text);
  }

  /**
   * The best translations of a sentence as { text, score }.
   *
   * @param {any} part
   * @param {{ prefix?: number, count?: number, signal?: AbortSignal }} [options]
   */
  async hypotheses(part, { prefix = null, count = 4, signal } = {}) {
    const answer = await ask("translate", {
      signal,
      body: {
        q: part.source, ...this.#pair, alternatives: count, details: true,
        ...(prefix !== null && { prefix: part.target.slice(0, prefix) }),
      },
    });
    const [sentence, ...others] = answer.details;
    // Cut into several, or not translated at all: the whole texts have no scores.
    if (!sentence || others.length) return [answer.translatedText, ...answer.alternatives].map((text) => ({ text, score: 0 }));
    return [{ text: answer.translatedText, score: sentence.score }, ...sentence.alternatives];
  }

  /** How the model came to its translation of a sentence: the server's answer to /inspect. */
  inspect(part, signal) {
    const body = { q: part.source, source: this.language, target: this.target, translation: part.target };
    return ask("inspect", { body, signal });
  }

  /** Detects the language of a text, unless the key may only translate; returns whether it is another than before. */
  async detect(text, signal) {
    if (!this.#mayDetect) return false;
    try {
      const [best] = await ask("detect", { body: { q: text.slice(0, DETECTED_CHARS) }, signal });
      return this.#detect(best);
    } catch (error) {
      if (error.code !== "feature_disabled") throw error;
      this.#mayDetect = false; // then the answers tell the language
      return false;
    }
  }

  #detect(best) {
    const before = this.language;
    this.detected = best;
    this.#announce("state");
    return this.language !== before;
  }

  /** Puts another translation of a sentence in its place; the alignment follows. */
  async put(part, target) {
    const current = this.text.current(part);
    if (!current) return;
    const chosen = { ...current, target, isChosen: true, links: [], verdicts: [], confidence: null };
    this.text.replace(current, chosen);
    this.#announce("change");
    const answer = await ask("translate", {
      body: { q: part.source, ...this.#pair, details: true, prefix: target },
    }).catch(() => null);
    const [entry, ...others] = answer?.details ?? [];
    if (entry && !others.length && entry.target.text === target) {
      const { links } = sentencePart(entry);
      this.text.replace(chosen, { ...chosen, links });
      this.#announce("change");
    }
  }

  /** Puts back an earlier state of the translation of the same text. */
  restore(parts) {
    this.text.parts = parts;
    this.#announce("change");
    this.resume();
  }

  #schedule(delayMs) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), delayMs);
  }

  async #run() {
    this.#running?.abort();
    const own = (this.#running = new AbortController());
    if (!this.text.pending.length || !this.target) return this.#settle("idle");
    this.#settle("working");
    try {
      await this.#translate(own.signal);
      this.#failures = 0;
      this.#settle("idle");
    } catch (error) {
      if (own.signal.aborted) return;
      own.abort();
      const delayMs = retryDelayMs(error, this.#failures++);
      if (delayMs === null && !(error instanceof ServerError)) throw error;
      this.#settle(delayMs === null ? "failed" : "waiting", error);
      if (delayMs !== null) this.#schedule(delayMs);
    }
  }

  async #translate(signal) {
    const known = this.language;
    const detecting = this.source === "auto" ? this.detect(this.text.source, signal) : null;
    if (!known) await detecting;
    this.check();
    const changed = detecting?.then((isOther) => {
      if (isOther && known) this.again();
    });
    changed?.catch(() => {}); // what fails or is given up is thrown below, or another run has begun
    for (let limit = FIRST_CHUNK_CHARS; this.text.pending.length; limit = CHUNK_CHARS) {
      await this.#translateChunk(this.#chunk(limit), signal);
    }
    await changed;
  }

  #chunk(limit) {
    const chunk = [];
    let chars = 0;
    for (const part of this.text.pending) {
      chars += part.source.length;
      if (chunk.length && (chars > limit || chunk.length === CHUNK_TEXTS)) break;
      chunk.push(part);
    }
    return chunk;
  }

  async #translateChunk(chunk, signal) {
    const isDetected = this.source === "auto" && !this.#mayDetect;
    const pair = isDetected ? { source: "auto", target: this.target } : withMemory(this.#pair);
    const body = { q: chunk.map((part) => part.source), ...pair, stream: true, details: true };
    const sentences = chunk.map(() => []);
    let isComplete = false;
    for await (const { name, data } of events("translate", { body, signal })) {
      if (signal.aborted) return;
      if (name === "translation") {
        isComplete = true;
        this.pivot = data.pivot?.find(Boolean) ?? null;
        data.memory?.forEach((matches, index) => this.#match(sentences[index], matches));
        if (isDetected) this.#learn(data);
      }
      if (name === "sentence") {
        const sentence = sentencePart(data);
        sentences[data.index].push(sentence);
        this.text.advance(chunk[data.index], sentence);
      }
      this.#announce("change");
    }
    if (!isComplete) throw new Unreachable(); // the connection broke: nothing may look done that isn't
    for (const part of chunk) this.text.finish(part);
    this.#announce("change");
  }

  /** Takes the language from an answer, where the server detects it for each text; throws if a text has none of its. */
  #learn({ detectedLanguage, errors = [] }) {
    const refusal = errors.find(Boolean);
    if (refusal) throw new ServerError(errorSentence(refusal.code, refusal.error), { status: 400, code: refusal.code });
    this.#detect(detectedLanguage.reduce((best, each) => (each.confidence > best.confidence ? each : best)));
  }

  /** Notes what the translation memory has for sentences. */
  #match(sentences, matches) {
    if (!matches.length) return;
    for (const [index, matched] of withMatches(sentences, matches).entries()) {
      if (matched.match) this.text.replace(sentences[index], matched);
    }
  }

  #settle(state, error = null) {
    this.state = state;
    this.error = error;
    this.#announce("state");
  }

  #announce(name) {
    this.dispatchEvent(new Event(name));
  }
}
