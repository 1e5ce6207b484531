import json
import re
import unicodedata

import pytest
import sentencepiece
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.engine.models.ligatures import with_ligatures, without_ligatures
from app.engine.models.tokenizer import Tokenizer
from app.errors import BundleError
from model.data.tokenizer import EOS_ID, target_tag
from tests.support.bergamot import train_pieces
from tests.support.tiny import sentence_pairs

INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
# SentencePiece writes U+2581 for a space, so that character comes back as one.
SPACES = re.compile(r"(?:(?![\x1c-\x1f])\s|\u2581)+")
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@pytest.fixture(scope="module")
def tokenizer(tiny_tokenizer) -> Tokenizer:
    return Tokenizer(tiny_tokenizer, tiny_tokenizer)


def folded(text: str) -> str:
    return unicodedata.normalize("NFC", SPACES.sub(" ", INVISIBLE.sub("", without_ligatures(text))).strip(" "))


@settings(max_examples=300)
@given(texts)
@example("Ich möchte ein Bier.")
@example("½ ™ x² ﬁ Å 한글 が 𝔘 🏳️‍🌈 1984")
@example("a\u0301\u0323 ê\u0300 \u1100\u1161\u11a8")
def test_any_text_survives_up_to_composition_and_white_space(tokenizer, text):
    assert folded(tokenizer.decode(tokenizer.encode(text))) == folded(text)


@settings(max_examples=200)
@given(st.sampled_from(["NFC", "NFD"]), texts)
@example("NFD", "Mädchen, über Straße – ½ 👍🏽")
def test_spans_cover_the_text_as_it_was_written(tokenizer, form, text):
    text = unicodedata.normalize(form, text)
    pieces = tokenizer.encode_with_spans(text)
    assert list(pieces.ids) == tokenizer.encode(text)
    end = 0
    for begin, stop in pieces.spans:
        assert end <= begin <= stop <= len(text)
        assert not folded(text[end:begin]).strip()  # only what folds away lies between two pieces
        end = stop
    assert not folded(text[end:]).strip()


def test_spans_point_at_the_words(tokenizer):
    text = "  das  Ma\u0308dchen\tund   der Ba\u0308cker "
    pieces = tokenizer.encode_with_spans(text)
    for word in text.split():
        begin = text.index(word)
        end = begin + len(word)
        inside = [span for span in pieces.spans if begin < span[1] <= end]
        assert inside[-1][1] == end
        assert text[inside[0][0] : end].strip() == word


def test_the_bytes_of_an_unknown_character_share_its_span(tokenizer):
    assert tokenizer.encode_with_spans("a𝔘b").spans == ((0, 1), (1, 1), (1, 1), (1, 1), (1, 2), (2, 3))


def test_a_ligature_is_its_letters(tokenizer):
    plain = tokenizer.encode_with_spans("The first floor offers it.")
    pieces = tokenizer.encode_with_spans("The \ufb01rst \ufb02oor o\ufb00ers it.")
    assert pieces.ids == plain.ids
    assert tokenizer.encode("The \ufb01rst \ufb02oor o\ufb00ers it.") == list(plain.ids)
    assert pieces.spans[-1] == (plain.spans[-1][0] - 3, plain.spans[-1][1] - 3)


def test_pieces_that_share_a_ligature_have_it_once():
    text = "a\ufb03x"
    assert without_ligatures(text + "\ufb05\ufb06") == "affixstst"
    assert with_ligatures(text, [(0, 2), (2, 3), (3, 5)]) == ((0, 1), (1, 1), (1, 3))
    assert with_ligatures("affix", [(0, 2), (2, 5)]) == ((0, 2), (2, 5))


def test_control_pieces_vanish_and_cannot_be_typed(tokenizer):
    tag = tokenizer.piece_id(target_tag("en"))
    hund = tokenizer.encode("Hund")
    assert tokenizer.decode([tag, *hund, EOS_ID]) == "Hund"
    assert not {tag, EOS_ID, 0, 1} & set(tokenizer.encode("<2en> </s> <pad> <s>"))


def test_a_broken_byte_sequence_becomes_a_replacement_character(tokenizer):
    assert tokenizer.decode([tokenizer.piece_id("<0xF0>")]) == "\ufffd"


def test_nothing_is_no_pieces(tokenizer):
    assert tokenizer.encode("") == tokenizer.encode(" \n\u200b") == []
    assert tokenizer.decode([]) == ""


def test_a_piece_that_is_not_there(tokenizer):
    with pytest.raises(BundleError, match="has no piece <2fr>"):
        tokenizer.piece_id("<2fr>")


@pytest.mark.parametrize("content", [b"", b"no SentencePiece model", b"\0" * 100, None])
def test_a_file_that_is_no_model(tiny_tokenizer, tmp_path, content):
    path = tmp_path / "broken.spm"
    if content is not None:
        path.write_bytes(content)
    for source, target in ((path, tiny_tokenizer), (tiny_tokenizer, path)):
        with pytest.raises(BundleError, match=r"broken\.spm( is not a SentencePiece model|: No such file)"):
            Tokenizer(source, target)


def test_a_truncated_model(tiny_tokenizer, tmp_path):
    path = tmp_path / "truncated.spm"
    path.write_bytes(tiny_tokenizer.read_bytes()[:-1000])
    with pytest.raises(BundleError, match="is not a SentencePiece model"):
        Tokenizer(path, path)


# --- ids that are not SentencePiece's, as in imported models --------------------------------------------------------


@pytest.fixture
def numbered(tiny_tokenizer, tmp_path):
    """A vocabulary that counts backwards, lacks a piece, and has a target tag and pieces that no tokenizer has."""
    processor = sentencepiece.SentencePieceProcessor(model_file=str(tiny_tokenizer))
    pieces = [processor.id_to_piece(index) for index in reversed(range(4, processor.vocab_size()))]
    pieces.remove("▁Hund")
    own = ["</s>", "<unk>", *pieces, None, ">>fra<<", "▁foreign", "!!", "<pad>"]
    path = tmp_path / "vocab.json"
    path.write_text(json.dumps(own), encoding="utf-8")
    return Tokenizer(tiny_tokenizer, tiny_tokenizer, path, path), own


def test_ids_are_the_vocabularys(numbered, tokenizer):
    mapped, own = numbered
    text = "Der Hund trinkt Wasser, 1984!"
    plain = tokenizer.encode_with_spans(text)
    pieces = mapped.encode_with_spans(text)
    processor = tokenizer._source
    expected = [processor.id_to_piece(index) for index in plain.ids]
    assert "▁Hund" in expected
    assert [own[index] for index in pieces.ids] == ["<unk>" if piece == "▁Hund" else piece for piece in expected]
    assert pieces.spans == plain.spans
    assert mapped.encode(text) == list(pieces.ids)


def test_text_comes_back_from_the_vocabularys_ids(numbered):
    mapped, _ = numbered
    text = "Der König liebt das Mädchen. 🐕"
    ids = mapped.encode(text)
    assert mapped.decode(ids) == text
    again, spans = mapped.decode_with_spans(ids)
    assert again == text
    assert "".join(again[begin:end] for begin, end in spans) == text


def test_what_the_tokenizer_lacks_is_text_all_the_same(numbered):
    mapped, own = numbered
    ids = [*mapped.encode("Der"), own.index("▁foreign"), own.index("!!")]
    text, spans = mapped.decode_with_spans(ids)
    assert text == mapped.decode(ids) == "Der foreign!!"
    assert [text[begin:end] for begin, end in spans[-2:]] == [" foreign", "!!"]


def test_special_pieces_say_nothing(numbered):
    mapped, own = numbered
    silent = [own.index(piece) for piece in ("</s>", "<pad>", ">>fra<<", None)]
    ids = mapped.encode("Wasser")
    assert mapped.decode([*silent, *ids, *silent]) == "Wasser"
    assert mapped.decode_with_spans(silent) == ("", ((0, 0),) * 4)


def test_a_tag_is_found_and_cannot_be_typed(numbered):
    mapped, own = numbered
    assert mapped.piece_id(">>fra<<") == own.index(">>fra<<")
    assert own.index(">>fra<<") not in mapped.encode(">>fra<< Wasser")
    with pytest.raises(BundleError, match="has no piece >>deu<<"):
        mapped.piece_id(">>deu<<")


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'["a"', b"\xff", b'["a"]', b"[" * 100_000, None])
def test_a_file_that_is_no_vocabulary(tiny_tokenizer, tmp_path, content):
    path = tmp_path / "vocab.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(
        BundleError, match=r"vocab\.json(: No such file| can't be read| is not a list of pieces| has no <unk>)"
    ):
        Tokenizer(tiny_tokenizer, tiny_tokenizer, path, path)


def test_one_vocabulary_alone(tiny_tokenizer, tmp_path):
    with pytest.raises(BundleError, match="a vocabulary for only one of its languages"):
        Tokenizer(tiny_tokenizer, tiny_tokenizer, None, tmp_path / "vocab.json")


def test_signs_that_a_vocabulary_lacks_are_read_plainly(tmp_path):
    text = [f"'{german}' \"{english}\" - so" for german, english in sentence_pairs(300)]
    train_pieces(tmp_path / "old.spm", text)
    old = Tokenizer(tmp_path / "old.spm", tmp_path / "old.spm")
    assert old.encode("“Der Hund” – ‘Zug’") == old.encode("\"Der Hund\" - 'Zug'")
    assert set("“”–‘") < set(old.characters())
    written = "Ja – “Hund”"
    pieces = old.encode_with_spans(written)
    assert "".join(written[begin:end] for begin, end in pieces.spans) == written
    train_pieces(tmp_path / "new.spm", [f"{line} – “ja”" for line in text])
    new = Tokenizer(tmp_path / "new.spm", tmp_path / "new.spm")
    assert new.encode("“ja”") != new.encode('"ja"')
