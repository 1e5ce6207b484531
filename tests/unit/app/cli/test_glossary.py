"""The command about glossaries."""

import csv
import json

import pytest
from translate.storage.tbx import tbxfile

from tests.support.command_line import output_of

TERMS = "Vorstand\tboard\nHaus, groß\thouse\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DRAGOMAN_DATA", str(tmp_path / "data"))


def test_a_glossary_is_made_shown_changed_written_and_removed(tmp_path):
    file = tmp_path / "terms.tsv"
    file.write_text(TERMS, encoding="utf-8")
    identifier = output_of("glossary", "add", "firm", "de", "en", file).strip()
    [listed] = json.loads(output_of("glossary", "list", "--json"))
    assert (listed["id"], listed["name"], listed["source"], listed["target"], listed["terms"]) == (
        identifier, "firm", "de", "en", 2,
    )  # fmt: skip
    more = tmp_path / "more.CSV"
    more.write_text('Vorstand,executives\n"Haus, alt",old house\n', encoding="utf-8")
    assert output_of("glossary", "add", identifier, "de", "en", more).strip() == identifier
    shown = {row["term"]: row["translation"] for row in json.loads(output_of("glossary", "show", "firm", "--json"))}
    assert shown == {"Vorstand": "executives", "Haus, groß": "house", "Haus, alt": "old house"}
    output_of("glossary", "export", "firm", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as written:
        assert dict(csv.reader(written)) == shown
    output_of("glossary", "export", "firm", tmp_path / "out.tsv")
    again = output_of("glossary", "add", "copy", "de", "en", tmp_path / "out.tsv").strip()
    assert again != identifier
    output_of("glossary", "remove", "firm")
    assert identifier not in output_of("glossary", "list") and again in output_of("glossary", "list")


def test_a_pair_of_several_is_chosen(tmp_path):
    file = tmp_path / "terms.tsv"
    file.write_text("a\tb\n")
    output_of("glossary", "add", "both", "de", "en", file)
    file.write_text("c\td\n")
    output_of("glossary", "add", "both", "en", "de", file)
    output_of("glossary", "show", "both", fails="de to en, en to de")
    assert json.loads(output_of("glossary", "show", "both", "--from", "en", "--json")) == [
        {"term": "c", "translation": "d"}
    ]
    output_of("glossary", "remove", "both", "--to", "en")
    [left] = json.loads(output_of("glossary", "list", "--json"))
    assert (left["source"], left["target"]) == ("en", "de")


@pytest.mark.parametrize(
    ("name", "text", "fails"),
    [
        ("terms.xlsx", "", "doesn't end in .tsv or .csv or .tbx"),
        ("terms.tsv", "one column", "two columns"),
        ("terms.tsv", "a\tb\na\tc\n", "duplicates"),
    ],
)
def test_what_cannot_be_added(tmp_path, name, text, fails):
    (tmp_path / name).write_text(text)
    output_of("glossary", "add", "firm", "de", "en", tmp_path / name, fails=fails)
    assert json.loads(output_of("glossary", "list", "--json")) == []
    output_of("glossary", "show", "firm", fails="there is no such glossary")


def test_tbx_comes_in_and_goes_out(tmp_path):
    (tmp_path / "terms.tsv").write_text(TERMS, encoding="utf-8")
    output_of("glossary", "add", "firm", "de", "en", tmp_path / "terms.tsv")
    output_of("glossary", "export", "firm", tmp_path / "out.tbx")
    assert [(unit.source, unit.target) for unit in tbxfile.parsefile(str(tmp_path / "out.tbx")).units] == [
        ("Vorstand", "board"),
        ("Haus, groß", "house"),
    ]
    output_of("glossary", "add", "copy", "de", "en", tmp_path / "out.tbx")
    shown = {row["term"]: row["translation"] for row in json.loads(output_of("glossary", "show", "copy", "--json"))}
    assert shown == {"Vorstand": "board", "Haus, groß": "house"}
    output_of("glossary", "add", "other", "fr", "en", tmp_path / "out.tbx", fails="no terms from fr to en")
