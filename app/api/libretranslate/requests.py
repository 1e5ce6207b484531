"""Turns the parameters of a request into a checked request. Pure: no I/O, no clock, no web framework."""

from collections.abc import Mapping
from typing import Any

from app.api.libretranslate import parameters as p
from app.api.libretranslate.endpoints import TRANSLATE
from app.api.parameter import Given
from app.engine.options import SearchOptions
from app.settings import Settings
from app.translation.languages import locale_of
from app.translation.request import TranslationRequest, Wish


def parse_translation(
    values: Mapping[str, object], *, settings: Settings, pairs: frozenset[tuple[str, str]]
) -> TranslationRequest:
    """Checks the parameters of a translation.

    Args:
        values: Parameters by name: JSON values, or strings where they came from a form or the query.
        settings: For the limits and the default beam width.
        pairs: Source and target codes that can be translated.

    Raises:
        InvalidRequest: With the contract's text for the first check that failed, or a subclass of it.
    """
    given = TRANSLATE.read(values, settings=settings, pairs=pairs)
    wish, deadline_s, details, streams = _wish(given), given[p.DEADLINE], given[p.DETAILS], given[p.STREAM]
    return TranslationRequest(
        **wish,
        texts=given[p.Q],
        markup=given[p.MARKUP],
        splitting="sentences" if wish["options"].prefix is None else "off",
        alternatives=given[p.ALTERNATIVES],
        deadline_s=min(settings.request_timeout_s, deadline_s or settings.request_timeout_s),
        details=details,
        alignment=details or streams,
        tokens=streams,
        skips_unsupported=p.is_list(given),
    )


def wish_of(given: Given) -> Wish:
    """Returns what parameters of any endpoint that translates ask for."""
    return Wish(**_wish(given))


def _wish(given: Given) -> dict[str, Any]:
    options = given[p.OPTIONS] or SearchOptions(beam_size=given.settings.beam_size)
    return {"options": options, "locale": locale_of(str(given.values[p.TARGET.name])), **given.wish}
