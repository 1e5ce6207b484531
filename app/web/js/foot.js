// The foot of the page: who runs the server, and which model translates, with its measured quality.

import { ask } from "./api.js";
import { element } from "./dom.js";
import { say } from "./i18n.js";

const LINKS = [
  ["imprint", "imprint"],
  ["privacy", "privacy"],
  ["source", "sourceCode"],
];

let models = null; // a promise

/** Shows what there is behind the first sentence of `root`; `operator` is as of `Store`, `pair` has the languages. */
export async function fillFoot(root, operator, { source, target }) {
  const [first] = root.children;
  const name = operator.name ? [element("span", { textContent: operator.name })] : [];
  const links = LINKS.filter(([key]) => operator[key]).map(([key, message]) => element("a", { href: operator[key], textContent: say(message) }));
  const others = [...name, ...links];
  root.replaceChildren(first, ...others);
  const text = await describe(source, target);
  if (text && root.lastElementChild === (others.at(-1) ?? first)) root.append(element("span", { textContent: text }));
}

async function describe(source, target) {
  models ??= ask("info").then((info) => info.models, () => (models = null));
  const found = (await models)?.find(({ pairs = [] }) => pairs.includes(`${source}-${target}`));
  if (!found) return "";
  const scores = (found.scores ?? []).filter((score) => score.source === source && score.target === target);
  const best = scores[0];
  return say(best ? "modelAndQuality" : "modelName", { name: found.name, bleu: best?.bleu.toFixed(1), chrf: best?.chrf.toFixed(1), set: best?.test_set });
}
