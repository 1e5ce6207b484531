// The panels below the text: loaded and shown when they are asked for the first time.

import { byId } from "./dom.js";

/** A function that loads something when it is first called; where that fails, the next call tries again. */
export function once(load) {
  let loading = null;
  const failed = (error) => {
    loading = null;
    throw error;
  };
  return () => (loading ??= load().catch(failed));
}

/** A part of the page that is loaded when it is asked for the first time; until then there is something else in its place. */
export class Later {
  #load;
  current;

  constructor(load, placeholder = null) {
    this.current = placeholder;
    this.#load = once(async () => (this.current = await load()));
  }

  /** The part. */
  load() {
    return this.#load();
  }
}

/** Offers a panel, where the server has what it needs, by the button `open-NAME`; `fill(root)` makes its content. */
export class Panel {
  #root;
  #button;
  #fill;
  #content = null;

  constructor(name, fill) {
    this.#root = byId(name);
    this.#button = byId(`open-${name}`);
    this.#fill = fill;
    this.#button.addEventListener("click", () => (this.#root.hidden ? this.open() : this.toggle()));
  }

  /** A click on the button of the open panel. */
  toggle() {
    this.show(false);
  }

  set isOffered(isOffered) {
    this.#button.hidden = !isOffered;
    if (!isOffered) this.show(false);
  }

  get isOffered() {
    return !this.#button.hidden;
  }

  /** Shows the panel; returns what `fill` has. */
  async open() {
    this.#content ??= this.#fill(this.#root);
    let content;
    try {
      content = await this.#content;
    } catch (error) {
      this.#content = null; // its script did not come: the next click tries again
      throw error;
    }
    this.show(true);
    this.#root.scrollIntoView({ block: "nearest" });
    return content;
  }

  /** Reads again what the server has, if the panel was ever opened. */
  async refresh() {
    (await this.#content)?.refresh();
  }

  /** Shows or hides it. */
  show(isOpen) {
    this.#root.hidden = !isOpen;
    this.#button.setAttribute("aria-expanded", String(isOpen));
  }
}

/** A panel that takes the place of the text, chosen by a tab. */
export class Tab extends Panel {
  #tabs;
  #root;
  #text = byId("text-view");

  constructor(name, fill) {
    super(name, fill);
    this.#root = byId(name);
    this.#tabs = [byId("open-text"), byId(`open-${name}`)];
    this.#tabs[0].addEventListener("click", () => this.show(false));
    this.#tabs[0].parentElement.addEventListener("keydown", (event) => this.#key(event));
  }

  set isOffered(isOffered) {
    super.isOffered = isOffered;
    this.#tabs[0].parentElement.hidden = !isOffered;
    for (const [index, panel] of [this.#text, this.#root].entries()) {
      if (isOffered) panel.setAttribute("role", "tabpanel");
      else panel.removeAttribute("role");
      panel.setAttribute("aria-labelledby", this.#tabs[index].id);
      if (!isOffered) panel.removeAttribute("aria-labelledby");
    }
  }

  get isOffered() {
    return super.isOffered;
  }

  toggle() {}

  show(isOpen) {
    this.#root.hidden = !isOpen;
    this.#text.hidden = isOpen;
    for (const [index, tab] of this.#tabs.entries()) {
      const isChosen = index === Number(isOpen);
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
  }

  #key(event) {
    if (!["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    const other = this.#tabs.find((tab) => tab.tabIndex < 0);
    other.focus();
    other.click();
  }
}
