"""One prepared corpus, and copies of it to train in."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from model.data.corpus import build_corpus
from tests.support.toy_language import write_toy_data
from tests.support.workplace import Workplace


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    workplace = Workplace(tmp_path_factory.mktemp("prepared"))
    write_toy_data(workplace.data)
    build_corpus(workplace.write_recipe(), workplace.data, workplace.run, report=lambda line: None)
    return workplace


@pytest.fixture
def workplaces(prepared: Workplace, tmp_path: Path) -> Iterator[Workplace]:
    """As many copies of the prepared folder as one asks for."""

    def copies() -> Iterator[Workplace]:
        number = 0
        while True:
            yield Workplace(shutil.copytree(prepared.folder, tmp_path / f"copy{number}"))
            number += 1

    return copies()


@pytest.fixture
def workplace(workplaces: Iterator[Workplace]) -> Workplace:
    return next(workplaces)
