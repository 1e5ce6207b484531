// The translation memory that was chosen for each pair of languages.

import { remember, remembered } from "./preferences.js";

const chosen = new Map(); // "de-en" -> id, or null for none

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
