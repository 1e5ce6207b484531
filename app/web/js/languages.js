// The two lists of languages.

import { languageName, say } from "./i18n.js";
import { remember, remembered } from "./preferences.js";

const SURE_PERCENT = 80;
const MANY = 12; // languages, from which on one searches in the lists
const RECENT = 4;

/** Fires "change" when the user, or what was detected, has chosen other languages. */
export class Languages extends EventTarget {
  #served = new Map();
  #source;
  #target;
  #earlierTarget = null;
  #pickers = null;

  constructor(sourceSelect, targetSelect) {
    super();
    this.#source = sourceSelect;
    this.#target = targetSelect;
    for (const select of [sourceSelect, targetSelect]) select.addEventListener("change", () => this.#chosen());
  }

  get source() {
    return this.#source.value;
  }

  get target() {
    return this.#target.value;
  }

  /**
   * Fills the lists with what the server serves, and picks `wanted`, or what is chosen already, or what was last used, or the
   * server's default.
   */
  fill(served, wanted, settings) {
    const { source, target } = this.#served.size ? this : {};
    this.#served = new Map(served.map((language) => [language.code, language]));
    const options = () => served.map(({ code }) => new Option(this.name(code), code));
    this.#source.replaceChildren(new Option(say("detect"), "auto"), ...options());
    this.#target.replaceChildren(...options());
    const fits = (select, code) => [...select.options].some((option) => option.value === code);
    const pick = (select, ...codes) => (select.value = codes.find((code) => fits(select, code)));
    pick(this.#source, wanted.source, source, remembered("source"), settings.language.source.code, "auto");
    pick(this.#target, wanted.target, target, remembered("target"), settings.language.target.code, served[0].code);
    this.#offerTargets();
    if (served.length >= MANY) this.#makePickers();
  }

  /** The name of a language, in the language of the interface. */
  name(code) {
    return languageName(code, this.#served.get(code)?.name);
  }

  /** Chooses languages as if the user had. */
  choose(source, target) {
    this.#source.value = source;
    this.#offerTargets();
    this.#target.value = target;
    this.#chosen();
  }

  /** Swaps them; `detected` is the language of the text where that is to be detected. */
  swap(detected) {
    const from = this.source === "auto" ? (detected ?? this.#other(this.target)) : this.source;
    this.choose(this.target, from);
  }

  /** Where the text turns out to be in the target language, picks another target; returns whether it did. */
  avoid({ language, confidence }) {
    if (this.source !== "auto" || language !== this.target || confidence < SURE_PERCENT) return false;
    const other = this.#earlierTarget && this.#earlierTarget !== language ? this.#earlierTarget : this.#other(language);
    if (!other) return false;
    this.choose("auto", other);
    return true;
  }

  /** The language of a text in no known language, most likely: one that can be translated into the target; else null. */
  get likelySource() {
    const into = this.target;
    return [...this.#served.values()].find(({ code, targets }) => code !== into && targets.includes(into))?.code ?? null;
  }

  /** A language that another one can be translated into. */
  #other(code) {
    return this.#served.get(code)?.targets.find((target) => target !== code);
  }

  #chosen() {
    this.#offerTargets();
    if (this.source === this.target) this.#target.value = this.#other(this.source) ?? this.target;
    remember("source", this.source);
    if (this.target !== remembered("target")) this.#earlierTarget = remembered("target");
    remember("target", this.target);
    this.#rememberRecent();
    this.#showChoice();
    this.dispatchEvent(new Event("change"));
  }

  /** The languages used last, of both lists, the latest first. */
  #rememberRecent() {
    const codes = [this.target, this.source, ...(remembered("recent") ?? "").split(",")].filter((code) => code && code !== "auto");
    remember("recent", [...new Set(codes)].slice(0, RECENT).join(","));
  }

  /** Lets the user search; loaded only where there are many languages. */
  async #makePickers() {
    if (this.#pickers) return;
    this.#pickers = [];
    const { LanguagePicker } = await import("./languagepicker.js");
    this.#pickers = [this.#source, this.#target].map((select) => new LanguagePicker(select));
  }

  #showChoice() {
    for (const picker of this.#pickers ?? []) picker.refresh();
  }

  /** Only what the source can be translated into can be chosen. */
  #offerTargets() {
    const targets = this.#served.get(this.source)?.targets;
    for (const option of this.#target.options) option.disabled = targets !== undefined && !targets.includes(option.value);
    if (this.#target.selectedOptions[0]?.disabled) this.#target.value = this.#other(this.source) ?? this.source;
    this.#showChoice();
  }
}
