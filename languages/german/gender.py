"""Gender forms: "Mitarbeiter_innen", "Lehrer/in", "KollegInnen", "jede*r" in the plain plural or singular.

Models know few of them. A translation into a language without such forms is that of the plain word.
"""

import re
from collections.abc import Iterator

_SIGN = r"(?:[*:_·•]|/-?|\(-?)"
_PLURAL = re.compile(
    rf"(?<![^\W\d_])(?:(?P<stem>[^\W\d_]{{3,}}){_SIGN}innen\)?(?!\w)|(?P<inner>[^\W\d_]*[a-zäöüß])Innen(?!\w))"
)
_SINGULAR = re.compile(rf"(?<![^\W\d_])(?:(?P<stem>[^\W\d_]{{3,}}){_SIGN}in\)?(?!\w)|(?P<inner>[^\W\d_]*er)In(?!\w))")
_ENDING = re.compile(
    r"(?<!\w)(?P<stem>(?:[Jj]ed|[Ee]in|[Kk]ein|[Mm]ein|[Dd]ein|[Ss]ein|[Uu]nser|[Ii]hr|[Dd]ies|[Ww]elch|[Mm]anch)e?)"
    r"[*:_/]-?(?P<ending>e|[rnms])(?!\w)"
)
_ARTICLES = re.compile(
    r"(?<!\w)(?:(?P<der>[Dd]er[*:_/]die|[Dd]ie[*:_/]der)|(?P<den>[Dd]en[*:_/]die|[Dd]ie[*:_/]den)"
    r"|(?P<dem>[Dd]em[*:_/]der|[Dd]er[*:_/]dem)|(?P<des>[Dd]es[*:_/]der|[Dd]er[*:_/]des))(?!\w)"
)
# Stems with an umlaut that the plain word lacks, or with another ending: by their own ending.
_PLURALS = {
    "ärzt": "ärzte", "köch": "köche", "anwält": "anwälte", "bäuer": "bauern", "rät": "räte", "freund": "freunde",
    "feind": "feinde", "wirt": "wirte", "gäst": "gäste", "chef": "chefs", "beamt": "beamte", "fan": "fans",
    "nachbar": "nachbarn", "ungar": "ungarn", "vorständ": "vorstände", "ingenieur": "ingenieure", "akteur": "akteure",
    "redakteur": "redakteure", "friseur": "friseure", "regisseur": "regisseure", "designer": "designer",
}  # fmt: skip
_SINGULARS = {
    "ärzt": "arzt", "köch": "koch", "anwält": "anwalt", "bäuer": "bauer", "rät": "rat", "kund": "kunde",
    "kolleg": "kollege", "expert": "experte", "beamt": "beamter", "psycholog": "psychologe", "biolog": "biologe",
    "pädagog": "pädagoge", "nachkomm": "nachkomme", "gäst": "gast", "zeug": "zeuge", "bot": "bote", "pat": "pate",
    "gefährt": "gefährte", "französ": "franzose",
}  # fmt: skip


def plain_forms(sentence: str) -> Iterator[tuple[int, int, str]]:
    """Yields the gender forms of a sentence with the plain words, as begin, end and word; they are disjoint."""
    for match in _PLURAL.finditer(sentence):
        stem = match["stem"] or match["inner"]
        yield *match.span(), _with_ending(stem, _PLURALS) or _plural(stem, is_alone=match[0] == sentence)
    for match in _SINGULAR.finditer(sentence):
        stem = match["stem"] or match["inner"]
        yield *match.span(), _with_ending(stem, _SINGULARS) or stem
    for match in _ENDING.finditer(sentence):
        yield *match.span(), match["stem"] + (match["ending"] if match["ending"] != "e" else "")
    for match in _ARTICLES.finditer(sentence):
        article = str(match.lastgroup)
        yield *match.span(), article.capitalize() if match[0][0].isupper() else article


def _plural(stem: str, *, is_alone: bool) -> str:
    """The plain plural. "Leser" alone would be one reader."""
    if not stem.endswith(("er", "el")):
        return f"{stem}en"
    return f"{stem}innen und {stem}" if is_alone else stem


def _with_ending(stem: str, endings: dict[str, str]) -> str | None:
    for end, whole in endings.items():
        if stem.lower().endswith(end):
            head = stem[: len(stem) - len(end)]
            return head + (whole if head or stem[:1].islower() else whole.capitalize())
    return None
