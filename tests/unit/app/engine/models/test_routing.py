import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.engine.interface import TranslationCall, collect
from app.engine.models.model_pool import ServedModel
from app.engine.models.routing import Hop, find_routes, translate_along
from app.engine.options import SearchOptions
from app.errors import ConfigurationError
from tests.support.fakes import FakeEngine


def model(*pairs: tuple[str, str]) -> Any:
    manifest: Any = SimpleNamespace(pairs=[SimpleNamespace(source=one, target=other) for one, other in pairs])
    return ServedModel(path=Path("a"), manifest=manifest, nbytes=1)


def test_two_models_make_a_route_through_the_pivot() -> None:
    models = [model(("de", "en")), model(("en", "fr"))]
    assert set(find_routes(models, middle="en", max_bytes=10)) == {("de", "en"), ("en", "fr"), ("de", "fr")}
    assert set(find_routes(models, middle="", max_bytes=10)) == {("de", "en"), ("en", "fr")}


def test_languages_that_would_make_millions_of_routes_are_refused() -> None:
    codes = [f"x{number}" for number in range(1_200)]
    models = [model(*((code, "en") for code in codes)), model(*(("en", code) for code in codes))]
    assert len(find_routes(models, middle="", max_bytes=10)) == 2_400
    with pytest.raises(ConfigurationError, match="more than 20,000 pairs"):
        find_routes(models, middle="en", max_bytes=10)


@pytest.mark.anyio
async def test_a_prefix_belongs_to_the_first_sentence_alone_whichever_is_done_first() -> None:
    first, second = FakeEngine(), FakeEngine()
    first.may_go_on.set()
    route = tuple(Hop(model(pair), *pair) for pair in (("de", "en"), ("en", "fr")))
    texts, options = ["WAIT eins. Zwei. Drei."], SearchOptions(prefix="Bonjour")
    call = TranslationCall(texts=texts, source="de", target="fr", options=options)
    translating = asyncio.create_task(collect(translate_along(route, [first, second], call)))
    while len(second.calls) < 3:
        await asyncio.sleep(0)
    second.may_go_on.set()
    [translation], _ = await translating
    assert translation.text == "Bonjour … [fr] [en] Zwei. [fr] [en] Drei."
