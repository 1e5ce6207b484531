"""Marian's vocabularies, with any characters in their pieces."""

import json
from pathlib import Path

import pytest
import yaml

from export.marian.limits import SourceError
from export.marian.vocabulary import by_id, read_json_vocabulary, read_yaml_vocabulary

# What YAML would take for something else, and what must be escaped.
PIECES = [
    "</s>",
    "<unk>",
    "▁no",
    "no",
    "null",
    "1.5",
    "~",
    "a: b",
    '"',
    "\\",
    "'",
    "''",
    "#",
    "- x",
    "\x85",
    "\u2028",
    "🐕",
    "?",
]


@pytest.mark.parametrize("style", ['"', "'"])
def test_every_piece_survives(tmp_path: Path, style: str) -> None:
    path = tmp_path / "vocab.yml"
    lines = [
        yaml.safe_dump({piece: index}, default_style=style, allow_unicode=style == '"', width=10_000)
        .replace("!!int ", "")
        .replace(f": {style}{index}{style}", f": {index}")
        .strip()
        for index, piece in enumerate(PIECES)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert list(read_yaml_vocabulary(path).items()) == [(piece, index) for index, piece in enumerate(PIECES)]


def test_plain_keys_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "vocab.yml"
    path.write_bytes("---\r\n</s>: 0\r\n<unk>:   1\r\n▁a:b: 2\r\nno: 3\r\n\r\n".encode())
    assert read_yaml_vocabulary(path) == {"</s>": 0, "<unk>": 1, "▁a:b": 2, "no": 3}


@pytest.mark.parametrize("line", ["a", "a: b", ": 1", "a: -1", '"\\xZZ": 1'])
def test_a_line_of_another_form(tmp_path: Path, line: str) -> None:
    path = tmp_path / "vocab.yml"
    path.write_text(f"</s>: 0\n{line}\n", encoding="utf-8")
    with pytest.raises(SourceError, match="line 2"):
        read_yaml_vocabulary(path)


def test_ids_without_a_piece(tmp_path: Path) -> None:
    path = tmp_path / "vocab.json"
    path.write_text(json.dumps({"</s>": 0, "<unk>": 1, "a": 3}), encoding="utf-8")
    assert (
        read_json_vocabulary(path, 5)
        == by_id({"</s>": 0, "<unk>": 1, "a": 3}, 5, "it")
        == ["</s>", "<unk>", None, "a", None]
    )
