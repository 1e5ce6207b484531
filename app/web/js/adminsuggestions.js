// The suggestions on the operator's page: better translations that people sent, to accept into a memory or to reject.

import { ask, reason } from "./api.js";
import { button } from "./controls.js";
import { element } from "./dom.js";
import { direction, languageName, say, uiLanguage } from "./i18n.js";

const PATH = "admin/suggestions";
const OF_A_PAGE = 100; // as the server has it

/** Shows the section; `keyNames` are the names of the API keys by number. */
export async function showSuggestions(root, keyNames) {
  const message = element("p", { role: "status" });
  const list = element("ul", { className: "suggestions" });
  const more = element("p");

  const tell = (text) => (message.textContent = text || (list.children.length ? "" : say("noSuggestions")));

  const read = async (after = 0) => {
    const { suggestions, memories } = await ask(`${PATH}?${new URLSearchParams({ state: "pending", after: String(after) })}`);
    list.append(...suggestions.map((each) => card(each, memories)));
    const next = ({ currentTarget: pressed }) => {
      pressed.disabled = true;
      attempt(() => read(suggestions.at(-1).id)).finally(() => (pressed.disabled = false));
    };
    more.replaceChildren(...(suggestions.length < OF_A_PAGE ? [] : [button("more", next)]));
  };

  const attempt = async (change, done = "") => {
    try {
      await change();
      tell(done);
    } catch (error) {
      message.textContent = reason(error);
    }
  };

  const card = ({ id, source, target, text, translation, created_at: made }, memories) => {
    const item = element("li", { className: "card" });
    let isDecided = false;
    const decide = (body, done) => async () => {
      if (isDecided) return;
      isDecided = true;
      await attempt(async () => {
        await ask(`${PATH}/${id}`, { body }).catch((error) => {
          isDecided = false;
          throw error;
        });
        const next = item.contains(document.activeElement) && (item.nextElementSibling ?? item.previousElementSibling);
        item.remove();
        if (next) next.querySelector("button:enabled").focus();
      }, done());
    };
    const name = ({ name: own, key_id: key }) => (key === null ? own : say("memoryOfKey", { name: own, key: keyNames.get(key) ?? key }));
    const fitting = memories.filter((memory) => memory.source === source && memory.target === target);
    const choice = element("select", {}, ...fitting.map((memory) => new Option(name(memory), memory.translation_memory_id)));
    const accepted = () => say("accepted", { name: choice.selectedOptions[0].text });
    const accept = button("accept", () => decide({ state: "accepted", translation_memory_id: choice.value }, accepted)(), { className: "main" });
    const reject = button("reject", () => decide({ state: "rejected" }, () => say("rejected"))());
    for (const each of [accept, reject]) each.setAttribute("aria-label", `${each.textContent}: ${text}`);
    const where = fitting.length ? [element("label", {}, say("intoMemory"), choice), accept] : [element("p", { className: "quiet-text", textContent: say("noMemoryForPair") })];
    const pair = [source, target].map((code) => languageName(code)).join(" → ");
    const date = new Date(made).toLocaleDateString(uiLanguage, { dateStyle: "medium" });
    item.append(
      element("p", { className: "quiet-text", textContent: `${pair} · ${date}` }),
      element("p", { lang: source, dir: direction(source), textContent: text }),
      element("p", { className: "suggested", lang: target, dir: direction(target), textContent: translation }),
      element("div", { className: "controls" }, ...where, reject),
    );
    return item;
  };

  root.replaceChildren(element("h2", { id: "suggestions-title", textContent: say("suggestions") }), list, more, message);
  root.hidden = false;
  await attempt(read);
}
