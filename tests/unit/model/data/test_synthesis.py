from collections.abc import Collection, Sequence
from pathlib import Path

import pytest

from model.data.pairs import PairsError, read_pairs, sentence_key
from model.data.synthesis import align_documents, back_translate, plausible

LINES = [f"line number {'abcdefgh'[n % 8]} of {n} words" for n in range(1_200)]


class Upside:
    """Turns words round, and can be told to stop in the middle."""

    def __init__(self, fail_after: int | None = None) -> None:
        self.calls, self.fail_after = 0, fail_after

    def __call__(self, lines: Sequence[str], source: str, target: str) -> list[str]:
        self.calls += 1
        if self.fail_after is not None and self.calls > self.fail_after:
            raise KeyboardInterrupt
        return [" ".join(word[::-1] for word in line.split()) for line in lines]


def synthesise(
    folder: Path, translate: Upside, columns: tuple[str, str] = ("de", "en"), avoid: Collection[str] = ()
) -> int:
    return back_translate(
        folder / "text.txt", folder / "out.tsv", translate, written_in="en", other="de", columns=columns, avoid=avoid
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return tmp_path


def test_the_real_side_stands_where_its_language_does(folder: Path) -> None:
    assert synthesise(folder, Upside()) == len(LINES)
    first = next(iter(read_pairs(folder / "out.tsv")))
    assert first == ("enil rebmun a fo 0 sdrow", LINES[0])
    synthesise(folder, Upside(), columns=("en", "de"))
    assert next(iter(read_pairs(folder / "out.tsv"))) == first[::-1]


def test_sentences_that_were_set_aside_are_left_out(folder: Path) -> None:
    assert synthesise(folder, Upside(), avoid={LINES[3], sentence_key(LINES[600])}) == len(LINES) - 2
    assert [pair[1] for pair in read_pairs(folder / "out.tsv")] == [*LINES[:3], *LINES[4:600], *LINES[601:]]


def test_a_stopped_run_continues(folder: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        synthesise(folder, Upside(fail_after=1))
    partial = folder / "out.tsv.partial"
    with partial.open("a", encoding="utf-8") as file:
        file.write("half a li")  # the machine stopped while it wrote
    rest = Upside()
    assert synthesise(folder, rest) == len(LINES)
    assert rest.calls == 2  # the first 512 lines were not translated again
    assert [pair[1] for pair in read_pairs(folder / "out.tsv")] == LINES
    assert not partial.exists()


def test_a_missing_text_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PairsError, match="no such file"):
        synthesise(tmp_path, Upside())


@pytest.mark.parametrize(
    ("source", "translation", "expected"),
    [
        ("Das ist gut so.", "That is just fine.", True),
        ("Das ist gut so.", "", False),
        ("Das ist gut so.", "das ist gut so", False),  # a copy
        ("Ein Satz.", "word " * 30, False),  # far too long
        ("eins zwei drei vier fünf sechs sieben acht neun zehn", "a b a b a b a b a b", False),  # a loop
        ("Tom", "Tom", True),
        ("a\tb c d", "e f g h", False),  # a tab would make a third column
    ],
)
def test_what_may_be_learnt_from(source: str, translation: str, expected: bool) -> None:
    assert plausible(source, translation) is expected


def test_documents_become_pairs_without_those_to_avoid(tmp_path: Path) -> None:
    german = ["Der alte Mann ging langsam nach Hause. Die Katze schlief.", "Am Morgen regnete es stark im Tal."]
    english = ["The old man walked slowly home. The cat was sleeping.", "In the morning it rained hard in the valley."]
    for name, lines in (("a.txt", german), ("b.txt", english)):
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    known = {
        "Der alte Mann ging langsam nach Hause.": "The old man went home slowly.",
        "Die Katze schlief.": "The cat slept.",
        "Am Morgen regnete es stark im Tal.": "In the morning it rained strongly in the valley.",
    }
    found = align_documents(
        tmp_path / "a.txt",
        tmp_path / "b.txt",
        lambda lines, source, target: [known[line] for line in lines],
        languages=("de", "en"),
        least=0.2,
        avoid=["the cat was sleeping"],
    )
    assert [pair for _, pair in found] == [
        ("Der alte Mann ging langsam nach Hause.", "The old man walked slowly home."),
        ("Am Morgen regnete es stark im Tal.", "In the morning it rained hard in the valley."),
    ]
