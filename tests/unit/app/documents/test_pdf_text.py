"""PDF: paragraphs, tables and page numbers. Every text of a page is in the blocks, except for the page's number."""

import pytest

from app.documents.pdf_text import read_blocks
from tests.support.pdf_files import pdf, pdf_of_pages

PROSE = "Der Verein lädt alle Mitglieder herzlich zum großen Sommerfest im Garten ein."


def line(text: str, left: float, base: float, size: float = 10) -> bytes:
    return b"BT /F %g Tf %g %g Td (%s) Tj ET\n" % (size, left, base, text.encode("cp1252"))


def rule(*edges: float) -> bytes:
    return b"%g %g m %g %g l S\n" % edges


def texts(data: bytes) -> list[str]:
    return ["".join(run[0] for run in runs) for _, runs in read_blocks(data)]


def page(number: str, base: float = 30, left: float = 300) -> bytes:
    return line(PROSE, 50, 700) + line(number, left, base)


@pytest.mark.parametrize(
    "numbers", [("1", "2"), ("17", "18"), ("– 1 –", "– 2 –"), ("", "2"), ("9", "10", "11"), ("[7]", "[8]")]
)
@pytest.mark.parametrize("base", [30, 770])
def test_numbers_of_pages_are_left_out(numbers: tuple[str, ...], base: float) -> None:
    assert texts(pdf_of_pages([page(number, base) for number in numbers])) == [PROSE] * len(numbers)


def test_numbers_beside_running_titles_are_left_out() -> None:
    pages = [line("Kapitel 3", 50, 770) + page(str(number), 770, 500) for number in (41, 42, 43)]
    assert "42" not in texts(pdf_of_pages(pages))


@pytest.mark.parametrize(
    "contents",
    [
        pytest.param([page("1", 400)], id="in the middle of a page"),
        pytest.param([page("1", 400), page("2", 400)], id="in the middle of pages"),
        pytest.param([page("5"), page("5")], id="the same on all pages"),
        pytest.param([page("2024")], id="a year at the bottom"),
        pytest.param([line("Menge", 50, 30) + page("1")], id="beside another cell"),
        pytest.param(
            [line("Menge", 50, 30) + line("3 EUR", 400, 30) + page(str(n)) for n in (1, 2, 3)], id="between cells"
        ),
    ],
)
def test_other_numbers_stay(contents: list[bytes]) -> None:
    assert sum(text.isdigit() for text in texts(pdf_of_pages(contents))) == len(contents)


def test_a_table_is_read_row_by_row_with_all_its_numbers() -> None:
    rows = [["Pos.", "Beschreibung", "Menge", "Preis"], ["1", "Schere", "2", "25,00"], ["2", "Handschuhe", "1", "8,99"]]
    content = b"".join(
        line(cell, 50 + 130 * column, 600 - 20 * row)
        for row, cells in enumerate(rows)
        for column, cell in enumerate(cells)
    )
    assert texts(pdf(content)) == [cell for row in rows for cell in row]


@pytest.mark.parametrize("gap", [6, 12])
def test_ruled_lines_part_cells(gap: float) -> None:
    middle = 110.0
    width = 33.35  # of "Uhrzeit" in Helvetica of 10 points, rounded up
    content = b"".join(
        line("Uhrzeit", middle - gap / 2 - width, base) + line(f"Musik {base}", middle + gap / 2, base)
        for base in (600, 585)
    )
    assert texts(pdf(content)) != ["Uhrzeit", "Musik 600", "Uhrzeit", "Musik 585"]
    content += rule(middle, 570, middle, 615) + rule(60, 596.5, 200, 596.5)
    assert texts(pdf(content)) == ["Uhrzeit", "Musik 600", "Uhrzeit", "Musik 585"]


@pytest.mark.parametrize(
    "drawn",
    [
        pytest.param(rule(50, 698, 400, 698), id="underlined"),
        pytest.param(rule(40, 600, 40, 800), id="a bar in the margin"),
        pytest.param(rule(100, 200, 100, 600), id="below the text"),
        pytest.param(rule(82.5, 600, 82.5, 800), id="through a letter"),
        pytest.param(b"80 690 60 20 re f\n", id="a coloured box behind words"),
    ],
)
def test_other_lines_part_nothing(drawn: bytes) -> None:
    assert texts(pdf(drawn + line(PROSE, 50, 700))) == [PROSE]


@pytest.mark.parametrize("blank", [" ", "   ", "\u00a0"])
def test_blank_lines_are_no_text(blank: str) -> None:
    assert texts(pdf(line(PROSE, 50, 700) + line(blank, 50, 600) + line(PROSE, 50, 500))) == [PROSE, PROSE]


@pytest.mark.parametrize(
    ("box", "is_read"), [((600, 800), True), ((600, 400), True), ((2000, 2000), True), ((300, 400), False)]
)
def test_a_form_as_large_as_a_page_is_read(box: tuple[int, int], is_read: bool) -> None:
    file = pdf(line(PROSE, 50, 700) + b"/X Do\n", form=line("Umsatz in Euro", 50, 300), box=box)
    assert texts(file) == [PROSE, "Umsatz in Euro"][: 1 + is_read]


def test_a_table_above_a_list_comes_before_it() -> None:
    content = b"".join(
        line(text, left, base)
        for text, left, base in [
            ("15:00", 219, 600),
            ("Musik", 270, 600),
            ("16:00", 219, 580),
            ("Grillen", 270, 580),
            ("• Anmeldung bis 1. Juli", 78, 540),
            ("• Eintritt frei für Kinder", 78, 528),
        ]
    )
    expected = ["15:00", "Musik", "16:00", "Grillen", "• Anmeldung bis 1. Juli", "• Eintritt frei für Kinder"]
    assert texts(pdf(content)) == expected


@pytest.mark.parametrize("code", [b"\\177", b"\\225", b"\\201"])
def test_unused_codes_of_winansi_are_bullets(code: bytes) -> None:
    items = b"".join(line(f"% Punkt {number} der Liste", 50, 700 - 12 * number) for number in range(3))
    assert texts(pdf(items.replace(b"%", code))) == [f"• Punkt {number} der Liste" for number in range(3)]


@pytest.mark.parametrize(
    ("lines", "paragraphs"),
    [
        pytest.param([("• Flohmarkt am 4. Juni", 50), ("Wir freuen uns auf Sie.", 50)], [[0], [1]], id="behind a list"),
        pytest.param([("Das war der erste Satz.", 50), ("Hier beginnt ein Absatz.", 50)], [[0], [1]], id="sentences"),
        pytest.param([("• " + PROSE, 50), ("Für Essen ist gesorgt.", 50)], [[0, 1]], id="an item of two lines"),
        pytest.param([(PROSE, 50), ("Für Essen ist gesorgt.", 50)], [[0, 1]], id="a paragraph of two lines"),
        pytest.param([("Der Verein lädt Sie", 50), ("herzlich zum Fest ein.", 50)], [[0, 1]], id="in a sentence"),
    ],
)
def test_a_line_with_room_for_the_next_word_ends_a_paragraph(
    lines: list[tuple[str, float]], paragraphs: list[list[int]]
) -> None:
    content = line(PROSE, 50, 740) + b"".join(
        line(text, left, 700 - 12 * number) for number, (text, left) in enumerate(lines)
    )
    expected = [" ".join(lines[number][0] for number in paragraph) for paragraph in paragraphs]
    assert texts(pdf(content)) == [PROSE, *expected]


def test_a_running_title_does_not_cut_a_sentence() -> None:
    title = line("Satzung des Vereins", 50, 770)
    pages = [
        title + line("Der Vorstand lädt alle Mitglieder des Vereins", 50, 100),
        title + line("zum Fest ein.", 50, 720),
    ]
    sentence = "Der Vorstand lädt alle Mitglieder des Vereins zum Fest ein."
    assert texts(pdf_of_pages(pages)) == ["Satzung des Vereins", sentence, "Satzung des Vereins"]
