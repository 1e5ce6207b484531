"""Cells with escapes, and tables: a column's name stays that of its header cell, and no two columns get the same."""

import io
import zipfile
from collections.abc import Sequence

import openpyxl
import pytest
from lxml import etree
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.filters import AutoFilter, CustomFilter, CustomFilters, FilterColumn
from openpyxl.worksheet.filters import Filters as FilterValues
from openpyxl.worksheet.table import Table as SheetTable
from openpyxl.worksheet.table import TableColumn

from tests.support.documents import ShoutingEngine, translate
from tests.support.office_files import saved


def test_xlsx_columns_whose_names_would_be_equal_keep_theirs():
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Hund", "HUND ", "Katze"], [1, 2, 3]):
        sheet.append(row)
    sheet["B1"] = "hund "
    sheet.add_table(SheetTable(displayName="Tiere", ref="A1:C2"))
    translated = translate(saved(book), "a.xlsx")
    again = openpyxl.load_workbook(io.BytesIO(translated)).active
    assert [column.name for column in again.tables["Tiere"].tableColumns] == [cell.value for cell in again[1]]


def table(*names: str, headers: Sequence[object] = ()) -> openpyxl.Workbook:
    """A workbook with a table T, whose header cells have the names of its columns if nothing else is given."""
    book = openpyxl.Workbook()
    book.active.append(headers or names)
    book.active.append(["Ort"] * len(names))
    own = SheetTable(displayName="T", ref=f"A1:{book.active.cell(2, len(names)).coordinate}")
    own.tableColumns = [TableColumn(id=number, name=name) for number, name in enumerate(names, 1)]
    book.active.add_table(own)
    return book


def columns(data: bytes) -> list[str]:
    """The names of the columns of the table T, as they are written."""
    root = etree.fromstring(zipfile.ZipFile(io.BytesIO(data)).read("xl/tables/table1.xml"))
    return [column.get("name") for column in root.iter("{*}tableColumn")]


def test_xlsx_columns_with_a_line_break_are_named_as_their_headers():
    data = saved(table("Umsatz\n2024", "Ort"))
    assert columns(data) == ["Umsatz_x000a_2024", "Ort"]
    translated = translate(data, "a.xlsx")
    assert columns(translated) == ["UMSATZ_x000a_2024", "ORT"]
    assert openpyxl.load_workbook(io.BytesIO(translated)).active["A1"].value == "UMSATZ\n2024"


@pytest.mark.parametrize("formula", ["SUM(T[Umsatz\n2024])", "SUM(T[Umsatz_x000a_2024])"])
def test_xlsx_columns_with_a_line_break_keep_a_name_that_a_formula_has(formula):
    book = table("Umsatz\n2024", "Ort")
    book.active["D1"] = f"={formula}"
    translated = translate(saved(book), "a.xlsx")
    assert columns(translated) == ["Umsatz_x000a_2024", "ORT"]
    assert openpyxl.load_workbook(io.BytesIO(translated)).active["A1"].value == "Umsatz\n2024"


def test_xlsx_columns_that_a_defined_name_or_an_escaped_reference_has_keep_theirs():
    book = table("Umsatz", "Preis [EUR]", "Ort")
    book.defined_names["Liste"] = DefinedName("Liste", attr_text="T[Umsatz]")
    book.active["E1"] = "=SUM(T[Preis '[EUR']])"
    translated = translate(saved(book), "a.xlsx")
    assert columns(translated) == ["Umsatz", "Preis [EUR]", "ORT"]
    assert [cell.value for cell in openpyxl.load_workbook(io.BytesIO(translated)).active[1]][:3] == columns(translated)


class PlaceEngine(ShoutingEngine):
    """Translates one word into the name of a column that has no cell, and another into that word."""

    def known(self, sentence: str, target: str) -> tuple[str, ...]:
        return ({"Ort": "Place", "Stadt": "Ort"}.get(sentence, sentence.upper()),)


def test_xlsx_columns_translated_into_the_name_of_one_without_a_cell_keep_theirs():
    book = table("Ort", "Stadt", "Farbe", "Place", headers=["Ort", "Stadt", "Farbe", 1])
    translated = translate(saved(book), "a.xlsx", engine=PlaceEngine())
    assert columns(translated) == ["Ort", "Stadt", "FARBE", "Place"]
    again = openpyxl.load_workbook(io.BytesIO(translated)).active
    assert [cell.value for cell in again[1]] == ["Ort", "Stadt", "FARBE", 1]


def with_text(data: bytes, text: str, wanted: str) -> bytes:
    """The file with another text in all its parts."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(file, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name).replace(text.encode(), wanted.encode()))
    return file.getvalue()


@pytest.mark.parametrize(
    ("written", "shouted"),
    [
        ("Der Hund._x000D_", "DER HUND._x000D_"),
        ("_x000D_ Hund", "_x000D_ HUND"),
        ("Hund_x000d_\nKatze_x000D_\n", "HUND_x000D_\nKATZE_x000D_\n"),
        ("Hund_x000A_Katze_x0009_Maus", "HUND\nKATZE\tMAUS"),
        ("_x0041_pfel &amp; _x00FC_ber", "APFEL &amp; ÜBER"),
        ("Hund _x005F_x000D_", "HUND _X000D_"),  # the text _x000D_; in capitals it is no escape
        ("Hund _x005F_x1234_", "HUND _X1234_"),
        ("Hund _xD83D__xDE00_", "HUND 😀"),
        ("Hund_x0000__xD83D__xFFFF_", "HUND"),
        ("_x000D_", "_x000D_"),
    ],
)
@pytest.mark.parametrize("part", ["cell", "run", "comment"])
def test_xlsx_escapes_are_characters(part, written, shouted):
    book = openpyxl.Workbook()
    book.active["A1"] = (
        "TEXT" if part == "cell" else CellRichText(TextBlock(InlineFont(b=True), "TEXT")) if part == "run" else 1
    )
    if part == "comment":
        book.active["A1"].comment = Comment("TEXT", "")
    translated = zipfile.ZipFile(io.BytesIO(translate(with_text(saved(book), "TEXT", written), "a.xlsx")))
    parts = [translated.read(name).decode() for name in translated.namelist() if name.startswith("xl/")]
    assert any(f">{shouted}</t>" in part for part in parts), parts


def test_xlsx_a_text_that_looks_like_an_escape_stays_a_text():
    class Engine(ShoutingEngine):
        def known(self, sentence: str, target: str) -> tuple[str, ...]:
            return (sentence,)

    book = openpyxl.Workbook()
    book.active["A1"] = "TEXT"
    for text in ("Hund _x005F_x000D_", "_x005F_x00e4_ Hund"):
        translated = zipfile.ZipFile(
            io.BytesIO(translate(with_text(saved(book), "TEXT", text), "a.xlsx", engine=Engine()))
        )
        assert any(f"<t>{text}</t>".encode() in translated.read(name) for name in translated.namelist())


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (["offen", "Bezahlt"], ["OFFEN", "BEZAHLT"]),
        (["OFFEN"], ["OFFEN"]),
        (["offen & mehr"], ["OFFEN & MEHR"]),
        (["12.5"], ["12.5"]),  # no cell with text
        (["off"], ["off"]),
    ],
)
@pytest.mark.parametrize("in_table", [False, True])
def test_xlsx_filters_show_the_translated_cells(wanted: list[str], expected: list[str], in_table: bool) -> None:
    book = openpyxl.Workbook()
    for cell in ("Status", "offen", "bezahlt", "offen & mehr", 12.5):
        book.active.append([cell])
    filter_ = book.active.auto_filter
    if in_table:
        own = SheetTable(displayName="T", ref="A1:A5")
        own.tableColumns, own.autoFilter = [TableColumn(id=1, name="Status")], AutoFilter()
        book.active.add_table(own)
        filter_ = own.autoFilter
    filter_.ref = "A1:A5"
    filter_.filterColumn.append(FilterColumn(colId=0, filters=FilterValues(filter=wanted)))
    again = openpyxl.load_workbook(io.BytesIO(translate(saved(book), "a.xlsx"))).active
    found = again.tables["T"].autoFilter if in_table else again.auto_filter
    assert found.filterColumn[0].filters.filter == expected


def test_xlsx_custom_filters_show_the_translated_cells() -> None:
    book = openpyxl.Workbook()
    for cell in ("Status", "offen"):
        book.active.append([cell])
    book.active.auto_filter.ref = "A1:A2"
    own = CustomFilters(customFilter=[CustomFilter(operator="equal", val=value) for value in ("offen", "off*")])
    book.active.auto_filter.filterColumn.append(FilterColumn(colId=0, customFilters=own))
    again = openpyxl.load_workbook(io.BytesIO(translate(saved(book), "a.xlsx"))).active
    [column] = again.auto_filter.filterColumn
    assert [each.val for each in column.customFilters.customFilter] == ["OFFEN", "off*"]


def with_pivot(book: openpyxl.Workbook, *fields: str) -> bytes:
    """The workbook with the cache of a pivot table that has these fields."""
    old = zipfile.ZipFile(io.BytesIO(saved(book)))
    parts = {name: old.read(name) for name in old.namelist()}
    kind, name = "application/vnd.openxmlformats-officedocument.spreadsheetml.pivotCacheDefinition+xml", "xl/pivot.xml"
    override = f'<Override PartName="/{name}" ContentType="{kind}"/></Types>'
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(b"</Types>", override.encode())
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    parts[name] = f'<pivotCacheDefinition xmlns="{space}">{"".join(fields)}</pivotCacheDefinition>'.encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for each, content in parts.items():
            archive.writestr(each, content)
    return file.getvalue()


@pytest.mark.parametrize(
    ("fields", "formula", "expected"),
    [
        (['<cacheField name="Umsatz"/>', '<cacheField name="Ort"/>'], "=SUM(A2:A3)", ["UMSATZ", "ORT"]),
        (['<cacheField name="Umsatz"/>', '<cacheField name="Wert"/>'], "=SUM(A2:A3)", ["UMSATZ", "Wert"]),
        (['<cacheField name="Umsatz"/>'], '=GETPIVOTDATA("Umsatz",A9)', ["Umsatz"]),
        (['<cacheField name="Umsatz"/>', '<cacheField name="Satz" formula="Umsatz*2"/>'], "=1", ["Umsatz", "Satz"]),
    ],
)
def test_fields_of_pivot_tables_are_named_as_their_headers(
    fields: list[str], formula: str, expected: list[str]
) -> None:
    book = openpyxl.Workbook()
    for row in (["Umsatz", "Ort"], [1, "hier"], [formula, "da"]):
        book.active.append(row)
    translated = translate(with_pivot(book, *fields), "a.xlsx")
    root = etree.fromstring(zipfile.ZipFile(io.BytesIO(translated)).read("xl/pivot.xml"))
    assert [field.get("name") for field in root] == expected
    sheet = openpyxl.load_workbook(io.BytesIO(translated)).active
    assert (sheet["A1"].value, sheet["B2"].value, sheet["A3"].value) == (expected[0], "HIER", formula)
