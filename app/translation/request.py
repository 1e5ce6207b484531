"""What a translation is asked for with, and the events that answer it. Knows no HTTP."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from app.engine.interface import Splitting, Timing
from app.engine.options import SearchOptions
from app.errors import UnsupportedPair
from app.fairness.offload import Inline, size_of
from app.text.detection import Detection
from app.text.markup.extraction import Rules
from app.text.memory.matching import Match, TranslationMemory
from app.text.quality_checks import Verdict
from app.text.terms.glossary import Glossary, TermUse
from app.text.untranslated import Untranslated
from app.translation.rules.pair import RuleOptions
from app.translation.sentence import SentenceEvent, SentenceTranslation, TokenEvent

AUTO = "auto"
"""The source language of a request whose texts are to be detected."""


@dataclass(frozen=True, kw_only=True)
class Wish(RuleOptions):
    """What somebody wants, whatever is translated: a text, a document, a line of the command line. Can be stored.

    What the rules are asked for is inherited. ``register`` is only for targets whose register is known.

    Attributes:
        source: A served language code, or ``AUTO``: the language of each text is detected.
        target: A served language code.
        locale: The target with its region, such as en-GB, for which numbers and dates are written; None without one.
        options: How to search; ``n_best`` covers the alternatives.
        terms: A glossary of its own: source and target terms; None without one.
        glossary_ids: The stored glossaries to use, the most important first.
        stored_memory: Id of the translation memory to use and minimum score of its matches; None for none.
        protect: Patterns of spans to keep unchanged, as the client wrote them; None if it sent none.
        context: Text before every item, in its language; see ``app.engine.interface.TranslationCall``.
        review_below: Sentences of a document with a confidence below this, from 0 to 1, are marked in the file for
            review, if its format has a place for that; None to mark nothing.
        for_review: Keep all sentences of a document, for somebody who reviews them.
    """

    source: str
    target: str
    options: SearchOptions
    locale: str | None = None
    terms: Mapping[str, str] | None = None
    glossary_ids: tuple[str, ...] = ()
    stored_memory: tuple[str, int] | None = None
    protect: tuple[str, ...] | None = None
    context: str = ""
    review_below: float | None = None
    for_review: bool = False

    @property
    def pair(self) -> tuple[str, str] | None:
        """Returns both languages; None if the source is detected."""
        return None if self.source == AUTO else (self.source, self.target)

    def to_json(self) -> dict[str, Any]:
        """Returns the wish as values of JSON."""
        stored: dict[str, Any] = _stored_form().dump_python(self, mode="json")
        return stored

    @staticmethod
    def from_json(values: Mapping[str, Any]) -> "Wish":
        """Reads what ``to_json`` returned."""
        return _stored_form().validate_python(values)


@cache
def _stored_form() -> TypeAdapter[Wish]:
    return TypeAdapter(Wish)


@dataclass(frozen=True, kw_only=True)
class TranslationRequest(Wish):
    """A wish, with the texts that it is for.

    Attributes:
        texts: What to translate; none yet for a document that wasn't read.
        markup: How the texts are marked up; None for plain text.
        splitting: What ends a sentence.
        alternatives: Further translations wanted for each text.
        deadline_s: Seconds until the deadline; None for no limit.
        glossary: Makes the glossary for a source and a target language; None if the request has none.
        memory: The translation memory for a source and a target language, or None if it has others; None if the request
            has none.
        details: Keep the sentences for the answer.
        alignment: Align the words of every sentence, and not only where markup or protected spans need it.
        tokens: Report the tokens of a sentence while it is decoded.
        skips_unsupported: A text whose detected language has no model for the target comes back as it is, with the
            refusal, instead of failing the request.
    """

    texts: tuple[str, ...] = ()
    markup: Rules | None = None
    splitting: Splitting = "sentences"
    alternatives: int = 0
    deadline_s: float | None = None
    glossary: Callable[[str, str], Glossary] | None = None
    memory: Callable[[str, str], TranslationMemory | None] | None = None
    details: bool = False
    alignment: bool = False
    tokens: bool = False
    skips_unsupported: bool = False

    @cached_property
    def work(self) -> tuple[int, Inline]:
        """The size and the kind of the work on the texts."""
        is_plain = not (self.markup or self.protect or self.glossary or self.memory)
        return size_of(self.texts), Inline.TEXTS if is_plain else Inline.NEVER

    @property
    def characters(self) -> int:
        """The characters of all texts, in code points."""
        return sum(map(len, self.texts))


@dataclass(frozen=True, kw_only=True)
class ItemTranslation:
    """The answer for one text of a request, called an item.

    Attributes:
        text: The translation.
        alternatives: Further translations, best first.
        detection: The item's detected language; None unless the request asked for detection.
        blocks: The translated sentences: of the whole text, or of each block of its markup, in order; none unless the
            request asked for ``details``.
        verdicts: How many sentences have each verdict.
        tiers: How many sentences were translated by each tier; those of a translation memory by none.
        lost: Protected spans whose position in ``text`` is a guess.
        pivot: Code of the language between the two models; None if one model translated the item.
        terms: The glossary's terms in the item, in order, with their status.
        matches: What the translation memory has for the item and its sentences, in order.
        untranslated: What stays as it is on purpose.
        refusal: Why the item came back as it is, if it was skipped.
    """

    text: str
    alternatives: tuple[str, ...]
    detection: Detection | None
    blocks: tuple[tuple[SentenceTranslation, ...], ...] = ()
    verdicts: Mapping[Verdict, int] = field(default_factory=dict)
    tiers: Mapping[int, int] = field(default_factory=dict)
    lost: tuple[str, ...] = ()
    pivot: str | None = None
    terms: tuple[TermUse, ...] = ()
    matches: tuple[Match, ...] = ()
    untranslated: tuple[Untranslated, ...] = ()
    refusal: UnsupportedPair | None = None


class Answer(NamedTuple):
    """The whole answer: the last event."""

    items: list[ItemTranslation]
    timing: Timing


Progress = TokenEvent | SentenceEvent | Answer
"""The events of a translation. Keys name the item, and the block of its markup."""
