"""The engine as its callers see it: texts in, translations out. Standard library only."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal, NamedTuple, Protocol

from app.engine.options import SearchOptions
from app.text.inline.target_tokens import Link
from app.text.terms.glossary import Term

Splitting = Literal["sentences", "no_newlines", "off"]
"""A sentence ends at punctuation and line breaks, at punctuation alone, or only at the end of the text. A sentence that
is too long for the model is always split at clause boundaries."""


class Alphabet(NamedTuple):
    """The characters that a model knows.

    Attributes:
        characters: Characters of source texts, without placeholders, that it has pieces for; empty if unknown.
        placeholders: Placeholders that it was trained to copy exactly once.
    """

    characters: frozenset[str] = frozenset()
    placeholders: tuple[str, ...] = ()


class Version(NamedTuple):
    """One translation of a sentence.

    Attributes:
        text: The translation; "" if the model had nothing to say.
        score: Its length-normalised log-probability, at most 0.
        confidence: The chance, 0 to 1, that ``text`` is good, as the bundle's manifest defines it; None if the bundle
            was not calibrated.
        truncated: The length limit ended it.
        alignment: One link for each piece of ``text`` that has characters, in its order, ranges within the sentence and
            ``text``; only if the options ask for it and the model has an alignment head.
    """

    text: str
    score: float
    confidence: float | None = None
    truncated: bool = False
    alignment: tuple[Link, ...] = ()


class Draft(NamedTuple):
    """A sentence as a model translates it: nothing is judged, corrected or restored.

    Attributes:
        text_index: Index of its text in the call.
        begin: Where the sentence begins in the text, in code points.
        source: The sentence.
        versions: Its translations, best first, with different texts; at least one.
    """

    text_index: int
    begin: int
    source: str
    versions: tuple[Version, ...]

    @property
    def text(self) -> str:
        """The best translation; the sentence itself if the model had nothing to say."""
        return self.versions[0].text or self.source


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
        is_retry: The call translates a sentence again, so it goes before all that waits: the sentence has had its turn.
    """

    admitted: bool = False
    source_tokens: int = 0
    is_retry: bool = False


class Example(NamedTuple):
    """A translation that a sentence may learn from.

    Attributes:
        begin: Where the sentences that it is like begin in their text.
        end: Where they end.
        source: A text that is like them.
        target: Its translation.
    """

    begin: int
    end: int
    source: str
    target: str


@dataclass(frozen=True, kw_only=True)
class TranslationCall:
    """Texts for an engine, with the options of their translation.

    Attributes:
        texts: The texts.
        source: Code of their language.
        target: Code of the language to translate into.
        options: How to search.
        splitting: Where a sentence ends.
        tokens: Report the tokens of a sentence during the search, too. Only a greedy search has them.
        items: For each text the number of the document that it belongs to, for models with a memory; () if each text is
            a document.
        quota: Quota of the request that this call belongs to; None if the call is the whole request.
        terms: For each text the terms in it to search for; () for none at all. Such a search is wide and slow, follows
            a first one without terms, and may still miss some.
        whole: For each text the ranges that no sentence ends in, and no long one is cut in, such as those of dates, in
            order and disjoint; () for none at all.
        context: Text before every item, in their language; only models with a memory read it.
        examples: For each text the translations that its sentences may learn from, in order; () for none at all. A
            search for terms doesn't learn, nor does a model without native operators.
    """

    texts: Sequence[str]
    source: str
    target: str
    options: SearchOptions
    splitting: Splitting = "sentences"
    tokens: bool = False
    items: Sequence[int] = ()
    quota: RequestQuota | None = None
    terms: Sequence[Sequence[Term]] = ()
    whole: Sequence[Sequence[tuple[int, int]]] = ()
    context: str = ""
    examples: Sequence[Sequence[Example]] = ()


class TokenEvent(NamedTuple):
    """More characters of the sentence that comes next in a text; ``text_index`` as in ``Draft``.

    The draft repeats them, and has also the characters that no event reported.
    """

    text_index: int
    text: str


Event = TokenEvent | Draft | Timing
"""The events of a translation, in this order for each sentence, one after the other; the timing comes last."""


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


class EngineBase(Protocol):
    """What the engine of one model and that of all models have in common."""

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


class ModelEngine(EngineBase, Protocol):
    """The engine of one model: in this process (``app.engine.single_model.Engine``) or in another."""

    def stream(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        """Translates the texts, in order, and reports each sentence as soon as it and all before it are done.

        Closing the iterator, or cancelling the task that waits for it, frees the rows.

        Raises:
            UnsupportedPair: No model for the pair.
            Overloaded: The queue is full; nothing was started.
            EngineUnavailable: Not ready, stopping or failed.
            ModelFailure: A graph raised or gave scores that are not finite.
        """


class OpenHop(NamedTuple):
    """A model on the way from one language to another, in memory, and its task.

    Attributes:
        engine: The model's engine.
        source: Code of the language that it translates from, as its manifest has it.
        target: Code of the language that it translates into.
    """

    engine: ModelEngine
    source: str
    target: str

    def stream(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        """Translates the texts of a call; see ``ModelEngine.stream``."""
        if (call.source, call.target) != (self.source, self.target):
            call = replace(call, source=self.source, target=self.target)
        return self.engine.stream(call)


class TranslationEngine(EngineBase, Protocol):
    """All models that are served; ``app.engine.registry.Registry`` is the real one."""

    def route(self, source: str, target: str) -> AbstractAsyncContextManager[Sequence[OpenHop]]:
        """Keeps the models of a pair in memory inside the ``async with`` block: one, or two with the pivot between.

        Raises:
            UnsupportedPair: No model for the pair.
            Overloaded: There is no memory for the models.
            EngineUnavailable: Not ready, stopping or failed.
            BundleError: A model can't be loaded.
        """


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
    """An engine whose bundles can be read again while it works."""

    async def reload(self) -> ReloadReport:
        """Loads the bundles that have changed on disk. Requests in progress finish on the models they started with.

        Raises:
            EngineUnavailable: Stopping or failed.
        """


async def collect(events: AsyncGenerator[Event, None], count: int) -> tuple[list[list[Draft]], Timing]:
    """Waits for the translation of ``count`` texts; returns the drafts of each, and the timing."""
    drafts: list[list[Draft]] = [[] for _ in range(count)]
    timing = Timing()
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Draft):
                drafts[event.text_index].append(event)
            elif isinstance(event, Timing):
                timing = event
    return drafts, timing


def joined(text: str, drafts: Sequence[Draft]) -> str:
    """The translation of a text: the best versions of its drafts, and what stands between them in the text."""
    done, parts = 0, []
    for draft in drafts:
        parts += [text[done : draft.begin], draft.text]
        done = draft.begin + len(draft.source)
    return "".join([*parts, text[done:]])
