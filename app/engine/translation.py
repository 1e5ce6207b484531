"""The engine as its callers see it: search options in, translations out. Standard library only."""

import asyncio
import math
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, TypeVar

from app.errors import DeadlineExceeded, OptionOutOfRange
from app.text.verdicts import Verdict

MAX_BEAM_SIZE = 16
MAX_LENGTH_TOKENS = 512
INLINE_CHARS = 4_000
"""Texts beyond this many characters are taken apart and put together off the event loop."""

Splitting = Literal["sentences", "no_newlines", "off"]
"""What ends a sentence: punctuation and line breaks, punctuation alone, or only the end of the text. Whatever is
still too long for the model is broken at clause boundaries all the same."""


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How to search for a translation. Every value is checked on construction.

    Attributes:
        beam_size: Hypotheses kept per sentence, 1 to 16; 1 is greedy search.
        n_best: Hypotheses returned per sentence, 1 to ``beam_size``; the first is the translation.
        beam_threshold: How far a hypothesis may fall behind the best of the same length, 0 to 100, in natural
            logarithms of probability; those further behind are given up (absolute threshold pruning, Freitag and
            Al-Onaizan 2017, "Beam Search Strategies for Neural Machine Translation"). Not with an ``n_best`` above 1:
            alternatives need the whole beam.
        length_penalty: Exponent alpha, 0 to 3, of ((5 + |Y|) / 6) ** alpha (Wu et al. 2016, equation 14); a finished
            hypothesis Y is ranked by its log-probability divided by this term. Larger values favour longer output.
        min_length: Fewest target tokens per sentence, 0 to 512.
        max_length: Most target tokens per sentence, 1 to 512; None derives it from the source length.
        no_repeat_ngram: No n-gram of this many target tokens occurs twice, 0 to 10; 0 is off.
        repetition_penalty: Factor, 1 to 5, by which tokens already produced lose score (Keskar et al. 2019); 1 is off.
        alignment: Report which characters of the source each piece of the translation stands for.
        second_attempt: Where a translation is visibly wrong (see ``app.text.verdicts``), search once more, otherwise.

    Raises:
        OptionOutOfRange: A value is of the wrong type, not finite, or outside its range.
    """

    beam_size: int = 4
    n_best: int = 1
    beam_threshold: float = 2.0
    length_penalty: float = 1.0
    min_length: int = 0
    max_length: int | None = None
    no_repeat_ngram: int = 0
    repetition_penalty: float = 1.0
    alignment: bool = False
    second_attempt: bool = True

    def __post_init__(self) -> None:
        check_integer("beam_size", self.beam_size, 1, MAX_BEAM_SIZE)
        check_integer("n_best", self.n_best, 1, MAX_BEAM_SIZE)
        if self.n_best > self.beam_size:
            raise OptionOutOfRange(f"n_best is {self.n_best}; it must not exceed beam_size, which is {self.beam_size}.")
        _check_number("beam_threshold", self.beam_threshold, 0.0, 100.0)
        _check_number("length_penalty", self.length_penalty, 0.0, 3.0)
        check_integer("min_length", self.min_length, 0, MAX_LENGTH_TOKENS)
        if self.max_length is not None:
            check_integer("max_length", self.max_length, 1, MAX_LENGTH_TOKENS)
            if self.min_length > self.max_length:
                raise OptionOutOfRange(
                    f"min_length is {self.min_length}; it must not exceed max_length, which is {self.max_length}."
                )
        check_integer("no_repeat_ngram", self.no_repeat_ngram, 0, 10)
        _check_number("repetition_penalty", self.repetition_penalty, 1.0, 5.0)


class Link(NamedTuple):
    """Characters that translate each other: half-open ranges of code points."""

    source_begin: int
    source_end: int
    target_begin: int
    target_end: int


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
class Account:
    """What a request has put into the queue so far. Calls that share one count as one request.

    Attributes:
        admitted: It was accepted, so that what is still to come of it is taken even if the queue is full.
        source_tokens: Beyond the first few hundred it is long work, which yields to short work.
    """

    admitted: bool = False
    source_tokens: int = 0


class Token(NamedTuple):
    """More characters of the sentence that comes next; ``place`` is the index of its text."""

    place: int
    text: str


class Sentence(NamedTuple):
    """A finished sentence of the text with the index ``place``."""

    place: int
    sentence: SentenceTranslation


class Text(NamedTuple):
    """The finished text with the index ``place``, all of whose sentences came before."""

    place: int
    translation: TextTranslation


Event = Token | Sentence | Text | Timing
"""What a translation is made of while it comes into being, in this order for each text, the texts one after the other;
the timing comes last."""


class TranslationEngine(Protocol):
    """What translates; ``app.engine.engine.Engine`` does it with one model."""

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

    def stream(
        self,
        texts: Sequence[str],
        *,
        source: str,
        target: str,
        options: SearchOptions,
        splitting: Splitting = "sentences",
        deadline_s: float | None = None,
        tokens: bool = False,
        account: Account | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Translates the texts, in order, and hands out each sentence as soon as it and all before it are done.

        Closing the iterator, or cancelling the task that waits for it, frees the rows.

        Args:
            texts: What to translate.
            source: Code of their language.
            target: Code of the language to translate into.
            options: How to search.
            splitting: What ends a sentence.
            deadline_s: Seconds within which all must be done.
            tokens: Hand out the tokens of a sentence while it is decoded, too. They add up to the sentence, unless a
                second attempt replaced it. Only in greedy search; a beam changes its mind. And only where one model
                does it all.
            account: Of the request that this call is a part of; None if it is all of it.

        Raises:
            UnsupportedPair: No model for the pair.
            Overloaded: The queue is full; nothing was started.
            DeadlineExceeded: ``deadline_s`` seconds passed.
            EngineUnavailable: Not ready, stopping or failed.
            ModelFailure: A graph raised or gave scores that are not finite.
        """

    async def translate(
        self,
        texts: Sequence[str],
        *,
        source: str,
        target: str,
        options: SearchOptions,
        splitting: Splitting = "sentences",
        deadline_s: float | None = None,
    ) -> tuple[list[TextTranslation], Timing]:
        """What ``stream`` gives, all at once: the translations, in order. Cancelling the awaiting task frees the rows.

        Raises:
            DragomanError: As ``stream``.
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


Item = TypeVar("Item")


async def within(events: AsyncGenerator[Item, None], deadline_s: float | None) -> AsyncGenerator[Item, None]:
    """The same events, as long as they come within ``deadline_s`` seconds from now.

    Raises:
        DeadlineExceeded: They did not.
    """
    deadline = None if deadline_s is None else asyncio.get_running_loop().time() + deadline_s
    async with aclosing(events):
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    event = await anext(events)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise DeadlineExceeded("The time limit passed before the translation was complete.") from None
            yield event


async def collect(events: AsyncGenerator[Event, None]) -> tuple[list[TextTranslation], Timing]:
    """Waits for a whole translation; returns its texts, in order, and its timing."""
    translations: list[TextTranslation] = []
    timing = Timing()
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Text):
                translations.append(event.translation)
            elif isinstance(event, Timing):
                timing = event
    return translations, timing


def check_integer(name: str, value: object, lowest: int, highest: int) -> None:
    """Refuses anything but a whole number from ``lowest`` to ``highest``.

    Raises:
        OptionOutOfRange: With a sentence that names the option, the value and the range.
    """
    # A bool is an int to Python, but "beam_size": true is a mistake.
    if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
        raise OptionOutOfRange(f"{name} is {_shown(value)}; it must be a whole number from {lowest} to {highest}.")


def _check_number(name: str, value: object, lowest: float, highest: float) -> None:
    # NaN fails every comparison and an infinity the range, so non-finite values need no test of their own.
    if isinstance(value, bool) or not isinstance(value, int | float) or not lowest <= value <= highest:
        raise OptionOutOfRange(f"{name} is {_shown(value)}; it must be a number from {lowest:g} to {highest:g}.")


def _shown(value: object) -> str:
    """A value short enough for an error sentence; what is not a number is named by its type."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, int):
        return str(value) if abs(value) < 10**15 else "too large"
    if isinstance(value, float):
        return str(value) if math.isfinite(value) else "not finite"
    return "not a number"
