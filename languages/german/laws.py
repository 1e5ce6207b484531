"""References to laws: "§ 5 Abs. 2 Satz 1 Nr. 3 BGB i. V. m. Art. 6 Abs. 1 lit. b DSGVO", and how English writes them.

The style is that of the translations of the German ministry of justice (gesetze-im-internet.de) and of EU law.
"""

import re
from collections.abc import Iterator

from languages import codes
from languages.laws import GERMAN_JOINERS, GERMAN_LAWS

_VALUE = r"\d{1,4}[a-z]?"
_LIST = rf"{_VALUE}(?:(?:, | und | bis | oder |[-–]){_VALUE})*"
_PART = re.compile(
    rf"[ \u00a0]?(?:(?P<paragraph>Abs(?:\.|atz|ätze))[ \u00a0]?(?P<paragraphs>{_LIST})"
    rf"|(?P<sentence>S\.|Satz|Sätze)[ \u00a0]?(?P<sentences>{_LIST})"
    rf"|(?P<number>Nr\.|Nummer|Ziff\.|Ziffer)[ \u00a0]?(?P<numbers>{_LIST})"
    rf"|(?P<half>HS|Hs\.|Halbs\.|Halbsatz)[ \u00a0]?(?P<halves>{_LIST})"
    rf"|(?P<alternative>Alt\.|Alternative|Var\.)[ \u00a0]?(?P<alternatives>{_LIST})"
    rf"|(?P<point>lit\.|Buchst\.|Buchstabe|Bst\.)[ \u00a0]?(?P<points>[a-z]{{1,2}})(?!\w))"
)
_BEGIN = re.compile(
    rf"(?<!\w)(?P<kind>§§?|Art(?:\.|ikel)|Artt\.)[ \u00a0]?(?P<values>{_LIST})(?!\w)(?P<following> ?ff?\.)?"
)
_LEAD = re.compile(
    r"(?<!\w)(?:(?P<cf>vgl\.)|(?P<pursuant>gem\.)|(?P<meaning>i\.[ \u00a0]?S\.[ \u00a0]?[dv]\.))[ \u00a0]$",
    re.IGNORECASE,
)
_LEADS = {"cf": "cf.", "pursuant": "pursuant to", "meaning": "within the meaning of"}
_LONGEST_LEAD = 12  # characters
_LAW = re.compile(r"[ \u00a0](?P<law>[A-ZÄÖÜ][A-Za-zÄÖÜäöü]{0,11}[A-Z](?:[ -](?:Bund|EU|[IVX]{1,4}))?)(?!\w)")
_WITH = re.compile(r"[ \u00a0](?:i\.[ \u00a0]?V\.[ \u00a0]?m\.|iVm|in Verbindung mit)[ \u00a0](?=§|Art)")
_ENGLISH_LAWS = {"DS-GVO": "GDPR"} | {german: english for english, german in GERMAN_LAWS.items()}


def references(text: str, target: str) -> Iterator[tuple[int, int, str]]:
    """Yields the references to laws, as begin, end and what English has for them; none for other targets.

    Args:
        text: Any German text.
        target: Code of the language to write for.
    """
    if codes.base(target) != "en":
        return
    done = 0
    for match in _BEGIN.finditer(text):
        if match.start() < done:
            continue
        written, done = _reference(text, match)
        while behind := _WITH.match(text, done):
            following = _BEGIN.match(text, behind.end())
            if not following:
                break
            more, done = _reference(text, following)
            written += f" in conjunction with {more}"
        begin, lead = _lead(text, match.start())
        yield begin, done, lead + written


def _lead(text: str, begin: int) -> tuple[int, str]:
    """Where a reference with its abbreviated preposition begins, and the preposition in English; else an empty one."""
    match = _LEAD.search(text, max(0, begin - _LONGEST_LEAD), begin)
    if not match:
        return begin, ""
    english = _LEADS[str(match.lastgroup)]
    return match.start(), (english[0].upper() + english[1:] if match[0][0].isupper() else english) + " "


def _reference(text: str, begin: re.Match[str]) -> tuple[str, int]:
    values = _joined(begin["values"])
    is_section = begin["kind"].startswith("§")
    kinds = ("Section", "Sections") if is_section else ("Article", "Articles")
    written = f"{kinds[not values.isalnum() or begin['kind'] in ('§§', 'Artt.')]} {values}" + (
        " et seq." if begin["following"] else ""
    )
    end = begin.end()
    while part := _PART.match(text, end):
        end = part.end()
        if part["paragraph"]:
            listed = re.sub(
                r"\w+", lambda value: f"({value[0]})" if value[0][0].isdigit() else value[0], part["paragraphs"]
            )
            written += _joined(listed)
        elif part["point"]:
            written += f"({part['points']})" if not is_section else f" point ({part['points']})"
        else:
            word = str(part.lastgroup)
            names = {
                "sentences": "sentence",
                "numbers": "no.",
                "halves": "half-sentence",
                "alternatives": "alternative",
            }
            written += f" {names[word]} {_joined(part[word])}"
    if law := _LAW.match(text, end):
        end = law.end()
        written += f" {_ENGLISH_LAWS.get(law['law'], law['law'])}"
    return written, end


def _joined(values: str) -> str:
    for english, german in GERMAN_JOINERS.items():
        values = values.replace(german, english)
    return values
