"""Applies the rules of languages to a text, without a model."""

from app.text.inline.placement import apply
from app.text.numerals.grammar import localize
from app.translation.rules.corrections import corrections
from app.translation.rules.pair import Direction
from languages.registry import language_of


def corrected(source: str, translation: str, source_language: str, target_language: str) -> str:
    """A translation after all corrections."""
    direction = Direction(language_of(source_language), language_of(target_language))
    return apply(corrections(direction.pair(source, translation)), translation)


def written(text: str, source_language: str, target_language: str) -> str:
    """The text with every numeric expression in the notation of the target language."""
    for begin, end, rewrite in reversed(localize(text, source_language, target_language)):
        text = text[:begin] + (rewrite.text if rewrite else text[begin:end]) + text[end:]
    return text
