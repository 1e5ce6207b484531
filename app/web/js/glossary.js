// The glossary of the chosen pair: terms to look up, add, change and remove.

import { element } from "./dom.js";
import { learn, say } from "./i18n.js";
import { MESSAGES } from "./panelmessages.js";
import { keepTerms, termsOf } from "./terms.js";

const LONGEST_TERM = 500; // as the server has it

/** Fills the panel. `pair()` returns { source, target, name }, source null where it is unknown; `changed()` is called. */
export function fillGlossary(root, { pair, changed, changes }) {
  learn(MESSAGES);
  const field = (id, message, properties) => {
    const input = element("input", { type: "text", id, autocomplete: "off", ...properties });
    return [input, element("label", {}, element("span", { textContent: say(message), dataset: { text: message } }), input)];
  };
  const [source, sourceLabel] = field("term-source", "termSource", { required: true, maxLength: LONGEST_TERM });
  const [target, targetLabel] = field("term-target", "termTarget", { required: true, maxLength: LONGEST_TERM });
  const [filter, filterLabel] = field("term-filter", "lookUp", {});
  const add = element("button", { type: "submit", className: "main", textContent: say("saveTerm"), dataset: { text: "saveTerm" } });
  const form = element("form", { className: "controls" }, sourceLabel, targetLabel, add);
  const message = element("p", { className: "quiet-text" });
  message.setAttribute("role", "status");
  const table = element("table", { className: "terms" });

  const draw = () => {
    const { source: from, target: into, name } = pair();
    const terms = from ? termsOf(from, into) : {};
    const found = Object.entries(terms).filter((term) => term.some((text) => text.toLowerCase().includes(filter.value.toLowerCase())));
    form.hidden = !from;
    filterLabel.hidden = !Object.keys(terms).length;
    table.hidden = !found.length;
    message.textContent = !from ? say("noPair") : say(filterLabel.hidden ? "noTerms" : found.length ? "terms" : "noSuchTerm", { pair: name });
    table.replaceChildren(head(), element("tbody", {}, ...found.map(([one, other]) => row(one, other))));
  };
  const put = (term, translation) => {
    const { source: from, target: into } = pair();
    const { [term]: _, ...others } = termsOf(from, into);
    keepTerms(from, into, translation ? { ...others, [term]: translation } : others);
    draw();
    changed();
  };
  const row = (term, translation) => {
    const button = (name, onclick) => {
      const made = element("button", { type: "button", className: "quiet", textContent: say(name), onclick });
      made.setAttribute("aria-label", `${say(name)}: ${term}`);
      return made;
    };
    const edit = () => {
      [source.value, target.value] = [term, translation];
      target.select();
    };
    const remove = () => (put(term, null), source.focus());
    return element("tr", {}, element("td", { textContent: term }), element("td", { textContent: translation }), element("td", {}, button("edit", edit), button("remove", remove)));
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!source.value.trim() || !target.value.trim()) return;
    put(source.value.trim(), target.value.trim());
    form.reset();
    source.focus();
  });
  filter.addEventListener("input", draw);
  changes(draw);
  const title = element("h2", { id: "glossary-title", textContent: say("glossary"), dataset: { text: "glossary" } });
  root.replaceChildren(title, message, form, element("div", { className: "controls" }, filterLabel), table);
  draw();
}

function head() {
  const cells = ["termSource", "termTarget"].map((name) => element("th", { scope: "col", textContent: say(name) }));
  return element("thead", {}, element("tr", {}, ...cells, element("td")));
}
