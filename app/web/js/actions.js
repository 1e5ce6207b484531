// What the buttons do, and their keys.

import { byId } from "./dom.js";
import { say } from "./i18n.js";
import { remember } from "./preferences.js";
import { copy, linkTo, save } from "./share.js";

const SAY_WORKING_AFTER_MS = 800;
const KEYS = { s: "swap", c: "copy", x: "clear", z: "undo" };

export class Actions {
  #translator;
  #languages;
  #source;
  #richText;
  #earlier = [];
  #soon = 0;

  constructor({ translator, languages, source, rich }) {
    this.#translator = translator;
    this.#languages = languages;
    this.#source = source;
    this.#richText = rich;
    for (const name of ["swap", "undo", "clear", "copy", "download", "share", "plain", "theme", "help"]) {
      byId(name).addEventListener("click", () => this[name]());
    }
    addEventListener("keydown", (event) => this.#key(event));
  }

  get #rich() {
    return this.#richText();
  }

  /** Says something in the status line. */
  say(text) {
    byId("status").textContent = text;
  }

  /** Says that the translation takes long, if it does. */
  working(isWorking) {
    clearTimeout(this.#soon);
    if (isWorking) this.#soon = setTimeout(() => this.say(say("working")), SAY_WORKING_AFTER_MS);
    else if (byId("status").textContent === say("working")) this.say("");
  }

  /** Switches buttons on and off. */
  refresh() {
    const hasText = this.#rich.isOpen || this.#source.value !== "";
    const hasTranslation = this.#rich.isOpen || this.#translator.text.target.trim() !== "";
    byId("clear", HTMLButtonElement).disabled = !hasText;
    byId("look", HTMLButtonElement).disabled = this.#rich.isOpen;
    byId("share", HTMLButtonElement).disabled = !hasText || this.#rich.isOpen;
    byId("copy", HTMLButtonElement).disabled = byId("download", HTMLButtonElement).disabled = !hasTranslation;
    byId("undo", HTMLButtonElement).disabled = !this.#earlier.length;
    byId("plain").hidden = !this.#rich.isOpen;
  }

  /** Shows formatted text in the place of plain text. */
  format(html) {
    this.#remember();
    this.#open(html);
    this.say(say("formattedHint"));
  }

  plain() {
    this.#remember();
    const { text } = this.#rich;
    this.#showRich(false);
    this.#source.replace(text);
    this.refresh();
  }

  /** Puts another translation of a sentence in its place. */
  put(part, text) {
    this.#remember();
    this.#translator.put(part, text);
    byId("output").focus({ preventScroll: true });
  }

  swap() {
    this.#remember();
    const { target } = this.#translator.text;
    this.#languages.swap(this.#translator.language);
    if (this.#rich.isOpen) this.#rich.swap();
    else if (target.trim()) this.#source.replace(target);
  }

  clear() {
    this.#remember();
    if (this.#rich.isOpen) this.#showRich(false);
    this.#source.replace("");
    byId("source-text").focus();
    this.say(say("cleared"));
    this.refresh();
  }

  undo() {
    const state = this.#earlier.pop();
    if (!state) return;
    this.#languages.choose(state.source, state.target);
    if (state.html !== null) return this.#open(state.html);
    if (this.#rich.isOpen) this.#showRich(false);
    this.#source.replace(state.text);
    if (this.#translator.text.source === state.translated) this.#translator.restore(state.parts);
    return this.refresh();
  }

  async copy() {
    const { text, html } = this.#rich.isOpen ? this.#rich.translation : { text: this.#translator.text.target, html: null };
    this.say(say((await copy(text, html)) ? "copied" : "cantCopy"));
  }

  download() {
    if (this.#rich.isOpen) save("translation.html", this.#rich.translation.html, "text/html;charset=utf-8");
    else save(`translation.${this.#languages.target}.txt`, this.#translator.text.target);
  }

  async share() {
    const link = linkTo(this.#languages.source, this.#languages.target, this.#source.value);
    this.say(say((await copy(link)) ? "linkCopied" : "cantCopy"));
  }

  theme() {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    remember("theme", root.dataset.theme);
  }

  help() {
    byId("shortcuts", HTMLDialogElement).showModal();
  }

  #open(html) {
    this.#source.replace("");
    this.#showRich(true);
    this.#rich.open(html);
    this.refresh();
  }

  #showRich(isRich) {
    byId("plain-source").hidden = byId("output").hidden = isRich;
    if (!isRich) this.#rich.close();
  }

  #remember() {
    const { source, target } = this.#languages;
    const { source: translated } = this.#translator.text;
    const html = this.#rich.isOpen ? this.#rich.html : null;
    this.#earlier.push({ text: this.#source.value, html, source, target, translated, parts: this.#translator.text.snapshot() });
    this.#earlier.splice(0, this.#earlier.length - 50);
  }

  #key(event) {
    if (document.body.classList.contains("at-desk") || byId("text-view").hidden) return; // these keys are for the text
    const isTyping = event.target.matches?.("textarea, input, [contenteditable]");
    const name = event.altKey && !event.ctrlKey && KEYS[event.key.toLowerCase()];
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#translator.again();
    else if (event.altKey && event.key === "1") byId("source-text").focus();
    else if (event.altKey && event.key === "2") byId("output").focus();
    else if (event.key === "?" && !isTyping) this.help();
    else if (name && !byId(name, HTMLButtonElement).disabled) this[name]();
    else return;
    event.preventDefault();
  }
}
