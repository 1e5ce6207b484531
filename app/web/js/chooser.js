// A list of named things of the server to choose from, with buttons that make, rename and remove one.

import { button, field, iconButton, text } from "./controls.js";
import { element } from "./dom.js";
import { say } from "./i18n.js";

/**
 * Calls `choose(value)`, `make(name)`, `rename(name)` and `remove()`. `messages` names what stands on the list (label),
 * and on the button that makes one (make).
 */
export class Chooser {
  #select;
  #form;
  #name;
  #own;
  #actions;
  #save = null;

  constructor(id, messages, actions) {
    this.#actions = actions;
    const { control, label } = field(`${id}-choice`, messages.label, { name: "select" });
    this.#select = control;
    this.#select.addEventListener("change", () => this.#end() && actions.choose(this.#select.value));
    this.#own = element("span");
    const row = element("div", { className: "controls chooser" }, label, this.#own, button(messages.make, () => this.#ask(actions.make, "")));
    this.#form = this.#nameForm(id);
    this.root = element("div", {}, row, this.#form);
  }

  /** Fills the list with [value, name, isOwn]; only what is the user's own can be renamed and removed. */
  fill(options, chosen) {
    if (this.#save === this.#actions.rename && this.#select.value !== chosen) this.#end(); // the name was meant for another
    this.#select.replaceChildren(...options.map(([value, name, isOwn]) => element("option", { value, textContent: name, dataset: isOwn ? { own: "" } : {} })));
    this.#select.value = chosen;
    const name = this.#chosenName;
    const isOwn = "own" in (this.#select.selectedOptions[0]?.dataset ?? {});
    const rename = () => iconButton("rename", name, () => this.#ask(this.#actions.rename, name));
    this.#own.replaceChildren(...(isOwn ? [rename(), iconButton("remove", name, () => this.#remove())] : []));
  }

  get #chosenName() {
    return this.#select.selectedOptions[0]?.textContent ?? "";
  }

  #nameForm(id) {
    const { control, label } = field(`${id}-name`, "name", { required: true, maxLength: 100 });
    this.#name = control;
    const save = text("button", "save", { type: "submit", className: "main" });
    const form = element("form", { className: "controls", hidden: true }, label, save, button("cancel", () => this.#end() && this.#select.focus()));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!this.#name.value.trim()) return;
      this.#save(this.#name.value.trim());
      this.#end();
      this.#select.focus();
    });
    return form;
  }

  #ask(save, name) {
    this.#save = save;
    this.#form.hidden = false;
    this.#name.value = name;
    this.#name.select();
    this.#name.focus();
  }

  #end() {
    this.#form.hidden = true;
    return true;
  }

  #remove() {
    // eslint-disable-next-line no-alert
    if (!confirm(say("sureToRemove", { name: this.#chosenName }))) return;
    this.#actions.remove();
    this.#select.focus();
  }
}
