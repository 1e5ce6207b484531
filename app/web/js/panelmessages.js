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
  add: "Add",
  remove: "Remove",
  noTerms: "There are no terms yet.",
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
  add: "Hinzufügen",
  remove: "Entfernen",
  noTerms: "Es gibt noch keine Begriffe.",
};

export const MESSAGES = { en: ENGLISH, de: GERMAN };
