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
    this.#button.addEventListener("click", () => (this.#root.hidden ? this.open() : this.#show(false)));
  }

  set isOffered(isOffered) {
    this.#button.hidden = !isOffered;
    if (!isOffered) this.#show(false);
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
    this.#show(true);
    this.#root.scrollIntoView({ block: "nearest" });
    return content;
  }

  /** Reads again what the server has, if the panel was ever opened. */
  async refresh() {
    (await this.#content)?.refresh();
  }

  #show(isOpen) {
    this.#root.hidden = !isOpen;
    this.#button.setAttribute("aria-expanded", String(isOpen));
  }
}
