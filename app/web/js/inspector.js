// The panel that looks inside a sentence: its alignment, the attention of every head, and the steps of the beam search.

import { reason } from "./api.js";
import { element } from "./dom.js";
import { alignmentMap, heatMap, searchTree } from "./drawings.js";
import { say } from "./i18n.js";

const VIEWS = ["alignment", "attention", "beam"];
const KINDS = ["cross", "encoder", "decoder"];

export class Inspector {
  #root;
  #button;
  #translator;
  #part = null;
  #view = "alignment";
  #chosen = { kind: "cross", layer: 0, head: 0 };
  #inspection = null; // the server's answer about the part
  #asking = null;

  constructor(root, button, translator) {
    this.#root = root;
    this.#button = button;
    this.#translator = translator;
  }

  /** Shows a sentence, or how to choose one; without one, closes the panel if it is open. */
  open(part) {
    if (!part && !this.#root.hidden) return this.#close();
    if (part !== this.#part) this.#inspection = null;
    this.#part = part;
    this.#root.hidden = false;
    this.#button.setAttribute("aria-expanded", "true");
    this.#draw();
    this.#root.scrollIntoView({ block: "nearest" });
  }

  /** Says everything again, in the language of now. */
  refresh() {
    if (!this.#root.hidden) this.#draw();
  }

  #close() {
    this.#asking?.abort();
    this.#root.hidden = true;
    this.#button.setAttribute("aria-expanded", "false");
    this.#button.focus();
  }

  async #draw() {
    this.#asking?.abort();
    if (!this.#part) return this.#show(say("inspectHint"));
    if (this.#view === "alignment") return this.#show(say("alignmentExplained"), this.#drawing(alignmentMap(this.#part, say("alignment"))));
    const { signal } = (this.#asking = new AbortController());
    try {
      if (!this.#inspection) {
        this.#show(say("loading"));
        this.#inspection = await this.#translator.inspect(this.#part, signal);
      }
      if (this.#view === "beam") this.#show(say("beamExplained"), this.#drawing(searchTree(this.#inspection.search, say("beam"))));
      else if (!this.#inspection.attention) this.#show(say("noAttention"));
      else this.#show(say(`${this.#chosen.kind}Explained`), ...this.#attention());
    } catch (error) {
      if (!signal.aborted) this.#show(say("inspectFailed", { reason: reason(error) }));
    }
    return undefined;
  }

  /** The lists to choose a head from, and its map. */
  #attention() {
    const { source, attention } = this.#inspection;
    const { kind } = this.#chosen;
    const layers = attention[kind].length;
    const layer = Math.min(this.#chosen.layer, layers - 1);
    const heads = attention[kind][layer].length;
    const head = Math.min(this.#chosen.head, heads - 1);
    const numbers = (count, name) => Array.from({ length: count }, (_, index) => [index, say(name, { number: index + 1 })]);
    const controls = element(
      "div",
      { className: "controls" },
      this.#list("kind", KINDS.map((each) => [each, say(each)]), kind, (value) => ({ kind: value })),
      this.#list("layer", numbers(layers, "layerNumber"), layer, (value) => ({ layer: Number(value) })),
      this.#list("head", numbers(heads, "headNumber"), head, (value) => ({ head: Number(value) })),
    );
    const written = [...attention.target.slice(1), "</s>"]; // what the decoder made when it looked
    const [rows, columns] = { encoder: [source, source], decoder: [written, attention.target], cross: [written, source] }[kind];
    const [down, across] = [rows, columns].map((pieces) => pieces.map((piece) => piece.trim() || "␣"));
    const name = `${say(kind)}, ${say("layerNumber", { number: layer + 1 })}, ${say("headNumber", { number: head + 1 })}`;
    return [controls, this.#drawing(heatMap({ rows: down, columns: across, weights: attention[kind][layer][head], name }))];
  }

  #list(name, options, chosen, change) {
    const select = element("select", { id: `attention-${name}` }, ...options.map(([value, text]) => new Option(text, value, false, value === chosen)));
    select.addEventListener("change", () => {
      Object.assign(this.#chosen, change(select.value));
      select.focus();
      this.#draw();
    });
    return element("label", {}, say(name), select);
  }

  #drawing(drawing) {
    const frame = element("div", { className: "drawing", tabIndex: 0 }, drawing);
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", say(this.#view));
    return frame;
  }

  #show(text, ...content) {
    const views = VIEWS.map((view) => {
      const button = element("button", { type: "button", className: "quiet", id: `view-${view}`, textContent: say(view), disabled: !this.#part });
      button.setAttribute("aria-pressed", String(view === this.#view));
      button.addEventListener("click", () => {
        this.#view = view;
        button.focus();
        this.#draw();
      });
      return button;
    });
    const title = element("h2", { id: "inspector-title", textContent: say("inspect") });
    const close = element("button", { type: "button", className: "quiet", textContent: say("close"), onclick: () => this.#close() });
    const header = element("header", {}, title, close);
    const focused = this.#root.contains(document.activeElement) && document.activeElement.id;
    this.#root.replaceChildren(header, element("div", { className: "views" }, ...views), element("p", { className: "quiet-text", role: "status", textContent: text }), ...content);
    if (focused) this.#root.querySelector(`#${focused}`)?.focus();
  }
}
