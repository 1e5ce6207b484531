// The panel of the translation memory: which one is used, and the pairs that are saved in it.

import { hasKey, reason } from "./api.js";
import { Chooser } from "./chooser.js";
import { button, field, text } from "./controls.js";
import { element } from "./dom.js";
import { number, say } from "./i18n.js";
import { exportFile, findEntries, importFile, makeMemory, readMemories, removeEntry, removeMemory, renameMemory, saveEntry, setLearning } from "./memories.js";
import { memoryOf, useMemory } from "./memorychoice.js";
import { PairTable } from "./pairtable.js";
import { save } from "./share.js";

const NONE = "";
const LONGEST_TEXT = 10_000;

/** Fills the panel; the functions are those of `fillGlossary`. */
export async function fillMemory(root, { pair, changed, changes }) {
  const panel = new MemoryPanel(root, { pair, changed, changes });
  await panel.refresh();
  return panel;
}

class MemoryPanel {
  #pair;
  #changed;
  #memories = [];
  #version = 0; // as in GlossaryPanel
  #chooser;
  #table;
  #files;
  #learns = field("memory-learns", "memoryLearns", { type: "checkbox" });

  constructor(root, { pair, changed, changes }) {
    this.#pair = pair;
    this.#changed = changed;
    const actions = {
      choose: (id) => this.#choose(id || null),
      make: (name) => this.#try(() => this.#make(name)),
      rename: (name) => this.#try((id) => renameMemory(id, name)),
      remove: () => this.#try((id) => this.#remove(id)),
    };
    this.#chooser = new Chooser("memory", { label: "usedMemory", make: "newMemory" }, actions);
    this.#table = new PairTable("entry", {
      store: {
        find: (query, next) => findEntries(this.#id, query, next),
        save: (entry, old) => this.#later((id) => saveEntry(id, entry, old)),
        remove: (entry) => this.#later((id) => removeEntry(id, entry)),
      },
      messages: { source: "entrySource", target: "translation", save: "saveEntry", some: "entries", none: "noEntries", unknown: "noSuchEntry" },
      values: () => ({ pair: pair().name, place: say(hasKey() ? "withKey" : "onServer") }),
      languages: pair,
      control: { name: "textarea", rows: 2, maxLength: LONGEST_TEXT },
    });
    this.#files = this.#fileControls();
    root.replaceChildren(text("h2", "memory", { id: "memory-title" }), this.#chooser.root, this.#table.root, this.#files);
    changes(() => {
      this.#table.leave();
      this.refresh();
    });
  }

  /** Reads the memories of the pair again. */
  async refresh() {
    const pair = this.#pair();
    this.#chooser.root.hidden = !pair.source;
    if (!pair.source) return this.#draw(say("noPair"));
    const version = ++this.#version;
    let memories;
    try {
      memories = await readMemories(pair);
    } catch (error) {
      this.#memories = [];
      return this.#draw(reason(error));
    }
    if (version !== this.#version) return undefined;
    this.#memories = memories;
    if (memoryOf(pair) && !memories.some(({ id }) => id === memoryOf(pair))) useMemory(pair, null);
    return this.#draw();
  }

  get #id() {
    return memoryOf(this.#pair());
  }

  #draw(problem = "") {
    this.#chooser.fill([[NONE, say("noMemory")], ...this.#memories.map(({ id, name }) => [id, name, true])], this.#id ?? NONE);
    this.#files.hidden = Boolean(problem) || !this.#id;
    this.#learns.control.checked = this.#memories.some(({ id, learns }) => id === this.#id && learns);
    return this.#table.draw(problem || (this.#id ? "" : say("noMemoryUsed")));
  }

  #choose(id, pair = this.#pair()) {
    this.#version++;
    useMemory(pair, id);
    this.#table.reset();
    this.#draw();
    this.#changed();
  }

  async #make(name) {
    const pair = this.#pair();
    const made = await makeMemory(pair, name);
    this.#choose(made.id, pair);
  }

  async #remove(id) {
    const pair = this.#pair();
    await removeMemory(id);
    if (memoryOf(pair) === id) this.#choose(null, pair);
  }

  /** A function that changes the memory of now, whichever is shown by then. */
  #later(change) {
    const id = this.#id;
    return () => change(id).then(this.#changed);
  }

  /** Changes the memory of now. */
  async #try(change) {
    try {
      await change(this.#id);
    } catch (error) {
      return this.#table.tell(reason(error));
    }
    return this.refresh();
  }

  #fileControls() {
    const input = element("input", { type: "file", accept: ".tmx,.tsv", className: "sr-only", id: "memory-file", tabIndex: -1 });
    input.addEventListener("change", () => {
      const [file] = input.files;
      input.value = "";
      if (file) this.#try((id) => this.#import(id, file));
    });
    const download = () => this.#try(async () => save(`${this.#memories.find(({ id }) => id === this.#id).name}.tmx`, await exportFile(this.#id)));
    const label = text("label", "importFile", { htmlFor: "memory-file", className: "sr-only" });
    const { control, label: learns } = this.#learns;
    control.addEventListener("change", () => this.#try((id) => setLearning(id, control.checked).then(this.#changed)));
    return element("div", { className: "controls" }, button("importFile", () => input.click()), label, input, button("exportFile", download), learns);
  }

  async #import(id, file) {
    const { added, replaced, skipped } = await importFile(id, file);
    this.#changed();
    this.#table.tell(say("imported", { added: number(added), replaced: number(replaced), skipped: number(skipped) }));
  }
}
