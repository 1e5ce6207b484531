// The review desk: a document, sentence by sentence, with what there is beside each.

import { patiently, reason, send } from "./api.js";
import { Chooser } from "./chooser.js";
import { button, field, text } from "./controls.js";
import { commands, DeskSide, keys } from "./deskside.js";
import { byId, element } from "./dom.js";
import { direction, number, say } from "./i18n.js";
import { makeMemory, readMemories, saveEntry } from "./memories.js";
import { memoryOf, useMemory } from "./memorychoice.js";
import { remember, remembered } from "./preferences.js";
import { REVIEW, ReviewedDocument } from "./reviewed.js";
import { save, translatedName } from "./share.js";
import { DOUBTFUL_BELOW } from "./targetview.js";

const ROWS_OF_PAGE = 50; // a document may have thousands of sentences
const NONE = "";
const THRESHOLDS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const STATES = { confirmed: "state_confirmed", check: "state_check", changed: "state_changed" };
const STYLE = new URL("../css/desk.css", import.meta.url).href;
const narrow = matchMedia("(max-width: 60rem)");

/** Loads the style sheet of the desk, which the page has no other use for. */
export function loadStyle() {
  if (document.querySelector(`link[href="${STYLE}"]`)) return undefined;
  const link = element("link", { rel: "stylesheet", href: STYLE });
  const loaded = new Promise((resolve) => (link.onload = link.onerror = resolve));
  document.head.append(link);
  return loaded;
}

/** Shows a `ReviewedDocument` in the place of the page until it is closed. */
export class Desk {
  #root = byId("desk");
  #document;
  #pair;
  #shown = [];
  #page = 0;
  #current = null;
  #rows = new Map(); // the textareas of the shown page, by sentence
  #list = element("ol", { className: "sentences" });
  #layout = element("div", { className: "desk" });
  #aside = element("aside", { ariaLabel: say("aboutSentence") });
  #side;
  #progress = element("p", { className: "quiet-text status" });
  #said = element("p", { className: "quiet-text status" });
  #pages = element("nav", { className: "pages" });
  #only;
  #below;
  #marks;
  #memories;
  #waiting = []; // pairs for the memory, while the server is away
  #closed;

  /** `closed()` is called at the end; the server keeps memories if `hasMemories`. */
  constructor(reviewed, { hasMemories, closed }) {
    const { pair } = reviewed;
    this.#document = reviewed;
    this.#pair = pair;
    this.#closed = closed;
    this.#side = new DeskSide(this.#aside, { pair, use: (translation) => this.#use(translation) });
    for (const line of [this.#progress, this.#said]) line.setAttribute("role", "status");
    this.#pages.setAttribute("aria-label", say("pages"));
    const { control, label } = field("only-doubtful", "onlyDoubtful", { type: "checkbox" });
    this.#only = control;
    control.addEventListener("change", () => this.#filter());
    const { control: below, label: belowLabel } = field("doubtful-below", "doubtfulBelow", { name: "select" });
    below.append(...THRESHOLDS.map((value) => new Option(value ? `${number(100 * value)} %` : say("failedChecksOnly"), String(value))));
    below.value = remembered("doubt") ?? String(DOUBTFUL_BELOW);
    below.addEventListener("change", () => this.#doubt());
    reviewed.doubtfulBelow = Number(below.value);
    this.#below = below;
    const isMarked = reviewed.marks === "states"; // a letter is sent without comments
    const { control: marks, label: marksLabel } = field("write-marks", isMarked ? "writeStates" : "writeComments", { type: "checkbox", checked: isMarked });
    marksLabel.hidden = !reviewed.marks;
    this.#marks = marks;
    const choose = { choose: (id) => this.#choose(id || null), make: (name) => this.#make(name) };
    this.#memories = new Chooser("desk-memory", { label: "correctionsInto", make: "newMemory" }, choose);
    this.#memories.root.hidden = true;
    if (hasMemories) this.#fillMemories();
    const moves = { previousSentence: () => this.#step(-1), nextSentence: () => this.#step(1), nextDoubtful: () => this.#nextDoubtful(), confirmSentence: () => this.#confirm() };
    const title = element("h2", { id: "desk-title", textContent: reviewed.file.name });
    const head = element(
      "header",
      {},
      element("div", { className: "title" }, title, text("button", "saveDocument", { type: "button", className: "main", onclick: () => this.#save() }), button("saveReview", () => this.#saveForLater()), button("closeDesk", () => this.close())),
      element("div", { className: "bar" }, this.#memories.root, element("div", { className: "controls" }, label, belowLabel, marksLabel), commands(moves)),
      element("div", { className: "told" }, this.#progress, this.#said),
    );
    this.#layout.append(element("div", {}, this.#list, this.#pages, keys()), this.#aside);
    this.#root.replaceChildren(head, this.#layout);
    this.#root.onkeydown = (event) => this.#key(event);
    narrow.onchange = () => this.#place();
  }

  open() {
    document.body.classList.add("at-desk");
    this.#root.hidden = false;
    scrollTo(0, 0);
    this.#filter();
  }

  close() {
    narrow.onchange = null;
    this.#side.show(null);
    this.#root.hidden = true;
    this.#root.replaceChildren();
    document.body.classList.remove("at-desk");
    this.#closed();
  }

  /** Shows all sentences or the doubtful ones, and goes to the first that is left. */
  #filter() {
    this.#shown = this.#document.shown(this.#only.checked);
    const first = this.#shown.find(({ isConfirmed }) => !isConfirmed) ?? this.#shown[0] ?? null;
    if (first) this.#go(first, [this.#only, this.#below].some((control) => control.matches(":focus")));
    else this.#empty();
  }

  /** Finds sentences doubtful as the user wants it, from now on. */
  #doubt() {
    const { value } = this.#below;
    remember("doubt", Number(value) === DOUBTFUL_BELOW ? null : value);
    this.#document.doubtfulBelow = Number(value);
    if (this.#only.checked) {
      this.#rows.clear(); // as many others may be shown now
      return this.#filter();
    }
    for (const sentence of this.#rows.keys()) this.#mark(sentence);
    this.#side.show(this.#current);
    return this.#tell();
  }

  #empty() {
    this.#current = null;
    this.#side.show(null);
    this.#rows.clear();
    this.#list.replaceChildren(text("li", "nothingDoubtful", { className: "quiet-text" }));
    this.#pages.replaceChildren();
    this.#tell();
  }

  /** Goes to a sentence; `staysAtControl` leaves the focus where it is. */
  #go(sentence, staysAtControl = false) {
    const page = Math.floor(this.#shown.indexOf(sentence) / ROWS_OF_PAGE);
    if (page !== this.#page || !this.#rows.has(sentence) || this.#rows.size !== this.#shownOn(page).length) this.#draw(page);
    if (staysAtControl) this.#enter(sentence);
    else this.#rows.get(sentence).focus();
    this.#rows.get(sentence).closest("li").scrollIntoView({ block: "nearest" });
  }

  #shownOn(page) {
    return this.#shown.slice(page * ROWS_OF_PAGE, (page + 1) * ROWS_OF_PAGE);
  }

  #draw(page) {
    this.#page = page;
    this.#rows.clear();
    this.#list.replaceChildren(...this.#shownOn(page).map((sentence) => this.#row(sentence)));
    for (const area of this.#rows.values()) fit(area);
    const last = Math.ceil(this.#shown.length / ROWS_OF_PAGE);
    const turn = (step) => () => this.#go(this.#shown[(this.#page + step) * ROWS_OF_PAGE]);
    const where = element("span", { textContent: say("pageOf", { page: number(page + 1), pages: number(last) }) });
    this.#pages.hidden = last < 2;
    this.#pages.replaceChildren(button("previousPage", turn(-1), { disabled: page === 0 }), where, button("nextPage", turn(1), { disabled: page + 1 === last }));
    this.#tell();
  }

  #row(sentence) {
    const { source, target } = this.#pair;
    const { index } = sentence;
    const id = `source-${index}`;
    const area = element("textarea", { rows: 1, value: sentence.current, lang: target, dir: direction(target), readOnly: sentence.isFixed, spellcheck: true });
    area.setAttribute("aria-label", say("translationOf", { number: number(index + 1) }));
    area.setAttribute("aria-describedby", id);
    area.addEventListener("focus", () => this.#enter(sentence));
    area.addEventListener("input", () => this.#edited(sentence, area));
    const text = element("p", { id, lang: source, dir: direction(source), textContent: sentence.source });
    const row = element("li", { onclick: (event) => event.target.closest("textarea, button, aside") || area.focus() }, element("span", { className: "number", textContent: number(index + 1) }), text, area, element("span", { className: "state" }));
    this.#rows.set(sentence, area);
    this.#mark(sentence);
    return row;
  }

  /** Shows the state of a sentence beside it. */
  #mark(sentence) {
    const row = this.#rows.get(sentence)?.closest("li");
    if (!row) return;
    const isLacking = ReviewedDocument.lost(sentence).length > 0;
    const state = isLacking ? "check" : sentence.isConfirmed ? "confirmed" : sentence.isDoubtful ? "check" : sentence.current === sentence.translation ? "open" : "changed";
    row.dataset.state = state;
    row.querySelector(".state").textContent = STATES[state] ? say(STATES[state]) : "";
  }

  #enter(sentence) {
    this.#rows.get(this.#current)?.closest("li").removeAttribute("aria-current");
    this.#current = sentence;
    this.#rows.get(sentence).closest("li").setAttribute("aria-current", "true");
    this.#place();
    this.#side.show(sentence);
    this.#tell();
  }

  /** Puts what is known of the sentence beside the list, or below the sentence where there is no room. */
  #place() {
    const place = narrow.matches ? this.#rows.get(this.#current)?.closest("li") : this.#layout;
    if (place && this.#aside.parentElement !== place) place.append(this.#aside);
  }

  #edited(sentence, area) {
    this.#document.edit(sentence, area.value);
    fit(area);
    this.#mark(sentence);
    this.#side.show(sentence);
    this.#tell();
  }

  #use(translation) {
    const sentence = this.#current;
    const area = this.#rows.get(sentence);
    area.value = translation;
    this.#edited(sentence, area);
    area.focus();
  }

  #confirm() {
    const sentence = this.#current;
    if (!sentence) return;
    if (!sentence.isFixed) {
      const others = this.#document.confirm(sentence);
      for (const other of [sentence, ...others]) {
        const area = this.#rows.get(other);
        if (area) area.value = other.current;
        this.#mark(other);
      }
      this.#said.textContent = others.length ? say("sameChanged", { count: number(others.length) }) : "";
      this.#keep(sentence);
    }
    this.#step(1);
  }

  #step(by) {
    const next = this.#shown[this.#shown.indexOf(this.#current) + by];
    if (next) this.#go(next);
    else this.#tell();
  }

  #nextDoubtful() {
    const from = this.#shown.indexOf(this.#current) + 1;
    const order = [...this.#shown.slice(from), ...this.#shown.slice(0, from)];
    const next = order.find(({ isDoubtful, isConfirmed }) => isDoubtful && !isConfirmed);
    if (next) this.#go(next);
    else this.#said.textContent = say("nothingDoubtful");
  }

  #tell() {
    const { all, confirmed, doubtful } = this.#document.counts;
    this.#progress.textContent = say("deskProgress", { all: number(all), confirmed: number(confirmed), doubtful: number(doubtful) });
  }

  /** Saves a confirmed sentence in the chosen memory, and those before it that could not be saved. */
  async #keep({ source, current }) {
    const id = memoryOf(this.#pair);
    if (!id || this.#memories.root.hidden) return;
    this.#waiting.push({ source, target: current.trim() });
    for (const pair of this.#waiting.splice(0)) {
      try {
        await saveEntry(id, pair);
        this.#side.forget();
      } catch (error) {
        if (error.status === undefined || error.status === 503) this.#waiting.push(pair); // with the next one
        this.#said.textContent = say("notInMemory", { reason: reason(error) });
      }
    }
  }

  async #save() {
    const tell = (problem) => (this.#said.textContent = problem);
    tell(say("savingDocument"));
    try {
      const response = await patiently(() => send("correct_file", { body: this.#document.corrections(this.#marks.checked) }), tell);
      save(translatedName(this.#document.file.name, this.#pair.target, response), await response.blob());
      this.#document.saved();
      tell(say("documentSaved"));
    } catch (error) {
      tell(say("fileFailed", { name: this.#document.file.name, reason: reason(error) }));
    }
  }

  /** Saves a file by which the review goes on another day, in any browser. */
  async #saveForLater() {
    const { name } = this.#document.file;
    try {
      save(`${name}${REVIEW}`, await this.#document.forLater());
      this.#document.saved();
      this.#said.textContent = say("reviewSaved");
    } catch (error) {
      this.#said.textContent = say("fileFailed", { name, reason: error.message });
    }
  }

  async #fillMemories() {
    try {
      const memories = await readMemories(this.#pair);
      const chosen = memories.some(({ id }) => id === memoryOf(this.#pair)) ? memoryOf(this.#pair) : NONE;
      this.#memories.fill([[NONE, say("noMemory")], ...memories.map(({ id, name }) => [id, name])], chosen);
      this.#memories.root.hidden = false;
    } catch (error) {
      console.warn("the memories could not be read:", error.message);
    }
  }

  #choose(id) {
    useMemory(this.#pair, id);
    this.#side.forget();
  }

  async #make(name) {
    try {
      this.#choose((await makeMemory(this.#pair, name)).id);
      await this.#fillMemories();
    } catch (error) {
      this.#said.textContent = reason(error);
    }
  }

  #key(event) {
    const { key, code, altKey, isComposing, target } = event;
    const isText = target.matches("textarea");
    if (isComposing) return;
    if (isText && key === "Enter") this.#confirm();
    else if (altKey && key === "ArrowDown") this.#step(1);
    else if (altKey && key === "ArrowUp") this.#step(-1);
    else if (altKey && code === "KeyN") this.#nextDoubtful();
    else if (altKey && code === "KeyA") /** @type {HTMLElement} */ (this.#aside.querySelector("button"))?.focus();
    else if (key === "Escape" && this.#aside.contains(target)) this.#rows.get(this.#current).focus();
    else return;
    event.preventDefault();
  }
}

/** Makes a text area as high as its text, where style sheets can't. */
function fit(area) {
  if (CSS.supports("field-sizing", "content")) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight + 2}px`;
}
