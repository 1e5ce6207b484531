// Markup of strangers, pasted or translated: read by an inert parser, and rebuilt from a list of harmless elements.

const KEPT = new Set(
  ("a b blockquote br caption code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q s small span strong sub " +
    "sup table tbody td tfoot th thead tr u ul").split(" "),
);
const DROPPED = new Set("script style template title head meta link noscript iframe object embed svg math xmp".split(" "));
const TAG = /<\/?[a-z](?:[^<>"']|"[^"]*"|'[^']*')*>/gi;

/** The harmless part of some HTML, as a fragment: no script, no style, no image, no attribute but a link's address. */
export function harmless(html) {
  const parsed = new DOMParser().parseFromString(quiet(html), "text/html"); // runs and loads nothing
  const fragment = document.createDocumentFragment();
  copyChildren(parsed.body, fragment);
  return fragment;
}

/** A fragment's or element's content as HTML. */
export function written(node) {
  const holder = document.implementation.createHTMLDocument().body;
  holder.append(...[...node.childNodes].map((child) => child.cloneNode(true)));
  return holder.innerHTML;
}

/** The HTML without styles and handlers: the parser runs none of them, but the browser would report each in the console. */
function quiet(html) {
  return html.replace(TAG, (tag) => tag.replace(/^(<\/?)style\b/i, "$1xmp").replace(/\s(?=(style|on\w+)\s*=)/gi, " data-"));
}

function copyChildren(from, to) {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) {
      to.append(document.createTextNode(node.data));
    } else if (node.nodeType === Node.ELEMENT_NODE) {
      const name = node.localName;
      if (DROPPED.has(name)) continue;
      const target = KEPT.has(name) ? to.appendChild(document.createElement(name)) : to;
      if (name === "a") copyAddress(node, target);
      copyChildren(node, target);
    }
  }
}

function copyAddress(from, to) {
  const address = from.getAttribute("href") ?? "";
  if (/^(https?:|mailto:|#)/i.test(address.trim())) {
    to.setAttribute("href", address);
    to.rel = "noreferrer";
  }
}
