// The language of the interface: chosen once, else the browser's, else English.

import { remembered } from "./preferences.js";

let messages = {};
const learned = {};
let names = null;

/** The code of the interface's language. */
export let uiLanguage = "en";

/** Picks the language among those of `catalogue`, and puts it into the document. */
export function useLanguage(catalogue) {
  const wanted = [remembered("ui"), ...navigator.languages].map((tag) => tag?.split("-")[0].toLowerCase());
  uiLanguage = wanted.find((code) => code in catalogue) ?? "en";
  messages = { ...catalogue[uiLanguage], ...learned[uiLanguage] };
  names = new Intl.DisplayNames([uiLanguage], { type: "language", fallback: "none" });
  document.documentElement.lang = uiLanguage;
  for (const element of document.querySelectorAll("[data-text]")) element.textContent = say(element.dataset.text);
  for (const attribute of ["label", "title", "placeholder", "content"]) {
    for (const element of document.querySelectorAll(`[data-${attribute}]`)) {
      const message = say(element.dataset[attribute]);
      element.setAttribute(attribute === "label" ? "aria-label" : attribute, message);
      if (attribute === "label" && element.matches("button")) element.title = message;
    }
  }
}

/** Adds the messages of a part of the page that is loaded later. */
export function learn(catalogue) {
  for (const [language, own] of Object.entries(catalogue)) learned[language] = { ...learned[language], ...own };
  Object.assign(messages, learned[uiLanguage]);
}

/** A message with its values put in. */
export function say(name, values = {}) {
  return (messages[name] ?? name).replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
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
