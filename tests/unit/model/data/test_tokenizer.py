import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor

from model.data.tokenizer import (
    BOS_ID,
    EOS_ID,
    PAD_ID,
    PLACEHOLDERS,
    UNK_ID,
    TokenizerError,
    nfc_rules,
    target_tag,
    train_tokenizer,
)

TEXT = [
    "Der Zug 1234 kommt um 12 Uhr.",
    "The train comes at 12 o'clock.",
    "Sie und sie sehen Ärger, US and us do not.",
    "In 2023 waren es 2023 Menschen.",
    "Über 2023 Menschen reisen schön und gut.",
] * 20
SPACES = "\t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
INVISIBLE = "\u00ad\u200b\u2060\ufeff"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> SentencePieceProcessor:
    out = tmp_path_factory.mktemp("tokenizer") / "tokenizer.spm"
    train_tokenizer(TEXT, out, vocabulary=313, languages=["de", "en"])
    assert [path.name for path in out.parent.iterdir()] == ["tokenizer.spm"]
    return SentencePieceProcessor(model_file=str(out))


def shown(text: str) -> str:
    """A text after the tokenizer's folding of white space and invisible characters, in NFC."""
    for char in INVISIBLE:
        text = text.replace(char, "")
    return unicodedata.normalize("NFC", re.sub(r" +", " ", "".join(" " if c in SPACES else c for c in text)).strip(" "))


def test_special_ids_are_where_the_model_expects_them(tokenizer: SentencePieceProcessor) -> None:
    assert tokenizer.vocab_size() == 313
    assert (tokenizer.pad_id(), tokenizer.bos_id(), tokenizer.eos_id(), tokenizer.unk_id()) == (
        PAD_ID,
        BOS_ID,
        EOS_ID,
        UNK_ID,
    )
    for language in ("de", "en"):
        tag = tokenizer.piece_to_id(target_tag(language))
        assert tag != UNK_ID and tokenizer.is_control(tag)


# U+2581 is SentencePiece's own sign for a space, and reads as one.
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\u2581"), max_size=30))
@example("\x00\x7f \U0010ffff\ufffe")
@example("\u00bd x\u00b2 \u2122 \ufb01 \uff21")  # NFKC would rewrite them
@example("  two  spaces\u3000\u200b ")
@example("x".join(SPACES))
@example("\U0001f469\u200d\U0001f680 \u05e9\u05dc\u05d5\u05dd \u4f60\u597d")
def test_any_unicode_survives(tokenizer: SentencePieceProcessor, text: str) -> None:
    ids = tokenizer.encode(text)
    assert unicodedata.normalize("NFC", tokenizer.decode(ids)) == shown(text)
    assert not any(tokenizer.is_control(i) or tokenizer.is_unknown(i) for i in ids)


def test_every_character_that_decomposes_has_one_spelling(tokenizer: SentencePieceProcessor) -> None:
    deprecated = {0x340, 0x341, 0x344}  # combining marks that only look like one mark more
    different = []
    for code in range(0x110000):
        char = chr(code)
        decomposed = unicodedata.normalize("NFD", char) if unicodedata.category(char) != "Cs" else char
        if decomposed != char and char not in SPACES and code not in deprecated:
            composed = unicodedata.normalize("NFC", char)
            ids = tokenizer.encode(char)
            if [tokenizer.encode(composed), tokenizer.encode(decomposed)] != [ids, ids] or tokenizer.decode(
                ids
            ) != composed:
                different.append(hex(code))
    assert different == []


@pytest.mark.parametrize(
    "text",
    [
        "Größe, Übermut und Äpfel",
        "Tiếng Việt có nhiều dấu: ề ộ ữ",
        "ᾧ ἄνδρα μοι ἔννεπε",
        "한국어는 아름답다",
        "Ångström und Zoë",
    ],
)
def test_decomposed_text_gives_the_same_ids(tokenizer: SentencePieceProcessor, text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert decomposed != text
    assert tokenizer.encode(decomposed) == tokenizer.encode(text)
    assert tokenizer.decode(tokenizer.encode(decomposed)) == text


def test_normalisation_is_nfc_and_nothing_more(tokenizer: SentencePieceProcessor) -> None:
    for text in ("½", "x²", "™", "ﬁ", "Ａ", "…", "ﷺ", "№"):
        assert tokenizer.decode(tokenizer.encode(text)) == text
        assert unicodedata.normalize("NFKC", text) != text


def test_rules_never_touch_characters_that_are_composed_already() -> None:
    single = {line.split("\t")[0]: line.split("\t")[1] for line in nfc_rules() if " " not in line.split("\t")[0]}
    for source, target in single.items():
        char, replacement = chr(int(source, 16)), "".join(chr(int(code, 16)) for code in target.split())
        assert char in SPACES + INVISIBLE or replacement in (" ", unicodedata.normalize("NFC", char))
        assert replacement != char


def test_white_space_becomes_one_plain_space(tokenizer: SentencePieceProcessor) -> None:
    for space in SPACES:
        assert tokenizer.encode(f"{space}der{space}{space}Zug{space}") == tokenizer.encode("der Zug"), repr(space)


def test_invisible_characters_vanish(tokenizer: SentencePieceProcessor) -> None:
    for char in INVISIBLE:
        assert tokenizer.encode(f"Men{char}schen") == tokenizer.encode("Menschen"), repr(char)


def test_digits_are_pieces_of_their_own(tokenizer: SentencePieceProcessor) -> None:
    pieces = [tokenizer.id_to_piece(i) for i in tokenizer.encode("2023 und 4321012")]
    assert "".join(pieces) == "▁2023▁und▁4321012"
    assert [piece for piece in pieces if any(c.isdigit() for c in piece)] == list("20234321012")
    learned = [i for i in range(tokenizer.vocab_size()) if not tokenizer.is_byte(i) and not tokenizer.is_control(i)]
    with_digits = [piece for piece in map(tokenizer.id_to_piece, learned) if re.search(r"\d", piece)]
    assert sorted(with_digits) == list("01234")


def test_case_is_kept(tokenizer: SentencePieceProcessor) -> None:
    for upper, lower in (("Sie", "sie"), ("US", "us"), ("ÄRGER", "ärger")):
        assert tokenizer.encode(upper) != tokenizer.encode(lower)
        assert tokenizer.decode(tokenizer.encode(upper)) == upper


@pytest.mark.parametrize("text", ["<2de>", "<2en> hello", "a<2de>b", "<s>", "</s>", "<pad>", "<unk>", "<0x41>"])
def test_no_text_reaches_a_control_piece(tokenizer: SentencePieceProcessor, text: str) -> None:
    ids = tokenizer.encode(text)
    assert not any(tokenizer.is_control(i) or tokenizer.is_unknown(i) for i in ids)
    assert tokenizer.decode(ids) == text


def test_a_control_piece_leaves_no_trace_in_text(tokenizer: SentencePieceProcessor) -> None:
    tag = tokenizer.piece_to_id(target_tag("de"))
    assert tokenizer.decode([tag, *tokenizer.encode("der Zug"), EOS_ID]) == "der Zug"


@pytest.mark.parametrize(("vocabulary", "reason"), [(5000, "too high"), (265, "smaller than required_chars")])
def test_a_vocabulary_that_does_not_fit_the_text_is_refused(tmp_path: Path, vocabulary: int, reason: str) -> None:
    with pytest.raises(TokenizerError, match=f"no tokenizer of {vocabulary} pieces.*{reason}") as caught:
        train_tokenizer(TEXT, tmp_path / "t.spm", vocabulary=vocabulary, languages=["de", "en"])
    assert "trainer_interface" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_placeholder_is_one_piece_whatever_is_beside_it(tokenizer: SentencePieceProcessor) -> None:
    assert len(PLACEHOLDERS) == len({tokenizer.piece_to_id(placeholder) for placeholder in PLACEHOLDERS})
    for placeholder in PLACEHOLDERS:
        for text in (placeholder, f"a{placeholder}b", f"({placeholder})", f"a {placeholder}, {placeholder}"):
            pieces = tokenizer.encode(text, out_type=str)
            assert pieces.count(placeholder) == text.count(placeholder)
            assert tokenizer.decode(tokenizer.encode(text)) == text
