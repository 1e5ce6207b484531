// A text and its translation, sentence by sentence, and what of it has to be asked for again after an edit. No DOM, no network.
//
// A text is a list of parts. A part is { kind, source, target } with the kind
//   "break"     a line break,
//   "gap"       white space, signs and whatever else is copied as it is,
//   "sentence"  a translated sentence, with what the server said about it, and the match that a translation memory has for it;
//               `isChosen` if the user has chosen its translation,
//   "pending"   to be translated; `target` is what stood there before the edit.
// The sources of all parts, joined, are the text. Parts are never changed, only replaced; pending ones shrink while sentences come.

const LETTER = /\p{L}/u;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;
const SENTENCE_END = /[.!?…][\p{Pe}\p{Pf}"']*\s+/gu;
const MAX_PENDING_CHARS = 3000;

export class TranslatedText {
  parts = [];
  source = "";
  #successors = new WeakMap(); // part -> what replaced it

  /** The translation, without the sentences that have not come yet. */
  get target() {
    return this.parts.map((part) => part.target).join("");
  }

  /** The parts that are to be translated, in order. */
  get pending() {
    return this.parts.filter((part) => part.kind === "pending");
  }

  /** Takes a new text in, and makes what has changed pending. Returns whether anything has. */
  edit(text) {
    const old = this.source;
    if (text === old) return false;
    const [begin, oldEnd, newEnd] = difference(old, text);
    const { first, last, from, to } = this.#touched(begin, oldEnd, old);
    const stale = this.parts.slice(first, last).filter(({ kind }) => kind !== "break").map(({ target }) => target).join("");
    this.parts.splice(first, last - first, ...cut(text.slice(from, newEnd + to - oldEnd), stale.trim()));
    this.source = text;
    return true;
  }

  /** Makes everything pending: the languages have changed. */
  forget() {
    const text = this.source;
    this.parts = cut(text, "");
  }

  /** Makes everything pending but what the user has chosen: a glossary or a memory has changed. */
  renew() {
    const parts = [];
    let text = "";
    for (const part of this.parts) {
      if (part.isChosen) parts.push(...cut(text, ""), part);
      text = part.isChosen ? "" : text + part.source;
    }
    this.parts = [...parts, ...cut(text, "")];
  }

  /** Replaces the beginning of a pending part by a sentence that the server sent. */
  advance(pending, sentence) {
    const index = this.parts.indexOf(pending);
    const begin = pending.source.indexOf(sentence.source);
    if (index < 0 || begin < 0) return;
    const gap = pending.source.slice(0, begin);
    pending.source = pending.source.slice(begin + sentence.source.length);
    pending.target = "";
    this.parts.splice(index, 0, ...gapParts(gap), sentence);
  }

  /** Ends a pending part: what is left of it has nothing to translate. */
  finish(pending) {
    const index = this.parts.indexOf(pending);
    if (index >= 0) this.parts.splice(index, 1, ...gapParts(pending.source));
  }

  /** Puts another part in the place of one. */
  replace(part, other) {
    const index = this.parts.indexOf(part);
    if (index >= 0) this.parts[index] = other;
    this.#successors.set(part, other);
    return index >= 0;
  }

  /** The part itself, or what it has been replaced by since; undefined if neither is in the text any more. */
  current(part) {
    let found = part;
    while (found && !this.parts.includes(found)) found = this.#successors.get(found);
    return found;
  }

  /** The parts of now, which later answers leave as they are. */
  snapshot() {
    return this.parts.map((part) => (part.kind === "pending" ? { ...part } : part));
  }

  /** Where a part begins in the source text. */
  begin(part) {
    let begin = 0;
    for (const other of this.parts) {
      if (other === part) return begin;
      begin += other.source.length;
    }
    return -1;
  }

  /** The part at a place of the source text, and where it begins. */
  at(offset) {
    let begin = 0;
    for (const part of this.parts) {
      if (offset < begin + part.source.length) return { part, begin };
      begin += part.source.length;
    }
    return null;
  }

  /** The parts `first` to before `last`, from and to these characters, that an edit of old[begin:end] affects. */
  #touched(begin, end, old) {
    const places = [];
    let at = 0;
    for (const part of this.parts) {
      places.push([at, at + part.source.length]);
      at += part.source.length;
    }
    const touches = (index) => {
      const [from, to] = places[index];
      return this.parts[index].kind === "break" ? from < end && to > begin : from <= end && to >= begin;
    };
    let first = places.findIndex((_, index) => touches(index));
    if (first < 0) first = places.findIndex(([from]) => from >= begin);
    if (first < 0) first = places.length;
    let last = first;
    while (last < places.length && touches(last)) last += 1;
    // A splitter of sentences looks at the word behind a full stop: a change to that may join two sentences or cut them.
    const earlier = this.#neighbour(first, -1);
    if (earlier >= 0 && !/\s/.test(old.slice(places[earlier][1], begin).trim())) first = earlier;
    const later = this.#neighbour(last - 1, 1);
    if (later >= 0 && last > first && !WORD_CHARACTER.test(old.slice(end, places[last - 1][1]))) last = later + 1;
    const from = first < places.length ? places[first][0] : old.length;
    return { first, last, from, to: last > first ? places[last - 1][1] : from };
  }

  /** The next sentence of the same line in a direction, or -1. */
  #neighbour(index, step) {
    for (let other = index + step; this.parts[other]; other += step) {
      if (this.parts[other].kind === "break") return -1;
      if (this.parts[other].kind !== "gap") return other;
    }
    return -1;
  }
}

/** The smallest change from one text to another: old[begin:oldEnd] became text[begin:newEnd]. */
export function difference(old, text) {
  const most = Math.min(old.length, text.length);
  let begin = 0;
  while (begin < most && old[begin] === text[begin]) begin += 1;
  let same = 0;
  while (same < most - begin && old[old.length - 1 - same] === text[text.length - 1 - same]) same += 1;
  return [begin, old.length - same, text.length - same];
}

/** Parts of a text that nothing is known about yet; the first that is pending shows `stale` meanwhile. */
export function cut(text, stale) {
  const parts = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (index) parts.push({ kind: "break", source: "\n", target: "\n" });
    const content = line.trim();
    const begin = line.indexOf(content);
    parts.push(...gapParts(line.slice(0, begin)));
    for (const source of shortened(content)) {
      if (!LETTER.test(source)) {
        parts.push(...gapParts(source));
        continue;
      }
      parts.push({ kind: "pending", source, target: stale });
      stale = "";
    }
    parts.push(...gapParts(line.slice(begin + content.length)));
  }
  return parts;
}

/** A line in pieces that one request can hold, cut behind sentences where there are any. */
function* shortened(line) {
  while (line.length > MAX_PENDING_CHARS) {
    const beginning = line.slice(0, MAX_PENDING_CHARS);
    const ends = [...beginning.matchAll(SENTENCE_END)].map((match) => match.index + match[0].length);
    const end = ends.at(-1) ?? (beginning.lastIndexOf(" ") + 1 || MAX_PENDING_CHARS);
    yield line.slice(0, end);
    line = line.slice(end);
  }
  if (line) yield line;
}

function gapParts(text) {
  return text ? [{ kind: "gap", source: text, target: text }] : [];
}

/** A sentence part from an entry of the server's `details`, whose places count code points. */
export function sentencePart(entry) {
  const source = entry.source.text;
  const target = entry.target.text;
  const inSource = units(source, entry.source.begin);
  const inTarget = units(target, entry.target.begin);
  return {
    kind: "sentence",
    source,
    target,
    confidence: entry.confidence,
    verdicts: entry.verdicts,
    links: entry.alignment.map((link) => ({ source: link.source.map(inSource), target: link.target.map(inTarget) })),
  };
}

/**
 * Sentences with what a translation memory has for them, from the server's list of matches; both are in the order of the text.
 * `match` is { score, isApplied, source, target }: how similar the saved text `source` is, in percent, and its translation.
 */
export function withMatches(sentences, matches) {
  const matched = [...sentences];
  let index = 0;
  for (const { segment, score, applied: isApplied, source, target } of matches) {
    const found = matched.findIndex((part, at) => at >= index && part.source === segment);
    if (found < 0) continue;
    const part = matched[found];
    // An applied one may have other numbers than the saved translation.
    matched[found] = { ...part, match: { score, isApplied, source, target: isApplied ? part.target : target } };
    index = found + 1;
  }
  return matched;
}

/** Whether a sentence is the one that the translation memory has. */
export function isFromMemory({ match, target }) {
  return match?.target === target;
}

/** Translates a place in code points of the whole text into one in UTF-16 units of the sentence. */
function units(text, begin) {
  if (!/[\ud800-\udbff]/.test(text)) return (place) => place - begin;
  const starts = [0];
  for (const character of text) starts.push(starts.at(-1) + character.length);
  return (place) => starts[place - begin];
}

/**
 * The word at a place of a text as [begin, end], or null.
 *
 * @returns {[number, number]}
 */
export function wordAt(text, offset) {
  for (const match of text.matchAll(/[\p{L}\p{M}\p{N}]+(?:['’.-][\p{L}\p{M}\p{N}]+)*/gu)) {
    if (match.index <= offset && offset < match.index + match[0].length) return [match.index, match.index + match[0].length];
  }
  return null;
}

/**
 * All words of a text as [begin, end].
 *
 * @returns {[number, number][]}
 */
export function wordsOf(text) {
  return [...text.matchAll(/[\p{L}\p{M}\p{N}]+(?:['’.-][\p{L}\p{M}\p{N}]+)*/gu)].map((match) => [match.index, match.index + match[0].length]);
}

/** What a range of one side is aligned with: the ranges of both sides, those of its own side included. */
export function aligned(links, side, [begin, end]) {
  const other = side === "source" ? "target" : "source";
  const hit = links.filter((link) => link[side][0] < end && link[side][1] > begin).map((link) => link[other]);
  const back = links.filter((link) => hit.some(([from, to]) => link[other][0] < to && link[other][1] > from));
  return { [other]: hit, [side]: back.length ? back.map((link) => link[side]) : [[begin, end]] };
}
