// The panel of the glossary: which one translations use, and its terms for the chosen pair of languages.

import { hasKey, reason } from "./api.js";
import { Chooser } from "./chooser.js";
import { button, field, text } from "./controls.js";
import { element } from "./dom.js";
import { browserTerms, FORMATS, readGlossaries, StoredGlossary } from "./glossaries.js";
import { say } from "./i18n.js";
import { PairTable } from "./pairtable.js";
import { save } from "./share.js";
import { BROWSER, chosenGlossary, NONE, useGlossary } from "./terms.js";

const LONGEST_TERM = 500; // as the server has it
const SHOWN = 100;
const DRAFT = "draft"; // made, but without a term, so that the server has it not yet

/**
 * Fills the panel, once the glossaries are read: before that nobody could tell where a term would go. `pair()` returns
 * { source, target, name }, source null where it is unknown; `changed()` is called when translations may differ; `changes(draw)` has `draw` called for another pair; `isStored` says whether the server keeps glossaries.
 */
export async function fillGlossary(root, { pair, changed, changes, isStored }) {
  const panel = new GlossaryPanel(root, { pair, changed, changes, isStored });
  await panel.refresh();
  return panel;
}

class GlossaryPanel {
  #pair;
  #changed;
  #isStored;
  #stored = [];
  #current = browserTerms;
  #version = 0; // counts the changes of the list, so that an older answer doesn't undo them
  #chooser;
  #table;
  #files;
  #format;
  #input;

  constructor(root, { pair, changed, changes, isStored }) {
    this.#pair = pair;
    this.#changed = changed;
    this.#isStored = isStored;
    const actions = {
      choose: (value) => this.#choose(value),
      make: (name) => this.#make(name),
      rename: (name) => this.#try((glossary) => glossary.rename(name)),
      remove: () => this.#try((glossary) => this.#remove(glossary)),
    };
    this.#chooser = new Chooser("glossary", { label: "usedGlossary", make: "newGlossary" }, actions);
    this.#chooser.root.hidden = !isStored;
    this.#table = new PairTable("term", {
      store: { find: (query, begin) => this.#find(query, begin), save: (term, old) => this.#saving(term, old), remove: ({ source }) => this.#removal(source) },
      messages: { source: "termSource", target: "termTarget", save: "saveTerm", some: "terms", none: "noTerms", unknown: "noSuchTerm" },
      values: () => ({ pair: pair().name, place: say(this.#current === browserTerms ? "inBrowser" : hasKey() ? "withKey" : "onServer") }),
      languages: pair,
      control: { maxLength: LONGEST_TERM },
    });
    this.#files = this.#fileControls();
    root.replaceChildren(text("h2", "glossary", { id: "glossary-title" }), this.#chooser.root, this.#table.root, this.#files);
    changes(() => {
      this.#table.leave();
      this.#draw();
    });
  }

  /** Reads the glossaries again. */
  async refresh() {
    if (!this.#isStored) return this.#draw();
    const version = ++this.#version;
    let stored;
    try {
      stored = await readGlossaries();
    } catch (error) {
      return this.#draw(reason(error));
    }
    if (version !== this.#version) return undefined;
    this.#stored = stored;
    if (!this.#isDraft) {
      this.#current = this.#stored.find(({ id }) => id === chosenGlossary()) ?? browserTerms;
      if (this.#current === browserTerms && chosenGlossary() !== NONE) useGlossary(BROWSER);
    }
    return this.#draw();
  }

  get #isDraft() {
    return this.#current !== browserTerms && !this.#current.id;
  }

  #draw(problem = "") {
    const drafts = this.#isDraft ? [[DRAFT, this.#current.name, true]] : [];
    const stored = this.#stored.map(({ id, name }) => [id, name, true]);
    const fixed = [[NONE, say("noGlossary")], [BROWSER, say("ownTerms")]];
    const chosen = drafts.length ? DRAFT : chosenGlossary();
    this.#chooser.fill([...fixed, ...stored, ...drafts], chosen);
    const isNone = chosen === NONE && "noGlossaryUsed";
    this.#files.hidden = Boolean(problem || isNone) || !this.#pair().source;
    const formats = this.#current === browserTerms ? FORMATS.slice(0, 1) : FORMATS;
    const { value } = this.#format;
    this.#format.replaceChildren(...formats.map((format) => new Option(format.toUpperCase(), format)));
    this.#format.value = formats.includes(value) ? value : formats[0];
    this.#input.accept = formats.map((format) => `.${format}`).join(",");
    return this.#table.draw(problem || ((isNone || !this.#pair().source) && say(isNone || "noPair")) || "");
  }

  #choose(value) {
    this.#version++;
    this.#current = this.#stored.find(({ id }) => id === value) ?? browserTerms;
    useGlossary(value, this.#current.pairs);
    this.#table.reset();
    this.#draw();
    this.#changed();
  }

  #make(name) {
    this.#version++;
    this.#current = new StoredGlossary({ name });
    this.#table.reset();
    this.#draw();
  }

  async #remove(glossary) {
    await glossary.remove();
    this.#stored = this.#stored.filter((each) => each !== glossary);
    if (glossary === this.#current) this.#choose(BROWSER);
  }

  async #find(query, begin = 0) {
    const wanted = query.toLowerCase();
    const all = Object.entries(await this.#current.read(this.#pair())).reverse(); // the newest first
    const found = query ? all.filter((term) => term.some((side) => side.toLowerCase().includes(wanted))) : all;
    const pairs = found.slice(begin, begin + SHOWN).map(([source, target]) => ({ source, target }));
    return { pairs, total: all.length, next: found.length > begin + SHOWN ? begin + SHOWN : undefined };
  }

  /** Saves a term in the glossary and for the languages of now. */
  #saving({ source, target }, old) {
    const [glossary, pair] = [this.#current, this.#pair()];
    return async () => {
      if (old && old.source !== source) {
        const { [old.source]: _, ...others } = await glossary.read(pair);
        await glossary.replace(pair, { ...others, [source]: target });
      } else {
        await glossary.put(pair, { [source]: target });
      }
      this.#use(glossary);
    };
  }

  /** Removes a term from the glossary and for the languages of now. */
  #removal(term) {
    const [glossary, pair] = [this.#current, this.#pair()];
    return async () => {
      const { [term]: _, ...others } = await glossary.read(pair);
      await glossary.replace(pair, others);
      this.#use(glossary);
    };
  }

  /** Translations use what has changed. */
  #use(glossary) {
    this.#version++;
    if (glossary !== browserTerms) {
      if (!this.#stored.some(({ id }) => id === glossary.id)) this.#stored.push(glossary);
      if (glossary === this.#current) useGlossary(glossary.id, glossary.pairs);
      this.#draw();
    }
    this.#changed();
  }

  /** Controls that take terms from a file, and write them into one. */
  #fileControls() {
    const input = element("input", { type: "file", className: "sr-only", id: "glossary-file", tabIndex: -1 });
    input.addEventListener("change", () => {
      const [file] = input.files;
      input.value = "";
      if (file) this.#try((glossary) => this.#import(glossary, file));
    });
    this.#input = input;
    const { control, label } = field("glossary-format", "format", { name: "select" });
    this.#format = control;
    const inputLabel = text("label", "importTerms", { htmlFor: "glossary-file", className: "sr-only" });
    const download = button("exportTerms", () => this.#try((glossary) => this.#export(glossary)));
    return element("div", { className: "controls" }, button("importTerms", () => input.click()), inputLabel, input, label, download);
  }

  async #import(glossary, file) {
    const format = file.name.split(".").at(-1).toLowerCase();
    await glossary.importFile(this.#pair(), await file.text(), FORMATS.includes(format) ? format : FORMATS[0]);
    this.#use(glossary);
    this.#table.tell(say("saved", { text: file.name }));
  }

  async #export(glossary) {
    const { source, target } = this.#pair();
    const format = this.#format.value;
    const name = glossary === browserTerms ? "terms" : glossary.name;
    save(`${name}.${source}-${target}.${format}`, await glossary.exportFile({ source, target }, format));
  }

  /** Changes the glossary of now. */
  async #try(change) {
    try {
      await change(this.#current);
      this.#version++;
      this.#draw();
    } catch (error) {
      this.#table.tell(reason(error));
    }
  }
}
