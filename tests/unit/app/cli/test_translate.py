"""`dragoman translate`, with an engine that writes capitals."""

import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from app.cli.translate import CHUNK_TEXTS
from app.settings import Settings
from app.translation.pipeline import Translator
from app.translation.request import Answer, TranslationRequest
from tests.support.command_line import UpperCaseEngine, run

GERMAN = "Ich möchte bitte ein Bier, und wo ist der Bahnhof?\n"


def test_lines_stay_lines_and_keep_their_ends(engine: type[UpperCaseEngine]) -> None:
    result = run("translate", "-f", "de", "-t", "en", given=b"eins\r\n\n  zwei \ndrei")
    assert result.exit_code == 0
    assert result.stdout_bytes == b"EINS\r\n\n  ZWEI \nDREI"
    assert engine.calls == [(["eins", "  zwei ", "drei"], "de", "en", 4)]
    assert engine.splittings == {"sentences"}


def test_a_whole_file_is_one_text(engine: type[UpperCaseEngine], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("eins\nzwei\n")
    result = run("translate", "-f", "de", "-t", "en", "--whole", "--beam-size", "2", tmp_path / "a.txt")
    assert result.stdout == "EINS\nZWEI\n"
    assert engine.calls[0] == (["eins\nzwei\n"], "de", "en", 2)
    assert engine.splittings == {"no_newlines"}


def test_what_a_server_protects_unasked_is_protected(engine: type[UpperCaseEngine]) -> None:
    result = run("translate", "-f", "de", "-t", "en", given="Mehr auf https://www.zeit.de/a?b=c.\n12345\n")
    assert result.stdout == "MEHR AUF https://www.zeit.de/a?b=c.\n12345\n"


def test_a_language_into_itself_stays_as_it_is(engine: type[UpperCaseEngine]) -> None:
    assert run("translate", "-t", "de", given=GERMAN).stdout == GERMAN


def test_files_and_stdin_follow_each_other(engine: type[UpperCaseEngine], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    (tmp_path / "b.txt").write_text("b\n")
    target = tmp_path / "out.txt"
    result = run(
        "translate", "-f", "de", "-t", "en", "-o", target, tmp_path / "a.txt", "-", tmp_path / "b.txt", given="s\n"
    )
    assert (result.exit_code, result.output) == (0, "")
    assert target.read_text() == "A\nS\nB\n"


def test_many_lines_go_in_chunks(engine: type[UpperCaseEngine]) -> None:
    count = 2 * CHUNK_TEXTS + 1
    result = run("translate", "-f", "de", "-t", "en", given="ja\n" * count)
    assert result.stdout == "JA\n" * count
    assert [len(texts) for texts, *_ in engine.calls] == [CHUNK_TEXTS, CHUNK_TEXTS, 1]


def test_auto_detects_each_file(engine: type[UpperCaseEngine], tmp_path: Path) -> None:
    (tmp_path / "blank.txt").write_text("\n42\n")
    (tmp_path / "de.txt").write_text(GERMAN)
    result = run("translate", "-t", "en", tmp_path / "blank.txt", tmp_path / "de.txt")
    assert result.stdout == "\n42\n" + GERMAN.upper()
    assert engine.calls == [([GERMAN.rstrip()], "de", "en", 4)]


@pytest.mark.parametrize("mode", [[], ["--whole"]])
def test_what_is_not_utf8_is_named(engine: object, tmp_path: Path, mode: list[str]) -> None:
    path = tmp_path / "latin1.txt"
    path.write_bytes("gut\nschön\n".encode("latin-1"))
    result = run("translate", "-f", "de", "-t", "en", *mode, path)
    assert result.exit_code == 1
    assert result.stderr == f"error: {path}, line 2: this is not UTF-8 text\n"


def test_incomplete_sentences_are_not_passed_over_in_silence(engine: object) -> None:
    result = run("translate", "-f", "de", "-t", "en", given="endless\nkurz\nendless\n")
    assert result.exit_code == 0
    assert "2 sentences reached the length limit" in result.stderr


def test_a_pivot_is_said_once(engine: object) -> None:
    result = run("translate", "-f", "de", "-t", "fr", given="far\nkurz\nfar\n")
    assert (result.exit_code, result.stdout) == (0, "FAR\nKURZ\nFAR\n")
    assert result.stderr == "note: translated through en, because there is no model from the source language to fr\n"


def test_several_bundles_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[tuple[Path, ...]] = []

    def from_settings(settings: Settings) -> UpperCaseEngine:
        named.append(settings.bundle)
        return UpperCaseEngine()

    monkeypatch.setattr("app.engine.registry.Registry.from_settings", from_settings)
    assert run("translate", "-f", "de", "-t", "en", "--bundle", "a", "--bundle", "b", given="x").exit_code == 0
    assert named == [(Path("a"), Path("b"))]


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("en", "fr", "French (fr) is not available as a target language from English (en)"),
        ("xx", "xx", "xx is not supported"),
        ("auto", "auto", "auto is not supported"),
    ],
)
def test_a_pair_without_a_model_is_wrong_usage(
    engine: object, tmp_path: Path, source: str, target: str, message: str
) -> None:
    output = tmp_path / "precious.txt"
    output.write_text("precious")
    result = run("translate", "-f", source, "-t", target, "-o", output, given="eins")
    assert (result.exit_code, result.stderr) == (2, f"error: {message}\n")
    assert output.read_text() == "precious"


def test_codes_may_be_in_capitals(engine: object) -> None:
    assert run("translate", "-f", "DE", "-t", "EN", given="eins").stdout == "EINS"


def test_an_output_that_is_an_input_is_refused(engine: object, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("eins")
    assert run("translate", "-t", "en", "-o", path, path).exit_code == 2
    assert path.read_text() == "eins"


@pytest.mark.parametrize("report", ["in.html", "out.html", "folder/../out.html"])
def test_a_report_takes_the_place_of_no_other_file(engine: object, tmp_path: Path, report: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "in.html").write_text("<p>eins</p>")
    files = ["--report", tmp_path / report, "-o", tmp_path / "out.html", tmp_path / "in.html"]
    assert run("translate", "-f", "de", "-t", "en", *files).exit_code == 2
    assert (tmp_path / "in.html").read_text() == "<p>eins</p>"


def test_a_folder_among_the_inputs_costs_nothing(engine: object, tmp_path: Path) -> None:
    output = tmp_path / "out.txt"
    output.write_text("precious")
    (tmp_path / "folder").mkdir()
    result = run("translate", "-t", "en", "-o", output, tmp_path / "folder")
    assert (result.exit_code, output.read_text()) == (2, "precious")
    assert "is a folder" in result.stderr


def test_documents_keep_their_format(engine: object, tmp_path: Path) -> None:
    page, output = tmp_path / "page.html", tmp_path / "out.html"
    page.write_text('<html lang="de"><p>Der <b>Hund</b> läuft</p></html>', encoding="utf-8")
    translated = '<html lang="en"><p>DER <b>HUND</b> LÄUFT</p></html>'
    assert run("translate", "-f", "de", "-t", "en", page).stdout == translated
    assert run("translate", "-f", "de", "-t", "en", "-o", output, page).exit_code == 0
    assert output.read_text(encoding="utf-8") == translated


def test_a_document_that_fails_costs_nothing(engine: object, tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(b"none")
    (tmp_path / "b.docx").write_text("precious")
    result = run("translate", "-f", "de", "-t", "en", "-o", tmp_path / "b.docx", tmp_path / "a.docx")
    assert (result.exit_code, (tmp_path / "b.docx").read_text()) == (2, "precious")
    assert "The file is damaged" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["a.docx"], "name the file for the translation of"),
        (["a.docx", "a.docx", "-o", "b.docx"], "one at a time"),
        (["a.docx", "-o", "b.odt"], "can be: docx"),
    ],
)
def test_wrong_usage_of_documents(
    engine: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], hint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.docx").write_bytes(b"")
    result = run("translate", "-t", "en", *arguments)
    assert result.exit_code == 2
    assert hint in result.stderr


@pytest.mark.parametrize("arguments", [[], ["--to", "en", "no-such-file.txt"], ["--to", "en", "--beam-size", "99"]])
def test_wrong_usage_of_translate(engine: object, arguments: list[str]) -> None:
    assert run("translate", *arguments).exit_code == 2


def test_a_line_of_json_for_each_text(engine: type[UpperCaseEngine], tmp_path: Path) -> None:
    (tmp_path / "terms.tsv").write_text("Haus\tHAUS\n")
    given = "ein Haus\n\nendless\r\n"
    result = run("translate", "-f", "de", "-t", "fr", "--json", "--glossary", tmp_path / "terms.tsv", given=given)
    assert result.exit_code == 0, result.output
    house, empty, endless = map(json.loads, result.stdout.splitlines())
    own = {"text": "ein Haus", "translation": "EIN HAUS", "source": "de", "pivot": "en"}
    terms = [{"source": "Haus", "target": "HAUS", "status": "applied", "count": 1}]
    assert house == own | {"verdicts": {}, "terms": terms}
    assert (empty["text"], empty["translation"]) == ("", "")
    assert (endless["text"], endless["verdicts"]) == ("endless", {"truncated": 1})


def test_json_is_for_text(engine: object, tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nJa\n")
    refused = run("translate", "-f", "de", "-t", "en", "--json", tmp_path / "a.srt")
    assert refused.exit_code == 2 and "--json is for plain text" in refused.output


@pytest.mark.parametrize(
    ("formality", "target", "wanted"), [("less", "de", "less"), ("prefer_more", "en", None), ("default", "de", None)]
)
def test_formality_reaches_the_translation(
    engine: object, monkeypatch: pytest.MonkeyPatch, formality: str, target: str, wanted: str | None
) -> None:
    asked: list[str | None] = []
    translate = Translator.translate

    def noted(self: Translator, request: TranslationRequest) -> Coroutine[Any, Any, Answer]:
        asked.append(request.register)
        return translate(self, request)

    monkeypatch.setattr(Translator, "translate", noted)
    source = "en" if target == "de" else "de"
    assert run("translate", "-f", source, "-t", target, "--formality", formality, given="x\n").exit_code == 0
    assert asked == [wanted]


@pytest.mark.parametrize(
    ("formality", "target", "message"),
    [("more", "en", "Target language 'en' doesn't support --formality."), ("rude", "de", "is not one of")],
)
def test_a_formality_that_cannot_be_had(engine: object, formality: str, target: str, message: str) -> None:
    refused = run("translate", "-f", "de", "-t", target, "--formality", formality, given="x\n")
    assert refused.exit_code == 2 and message in refused.output


def test_a_document_is_marked_for_review_with_a_report(engine: type[UpperCaseEngine], tmp_path: Path) -> None:
    (tmp_path / "a.po").write_text('msgid "endless"\nmsgstr ""\n\nmsgid "kurz"\nmsgstr ""\n')
    options = ["--review-below", "0.5", "--report", tmp_path / "r.csv", "-o", tmp_path / "b.po"]
    result = run("translate", "-f", "de", "-t", "en", *options, tmp_path / "a.po")
    assert result.exit_code == 0
    assert "review: 1 of 2 sentences should be looked at" in result.stderr
    assert '# Dragoman: truncated\n#, fuzzy\nmsgid "endless"' in (tmp_path / "b.po").read_text()
    assert (tmp_path / "r.csv").read_text().splitlines()[1].startswith("sentence,1,endless,ENDLESS,")


def test_reports_are_of_documents_and_have_two_forms(engine: type[UpperCaseEngine], tmp_path: Path) -> None:
    (tmp_path / "a.po").write_text('msgid "kurz"\nmsgstr ""\n')
    text = run("translate", "-f", "de", "-t", "en", "--review-below", "0.5", given="a")
    form = run(
        "translate", "-f", "de", "-t", "en", "--report", tmp_path / "r.pdf", "-o", tmp_path / "b", tmp_path / "a.po"
    )
    assert (text.exit_code, form.exit_code) == (2, 2)
    assert "--json tells of lines" in text.stderr and "html, csv" in form.stderr
    assert not engine.calls
