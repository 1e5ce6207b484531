"""Which models a pair of languages goes through: its own, or two with a pivot between them."""

import logging
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from app.engine.interface import Account, Event, Splitting, TranslationEngine, collect
from app.engine.models.model_pool import Model
from app.engine.models.pivoting import first_options, pivot
from app.engine.options import SearchOptions

logger = logging.getLogger(__name__)

Pair = tuple[str, str]
"""Source and target codes, in lower case."""


class Leg(NamedTuple):
    """A model, and what it is asked to do: language codes as its manifest has them."""

    model: Model
    source: str
    target: str


Route = tuple[Leg, ...]
"""One leg, or two with the pivot between them."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """What is asked of a route; see ``app.engine.interface.TranslationEngine.stream``."""

    texts: Sequence[str]
    options: SearchOptions
    splitting: Splitting
    tokens: bool
    account: Account | None


def find_routes(models: Iterable[Model], *, middle: str, max_bytes: int) -> dict[Pair, Route]:
    """The route of every pair that can be translated. Of two models for one pair the first is used.

    Args:
        models: All that are served, in order.
        middle: Code of the pivot; empty for none.
        max_bytes: Two models that take more memory together are no route.
    """
    direct: dict[Pair, Route] = {}
    for model in models:
        for pair in model.manifest.pairs:
            key = (pair.source.lower(), pair.target.lower())
            if key in direct:
                bundles = {"used": str(direct[key][0].model.path), "not_used": str(model.path)}
                logger.warning("two bundles translate %s-%s; the first one is used", *key, extra=bundles)
            else:
                direct[key] = (Leg(model, pair.source, pair.target),)
    return direct | _by_pivot(direct, middle.lower(), max_bytes)


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
        if sum(model.nbytes for model in {leg.model for leg in route}) <= max_bytes
    }


def follow(route: Route, engines: Sequence[TranslationEngine], work: Work) -> AsyncGenerator[Event, None]:
    """Translates along a route, whose models' engines these are."""
    if len(route) == 1:
        return _stream(engines[0], route[0], work)
    (first, second), (first_engine, second_engine) = route, engines
    # Tokens of the first half would be of another language. The second half was admitted with the first.
    half = replace(work, options=first_options(work.options), tokens=False)
    rest = replace(work, splitting="off", tokens=False, account=Account(admitted=True))
    return pivot(
        work.texts,
        _stream(first_engine, first, half),
        lambda sentence: collect(_stream(second_engine, second, replace(rest, texts=(sentence,)))),
        first.target.lower(),
    )


def _stream(engine: TranslationEngine, leg: Leg, work: Work) -> AsyncGenerator[Event, None]:
    return engine.stream(
        work.texts,
        source=leg.source,
        target=leg.target,
        options=work.options,
        splitting=work.splitting,
        tokens=work.tokens,
        account=work.account,
    )
