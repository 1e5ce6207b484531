"""A sentence and its translation, on the way from a draft to what the client gets."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from app.engine.interface import Draft, Version
from app.text.inline.placement import Edit, apply
from app.text.inline.target_tokens import Link, links_of_same
from app.text.protection.protected import Offsets, Restored, moved
from app.text.quality_checks import Verdict, judge
from app.text.terms.glossary import Term

_IN_PLACE = Offsets(())


class Alternative(NamedTuple):
    """Another translation of a sentence; the fields are those of ``SentenceTranslation``."""

    text: str
    score: float
    confidence: float | None = None
    verdicts: tuple[Verdict, ...] = ()
    alignment: tuple[Link, ...] = ()
    placed: Restored | None = None


@dataclass(frozen=True, kw_only=True)
class SentenceTranslation:
    """One sentence and its translation.

    Attributes:
        source: The sentence in the source text.
        source_begin: Its position there, in code points.
        text: The best translation.
        target_begin: Its position in the translated text, in code points.
        score: Its length-normalised log-probability, at most 0.
        alternatives: The other translations, best first, without ``text``.
        confidence: The chance, 0 to 1, that ``text`` is good; None if the model can't tell.
        verdicts: Quality checks that ``text`` fails; usually none.
        alignment: One link for each piece of ``text`` that has characters, in its order, ranges within ``source`` and
            ``text``; only if it was asked for and the model can tell.
        terms: The terms of ``source`` that ``text`` should have, with their places in ``source``.
        stored: What is known to be the translation of ``source``, without stand-ins: from a translation memory, or the
            sentence itself; None if a model translated it.
        placed: ``text`` with its protected spans, once they were placed.
        tier: Who translated it: 1 for the served models, 2 for the second tier, which gives no score and no confidence.
    """

    source: str
    source_begin: int
    text: str
    target_begin: int
    score: float
    alternatives: tuple[Alternative, ...]
    confidence: float | None = None
    verdicts: tuple[Verdict, ...] = ()
    alignment: tuple[Link, ...] = ()
    terms: tuple[Term, ...] = ()
    stored: str | None = None
    placed: Restored | None = None
    tier: Literal[1, 2] = 1

    @property
    def versions(self) -> "list[SentenceTranslation]":
        """The translation and its alternatives, best first, each without alternatives."""
        others = [replace(self, alternatives=(), **other._asdict()) for other in self.alternatives]
        return [replace(self, alternatives=()), *others]

    def as_alternative(self) -> Alternative:
        """The translation as an alternative to another one."""
        return Alternative(*(getattr(self, name) for name in Alternative._fields))

    @property
    def likelihood(self) -> tuple[bool, float]:
        """A sort key: a translation without verdicts is likelier than any other, then a higher score counts."""
        return not self.verdicts, self.score

    def moved(self, source_by: int, target_by: int) -> "SentenceTranslation":
        """The translation with both its positions so many code points further on."""
        if not (source_by or target_by):
            return self
        return replace(self, source_begin=self.source_begin + source_by, target_begin=self.target_begin + target_by)

    def edited(self, edits: Sequence[Edit], back: Offsets = _IN_PLACE) -> "SentenceTranslation":
        """The translation with parts of its text replaced; links to nothing are left out.

        Args:
            edits: What to replace, in order and disjoint.
            back: From places in what was translated to places in ``source``.
        """
        links = self.alignment
        if not (edits or links):
            return self
        if links and (edits or back is not _IN_PLACE):
            links = moved(links, back, Offsets.of(edits))
        kept = (link for link in links if link.source_begin < link.source_end and link.target_begin < link.target_end)
        text, placed = (apply(edits, self.text), None) if edits else (self.text, self.placed)
        return replace(self, text=text, placed=placed, alignment=tuple(kept))

    def replaced_by(
        self, best: "SentenceTranslation", versions: Sequence["SentenceTranslation"]
    ) -> "SentenceTranslation":
        """The same sentence with other translations.

        Args:
            best: The translation that its score, confidence and verdicts come from.
            versions: The translations, best first: that of ``best``, rewritten, and alternatives.
        """
        return replace(
            self,
            text=versions[0].text,
            score=best.score,
            confidence=best.confidence,
            verdicts=best.verdicts,
            alignment=versions[0].alignment,
            alternatives=tuple(version.as_alternative() for version in versions[1:]),
        )


@dataclass(frozen=True, kw_only=True)
class TextTranslation:
    """One text put back together from its sentences.

    Attributes:
        text: The translation; everything between the sentences is as it was.
        alternatives: Further translations of the whole text, best first, unique, without ``text``.
        sentences: The translated sentences, in order; empty where there was nothing to translate.
    """

    text: str
    alternatives: tuple[str, ...] = ()
    sentences: tuple[SentenceTranslation, ...] = ()

    @property
    def alignment(self) -> tuple[Link, ...]:
        """The links of all sentences as ranges within both whole texts, and of the characters between aligned ones."""
        links, source, target = list[Link](), 0, 0
        for sentence in self.sentences:
            if sentence.alignment:  # a tag must not move from a word to the bracket before it
                links += links_of_same(self.text[target : sentence.target_begin], source, target)
            links += (link.moved(sentence.source_begin, sentence.target_begin) for link in sentence.alignment)
            source, target = sentence.source_begin + len(sentence.source), sentence.target_begin + len(sentence.text)
        return (*links, *(links_of_same(self.text[target:], source, target) if links else ()))


class TextKey(NamedTuple):
    """Names a text of a request: the index of its item, and the index of the block within the item's markup."""

    item: int
    block: int = 0


class TokenEvent(NamedTuple):
    """More characters of the sentence that comes next in a text."""

    key: TextKey
    text: str


class SentenceEvent(NamedTuple):
    """A finished sentence of a text."""

    key: TextKey
    sentence: SentenceTranslation


def judged(draft: Draft, doubled: Collection[str] = (), terms: tuple[Term, ...] = ()) -> SentenceTranslation:
    """Checks the versions of a draft.

    Args:
        draft: The draft.
        doubled: Words that are no loop if said twice, see ``judge``.
        terms: The terms of the sentence.
    """

    def check(version: Version) -> Alternative:
        text, score, confidence, truncated, alignment = version
        if not text:  # silence must not swallow the sentence
            return Alternative(draft.source, score, confidence, (Verdict.COPIED_SOURCE,))
        verdicts = judge(draft.source, text, truncated=truncated, doubled=doubled)
        return Alternative(text, score, confidence, verdicts, alignment)

    best, *others = map(check, draft.versions)
    return SentenceTranslation(
        source=draft.source,
        source_begin=draft.begin,
        target_begin=0,
        alternatives=tuple(others),
        terms=terms,
        **best._asdict(),
    )
