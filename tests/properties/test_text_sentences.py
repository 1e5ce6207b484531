from hypothesis import example, given
from hypothesis import strategies as st

from app.engine.request.segmentation import Segmenter
from app.text.long_sentences import break_long
from app.translation.sentence import SentenceTranslation
from app.translation.text_builder import TextBuilder
from tests.support.segmentation import split

ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=60)
# What sentence splitters, lists and line breaks are made of, much denser than in a random string.
PARTS = """a B Wort der 3 19 Oktober Dr z.B approx . ! ? … ... , ; : \ufeff \u200d \u0301 > • „ “ ” " ' » « ( )
    😀 👍🏽 。 -----"""
SPACES = [" ", "  ", "\t", "\xa0", "\u3000", "\n", "\r\n", "\r", "\u2028", "\x85", "- ", "* ", "1. ", "a) "]
DENSE_TEXT = st.lists(st.sampled_from([*PARTS.split(), *SPACES]), max_size=40).map("".join)
TEXT = ANY_TEXT | DENSE_TEXT


class LetterByLetter:
    """A tokenizer for which each character is a piece."""

    def encode(self, text: str) -> list[int]:
        return [ord(character) for character in text]


def translation(source: str, begin: int, text: str) -> SentenceTranslation:
    return SentenceTranslation(source=source, source_begin=begin, text=text, target_begin=0, score=0.0, alternatives=())


@given(TEXT, st.sampled_from(["de", "en", "zz"]), st.booleans())
@example("B\u2028. A", "de", True)
def test_all_but_the_sentences_comes_back_as_it_was(text: str, language: str, newlines: bool) -> None:
    """On the engine's own way, with sentences that are too long for the model, too."""
    segmenter = Segmenter(LetterByLetter(), longest_source=12, eos_id=2)
    splitting = "sentences" if newlines else "no_newlines"
    segments = list(segmenter.segments([text], language=language, splitting=splitting, prefix=(4,)))
    builder, gaps, done = TextBuilder(text), list[str](), 0
    for number, segment in enumerate(segments):
        assert segment.source and len(segment.ids) <= 12
        assert text.startswith(segment.source, segment.begin)
        gaps.append(text[done : segment.begin])
        done = segment.begin + len(segment.source)
        builder.add(translation(segment.source, segment.begin, f"<{number}>"))
    found = builder.finish()
    assert found.text == "".join(f"{gap}<{number}>" for number, gap in enumerate(gaps)) + text[done:]
    for sentence in found.sentences:
        assert text[sentence.source_begin :].startswith(sentence.source)
        assert found.text[sentence.target_begin :].startswith(sentence.text)


@given(TEXT, st.sampled_from(["de", "en"]), st.booleans())
def test_a_model_sees_all_letters_and_nothing_without_one(text: str, language: str, newlines: bool) -> None:
    segmentation = split(text, language=language, newlines=newlines)
    for sentence in segmentation.sentences:
        assert any(character.isalnum() for character in sentence)
        assert sentence == sentence.strip()
        assert not newlines or len(sentence.splitlines()) == 1
    for gap in segmentation.gaps:
        assert not any(character.isalpha() for line in gap.splitlines() for character in without_marker(line))


def without_marker(line: str) -> str:
    """Returns what follows an "a) " at the start of a line, the only gap with a letter in it."""
    return "".join(line.split("a) "))


@given(TEXT, st.integers(1, 40))
def test_pieces_of_a_long_sentence_fit_and_concatenate_to_it(text: str, limit: int) -> None:
    pieces = break_long(text, language="de", fits=lambda piece: len(piece) <= limit)
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= limit for piece in pieces)


@given(TEXT, st.integers(1, 100))
def test_pieces_fit_by_bytes_too_unless_they_are_one_character(text: str, limit: int) -> None:
    pieces = break_long(text, language="de", fits=lambda piece: len(piece.encode()) <= limit)
    assert "".join(pieces) == text
    assert all(len(piece) == 1 or len(piece.encode()) <= limit for piece in pieces)
