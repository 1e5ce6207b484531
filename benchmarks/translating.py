"""Translations of many texts: by POST /translate of the whole application, and by the model alone (int8, beam 4)."""

from collections.abc import Callable, Sequence
from functools import partial

from starlette.testclient import TestClient

from app.engine.options import SearchOptions
from app.engine.single_model import Engine

_CHUNK = 64


def translate(
    texts: Sequence[str],
    translate_some: Callable[[list[str]], list[str]],
    advance: Callable[[int], None] = lambda number: None,
) -> list[str]:
    """Translations of all texts; those of similar length go together, so that batches hold little padding.

    ``advance`` is told how many more are translated.
    """
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    found: dict[int, str] = {}
    for start in range(0, len(order), _CHUNK):
        places = order[start : start + _CHUNK]
        found |= zip(places, translate_some([texts[place] for place in places]), strict=True)
        advance(len(places))
    return [found[place] for place in range(len(texts))]


def by_service(client: TestClient, source: str, target: str, texts: list[str], **others: object) -> list[str]:
    """What the service says, with other parameters."""
    answer = client.post("/translate", json={"q": texts, "source": source, "target": target, **others})
    translations: list[str] = answer.raise_for_status().json()["translatedText"]
    return translations


def by_model(client: TestClient, engine: Engine, source: str, target: str, texts: list[str]) -> list[str]:
    """What the model alone says: nothing is protected, and there is no second attempt."""
    options = SearchOptions(beam_size=4)
    return client.portal.call(  # type: ignore[union-attr]
        partial(engine.translate, texts, source=source, target=target, options=options)
    )
