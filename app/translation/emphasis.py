"""Words in capitals among others: "WICHTIG: Das ist SEHR GUT". Models don't know their pieces, but know the words.

The sentence is translated with these words in small letters, or with a capital as nouns have it. The likeliest
translation is taken, also against the first one, which may know an acronym. Word alignment tells what gets capitals.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from app.engine.options import SearchOptions
from app.text.inline.placement import Edit, apply
from app.translation.questions import Asking, Question, likeliest
from app.translation.sentence import SentenceTranslation

Range = tuple[int, int]

_RUN = re.compile(r"(?<![\w@#/&.'’-])[^\W\d_]{2,40}(?: [^\W\d_]{2,40}){0,8}(?![\w@/&'’-])")
_WORD = re.compile(r"[^\W\d_]+")
_BEGINS = re.compile(r"(?:^|[.!?:] )$")
_SHORTEST = 5  # letters: acronyms have fewer
_LABEL = re.compile(r"[^\W\d_]{4}: ")  # "NOTE: ...", which has one word
_LONGEST_SENTENCE = 300  # characters


def with_emphasis(
    translation: SentenceTranslation, stand_ins: Sequence[Range], options: SearchOptions
) -> Asking[SentenceTranslation | None]:
    """Returns a likelier translation of a sentence with words in capitals; None if there is none.

    Args:
        translation: The first translation.
        stand_ins: Ranges of the sentence that stay as they are.
        options: The request's.
    """
    source = translation.source
    words = [
        word for word in emphasised(source) if not any(word[0] < end and begin < word[1] for begin, end in stand_ins)
    ]
    if not words:
        return None
    texts = tuple(dict.fromkeys((_written(source, words, str.lower), _written(source, words, str.capitalize))))
    best = likeliest((yield Question(texts, replace(options, alignment=True))))
    if best is None or best.likelihood <= translation.likelihood or not best.alignment:
        return None
    own = [_in_capitals(version, words, keeps_links=options.alignment) for version in best.versions]
    return translation.replaced_by(best, own)


def emphasised(sentence: str) -> list[Range]:
    """Returns the words in capitals of a sentence that has small letters, too; not acronyms alone."""
    if sentence.isupper() or len(sentence) > _LONGEST_SENTENCE:
        return []
    label = _LABEL.match(sentence)
    return [
        word
        for run in _runs(sentence)
        if (label and run[0][0] == 0) or any(end - begin >= _SHORTEST for begin, end in run)
        for word in run
    ]


def _runs(sentence: str) -> Iterator[list[Range]]:
    """Yields words in capitals that stand beside one another."""
    for match in _RUN.finditer(sentence):
        if not any(map(str.isupper, match[0].split(" "))):
            continue
        run: list[Range] = []
        for word in _WORD.finditer(sentence, *match.span()):
            if word[0].isupper() and len(word[0].lower()) == len(word[0]):
                run.append(word.span())
            elif run:
                yield run
                run = []
        if run:
            yield run


def _written(sentence: str, words: Sequence[Range], write: Callable[[str], str]) -> str:
    """Writes the words in another way, and with a capital where a sentence or a clause begins."""
    edits = []
    for begin, end in words:
        chosen = str.capitalize if _BEGINS.search(sentence[max(0, begin - 2) : begin]) else write
        edits.append(Edit(begin, end, chosen(sentence[begin:end])))
    return apply(edits, sentence)


def _in_capitals(version: SentenceTranslation, words: Sequence[Range], *, keeps_links: bool) -> SentenceTranslation:
    """Writes in capitals what translates the words."""
    theirs = [
        (link.target_begin, link.target_end)
        for link in version.alignment
        if any(link.source_begin < end and begin < link.source_end for begin, end in words)
    ]
    edits = [
        Edit(*word.span(), word[0].upper())
        for word in _WORD.finditer(version.text)
        if any(begin < word.end() and word.start() < end for begin, end in theirs)
    ]
    edited = version.edited(edits)
    return edited if keeps_links else replace(edited, alignment=())
