"""Translates a sentence as it should have been written, where models don't know how it is.

| the sentence | what is translated instead | then |
| --- | --- | --- |
| German without umlauts, gender forms: what the language's room restores | the same with them | |
| words joined by a slash: "Tage/Woche" | "Tage / Woche" | the slash loses its spaces |
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
from app.text.inline.target_tokens import links_of_same
from app.text.protection.protected import Offsets, Protected
from app.translation.attempts import backwards
from app.translation.emphasis import with_emphasis
from app.translation.questions import Asking, Question, likeliest
from app.translation.rules.pair import Direction
from app.translation.sentence import SentenceTranslation
from languages.language import Language

_WORD = re.compile(r"[^\W\d_]+")
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SLASH = re.compile(r"(?:(?<=[^\W\d_]{3})|(?<=[\d€$£%\ue000-\uf8ff]))(?P<slash>/)(?=[^\W\d_]{3})")
_UNIT_PRICE = re.compile(r"(?P<amount>[^a-zA-Z/]{1,30}/)(?P<noun>[^\W\d_]{3,})(?P<mark>[.!?]?)")
_BEFORE_SLASH = re.compile(r"[^\W\d_]*$")
_SPACED_SLASH = re.compile(r"\s?/\s?")
_LONG_WORD = 5  # letters: acronyms have fewer
_LONGEST_IN_CAPITALS = 300  # characters


@dataclass(frozen=True)
class Respelling:
    """A sentence in another spelling.

    Attributes:
        texts: Spellings; the likeliest translation is taken.
        back: From places in each of them to places in the sentence.
        finish: Finds what to change in a translation so that it is one of the sentence as it was written.
        joined: Words behind slashes.
    """

    texts: tuple[str, ...]
    back: Offsets
    finish: Callable[[str], list[Edit]]
    joined: tuple[str, ...] = ()


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
    if unit_price := (yield from _unit_price(translation, direction, options)):
        return unit_price
    stand_ins = protected.stand_ins if protected else ()
    other = respell(translation.source, direction, stand_ins)
    if other is None:
        is_same = direction.here.code == direction.there.code
        return None if is_same else (yield from with_emphasis(translation, stand_ins, options))
    best = likeliest((yield Question(other.texts, options)))
    if best is None:
        return None
    own = [version.edited(other.finish(version.text), other.back) for version in best.versions]
    own[0] = yield from _without_copies(own[0], other, direction, options)
    return translation.replaced_by(best, own)


def respell(sentence: str, direction: Direction, stand_ins: Sequence[tuple[int, int]] = ()) -> Respelling | None:
    """Returns the usual spelling of a sentence; None if it has that."""
    here = direction.here
    if here.code == direction.there.code:
        return None
    in_capitals = _is_in_capitals(sentence, here, stand_ins)
    shown = _lowered(sentence, stand_ins) if in_capitals else sentence
    edits = disjoint(Edit(*found) for found in here.respell(shown))
    slashes = [Edit(place, place + 1, " / ") for place in _slashes(sentence, here)]
    greeting = here.greeting.fullmatch(shown) if here.greeting else None
    commas = [Edit(greeting.end("greeting"), greeting.end("greeting"), ",")] if greeting else []
    if greeting and not greeting["mark"]:
        commas.append(Edit(len(sentence), len(sentence), "!"))
    if not (edits or slashes or commas or in_capitals):
        return None
    edits = disjoint([*edits, *slashes, *commas])
    text = apply(edits, shown)

    def finish(translation: str) -> list[Edit]:
        found: list[Edit] = []
        if slashes and " /" not in sentence and "/ " not in sentence:
            found += [Edit(*match.span(), "/") for match in _SPACED_SLASH.finditer(translation) if match[0] != "/"]
        if greeting and "," in translation:
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
    joined = (match[0] for slash in slashes if (match := _WORD.match(sentence, slash.end)))
    return Respelling(texts, backwards(edits), finish, tuple(joined))


def _unit_price(
    translation: SentenceTranslation, direction: Direction, options: SearchOptions
) -> Asking[SentenceTranslation | None]:
    """Translates an amount or number with a slash and a noun alone: "$20/month". The amount stays, or is a stand-in."""
    match = _UNIT_PRICE.fullmatch(translation.source)
    ask, answer = direction.here.noun_probe, direction.there.noun_probe
    if not (match and ask and answer) or direction.here.code == direction.there.code:
        return None
    answers = yield Question((ask.ask(match["noun"])[0],), replace(options, n_best=1))
    for found in answers or ():
        if noun := answer.answer.fullmatch(found.text.rstrip(".!?")):
            text = match["amount"] + noun[1] + match["mark"]
            links = tuple(links_of_same(match["amount"], 0, 0))
            score = min(sentence.score for sentence in found.sentences)
            return replace(translation, text=text, score=score, verdicts=(), alignment=links, alternatives=())
    return None


def _without_copies(
    version: SentenceTranslation, other: Respelling, direction: Direction, options: SearchOptions
) -> Asking[SentenceTranslation]:
    """Translates words behind slashes by themselves, if the model has copied them: "$20/month"."""
    found = [match for word in other.joined if (match := re.search(rf"(?<=/){word}(?!\w)", version.text))]
    ask, answer = direction.here.noun_probe, direction.there.noun_probe
    if not (found and ask and answer):
        return version
    answers = yield Question(tuple(ask.ask(match[0])[0] for match in found), replace(options, n_best=1))
    if answers is None:
        return version
    nouns = [answer.answer.fullmatch(each.text.rstrip(".!?")) for each in answers]
    return version.edited([Edit(*match.span(), noun[1]) for match, noun in zip(found, nouns, strict=True) if noun])


def _slashes(sentence: str, here: Language) -> Iterator[int]:
    """Yields the slashes between two words, or an amount and a word; not those of names, units and usual pairs."""
    if "/" not in sentence:
        return
    for match in _SLASH.finditer(sentence):
        place = match.start()
        left = _BEFORE_SLASH.search(sentence, max(0, place - 60), place)
        right = _WORD.match(sentence, place + 1)
        assert left and right
        words = [word for word in (left[0], right[0]) if word]
        if any(word.isupper() for word in words) and not sentence.isupper():
            continue
        if (
            sentence[right.end() : right.end() + 1] in ("/", ".", "_", ":")
            and sentence[right.end() + 1 : right.end() + 2].isalnum()
        ):
            continue  # a path
        if len(words) == 2 and all(word.lower() in here.common_words for word in words):
            continue  # und/oder
        yield place


def _is_in_capitals(sentence: str, here: Language, stand_ins: Sequence[tuple[int, int]]) -> bool:
    """Tells whether a sentence is in capitals, and no list of acronyms."""
    if len(sentence) > _LONGEST_IN_CAPITALS or sentence[:1].islower():
        return False
    plain = _without(sentence, stand_ins)
    if not plain.isupper():
        return False
    words = _WORD.findall(plain)
    return any(len(word) >= _LONG_WORD or (len(words) > 1 and word.lower() in here.common_words) for word in words)


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
