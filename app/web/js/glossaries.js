// Where terms are kept: in this browser, or in the glossaries of the server (version 3 of DeepL's endpoints).

import { ask, send, ServerError } from "./api.js";
import { BROWSER, chosenGlossary, keepTerms, NONE, termsOf, useGlossary } from "./terms.js";

/** Formats of the server's glossaries; the browser's terms have the first. */
export const FORMATS = ["tsv", "csv", "tbx"];

/** The terms that this browser keeps. */
export const browserTerms = {
  async read({ source, target }) {
    return termsOf(source, target);
  },
  async put({ source, target }, terms) {
    keepTerms(source, target, { ...termsOf(source, target), ...terms });
  },
  async replace({ source, target }, terms) {
    keepTerms(source, target, terms);
  },
  async importFile(pair, content) {
    const lines = content.split(/\r\n|\r|\n/).map((line) => line.split("\t").map((side) => side.trim()));
    await browserTerms.put(pair, Object.fromEntries(lines.filter(([term, translation]) => term && translation).map(([term, translation]) => [term, translation])));
  },
  async exportFile({ source, target }) {
    return Object.entries(termsOf(source, target)).map((term) => `${term.join("\t")}\n`).join("");
  },
};

/** A glossary of the server; one without an id is made there with its first term, for the server keeps no empty ones. */
export class StoredGlossary {
  #pairs;

  constructor({ glossary_id: id = null, name, dictionaries = [] }) {
    this.id = id;
    this.name = name;
    this.#take(dictionaries);
  }

  /** The pairs that it has terms for, such as "de-en". */
  get pairs() {
    return this.#pairs;
  }

  async read({ source, target }) {
    if (!this.#pairs.includes(`${source}-${target}`)) return {};
    const { dictionaries } = await ask(`${this.#path}/entries?${new URLSearchParams({ source_lang: source, target_lang: target })}`);
    return Object.fromEntries(dictionaries[0].entries.split("\n").map((line) => line.split("\t")));
  }

  async put(pair, terms) {
    const body = { dictionaries: [dictionary(pair, terms)] };
    const changed = this.id
      ? await ask(this.#path, { method: "PATCH", body })
      : await ask("v3/glossaries", { body: { ...body, name: this.name } });
    this.id = changed.glossary_id;
    this.#take(changed.dictionaries);
  }

  async replace(pair, terms) {
    const path = `${this.#path}/dictionaries`;
    if (Object.keys(terms).length) {
      await send(path, { method: "PUT", body: dictionary(pair, terms) });
    } else {
      await send(`${path}?${new URLSearchParams({ source_lang: pair.source, target_lang: pair.target })}`, { method: "DELETE" });
      this.#pairs = this.#pairs.filter((name) => name !== `${pair.source}-${pair.target}`);
    }
  }

  /** Adds the terms of a file in one of FORMATS. */
  async importFile(pair, content, format) {
    const body = { dictionaries: [{ source_lang: pair.source, target_lang: pair.target, entries: content, entries_format: format }] };
    const path = this.id ? this.#path : "v3/glossaries";
    const changed = await ask(path, { method: this.id ? "PATCH" : "POST", body: this.id ? body : { ...body, name: this.name } });
    this.id = changed.glossary_id;
    this.#take(changed.dictionaries);
  }

  /** The terms of a pair as the text of a file. */
  async exportFile({ source, target }, format) {
    const query = new URLSearchParams({ source_lang: source, target_lang: target, entries_format: format });
    return (await ask(`${this.#path}/entries?${query}`)).dictionaries[0].entries;
  }

  async rename(name) {
    if (this.id) await send(this.#path, { method: "PATCH", body: { name } });
    this.name = name;
  }

  async remove() {
    if (this.id) await send(this.#path, { method: "DELETE" });
  }

  get #path() {
    return `v3/glossaries/${this.id}`;
  }

  #take(dictionaries) {
    this.#pairs = dictionaries.map(({ source_lang: source, target_lang: target }) => `${source}-${target}`);
  }
}

function dictionary({ source, target }, terms) {
  const entries = Object.entries(terms).map((term) => term.map((side) => side.replaceAll("\t", " ")).join("\t"));
  return { source_lang: source, target_lang: target, entries: entries.join("\n"), entries_format: "tsv" };
}

/** The glossaries of the server that the key may use. */
export async function readGlossaries() {
  return (await ask("v3/glossaries")).glossaries.map((each) => new StoredGlossary(each));
}

/** Uses the glossary that was chosen last, or the browser's terms if the server has it no more. */
export async function restoreGlossary() {
  const id = chosenGlossary();
  if (id === BROWSER || id === NONE) return;
  try {
    useGlossary(id, new StoredGlossary(await ask(`v3/glossaries/${id}`)).pairs);
  } catch (error) {
    if (error instanceof ServerError && error.status === 404) useGlossary(BROWSER);
  }
}
