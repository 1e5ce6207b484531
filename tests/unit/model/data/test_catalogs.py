"""Texts of programs as sentence pairs."""

from pathlib import Path

import polib
import pytest
from typer.testing import CliRunner

from app.cli.main import app
from model.data.catalogs import read_catalogs
from model.data.pairs import PairsError, read_pairs, write_pairs


def _catalog(path: Path, entries: dict[str, str]) -> Path:
    catalog = polib.POFile()
    catalog.metadata = {"Content-Type": "text/plain; charset=utf-8", "Plural-Forms": "nplurals=2; plural=(n != 1);"}
    catalog.extend(polib.POEntry(msgid=message, msgstr=translation) for message, translation in entries.items())
    catalog.append(polib.POEntry(msgid="One file", msgid_plural="Many files", msgstr_plural={0: "Eine", 1: "Viele"}))
    catalog.save_as_mofile(str(path))
    return path


def test_shortcuts_go_and_what_is_no_text_is_left_out(tmp_path: Path) -> None:
    entries = {
        "_Save As…": "Speichern _unter …",
        "Cut && &Paste": "Ausschneiden && &Einfügen",  # Qt's way to write "&"
        "Delete": "Löschen (&D)",
        "Terminal": "Terminal",
        "Copied %d files": "%d Dateien kopiert",
        "<b>Warning</b>": "<b>Warnung</b>",
        "See https://example.org": "Siehe https://example.org",
        "Research & Development": "Forschung & Entwicklung",
    }
    assert list(read_catalogs([_catalog(tmp_path / "a.mo", entries)])) == [
        ("Cut & Paste", "Ausschneiden & Einfügen"),
        ("Delete", "Löschen"),
        ("One file", "Eine"),
        ("Many files", "Viele"),
        ("Research & Development", "Forschung & Entwicklung"),
        ("Save As…", "Speichern unter …"),
    ]


@pytest.mark.parametrize("content", [b"", b"no catalog", b"\xde\x12\x04\x95" + b"\xff" * 24])
def test_a_file_that_is_no_catalog_is_named(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "b.mo").write_bytes(content)
    with pytest.raises(PairsError, match=r"b\.mo can't be read as a catalog"):
        list(read_catalogs([tmp_path / "b.mo"]))


def test_the_command_writes_clean_pairs_without_what_it_must_avoid(tmp_path: Path) -> None:
    catalog = _catalog(tmp_path / "a.mo", {"Delete": "Löschen", "Delete!": "Löschen!", "Close": "Schließen"})
    write_pairs(tmp_path / "test.tsv", [("schließen!", "shut")])
    out = tmp_path / "out.tsv"
    arguments = [
        "data",
        "catalogs",
        str(catalog),
        "--reverse",
        "--avoid",
        str(tmp_path / "test.tsv"),
        "--out",
        str(out),
    ]
    result = CliRunner().invoke(app, arguments)
    assert result.output.strip() == f"{out}: 3 pairs"
    assert list(read_pairs(out)) == [("Löschen", "Delete"), ("Eine", "One file"), ("Viele", "Many files")]
