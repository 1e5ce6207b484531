// Times Firefox's own engine as WebAssembly, from npm's @browsermt/bergamot-translator 0.4.9, in Node.js.
//
// `python -m benchmarks.firefox --wasm FOLDER` runs this file in the folder where npm installed the package. Lines of
// standard input are sentences. Prints processor seconds to translate them and to be ready, the process's peak memory
// in MB, then the translations.

import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

const [folder, batch] = [process.argv[2], Number(process.argv[3])];

function fileOf(pattern) {
  const bytes = readFileSync(join(folder, readdirSync(folder).find((name) => pattern.test(name))));
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}

// The package says that its files are ES modules; the worker is none, and runs where no package.json says so.
const scratch = mkdtempSync(join(tmpdir(), "bergamot-"));
cpSync("node_modules/@browsermt/bergamot-translator/worker", scratch, { recursive: true });
const worker = new Worker(join(scratch, "translator-worker.js"));
const waiting = new Map();
worker.on("message", ({ id, result, error }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error) reject(new Error(error.message));
  else resolve(result);
});

let calls = 0;
function call(name, ...args) {
  return new Promise((resolve, reject) => {
    waiting.set(++calls, { resolve, reject });
    worker.postMessage({ id: calls, name, args });
  });
}

async function translate(texts) {
  const models = [{ from: "source", to: "target" }];
  const given = texts.map((text) => ({ text, html: false, qualityScores: false }));
  return (await call("translate", { models, texts: given })).map((each) => each.target.text);
}

const model = { model: fileOf(/^model.*\.bin$/), shortlist: fileOf(/^lex.*\.bin$/), vocabs: [fileOf(/\.spm$/)] };
await call("initialize", { cacheSize: 0 });
await call("loadTranslationModel", { from: "source", to: "target" }, { ...model, qualityModel: null, config: {} });
const lines = readFileSync(0, "utf8").trimEnd().split("\n");
await translate(lines.slice(0, 1));
const began = process.cpuUsage();
const found = [];
for (let first = 0; first < lines.length; first += batch) {
  found.push(...(await translate(lines.slice(first, first + batch))));
}
const { user, system } = process.cpuUsage(began);
console.log((user + system) / 1e6, (began.user + began.system) / 1e6, process.resourceUsage().maxRSS / 1000);
console.log(found.join("\n"));
rmSync(scratch, { recursive: true });
await worker.terminate();
