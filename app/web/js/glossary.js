// The glossary of the chosen pair, kept by the server's glossary endpoints (DeepL's contract, version 3).

import { ask, send } from "./api.js";
import { element } from "./dom.js";
import { learn, say } from "./i18n.js";
import { MESSAGES } from "./panelmessages.js";

const NAME = "dragoman";

/** Fills the panel: the terms of the pair, with fields to add one and buttons to remove one. */
export function fillGlossary(root, languages) {
  learn(MESSAGES);
  const source = element("input", { type: "text", id: "term-source", required: true });
  const target = element("input", { type: "text", id: "term-target", required: true });
  const message = element("p", { className: "quiet-text" });
  message.setAttribute("role", "status");
  const table = element("table", { className: "terms" });
  const form = element(
    "form",
    { className: "controls" },
    element("label", { htmlFor: "term-source" }, say("termSource"), source),
    element("label", { htmlFor: "term-target" }, say("termTarget"), target),
    element("button", { type: "submit", textContent: say("add") }),
  );
  const glossary = new Glossary(languages);
  const show = async (change = null) => {
    try {
      if (change) await change();
      const terms = await glossary.terms();
      draw(table, terms, (term) => show(() => glossary.remove(term)));
      message.textContent = terms.size || languages.source === "auto" ? "" : say("noTerms");
      form.hidden = table.hidden = languages.source === "auto";
    } catch (error) {
      message.textContent = error.message || say("unreachable");
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show(() => glossary.add(source.value.trim(), target.value.trim())).then(() => (form.reset(), source.focus()));
  });
  languages.addEventListener("change", () => show());
  root.replaceChildren(element("h2", { id: "glossary-title", textContent: say("glossary") }), form, message, table);
  show();
}

class Glossary {
  #languages;

  constructor(languages) {
    this.#languages = languages;
  }

  async terms() {
    if (this.#languages.source === "auto") return new Map();
    const id = await this.#id();
    if (!id) return new Map();
    const { dictionaries } = await ask(`v3/glossaries/${id}/entries?${new URLSearchParams(this.#pair)}`).catch((error) => {
      if (error.status === 404) return { dictionaries: [] };
      throw error;
    });
    const lines = dictionaries[0]?.entries.split("\n").filter(Boolean) ?? [];
    return new Map(lines.map((line) => line.split("\t")));
  }

  async add(source, target) {
    const dictionary = { ...this.#pair, entries: `${source}\t${target}`, entries_format: "tsv" };
    const id = await this.#id();
    if (id) await send(`v3/glossaries/${id}`, { method: "PATCH", body: { dictionaries: [dictionary] } });
    else await send("v3/glossaries", { body: { name: NAME, dictionaries: [dictionary] } });
  }

  async remove(term) {
    const terms = await this.terms();
    terms.delete(term);
    const id = await this.#id();
    if (!terms.size) return send(`v3/glossaries/${id}/dictionaries?${new URLSearchParams(this.#pair)}`, { method: "DELETE" });
    const entries = [...terms].map((pair) => pair.join("\t")).join("\n");
    return send(`v3/glossaries/${id}/dictionaries`, { method: "PUT", body: { ...this.#pair, entries, entries_format: "tsv" } });
  }

  get #pair() {
    return { source_lang: this.#languages.source, target_lang: this.#languages.target };
  }

  async #id() {
    const { glossaries } = await ask("v3/glossaries");
    return glossaries.find(({ name }) => name === NAME)?.glossary_id;
  }
}

function draw(table, terms, remove) {
  const head = element("tr", {}, ...["termSource", "termTarget"].map((name) => element("th", { scope: "col", textContent: say(name) })), element("td"));
  const rows = [...terms].map(([source, target]) => {
    const button = element("button", { type: "button", className: "quiet", textContent: say("remove"), onclick: () => remove(source) });
    button.setAttribute("aria-label", `${say("remove")}: ${source}`);
    return element("tr", {}, element("td", { textContent: source }), element("td", { textContent: target }), element("td", {}, button));
  });
  table.replaceChildren(...(terms.size ? [head, ...rows] : []));
}
