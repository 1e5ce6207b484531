// Why the server does not serve a bundle, in German. The server has no codes for it, so its sentences are recognized.

const REASONS = {
  "(.+): No such file or directory": "{1} fehlt.",
  "(.+): Permission denied": "{1} darf der Server nicht lesen.",
  "(.+): it is not a plain file": "{1} ist keine gewöhnliche Datei.",
  "(.+): its sha256 is not the manifest's; the file is damaged or was replaced":
    "{1} ist beschädigt oder wurde ausgetauscht: Die Prüfsumme ist nicht die des Manifests.",
  "(.+): no sha256 for (.+)": "{1} nennt keine Prüfsumme für {2}.",
  "(.+) needs (.+), which the manifest doesn't list": "{1} braucht {2}, was nicht im Manifest steht.",
  "(.+) needs about (.+) bytes, but DRAGOMAN_MAX_MODELS_BYTES allows (.+)":
    "{1} braucht etwa {2} Bytes, DRAGOMAN_MAX_MODELS_BYTES erlaubt {3}.",
  "(.+) has no (.+) graphs, only (.+)": "{1} hat keine Graphen in {2}, nur {3}.",
  "(.+) is not a SentencePiece model": "{1} ist kein SentencePiece-Modell.",
  "(.+) is not a shortlist": "{1} ist keine Vorauswahl von Wortstücken.",
  "(.+) can't be loaded by ONNX Runtime (.+)": "{1} lässt sich nicht laden, mit ONNX Runtime {2}",
  "(.+): the model failed in the self-test: (.+)": "{1}: Das Modell ist im Selbsttest gescheitert: {2}",
  "(.+): only (.+) of (.+) golden sentences came out as recorded":
    "{1}: Nur {2} von {3} Probesätzen kamen heraus wie aufgezeichnet.",
  "(.+) is new or has changed; deploy the cluster again to serve it":
    "{1} ist neu oder geändert; der Cluster muss dafür neu ausgerollt werden.",
  "its folder is gone, but it is still served, because it is the last one":
    "Der Ordner ist weg; das Modell wird weiter benutzt, weil es das letzte ist.",
  "(.+\\.json): (.+)": "{1} ist ungültig: {2}",
};

/** The sentence in German, or null where it is none of these. */
export function inGerman(sentence) {
  for (const [pattern, german] of Object.entries(REASONS)) {
    const found = new RegExp(`^${pattern}$`, "s").exec(sentence);
    if (found) return german.replace(/\{(\d)\}/g, (_, group) => found[group]);
  }
  return null;
}
