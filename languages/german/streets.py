"""Addresses: a letter arrives only where the street has its own name."""

import re

_NAME = r"[A-ZÄÖÜ][\w.-]{0,30}"
_NUMBER = r"\d{1,4}(?: ?[a-zA-Z](?![\w.]))?(?:\s?[-–/]\s?\d{1,4}[a-z]?)?"
_STREET = r"(?:straße|strasse|str\.|gasse|allee|chaussee|damm|ufer|promenade)"
_WORD = r"(?:Straße|Strasse|Str\.|Gasse|Allee|Chaussee|Damm|Ufer|Promenade|Platz|Weg|Ring|Markt|Hof|Graben|Berg)"
_NO_NAME = r"(?!(?:Der|Die|Das|Den|Dem|Des|Ein|Eine|Einen|Einer|Unsere?|Diese|Bundes|Land|Staats|Kreis|Haupt)\b)"
_ROAD = r"(?!(?:Bundes|Land|Staats|Kreis|Europa|Reichs|Schnell|Autobahn)(?:straße|strasse|str\.))"
# Hauptplatz and Marienplatz are names; a Parkplatz is a place for something.
_PURPOSES = "|".join(
    """
    Arbeits Aufenthalts Ausbildungs Bau Betreuungs Camping Fenster Flug Fußball Gang Golf Grill Kindergarten
    Kita Krippen Lade Lager Landungs Liege Park Pflege Picknick Rast Sammel Schieß Schlaf Schul Sitz Speicher
    Spiel Sport Stamm Stand Start Steck Steh Stell Studien Tabellen Tennis Therapie Übungs Wohn Zelt
    """.split()
)
_SQUARE = rf"(?!(?:{_PURPOSES})platz\b)[A-ZÄÖÜ][a-zäöüß]{{2,30}}platz"

# A line with a street, and one with a postal code and a town; or both in one line.
ADDRESS = re.compile(
    rf"(?m)(?:^(?P<line>{_NAME}(?:[ -]{_NAME}|[ -][a-zäöüß]{{1,12}}){{0,4}} {_NUMBER})[ \t]*(?:\n|, ))"
    rf"(?:D-|A-|CH-)?\d{{4,5}} {_NAME}(?: (?:am|an der|im|bei) {_NAME})?"
)
# Bahnhofstraße 5, Goethestr. 12a; Berliner Straße 5, Karl-Marx-Allee 1, Straße des 17. Juni 135.
STREET = re.compile(
    rf"(?<![\w-]){_ROAD}[A-ZÄÖÜ][\w-]{{0,30}}?(?<=\w){_STREET} {_NUMBER}(?![\w%€])"
    rf"|(?<![\w-]){_NO_NAME}[A-ZÄÖÜ][\w-]{{0,30}}(?:er|en|[-])[ ]?{_WORD} {_NUMBER}(?![\w%€])"
    rf"|(?<![\w-]){_SQUARE} {_NUMBER}(?![\w%€])"
    rf"|(?<![\w-])Straße de[rs] (?:\d{{1,2}}\. )?{_NAME} {_NUMBER}(?![\w%€])"
)
# Goetheplatz, without a number. A Goldring is no street, nor a Transportweg: "Gold ring", "Transport route".
COMPOUND = re.compile(
    rf"(?<![\w-])(?!(?:{_PURPOSES})platz)(?P<name>[A-ZÄÖÜ][a-zäöüß]{{3,30}}?)"
    r"(?:platz|straße|strasse|gasse|allee|ufer|damm|promenade)(?![\w-])"
)
_DIGITS = frozenset("0123456789")
KEPT = ((_DIGITS, ADDRESS), (_DIGITS, STREET))
