// The translation memory that was chosen for each pair of languages.

import { remember, remembered } from "./preferences.js";

const chosen = new Map(); // "de-en" -> id, or null for none
let isServed = false;
let findsSimilar = true;

/** Says whether the server keeps memories. */
export function serveMemories(value) {
  isServed = value;
}

/** From now on only the same texts are looked up: the server lacks what compares others. */
export function findOnlySame() {
  findsSimilar = false;
}

/** The id of the memory for a pair, or null. */
export function memoryOf({ source, target }) {
  const name = `${source}-${target}`;
  if (!chosen.has(name)) chosen.set(name, remembered(`memory.${name}`));
  return chosen.get(name);
}

/** Chooses a memory for a pair; null chooses none. */
export function useMemory({ source, target }, id) {
  chosen.set(`${source}-${target}`, id);
  remember(`memory.${source}-${target}`, id);
}

/** What a request says of its languages, with the memory that was chosen for them. */
export function withMemory(pair) {
  const id = isServed && memoryOf(pair);
  return id ? { ...pair, translation_memory_id: id, ...(!findsSimilar && { translation_memory_threshold: 100 }) } : pair;
}
