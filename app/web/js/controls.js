// Elements of the panels whose texts follow the language of the page.

import { element, svg } from "./dom.js";
import { say } from "./i18n.js";

const ICONS = {
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  remove: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
  rename: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
};

/** An element with a message as its text. */
export function text(name, message, properties = {}) {
  return element(name, { textContent: say(message), dataset: { text: message }, ...properties });
}

/** A button with a message as its text. */
export function button(message, onclick, properties = {}) {
  return text("button", message, { type: "button", onclick, ...properties });
}

/** A button with an icon, for something that has a name. */
export function iconButton(message, name, onclick) {
  const icon = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
  icon.append(svg("path", { d: ICONS[message], fill: "none", stroke: "currentColor", "stroke-width": 1.75 }));
  const made = element("button", { type: "button", className: "quiet", title: say(message), onclick }, icon);
  made.setAttribute("aria-label", `${say(message)}: ${name}`);
  return made;
}

/**
 * A control with its label around it: an input, or the kind of element that `name` says.
 *
 * @param {string} id
 * @param {string} message
 * @param {{ name?: string, [property: string]: any }} [properties]
 */
export function field(id, message, { name = "input", ...properties } = {}) {
  const control = element(name, { id, autocomplete: "off", dir: "auto", ...(name === "input" && { type: "text" }), ...properties });
  return { control, label: element("label", {}, text("span", message), control) };
}
