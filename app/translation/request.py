"""A translation as the contracts ask for it: the checked request, and the events that answer it. Knows no HTTP."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from app.engine.interface import SentenceEvent, SentenceTranslation, Splitting, Timing, TokenEvent
from app.engine.options import SearchOptions
from app.errors import UnsupportedPair
from app.text.detection import Detection
from app.text.formality import Register
from app.text.markup.extraction import Rules
from app.text.memory.matching import Match, TranslationMemory
from app.text.quality_checks import Verdict
from app.text.terms.glossary import Glossary, TermUse
from app.text.untranslated import Untranslated

AUTO = "auto"
"""The source language of a request whose texts are to be detected."""


@dataclass(frozen=True, kw_only=True)
class TranslationRequest:
    """A request that passed every check of its contract.

    Attributes:
        texts: What to translate, at least one text.
        source: A served language code, or ``AUTO``: the language of each text is detected.
        target: A served language code.
        locale: The target with its region, such as en-GB, for which numbers and dates are written; None without one.
        options: How to search; ``n_best`` covers the alternatives.
        markup: How the texts are marked up; None for plain text.
        splitting: What ends a sentence.
        alternatives: Further translations wanted for each text.
        deadline_s: Seconds until the deadline; None for no limit.
        protect: Patterns of spans to keep unchanged, as the client wrote them; None if it sent none.
        glossary: Makes the glossary for a source and a target language; None if the request has none.
        memory: The translation memory for a source and a target language, or None if it has others; None if the request
            has none.
        register: How the reader must be addressed; None for any way. Only for targets whose register is known.
        preserves_formatting: First letters and final punctuation are the source's, whatever the target's rules.
        details: Keep the sentences for the answer.
        alignment: Align the words of every sentence, and not only where markup or protected spans need it.
        tokens: Report the tokens of a sentence while it is decoded.
        context: Text before every item, in its language; see ``app.engine.interface.TranslationCall``.
        skips_unsupported: A text whose detected language has no model for the target comes back as it is, with the
            refusal, instead of failing the request.
    """

    texts: tuple[str, ...]
    source: str
    target: str
    options: SearchOptions
    locale: str | None = None
    markup: Rules | None = None
    splitting: Splitting = "sentences"
    alternatives: int = 0
    deadline_s: float | None = None
    protect: tuple[str, ...] | None = None
    glossary: Callable[[str, str], Glossary] | None = None
    memory: Callable[[str, str], TranslationMemory | None] | None = None
    register: Register | None = None
    preserves_formatting: bool = False
    details: bool = False
    alignment: bool = False
    tokens: bool = False
    context: str = ""
    skips_unsupported: bool = False

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
