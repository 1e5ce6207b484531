"""The engine as its callers see it: texts in, translations out. Standard library only."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from app.engine.options import SearchOptions
from app.text.inline.target_tokens import Link
from app.text.quality_checks import Verdict

INLINE_CHARS = 4_000
"""Texts beyond this many characters are taken apart and put together off the event loop."""

Splitting = Literal["sentences", "no_newlines", "off"]
"""What ends a sentence: punctuation and line breaks, punctuation alone, or only the end of the text. Whatever is
still too long for the model is broken at clause boundaries all the same."""


class Alternative(NamedTuple):
    """A further translation of a sentence and its score, as in ``SentenceTranslation``."""

    text: str
    score: float


class Alphabet(NamedTuple):
    """What characters are to a model.

    Attributes:
        characters: Those of source texts, placeholders apart, that it has pieces for; none if that is not known.
        placeholders: Those that it was taught to carry over exactly once.
    """

    characters: frozenset[str] = frozenset()
    placeholders: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SentenceTranslation:
    """One sentence and its translation.

    Attributes:
        source: The sentence as it stood in the text.
        source_begin: Where it stood there, in code points.
        text: The best hypothesis.
        target_begin: Where it stands in the translated text, in code points.
        score: Its length-normalised log-probability, at most 0.
        alternatives: The further hypotheses, best first, without ``text``.
        confidence: The chance, 0 to 1, that ``text`` is good, as the bundle's manifest defines it; None if the bundle
            was not calibrated.
        verdicts: What is wrong with ``text``, as far as rules can tell; usually nothing.
        alignment: One link for each piece of ``text`` that has characters, in its order, ranges within ``source`` and
            ``text``; only if the options ask for it and the model has an alignment head.
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


@dataclass(frozen=True, kw_only=True)
class TextTranslation:
    """One text put back together from its sentences.

    Attributes:
        text: The translation; everything between the sentences is as it was.
        alternatives: Further translations of the whole text, best first, unique, without ``text``.
        sentences: The translated sentences, in order; empty where there was nothing to translate.
        pivot: Language by way of which it was translated; None if one model did it.
    """

    text: str
    alternatives: tuple[str, ...]
    sentences: tuple[SentenceTranslation, ...]
    pivot: str | None = None

    @property
    def alignment(self) -> tuple[Link, ...]:
        """The links of all sentences, as ranges within the whole source text and ``text``."""
        return tuple(
            Link(
                link.source_begin + sentence.source_begin,
                link.source_end + sentence.source_begin,
                link.target_begin + sentence.target_begin,
                link.target_end + sentence.target_begin,
            )
            for sentence in self.sentences
            for link in sentence.alignment
        )


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Where the time of one call went, in seconds; the three add up to it.

    Attributes:
        queue_s: Until the first sentence was taken up.
        encode_s: The longest encoding of one batch.
        decode_s: All the rest.
    """

    queue_s: float = 0.0
    encode_s: float = 0.0
    decode_s: float = 0.0

    def __add__(self, other: "Timing") -> "Timing":
        """The timing of two calls, one after the other."""
        return Timing(
            queue_s=self.queue_s + other.queue_s,
            encode_s=self.encode_s + other.encode_s,
            decode_s=self.decode_s + other.decode_s,
        )


@dataclass(eq=False)
class RequestQuota:
    """What a request has put into the queue so far. Calls that share one count as one request.

    Attributes:
        admitted: The request was accepted, so that the rest of it is taken even if the queue is full.
        source_tokens: Beyond the first few hundred it is long work, which yields to short work.
    """

    admitted: bool = False
    source_tokens: int = 0


class TextKey(NamedTuple):
    """Names a text of a request: the index of its item, and the index of the block within the item's markup."""

    item: int
    block: int = 0


@dataclass(frozen=True, kw_only=True)
class TranslationCall:
    """What an engine is asked to translate, and how.

    Attributes:
        texts: The texts.
        source: Code of their language.
        target: Code of the language to translate into.
        options: How to search.
        splitting: What ends a sentence.
        tokens: Report the tokens of a sentence while it is decoded, too. They add up to the sentence, unless a second
            attempt replaced it. Only in greedy search, since a beam changes its mind, and only with one model.
        keys: The key that the events of each text carry; () numbers them as items.
        quota: Of the request that this call is a part of; None if the call is the whole request.
    """

    texts: Sequence[str]
    source: str
    target: str
    options: SearchOptions
    splitting: Splitting = "sentences"
    tokens: bool = False
    keys: Sequence[TextKey] = ()
    quota: RequestQuota | None = None

    def key(self, index: int) -> TextKey:
        """The key of a text."""
        return self.keys[index] if self.keys else TextKey(index)


class TokenEvent(NamedTuple):
    """More characters of the sentence that comes next in a text."""

    key: TextKey
    text: str


class SentenceEvent(NamedTuple):
    """A finished sentence of a text."""

    key: TextKey
    sentence: SentenceTranslation


class TextEvent(NamedTuple):
    """A finished text, all of whose sentences came before."""

    key: TextKey
    translation: TextTranslation


Event = TokenEvent | SentenceEvent | TextEvent | Timing
"""The events of a translation, in this order for each text, one text after the other; the timing comes last."""


class TranslationEngine(Protocol):
    """What translates; ``app.engine.single_model.Engine`` does it with one model."""

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Source and target codes that can be translated; known before ``start``."""

    @property
    def state(self) -> str:
        """One of ``starting``, ``ready``, ``stopping``, ``failed``."""

    def alphabet(self, source: str, target: str) -> Alphabet:
        """The characters that the model of a pair knows; none if there is no such model."""

    def turn_away(self) -> None:
        """Refuses a request before it is read, if the queue was full a moment ago and still nearly is.

        Raises:
            Overloaded: It was.
        """

    async def start(self) -> None:
        """Loads, warms up and checks the model; returns when the engine is ready."""

    async def stop(self) -> None:
        """Lets accepted work finish within the drain time, then ends the threads."""

    def stream(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        """Translates the texts, in order, and reports each sentence as soon as it and all before it are done.

        Closing the iterator, or cancelling the task that waits for it, frees the rows.

        Raises:
            UnsupportedPair: No model for the pair.
            Overloaded: The queue is full; nothing was started.
            EngineUnavailable: Not ready, stopping or failed.
            ModelFailure: A graph raised or gave scores that are not finite.
        """

    def info(self) -> dict[str, object]:
        """What is served, and what really runs it; ready for JSON."""

    def statistics(self) -> dict[str, float]:
        """Current gauges and counters by name."""


@dataclass(frozen=True, kw_only=True)
class ReloadReport:
    """What became of each bundle when they were read again; bundles are named by their folders.

    Attributes:
        added: New ones.
        replaced: Those that had changed.
        removed: Those that are gone.
        unchanged: The others.
        failed: Those that can't be served, with the reason; where one was served before it stays as it was.
    """

    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)


class ReloadableEngine(TranslationEngine, Protocol):
    """An engine whose bundles can be read again while it works; ``app.engine.registry.Registry`` is the real one."""

    async def reload(self) -> ReloadReport:
        """Takes up what has changed on disk. Requests in flight end as they began.

        Raises:
            EngineUnavailable: Stopping or failed.
        """


async def collect(events: AsyncGenerator[Event, None]) -> tuple[list[TextTranslation], Timing]:
    """Waits for a whole translation; returns its texts, in order, and its timing."""
    translations: list[TextTranslation] = []
    timing = Timing()
    async with aclosing(events):
        async for event in events:
            if isinstance(event, TextEvent):
                translations.append(event.translation)
            elif isinstance(event, Timing):
                timing = event
    return translations, timing
