// How translations are to be: the glossary that they use, which this browser or the server keeps, and how they address the
// reader.

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

let register = remembered("formality") ?? "";

/** How the reader is to be addressed: "prefer_more", "prefer_less", or "" for any way. */
export function chosenRegister() {
  return register;
}

/** Addresses the reader so from now on. */
export function useRegister(value) {
  register = value;
  remember("formality", value || null);
}

/** What a request says of its languages, with the glossary if it has terms for them, and how the reader is addressed. */
export function withTerms(pair) {
  const termed = withGlossary(pair);
  return register ? { ...termed, formality: register } : termed;
}

/** What a request says of its languages, with the glossary if it has terms for them. */
function withGlossary(pair) {
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
