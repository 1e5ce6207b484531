"""Files of Firefox's models are read as they were written; damaged and hostile ones are refused in one line."""

import gzip
import re
import shutil
import struct

import numpy as np
import pytest
import sentencepiece
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.engine.models.tokenizer import Tokenizer
from export.bergamot.binary import BinaryWeights
from export.bergamot.folder import find_files, pairs_of
from export.bergamot.lexical import read_lexical
from export.bergamot.pieces import Pieces
from export.marian.limits import SourceError
from tests.support.bergamot import (
    CONTROL_SYMBOLS,
    FLOAT32,
    INTGEMM8,
    options,
    quantised,
    random_tensors,
    train_pieces,
    write_lexical,
    write_model,
    write_weights,
)
from tests.support.bergamot_reference import read_tensors
from tests.support.tiny import sentence_pairs

SIZES = options(**{"dim-emb": 16, "transformer-dim-ffn": 40, "enc-depth": 1, "dec-depth": 1})
TEXT = [german for german, _ in sentence_pairs(400)]


@pytest.fixture(scope="module")
def tensors():
    return quantised(random_tensors(SIZES, 30))


@pytest.fixture(scope="module")
def sound(tensors, tmp_path_factory):
    path = tmp_path_factory.mktemp("sound") / "model.bin"
    write_weights(path, tensors, SIZES)
    return path


def refusal(call):
    with pytest.raises(SourceError) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message and len(message) < 400
    return message


def test_tensors_come_back_as_they_were_written(sound, tensors):
    weights = BinaryWeights(sound)
    assert weights.options == SIZES
    expected, _ = read_tensors(sound)
    for name, held in tensors.items():
        if name.endswith("_QuantMultA"):
            continue
        values = held[0].astype(np.float32) / np.float32(held[1]) if isinstance(held, tuple) else held
        found = weights.take(name, values.shape)
        np.testing.assert_array_equal(found, values)
        np.testing.assert_array_equal(found, expected[name])
    weights.check_all_taken()


def test_a_parameter_that_nobody_takes_is_refused(sound):
    assert "is an unknown parameter" in refusal(BinaryWeights(sound).check_all_taken)


@pytest.mark.parametrize("wrong", [("Wemb", (30, 17)), ("Wemb", (16, 30)), ("none", (1,))])
def test_another_shape_than_the_files_is_refused(sound, wrong):
    weights = BinaryWeights(sound)
    assert refusal(lambda: weights.take(*wrong))


@pytest.mark.parametrize("kind", [0x0802, 0x1801, 0x2801, 0x1234])
def test_types_of_other_engines_are_refused(sound, tmp_path, kind):
    data = bytearray(sound.read_bytes())
    data[24:32] = struct.pack("<Q", kind)
    path = tmp_path / "model.bin"
    path.write_bytes(data)
    assert re.search("FBGEMM|not supported", refusal(lambda: BinaryWeights(path)))


@pytest.mark.parametrize("multiplier", [0.0, -1.0, float("nan"), float("inf")])
def test_a_multiplier_that_is_none_is_refused(tmp_path, multiplier):
    path = tmp_path / "model.bin"
    write_weights(path, {"Wemb": (np.ones((4, 4), np.int8), multiplier)}, SIZES)
    assert "multiplier" in refusal(lambda: BinaryWeights(path).take("Wemb", (4, 4)))


def test_numbers_that_are_not_finite_are_refused(tmp_path):
    path = tmp_path / "model.bin"
    write_weights(path, {"bias": np.array([[1, np.nan]], np.float32)}, SIZES)
    assert "not finite" in refusal(lambda: BinaryWeights(path).take("bias", (2,)))


def test_a_cut_file_is_refused_wherever_it_is_cut(sound, tmp_path):
    data, path = sound.read_bytes(), tmp_path / "model.bin"
    for size in [*range(0, 3000, 61), len(data) - 1, len(data) // 2]:
        path.write_bytes(data[:size])
        refusal(lambda: BinaryWeights(path))
    path.write_bytes(data + b"\0")
    refusal(lambda: BinaryWeights(path))


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_damaged_head_is_read_or_refused(sound, tmp_path, data):
    content = bytearray(sound.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, 2500 // 8)) * 8
        number = data.draw(
            st.sampled_from([0, 1, 2, 255, 10**6, 2**31 - 1, 2**31, 2**63, 2**64 - 1, FLOAT32, INTGEMM8])
        )
        content[place : place + 8] = struct.pack("<Q", number)
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    try:
        weights = BinaryWeights(path)
        for name in ("Wemb", "encoder_l1_ffn_W1", "decoder_l1_rnn_bf"):
            weights.take(name, (30, 16) if name == "Wemb" else (16, 40) if name.endswith("W1") else (16,))
    except SourceError as error:
        assert "\n" not in str(error)


def test_a_shortlist_allows_what_the_file_says_and_the_first_pieces(tmp_path):
    rows = [[9, 12], [], [4, 7, 8], [11], []]
    write_lexical(tmp_path / "lex.bin", rows, first=3)
    shortlist = read_lexical(tmp_path / "lex.bin", 14, 0)
    assert shortlist.of([2, 0]).tolist() == [0, 1, 2, 4, 7, 8, 9, 12]
    assert shortlist.of([3, 4, 0]).tolist() == [0, 1, 2, 3, 4, 9, 11, 12]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-4],
        lambda data: data + b"\0" * 4,
        lambda data: b"\0" + data[1:],
        lambda data: data[:20] + b"\7" + data[21:],
        lambda data: data[:30],
        lambda data: data[:-1] + b"\1",
    ],
)
def test_a_damaged_shortlist_is_refused(tmp_path, damage):
    path = tmp_path / "lex.bin"
    write_lexical(path, [[9, 12], [4], [7, 8]])
    path.write_bytes(damage(path.read_bytes()))
    refusal(lambda: read_lexical(path, 14, 0))


def test_a_shortlist_of_other_pieces_is_refused(tmp_path):
    write_lexical(tmp_path / "lex.bin", [[9, 12], [4]])
    assert "doesn't have" in refusal(lambda: read_lexical(tmp_path / "lex.bin", 12, 0))


def test_control_symbols_in_a_text_are_text(tmp_path):
    train_pieces(tmp_path / "vocab.spm", TEXT, byte_fallback=True)
    before = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "vocab.spm"))
    pieces = Pieces(tmp_path / "vocab.spm")
    symbols = {before.piece_to_id(symbol) for symbol in CONTROL_SYMBOLS}
    assert symbols & set(before.encode("def __start__ ( ) __sep__"))
    (tmp_path / "harmless.spm").write_bytes(pieces.content)
    tokenizer = Tokenizer(tmp_path / "harmless.spm", tmp_path / "harmless.spm")
    assert not symbols & set(tokenizer.encode("def __start__ ( ) __sep__"))
    assert tokenizer.decode(tokenizer.encode("Der Hund __start__ (x) 犬")) == "Der Hund __start__ (x) 犬"
    assert symbols | {1} == pieces.never & (symbols | {0, 1})
    for text in TEXT[:50]:
        assert tokenizer.encode(text) == before.encode(text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "ende"
    write_model(folder, TEXT)
    return folder


@pytest.fixture
def found(folder, tmp_path):
    """A copy to change, and what is found in it."""
    copy, scratch = tmp_path / "copy", tmp_path / "scratch"
    shutil.copytree(folder, copy)
    scratch.mkdir()
    return copy, lambda: find_files(copy, scratch)


def test_files_are_found_compressed_or_not(found):
    copy, find = found
    plain = find()
    assert plain.pair == "en-de" and plain.source_pieces == plain.target_pieces
    content = plain.weights.read_bytes()
    for path in list(copy.iterdir()):
        (copy / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert find().weights.read_bytes() == content


def test_the_pair_is_the_names_or_the_users(found):
    _, find = found
    [pair] = pairs_of(find(), (), "x")
    assert (pair.source, pair.target) == ("en", "de")
    [pair] = pairs_of(find(), ("cs-sk",), "x")
    assert (pair.source, pair.target) == ("cs", "sk")
    assert "one pair" in refusal(lambda: pairs_of(find(), ("en-de", "de-en"), "x"))


def test_a_name_without_languages_needs_a_pair(found):
    copy, find = found
    (copy / "model.ende.intgemm.alphas.bin").rename(copy / "model.bin")
    assert "give --pair" in refusal(lambda: pairs_of(find(), (), "x"))


def pointer(copy):
    (copy / "model.ende.intgemm.alphas.bin").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\n")


def bomb(copy):
    (copy / "model.ende.intgemm.alphas.bin").unlink()
    (copy / "model.ende.intgemm.alphas.bin.gz").write_bytes(gzip.compress(bytes(64 << 20)))


def two_models(copy):
    shutil.copyfile(copy / "model.ende.intgemm.alphas.bin", copy / "model.other.bin")


def cut_archive(copy):
    path = copy / "model.ende.intgemm.alphas.bin"
    (copy / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes())[:-100])
    path.unlink()


def zstandard(copy):
    (copy / "model.ende.intgemm.alphas.bin").rename(copy / "model.ende.intgemm.alphas.bin.zst")


def vocabularies_without_sides(copy):
    shutil.copyfile(copy / "vocab.ende.spm", copy / "other.spm")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (pointer, "git lfs pull"),
        (bomb, "unpacks to more than it may"),
        (two_models, "several files of weights"),
        (cut_archive, "can't be unpacked"),
        (zstandard, "zstd -d"),
        (vocabularies_without_sides, "which vocabulary is which"),
    ],
)
def test_folders_that_are_refused(found, change, words):
    copy, find = found
    change(copy)
    assert words in refusal(find)


def test_other_folders_are_none_of_these(found):
    copy, find = found
    (copy / "model.ende.intgemm.alphas.bin").unlink()
    assert find() is None
