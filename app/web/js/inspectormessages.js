// What the panel that looks inside says, in the languages it speaks.

const ENGLISH = {
  inspectHint: "Choose a sentence of the translation to look inside.",
  inspectFailed: "This sentence can't be looked into: {reason}",
  alignment: "Alignment",
  alignmentExplained: "Which words of the text, across, each word of the translation, down, is aligned with.",
  attention: "Attention",
  noAttention: "The model has no graphs that show its attention.",
  kind: "From and to",
  layer: "Layer",
  head: "Head",
  layerNumber: "layer {number}",
  headNumber: "head {number}",
  cross: "Translation to text",
  encoder: "Text to text",
  decoder: "Translation to translation",
  crossExplained: "What the decoder looked at in the text, across, to write each piece of the translation, down. The stronger the colour, the more.",
  encoderExplained: "What each piece of the text, down, looked at in the text, across. The stronger the colour, the more.",
  decoderExplained: "What the decoder looked at in the translation so far, across, to write each piece of it, down. The stronger the colour, the more.",
  beam: "Search",
  beamExplained:
    "Every hypothesis that the beam search had, step by step. The thick path won. Dashed ones were dropped. A dot goes on with a word. The numbers at the ends are scores: log-probabilities over a length penalty.",
};

const GERMAN = {
  inspectHint: "Zum Hineinsehen einen Satz der Übersetzung wählen.",
  inspectFailed: "In diesen Satz lässt sich nicht hineinsehen: {reason}",
  alignment: "Zuordnung",
  alignmentExplained: "Welchen Wörtern des Textes, oben, jedes Wort der Übersetzung, links, zugeordnet ist.",
  attention: "Aufmerksamkeit",
  noAttention: "Das Modell hat keine Graphen, die seine Aufmerksamkeit zeigen.",
  kind: "Von und nach",
  layer: "Schicht",
  head: "Kopf",
  layerNumber: "Schicht {number}",
  headNumber: "Kopf {number}",
  cross: "Übersetzung zu Text",
  encoder: "Text zu Text",
  decoder: "Übersetzung zu Übersetzung",
  crossExplained:
    "Worauf der Decoder im Text, oben, gesehen hat, um jedes Stück der Übersetzung, links, zu schreiben. Je kräftiger die Farbe, desto mehr.",
  encoderExplained: "Worauf jedes Stück des Textes, links, im Text, oben, gesehen hat. Je kräftiger die Farbe, desto mehr.",
  decoderExplained: "Worauf der Decoder in der bisherigen Übersetzung, oben, gesehen hat, um jedes ihrer Stücke, links, zu schreiben. Je kräftiger die Farbe, desto mehr.",
  beam: "Suche",
  beamExplained:
    "Alle Hypothesen der Strahlsuche, Schritt für Schritt. Der dicke Weg hat gewonnen. Gestrichelte wurden verworfen. Ein Punkt setzt ein Wort fort. Die Zahlen am Ende sind Bewertungen: Log-Wahrscheinlichkeiten, geteilt durch eine Längenstrafe.",
};

export const MESSAGES = { en: ENGLISH, de: GERMAN };
