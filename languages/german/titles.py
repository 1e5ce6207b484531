"""What stays: names behind academic titles and of companies, file numbers of courts, forms of dates.

"Dr. med. dent. Weiß", "Muster GmbH", "VIII ZR 277/16", "TT.MM.JJJJ"
"""

import re

# Words that begin sentences, headings and parts of them.
_NO_NAME = (
    r"(?!(?:Aber|Als|Am|An|Auch|Auf|Aus|Bei|Beide|Beim|Bis|Da|Dann|Das|Dem|Den|Der|Die|Diese[mnrs]?|Doch|Durch|Er|Es"
    r"|Firma|Frau|Für|Herr|Ich|Im|In|Jede[mnrs]?|Mit|Nach|Nur|Ob|Oder|Seit|Sie|So|Sowohl|Statt|Trotz|Und|Vom|Von|Vor"
    r"|Wann|Warum|Was|Wenn|Welche[mnrs]?|Wer|Wir|Wo|Zu|Zum|Zur|(?:[DKMS]?[Ee]in|Ihr|Unser)(?:e[mnrs]?)?)\b)"
)
# Adjectives and plurals, and nouns that stand before the kind of a company: "Große", "Neuen", "Rechtsform".
_NO_COMPANY = r"(?!\w*(?:e|e[mns]|ung|form|führer|kapital) )"
_NAME = rf" {_NO_NAME}[A-ZÄÖÜ][a-zäöüß]+(?:-[A-ZÄÖÜ][a-zäöüß]+)?"
_TITLE = r"(?:Prof\. )?(?:Dr\.(?: ?[a-z]{1,5}\.)+|Dipl\.-[A-Z]\w{1,5}\.(?: \(FH\))?)"
_ADJECTIVES = (
    "Alt|Braun|Ernst|Frei|Fröhlich|Groß|Grün|Jung|Klein|Klug|Kurz|Lang|Neu|Reich|Scharf|Schwarz|Stark|Weiß|Wild"
)
# A title of several parts with a name, or a name that is an adjective: "Dr. rer. nat. Klaus Klein", "Dr. Groß".
TITLED = re.compile(rf"(?<![\w.-])(?:{_TITLE}{_NAME}(?:{_NAME})?|Dr\. (?:{_ADJECTIVES}))(?![\w-])")
COMPANY = re.compile(
    rf"(?<![\w.-]){_NO_NAME}{_NO_COMPANY}"
    r"[A-ZÄÖÜ][\w-]{1,30} g?(?:GmbH|mbH|OHG|KGaA)(?: & Co\. (?:KGaA|KG|OHG))?(?![\w-])"
)
# The signs of the German courts' registers: ZR, StR, BvR, AZR, C, Js.
_REGISTER = r"[A-Z](?:[a-z]?[A-Z]){0,2}[a-z]?(?: \([A-Za-z]{1,6}\))?"
FILE_NUMBER = re.compile(rf"(?<![\w/])(?:[IVX]{{1,5}}|\d{{1,3}}[a-z]?) {_REGISTER} \d{{1,5}}/\d{{2}}(?![\w/])")
_PART = "TT|DD|MM|JJ(?:JJ)?|YY(?:YY)?|HH|hh|mm|ss"
DATE_FORM = re.compile(rf"(?<![\w.])(?:{_PART})(?:[./:-](?:{_PART})){{1,5}}(?!\w)")
KEPT = (
    (frozenset("mOK"), COMPANY),
    (frozenset("."), TITLED),
    (frozenset("/"), FILE_NUMBER),
    (frozenset("./:-"), DATE_FORM),
)
