import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.engine.models.bundle import GOLDEN, Bundle, sha256
from app.engine.models.manifest import MANIFEST, Manifest, write_manifest
from app.engine.models.tokenizer import Tokenizer
from app.errors import BundleError

Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def copy(tiny_bundle: Bundle, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_bundle.path, tmp_path / "copy"))


def edit(folder: Path, change: Change) -> None:
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    change(manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def replace(folder: Path, name: str, content: bytes) -> None:
    """Replace a file together with its hash: whoever did it meant it."""
    (folder / name).write_bytes(content)
    edit(folder, lambda manifest: manifest["files"].update({name: sha256(folder / name)}))


def assert_refused(folder: Path, file: str, reason: str) -> None:
    with pytest.raises(BundleError) as caught:
        Bundle.open(folder)
    message = str(caught.value)
    assert file in message
    assert reason in message
    assert "\n" not in message


def test_a_sound_bundle_opens(tiny_bundle, copy):
    bundle = Bundle.open(copy)
    assert bundle.manifest == tiny_bundle.manifest
    assert bundle.golden == tiny_bundle.golden
    for precision in ("int8-native", "float32"):
        assert bundle.graphs(precision) == {role: copy / f"{role}.{precision}.onnx" for role in ("encoder", "decoder")}
    Tokenizer(*bundle.tokenizer_files)


def test_the_placeholders_are_those_that_the_tokenizer_has(copy):
    manifest = Bundle.open(copy).manifest
    tokenizer = Tokenizer(copy / manifest.source_tokenizer, copy / manifest.target_tokenizer)
    assert len(manifest.placeholders) == 8
    for placeholder in manifest.placeholders:
        assert tokenizer.encode(f"so{placeholder}s").count(tokenizer.piece_id(placeholder)) == 1


def test_the_characters_are_those_that_the_tokenizer_has(copy):
    manifest = Bundle.open(copy).manifest
    tokenizer = Tokenizer(copy / manifest.source_tokenizer, copy / manifest.target_tokenizer)
    assert manifest.alphabet == (frozenset(manifest.characters) - set(manifest.placeholders), manifest.placeholders)
    assert set("abcäöü.") < manifest.alphabet.characters
    for character in manifest.characters:
        assert len(tokenizer.encode(character)) <= 2, "itself, and perhaps a space"
    for character in "語🍕Ж":
        assert character not in manifest.characters
        assert len(tokenizer.encode(character)) > 2, "its bytes"


def test_every_file_has_its_hash_in_the_manifest(tiny_bundle):
    on_disk = {path.name for path in tiny_bundle.path.iterdir()}
    assert on_disk - {MANIFEST} == set(tiny_bundle.manifest.files)


def test_placeholders_are_characters(copy):
    edit(copy, lambda manifest: manifest.update(placeholders=["\ue000", "ab"]))
    assert_refused(copy, MANIFEST, "placeholders.1")


@pytest.mark.parametrize("name", ["decoder.float16.onnx", "tokenizer.spm", "weights.bin", GOLDEN, MANIFEST])
def test_a_missing_file(copy, name):
    (copy / name).unlink()
    assert_refused(copy, str(copy / name), "No such file or directory")


@pytest.mark.parametrize("name", ["encoder.float32.onnx", "tokenizer.spm", "weights.bin", GOLDEN])
def test_one_changed_byte(copy, name):
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    assert_refused(copy, str(copy / name), "its sha256 is not the manifest's")


def test_a_truncated_graph(copy):
    graph = copy / "decoder.float32.onnx"
    graph.write_bytes(graph.read_bytes()[:-1])
    assert_refused(copy, str(graph), "its sha256 is not the manifest's")


def test_a_file_in_place_of_the_folder(copy):
    assert_refused(copy / "tokenizer.spm", "tokenizer.spm", "Not a directory")


CHANGES: list[tuple[str, str, Change]] = [
    ("an older format", "format_version: 3 is not 4, which this Dragoman reads", lambda m: m.update(format_version=3)),
    ("no format", "format_version: Field required", lambda m: m.pop("format_version")),
    ("an unknown key", "surprise: Extra inputs are not permitted", lambda m: m.update(surprise=1)),
    ("an unknown key deeper down", "shape.depth: Extra inputs", lambda m: m["shape"].update(depth=1)),
    ("an unknown precision", "graphs.int4.", lambda m: m["graphs"].update(int4=m["graphs"]["float16"])),
    ("no language pair", "pairs: ", lambda m: m.update(pairs=[])),
    ("a tokenizer outside", "source_tokenizer: ", lambda m: m.update(source_tokenizer="../tokenizer.spm")),
    ("a vocabulary outside", "source_vocabulary: ", lambda m: m.update(source_vocabulary="../vocab.json")),
    ("a vocabulary without hash", "no sha256 for v.json", lambda m: m.update(target_vocabulary="v.json")),
    ("a graph outside", "plain file name inside", lambda m: m["graphs"]["float16"].update(encoder="/etc/passwd")),
    ("a backslash", "plain file name inside", lambda m: m["graphs"]["float16"].update(decoder="..\\decoder.onnx")),
    ("a hash of a file outside", "plain file name inside", lambda m: m["files"].update({"../x": "0" * 64})),
    ("a graph without hash", "no sha256 for encoder.float16.onnx", lambda m: m["files"].pop("encoder.float16.onnx")),
    ("a golden file without hash", "no sha256 for golden.json", lambda m: m["files"].pop(GOLDEN)),
    ("no layers", "shape.decoder_layers: ", lambda m: m["shape"].update(decoder_layers=0)),
    ("a million layers", "shape.decoder_layers: ", lambda m: m["shape"].update(decoder_layers=10**6)),
    ("a width beyond all memory", "shape.width: ", lambda m: m["shape"].update(width=2**70)),
    ("a negative id", "ids.pad: ", lambda m: m["ids"].update(pad=-1)),
    ("an id outside", "ids.eos is 999999, but the vocabulary has only", lambda m: m["ids"].update(eos=999_999)),
    ("no room for a word", "longest_source: ", lambda m: m.update(longest_source=2)),
    ("too many pairs", "pairs: ", lambda m: m.update(pairs=m["pairs"] * 2_001)),
    ("a language that is a sentence", "pairs.0.source: ", lambda m: m["pairs"][0].update(source="a b\n")),
    ("a confidence that is no number", "confidence.bias: ", lambda m: m.update(confidence={"bias": float("nan")})),
    ("a count that is text", "shape.heads: ", lambda m: m["shape"].update(heads="two")),
]


@pytest.mark.parametrize(("reason", "change"), [(c[1], c[2]) for c in CHANGES], ids=[c[0] for c in CHANGES])
def test_a_manifest_that_is_not_understood(copy, reason, change):
    edit(copy, change)
    assert_refused(copy, str(copy / MANIFEST), reason)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000])
def test_a_manifest_that_is_no_manifest(copy, content):
    (copy / MANIFEST).write_bytes(content)
    assert_refused(copy, str(copy / MANIFEST), ": ")


@pytest.mark.parametrize("content", [b"", b"{}", b'[{"source": "x"}]'])
def test_a_golden_file_that_is_none(copy, content):
    replace(copy, GOLDEN, content)
    assert_refused(copy, str(copy / GOLDEN), ": ")


@pytest.mark.parametrize("name", [MANIFEST, GOLDEN, "tokenizer.spm", "encoder.float16.onnx", "weights.bin"])
def test_a_pipe_or_a_device_in_place_of_a_file(copy, name):
    (copy / name).unlink()
    os.mkfifo(copy / name)
    assert_refused(copy, str(copy / name), "it is not a plain file")
    (copy / name).unlink()
    (copy / name).symlink_to("/dev/zero")
    assert_refused(copy, str(copy / name), "it is not a plain file")


def test_a_link_to_a_file_is_a_file(copy, tmp_path):
    (copy / "tokenizer.spm").rename(tmp_path / "elsewhere")
    (copy / "tokenizer.spm").symlink_to(tmp_path / "elsewhere")
    Bundle.open(copy)


@pytest.mark.parametrize("name", [MANIFEST, GOLDEN])
def test_a_description_of_a_hundred_megabytes(copy, name):
    with (copy / name).open("ab") as file:
        file.truncate(100 << 20)
    if name == GOLDEN:
        edit(copy, lambda manifest: manifest["files"].update({name: sha256(copy / name)}))
    assert_refused(copy, str(copy / name), "it has 104,857,600 bytes, and at most 4,194,304 are allowed")


def test_weights_that_the_manifest_does_not_list(copy):
    edit(copy, lambda manifest: manifest["files"].pop("weights.bin"))
    assert_refused(copy, str(copy), "needs weights.bin, which the manifest doesn't list")


def test_files_that_no_graph_names_do_no_harm(copy):
    (copy / "README.md").write_text("A model.", encoding="utf-8")
    (copy / "notes").mkdir()
    (copy / "notes" / "todo").touch()
    Bundle.open(copy)


def test_more_files_than_anybody_lists(copy):
    for number in range(1_001):
        (copy / str(number)).touch()
    assert_refused(copy, str(copy), "more than 1,000 files that its manifest doesn't list")


def test_golden_sentences_of_another_pair(copy):
    golden = json.loads((copy / GOLDEN).read_text(encoding="utf-8"))
    golden[0]["source_language"] = "xx"
    replace(copy, GOLDEN, json.dumps(golden).encode())
    assert_refused(copy, str(copy / GOLDEN), "a sentence is from xx to")


def test_a_precision_that_is_not_in_the_bundle(copy):
    edit(copy, lambda manifest: manifest["graphs"].pop("float16"))
    with pytest.raises(BundleError, match=r"copy has no float16 graphs, only float32, "):
        Bundle.open(copy).graphs("float16")


def test_a_manifest_is_replaced_whole(copy, tiny_bundle):
    renamed = tiny_bundle.manifest.model_copy(update={"name": "other"})
    write_manifest(copy, renamed)
    assert Bundle.open(copy).manifest == renamed
    assert Manifest.model_validate_json((copy / MANIFEST).read_bytes()) == renamed
    assert not list(copy.glob("*.partial")) + list(copy.glob(".*.partial"))
