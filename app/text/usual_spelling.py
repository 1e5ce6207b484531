"""The usual spelling of a text, as models know it: words of its language, dashes, and ellipses without spaces."""

import re
from collections.abc import Iterator

from app.text.inline.placement import Edit, apply, disjoint
from languages.language import Language
from languages.signs import SPACED_DOTS

# "slow -- but steady", "slow--but steady", "1939--1945"; not "--force", "---", "(--)", "<!-- x -->", "i--".
_TYPED_DASH = re.compile(r"(?<=[^\s!(\[„“‚‘-])(?: -- |(?<!\b[a-zA-Z])-- ?)(?=[^\s>)\]”’-])")
_SPACED_DOTS = re.compile(SPACED_DOTS)


def usual_spelling(text: str, language: Language) -> list[Edit]:
    """Returns how to write what a text has in an unusual spelling, in order and disjoint."""
    dots = (Edit(*match.span(), "...") for match in _SPACED_DOTS.finditer(text))
    return disjoint([*(Edit(*found) for found in language.respell(text)), *_dashes(text), *dots])


def usual(text: str, language: Language) -> str:
    """Returns a text in the usual spelling of its language."""
    return apply(usual_spelling(text, language), text)


def _dashes(text: str) -> Iterator[Edit]:
    for match in _TYPED_DASH.finditer(text):
        is_range = text[match.start() - 1].isdigit() and text[match.end()].isdigit()
        yield Edit(*match.span(), "–" if is_range else " – ")
