from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.engine.models.model_pool import ServedModel
from app.engine.models.routing import find_routes
from app.errors import ConfigurationError


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
