"""Turns the parameters of a request into a checked request. Pure: no I/O, no clock, no web framework."""

from collections.abc import Mapping

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
    wish, deadline_s = wish_of(given), given[p.DEADLINE]
    return TranslationRequest(
        **vars(wish),
        texts=given[p.Q],
        markup=given[p.MARKUP],
        splitting="sentences" if wish.options.prefix is None else "off",
        alternatives=given[p.ALTERNATIVES],
        deadline_s=min(settings.request_timeout_s, deadline_s or settings.request_timeout_s),
        details=given[p.DETAILS],
        alignment=given[p.DETAILS] or given[p.STREAM],
        tokens=given[p.STREAM],
        skips_unsupported=p.is_list(given),
    )


def wish_of(given: Given) -> Wish:
    """Returns what parameters of any endpoint that translates ask for."""
    options = given[p.OPTIONS] or SearchOptions(beam_size=given.settings.beam_size)
    locale = locale_of(str(given.values[p.TARGET.name]))
    return Wish(**{"options": options, "locale": locale, **given.wish})
