// The field for an API key, on servers that use keys. The key stays in this tab.

import { hasKey, useKey } from "./api.js";

const NAME = "dragoman.key";

/** Uses the key that this tab has; shows the field if there is none but one is needed, and the button that opens it. */
export function offerKey({ form, button, isRequired, changed }) {
  const input = form.querySelector("input");
  const remove = form.querySelector("[type=button]");
  const key = sessionStorage.getItem(NAME) ?? "";
  useKey(key);
  remove.hidden = !hasKey();
  button.hidden = false;
  if (form.hidden) { // else somebody is typing a key
    input.value = key;
    show(form, button, isRequired && !key);
  }
  button.onclick = () => {
    show(form, button, form.hidden);
    if (!form.hidden) input.focus();
  };
  const keep = (value) => {
    sessionStorage.setItem(NAME, value);
    show(form, button, false);
    button.focus();
    changed();
  };
  form.onsubmit = (event) => {
    event.preventDefault();
    keep(input.value.trim());
  };
  remove.onclick = () => keep("");
}

/** Opens or closes the field. */
function show(form, button, isOpen) {
  form.hidden = !isOpen;
  button.setAttribute("aria-expanded", String(isOpen));
}
