// A list of many languages to search in, in place of a select: a combobox with a listbox (WAI-ARIA Authoring Practices).

import { element } from "./dom.js";
import { direction, say, uiLanguage } from "./i18n.js";
import { remembered } from "./preferences.js";

const SPACE_PX = 8;
const HIGHEST_PX = 448;

/** The name of a language in that language. */
function ownName(code) {
  try {
    return new Intl.DisplayNames([code], { type: "language", fallback: "none" }).of(code) ?? "";
  } catch {
    return ""; // no tag that the browser knows
  }
}

/** Letters without case and accents, so that "turkce" finds "Türkçe". */
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Stands in for a select, which keeps the options and the value; call `refresh` when the value has changed. */
export class LanguagePicker {
  #select;
  #label;
  #button;
  #popup;
  #search;
  #list;
  #none;
  #active = null;

  constructor(select) {
    this.#select = select;
    this.#label = select.labels[0];
    this.#label.id = `${select.id}-label`;
    const id = `${select.id}-list`;
    this.#button = element("button", { type: "button", className: "picker", id: `${select.id}-button`, onclick: () => this.#open() });
    this.#button.setAttribute("aria-haspopup", "dialog");
    this.#button.setAttribute("aria-labelledby", `${this.#label.id} ${this.#button.id}`);
    this.#search = element("input", { type: "search", autocomplete: "off", spellcheck: false, role: "combobox", placeholder: say("searchLanguages") });
    const attributes = { "aria-label": say("searchLanguages"), "aria-controls": id, "aria-expanded": "true", "aria-autocomplete": "list" };
    for (const [name, value] of Object.entries(attributes)) this.#search.setAttribute(name, value);
    this.#list = element("div", { id, role: "listbox", ariaLabel: this.#label.textContent });
    this.#none = element("p", { className: "quiet-text", role: "status" });
    this.#popup = element("div", { className: "language-list", popover: "auto", role: "dialog", ariaLabel: this.#label.textContent }, this.#search, this.#list, this.#none);
    this.#search.addEventListener("input", () => this.#fill());
    this.#search.addEventListener("keydown", (event) => this.#key(event));
    this.#list.addEventListener("click", (event) => this.#choose(event.target.closest("[role=option]")));
    select.hidden = true;
    select.after(this.#button, this.#popup);
    this.refresh();
  }

  /** Shows the select's value. */
  refresh() {
    this.#button.textContent = this.#select.selectedOptions[0]?.textContent ?? "";
  }

  #open() {
    this.#search.value = "";
    this.#popup.showPopover();
    this.#fill();
    const { left, bottom } = this.#button.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const { style, offsetWidth } = this.#popup;
    style.left = `${Math.max(SPACE_PX, Math.min(left, clientWidth - offsetWidth - SPACE_PX))}px`;
    style.top = `${Math.min(bottom, clientHeight / 2)}px`;
    style.maxHeight = `${Math.min(HIGHEST_PX, clientHeight - Math.min(bottom, clientHeight / 2) - SPACE_PX)}px`;
    this.#search.focus();
  }

  /** Lists what fits the words searched for: first the languages used last, then all. */
  #fill() {
    const wanted = plain(this.#search.value.trim());
    const fits = ({ value, textContent }) => [value, textContent, ownName(value)].some((name) => plain(name).includes(wanted));
    const byName = (one, other) => Number(other.value === "auto") - Number(one.value === "auto") || one.textContent.localeCompare(other.textContent, uiLanguage);
    const offered = [...this.#select.options].filter((option) => !option.disabled && fits(option)).sort(byName);
    const byCode = new Map(offered.map((option) => [option.value, option]));
    const recent = wanted ? [] : (remembered("recent") ?? "").split(",").filter((code) => byCode.has(code));
    const groups = [["recentLanguages", recent.map((code) => byCode.get(code))], ["allLanguages", offered]];
    this.#list.replaceChildren(...groups.filter(([, options]) => options.length).map(([name, options]) => this.#group(name, options)));
    this.#list.hidden = !offered.length;
    this.#none.textContent = offered.length ? "" : say("noSuchLanguage");
    const options = this.#options;
    this.#activate(wanted ? options[0] : (options.find((option) => option.dataset.code === this.#select.value) ?? options[0]));
  }

  #group(name, options) {
    const title = element("div", { className: "quiet-text", role: "presentation", textContent: say(name) });
    const group = element("div", { role: "group", ariaLabel: say(name) }, title);
    for (const option of options) {
      const { value: code, textContent } = option;
      const own = code === "auto" ? "" : ownName(code);
      const row = element("div", { role: "option", id: `${this.#list.id}-${name}-${code}`, dataset: { code }, ariaSelected: String(code === this.#select.value) }, element("span", { textContent }));
      if (own && own !== textContent) row.append(element("span", { className: "own", lang: code, dir: direction(code), textContent: own }));
      group.append(row);
    }
    return group;
  }

  get #options() {
    return [...this.#list.querySelectorAll("[role=option]")];
  }

  #activate(option) {
    this.#active?.classList.remove("active");
    this.#active = option ?? null;
    option?.classList.add("active");
    option?.scrollIntoView({ block: "nearest" });
    this.#search.setAttribute("aria-activedescendant", option?.id ?? "");
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step && event.key !== "Enter") return;
    event.preventDefault();
    const options = this.#options;
    if (step && options.length) this.#activate(options.at((options.indexOf(this.#active) + step) % options.length));
    else if (!step) this.#choose(this.#active);
  }

  #choose(option) {
    if (!option) return;
    this.#popup.hidePopover();
    this.#button.focus();
    this.#select.value = option.dataset.code;
    this.#select.dispatchEvent(new Event("change"));
  }
}
