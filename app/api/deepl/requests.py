"""Turns the parameters of the DeepL contract into a checked request. Pure: no I/O, no clock, no web framework."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from app.api.deepl import parameters as p
from app.api.deepl.endpoints import TRANSLATE
from app.api.parameter import Given
from app.engine.options import SearchOptions
from app.settings import Settings
from app.translation.languages import locale_of
from app.translation.request import TranslationRequest, Wish

_QUALITY_BEAM_SIZE = 4


class Shape(NamedTuple):
    """What the answer says beside the translations.

    Attributes:
        has_billed_characters: It counts the characters.
        model_type: The model type that was used, if the request chose one.
        tag_handling_version: If the request has tag handling.
    """

    has_billed_characters: bool
    model_type: Literal["quality_optimized", "latency_optimized"] | None
    tag_handling_version: str | None


def parse_translation(
    values: Mapping[str, object], *, settings: Settings, pairs: frozenset[tuple[str, str]]
) -> tuple[TranslationRequest, Shape]:
    """Checks the parameters of a translation.

    Args:
        values: Parameters by name: JSON values, or strings from a form; lists of strings where it repeats a name.
        settings: For the limits and the default beam width.
        pairs: Source and target codes that can be translated.

    Raises:
        InvalidRequest: For the first check that failed, or a subclass of it; the text names the parameter.
    """
    given = TRANSLATE.read(values, settings=settings, pairs=pairs)
    markup, model_type = given[p.MARKUP], given[p.MODEL_TYPE]
    splitting = given[p.SPLIT_SENTENCES] or ("nonewlines" if markup and markup.syntax == "html" else "1")
    request = TranslationRequest(
        **vars(wish_of(given)),
        texts=given[p.TEXT],
        markup=markup,
        splitting=p.SPLITTING[splitting],
        deadline_s=settings.request_timeout_s,
    )
    used: Literal["quality_optimized", "latency_optimized"]
    used = "latency_optimized" if model_type == "latency_optimized" else "quality_optimized"
    version = given[p.TAG_HANDLING_VERSION] if markup else None
    return request, Shape(given[p.SHOW_BILLED], used if model_type else None, version)


def wish_of(given: Given) -> Wish:
    """Returns what parameters of any endpoint that translates ask for."""
    options = SearchOptions(beam_size=_beam_size(given[p.MODEL_TYPE], given.settings.beam_size))
    locale = locale_of(str(given.values[p.TARGET_LANG.name]))
    return Wish(**{"source": given[p.SOURCE_LANG], "options": options, "locale": locale, **given.wish})


def _beam_size(model_type: str, default: int) -> int:
    if model_type == "latency_optimized":
        return 1
    return max(default, _QUALITY_BEAM_SIZE) if model_type else default
