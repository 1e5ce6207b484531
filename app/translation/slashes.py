"""Words joined by a sign: "Tage/Woche", "Namen/Adresse", "Vor-/Nachname", "Speichern & schließen".

Models know few of them. With spaces around the slash, or "and" for the sign, they translate most; what they then copy
or leave out is translated by itself. A sentence with two small words, "Geboren am/in", is translated with either.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.engine.options import SearchOptions
from app.text.inline.placement import Edit
from app.text.inline.target_tokens import links_of_same
from app.text.protection.protected import protect_ranges
from app.translation.attempts import Aligned, backwards, cut
from app.translation.questions import Asking, Question, likeliest
from app.translation.rules.pair import Direction
from app.translation.sentence import SentenceTranslation
from languages.language import Language
from languages.signs import CURRENCIES, STAND_INS, UNIT

_WORD = re.compile(r"[^\W\d_]+")
_SLASH = re.compile(
    rf"(?:(?<=[^\W\d_]{{2}})|(?<=[\d{CURRENCIES}%{STAND_INS}])|(?<=[\d\s][a-zA-Z]))(?P<slash>/)(?=[^\W\d_]{{2}})"
)
_SHORT = 2  # letters: units have no more, unless they are common words
_SUSPENDED = re.compile(r"(?<=[^\W\d_]{2}-)/(?=[^\W\d_]{3})")
_SECOND_HALF = re.compile(r"(?<=[^\W\d_]{3})/(?=-(?P<half>[^\W\d_]{3,}))")  # "Geburtsdatum/-ort"
_AND = re.compile(r"(?<=[^\W\d_]{2}) & (?=[^\W\d_]{2})")
_MEASURED = re.compile(rf"[\d{STAND_INS}]\s?{UNIT}$")
_UNIT_PRICE = re.compile(
    rf"(?P<amount>[^a-zA-Z/]{{1,30}}(?:(?<=[\d\s]){UNIT})?/)(?P<noun>[^\W\d_]{{3,}})(?P<mark>[.!?]?)"
)
_BEFORE_SLASH = re.compile(r"[^\W\d_]*$")
# Two words in small letters, no units behind a number.
_SMALL = r"[^\W\d_A-Z]{2,20}"
_EITHER = re.compile(rf"(?<![\w/.])(?<!\d )(?P<one>\A[A-Z]{_SMALL}|{_SMALL})/(?P<other>{_SMALL})(?![\w/.])")
_LONGEST_EITHER = 100  # characters: each of two translations takes as long as the sentence did
# Three or more names of fields, some of several words: "Name/Address/Phone number".
_FIELDS = re.compile(r"[^\W\d_][^/.:!?\n]{0,40}(?:/[^\W\d_][^/.:!?\n]{0,40}){2,9}")
_CHUNK = re.compile(r"(?P<word>\w\S*\b)?(?P<mark>\S*)(?:\s|$)")
_SPACED_SLASH = re.compile(r"\s?/\s?")


def spaced(sentence: str, direction: Direction) -> list[Edit]:
    """Returns how to write the signs of a sentence so that models know them: "Tage / Woche", "Vor- und Nachname"."""
    if "/" not in sentence and "&" not in sentence:
        return []
    edits = [Edit(place, place + 1, " / ") for place in _slashes(sentence, direction.here)]
    here, there = direction.here.conjunctions[:1], direction.there.conjunctions[:1]
    if here and there:
        edits += (Edit(*match.span(), f" {here[0]} ") for match in _signs_for_and(sentence, direction.here))
    if direction.here.writing.capital_nouns:
        begins = (match.start("half") for match in _halves(sentence, direction.here))
        edits += (Edit(at - 1, at + 1, sentence[at].upper()) for at in begins)
    return sorted(edits)


def closed(sentence: str, translation: str, direction: Direction) -> Iterator[Edit]:
    """Yields what makes the signs of a translation those of its sentence, which was translated with ``spaced``."""
    if " /" not in sentence and "/ " not in sentence:
        yield from (Edit(*match.span(), "/") for match in _SPACED_SLASH.finditer(translation) if match[0] != "/")
    signs = _signs_for_and(sentence, direction.here)
    if signs and direction.there.conjunctions:
        # The model may copy the source's word; and the source may have such words itself.
        words = {*direction.there.conjunctions[:1], *direction.here.conjunctions[:1]}
        joiner = re.compile(rf" (?:{'|'.join(map(re.escape, sorted(words)))}) ", re.IGNORECASE)
        joiners = list(joiner.finditer(translation))
        own = sorted([*signs, *joiner.finditer(sentence)], key=re.Match.start)
        for found, meant in zip(joiners, own if len(joiners) == len(own) else signs, strict=False):
            if len(joiners) in (len(own), len(signs)) and meant in signs:
                yield Edit(*found.span(), meant[0])


def _signs_for_and(sentence: str, here: Language) -> list[re.Match[str]]:
    return sorted(
        [*_SUSPENDED.finditer(sentence), *_halves(sentence, here), *_AND.finditer(sentence)], key=re.Match.start
    )


def _halves(sentence: str, here: Language) -> list[re.Match[str]]:
    """The slashes before the second half of a word; forms for men and women are none."""
    endings = here.gender_endings | here.bracketed_endings
    return [match for match in _SECOND_HALF.finditer(sentence) if match["half"] not in endings]


def unit_price(
    translation: SentenceTranslation, direction: Direction, options: SearchOptions
) -> Asking[SentenceTranslation | None]:
    """Translates an amount or number with a slash and a noun alone: "$20/month". The amount stays, or is a stand-in."""
    match = _UNIT_PRICE.fullmatch(translation.source)
    ask, answer = direction.here.noun_probe, direction.there.noun_probe
    if not (match and ask and answer):
        return None
    answers = yield Question((ask.ask(match["noun"])[0],), replace(options, n_best=1))
    for found in answers or ():
        if noun := answer.answer.fullmatch(found.text.rstrip(".!?")):
            text = match["amount"] + noun[1] + match["mark"]
            links = tuple(links_of_same(match["amount"], 0, 0))
            score = min(sentence.score for sentence in found.sentences)
            return replace(translation, text=text, score=score, verdicts=(), alignment=links, alternatives=())
    return None


def with_either(
    translation: SentenceTranslation, direction: Direction, options: SearchOptions
) -> Asking[SentenceTranslation | None]:
    """Translates a sentence with each of two small words; joins the translations if they differ in one word."""
    sentence = translation.source
    match = _EITHER.search(sentence) if sentence.count("/") == 1 and len(sentence) <= _LONGEST_EITHER else None
    is_alone = match is not None and match[0] == sentence
    if match is None or is_alone or set(match.groups()) <= set(direction.here.conjunctions):
        return None
    one, other = match.groups()
    words = (one, other.capitalize() if one.istitle() else other)
    texts = tuple(sentence[: match.start()] + word + sentence[match.end() :] for word in words)
    answers = yield Question(texts, replace(options, n_best=1))
    found = [answer.sentences[0] for answer in answers or () if len(answer.sentences) == 1]
    if len(found) != 2 or any(each.verdicts for each in found):
        return None
    ours, others = (list(_CHUNK.finditer(each.text)) for each in found)
    differ = [(our, their) for our, their in zip(ours, others, strict=False) if our[0] != their[0]]
    if len(ours) != len(others) or len(differ) != 1 or differ[0][0]["mark"] != differ[0][1]["mark"]:
        return None
    [(our, their)] = differ
    if not (our["word"] and their["word"]):
        return None
    word = their["word"] if our.start() else their["word"].lower()
    addition = Edit(our.end("word"), our.end("word"), f"/{word}")
    back = backwards([Edit(match.end("one"), match.end(), "")])
    return translation.replaced_by(found[0], [found[0].edited([addition], back)])


def fields(
    translation: SentenceTranslation, direction: Direction, options: SearchOptions
) -> Asking[SentenceTranslation | None]:
    """Translates names of fields one by one, if some have several words: models mix them."""
    names = translation.source.split("/")
    is_list = _FIELDS.fullmatch(translation.source) and all(name[0].isupper() for name in names)
    if not is_list or not any(" " in name for name in names):
        return None
    alone = iter((yield from _nouns([name for name in names if " " not in name], direction, options)))
    nouns = [next(alone) if " " not in name else "" for name in names]
    answers = yield Question(tuple(names), replace(options, n_best=1))
    found = [answer.sentences[0] for answer in answers or () if len(answer.sentences) == 1]
    if len(found) != len(names):
        return None
    texts = [_capitalized(noun or each.text) for noun, each in zip(nouns, found, strict=True)]
    least = min(found, key=lambda each: each.likelihood)
    return translation.replaced_by(least, [replace(least, text="/".join(texts), alignment=())])


def _capitalized(name: str) -> str:
    return name[:1].upper() + name[1:]


def without_copies(
    version: SentenceTranslation, direction: Direction, options: SearchOptions
) -> Asking[SentenceTranslation]:
    """Translates words behind slashes by themselves, if the model has copied them: "$20/month"."""
    words = (_WORD.match(version.source, place + 1) for place in _slashes(version.source, direction.here))
    copied = (re.search(rf"(?<=/){word[0]}(?!\w)", version.text) for word in words if word)
    found = [match for match in copied if match]
    nouns = yield from _nouns([match[0] for match in found], direction, options)
    return version.edited([Edit(*match.span(), noun) for match, noun in zip(found, nouns, strict=True) if noun])


def with_both(
    version: SentenceTranslation, direction: Direction, options: SearchOptions
) -> Asking[SentenceTranslation]:
    """Translates the second word by itself, and the sentence without it, if the model has left out one of the two.

    It has left out the first word if the sentence without the second has another translation of it.
    """
    places = list(_slashes(version.source, direction.here))
    if len(places) > 1 and version.text.count("/") < version.source.count("/"):
        return (yield from _in_pieces(version, places, options))
    left = _BEFORE_SLASH.search(version.source, max(0, places[0] - 60), places[0]) if len(places) == 1 else None
    if not (left and left[0]):
        return version
    [place] = places
    right = _WORD.match(version.source, place + 1)
    assert right
    alone = version.source[:place] + version.source[right.end() :]
    best = likeliest((yield Question((alone,), replace(options, n_best=1, alignment=True))))
    links = best.alignment if best else ()
    ends = [one.target_end for one in links if left.start() <= one.source_begin and one.source_end <= place]
    word = next((word for word in _WORD.finditer(best.text) if ends and word.end() >= ends[-1]), None) if best else None
    has_all = version.text.count("/") >= version.source.count("/")
    if not (best and word) or (has_all and word[0].lower() in version.text.lower()):
        return version
    [noun] = yield from _nouns([right[0]], direction, options)
    addition = Edit(word.end(), word.end(), f"/{noun}")
    return replace(best.edited([addition]), source=version.source) if noun else version


def _in_pieces(
    version: SentenceTranslation, places: Sequence[int], options: SearchOptions
) -> Asking[SentenceTranslation]:
    """Translates what stands between slashes, piece by piece: the last resort."""
    kept = protect_ranges(version.source, [(place, place + 1) for place in places])
    attempt = cut(kept)
    answers = yield Question(attempt.texts, replace(options, n_best=1))
    joined = attempt.join([Aligned(answer.text, answer.alignment) for answer in answers]) if answers else None
    restored = joined and kept.restore(*joined)
    if not (joined and restored) or restored.lost:
        return version
    return replace(version, text=restored.text, alignment=kept.restore_links(joined.links, restored))


def _nouns(words: Sequence[str], direction: Direction, options: SearchOptions) -> Asking[list[str]]:
    """Returns the translations of nouns alone; an empty string where there is none."""
    ask, answer = direction.here.noun_probe, direction.there.noun_probe
    if not (words and ask and answer):
        return [""] * len(words)
    answers = yield Question(tuple(ask.ask(word)[0] for word in words), replace(options, n_best=1))
    found = [answer.answer.fullmatch(each.text.rstrip(".!?")) for each in answers or ()]
    return [match[1] if match else "" for match in found] or [""] * len(words)


def _slashes(sentence: str, here: Language) -> Iterator[int]:
    """Yields the slashes between two words, or an amount and a word; not those of names, units and usual pairs."""
    if "/" not in sentence:
        return
    for match in _SLASH.finditer(sentence):
        place = match.start()
        left = _BEFORE_SLASH.search(sentence, max(0, place - 60), place)
        right = _WORD.match(sentence, place + 1)
        assert left and right
        is_unit = _MEASURED.search(sentence, max(0, place - 60), place)
        words = [word for word in ("" if is_unit else left[0], right[0]) if word]
        if any(word.isupper() for word in words) and not sentence.isupper():
            continue
        if any(len(word) <= _SHORT and word.lower() not in here.common_words for word in words):
            continue
        is_list = here.writing.capital_nouns and all(word.istitle() for word in words)  # Ort/Datum/Unterschrift
        if (
            sentence[right.end() : right.end() + 1] in ("._:" if is_list else "/._:")
            and sentence[right.end() + 1 : right.end() + 2].isalnum()
        ):
            continue  # a path
        if len(words) == 2 and all(word.lower() in here.conjunctions for word in words):
            continue  # und/oder
        yield place
