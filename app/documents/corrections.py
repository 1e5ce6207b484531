"""Puts corrected sentences into a translated text of a document. No model is needed.

The translated text is read as a marked-up text is (``app.text.markup``), and its corrected form is taken for a
translation of it. The words that stay are the alignment, so tags and protected spans keep their places.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from app.fairness.budget import checkpoint
from app.text.inline.objects import Inline
from app.text.inline.placement import Edit, apply
from app.text.inline.target_tokens import Link, links_of_same
from app.text.markup.extraction import Rules, extract, joined
from app.text.protection.protected import Protected, with_stand_ins

# Private-use characters, as placeholders of models are. A block never has all 256 of them itself.
_PLACEHOLDERS = tuple(map(chr, range(0xE100, 0xE200)))
_WORD = re.compile(r"\w+|[^\w\s]")
_MOST_COMPARISONS = 1_000_000  # of words; two longer sentences than this allows are one link


class Place(NamedTuple):
    """Where a sentence is in a translated text.

    Attributes:
        block: Number of the block; a plain text is one block.
        begin: Where it begins in the block, as a reader sees it, in code points.
    """

    block: int
    begin: int


class Correction(NamedTuple):
    """A sentence with another translation."""

    place: Place
    old: str
    new: str


class TranslatedText:
    """A translated text of a document.

    Args:
        text: The text, with its markup.
        markup: How it is marked up; None for plain text.

    Attributes:
        blocks: What a reader sees of it, block by block.
    """

    def __init__(self, text: str, markup: Rules | None) -> None:
        self._text, self._markup = text, markup
        self._document = extract(text, markup).with_placeholders(_PLACEHOLDERS) if markup else None
        inlines = self._document.inlines if self._document else ()
        self._protected = [with_stand_ins(inline) for inline in inlines]
        self.blocks = [each.source for each in self._protected] if markup else [text]

    def has(self, place: Place, sentence: str) -> bool:
        """Tells whether the sentence is at the place."""
        return 0 <= place.block < len(self.blocks) and self.blocks[place.block].startswith(sentence, place.begin)

    def corrected(self, corrections: Sequence[Correction]) -> str:
        """Returns the text with these sentences, which don't overlap.

        Raises:
            ValueError: A sentence isn't at its place.
        """
        edits: list[list[Edit]] = [[] for _ in self.blocks]
        for place, old, new in corrections:
            if not self.has(place, old):
                raise ValueError("a sentence is not at its place")
            edits[place.block].append(Edit(place.begin, place.begin + len(old), new))
        for own in edits:
            own.sort()
            if any(one.end > other.begin for one, other in pairwise(own)):
                raise ValueError("two sentences are at the same place")
        if self._document is None or self._markup is None:
            return apply(edits[0], self._text)
        texts = [each.text for each in self._protected]
        links: list[Sequence[Link]] = [()] * len(texts)
        for block, own in enumerate(edits):
            checkpoint()
            if own:
                texts[block] = _hidden(self._protected[block], apply(own, self.blocks[block]))
                links[block] = list(_links(self._document.inlines[block], texts[block]))
        return joined(self._markup, [self._document.rebuild(texts, links)]).text


def _hidden(protected: Protected, shown: str) -> str:
    """Returns a block with stand-ins for untranslated spans. A correction may have removed some of these spans."""
    hidden = protected.hidden(shown)
    return protected.hide(shown) if hidden is None else hidden


def _links(inline: Inline, new: str) -> Iterator[Link]:
    """Yields links of the words that stay, that replace others, and that are new, in order.

    A new word belongs to the one of its neighbours that has less formatting.
    """
    old = inline.text
    before, after = (list(_WORD.finditer(text)) for text in (old, new))
    if len(before) * len(after) > _MOST_COMPARISONS:
        yield Link(0, len(old), 0, len(new))
        return
    matcher = SequenceMatcher(None, [word[0] for word in before], [word[0] for word in after], autojunk=False)
    for kind, first, last, begin, end in matcher.get_opcodes():
        checkpoint()
        if kind == "equal":
            for one, other in zip(before[first:last], after[begin:end], strict=True):
                yield from links_of_same(one[0], one.start(), other.start())
        elif kind == "replace":
            for index in range(begin, end):
                one, other = before[first + (index - begin) * (last - first) // (end - begin)], after[index]
                yield Link(*one.span(), *other.span())
        elif kind == "insert" and before:
            neighbour = min(before[max(0, first - 1) : first + 1], key=lambda word: _depth(inline, word.start()))
            for other in after[begin:end]:
                yield Link(*neighbour.span(), *other.span())


def _depth(inline: Inline, place: int) -> int:
    """Returns how many elements are around a word."""
    token = max(0, bisect_right(inline.tokens.begins, place) - 1)
    return len(inline.elements[inline.tokens.elements[token]].path)
