"""Splits a text into its sentences and the gaps between them."""

from typing import NamedTuple

from app.text.sentences import spans


class Segmentation(NamedTuple):
    """Gap, sentence, gap, …, sentence, gap."""

    gaps: tuple[str, ...]
    sentences: tuple[str, ...]


def split(text: str, *, language: str, newlines: bool = True) -> Segmentation:
    """See ``app.text.sentences.spans``."""
    ends = list(spans(text, language=language, newlines=newlines))
    borders = [0, *(place for span in ends for place in span), len(text)]
    gaps = tuple(text[begin:end] for begin, end in zip(borders[::2], borders[1::2], strict=True))
    return Segmentation(gaps, tuple(text[begin:end] for begin, end in ends))
