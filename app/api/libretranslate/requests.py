"""Turns the parameters of a request into a checked request. Pure: no I/O, no clock, no web framework."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from app.api.libretranslate import parameters as p
from app.api.libretranslate.endpoints import TRANSLATE
from app.api.shared_parameters import GLOSSARY, STORED_GLOSSARIES, STORED_MEMORY
from app.settings import Settings
from app.text.terms.glossary import Glossary
from app.translation.languages import locale_of
from app.translation.request import TranslationRequest


@dataclass(frozen=True, kw_only=True)
class LibreTranslateRequest:
    """A request that passed every check.

    Attributes:
        translation: What to translate, and how.
        is_list: True if the client sent a list and so gets lists back.
        details: Whether the answer describes each sentence.
        stream: Whether the sentences are sent one by one.
        glossary_ids: The stored glossaries to use, the most important first.
        memory: Id of the translation memory to use and minimum score of its matches; None for none.
    """

    translation: TranslationRequest
    is_list: bool
    details: bool = False
    stream: bool = False
    glossary_ids: tuple[str, ...] = ()
    memory: tuple[str, int] | None = None


def parse_translation(
    values: Mapping[str, object], *, settings: Settings, pairs: frozenset[tuple[str, str]]
) -> LibreTranslateRequest:
    """Checks the parameters of a translation.

    Args:
        values: Parameters by name: JSON values, or strings where they came from a form or the query.
        settings: For the limits and the default beam width.
        pairs: Source and target codes that can be translated.

    Raises:
        InvalidRequest: With the contract's text for the first check that failed, or a subclass of it.
    """
    given = TRANSLATE.read(values, settings=settings, pairs=pairs)
    options, deadline_s = given[p.OPTIONS], given[p.DEADLINE]
    entries = given[GLOSSARY]
    translation = TranslationRequest(
        texts=given[p.Q],
        source=given[p.SOURCE],
        target=given[p.TARGET],
        locale=locale_of(str(values["target"])),
        options=options,
        markup=given[p.MARKUP],
        splitting="sentences" if options.prefix is None else "off",
        alternatives=given[p.ALTERNATIVES],
        deadline_s=min(settings.request_timeout_s, deadline_s or settings.request_timeout_s),
        protect=given[p.PROTECT],
        register=given[p.FORMALITY],
        glossary=partial(Glossary, entries) if entries else None,
        details=given[p.DETAILS],
        alignment=given[p.DETAILS] or given[p.STREAM],
        tokens=given[p.STREAM],
        context=given[p.CONTEXT],
        skips_unsupported=p.is_list(given),
    )
    return LibreTranslateRequest(
        translation=translation,
        is_list=p.is_list(given),
        details=given[p.DETAILS],
        stream=given[p.STREAM],
        glossary_ids=given[STORED_GLOSSARIES],
        memory=given[STORED_MEMORY],
    )
