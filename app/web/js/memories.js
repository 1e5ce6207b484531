// The translation memories of the server (DeepL's endpoints of version 3, and Dragoman's own beside them).

import { ask, send } from "./api.js";

const PATH = "v3/translation_memories";
const MEMORIES_OF_PAGE = 25;
const ENTRIES_OF_PAGE = 50;
const SHORTEST_FILTER = 2; // the server takes no shorter one

/** The memories of a pair of languages that the key may use, as { id, name, learns }. */
export async function readMemories({ source, target }) {
  const found = [];
  for (let page = 0, left = 1; left > 0; page += 1) {
    const answer = await ask(`${PATH}?page=${page}&page_size=${MEMORIES_OF_PAGE}`);
    found.push(...answer.translation_memories);
    left = answer.translation_memories.length && answer.total_count - found.length;
  }
  return found
    .filter((memory) => memory.source_language === source && memory.target_languages.includes(target))
    .map(({ translation_memory_id: id, name, adapt: learns }) => ({ id, name, learns }));
}

/** Makes a memory that similar sentences learn from. */
export async function makeMemory({ source, target }, name) {
  const { translation_memory_id: id } = await ask(PATH, { body: { name, source_lang: source, target_lang: target, adapt: true } });
  return { id, name };
}

export function renameMemory(id, name) {
  return send(`${PATH}/${id}`, { method: "PATCH", body: { name } });
}

/** Says whether similar sentences learn from a memory. */
export function setLearning(id, adapt) {
  return send(`${PATH}/${id}`, { method: "PATCH", body: { adapt } });
}

export function removeMemory(id) {
  return send(`${PATH}/${id}`, { method: "DELETE" });
}

/** Entries as { pairs, total, next }; `next` is where the next page begins, undefined on the last. */
export async function findEntries(id, query, next = "") {
  const values = { page_size: String(ENTRIES_OF_PAGE), page_cursor: next, ...(query.length >= SHORTEST_FILTER && { filter_text: query }) };
  const answer = await ask(`${PATH}/${id}/segments?${new URLSearchParams(values)}`);
  const pairs = answer.segments.map((segment) => ({
    id: segment.source_segment_id,
    source: segment.source_text,
    target: segment.targets[0].target_text,
  }));
  return { pairs, total: answer.segment_count, next: answer.next_page_cursor };
}

/** Saves a text with its translation, in place of the entry `old` if there is one. */
export function saveEntry(id, { source, target }, old = null) {
  const body = { source_text: source, target_text: target };
  return old ? send(`${PATH}/${id}/segments/${old.id}`, { method: "PATCH", body }) : send(`${PATH}/${id}/segments`, { body });
}

export function removeEntry(id, entry) {
  return send(`${PATH}/${id}/segments/${entry.id}`, { method: "DELETE" });
}

/** Adds the entries of a TMX or TSV file; returns how many were { added, replaced, skipped }. */
export function importFile(id, file) {
  const body = new FormData();
  body.append("file", file);
  return ask(`${PATH}/${id}/file`, { body });
}

/** All entries as a TMX file. */
export async function exportFile(id) {
  return (await send(`${PATH}/${id}/file?format=tmx`)).blob();
}
