// The sentences of a document that is reviewed: what was changed and confirmed, and which come next.

import { isDoubtful } from "./targetview.js";

// Of printf, templates and markup; addresses. "100 % done" has none.
const NEEDED = /%(?:\d+\$)?[-+0#]*\d*(?:\.\d+)?[a-zA-Z]|%\(\w+\)[a-z]|\{\{?[^{}\s]*\}?\}|<[^<>]+>|https?:\/\/[^\s)]+/g;

/** A document with its sentences, as the server's `/v2/document/{id}/sentences` has them. */
export class ReviewedDocument {
  /** @type {any[]} */
  sentences;
  #review;
  #isSaved = true;

  /** `file` is the document before its translation, `review` the server's answer. */
  constructor(file, review) {
    this.file = file;
    this.#review = review;
    this.sentences = review.sentences.map((sentence, index) => ({
      ...sentence,
      index,
      current: sentence.translation,
      isConfirmed: false,
      isFixed: sentence.block === null, // the file has it in another form
      isDoubtful: isDoubtful(sentence),
    }));
  }

  /** Says below which confidence, from 0 to 1, a sentence is doubtful; with 0, only failed checks make one so. */
  set doubtfulBelow(below) {
    for (const sentence of this.sentences) sentence.isDoubtful = isDoubtful(sentence, below);
  }

  /** The sentences to show: all, or only those that are doubtful and not confirmed. */
  shown(onlyDoubtful) {
    return onlyDoubtful ? this.sentences.filter(({ isDoubtful: is, isConfirmed }) => is && !isConfirmed) : this.sentences;
  }

  /** How many sentences there are, how many are confirmed, and how many doubtful ones are left. */
  get counts() {
    const confirmed = this.sentences.filter(({ isConfirmed }) => isConfirmed).length;
    return { all: this.sentences.length, confirmed, doubtful: this.shown(true).length };
  }

  /** Whether something has changed since the document was saved. */
  get isUnsaved() {
    return !this.#isSaved;
  }

  /** Changes the translation of a sentence, which is not confirmed any more. */
  edit(sentence, text) {
    if (text === sentence.current) return;
    sentence.current = text;
    sentence.isConfirmed = false;
    this.#isSaved = false;
  }

  /** What a program needs and a correction lacks: placeholders, tags and addresses of the translation before. */
  static lost({ translation, current }) {
    return [...new Set(translation.match(NEEDED) ?? [])].filter((part) => !current.includes(part));
  }

  /** Confirms a sentence. The same sentences elsewhere get its translation if nobody has touched them; returns those. */
  confirm(sentence) {
    sentence.isConfirmed = true;
    const isSame = (other) => other.source === sentence.source && other.current === other.translation && other.translation === sentence.translation;
    const others = this.sentences.filter((other) => other !== sentence && !other.isConfirmed && !other.isFixed && isSame(other));
    const changed = others.filter((other) => other.current !== sentence.current);
    for (const other of changed) other.current = sentence.current;
    if (sentence.current !== sentence.translation) this.#isSaved = false;
    return changed;
  }

  /** The form for the server: the document, and the review with the corrections in it. */
  corrections() {
    const changed = this.sentences.filter(({ current, translation, isFixed }) => !isFixed && current !== translation);
    const sentences = changed.map(({ text, block, begin, translation, current }) => ({ text, block, begin, translation, corrected: current }));
    const form = new FormData();
    form.append("file", this.file, this.file.name);
    form.append("review", JSON.stringify({ ...this.#review, sentences }));
    return form;
  }

  /** Notes that the document was saved with what it has now. */
  saved() {
    this.#isSaved = true;
  }
}
