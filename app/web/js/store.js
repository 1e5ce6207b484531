// What the parts of the page share: what the server offers, what the address asks for, whether the text is too long.

import { ask } from "./api.js";

export class Store {
  /** Characters that a text may have. */
  charLimit = Infinity;
  isTooLong = false;
  /** The languages that the address asks for. */
  wanted = {};
  /** The endings of the files that the server translates; empty if it translates none. */
  fileTypes = [];
  keepsGlossaries = false;
  keepsMemories = false;
  takesSuggestions = false;
  /** The targets for which the server knows how a reader is addressed. */
  formality = [];
  /** What the operator says: { name, imprint, privacy, source }, as far as it is set. */
  operator = {};
  hasOperator = false;
  /** Whether the server knows API keys, and whether it asks for one. */
  knowsKeys = false;
  needsKey = false;
  #loads = 0;

  /** Asks the server; returns its languages and settings, or null if a later call will: an older answer changes nothing. */
  async load() {
    const turn = ++this.#loads;
    try {
      const [served, settings] = await Promise.all([ask("languages"), ask("frontend/settings")]);
      if (turn !== this.#loads) return null;
      this.#take(settings);
      return { served, settings };
    } catch (error) {
      if (turn !== this.#loads) return null;
      throw error;
    }
  }

  #take(settings) {
    const { capabilities } = settings;
    this.charLimit = settings.charLimit > 0 ? settings.charLimit : Infinity;
    this.knowsKeys = settings.apiKeys;
    this.needsKey = settings.keyRequired;
    this.fileTypes = settings.filesTranslation ? settings.supportedFilesFormat : [];
    this.keepsGlossaries = capabilities?.glossaries === true;
    this.keepsMemories = capabilities?.memories === true;
    this.hasOperator = capabilities?.admin === true;
    this.formality = settings.formality ?? [];
    this.operator = settings.operator ?? {};
    this.takesSuggestions = settings.suggestions === true;
  }
}
