// The menu of other translations, at a word of the translation.

import { reason } from "./api.js";
import { isFromMemory } from "./document.js";
import { element } from "./dom.js";
import { Explorer } from "./explore.js";
import { direction, say } from "./i18n.js";

const COUNT = 5;
const SPACE_PX = 8;
const HIGHEST_PX = 480;
const beside = matchMedia("(min-width: 70rem) and (min-height: 30rem)"); // as in page.css
const LOWEST_PX = 240; // below that height, there is more room on the other side of the word

/**
 * Opens at words; calls `choose(part, text)` with what was picked, `inspect(part)` to look inside, and
 * `edit(part, close)`, which returns the form to edit a sentence with, as { form, focus }.
 */
export class AlternativesMenu {
  #root;
  #translator;
  #choose;
  #inspect;
  #edit;
  #asking = null;
  #back = null;

  constructor(root, translator, { choose, inspect, edit }) {
    this.#root = root;
    this.#translator = translator;
    this.#choose = choose;
    this.#inspect = inspect;
    this.#edit = edit;
    root.tabIndex = -1;
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("toggle", (event) => {
      if (event.newState === "closed") this.#closed();
    });
  }

  /** Opens the menu below a rectangle of the window for the word that begins at `begin`. */
  async open({ part, begin, box, byKeyboard }) {
    this.#asking?.abort();
    const asking = (this.#asking = new AbortController());
    this.#back = byKeyboard ? document.activeElement : null;
    const lists = [];
    const nodes = [element("p", { className: "facts", textContent: Explorer.facts(part) }), ...this.#memory(part)];
    for (const name of ["fromHere", "wholeSentence"]) {
      const list = element("div", { className: "choices" }, element("p", { className: "facts", textContent: say("loading") }));
      lists.push(list);
      nodes.push(element("h2", { textContent: say(name) }), list);
    }
    const inspect = element("button", { type: "button", textContent: `${say("inspect")} …`, onclick: () => this.#close(() => this.#inspect(part)) });
    const edit = element("button", { type: "button", textContent: `${say("editSentence")} …`, onclick: () => this.#openEditor(part, box) });
    nodes.push(element("div", { className: "last" }, edit, inspect));
    this.#root.replaceChildren(...nodes);
    this.#root.showPopover();
    if (byKeyboard) this.#root.focus({ preventScroll: true });
    this.#place(box);
    const { signal } = asking;
    await Promise.all([this.#fill(lists[0], part, begin, signal), this.#fill(lists[1], part, null, signal)]);
    if (signal.aborted) return;
    this.#place(box);
    if (document.activeElement === this.#root) this.#root.querySelector("button").focus();
  }

  /** What the translation memory has, if it is not what stands there. */
  #memory(part) {
    if (!part.match || isFromMemory(part)) return [];
    const { source, target } = part.match;
    const text = element("p", { className: "facts", lang: this.#translator.language, dir: "auto", textContent: source });
    return [element("h2", { textContent: say("fromMemory") }), element("div", { className: "choices" }, this.#option(part, target, 0), text)];
  }

  /** Puts the form to edit a sentence into the place of the alternatives. */
  async #openEditor(part, box) {
    this.#asking?.abort();
    const { signal } = (this.#asking = new AbortController());
    const { form, focus } = await this.#edit(part, () => this.#close(() => {}));
    if (signal.aborted) return; // closed meanwhile, or open for another word
    this.#root.replaceChildren(form);
    this.#place(box);
    focus();
  }

  async #fill(list, part, prefix, signal) {
    let found;
    try {
      found = await this.#translator.alternatives(part, prefix, { count: COUNT - 1, signal });
    } catch (error) {
      if (!signal.aborted) list.replaceChildren(element("p", { className: "facts", textContent: reason(error) }));
      return;
    }
    const others = [...new Set(found)].filter((text) => text !== part.target);
    const buttons = others.map((text) => this.#option(part, text, prefix ?? 0));
    list.replaceChildren(...(buttons.length ? buttons : [element("p", { className: "facts", textContent: say("noAlternatives") })]));
  }

  #option(part, text, prefix) {
    const kept = part.target.slice(0, prefix);
    const isContinued = kept && text.startsWith(kept.trimEnd());
    const button = element("button", { type: "button", lang: this.#translator.target, dir: direction(this.#translator.target), onclick: () => this.#close(() => this.#choose(part, text)) });
    if (isContinued) button.append(element("span", { className: "kept", textContent: "… " }), text.slice(kept.trimEnd().length).trimStart());
    else button.append(text);
    if (isContinued) button.setAttribute("aria-label", text);
    return button;
  }

  #place(box) {
    if (beside.matches) return this.#placeBeside();
    const { style } = this.#root;
    style.maxHeight = "";
    const { offsetWidth: width, offsetHeight: wanted } = this.#root;
    const { clientWidth, clientHeight } = document.documentElement;
    const [above, below] = [box.top - 2 * SPACE_PX, clientHeight - box.bottom - 2 * SPACE_PX];
    const isBelow = below >= Math.min(wanted, LOWEST_PX) || below >= above;
    const room = Math.min(HIGHEST_PX, Math.max(LOWEST_PX, isBelow ? below : above));
    const height = Math.min(wanted, room);
    style.maxHeight = `${room}px`;
    style.left = `${Math.max(SPACE_PX, Math.min(box.left, clientWidth - width - SPACE_PX)) + scrollX}px`;
    style.top = `${(isBelow ? box.bottom + SPACE_PX : box.top - SPACE_PX - height) + scrollY}px`;
  }

  /** Beside the panes, which page.css makes narrower while the menu is open, so that it covers no text. */
  #placeBeside() {
    document.body.classList.add("menu-open");
    const { style } = this.#root;
    const panes = document.querySelector(".panes").getBoundingClientRect();
    const top = Math.max(SPACE_PX, panes.top);
    style.maxHeight = `${Math.max(LOWEST_PX, document.documentElement.clientHeight - top - SPACE_PX)}px`;
    style.left = `${panes.right + 2 * SPACE_PX + scrollX}px`;
    style.top = `${top + scrollY}px`;
  }

  #key(event) {
    if (event.target.matches("textarea")) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = [...this.#root.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    const next = at < 0 && step < 0 ? -1 : at + step;
    buttons.at(next % buttons.length)?.focus();
    event.preventDefault();
  }

  #close(then) {
    this.#root.hidePopover();
    then();
  }

  #closed() {
    document.body.classList.remove("menu-open");
    this.#asking?.abort();
    this.#back?.focus();
    this.#back = null;
  }
}
