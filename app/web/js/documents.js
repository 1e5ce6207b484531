// Documents: dropped or chosen, translated by the server's document endpoints (DeepL's contract), saved.

import { ask, patiently, pause, reason, send, ServerError } from "./api.js";
import { button, text } from "./controls.js";
import { element } from "./dom.js";
import { errorSentence, say } from "./i18n.js";
import { withMemory } from "./memorychoice.js";
import { REVIEW, ReviewedDocument } from "./reviewed.js";
import { save, translatedName } from "./share.js";
import { withTerms } from "./terms.js";

const POLL_MS = 1000;

/**
 * Fills the panel for files of these types (".docx", …); returns a function that takes files. `review(document, closed)` opens
 * the desk for a `ReviewedDocument`.
 */
export function fillDocuments(root, languages, types, review) {
  const jobs = element("ul", { className: "jobs" });
  const input = element("input", { type: "file", accept: [...types, REVIEW].join(","), className: "sr-only", id: "file", multiple: true, tabIndex: -1 });
  const drop = element(
    "div",
    { className: "drop" },
    text("p", "dropFile"),
    text("button", "chooseFile", { type: "button", onclick: () => input.click() }),
    text("label", "chooseFile", { htmlFor: "file", className: "sr-only" }),
    input,
    element("p", { className: "quiet-text", textContent: types.join(" ") }),
  );
  const take = (files) => {
    for (const file of files) file.name.endsWith(REVIEW) ? resume(file, jobs, review) : translate(file, languages, jobs, review);
  };
  input.addEventListener("change", () => (take(input.files), (input.value = "")));
  for (const name of ["dragover", "dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.toggle("over", name === "dragover"));
  root.replaceChildren(drop, jobs);
  return take;
}

async function translate(chosen, languages, jobs, review) {
  const file = await inMemory(chosen);
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
      for (const [name, value] of kept) if (/_(id|threshold)$|^formality$/.test(name)) form.append(name, value);
    }
    form.append("for_review", "true");
    form.append("file", file, file.name);
    const { document_id: id, document_key: key } = await patiently(() => ask("v2/document", { body: form }), tell);
    const body = { document_key: key };
    await done(`v2/document/${id}`, body, tell, (status, share) => {
      label.textContent = say(status === "queued" ? "fileQueued" : "fileTranslating", { name: file.name });
      if (share !== null) bar.value = share;
    });
    const sentences = await patiently(() => readSentences(id, body), tell); // the download deletes them
    const response = await patiently(() => send(`v2/document/${id}/result`, { body }), tell);
    const content = await response.blob();
    const name = translatedName(file.name, target, response);
    label.textContent = say("fileDone", { name: file.name });
    bar.replaceWith(
      ...(sentences ? [reviewButton(new ReviewedDocument(file, target, sentences), review)] : []),
      element("button", { type: "button", textContent: `${say("save")}: ${name}`, onclick: () => save(name, content) }),
    );
  } catch (error) {
    bar.remove();
    row.classList.add("failed");
    tell(error.code === "document_not_found" ? say("fileExpired") : reason(error));
  }
}

/** Goes on with a review that was saved for later. */
async function resume(file, jobs, review) {
  const label = element("span", { textContent: file.name });
  const row = element("li", {}, label);
  label.setAttribute("role", "status");
  jobs.prepend(row);
  try {
    const open = reviewButton(await ReviewedDocument.read(file), review);
    row.append(open);
    open.click();
  } catch {
    row.classList.add("failed");
    label.textContent = say("fileFailed", { name: file.name, reason: say("noReview") });
  }
}

/** A copy: what is on the disk may change before the corrections go into it. */
async function inMemory(file) {
  try {
    return new File([await file.arrayBuffer()], file.name);
  } catch {
    return file; // the upload says what is wrong
  }
}

/** The sentences of a document; null if there are none to review. */
async function readSentences(id, body) {
  try {
    const review = await ask(`v2/document/${id}/sentences`, { body });
    return review.sentences.length ? review : null;
  } catch (error) {
    if (error.status === 404) return null; // too many
    throw error;
  }
}

function reviewButton(document, review) {
  const open = button("review", () => review(document, () => open.focus()));
  open.setAttribute("aria-label", `${say("review")}: ${document.file.name}`);
  addEventListener("beforeunload", (event) => document.isUnsaved && event.preventDefault());
  return open;
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
