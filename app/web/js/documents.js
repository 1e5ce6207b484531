// Documents: dropped or chosen, translated by the server's document endpoints (DeepL's contract), saved.

import { ask, send } from "./api.js";
import { element } from "./dom.js";
import { say } from "./i18n.js";
import { save } from "./share.js";

const POLL_MS = 1000;

/** Shows the panel for files of these types (".docx", …). */
export function offerDocuments(root, languages, types) {
  const jobs = element("ul", { className: "jobs" });
  const input = element("input", { type: "file", accept: types.join(","), className: "sr-only", id: "file", multiple: true });
  const choose = element("button", { type: "button", textContent: say("chooseFile"), onclick: () => input.click() });
  const drop = element(
    "div",
    { className: "drop" },
    element("p", { className: "quiet-text", textContent: say("dropFile") }),
    choose,
    element("label", { htmlFor: "file", className: "sr-only", textContent: say("chooseFile") }),
    input,
    element("p", { className: "quiet-text", textContent: say("fileTypes", { types: types.join(" ") }) }),
  );
  const take = (files) => [...files].forEach((file) => translate(file, languages, jobs));
  input.addEventListener("change", () => (take(input.files), (input.value = "")));
  for (const name of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", name === "dragover");
      if (name === "drop") take(event.dataTransfer.files);
    });
  }
  input.tabIndex = -1;
  root.replaceChildren(element("h2", { id: "documents-title", textContent: say("documents") }), drop, jobs);
  root.hidden = false;
}

async function translate(file, languages, jobs) {
  const label = element("span", { textContent: say("fileQueued", { name: file.name }) });
  const bar = element("progress", { ariaLabel: file.name });
  const row = element("li", {}, label, bar);
  row.setAttribute("role", "status");
  jobs.prepend(row);
  try {
    const form = new FormData();
    form.append("target_lang", languages.target.toUpperCase());
    if (languages.source !== "auto") form.append("source_lang", languages.source.toUpperCase());
    form.append("file", file);
    const { document_id: id, document_key: key } = await ask("v2/document", { body: form });
    const body = { document_key: key };
    let longestS = 0;
    for (;;) {
      const { status, seconds_remaining: leftS, message, error_message: reason } = await ask(`v2/document/${id}`, { body });
      if (status === "error") throw new Error(message ?? reason);
      if (status === "done") break;
      label.textContent = say(status === "queued" ? "fileQueued" : "fileTranslating", { name: file.name });
      if (leftS) {
        longestS = Math.max(longestS, leftS);
        bar.value = 1 - leftS / longestS;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    const content = await (await send(`v2/document/${id}/result`, { body })).blob();
    const name = file.name.replace(/(\.[^.]*)?$/, `.${languages.target}$1`);
    bar.value = 1;
    label.textContent = say("fileDone", { name: file.name });
    row.append(element("button", { type: "button", textContent: `${say("save")}: ${name}`, onclick: () => save(name, content) }));
  } catch (error) {
    bar.remove();
    label.textContent = say("fileFailed", { name: file.name, reason: error.message || say("unreachable") });
  }
}
