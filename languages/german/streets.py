"""Addresses: a letter arrives only where the street has its own name."""

import re

_NAME = r"[A-ZÄÖÜ][\w.-]{0,30}"
_NUMBER = r"\d{1,4}(?: ?[a-zA-Z](?![\w.]))?(?:\s?[-–/]\s?\d{1,4}[a-z]?)?"
_STREET = r"(?:straße|strasse|str\.|gasse|allee|chaussee|damm|ufer|promenade)"
_WORD = r"(?:Straße|Strasse|Str\.|Gasse|Allee|Chaussee|Damm|Ufer|Promenade|Platz|Weg|Ring|Markt|Hof|Graben|Berg)"
_NO_NAME = r"(?!(?:Der|Die|Das|Den|Dem|Des|Ein|Eine|Einen|Einer|Unsere?|Diese|Bundes|Land|Staats|Kreis|Haupt)\b)"
_ROAD = r"(?!(?:Bundes|Land|Staats|Kreis|Land|Europa|Reichs|Schnell|Autobahn)(?:straße|strasse|str\.))"

# A line with a street, and one with a postal code and a town; or both in one line.
ADDRESS = re.compile(
    rf"(?m)(?:^(?P<line>{_NAME}(?:[ -]{_NAME}|[ -][a-zäöüß]{{1,12}}){{0,4}} {_NUMBER})[ \t]*(?:\n|, ))"
    rf"(?:D-|A-|CH-)?\d{{4,5}} {_NAME}(?: (?:am|an der|im|bei) {_NAME})?"
)
# Bahnhofstraße 5, Goethestr. 12a; Berliner Straße 5, Karl-Marx-Allee 1, Straße des 17. Juni 135.
STREET = re.compile(
    rf"(?<![\w-]){_ROAD}[A-ZÄÖÜ][\w-]{{0,30}}?(?<=\w){_STREET} {_NUMBER}(?![\w%€])"
    rf"|(?<![\w-]){_NO_NAME}[A-ZÄÖÜ][\w-]{{0,30}}(?:er|en|[-])[ ]?{_WORD} {_NUMBER}(?![\w%€])"
    rf"|(?<![\w-])Straße de[rs] (?:\d{{1,2}}\. )?{_NAME} {_NUMBER}(?![\w%€])"
)
KEPT = (ADDRESS, STREET)
