// Calls every method of DeepL's official Node.js client, and prints what came of each as JSON.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DeepLClient, GlossaryEntries } from "deepl-node";

const [url, key, memory, folder] = process.argv.slice(2);
const client = new DeepLClient(key, { serverUrl: url, maxRetries: 0 });
const id = "def3a26b-3e84-45b3-84ae-0c0aaf3525f7";
const terms = new GlossaryEntries({ entries: { Vorstand: "board" } });
const dictionary = { sourceLangCode: "de", targetLangCode: "en", entries: terms };
const csv = "Vorstand,board";
const tmx = `<tmx version="1.4"><header srclang="de"/><body><tu><tuv xml:lang="de"><seg>Hund</seg></tuv>
<tuv xml:lang="en"><seg>hound</seg></tuv></tu></body></tmx>`;
const told = {};

async function call(name, ...values) {
    try {
        const found = await client[name](...values);
        told[name] = "served";
        return found;
    } catch (error) {
        told[name] = error.message;
    }
}

await writeFile(join(folder, "a.txt"), "Guten Morgen!");
await writeFile(join(folder, "a.tmx"), tmx);
for (const name of ["getUsage", "getSourceLanguages", "getTargetLanguages", "getGlossaryLanguagePairs"]) await call(name);
await call("translateText", ["Guten Morgen!"], null, "en-GB");
await call("translateDocument", join(folder, "a.txt"), join(folder, "b.txt"), null, "en-GB");
const handle = await call("uploadDocument", join(folder, "a.txt"), "de", "en-GB");
await call("isDocumentTranslationComplete", handle);
await call("getDocumentStatus", handle);
await call("downloadDocument", handle, join(folder, "c.txt"));

const one = await call("createGlossary", "Firm", "de", "en", terms);
await call("createGlossaryWithCsv", "Firm", "de", "en", Buffer.from(csv));
await call("getGlossary", one?.glossaryId);
await call("listGlossaries");
await call("getGlossaryEntries", one);
await call("deleteGlossary", one);

const several = await call("createMultilingualGlossary", "Firm", [dictionary]);
await call("createMultilingualGlossaryWithCsv", "Firm", "de", "en", csv);
await call("getMultilingualGlossary", several?.glossaryId);
await call("getMultilingualGlossaryDictionaryEntries", several, "de", "en");
await call("listMultilingualGlossaries");
await call("updateMultilingualGlossaryName", several, "Company");
await call("updateMultilingualGlossaryDictionary", several, dictionary);
await call("updateMultilingualGlossaryDictionaryWithCsv", several, "de", "en", csv);
await call("replaceMultilingualGlossaryDictionary", several, dictionary);
await call("replaceMultilingualGlossaryDictionaryWithCsv", several, "de", "en", csv);
await call("deleteMultilingualGlossaryDictionary", several, "de", "en");
await call("deleteMultilingualGlossary", several);

await call("listTranslationMemories");
await call("getTranslationMemory", memory);
await call("listTranslationMemorySegments", memory);
const content = await readFile(join(folder, "a.tmx"));
const declared = await call("createTranslationMemoryImport", "a.tmx", content.length);
await call("uploadTranslationMemoryFile", declared, content);
await call("isTranslationMemoryJobComplete", declared?.jobId);
const exported = await call("createTranslationMemoryExport", memory);
const job = await call("getTranslationMemoryJob", exported?.jobId);
await call("downloadTranslationMemoryExport", job, join(folder, "b.tmx"));
await call("importTranslationMemoryFromFilepath", join(folder, "a.tmx"));
await call("exportTranslationMemoryToFilepath", memory, join(folder, "c.tmx"));
await call("deleteTranslationMemory", memory);

await call("getAllStyleRules");
const style = await call("createStyleRule", { name: "Firm", language: "de" });
await call("getStyleRule", style?.styleId);
await call("updateStyleRuleName", style?.styleId, "Company");
await call("updateStyleRuleConfiguredRules", style?.styleId, {});
await call("createStyleRuleCustomInstruction", style?.styleId, { label: "a", prompt: "b" });
await call("getStyleRuleCustomInstruction", style?.styleId, id);
await call("updateStyleRuleCustomInstruction", style?.styleId, id, { label: "a", prompt: "b" });
await call("deleteStyleRuleCustomInstruction", style?.styleId, id);
await call("deleteStyleRule", style?.styleId);
await call("rephraseText", "Guten Morgen", "de");

const methods = new Set();
for (let type = DeepLClient.prototype; type !== Object.prototype; type = Object.getPrototypeOf(type))
    for (const name of Object.getOwnPropertyNames(type)) methods.add(name);
console.log(JSON.stringify({ told, methods: [...methods] }));
