// The operator's page: load, models, reload, API keys, suggestions.

import { ask, base, reason, send, ServerError, useKey } from "./api.js";
import { Chart } from "./charts.js";
import { byId, element } from "./dom.js";
import { bundleError, say, uiLanguage, useLanguage } from "./i18n.js";
import { remember } from "./preferences.js";
import { parse, quantile, sum } from "./prometheus.js";

const INTERVAL_S = 2;
const READINGS = 60;
const KEYS_EVERY = 5; // readings
const SECONDS = "dragoman_http_request_duration_seconds";

const STATES = { starting: "starting", ready: "ready", stopping: "stopping", failed: "broken" };

await useLanguage();
let charts = null;
let before = null;
let timer = 0;
let readings = 0;
let readKeys = null;
let turns = 0; // counts the calls of open(), so that an older one shows nothing over a newer one

const isTranslation = ({ endpoint }) => /translate$/.test(endpoint ?? "");

/** What each chart shows, from two readings `elapsedS` seconds apart. */
const CHARTS = {
  requests: (old, now, elapsedS) => [(sum(now, `${SECONDS}_count`, isTranslation) - sum(old, `${SECONDS}_count`, isTranslation)) / elapsedS],
  latency: (old, now) => [0.5, 0.95].map((share) => inMilliseconds(quantile(old, now, SECONDS, isTranslation, share))),
  queue: (_, now) => [sum(now, "dragoman_engine_queued_tokens")],
  rows: (_, now) => [sum(now, "dragoman_engine_running_rows")],
  cache: (old, now) => {
    const [hits, misses] = ["hits", "misses"].map((name) => `dragoman_engine_feature_cache_${name}_total`).map((name) => sum(now, name) - sum(old, name));
    return [hits + misses ? (100 * hits) / (hits + misses) : null];
  },
  processMemory: (_, now) => [sum(now, "process_resident_memory_bytes") / 1e6],
};

function inMilliseconds(seconds) {
  return seconds === null ? null : 1000 * seconds;
}

async function read(turn) {
  try {
    const now = { samples: parse(await (await send("metrics")).text()), at: performance.now() };
    if (turn !== turns) return;
    if (before) {
      for (const [name, values] of Object.entries(CHARTS)) {
        charts[name].add(...values(before.samples, now.samples, (now.at - before.at) / 1000));
      }
    }
    showStatuses(now.samples);
    before = now;
    complain("");
    if (++readings % KEYS_EVERY === 0) readKeys?.();
  } catch (error) {
    if (turn !== turns) return;
    before = null;
    complain(reason(error));
  }
  timer = setTimeout(read, 1000 * INTERVAL_S, turn);
}

function showStatuses(samples) {
  const counts = new Map();
  for (const { name, labels, value } of samples) {
    if (name === `${SECONDS}_count`) counts.set(labels.status, (counts.get(labels.status) ?? 0) + value);
  }
  const rows = [...counts].sort().map(([status, count]) => element("span", { className: `status-${status[0]}` }, `${status}: ${count.toLocaleString()}`));
  byId("statuses").replaceChildren(...(rows.length ? rows : [say("noRequests")]));
}

function showModels({ models }) {
  const cell = (text) => element("td", { textContent: text });
  const rows = models.map((model) =>
    element(
      "tr",
      {},
      element("th", { scope: "row", textContent: model.name }),
      cell((model.pairs ?? []).join(", ")),
      cell(model.precision ?? ""),
      cell(say(model.loaded ? "yes" : "no")),
      element("td", {}, quality(model.scores ?? [])),
      cell(licences(model).join(" ")),
    ),
  );
  byId("models", HTMLTableElement).tBodies[0].replaceChildren(...rows);
}

function licences({ provenance, own_models: own = {} }) {
  const all = [provenance, ...Object.values(own).map((model) => model.provenance)];
  return [...new Set(all.map((each) => each?.licence ?? ""))];
}

function quality(scores) {
  const list = element("ul", { className: "plain" });
  for (const { test_set: set, source, target, bleu, chrf } of scores) {
    list.append(element("li", { textContent: `${set} ${source} → ${target}: ${bleu}, ${chrf}` }));
  }
  return list;
}

async function reload() {
  byId("reload", HTMLButtonElement).disabled = true;
  try {
    const report = await ask("admin/reload", { method: "POST" });
    const failed = Object.entries(report.failed);
    const names = { ...report, failed: failed.map(([name]) => name) };
    const lists = Object.fromEntries(Object.entries(names).map(([name, bundles]) => [name, bundles.join(", ") || say("none")]));
    const reasons = failed.map(([, sentence]) => whyNot(sentence));
    byId("report").replaceChildren(element("p", { textContent: say("reloaded", lists) }), element("ul", { hidden: !reasons.length }, ...reasons));
    showModels(await ask("info"));
  } catch (error) {
    byId("report").textContent = reason(error);
  } finally {
    byId("reload", HTMLButtonElement).disabled = false;
  }
}

/** Why a bundle is not served, as an element of a list: in the language of the page where that is known. */
function whyNot(sentence) {
  const translated = bundleError(sentence);
  return element("li", { lang: translated ? uiLanguage : "en", textContent: translated ?? sentence });
}

async function open(key) {
  const turn = ++turns;
  clearTimeout(timer);
  useKey(key);
  try {
    const { version, state, keys } = await ask("admin/status");
    if (turn !== turns) return;
    sessionStorage.setItem("dragoman.admin", key);
    byId("key-form").hidden = true;
    byId("board").hidden = false;
    byId("running").textContent = say("running", { version, state: say(STATES[state] ?? state) });
    byId("span").textContent = say("seconds", { seconds: INTERVAL_S * READINGS });
    charts ??= Object.fromEntries(Object.keys(CHARTS).map((name) => [name, new Chart(byId("charts"), say(name), READINGS, name === "latency" ? 2 : 1)]));
    showModels(await ask("info"));
    if (keys !== "off") readKeys = await (await import("./adminkeys.js")).showKeys(byId("keys"));
    if ((await ask("frontend/settings")).suggestions) await readSuggestions(keys !== "off");
    await read(turn);
  } catch (error) {
    if (turn !== turns) return;
    byId("key-form").hidden = false;
    byId("board").hidden = true;
    const wasRefused = error instanceof ServerError;
    if (key || !wasRefused || error.status === 403) complain(say(!wasRefused ? "away" : error.status === 403 ? "noKey" : "wrongKey"));
  }
}

async function readSuggestions(hasKeys) {
  const { showSuggestions } = await import("./adminsuggestions.js");
  const keys = hasKeys ? (await ask("admin/keys")).keys : [];
  await showSuggestions(byId("suggestions"), new Map(keys.map(({ id, name }) => [id, name])));
}

function complain(text) {
  byId("notice").hidden = !text;
  byId("notice-text").textContent = text;
}

byId("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  open(byId("key", HTMLInputElement).value);
});
byId("reload").addEventListener("click", reload);
byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  remember("theme", root.dataset.theme);
});
for (const link of document.querySelectorAll("header a")) link.setAttribute("href", base.href);
open(sessionStorage.getItem("dragoman.admin") ?? "");
