"""Turns the parameters of the DeepL contract into a checked request. Pure: no I/O, no clock, no web framework."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from app.api.deepl import parameters as p
from app.api.deepl.endpoints import TRANSLATE
from app.api.shared_parameters import GLOSSARY, STORED_GLOSSARIES, STORED_MEMORY
from app.engine.options import SearchOptions
from app.settings import Settings
from app.text.terms.glossary import Glossary
from app.translation.languages import locale_of
from app.translation.request import TranslationRequest

_QUALITY_BEAM_SIZE = 4


@dataclass(frozen=True, kw_only=True)
class DeepLRequest:
    """A request that passed every check.

    Attributes:
        translation: What to translate, and how.
        show_billed_characters: Whether the answer counts the characters.
        model_type_used: Answered if the request chose a model type.
        tag_handling_version: Answered if the request has tag handling.
        glossary_ids: The stored glossaries to use, the most important first.
        memory: Id of the translation memory to use and minimum score of its matches; None for none.
    """

    translation: TranslationRequest
    show_billed_characters: bool
    model_type_used: Literal["quality_optimized", "latency_optimized"] | None
    tag_handling_version: str | None
    glossary_ids: tuple[str, ...]
    memory: tuple[str, int] | None


def parse_translation(
    values: Mapping[str, object], *, settings: Settings, pairs: frozenset[tuple[str, str]]
) -> DeepLRequest:
    """Checks the parameters of a translation.

    Args:
        values: Parameters by name: JSON values, or strings (lists of strings for those that repeat) from a form.
        settings: For the limits and the default beam width.
        pairs: Source and target codes that can be translated.

    Raises:
        InvalidRequest: For the first check that failed, or a subclass of it; the text names the parameter.
    """
    given = TRANSLATE.read(values, settings=settings, pairs=pairs)
    markup, model_type = given[p.MARKUP], given[p.MODEL_TYPE]
    splitting = given[p.SPLIT_SENTENCES] or ("nonewlines" if markup and markup.syntax == "html" else "1")
    is_greedy, entries = model_type == "latency_optimized", given[GLOSSARY]
    return DeepLRequest(
        translation=TranslationRequest(
            texts=given[p.TEXT],
            source=given[p.SOURCE_LANG],
            target=given[p.TARGET_LANG],
            locale=locale_of(str(values["target_lang"])),
            markup=markup,
            splitting=p.SPLITTING[splitting],
            options=SearchOptions(beam_size=_beam_size(model_type, settings.beam_size)),
            deadline_s=settings.request_timeout_s,
            glossary=partial(Glossary, entries) if entries else None,
            register=given[p.FORMALITY],
            preserves_formatting=given[p.PRESERVE_FORMATTING],
            context=given[p.CONTEXT],
        ),
        show_billed_characters=given[p.SHOW_BILLED],
        model_type_used=("latency_optimized" if is_greedy else "quality_optimized") if model_type else None,
        tag_handling_version=given[p.TAG_HANDLING_VERSION] if markup else None,
        glossary_ids=given[STORED_GLOSSARIES],
        memory=given[STORED_MEMORY],
    )


def _beam_size(model_type: str, default: int) -> int:
    if model_type == "latency_optimized":
        return 1
    return max(default, _QUALITY_BEAM_SIZE) if model_type else default
