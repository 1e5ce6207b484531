// The glossary that translations use: the terms that this browser keeps, or a glossary that the server keeps.

import { remember, remembered } from "./preferences.js";

export const BROWSER = "browser";
export const NONE = "none";

let chosen = remembered("glossary") ?? BROWSER;
let served = new Set(); // the pairs of languages that the chosen glossary of the server has terms for

/** BROWSER, NONE or the id of a glossary of the server. */
export function chosenGlossary() {
  return chosen;
}

/** Uses a glossary from now on; `pairs` are those that the server has terms for, such as "de-en". */
export function useGlossary(id, pairs = []) {
  chosen = id;
  served = new Set(pairs);
  remember("glossary", id === BROWSER ? null : id);
}

/** What a request says of its languages, with the glossary if it has terms for them. */
export function withTerms(pair) {
  if (chosen === NONE) return pair;
  if (chosen !== BROWSER) return served.has(`${pair.source}-${pair.target}`) ? { ...pair, glossary_id: chosen } : pair;
  const glossary = termsOf(pair.source, pair.target);
  return Object.keys(glossary).length ? { ...pair, glossary } : pair;
}

/** The terms of this browser for a pair of languages as { source: target }. */
export function termsOf(source, target) {
  try {
    return JSON.parse(remembered(`terms.${source}-${target}`)) ?? {};
  } catch {
    return {};
  }
}

/** Keeps the terms of a pair in this browser. */
export function keepTerms(source, target, terms) {
  remember(`terms.${source}-${target}`, Object.keys(terms).length ? JSON.stringify(terms) : null);
}
