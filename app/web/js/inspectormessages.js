// What the panel that looks inside says, in the languages it speaks.

const ENGLISH = {
  inspectHint: "Choose a sentence of the translation to look inside.",
  inspectFailed: "This sentence can't be inspected: {reason}",
  alignment: "Alignment",
  alignmentExplained: "Rows are words of the translation, columns are words of the text. A filled cell shows that the two are aligned.",
  attention: "Attention",
  noAttention: "The model has no graphs that show its attention.",
  kind: "Type of attention",
  layer: "Layer",
  head: "Head",
  layerNumber: "layer {number}",
  headNumber: "head {number}",
  cross: "Cross-attention: translation to text",
  encoder: "Encoder self-attention",
  decoder: "Decoder self-attention",
  crossExplained:
    "Each row is a piece of the translation. Its cells show how much the decoder looked at each piece of the text to write it: the stronger the colour, the more.",
  encoderExplained: "Each row is a piece of the text. Its cells show how much it looked at each piece of the text: the stronger the colour, the more.",
  decoderExplained:
    "Each row is a piece of the translation. Its cells show how much the decoder looked at each earlier piece to write it: the stronger the colour, the more.",
  beam: "Search",
  beamExplained:
    "Every hypothesis of the beam search, step by step. The thick path is the translation. Dashed paths were dropped. A dot continues a word. The numbers at the ends are scores: log-probabilities divided by a length penalty.",
};

const GERMAN = {
  inspectHint: "Bitte einen Satz der Übersetzung wählen, um ins Modell zu blicken.",
  inspectFailed: "Dieser Satz lässt sich nicht untersuchen: {reason}",
  alignment: "Zuordnung",
  alignmentExplained: "Zeilen sind Wörter der Übersetzung, Spalten sind Wörter des Textes. Ein gefülltes Feld zeigt, dass beide einander zugeordnet sind.",
  attention: "Aufmerksamkeit",
  noAttention: "Das Modell hat keine Graphen, die seine Aufmerksamkeit zeigen.",
  kind: "Art der Aufmerksamkeit",
  layer: "Schicht",
  head: "Kopf",
  layerNumber: "Schicht {number}",
  headNumber: "Kopf {number}",
  cross: "Cross-Attention: Übersetzung zu Text",
  encoder: "Self-Attention des Encoders",
  decoder: "Self-Attention des Decoders",
  crossExplained:
    "Jede Zeile ist ein Stück der Übersetzung. Ihre Felder zeigen, wie stark der Decoder dafür auf jedes Stück des Textes geachtet hat: je kräftiger die Farbe, desto stärker.",
  encoderExplained:
    "Jede Zeile ist ein Stück des Textes. Ihre Felder zeigen, wie stark es auf jedes Stück des Textes geachtet hat: je kräftiger die Farbe, desto stärker.",
  decoderExplained:
    "Jede Zeile ist ein Stück der Übersetzung. Ihre Felder zeigen, wie stark der Decoder dafür auf jedes frühere Stück geachtet hat: je kräftiger die Farbe, desto stärker.",
  beam: "Suche",
  beamExplained:
    "Alle Hypothesen der Strahlsuche, Schritt für Schritt. Der dicke Pfad ist die Übersetzung. Gestrichelte Pfade wurden verworfen. Ein Punkt setzt ein Wort fort. Die Zahlen am Ende sind Bewertungen: Log-Wahrscheinlichkeiten, geteilt durch eine Längenstrafe.",
};

export const MESSAGES = { en: ENGLISH, de: GERMAN };
