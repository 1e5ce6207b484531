// The translation page: makes its parts and joins them.

import { Actions } from "./actions.js";
import { base, reason, retryDelayMs } from "./api.js";
import { isFromMemory } from "./document.js";
import { byId, onFrame } from "./dom.js";
import { Explorer } from "./explore.js";
import { direction, number, say, uiLanguage, useLanguage } from "./i18n.js";
import { Languages } from "./languages.js";
import { AlternativesMenu } from "./menu.js";
import { findOnlySame, serveMemories, useMemory } from "./memorychoice.js";
import { Later, Panel, Tab } from "./panels.js";
import { remember, remembered } from "./preferences.js";
import { scrollTogether } from "./scrolling.js";
import { fromAddress } from "./share.js";
import { SourceView } from "./sourceview.js";
import { Store } from "./store.js";
import { TargetView } from "./targetview.js";
import { BROWSER, chosenGlossary, chosenRegister, useGlossary, useRegister } from "./terms.js";
import { Translator } from "./translator.js";

// Pasted markup with one of these is worth keeping.
const FORMATTING = /<(a\s[^>]*href|b|blockquote|code|em|h[1-6]|i|mark|ol|pre|strong|su[bp]|table|u|ul)[\s>]/i;

await useLanguage();
const area = byId("source-text", HTMLTextAreaElement);
const output = byId("output");
const formality = byId("formality", HTMLSelectElement);
const store = new Store();
const translator = new Translator();
const languages = new Languages(byId("source-language"), byId("target-language"));
const source = new SourceView(area, byId("mirror"));
const target = new TargetView(output);
const explorer = new Explorer({ translator, source, target, root: output, area, note: byId("note") });
const rich = new Later(loadRich, { isOpen: false }); // until something formatted is pasted
const inspector = new Later(async () => new (await import("./inspector.js")).Inspector(byId("inspector"), byId("look"), translator));
const actions = new Actions({ translator, languages, source, rich: () => rich.current });
const menu = new AlternativesMenu(byId("menu"), translator, {
  choose: (part, text) => actions.put(part, text),
  inspect: showInspector,
  edit: editSentence,
});
const documents = new Tab("documents", async (root) => (await import("./documents.js")).fillDocuments(root, languages, store.fileTypes, openDesk));
const glossary = new Panel("glossary", async (root) => (await import("./glossary.js")).fillGlossary(root, { pair, changed: translateAgain, changes: onPairChange, isStored: store.keepsGlossaries }));
const memory = new Panel("memory", async (root) => (await import("./memory.js")).fillMemory(root, { pair, changed: translateAgain, changes: onPairChange }));
const drawSoon = onFrame(draw);

function draw() {
  if (output.lang !== languages.target) {
    output.lang = languages.target; // a browser restyles everything below, also where the language is the same
    output.dir = direction(languages.target);
  }
  if (!target.draw(translator.text.parts, say("targetPlaceholder"))) drawSoon();
  explorer.follow();
  output.setAttribute("aria-busy", String(translator.state === "working"));
  actions.refresh();
  showHits();
  showHint();
}

function showState() {
  const { state, error, detected } = translator;
  if (goesOnWithout(error)) return;
  actions.working(state === "working");
  if (error) complain(error);
  else if (state === "idle" && !store.isTooLong) notify("");
  const isKnown = languages.source === "auto" && detected?.confidence > 0;
  const values = isKnown && { language: languages.name(detected.language), confidence: Math.round(detected.confidence) };
  byId("pivot").textContent = translator.pivot ? say("pivot", { language: languages.name(translator.pivot) }) : "";
  byId("detected").textContent = isKnown ? say("detected", values) : "";
  if (isKnown && languages.avoid(detected)) {
    actions.say(say("switched", { source: values.language, target: languages.name(languages.target) }));
  }
  drawSoon();
}

/** Says why there is no translation, and asks for a key where one is missing. */
function complain(error) {
  if (retryDelayMs(error) === null) notify(say("failed", { reason: reason(error) }), "bad");
  else notify(say(error.status ? "busy" : "unreachable"));
  if (error.code !== "key_required" && error.code !== "invalid_key") return;
  byId("key-form").hidden = false;
  byId("key-button").setAttribute("aria-expanded", "true");
}

function notify(text, kind = "") {
  byId("notice").className = `notice ${kind}`;
  byId("notice").hidden = !text;
  if (byId("notice-text").textContent !== text) byId("notice-text").textContent = text;
}

function showCount() {
  const { charLimit } = store;
  const count = area.value.length > charLimit / 2 ? [...area.value].length : area.value.length;
  const values = { count: number(count), limit: number(charLimit) };
  byId("count").textContent = count ? say(count > charLimit / 2 ? "charactersOf" : "characters", values) : "";
  return count <= charLimit;
}

/** @param {{ isComposing?: boolean, now?: boolean }} [how] */
function edit({ isComposing = false, now = false } = {}) {
  if (isComposing) return;
  const wasTooLong = store.isTooLong;
  store.isTooLong = !showCount();
  if (store.isTooLong) return notify(say("tooLong", { limit: number(store.charLimit) }), "bad");
  if (wasTooLong) showState();
  return languages.target && translator.edit(source.value, { now });
}

async function paste(event) {
  const html = event.clipboardData.getData("text/html");
  const isEverything = area.selectionStart === 0 && area.selectionEnd === area.value.length;
  if (!isEverything || !FORMATTING.test(html)) return;
  const text = event.clipboardData.getData("text/plain");
  event.preventDefault();
  const before = area.value;
  const isLoaded = await rich.load().then(() => true, () => false);
  // Without its formatting rather than not at all, or in the place of what was typed meanwhile.
  if (isLoaded && area.value === before) actions.format(html);
  else source.insert(text);
}

async function loadRich() {
  const panes = [byId("rich-source"), byId("rich-output")];
  const pair = () => ({ source: translator.language ?? "auto", target: languages.target });
  const detect = async (text, signal) => {
    if (languages.source === "auto") await translator.detect(text, signal);
    translator.check();
  };
  const text = new (await import("./rich.js")).RichText({ source: panes[0], output: panes[1], languages: pair, detect, note: byId("note") });
  text.addEventListener("change", () => (notify(""), actions.refresh()));
  text.addEventListener("failed", (/** @type {any} */ { detail: error }) => goesOnWithout(error) || complain(error));
  scrollTogether(...panes.map((scroller) => ({ scroller, lines: () => [...scroller.children] })));
  return text;
}

/** The languages of the panels; while that of the text is unknown, the one that it will most likely be in. */
function pair() {
  const { target: into } = translator;
  const from = translator.language ?? languages.likelySource;
  return { source: from, target: into, name: from && `${languages.name(from)} → ${languages.name(into)}` };
}

function onPairChange(draw) {
  const now = () => `${uiLanguage} ${pair().name}`;
  let drawn = now();
  const check = () => now() !== drawn && ((drawn = now()), draw());
  translator.addEventListener("state", check);
}

function translateAgain() {
  translator.renew();
  if (rich.current.isOpen) rich.current.again();
}

/** Goes on without a glossary or memory that somebody else has removed, or that the server can't search; returns whether it does. */
function goesOnWithout(error) {
  if (error?.code === "glossary_not_found") useGlossary(BROWSER);
  else if (error?.code === "extra_missing") findOnlySame();
  else if (error?.code === "memory_not_found") useMemory(pair(), null);
  else return false;
  glossary.refresh();
  memory.refresh();
  translateAgain();
  return true;
}

/** Says how many sentences are from the memory. */
function showHits() {
  const matched = translator.text.parts.filter(({ match }) => match);
  const used = matched.filter(isFromMemory).length;
  byId("hits").textContent = matched.length ? say("memoryHits", { used: number(used), offered: number(matched.length - used) }) : "";
}

/** Offers how to address the reader where the target language tells ways apart. */
function showFormality() {
  formality.hidden = !store.formality.includes(languages.target);
  formality.value = chosenRegister();
}

async function showFoot() {
  showFormality();
  const { fillFoot } = await import("./foot.js");
  await fillFoot(byId("foot"), store.operator, { ...pair(), target: languages.target });
}

/** Says that words can be clicked, until somebody has done it. */
function showHint() {
  byId("hint").hidden = rich.current.isOpen || Boolean(remembered("clicked")) || !translator.text.target.trim() || translator.state !== "idle";
}

function changeLanguages() {
  showFoot();
  translator.choose(languages.source, languages.target);
  if (rich.current.isOpen) rich.current.again();
  showState();
}

function resume() {
  if (rich.current.isOpen) rich.current.resume();
  else translator.resume();
}

async function showInspector(part) {
  (await inspector.load()).open(part);
}

/** Takes the text and the languages of a link. */
function readAddress() {
  const { text, ...pair } = fromAddress();
  store.wanted = pair;
  if (text) source.replace(text);
}

async function load() {
  notify("");
  try {
    const offer = await store.load();
    if (!offer) return;
    if (store.knowsKeys) await offerKey();
    languages.fill(offer.served, store.wanted, offer.settings);
    store.wanted = {};
    showOffer();
    await restoreGlossary();
    translator.choose(languages.source, languages.target);
    edit({ now: true });
  } catch (error) {
    console.warn("the page could not load:", error.message);
    notify(say("noLanguages"), "bad");
  }
}

async function offerKey() {
  const [form, button] = [byId("key-form"), byId("key-button")];
  const changed = () => load().then(translateAgain);
  (await import("./keyform.js")).offerKey({ form, button, isRequired: store.needsKey, changed });
}

/** Shows what this server can do, and nothing else. */
function showOffer() {
  showFoot();
  byId("operator").hidden = !store.hasOperator;
  documents.isOffered = store.fileTypes.length > 0;
  glossary.isOffered = true;
  glossary.refresh();
  memory.isOffered = store.keepsMemories;
  serveMemories(store.keepsMemories);
  memory.refresh();
}

/** Shows a document sentence by sentence. */
async function openDesk(reviewed, closed) {
  const { Desk, loadStyle } = await import("./desk.js");
  await loadStyle();
  new Desk(reviewed, { hasMemories: store.keepsMemories, closed: () => (memory.refresh(), closed()) }).open();
}

/** The form to edit a sentence with. */
async function editSentence(part, close) {
  const { sentenceEditor } = await import("./sentenceeditor.js");
  const choose = (text) => actions.put(part, text);
  const { keepsMemories: hasMemories, takesSuggestions } = store;
  const options = { pair: pair(), choose, close, saved: () => memory.refresh(), hasMemories, takesSuggestions };
  return sentenceEditor(part, options);
}

/** Uses the glossary that was chosen last. */
async function restoreGlossary() {
  if (chosenGlossary() === BROWSER) return;
  if (store.keepsGlossaries) await (await import("./glossaries.js")).restoreGlossary();
  else useGlossary(BROWSER);
}

/** A file that is dropped anywhere is translated. */
async function dropFiles(event) {
  if (!documents.isOffered || !event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  const { files } = event.dataTransfer;
  if (event.type === "drop") (await documents.open())(files);
}

/** Shows the page in another language, if its texts come. */
async function changeInterface() {
  try {
    await useLanguage();
  } catch {
    return notify(say("away"));
  }
  inspector.current?.refresh();
  return load();
}

// A part of the page that is loaded on demand did not come.
addEventListener("unhandledrejection", (event) => {
  if (!/import|module/i.test(event.reason?.message ?? "")) return;
  event.preventDefault();
  notify(say("away"));
});
translator.addEventListener("change", drawSoon);
translator.addEventListener("state", showState);
languages.addEventListener("change", changeLanguages);
onPairChange(showFoot);
formality.addEventListener("change", () => {
  useRegister(formality.value);
  translateAgain();
});
explorer.addEventListener("open", (/** @type {any} */ { detail }) => {
  remember("clicked", "yes");
  showHint();
  const box = target.box(detail.part, detail.begin, detail.end);
  if (box) menu.open({ ...detail, box });
});
byId("look").addEventListener("click", () => showInspector(explorer.part));
area.addEventListener("input", (/** @type {any} */ event) => edit(event));
area.addEventListener("compositionend", () => edit());
area.addEventListener("paste", paste);
byId("notice-again").addEventListener("click", () => (languages.target ? resume() : load()));
scrollTogether({ scroller: byId("plain-source"), lines: () => source.lines }, { scroller: output, lines: () => [...output.children] });
const interfaces = byId("ui-language", HTMLSelectElement);
interfaces.value = uiLanguage;
interfaces.addEventListener("change", () => {
  remember("ui", interfaces.value);
  changeInterface();
});
for (const name of ["dragover", "drop"]) addEventListener(name, dropFiles);
addEventListener("hashchange", () => (readAddress(), load()));
addEventListener("online", resume);
for (const link of document.querySelectorAll("nav a")) link.setAttribute("href", new URL(link.getAttribute("href"), base).href);
readAddress();
load();
