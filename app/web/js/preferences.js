// What the page remembers in this browser. Never a text, but the terms of a glossary.

/** A remembered value, or null. */
export function remembered(name) {
  try {
    return localStorage.getItem(`dragoman.${name}`);
  } catch {
    return null; // storage is switched off
  }
}

/** Remembers a value; null forgets it. */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(`dragoman.${name}`);
    else localStorage.setItem(`dragoman.${name}`, value);
  } catch {
    // Then the page forgets.
  }
}
