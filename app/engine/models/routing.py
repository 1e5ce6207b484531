"""Chooses the models of a language pair: one, or two with a pivot between them."""

import logging
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from app.engine.models.model_pool import ServedModel
from app.errors import ConfigurationError

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
