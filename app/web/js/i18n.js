// The language of the interface: chosen once, else the browser's, else English. Its texts are files of app/web/i18n.

import { remembered } from "./preferences.js";

const LANGUAGES = ["en", "de"];

let texts = { messages: {}, errors: {}, bundleErrors: {} };
let names = null;

/** The code of the interface's language. */
export let uiLanguage = "en";

/** Picks the language, loads its texts, and puts them into the document; without them, all stays as it is. */
export async function useLanguage() {
  const wanted = [remembered("ui"), ...navigator.languages].map((tag) => tag?.split("-")[0].toLowerCase());
  const chosen = wanted.find((code) => LANGUAGES.includes(code)) ?? "en";
  const response = await fetch(new URL(`../i18n/${chosen}.json`, import.meta.url));
  texts = await response.json();
  uiLanguage = chosen;
  names = new Intl.DisplayNames([uiLanguage], { type: "language", fallback: "none" });
  document.documentElement.lang = uiLanguage;
  for (const element of elementsWith("data-text")) element.textContent = say(element.dataset.text);
  for (const attribute of ["label", "title", "placeholder", "content"]) {
    for (const element of elementsWith(`data-${attribute}`)) {
      const message = say(element.dataset[attribute]);
      element.setAttribute(attribute === "label" ? "aria-label" : attribute, message);
      if (attribute === "label" && element.matches("button")) element.title = message;
    }
  }
}

/** @returns {NodeListOf<HTMLElement>} */
function elementsWith(attribute) {
  return document.querySelectorAll(`[${attribute}]`);
}

/** A message with its values put in. */
export function say(name, values = {}) {
  return (texts.messages[name] ?? name).replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

/** What an error of the server means, by its stable code; as the server says it where there is no own sentence for it. */
export function errorSentence(code, sentence) {
  return texts.errors[code]?.replace("{reason}", () => sentence) ?? sentence;
}

/** Why a bundle isn't served; null where that isn't known. The server has no codes for it, so its sentences are recognized. */
export function bundleError(sentence) {
  for (const [pattern, translated] of Object.entries(texts.bundleErrors)) {
    const found = new RegExp(`^${pattern}$`, "s").exec(sentence);
    if (found) return translated.replace(/\{(\d)\}/g, (_, group) => found[group]);
  }
  return null;
}

/** The name of a language; `fallback` is the server's. */
export function languageName(code, fallback = code) {
  try {
    return names.of(code) ?? fallback;
  } catch {
    return fallback; // no tag that the browser knows
  }
}

/** Whether a language is written from right to left. */
export function direction(code) {
  return /^(ar|arc|ckb|dv|fa|he|iw|ji|ks|ku|ps|sd|syr|ug|ur|yi)\b/.test(code ?? "") ? "rtl" : "ltr";
}

/** A whole number as people write it. */
export function number(value) {
  return value.toLocaleString(uiLanguage);
}
