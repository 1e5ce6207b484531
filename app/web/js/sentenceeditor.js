// The form to change the translation of a sentence, and to save both in the translation memory or suggest them to the operator.

import { reason, send } from "./api.js";
import { button, field, text } from "./controls.js";
import { element } from "./dom.js";
import { say } from "./i18n.js";
import { saveEntry } from "./memories.js";
import { memoryOf } from "./memorychoice.js";

/**
 * The form for a sentence, with a function that puts the cursor there. `pair` has the languages; `choose(text)` puts another
 * translation in its place, `close()` ends, `saved()` is called when the memory has changed; the server keeps memories if
 * `hasMemories` and takes suggestions if `takesSuggestions`.
 */
export function sentenceEditor(part, { pair, choose, close, saved, hasMemories, takesSuggestions }) {
  const { control, label } = field("edited", "translation", { name: "textarea", rows: 3, required: true, lang: pair.target, value: part.target });
  const said = element("p", { className: "facts" });
  said.setAttribute("role", "status");
  const attempt = async (change, done) => {
    try {
      await change(control.value.trim());
      said.textContent = say(done);
    } catch (error) {
      said.textContent = reason(error);
    }
  };
  const memory = hasMemories && memoryOf(pair);
  const put = (target) => (choose(target), control.focus());
  const keep = (target) => saveEntry(memory, { source: part.source, target }).then(() => (put(target), saved()));
  const suggestion = { q: part.source, source: pair.source, target: pair.target };
  const suggest = (target) => send("suggest", { body: { ...suggestion, s: target } }).then(() => put(target));
  const more = [];
  if (memory) more.push(button("saveInMemory", () => attempt(keep, "savedInMemory")));
  if (takesSuggestions) more.push(button("suggest", () => attempt(suggest, "suggested")));
  const form = element(
    "form",
    { className: "editor" },
    element("p", { className: "facts", textContent: part.source, lang: pair.source, dir: "auto" }),
    label,
    element("div", { className: "controls" }, text("button", "useTranslation", { type: "submit", className: "main" }), ...more, button("close", close)),
    said,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const edited = control.value.trim();
    close();
    if (edited && edited !== part.target) choose(edited);
  });
  return { form, focus: () => control.select() };
}
