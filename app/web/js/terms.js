// The terms of the glossary, pair by pair. They are kept in this browser, and go to the server with each text.

import { remember, remembered } from "./preferences.js";

/** The terms of a pair of languages as { source: target }. */
export function termsOf(source, target) {
  try {
    return JSON.parse(remembered(`terms.${source}-${target}`)) ?? {};
  } catch {
    return {};
  }
}

/** Keeps the terms of a pair. */
export function keepTerms(source, target, terms) {
  remember(`terms.${source}-${target}`, Object.keys(terms).length ? JSON.stringify(terms) : null);
}
