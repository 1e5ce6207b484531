"""The engine as its callers see it: texts in, translations out. Standard library only."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal, NamedTuple, Protocol

from app.engine.options import SearchOptions
from app.text.inline.target_tokens import Link, links_of_same
from app.text.quality_checks import Verdict
from app.text.terms.glossary import Term

INLINE_CHARS = 4_000
"""Texts beyond this many characters are taken apart and put together off the event loop."""

Splitting = Literal["sentences", "no_newlines", "off"]
"""A sentence ends at punctuation and line breaks, at punctuation alone, or only at the end of the text. A sentence that
is too long for the model is always split at clause boundaries."""


class Alternative(NamedTuple):
    """Another translation of a sentence; the fields are those of ``SentenceTranslation``."""

    text: str
    score: float
    confidence: float | None = None
    verdicts: tuple[Verdict, ...] = ()
    alignment: tuple[Link, ...] = ()


class Alphabet(NamedTuple):
    """The characters that a model knows.

    Attributes:
        characters: Characters of source texts, without placeholders, that it has pieces for; empty if unknown.
        placeholders: Placeholders that it was trained to copy exactly once.
    """

    characters: frozenset[str] = frozenset()
    placeholders: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SentenceTranslation:
    """One sentence and its translation.

    Attributes:
        source: The sentence in the source text.
        source_begin: Its position there, in code points.
        text: The best hypothesis.
        target_begin: Its position in the translated text, in code points.
        score: Its length-normalised log-probability, at most 0.
        alternatives: The other hypotheses, best first, without ``text``.
        confidence: The chance, 0 to 1, that ``text`` is good, as the bundle's manifest defines it; None if the bundle
            was not calibrated.
        verdicts: Quality checks that ``text`` fails; usually none.
        alignment: One link for each piece of ``text`` that has characters, in its order, ranges within ``source`` and
            ``text``; only if the options ask for it and the model has an alignment head.
        terms: The terms of ``source`` that ``text`` should have, with their places in ``source``.
        stored: What a translation memory has for ``source``, without stand-ins; None if a model translated it.
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

    @property
    def versions(self) -> "list[SentenceTranslation]":
        """The translation and its alternatives, best first, each without alternatives."""
        others = [replace(self, alternatives=(), **other._asdict()) for other in self.alternatives]
        return [replace(self, alternatives=()), *others]


@dataclass(frozen=True, kw_only=True)
class TextTranslation:
    """One text put back together from its sentences.

    Attributes:
        text: The translation; everything between the sentences is as it was.
        alternatives: Further translations of the whole text, best first, unique, without ``text``.
        sentences: The translated sentences, in order; empty where there was nothing to translate.
        pivot: Language between two models; None if one model translated the text.
    """

    text: str
    alternatives: tuple[str, ...]
    sentences: tuple[SentenceTranslation, ...]
    pivot: str | None = None

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


@dataclass(frozen=True, kw_only=True)
class Timing:
    """The time of one call in seconds, in three phases that add up to it.

    Attributes:
        queue_s: Time until a worker took the first sentence.
        encode_s: The longest encoding of one batch.
        decode_s: All other time.
    """

    queue_s: float = 0.0
    encode_s: float = 0.0
    decode_s: float = 0.0

    def __add__(self, other: "Timing") -> "Timing":
        """The timing of two calls, one after the other."""
        queue_s, encode_s = self.queue_s + other.queue_s, self.encode_s + other.encode_s
        return Timing(queue_s=queue_s, encode_s=encode_s, decode_s=self.decode_s + other.decode_s)


@dataclass(eq=False)
class RequestQuota:
    """The tokens that a request has queued so far. Calls that share a quota count as one request.

    Attributes:
        admitted: The request was accepted, so its later parts are queued even if the queue is full.
        source_tokens: Tokens queued; beyond the first few hundred they are long work, which yields to short work.
        is_retry: The call translates a sentence again, so it goes before all that waits of its request.
    """

    admitted: bool = False
    source_tokens: int = 0
    is_retry: bool = False


class TextKey(NamedTuple):
    """Names a text of a request: the index of its item, and the index of the block within the item's markup."""

    item: int
    block: int = 0


Improve = Callable[[TextKey, SentenceTranslation], Awaitable[SentenceTranslation]]
"""Takes a finished sentence, whose places refer to the source text; returns it, or a better translation of it."""


@dataclass(frozen=True, kw_only=True)
class TranslationCall:
    """Texts for an engine, with the options of their translation.

    Attributes:
        texts: The texts.
        source: Code of their language.
        target: Code of the language to translate into.
        options: How to search.
        splitting: Where a sentence ends.
        tokens: Report the tokens of a sentence while it is decoded, too. They add up to the sentence, unless
            ``improve`` replaced it. Only in greedy search, since a beam changes its mind, and only with one model.
        keys: The key that the events of each text carry; () numbers them as items.
        quota: Quota of the request that this call belongs to; None if the call is the whole request.
        improve: Called with each sentence before it is reported, side by side for those in progress; None for nothing.
        terms: For each text the terms in it that its translation must have; () for none at all.
        context: Text before every item, in their language; only models with a memory read it.
    """

    texts: Sequence[str]
    source: str
    target: str
    options: SearchOptions
    splitting: Splitting = "sentences"
    tokens: bool = False
    keys: Sequence[TextKey] = ()
    quota: RequestQuota | None = None
    improve: Improve | None = None
    terms: Sequence[Sequence[Term]] = ()
    context: str = ""

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


@dataclass(frozen=True, kw_only=True)
class InspectionCall:
    """A sentence to look into.

    Attributes:
        text: One sentence, translated as it is: nothing is protected or tried again.
        source: Code of its language.
        target: Code of the language to translate into.
        options: How to search.
        translation: The translation whose attention is wanted; None for the one that the search finds.
    """

    text: str
    source: str
    target: str
    options: SearchOptions
    translation: str | None = None


class SearchNode(NamedTuple):
    """A hypothesis of the search: an earlier hypothesis and one more piece.

    Attributes:
        parent: Index of the hypothesis that it extends; None for the first pieces.
        text: The piece; a word begins with a space.
        log_probability: Sum over its pieces.
        score: ``log_probability`` over the length penalty if it has ended; else None.
        is_best: The translation begins with it.
    """

    parent: int | None
    text: str
    log_probability: float
    score: float | None
    is_best: bool


Map = list[list[float]]
"""Rows are queries, columns are what they look at; a row's weights add up to 1."""


@dataclass(frozen=True, kw_only=True)
class Attention:
    """The weights of every attention head, layer by layer and head by head, rounded to three decimals.

    Attributes:
        target: Pieces that the decoder was given, one a row: the start, then the translation.
        encoder: Source pieces to source pieces.
        decoder: Target pieces to target pieces.
        cross: Target pieces to source pieces.
    """

    target: tuple[str, ...]
    encoder: list[list[Map]]
    decoder: list[list[Map]]
    cross: list[list[Map]]


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """How a model came to its translation of one sentence.

    Attributes:
        source: Pieces of the sentence, as the encoder reads them.
        nodes: Every hypothesis that the search had, step by step, best first; each comes after its parent.
        attention: None if the bundle has no graphs for it.
    """

    source: tuple[str, ...]
    nodes: tuple[SearchNode, ...]
    attention: Attention | None


class EngineState(StrEnum):
    """What an engine is doing."""

    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"
    FAILED = "failed"


class TranslationEngine(Protocol):
    """The interface of all engines; ``app.engine.single_model.Engine`` serves one model."""

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Source and target codes that can be translated; known before ``start``."""

    @property
    def state(self) -> EngineState:
        """The state of the engine."""

    def alphabet(self, source: str, target: str) -> Alphabet:
        """The characters that the model of a pair knows; none if there is no such model."""

    def reject_if_overloaded(self) -> None:
        """Refuses a request before its body is read, while the queue is still close to full.

        Raises:
            Overloaded: The queue was full a moment ago and has hardly emptied.
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

    async def inspect(self, call: InspectionCall) -> Inspection:
        """Translates one sentence and reports every step of the search, and what each attention head looked at.

        Raises:
            InvalidRequest: The text is empty or too long for the model.
            UnsupportedPair: No model for the pair, or two of them.
            Overloaded: Too many others look into sentences.
            EngineUnavailable: Not ready, stopping or failed.
            ModelFailure: A graph raised.
        """

    def info(self) -> dict[str, object]:
        """Describes the models and the execution providers in use; ready for JSON."""

    def statistics(self) -> dict[str, float]:
        """Current gauges and counters by name."""


@dataclass(frozen=True, kw_only=True)
class ReloadReport:
    """The result of a reload for each bundle; bundles are named by their folders.

    Attributes:
        added: New bundles.
        replaced: Changed bundles.
        removed: Bundles whose folder is gone.
        unchanged: The others.
        failed: Bundles that can't be served, with the reason; the model that a bundle should replace stays.
    """

    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)


class ReloadableEngine(TranslationEngine, Protocol):
    """An engine whose bundles can be read again while it works; ``app.engine.registry.Registry`` is the real one."""

    async def reload(self) -> ReloadReport:
        """Loads the bundles that have changed on disk. Requests in progress finish on the models they started with.

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
