"""PDF: columns of text are read one after the other, tables row by row."""

import random

import pytest

from app.documents.pdf_text import read_blocks
from tests.support.pdf_files import pdf

WORDS = "der Hund über läuft eine Wiese und sieht Katzen Bäume Häuser Straßen Felder".split()


def line(text: str, left: float, base: float, size: float = 10) -> bytes:
    return b"BT /F %g Tf %g %g Td (%s) Tj ET\n" % (size, left, base, text.encode("cp1252"))


def texts(content: bytes) -> list[str]:
    return ["".join(run[0] for run in runs) for _, runs in read_blocks(pdf(content))]


def sentence(name: str, number: int, random_: random.Random, chars: int) -> str:
    text = f"{name}{number}"
    while len(text) < chars:
        text += " " + random_.choice(WORDS)
    return text[:chars].rstrip()


@pytest.mark.parametrize("columns", [2, 3])
@pytest.mark.parametrize("offset", [0, 5])
@pytest.mark.parametrize("seed", range(4))
def test_columns_are_read_one_after_the_other(columns: int, offset: int, seed: int) -> None:
    random_ = random.Random(seed)
    width = 520 / columns
    content = [line("Eine Überschrift über alle Spalten und noch weiter über die ganze Breite", 40, 760, 14)]
    expected = []
    for column in range(columns):
        base = 730.0 - offset * column
        for number in range(20):
            chars = int((width - 16) / 5.2) - random_.randrange(0, 6)
            text = sentence("ABC"[column], number, random_, chars)
            expected.append(text.split()[0])
            content.append(line(text, 40 + column * width, base))
            base -= 36 if number % 7 == 6 else 12  # a paragraph ends
    content.append(line("Eine Zeile unter allen Spalten, die auch über die ganze Breite der Seite geht", 40, 300))
    random_.shuffle(content)
    found = " ".join(texts(b"".join(content))).split()
    assert [word for word in found if word in expected] == expected
    assert found[0] == "Eine" and found[-1] == "geht"


def test_a_table_is_no_column() -> None:
    rows = [
        ("Schrauben", "10 Stück", "1,50 Euro"),
        ("Muttern", "20 Stück", "2,50 Euro"),
        ("Nägel", "5 Stück", "3 Euro"),
    ]
    content = b"".join(
        line(cell, 50 + 150 * number, 700 - 40 * row)
        for row, cells in enumerate(rows * 3)
        for number, cell in enumerate(cells)
    )
    assert [text for text in texts(content) if "Stück" not in text and "Euro" not in text] == [
        "Schrauben",
        "Muttern",
        "Nägel",
    ] * 3


def test_one_column_stays_as_it_is() -> None:
    random_ = random.Random(0)
    lines = [sentence("A", number, random_, 80) for number in range(30)]
    content = b"".join(line(text, 50, 760 - 12 * number) for number, text in enumerate(lines))
    assert " ".join(texts(content)) == " ".join(lines)
