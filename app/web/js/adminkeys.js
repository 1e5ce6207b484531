// The API keys on the operator's page: limits, usage, adding and removing.

import { ask, reason } from "./api.js";
import { element } from "./dom.js";
import { number, say, uiLanguage } from "./i18n.js";
import { copy } from "./share.js";

const COLUMNS = ["keyName", "shownKey", "made", "used", "perMinute", "mayUse"];

/** Shows the section; returns a function that reads the usage again. */
export async function showKeys(root) {
  const message = element("p", { role: "status" });
  const made = element("p", { role: "status" }); // on its own, so that nothing else is said in its place
  let turn = 0;
  const mode = element("p", { className: "quiet-text" });
  const table = element("table");
  const frame = element("div", { className: "card scroll", tabIndex: 0 }, table);
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-labelledby", "keys-title");

  /** Reads the keys, after a change if there is one; returns whether that went well. */
  const show = async (change = null) => {
    try {
      if (change) made.replaceChildren(...madeKey(await change()));
      const own = (turn += 1);
      const found = await ask("admin/keys");
      if (own !== turn) return true;
      mode.textContent = say(found.mode === "required" ? "keysRequired" : "keysOptional");
      table.replaceChildren(...rows(found.keys, remove));
      message.textContent = found.keys.length ? "" : say("noKeys");
      frame.hidden = !found.keys.length;
      return true;
    } catch (error) {
      message.textContent = reason(error);
      return false;
    }
  };

  const remove = ({ id, name }) => {
    // eslint-disable-next-line no-alert
    if (confirm(say("sureToRemoveKey", { name }))) show(() => ask(`admin/keys/${id}`, { method: "DELETE" }));
  };

  root.replaceChildren(element("h2", { id: "keys-title", textContent: say("keys") }), mode, frame, form(show), message, made);
  root.hidden = false;
  await show();
  return () => root.contains(document.activeElement) || show(); // nobody is thrown out of a field or a button
}

function rows(keys, remove) {
  const head = element("thead", {}, element("tr", {}, ...COLUMNS.map((name) => element("th", { scope: "col", textContent: say(name) })), element("td")));
  const body = element("tbody", {}, ...keys.map((key) => row(key, remove)));
  return [head, body];
}

function row(key, remove) {
  const { name, hint, created_at: made, monthly_characters: limit, requests_per_minute: perMinute, features, used } = key;
  const usage = element("td", {}, limit ? say("usedOf", { used: number(used), limit: number(limit) }) : number(used));
  if (limit) usage.append(element("meter", { max: limit, value: used, high: 0.9 * limit, ariaLabel: `${say("used")}: ${name}` }));
  const button = element("button", { type: "button", textContent: say("remove"), onclick: () => remove(key) });
  button.setAttribute("aria-label", say("removeKeyNamed", { name }));
  return element(
    "tr",
    {},
    element("th", { scope: "row", textContent: name }),
    element("td", {}, element("code", { textContent: `…${hint}` })),
    element("td", { textContent: new Date(made).toLocaleDateString(uiLanguage, { dateStyle: "medium" }) }),
    usage,
    element("td", { textContent: perMinute ? number(perMinute) : say("noLimit") }),
    element("td", { textContent: features.join(", ") }),
    element("td", {}, button),
  );
}

function form(show) {
  const input = (id, properties) => element("input", { id, autocomplete: "off", ...properties });
  const name = input("new-key-name", { type: "text", required: true, maxLength: 100 });
  const characters = input("new-key-characters", { type: "number", min: 1, max: 1e9 });
  const requests = input("new-key-requests", { type: "number", min: 1, max: 1e9 });
  characters.placeholder = requests.placeholder = say("noLimit");
  const made = element(
    "form",
    { className: "controls" },
    element("label", {}, say("keyName"), name),
    element("label", {}, say("monthlyCharacters"), characters),
    element("label", {}, say("perMinute"), requests),
    element("button", { type: "submit", className: "main", textContent: say("addKey") }),
  );
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { submitter } = event;
    const limits = { monthly_characters: characters.valueAsNumber, requests_per_minute: requests.valueAsNumber };
    const given = Object.entries(limits).filter(([, value]) => value > 0);
    const body = { name: name.value.trim(), ...Object.fromEntries(given) };
    submitter.disabled = true; // a second press would make a second key
    if (await show(() => ask("admin/keys", { body }))) made.reset();
    submitter.disabled = false;
  });
  return made;
}

/** A new key with a button that copies it; nothing where a change made none. */
function madeKey({ key }) {
  if (!key) return [];
  const button = element("button", { type: "button", textContent: say("copy") });
  button.addEventListener("click", async () => {
    if (await copy(key)) button.textContent = say("copied");
  });
  return [`${say("newKey")} `, element("code", { className: "new-key", textContent: key }), " ", button];
}
