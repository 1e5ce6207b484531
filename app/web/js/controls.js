// Elements of the panels whose texts follow the language of the page.

import { element } from "./dom.js";
import { say } from "./i18n.js";

/** An element with a message as its text. */
export function text(name, message, properties = {}) {
  return element(name, { textContent: say(message), dataset: { text: message }, ...properties });
}

/** A button with a message as its text. */
export function button(message, onclick, properties = {}) {
  return text("button", message, { type: "button", onclick, ...properties });
}

/** A control with its label around it: an input, or the kind of element that `name` says. */
export function field(id, message, { name = "input", ...properties } = {}) {
  const control = element(name, { id, autocomplete: "off", ...(name === "input" && { type: "text" }), ...properties });
  return { control, label: element("label", {}, text("span", message), control) };
}

/** Says in words why something could not be done. */
export function reason(error) {
  return error.message || say("away");
}
