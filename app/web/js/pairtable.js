// A list of pairs of texts, such as terms and their translations: looked up, added, changed, removed.

import { reason } from "./api.js";
import { button, field, iconButton, text } from "./controls.js";
import { element } from "./dom.js";
import { number, say } from "./i18n.js";

/**
 * `store` has find(query, next), which returns { pairs, total, next }; `next` tells find where to go on, undefined at the
 * end. Its save(pair, old) and remove(pair) return functions that do so in the list of now, even if another is shown when
 * they are called. A pair is { source, target }, with what else the store needs. `messages` names the columns (source,
 * target), the button that saves (save), and says what the list is (some), that it is empty (none) and that nothing was
 * found (unknown), with what `values()` returns. `languages()` returns the codes of both columns; `control` describes the
 * two fields.
 */
export class PairTable {
  #store;
  #messages;
  #values; // of the messages
  #languages;
  #form;
  #sides;
  #cancel;
  #filter;
  #said = element("p", { className: "quiet-text" });
  #done = element("p", { className: "quiet-text" });
  #table = element("table", { className: "pairs" });
  #more = element("p");
  #old = null; // the pair that is being changed
  #turn = 0;
  /** @type {Promise<boolean | void>} */
  #changes = Promise.resolve(); // one after the other: a store may read all pairs to write all but one

  constructor(id, { store, messages, values, languages, control }) {
    this.#store = store;
    this.#messages = messages;
    this.#values = values;
    this.#languages = languages;
    this.#sides = ["source", "target"].map((side) => field(`${id}-${side}`, messages[side], { required: true, ...control }));
    this.#filter = field(`${id}-filter`, "lookUp", { type: "search" });
    this.#cancel = button("cancel", () => this.#end(), { hidden: true });
    const save = text("button", messages.save, { type: "submit", className: "main" });
    this.#form = element("form", { className: "controls pair" }, ...this.#sides.map(({ label }) => label), save, this.#cancel);
    this.#form.addEventListener("submit", (event) => this.#submit(event));
    this.#filter.control.addEventListener("input", () => this.draw());
    for (const line of [this.#said, this.#done]) line.setAttribute("role", "status");
    const lookUp = element("div", { className: "controls" }, this.#filter.label);
    this.root = element("div", {}, this.#said, this.#form, this.#done, lookUp, this.#table, this.#more);
  }

  /** Shows the pairs, or only `instead`, which says why there are none to show. */
  async draw(instead = "") {
    const turn = (this.#turn += 1);
    this.#form.hidden = Boolean(instead);
    if (instead) return this.#show([], 0, instead);
    const query = this.#filter.control.value.trim();
    try {
      const { pairs, total, next } = await this.#store.find(query);
      if (turn !== this.#turn) return undefined;
      const name = pairs.length ? "some" : query && total ? "unknown" : "none";
      this.#show(pairs, total, say(this.#messages[name], { ...this.#values(), count: number(total) }));
      return this.#offerMore(query, next);
    } catch (error) {
      return turn === this.#turn ? this.#show([], 0, reason(error)) : undefined;
    }
  }

  /** A button for the pairs from `next` on, if there are any. */
  #offerMore(query, next) {
    const turn = this.#turn;
    const more = async ({ currentTarget: pressed }) => {
      pressed.disabled = true;
      try {
        const found = await this.#store.find(query, next);
        if (turn !== this.#turn) return;
        const rows = found.pairs.map((pair) => this.#row(pair));
        this.#table.tBodies[0].append(...rows);
        this.#offerMore(query, found.next);
        if (this.#isFree) rows[0]?.querySelector("button").focus();
      } catch (error) {
        pressed.disabled = false;
        this.tell(reason(error));
      }
    };
    this.#more.replaceChildren(...(next === undefined ? [] : [button("more", more)]));
  }

  /** Empties the form and forgets what was said: another list is shown. */
  reset() {
    this.#end();
    this.#done.replaceChildren();
    this.#filter.control.value = "";
  }

  /** Gives up changing a pair, and undoing: other languages are shown. What is typed for a new pair stays. */
  leave() {
    if (this.#old) this.#end();
    this.#done.replaceChildren();
  }

  /** Says what came of something. */
  tell(message) {
    this.#done.textContent = message;
  }

  #show(pairs, total, message) {
    this.#more.replaceChildren();
    if (this.#said.textContent !== message) this.#said.textContent = message;
    this.#filter.label.hidden = !total && !this.#filter.control.value;
    this.#table.hidden = !pairs.length;
    const heads = ["source", "target"].map((side) => text("th", this.#messages[side], { scope: "col" }));
    const head = element("thead", {}, element("tr", {}, ...heads, element("td", { className: "actions" })));
    this.#table.replaceChildren(head, element("tbody", {}, ...pairs.map((pair) => this.#row(pair))));
  }

  #row(pair) {
    const languages = this.#languages();
    const cells = ["source", "target"].map((side) => element("td", { textContent: pair[side], dir: "auto", lang: languages[side] }));
    const actions = [iconButton("edit", pair.source, () => this.#edit(pair)), iconButton("remove", pair.source, () => this.#remove(pair))];
    return element("tr", {}, ...cells, element("td", { className: "actions" }, ...actions));
  }

  #edit(pair) {
    this.#old = pair;
    const [source, target] = this.#sides.map(({ control }) => control);
    [source.value, target.value] = [pair.source, pair.target];
    this.#cancel.hidden = false;
    target.select();
    target.focus();
  }

  #end() {
    this.#old = null;
    this.#form.reset();
    this.#cancel.hidden = true;
  }

  async #submit(event) {
    event.preventDefault();
    const values = () => this.#sides.map(({ control }) => control.value.trim());
    const [source, target] = values();
    const old = this.#old;
    if (!source || !target) return;
    if (!(await this.#change(this.#store.save({ source, target }, old), say("saved", { text: source })))) return;
    if (this.#old !== old || values().join("\n") !== `${source}\n${target}`) return; // the next one is being typed
    this.#end();
    if (this.#isFree) this.#sides[0].control.focus();
  }

  async #remove(pair) {
    const [removed, undone] = ["removed", "saved"].map((name) => say(name, { text: pair.source }));
    const back = this.#store.save(pair);
    if (!(await this.#change(this.#store.remove(pair), removed)) || this.#done.textContent !== removed) return;
    const undo = button("undo", () => this.#change(back, undone));
    this.#done.append(" ", undo);
    if (this.#isFree) undo.focus();
  }

  /** Whether the user is still here, so that the focus may move. */
  get #isFree() {
    return document.activeElement === document.body || this.root.contains(document.activeElement);
  }

  /** Changes something at the store after what is changed already, and says that it is done or why it isn't. */
  #change(change, done) {
    return (this.#changes = this.#changes.then(() => this.#attempt(change, done)));
  }

  async #attempt(change, done) {
    try {
      await change();
    } catch (error) {
      this.tell(reason(error));
      return false;
    }
    this.tell(done);
    await this.draw();
    return true;
  }
}
