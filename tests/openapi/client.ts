/* Translates with types made from /spec; prints what the server answers as a line of JSON. */

import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Sentence = components["schemas"]["SentenceDetails"];

const client = createClient<paths, "application/json">({ baseUrl: process.argv[2] });

const text = await client.POST("/translate", { body: { q: "Wo ist der Bahnhof?", source: "de", target: "en" } });
const list = await client.POST("/translate", {
    body: { q: ["Guten Morgen!", "Good evening!"], source: "auto", target: "en", details: true },
});
const refused = await client.POST("/translate", { body: { q: "Hello", source: "zz", target: "en" } });
const deepl = await client.POST("/v2/translate", { body: { text: ["Guten Morgen!"], target_lang: "EN-GB" } });
const languages = await client.GET("/languages");
const unknown = await client.GET("/v3/glossaries/{glossary_id}", {
    params: { path: { glossary_id: "def3a26b-3e84-45b3-84ae-0c0aaf3525f7" } },
});

if (!text.data || !list.data || !deepl.data || !languages.data) throw new Error("the server didn't translate");
const described: (Sentence | Sentence[])[] = list.data.details ?? [];
console.log(
    JSON.stringify({
        text: text.data.translatedText,
        list: list.data.translatedText,
        detected: list.data.detectedLanguage,
        sentences: described.flat().map((sentence) => sentence.source.text),
        code: refused.error?.code,
        deepl: deepl.data.translations.map((each) => [each.detected_source_language, each.text]),
        languages: languages.data.map((language) => language.code),
        unknown: unknown.error?.detail,
    }),
);
