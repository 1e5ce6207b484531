"""References to European law in English, "Article 17(1)(b) of the GDPR", and how German writes them.

Sources: the treaties and regulations in EUR-Lex, whose German versions are "AEUV", "DSGVO", ...; the German ministry of
justice, "Handbuch der Rechtsförmlichkeit" (Art., Abs., Buchst.).
"""

import re
from collections.abc import Iterator

from languages import codes
from languages.laws import GERMAN_JOINERS, GERMAN_LAWS

_VALUES = r"\d{1,4}[a-z]?(?:\(\d{1,3}\))?(?:\([a-z]{1,2}\))?"
_REFERENCE = re.compile(
    rf"(?<!\w)Art(?:icles?|s?\.)[ \u00a0](?P<first>{_VALUES})(?P<others>(?:(?:, | and | or | to |[-–]){_VALUES})*)"
    rf",?[ \u00a0](?:of )?(?:the )?(?P<law>{'|'.join(GERMAN_LAWS)})(?!\w)"
)
_VALUE = re.compile(r"(\d{1,4}[a-z]?)(?:\((\d{1,3})\))?(?:\(([a-z]{1,2})\))?")


def references(text: str, target: str) -> Iterator[tuple[int, int, str]]:
    """Yields the references to European law, as begin, end and what German has for them; none for other targets.

    Args:
        text: Any English text.
        target: Code of the language to write for.
    """
    if codes.base(target) != "de":
        return
    for match in _REFERENCE.finditer(text):
        values = _VALUE.sub(_german, match["first"] + match["others"])
        for english, german in GERMAN_JOINERS.items():
            values = values.replace(english, german)
        yield *match.span(), f"Art. {values} {GERMAN_LAWS[match['law']]}"


def _german(value: re.Match[str]) -> str:
    article, paragraph, point = value.groups()
    return article + (f" Abs. {paragraph}" if paragraph else "") + (f" Buchst. {point}" if point else "")
