from pathlib import Path

import pytest

from tests.support.bundles import write_bundle
from tests.support.shelf import Shelf


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder with German-English, Spanish to English and English to French."""
    folder = tmp_path / "models"
    for pairs in (("de-en", "en-de"), ("es-en",), ("en-fr",)):
        write_bundle(folder / pairs[0], *pairs)
    return folder


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()
