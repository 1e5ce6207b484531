"""Placeholders stand for words that are aligned with each other alone, on both sides once."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
import sentencepiece

from model.data.alignment import Links
from model.data.placeholders import Replacer
from model.data.tokenizer import PLACEHOLDERS

# Word by word as on the other side, so that the alignment is known.
FIRST, SECOND = "der Hund sieht heute den kleinen Bahnhof.", "the dog sees today the small station."


@pytest.fixture(scope="module")
def processor(tiny_tokenizer: Path) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_file=str(tiny_tokenizer))


def words(pieces: list[str]) -> list[int]:
    """The word that each piece belongs to."""
    return list(np.cumsum([piece[0] == "▁" for piece in pieces]) - 1)


def aligned(
    processor: sentencepiece.SentencePieceProcessor, first: str, second: str
) -> tuple[list[int], list[int], Links]:
    sides = [processor.encode(text) for text in (first, second)]
    numbers = [words([processor.id_to_piece(piece) for piece in side]) for side in sides]
    links = [(i, j) for i, a in enumerate(numbers[0]) for j, b in enumerate(numbers[1]) if a == b]
    return sides[0], sides[1], np.array(links, np.int16)


def replacements(
    processor: sentencepiece.SentencePieceProcessor, first: str, second: str
) -> list[tuple[str, str, list[list[int]], Links]]:
    a, b, links = aligned(processor, first, second)
    replacer = Replacer(processor.id_to_piece, processor.piece_to_id)
    found = [replacer.replace((a, b), links, Random(seed)) for seed in range(60)]
    return [
        (processor.decode(ids[0]), processor.decode(ids[1]), list(ids), new)
        for ids, new in (result for result in found if result)
    ]


def test_each_placeholder_stands_once_on_both_sides(processor: sentencepiece.SentencePieceProcessor) -> None:
    found = replacements(processor, FIRST, SECOND)
    assert len(found) == 60
    counts = set()
    for first, second, _, _ in found:
        used = [char for char in first if char in PLACEHOLDERS]
        assert sorted(used) == sorted(char for char in second if char in PLACEHOLDERS)
        assert len(set(used)) == len(used)
        counts.add(len(used))
    assert counts == {1, 2, 3}
    assert {char for first, *_ in found for char in first} >= set(PLACEHOLDERS)


def test_they_replace_words_that_mean_each_other(processor: sentencepiece.SentencePieceProcessor) -> None:
    for first, second, _, _ in replacements(processor, FIRST, SECOND):
        # Word for word, so what stands left of a placeholder is as long on both sides.
        texts = [text.replace(".", " .").split() for text in (first, second)]
        lengths = [sum(1 for word in text if word not in PLACEHOLDERS) for text in texts]
        assert lengths[0] == lengths[1]
        assert [word for word in texts[0] if word in PLACEHOLDERS] == [
            word for word in texts[1] if word in PLACEHOLDERS
        ]


def test_they_are_written_as_the_tokenizer_writes_them(processor: sentencepiece.SentencePieceProcessor) -> None:
    for first, second, ids, _ in replacements(processor, FIRST, SECOND):
        assert [processor.encode(first), processor.encode(second)] == ids


def test_links_follow_the_pieces(processor: sentencepiece.SentencePieceProcessor) -> None:
    for _, _, ids, links in replacements(processor, FIRST, SECOND):
        assert links[:, 0].max() < len(ids[0]) and links[:, 1].max() < len(ids[1])
        pieces = [[processor.id_to_piece(piece) for piece in side] for side in ids]
        for i, j in links:
            a, b = pieces[0][i], pieces[1][j]
            assert (a in PLACEHOLDERS) == (b in PLACEHOLDERS)
            assert a == b or a not in PLACEHOLDERS


def test_words_that_are_not_aligned_alone_stay(processor: sentencepiece.SentencePieceProcessor) -> None:
    first, second, _ = aligned(processor, FIRST, SECOND)
    everything = np.array([(i, j) for i in range(len(first)) for j in range(len(second))], np.int16)
    replacer = Replacer(processor.id_to_piece, processor.piece_to_id)
    for links in (everything, np.zeros((0, 2), np.int16)):
        assert all(replacer.replace((first, second), links, Random(seed)) is None for seed in range(20))
