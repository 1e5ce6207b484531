"""The word lists of model/text that a bundle lists as labels."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from model.data.pairs import read_pairs

TEXT = Path("model/text")
DIRECTIONS = "de-en", "en-de"
NAMES = "names-2", "names-2.de-en", "names-2.en-de"
NEW = "labels-6", "labels-6.de-en", "labels-6.en-de", *NAMES


def listed(direction: str) -> list[str]:
    """Names of the files that ``make labels`` puts into the bundle for a direction, as the Makefile has them."""
    rule = re.search(r"^LISTED = (.+)", Path("Makefile").read_text("utf-8"), re.MULTILINE)
    assert rule
    own = "labels-2.en-de" if direction == "en-de" else ""
    return rule[1].replace("$(2)", own).replace("$(1)", direction).split()


def labels(name: str, direction: str) -> Iterator[str]:
    """The labels of a file that are translated in a direction."""
    return (pair[direction == "en-de"] for pair in read_pairs(TEXT / f"{name}.tsv.xz"))


def test_the_bundle_gets_each_list() -> None:
    kinds = "labels*", "unlisted*", "names-2*"
    there = {path.name.removesuffix(".tsv.xz") for kind in kinds for path in TEXT.glob(f"{kind}.tsv.xz")}
    assert there == {name for direction in DIRECTIONS for name in listed(direction)}


@pytest.mark.parametrize("name", NEW)
def test_a_line_is_two_plain_texts(name: str) -> None:
    for pair in read_pairs(TEXT / f"{name}.tsv.xz"):
        for side in pair:
            assert side and side == " ".join(side.split()), pair
            assert unicodedata.is_normalized("NFC", side) and "\N{REPLACEMENT CHARACTER}" not in side, pair
            assert not re.search(r"[|<>~]|\\", side), pair
        assert len(pair[0]) <= 80 >= len(pair[1]), pair


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_no_label_is_listed_twice(direction: str) -> None:
    new = [name for name in listed(direction) if name in NEW]
    found = Counter(label for name in new for label in labels(name, direction))
    assert not {label for label, count in found.items() if count > 1}
    older = {label for name in listed(direction) if name not in NEW for label in labels(name, direction)}
    assert not older & set(found)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_stays_as_it_is(name: str) -> None:
    pairs = list(read_pairs(TEXT / f"{name}.tsv.xz"))
    assert pairs == sorted({(first, first) for first, _ in pairs})
