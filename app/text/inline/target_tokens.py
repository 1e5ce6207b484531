"""The words of a translation: the stand-ins among them, and the source word that each is aligned to."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from app.fairness.budget import checkpoint
from app.text.inline.objects import CHUNK, TOKEN, Inline

Ints: TypeAlias = "array[int]"
"""Of four bytes each: there may be as many as characters in a text."""


class Link(NamedTuple):
    """Characters that translate each other: half-open ranges of code points."""

    source_begin: int
    source_end: int
    target_begin: int
    target_end: int

    def moved(self, source: int, target: int) -> "Link":
        """Returns the link for texts that begin at these places in longer ones."""
        return Link(
            self.source_begin + source, self.source_end + source, self.target_begin + target, self.target_end + target
        )


def links_of_same(text: str, source: int, target: int) -> Iterator[Link]:
    """Links each character that isn't blank to the one in its place, for a text that begins at these places in both."""
    for index, character in enumerate(text):
        if not character.isspace():
            yield Link(source + index, source + index + 1, target + index, target + index + 1)


class Target(NamedTuple):
    """The tokens of a translation, which of them hold a stand-in for which source token, and where all stand-ins are.

    ``stand_ins`` has begin, end, the source token and what to write instead; a surplus one is for None, and empty.
    ``copies`` says which tokens are surely the same as which source token.
    """

    begins: Ints
    ends: Ints
    atoms: dict[int, int]
    stand_ins: list[tuple[int, int, int | None, str]]
    copies: dict[int, int]


def read_target(inline: Inline, translation: str, links: Sequence[Link], coarse: bool) -> Target:
    """Splits a translation into tokens, and finds the stand-ins among them.

    A coarse token is all text between two spaces, even if it contains stand-ins.
    """
    occurrences = _occurrences(inline, translation)
    assigned = _assign(inline, translation, occurrences, links)
    target = Target(array("i"), array("i"), {}, [], {})
    cuts = _cuts(Inline() if coarse else inline)
    edge = -1  # where a token would be one with the last

    def add(begin: int, end: int) -> None:
        nonlocal edge
        if coarse and begin == edge:
            target.ends[-1] = end
        else:
            target.begins.append(begin)
            target.ends.append(end)
        edge = end

    done = 0
    last = _Occurrence(len(translation), len(translation), "", None)
    for index, (begin, end, _, form) in enumerate([*occurrences, last]):
        checkpoint()
        for match in (CHUNK if coarse else TOKEN).finditer(translation, done, begin):
            start = match.start()
            for source, length in cuts(match[0]):
                add(start, start + length)
                if source is not None:
                    target.copies[len(target.begins) - 1] = source
                start += length
        if index in assigned:
            add(begin, end)
            target.atoms.setdefault(len(target.begins) - 1, assigned[index])
        elif begin < end:
            begin, end = _with_space(translation, begin, end, done)
            edge = end if edge == begin else edge
        if begin < end:
            source = assigned.get(index)
            markup = "" if source is None else inline.atoms[source].written(form)
            target.stand_ins.append((begin, end, source, markup))
        done = end
    return target


def _cuts(inline: Inline) -> Callable[[str], list[tuple[int | None, int]]]:
    """Tells how to cut a word: as markup cuts it in the source ("H<sub>2</sub>O"), or at a number that hung on one.

    The function gives, for each piece, the source token that it is a copy of, if any, and its length.
    """
    tokens = inline.tokens
    words: dict[str, range] = {}
    numbers = set()
    first = 0
    for index in range(1, len(tokens) + 1):
        if index < len(tokens) and _is_one_word(inline, index):
            continue
        if index - first > 1:
            words.setdefault(inline.text[tokens[first].begin : tokens[index - 1].end], range(first, index))
            if inline.word(index - 1).isdecimal():
                numbers.add(inline.word(index - 1))
        first = index

    def cut(word: str) -> list[tuple[int | None, int]]:
        if word in words:
            return [(index, tokens[index].end - tokens[index].begin) for index in words[word]]
        stem = word.rstrip("0123456789")
        pieces = [stem, word[len(stem) :]] if stem and word[len(stem) :] in numbers else [word]
        return [(None, len(piece)) for piece in pieces]

    return cut


def _is_one_word(inline: Inline, index: int) -> bool:
    """Tells whether only markup stands between a token and the token before it."""
    last, token = inline.tokens[index - 1], inline.tokens[index]
    touching = last.end == token.begin and not {index - 1, index} & inline.atoms.keys()
    return touching and inline.text[last.end - 1].isalnum() and inline.text[token.begin].isalnum()


class _Occurrence(NamedTuple):
    """An occurrence of the stand-in ``word`` in a translation, and its form, if the stand-in has several."""

    begin: int
    end: int
    word: str
    form: int | None


def _occurrences(inline: Inline, translation: str) -> list[_Occurrence]:
    """Finds the stand-ins in the translation, with or without the ending of a genitive or plural.

    A name must not touch a word, except on a side where it touched one in the source.
    """
    if not inline.atoms:
        return []
    forms: dict[str, tuple[str, int | None]] = {}  # pattern -> stand-in, form
    for index, point in inline.atoms.items():
        begin, end, _ = inline.tokens[index]
        word = inline.word(index)
        if point.rewrite and point.rewrite.forms and word == point.rewrite.stand_in:
            forms |= {form.pattern: (word, number) for number, form in enumerate(point.rewrite.forms)}
            continue
        if not inline.text[begin].isalnum():  # a placeholder, which is nothing else wherever it stands
            forms[re.escape(inline.text[begin])] = (word, None)
            continue
        left = "" if re.match(r"\w", inline.text[max(0, begin - 1) : begin]) else r"(?<!\w)"
        right = "" if re.match(r"\w", inline.text[end : end + 1]) else r"(?=s?(?!\w))"
        forms[left + re.escape(word) + right] = (word, None)
    patterns = list(forms)
    found = re.finditer("|".join(f"({pattern})" for pattern in patterns), translation)
    return [_Occurrence(*match.span(), *forms[patterns[(match.lastindex or 1) - 1]]) for match in found]


def _assign(
    inline: Inline, translation: str, occurrences: Sequence[_Occurrence], links: Sequence[Link]
) -> dict[int, int]:
    """Assigns a source token to each stand-in in the translation; a surplus stand-in gets none."""
    begins = [occurrence.begin for occurrence in occurrences]
    source_begins = inline.tokens.begins
    assigned: dict[int, int] = {}
    free = set(inline.atoms)
    for source_begin, _, target_begin, _ in links:
        index = bisect_right(begins, target_begin) - 1
        source = bisect_right(source_begins, source_begin) - 1
        if index < 0 or target_begin >= occurrences[index].end or index in assigned or source not in free:
            continue
        if inline.word(source) == occurrences[index].word:  # a name is surer than a link
            assigned[index] = source
            free.remove(source)
    remaining: dict[str, list[int]] = {}
    for source in sorted(free, reverse=True):
        remaining.setdefault(inline.word(source), []).append(source)
    for index, occurrence in enumerate(occurrences):
        if index not in assigned and remaining.get(occurrence.word):
            assigned[index] = remaining[occurrence.word].pop()
    return assigned


def _with_space(text: str, begin: int, end: int, done: int) -> tuple[int, int]:
    """A word with the white space on one side."""
    if begin > done and text[begin - 1].isspace():
        return begin - 1, end
    return (begin, end + 1) if text[end : end + 1].isspace() else (begin, end)


def align(source_begins: Sequence[int], target: Target, links: Sequence[Link]) -> Ints:
    """Returns the source token of each target token: the one most of its characters are linked to, or a neighbour's."""
    size = len(target.begins)
    aligned = array("i", [-1]) * size
    if not source_begins or not size:
        return array("i", [0]) * size
    votes: dict[int, Counter[int]] = {}  # on target tokens that are linked to several
    weights = array("i", [0]) * size
    for source_begin, source_end, target_begin, target_end in links:
        checkpoint()
        sources = _overlapped(source_begins, source_begin, source_end)
        weight = target_end - target_begin
        for index, place in enumerate(_overlapped(target.begins, target_begin, target_end)):
            source = sources[min(index, len(sources) - 1)]
            if aligned[place] in (-1, source) and place not in votes:
                aligned[place] = source
                weights[place] += weight
            else:
                vote = votes.setdefault(place, Counter({aligned[place]: weights[place]}))
                vote[source] += weight
    for place, vote in votes.items():
        aligned[place] = max(vote, key=vote.__getitem__)
    for index, source in (target.atoms | target.copies).items():
        aligned[index] = source
    if not links:
        for index, source in enumerate(aligned):
            aligned[index] = source if source >= 0 else (2 * index + 1) * len(source_begins) // (2 * size)
        return aligned
    latest = next((source for source in aligned if source >= 0), 0)
    for index, source in enumerate(aligned):
        latest = aligned[index] = source if source >= 0 else latest
    return aligned


def _overlapped(begins: Sequence[int], begin: int, end: int) -> range:
    """Returns the tokens in a range of characters, or the token before an empty range."""
    first = max(0, bisect_right(begins, begin) - 1)
    return range(first, max(first + 1, bisect_left(begins, end)))
