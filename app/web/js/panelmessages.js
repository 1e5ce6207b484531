// What the panels below the text say, in the languages they speak.

const ENGLISH = {
  dropFile: "Drop a file anywhere on this page, or choose one.",
  chooseFile: "Choose a file",
  fileQueued: "{name}: waiting",
  fileTranslating: "{name}: being translated",
  fileDone: "{name}: done",
  fileFailed: "{name}: {reason}",
  termSource: "Term",
  termTarget: "Translation",
  remove: "Remove",
  saveTerm: "Save the term",
  edit: "Change",
  lookUp: "Look up",
  terms: "Terms for {pair}. They stay in this browser, and go with each text.",
  noTerms: "There are no terms for {pair} yet. They stay in this browser, and go with each text.",
  noSuchTerm: "No such term for {pair}.",
  noPair: "Choose the language of the text first.",
};

const GERMAN = {
  dropFile: "Eine Datei irgendwo auf diese Seite ziehen oder auswählen.",
  chooseFile: "Datei auswählen",
  fileQueued: "{name}: wartet",
  fileTranslating: "{name}: wird übersetzt",
  fileDone: "{name}: fertig",
  fileFailed: "{name}: {reason}",
  termSource: "Begriff",
  termTarget: "Übersetzung",
  remove: "Entfernen",
  saveTerm: "Begriff speichern",
  edit: "Ändern",
  lookUp: "Nachschlagen",
  terms: "Begriffe für {pair}. Sie bleiben in diesem Browser und gehen mit jedem Text mit.",
  noTerms: "Für {pair} gibt es noch keine Begriffe. Sie bleiben in diesem Browser und gehen mit jedem Text mit.",
  noSuchTerm: "Kein solcher Begriff für {pair}.",
  noPair: "Bitte zuerst die Sprache des Textes wählen.",
};

export const MESSAGES = { en: ENGLISH, de: GERMAN };
