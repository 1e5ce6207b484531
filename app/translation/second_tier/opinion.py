"""Asks the second tier about a sentence that the first is unsure of, and looks at its answer as at a stranger's.

The answer must have no fault that the checks know: no verdict, every protected span and number once, every term, the
target language, no sign that the sentence lacks. Else the first translation stays.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from app.engine.options import SearchOptions
from app.text.detection import Detector
from app.text.protection.protected import Protected
from app.text.quality_checks import Verdict, judge
from app.translation.questions import Asking, Question
from app.translation.rules.pair import Direction
from app.translation.second_tier.interface import Outcome, SecondTier
from app.translation.second_tier.prompt import Brief
from app.translation.sentence import SentenceTranslation, TextTranslation
from app.translation.versions import Versions
from languages.codes import base

MOST_CHARS = 2_000
"""Longer sentences stay with the first tier."""

# Of 350 human translations of news and everyday sentences (wmt19, Tatoeba), 1 % share fewer of their trigrams with the
# shipped model's; of 54 whose first translation has a confidence below 0.5, 4 have fewer; of other sentences'
# translations, 99 %.
_LEAST_SHARED = 0.25
_SHORT_CHARS = 20  # trigrams of shorter sentences say nothing
_MARKS = frozenset(" .,;:!?…'\"()-–—/%€$£¥°„“”‚‘’«»‹›\u00a0\u202f\u00ad")
_DOMAIN = re.compile(r"[^\W_]\.(?=[^\W\d_]{2})|://|www\.")
_LEAST_CERTAIN = 80.0  # percent
_USELESS = frozenset({Verdict.COPIED_SOURCE, Verdict.REPETITION})


@dataclass(frozen=True)
class Opinions:
    """The second tier for one request.

    Attributes:
        tier: Whom to ask.
        detector: Tells the language of an answer.
        end: When it must have answered, by the event loop's clock.
    """

    tier: SecondTier
    detector: Detector
    end: float

    async def ask(self, brief: Brief) -> list[TextTranslation] | None:
        """Returns the answer as a translation of one sentence; None if there is none."""
        answer = await self.tier.translate(brief, self.end)
        return None if answer is None else [TextTranslation(text=answer)]


def second_opinion(
    first: SentenceTranslation,
    protected: Protected | None,
    *,
    opinions: Opinions,
    direction: Direction,
    options: SearchOptions,
    context: str = "",
) -> Asking[SentenceTranslation]:
    """Returns the second tier's translation of a sentence if the first is doubtful and the second isn't.

    Args:
        first: The first tier's translation, after its second attempts.
        protected: The sentence with its stand-ins; None if it has none.
        opinions: The second tier.
        direction: The languages, and what the request asks of the translation.
        options: How the request searches.
        context: What stands before the sentence.
    """
    if not _is_doubtful(first, opinions.tier.below) or options.prefix is not None or len(first.source) > MOST_CHARS:
        return first
    names = _placeholders(first.source, protected)
    brief = Brief(
        text=_with(first.source, names),
        here=direction.here,
        there=direction.there,
        context=context,
        register=direction.options.register,
        terms=first.terms,
    )
    answers = yield Question((), options, brief)
    if answers is None:
        return first
    text = _without(answers[0].text, names)
    second = None
    stand_ins = [first.source[begin:end] for begin, end in protected.stand_ins] if protected else []
    is_whole = all(text.count(stand_in) == first.source.count(stand_in) for stand_in in stand_ins)
    if text and is_whole and _looks_sound(text, first, opinions.detector, direction):
        second = yield from _aligned(replace(first, text=text, alignment=(), tier=2), options)
    if second:
        doubled = direction.here.writing.doubled | direction.there.writing.doubled
        verdicts = judge(first.source, second.text, doubled=doubled)
        second = Versions(first, protected, direction).faultless(replace(second, verdicts=verdicts))
    opinions.tier.observe(Outcome.USED if second else Outcome.REFUSED)
    if second is None:
        return first
    others = (first.as_alternative(), *first.alternatives)
    return replace(second, score=0.0, confidence=None, alternatives=others[: options.n_best - 1])


def _is_doubtful(sentence: SentenceTranslation, below: float) -> bool:
    if sentence.stored is not None:
        return False
    return bool(sentence.verdicts) or (sentence.confidence is not None and sentence.confidence < below)


def _placeholders(source: str, protected: Protected | None) -> dict[str, str]:
    """What stands for each stand-in that is no word: ``{1}``; a stand-in that is a word or number stays one."""
    stand_ins = [source[begin:end] for begin, end in protected.stand_ins] if protected else []
    signs = [stand_in for stand_in in stand_ins if not stand_in.isalnum()]
    free = (f"{{{number}}}" for number in range(1, 10_000) if f"{{{number}}}" not in source)
    return dict(zip(dict.fromkeys(signs), free, strict=False))


def _with(source: str, names: dict[str, str]) -> str:
    for stand_in, name in names.items():
        source = source.replace(stand_in, name)
    return source


def _without(answer: str, names: dict[str, str]) -> str:
    for stand_in, name in names.items():
        answer = answer.replace(name, stand_in)
    return answer


def _looks_sound(text: str, first: SentenceTranslation, detector: Detector, direction: Direction) -> bool:
    """Tells whether an answer is in the target language, like the first translation, and has no signs of its own."""
    looks: tuple[Callable[[], bool], ...] = (
        lambda: all(map(first.source.__contains__, filter(_is_sign, text))),
        lambda: len(_DOMAIN.findall(text)) <= len(_DOMAIN.findall(first.source)),
        lambda: _is_in(direction.there.code, text, detector),
        lambda: _is_like(text, first),
    )
    return all(look() for look in looks)


def _is_sign(character: str) -> bool:
    """Tells of a character whether a translation has it only if its source does."""
    return not (character.isalnum() or character in _MARKS or unicodedata.category(character).startswith("M"))


def _is_in(code: str, text: str, detector: Detector) -> bool:
    if detector.foreign(text):
        return False
    found = detector.detect(text)[0]
    return base(found.language) == base(code) or found.confidence < _LEAST_CERTAIN


def _is_like(text: str, first: SentenceTranslation) -> bool:
    if len(first.source) < _SHORT_CHARS or not _USELESS.isdisjoint(first.verdicts):
        return True
    return any(shared_trigrams(text, version.text) >= _LEAST_SHARED for version in first.versions)


def shared_trigrams(one: str, other: str) -> float:
    """The share of letter trigrams that two texts have in common, from 0 to 1 (Dice's coefficient)."""
    own, others = _trigrams(one), _trigrams(other)
    return 2 * (own & others).total() / max(1, own.total() + others.total())


def _trigrams(text: str) -> Counter[str]:
    plain = "".join(character if character.isalnum() else " " for character in text.casefold())
    spaced = f" {' '.join(plain.split())} "
    return Counter(spaced[place : place + 3] for place in range(len(spaced) - 2))


def _aligned(second: SentenceTranslation, options: SearchOptions) -> Asking[SentenceTranslation | None]:
    """Aligns the words of an answer, if the request needs that: the model is made to write it.

    None if the model can't, because tags and spans would have no place.
    """
    if not options.alignment:
        return second
    forced = replace(options, prefix=second.text, beam_size=1, n_best=1)
    answers = yield Question((second.source,), forced)
    found = answers[0] if answers else None
    if found is None or len(found.sentences) != 1 or not found.text.startswith(second.text):
        return None
    links = (link for link in found.alignment if link.target_end <= len(second.text))
    return replace(second, alignment=tuple(links))
