"""The translations of one sentence, ranked by their faults."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from app.engine.options import SearchOptions
from app.text.inline.placement import apply
from app.text.protection.protected import Protected
from app.text.quality_checks import Verdict, is_useless, judge
from app.text.terms.glossary import missing
from app.text.well_formed import is_malformed
from app.translation.attempts import Aligned, Attempt
from app.translation.coverage import left_out
from app.translation.rules.checks import failed
from app.translation.rules.corrections import corrections
from app.translation.rules.pair import Direction, Pair
from app.translation.rules.register import offending
from app.translation.sentence import SentenceTranslation, TextTranslation


class _Ranked(NamedTuple):
    """A translation of the sentence and its faults, the worst first."""

    is_useless: bool
    lost: int
    missing: int
    verdicts: int
    left_out: int
    translation: SentenceTranslation
    offending: tuple[str, ...]


def _faults(ranked: _Ranked) -> tuple[bool, int, int, int, int]:
    return ranked[:5]


def _rank_key(ranked: _Ranked) -> tuple[tuple[bool, int, int, int, int], float]:
    """The faults; of translations that leave out words, the likelier is better."""
    return _faults(ranked), -ranked.translation.score if ranked.left_out else 0.0


class Versions:
    """The translations of one sentence so far, ranked by their faults; among equals, the earlier one is better.

    Args:
        translation: The first translation.
        protected: The sentence with its stand-ins; None if it has none.
        direction: The languages, and what the request asks of the translation.

    Attributes:
        protected: As above.
        direction: As above.
    """

    def __init__(self, translation: SentenceTranslation, protected: Protected | None, direction: Direction) -> None:
        self.protected, self.direction = protected, direction
        # Longer ones first, as one may be a part of another.
        kept = {protected.source[begin:end] for begin, end in protected.kept()} if protected else set[str]()
        self._kept = sorted((span for span in kept if len(span) > 1), key=len, reverse=True)
        self._ranked = sorted(map(self._rank, translation.versions), key=_rank_key)

    @property
    def best(self) -> SentenceTranslation:
        """Returns the best translation, without alternatives."""
        return self._ranked[0].translation

    @property
    def offending(self) -> tuple[str, ...]:
        """Returns the words of the wrong register in all translations; none if the best translation has none."""
        own = [word for ranked in self._ranked for word in ranked.offending]
        return tuple(dict.fromkeys(own)) if self._ranked[0].offending else ()

    @property
    def has_lost(self) -> bool:
        """Whether the best translation lacks protected spans."""
        return self._ranked[0].lost > 0

    @property
    def leaves_out(self) -> bool:
        """Whether the best translation leaves out words beside protected spans."""
        return self._ranked[0].left_out > 0

    def add(self, attempt: Attempt, translations: Sequence[TextTranslation]) -> None:
        """Adds the translation that an attempt makes."""
        sentences = [sentence for translation in translations for sentence in translation.sentences]
        if len(translations) == len(sentences) == 1:
            for version in sentences[0].versions:
                self._add(attempt, [Aligned(version.text, version.alignment)], [version])
        else:
            self._add(attempt, [Aligned(each.text, each.alignment) for each in translations], sentences)
        self._ranked.sort(key=_rank_key)

    def faultless(self, translation: SentenceTranslation) -> SentenceTranslation | None:
        """Returns another translation of the sentence, with its spans placed; None if it has any fault."""
        ranked = self._rank(translation)
        return None if any(_faults(ranked)) else ranked.translation

    def result(self, options: SearchOptions) -> SentenceTranslation:
        """Returns the best translation with the others as alternatives.

        It is the source if the best is useless, unless somebody is writing the translation.
        """
        best = self.best
        versions = [ranked.translation for ranked in self._ranked]
        if self._ranked[0].is_useless and options.prefix is None:
            confidence = None if best.confidence is None else 0.0
            copied = (Verdict.COPIED_SOURCE,)
            best = replace(best, text=best.source, confidence=confidence, verdicts=copied, alignment=(), placed=None)
        others = {one.text: one.as_alternative() for one in reversed(versions) if one.text != best.text}
        return replace(best, alternatives=tuple(reversed(others.values()))[: options.n_best - 1])

    def _add(self, attempt: Attempt, texts: Sequence[Aligned], parts: Sequence[SentenceTranslation]) -> None:
        joined = attempt.join(texts)
        if joined is None:
            return
        best = self.best
        chances = [part.confidence for part in parts if part.confidence is not None]
        if attempt.texts == (best.source,) and len(parts) == 1:
            verdicts = parts[0].verdicts
        else:
            is_truncated = any(Verdict.TRUNCATED in part.verdicts for part in parts)
            doubled = self.direction.here.writing.doubled | self.direction.there.writing.doubled
            verdicts = judge(best.source, joined.text, truncated=is_truncated, doubled=doubled)
        translation = replace(
            best,
            text=joined.text,
            score=min((part.score for part in parts), default=best.score),
            confidence=min(chances, default=best.confidence),
            verdicts=verdicts,
            alignment=joined.links,
        )
        self._ranked.append(self._rank(translation))

    def _without_kept(self, text: str) -> str:
        """The text with a word for each span that comes back as it was: its signs may get other neighbours."""
        for span in self._kept:
            text = text.replace(span, "x")
        return text

    def _is_malformed(self, protected: Protected, placed: str, pair: Pair) -> bool:
        """Tells whether a translation with its spans is malformed, and corrections don't mend it."""

        def differs(text: str) -> bool:
            texts = self._without_kept(protected.source), self._without_kept(text)
            return is_malformed(*texts, pair.here, pair.there)

        return differs(placed) and differs(protected.restore(apply(corrections(pair), pair.translation)).text)

    def _rank(self, translation: SentenceTranslation) -> _Ranked:
        pair = self.direction.pair(translation.source, translation.text)
        own = (verdict for verdict in translation.verdicts if verdict != Verdict.FORMALITY)
        verdicts = dict.fromkeys((*own, *failed(pair)))
        placed, lost, words = None, 0, list[str]()
        if self.protected:
            placed = self.protected.restore(translation.text, translation.alignment)
            lost = len(placed.lost) + self.protected.lacks_words(translation.text)
            if self.protected.hides_words:
                stand_ins = self.protected.stand_ins
                words = left_out(translation.source, translation.text, translation.alignment, pair.here, stand_ins)
            if Verdict.MALFORMED not in verdicts and self._is_malformed(self.protected, placed.text, pair):
                verdicts[Verdict.MALFORMED] = None
        translation = replace(translation, verdicts=tuple(verdicts), placed=placed)
        useless = bool(verdicts) and is_useless(translation.source, translation.text)
        lacking = missing(translation.text, translation.terms)
        wrong = offending(pair) if Verdict.FORMALITY in verdicts else ()
        return _Ranked(useless, lost, lacking, len(verdicts), len(words), translation, wrong)
