// Documents: dropped or chosen, translated by the server's document endpoints (DeepL's contract), saved.

import { ask, reason, retryDelayMs, send, ServerError } from "./api.js";
import { text } from "./controls.js";
import { element } from "./dom.js";
import { errorSentence, say } from "./i18n.js";
import { withMemory } from "./memorychoice.js";
import { save } from "./share.js";
import { withTerms } from "./terms.js";

const POLL_MS = 1000;

/** Fills the panel for files of these types (".docx", …); returns a function that takes files. */
export function fillDocuments(root, languages, types) {
  const jobs = element("ul", { className: "jobs" });
  const input = element("input", { type: "file", accept: types.join(","), className: "sr-only", id: "file", multiple: true, tabIndex: -1 });
  const drop = element(
    "div",
    { className: "drop" },
    text("p", "dropFile"),
    text("button", "chooseFile", { type: "button", onclick: () => input.click() }),
    text("label", "chooseFile", { htmlFor: "file", className: "sr-only" }),
    input,
    element("p", { className: "quiet-text", textContent: types.join(" ") }),
  );
  const take = (files) => [...files].forEach((file) => translate(file, languages, jobs));
  input.addEventListener("change", () => (take(input.files), (input.value = "")));
  for (const name of ["dragover", "dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.toggle("over", name === "dragover"));
  root.replaceChildren(text("h2", "documents", { id: "documents-title" }), drop, jobs);
  return take;
}

async function translate(file, languages, jobs) {
  const label = element("span", { textContent: say("fileQueued", { name: file.name }) });
  const bar = element("progress", { ariaLabel: file.name });
  const row = element("li", {}, label, bar);
  label.setAttribute("role", "status");
  jobs.prepend(row);
  const { target } = languages;
  const tell = (problem) => (label.textContent = say("fileFailed", { name: file.name, reason: problem }));
  try {
    const form = new FormData();
    form.append("target_lang", target.toUpperCase());
    if (languages.source !== "auto") {
      form.append("source_lang", languages.source.toUpperCase());
      const kept = Object.entries(withMemory(withTerms({ source: languages.source, target })));
      for (const [name, value] of kept) if (/_(id|threshold)$/.test(name)) form.append(name, value);
    }
    form.append("file", file);
    const { document_id: id, document_key: key } = await patiently(() => ask("v2/document", { body: form }), tell);
    const body = { document_key: key };
    await done(`v2/document/${id}`, body, tell, (status, share) => {
      label.textContent = say(status === "queued" ? "fileQueued" : "fileTranslating", { name: file.name });
      if (share !== null) bar.value = share;
    });
    const content = await patiently(async () => (await send(`v2/document/${id}/result`, { body })).blob(), tell);
    const name = file.name.replace(/(\.[^.]*)?$/, `.${target}$1`);
    label.textContent = say("fileDone", { name: file.name });
    bar.replaceWith(element("button", { type: "button", textContent: `${say("save")}: ${name}`, onclick: () => save(name, content) }));
  } catch (error) {
    bar.remove();
    row.classList.add("failed");
    tell(reason(error));
  }
}

/** Asks until there is an answer: while the server is away or busy, it tells `problem` why, and asks again. */
async function patiently(request, problem) {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const delayMs = retryDelayMs(error);
      if (delayMs === null) throw error;
      problem(say(error.status ? "busy" : "unreachable"));
      await pause(delayMs);
    }
  }
}

function pause(durationMs) {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

/** Asks for the status until the document is done; tells `progress` the status and the share that is done, or null. */
async function done(path, body, problem, progress) {
  for (let longestS = 0; ; ) {
    const { status, seconds_remaining: leftS, message, error_message: sentence, detail } = await patiently(() => ask(path, { body }), problem);
    if (status === "error") throw new ServerError(errorSentence(detail, message ?? sentence), { code: detail });
    if (status === "done") return;
    longestS = Math.max(longestS, leftS ?? 0);
    progress(status, leftS ? 1 - leftS / longestS : null);
    await pause(POLL_MS);
  }
}
