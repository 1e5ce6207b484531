"""Chooses the models of a language pair: one, or two with a pivot between them."""

import logging
from collections.abc import AsyncGenerator, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from app.engine.interface import Event, RequestQuota, TranslationCall, TranslationEngine, collect
from app.engine.models.model_pool import ServedModel
from app.engine.models.pivoting import Half, first_options, pivot
from app.errors import ConfigurationError
from app.text.quality_checks import doubled_in
from app.text.terms.glossary import Term

logger = logging.getLogger(__name__)

Pair = tuple[str, str]
"""Source and target codes, in lower case."""


class Hop(NamedTuple):
    """A model and its task: language codes as its manifest has them."""

    model: ServedModel
    source: str
    target: str


Route = tuple[Hop, ...]
"""One hop, or two with the pivot between them."""


MAX_ROUTES = 20_000
"""Pairs of languages that a server translates, with the pivot or without."""


def find_routes(models: Iterable[ServedModel], *, middle: str, max_bytes: int) -> dict[Pair, Route]:
    """Returns the route of every pair that can be translated. Of two models for one pair, the first is used.

    Args:
        models: All that are served, in order.
        middle: Code of the pivot; empty for none.
        max_bytes: Two models that take more memory together are no route.

    Raises:
        ConfigurationError: There are too many routes.
    """
    direct: dict[Pair, Route] = {}
    for model in models:
        for pair in model.manifest.pairs:
            key = (pair.source.lower(), pair.target.lower())
            if key in direct:
                bundles = {"used": str(direct[key][0].model.path), "not_used": str(model.path)}
                logger.warning("two bundles translate %s-%s; the first is used", *key, extra=bundles)
            else:
                direct[key] = (Hop(model, pair.source, pair.target),)
    middle = middle.lower()
    ways_in, ways_out = (sum(pair[side] == middle for pair in direct) for side in (1, 0))
    if len(direct) + ways_in * ways_out > MAX_ROUTES:
        raise ConfigurationError(
            f"The bundles translate more than {MAX_ROUTES:,} pairs of languages; serve fewer, or set another pivot."
        )
    return direct | _by_pivot(direct, middle, max_bytes)


def _by_pivot(direct: Mapping[Pair, Route], middle: str, max_bytes: int) -> dict[Pair, Route]:
    routes = {
        (source, target): direct[source, middle] + direct[middle, target]
        for source in {source for source, target in direct if target == middle}
        for target in {target for source, target in direct if source == middle}
        if middle and source != target and (source, target) not in direct
    }
    return {
        pair: route
        for pair, route in routes.items()
        if sum(model.nbytes for model in {hop.model for hop in route}) <= max_bytes
    }


def translate_along(
    route: Route, engines: Sequence[TranslationEngine], call: TranslationCall
) -> AsyncGenerator[Event, None]:
    """Translates along a route, whose models' engines these are."""
    if len(route) == 1:
        return engines[0].stream(_call_of(route[0], call))
    (first, second), (first_engine, second_engine) = route, engines
    # Tokens of the first model would be of another language. Its sentences were admitted for the second model, too.
    options = first_options(call.options)
    options = replace(options, alignment=True) if call.terms else options
    half = replace(call, options=options, tokens=False, improve=None, terms=())
    rest = replace(half, options=call.options, splitting="off", keys=(), quota=RequestQuota(admitted=True), context="")

    def translate(sentence: str, terms: Sequence[Term]) -> Coroutine[Any, Any, Half]:
        nonlocal rest
        own = replace(rest, texts=(sentence,), terms=(terms,) if terms else ())
        rest = replace(rest, options=replace(rest.options, prefix=None))  # it belongs to the first sentence alone
        return collect(second_engine.stream(_call_of(second, own)))

    return pivot(
        call.texts,
        first_engine.stream(_call_of(first, half)),
        translate,
        first.target.lower(),
        call.improve,
        call.terms,
        doubled_in((call.source, call.target)),
    )


def _call_of(hop: Hop, call: TranslationCall) -> TranslationCall:
    """Returns the call with the language codes of the model's manifest."""
    return replace(call, source=hop.source, target=hop.target)
