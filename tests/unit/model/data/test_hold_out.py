from pathlib import Path

import pytest

from model.data.hold_out import hold_out
from model.data.pairs import read_pairs, write_pairs
from model.data.preparation import PreparationError, key

NEWS = [(f"Das ist der lange Satz Nummer {n}.", f"This is the long sentence number {n}.") for n in range(20)]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "news.tsv", tmp_path / "other.tsv"]
    write_pairs(paths[0], NEWS)
    # Shares a side with every sentence of the news, but for case and punctuation.
    write_pairs(paths[1], [(german.upper(), "something else") for german, _ in NEWS] + [("kurz", "short")])
    return paths


def test_no_file_shares_a_side_with_the_held_out_pairs(files: list[Path], tmp_path: Path) -> None:
    lines: list[str] = []
    assert hold_out(files, {"news.tsv": 5}, tmp_path / "out", seed=1, report=lines.append) == 5
    held = list(read_pairs(tmp_path / "out" / "held-out.tsv"))
    taken = {key(side) for pair in held for side in pair}
    assert len(held) == 5 and set(held) <= set(NEWS)
    for name, kept in (("news.tsv", 15), ("other.tsv", 16)):
        pairs = list(read_pairs(tmp_path / "out" / name))
        assert len(pairs) == kept
        assert not taken & {key(side) for pair in pairs for side in pair}
    assert lines == ["news.tsv: 15 of 20 pairs kept", "other.tsv: 16 of 21 pairs kept"]


def test_the_seed_decides_the_draw(files: list[Path], tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        hold_out(files, {"news.tsv": 5}, tmp_path / name, seed=seed, report=lambda line: None)
    drawn = [list(read_pairs(tmp_path / name / "held-out.tsv")) for name in "abc"]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize(
    ("drawn", "reason"),
    [({"news.tsv": 21}, "has 20 pairs"), ({"missing.tsv": 1}, "missing.tsv is not among the files")],
)
def test_impossible_draws_are_refused(files: list[Path], tmp_path: Path, drawn: dict[str, int], reason: str) -> None:
    with pytest.raises(PreparationError, match=reason):
        hold_out(files, drawn, tmp_path / "out", seed=1, report=lambda line: None)


def test_files_of_one_name_are_refused(files: list[Path], tmp_path: Path) -> None:
    with pytest.raises(PreparationError, match="same name"):
        hold_out([files[0], files[0]], {}, tmp_path / "out", seed=1, report=lambda line: None)
