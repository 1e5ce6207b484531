"""Translates a sentence as it should have been written, where models don't know how it is.

| the sentence | what is translated instead | then |
| --- | --- | --- |
| German without umlauts, gender forms, short forms: what the language's room knows | the usual form | |
| a dash that was typed as two hyphens: "slow--but steady" | " – " | |
| small words joined by a slash: "am/in" | the sentence with either | the slash comes back |
| names of fields: "Name/Phone number" | each by itself | the slashes come back |
| words joined by a slash: "Tage/Woche" | "Tage / Woche" | the slash loses its spaces |
| quotations in "»«" or "›‹" | the usual marks of the language | single marks for single ones |
| a label that goes on: "Öffnen mit..." | it without the dots | the dots come back |
| a greeting and its name: "Hallo Welt" | "Hallo, Welt!" | it loses the comma |
| capitals: "BITTE TÜR SCHLIESSEN" | small letters, with capitals of a sentence, a title, nouns | capitals again |
| words in capitals among others | small letters (`emphasis.py`) | capitals again |

The likeliest translation is taken. Other sentences cost nothing but a look.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.engine.options import SearchOptions
from app.text.inline.placement import Edit, apply, disjoint
from app.text.protection.protected import Offsets, Protected
from app.text.usual_spelling import usual_spelling
from app.translation.attempts import backwards
from app.translation.emphasis import with_emphasis
from app.translation.questions import Asking, Question, likeliest
from app.translation.rules.pair import Direction
from app.translation.sentence import SentenceTranslation
from app.translation.slashes import closed, fields, spaced, unit_price, with_both, with_either, without_copies
from languages.language import Language
from languages.signs import ELLIPSIS

_WORD = re.compile(r"[^\W\d_]+")
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_GUILLEMETS = re.compile(r"[»«›‹]")
_PARTNERS = {"»": "«", "«": "»", "›": "‹", "‹": "›"}
_OPEN_LABEL = re.compile(rf"(?:[^\W\d_]+ ){{1,3}}(?P<last>[^\W\d_]+)(?P<dots> ?{ELLIPSIS})")
_FIELD = re.compile(r"[^\W\d_]{4}:")  # "DATE:"
_LONG_WORD = 5  # letters: acronyms have fewer
_LONGEST_IN_CAPITALS = 300  # characters


@dataclass(frozen=True)
class Respelling:
    """A sentence in another spelling.

    Attributes:
        texts: Spellings; the likeliest translation is taken.
        back: From places in each of them to places in the sentence.
        finish: Finds what to change in a translation so that it is one of the sentence as it was written.
        joins: It has words that slashes join.
    """

    texts: tuple[str, ...]
    back: Offsets
    finish: Callable[[str], list[Edit]]
    joins: bool = False


def respelled(
    translation: SentenceTranslation, protected: Protected | None, direction: Direction, options: SearchOptions
) -> Asking[SentenceTranslation | None]:
    """Returns the translation of the sentence in another spelling; None if its spelling is usual.

    Args:
        translation: The first translation.
        protected: The sentence with its stand-ins; None if it has none.
        direction: The languages.
        options: The request's.
    """
    if translation.stored is not None or translation.terms or options.prefix is not None:
        return None
    if "/" in translation.source and direction.here.code != direction.there.code:
        for rule in (unit_price, with_either, fields):
            if joined := (yield from rule(translation, direction, options)):
                return joined
    stand_ins = protected.stand_ins if protected else ()
    other = respell(translation.source, direction, stand_ins)
    if other is None:
        is_same = direction.here.code == direction.there.code
        return None if is_same else (yield from with_emphasis(translation, stand_ins, options))
    asked = replace(options, alignment=True) if other.joins else options
    best = likeliest((yield Question(other.texts, asked)))
    if best is None:
        return None
    own = [version.edited(other.finish(version.text), other.back) for version in best.versions]
    if other.joins:
        whole = yield from with_both(replace(own[0], source=translation.source), direction, options)
        own[0] = yield from without_copies(whole, direction, options)
    return translation.replaced_by(best, own)


def respell(sentence: str, direction: Direction, stand_ins: Sequence[tuple[int, int]] = ()) -> Respelling | None:
    """Returns the usual spelling of a sentence; None if it has that."""
    here = direction.here
    if here.code == direction.there.code:
        return None
    in_capitals = _is_in_capitals(sentence, here, stand_ins)
    shown = _lowered(sentence, stand_ins) if in_capitals else sentence
    edits = usual_spelling(shown, here)
    slashes = spaced(sentence, direction)
    greeting = here.greeting.fullmatch(shown) if here.greeting else None
    commas = [Edit(greeting.end("greeting"), greeting.end("greeting"), ",")] if greeting else []
    if greeting and not greeting["mark"]:
        commas.append(Edit(len(sentence), len(sentence), "!"))
    marks = _usual_marks(sentence, here)
    label = _OPEN_LABEL.fullmatch(shown)
    if label and label["last"] in here.common_words:
        commas.append(Edit(*label.span("dots"), ""))
    if not (edits or slashes or commas or marks or in_capitals):
        return None
    edits = disjoint([*edits, *slashes, *commas, *marks])
    joined = [each for each in slashes if each in edits]  # not that of "Sat/Sun", which is written out
    text = apply(edits, shown)

    def finish(translation: str) -> list[Edit]:
        found: list[Edit] = []
        if joined:
            found += closed(sentence, translation, direction)
        if greeting and translation.count(",") > sentence.count(","):
            comma = translation.index(",")
            found.append(Edit(comma, comma + 1, ""))
        if in_capitals:
            found += [
                Edit(*match.span(), match[0].upper())
                for match in _TOKEN.finditer(translation)
                if not match[0].isupper() and match[0] not in kept_words
            ]
        return disjoint(found)

    kept_words = {word for begin, end in stand_ins for word in _TOKEN.findall(sentence[begin:end])}
    texts = tuple(dict.fromkeys(_cased(text, here))) if in_capitals else (text,)
    return Respelling(texts, backwards(edits), finish, bool(joined) and len(joined) == len(slashes))


def _usual_marks(sentence: str, here: Language) -> list[Edit]:
    """Returns how to write guillemets as the usual quotation marks of a language that has others."""
    own, found = here.writing.quotes, list(_GUILLEMETS.finditer(sentence))
    if not (own and found) or len(found) % 2 or any(mark in sentence for mark in own[:2]):
        return []
    opening = found[0][0]
    if any(match[0] != (_PARTNERS[opening] if index % 2 else opening) for index, match in enumerate(found)):
        return []
    return [Edit(*match.span(), own.closed if index % 2 else own.opened) for index, match in enumerate(found)]


def _is_in_capitals(sentence: str, here: Language, stand_ins: Sequence[tuple[int, int]]) -> bool:
    """Tells whether a sentence is in capitals, and no list of acronyms."""
    if len(sentence) > _LONGEST_IN_CAPITALS or sentence[:1].islower():
        return False
    plain = _without(sentence, stand_ins)
    if not plain.isupper():
        return False
    words = _WORD.findall(plain)
    return _FIELD.fullmatch(plain) is not None or any(
        len(word) >= _LONG_WORD or (len(words) > 1 < len(word) and word.lower() in here.common_words) for word in words
    )


def _without(sentence: str, ranges: Sequence[tuple[int, int]]) -> str:
    return apply([Edit(begin, end, "0" * (end - begin)) for begin, end in ranges], sentence)


def _lowered(sentence: str, stand_ins: Sequence[tuple[int, int]]) -> str:
    """The sentence in small letters, with the same number of characters; stand-ins stay."""
    lowered = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in sentence)
    return apply([Edit(begin, end, sentence[begin:end]) for begin, end in stand_ins], lowered)


def _cased(text: str, here: Language) -> Iterator[str]:
    """Yields a text in small letters with the capitals that it may have had."""

    def with_capitals(wanted: Callable[[str], bool]) -> str:
        first = True

        def written(match: re.Match[str]) -> str:
            nonlocal first
            word, is_first = match[0], first
            first = False
            begins = is_first or text[: match.start()].rstrip()[-1:] in (".", "!", "?", ":")
            return word[0].upper() + word[1:] if (begins or wanted(word)) and len(word[0].upper()) == 1 else word

        return _TOKEN.sub(written, text)

    yield with_capitals(lambda word: False)
    yield with_capitals(lambda word: True)
    if here.may_be_noun:
        yield with_capitals(here.may_be_noun)
