// The sentences of a document that is reviewed: what was changed and confirmed, and which come next; kept in a file for later.

import { isDoubtful } from "./targetview.js";

// Of printf, templates and markup; addresses. "100 % done" has none.
const NEEDED = /%(?:\d+\$)?[-+0#]*\d*(?:\.\d+)?[a-zA-Z]|%\(\w+\)[a-z]|\{\{?[^{}\s]*\}?\}|<[^<>]+>|https?:\/\/[^\s)]+/g;

/** The ending of a file with a review for later. */
export const REVIEW = ".review";
const APPROVED = "approved"; // as the server calls it
const STATED = ["po", "xliff", "xcstrings"]; // formats with states; docx has comments
const COMMENTED = "docx";

/** A document with its sentences, as the server's `/v2/document/{id}/sentences` has them. */
export class ReviewedDocument {
  /** @type {any[]} */
  sentences;
  #review;
  #isSaved = true;

  /** `file` is the document before its translation into `target`, `review` the server's answer. */
  constructor(file, target, review) {
    this.file = file;
    this.pair = { source: review.source, target };
    this.#review = review;
    this.sentences = review.sentences.map((sentence, index) => ({
      ...sentence,
      index,
      current: sentence.corrected ?? sentence.translation,
      isConfirmed: sentence.state === APPROVED,
      isFixed: sentence.block === null, // the file has it in another form
      isDoubtful: isDoubtful(sentence),
    }));
  }

  /** The document of a file that `forLater` has made; throws if it isn't one. */
  static async read(file) {
    const { document, target, review } = JSON.parse(await file.text());
    const content = Uint8Array.from(atob(document.content), (character) => character.charCodeAt(0));
    const reviewed = new ReviewedDocument(new File([content], document.name), target, review);
    const texts = reviewed.sentences.flatMap(({ source, current, translation }) => [source, current, translation]);
    if ([document.name, target, review.source, ...texts].some((text) => typeof text !== "string")) throw new TypeError("no text");
    return reviewed;
  }

  /** A file with the document, its sentences and what was made of them so far. */
  async forLater() {
    const content = await base64(this.file);
    const { name } = this.file;
    const review = { ...this.#review, sentences: this.sentences.map((sentence) => told(sentence, sentence.isConfirmed ? APPROVED : null)) };
    return new Blob([JSON.stringify({ document: { name, content }, target: this.pair.target, review })], { type: "application/json" });
  }

  /** What the file has a place for: "states", "comments" at doubtful sentences, or null. */
  get marks() {
    if (this.#review.output === COMMENTED) return "comments";
    return STATED.includes(this.#review.output) ? "states" : null;
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
    this.#isSaved = false;
    return changed;
  }

  /** The form for the server: the document, and the review with the corrections in it, and with the states if `hasMarks`. */
  corrections(hasMarks) {
    const state = ({ isConfirmed, isDoubtful }) => (isConfirmed ? APPROVED : isDoubtful ? "doubtful" : null);
    const changed = this.sentences.filter(({ current, translation, isFixed }) => !isFixed && current !== translation);
    const sentences = hasMarks
      ? this.sentences.map((sentence) => ({ ...told(sentence, state(sentence)), source: undefined, terms: undefined }))
      : changed.map((sentence) => told(sentence, null));
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

/** A sentence as the server has it, with what was made of it. */
function told({ index, current, isConfirmed, isFixed, isDoubtful, ...sentence }, state) {
  return { ...sentence, corrected: isFixed ? undefined : current, state };
}

/** @returns {Promise<string>} */
function base64(file) {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.onload = () => resolve(/** @type {string} */ (reader.result).replace(/^[^,]*,?/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
