// Building the document. Texts of others only ever become text nodes.

/** An element with properties, and children that are nodes or texts. */
export function element(name, properties = {}, ...children) {
  const { dataset, ...others } = properties;
  const made = Object.assign(document.createElement(name), others);
  Object.assign(made.dataset, dataset);
  made.append(...children);
  return made;
}

/** An SVG element with attributes, and children that are nodes or texts. */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * The element with an id, which is of a kind such as HTMLButtonElement.
 *
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @param {new () => Kind} [kind]
 * @returns {Kind}
 */
export function byId(id, kind = /** @type {any} */ (HTMLElement)) {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new TypeError(`there is no ${kind.name} #${id}`);
}

/** Makes the children of an element these nodes, touching only those that differ. */
export function patch(parent, nodes) {
  const old = [...parent.childNodes];
  let same = 0;
  while (same < old.length && same < nodes.length && old[same] === nodes[same]) same += 1;
  let end = 0;
  while (end < Math.min(old.length, nodes.length) - same && old[old.length - 1 - end] === nodes[nodes.length - 1 - end]) end += 1;
  for (const node of old.slice(same, old.length - end)) node.remove();
  const next = end ? nodes[nodes.length - end] : null;
  const fresh = document.createDocumentFragment();
  fresh.append(...nodes.slice(same, nodes.length - end));
  parent.insertBefore(fresh, next);
}

/** A function that calls another one in the next frame, however often it is called until then. */
export function onFrame(work) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      work();
    });
  };
}

/** The place in a text node under a point, as { node, offset }, or null. */
export function caretAt(x, y) {
  if (document.caretPositionFromPoint) {
    const caret = document.caretPositionFromPoint(x, y);
    return caret && { node: caret.offsetNode, offset: caret.offset };
  }
  const range = document.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
}

/** Marks ranges by the CSS Custom Highlight API; does nothing in browsers that lack it. */
export function highlight(name, ranges) {
  if (!globalThis.CSS?.highlights) return;
  if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
  else CSS.highlights.delete(name);
}

/** A range within one text node. */
export function rangeIn(node, begin, end) {
  const range = new Range();
  range.setStart(node, Math.min(begin, node.length));
  range.setEnd(node, Math.min(end, node.length));
  return range;
}
