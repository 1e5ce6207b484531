// Links to a text: it stands in the fragment of the address, which browsers send to nobody.

/** What the page's address asks for: { source, target, text }, each maybe undefined. */
export function fromAddress() {
  const values = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(["source", "target", "text"].map((name) => [name, values.get(name) ?? undefined]));
}

/** A link to a text and its languages. */
export function linkTo(source, target, text) {
  const address = new URL(location.href);
  address.hash = new URLSearchParams({ source, target, text }).toString();
  return address.href;
}

/** Copies a text, and markup for programs that take it; returns whether the browser let us. */
export async function copy(text, html = null) {
  try {
    if (html === null) {
      await navigator.clipboard.writeText(text);
    } else {
      const blob = (type, content) => new Blob([content], { type });
      await navigator.clipboard.write([
        new ClipboardItem({ "text/plain": blob("text/plain", text), "text/html": blob("text/html", html) }),
      ]);
    }
    return true;
  } catch {
    return copyBySelection(text); // only secure origins have a clipboard
  }
}

/** What the translation of a file is called; the answer tells its ending, which may be another one. */
export function translatedName(name, target, response) {
  const ending = /filename="[^"]*(\.[^".]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? "";
  return `${name.replace(/\.[^.]*$/, "")}.${target}${ending}`;
}

/** Offers a text as a file. */
export function save(name, content, type = "text/plain;charset=utf-8") {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function copyBySelection(text) {
  const area = Object.assign(document.createElement("textarea"), { value: text, className: "sr-only" });
  const back = /** @type {HTMLElement} */ (document.activeElement);
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  back?.focus?.();
  return done;
}
