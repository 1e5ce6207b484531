"""One request in progress: its sentences go to the scheduler window by window and come back in order.

The window keeps the queue short and the memory bounded, however long the texts are: a book waits in the request that
brought it, not in the queue, where it would shut out everybody else.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from app import tracing
from app.engine.decoding.search import Hypothesis
from app.engine.interface import (
    Draft,
    Event,
    RequestQuota,
    Timing,
    TokenEvent,
    TranslationCall,
)
from app.engine.memory import Memory
from app.engine.options import SearchOptions
from app.engine.request.coalescing import Coalescer
from app.engine.request.detokenization import Detokenizer
from app.engine.request.segmentation import CONTEXT, Segment
from app.engine.request.terms import constraints_of, term_options
from app.engine.scheduling.policy import POLICY, Job, Outcome
from app.fairness.offload import Inline, is_brief, offload, size_of
from app.fairness.turns import Turns
from app.text.ranges import overlapping
from app.text.terms.glossary import within

# Segments that a request may have in flight: enough for the scheduler to find sentences of similar length among them.
_WINDOW = 256
_REFILL_BELOW = 192
_TURN = 16  # segments that a long request begins or reports in a turn on the event loop
# Sentences of a call that leave spans, so that the trace of a book can be looked at.
_TRACED = 16
_PIECE_CHARS = 4  # characters that take as long to detokenise as a piece, even if it is one sign


@dataclass(eq=False)
class _Item:
    """A segment in the window."""

    segment: Segment
    future: asyncio.Future[Outcome] | None = None
    task: asyncio.Task[Draft] | None = None
    job: Job | None = None  # of a sentence alone, which takes no task: that was a thirtieth of the event loop's time
    tokens: tuple[int, ...] = ()
    before: "_Item | None" = None  # whose memory it needs
    memory: Memory | None = None  # after it


class Streams:
    """Counts the requests in progress, so that a stop can wait for them: the queue never has all of a long text.

    Attributes:
        turns: The turns of long requests on the event loop.
    """

    def __init__(self) -> None:
        self.turns = Turns()
        self._number = 0
        self._none = asyncio.Event()
        self._none.set()

    def __enter__(self) -> None:
        self._number += 1
        self._none.clear()

    def __exit__(self, *_: object) -> None:
        self._number -= 1
        if not self._number:
            self._none.set()

    async def ended(self) -> None:
        """Waits until no request is in progress."""
        await self._none.wait()


class RequestTask:
    """Translates the segments of one request.

    Args:
        call: The request.
        segments: Segments of all its texts.
        coalescer: Takes the jobs.
        detokenizer: Makes text of the hypotheses.
        has_memory: A sentence needs the memory after the one before it, in its item or at the end of the context. So
            an item has one sentence in the queue at a time; items wait for each other no longer than for the context.
    """

    def __init__(
        self,
        call: TranslationCall,
        segments: Iterator[Segment],
        *,
        coalescer: Coalescer,
        detokenizer: Detokenizer,
        has_memory: bool = False,
    ) -> None:
        self._call, self._options, self._segments = call, call.options, segments
        self._coalescer, self._detokenizer = coalescer, detokenizer
        self._latest: dict[int, _Item] | None = {} if has_memory else None  # by item, or ``CONTEXT``
        self._tokens = call.tokens and call.options.beam_size == 1
        self._window: deque[_Item] = deque()
        self._next: _Item | None = None
        self._exhausted, self._reported = False, 0
        self._quota = call.quota or RequestQuota()
        is_long = self._quota.source_tokens >= POLICY.short_tokens  # and may have many retries, each of which is short
        self._bulk = not is_brief(size_of(call.texts), Inline.TEXTS, bulk=is_long)
        self._changed = asyncio.Event()  # the segment that comes next has more tokens, or is done
        self._detokenizing = asyncio.Lock()
        self._queue_s: list[float] = []
        self._encode_s = 0.0

    async def events(self, streams: Streams) -> AsyncGenerator[Event, None]:
        """See ``app.engine.interface.TranslationEngine.stream``. Closing it cancels the sentences in progress.

        Args:
            streams: Counts this request while it is under way.
        """
        began = time.monotonic()
        with streams:
            try:
                while await self._fill(streams.turns):
                    item = self._next = self._window[0]
                    if item.segment.text_index == CONTEXT:
                        self._window.popleft()
                        continue
                    shown = ""
                    while self._tokens and item.task and not item.task.done():
                        text = self._detokenizer.prefix(item.segment, item.tokens)
                        if text.startswith(shown) and text != shown:
                            yield TokenEvent(item.segment.text_index, text[len(shown) :])
                            shown = text
                        await self._changed.wait()
                        self._changed.clear()
                    drafting = self._translate(item, item.job) if item.job else item.task
                    assert drafting
                    yield await drafting
                    self._window.popleft()
                    self._reported += 1
                    if self._reported % _TURN == 0:
                        await streams.turns.take()
            finally:
                if self._window:
                    await self._give_up()
        yield self._timing(time.monotonic() - began)

    def _timing(self, total_s: float) -> Timing:
        queue_s = min(self._queue_s, default=0.0)
        decode_s = max(0.0, total_s - queue_s - self._encode_s) if self._queue_s else 0.0
        return Timing(queue_s=queue_s, encode_s=self._encode_s, decode_s=decode_s)

    async def _fill(self, turns: Turns) -> bool:
        """Put more segments into the window if it has become small; returns whether there are any in it."""
        is_small = len(self._window) < _REFILL_BELOW
        # The first are as many as there may be, because the queue accepts or refuses the request by their number.
        most = _TURN if self._quota.admitted else _WINDOW
        while is_small and not self._exhausted and (free := min(_WINDOW - len(self._window), most)):
            segments = islice(self._segments, free)
            if self._bulk:
                cut = await offload(list, segments)
                await turns.take()
            else:
                cut = list(segments)
            self._exhausted = len(cut) < free
            items = [_Item(segment) for segment in cut]
            self._window.extend(items)
            await self._submit(items, turns)
        return bool(self._window)

    async def _submit(self, sentences: list[_Item], turns: Turns) -> None:
        """Start the sentences. A sentence that needs the memory of another waits for it."""
        jobs: list[tuple[_Item, Job]] = []
        for begin in range(0, len(sentences), _TURN):
            if begin:
                await turns.take()
            jobs += [(item, self._job(item)) for item in sentences[begin : begin + _TURN]]
        for item in sentences:
            item.before = self._before(item)
        ready = [(item, job) for item, job in jobs if item.before is None]
        if ready:
            futures = await self._coalescer.find_or_submit([job for _, job in ready], admitted=self._quota.admitted)
            self._quota.admitted = True
            for (item, _), future in zip(ready, futures, strict=True):
                item.future = future
        if len(jobs) == len(self._window) == 1 and self._exhausted and not self._tokens and self._latest is None:
            item, job = jobs[0]
            item.job = job
            return
        for begin in range(0, len(jobs), _TURN):
            if begin:
                await turns.take()
            for item, job in jobs[begin : begin + _TURN]:
                item.task = asyncio.create_task(self._translate(item, job))
                item.task.add_done_callback(lambda _: self._changed.set())

    def _before(self, item: _Item) -> _Item | None:
        """Returns the sentence whose memory this one continues: its predecessor, or the last one of the context."""
        if self._latest is None:
            return None
        index = item.segment.text_index
        document = self._call.items[index] if self._call.items and index != CONTEXT else index
        before = self._latest.get(document) or self._latest.get(CONTEXT)
        self._latest[document] = item
        return before

    def _job(self, item: _Item) -> Job:
        queued = self._quota.source_tokens
        self._quota.source_tokens += len(item.segment.ids)
        options = self._options
        if item.segment.text_index == CONTEXT:
            options = replace(options, prefix=None, n_best=1)
        elif options.prefix is not None:  # it belongs to the first sentence alone
            self._options = replace(options, prefix=None)
        known = self._known(item.segment, options)
        on_tokens = partial(self._note, asyncio.get_running_loop(), item) if self._tokens else None
        long = queued >= POLICY.short_tokens
        ahead = 0 if self._quota.is_retry else min(queued, POLICY.short_tokens)
        return Job(
            source=item.segment.ids,
            options=replace(options, n_best=1) if known else options,
            rare_words=() if known else item.segment.rare_words,
            examples=() if known else self._examples(item.segment),
            known=known,
            long=long,
            ahead=ahead,
            again=self._quota.is_retry,
            on_tokens=on_tokens,
        )

    def _known(self, segment: Segment, options: SearchOptions) -> tuple[int, ...]:
        """Returns the target ids of a label's translation; () if there is none, or the request asks for more of it."""
        restricted = options.prefix is not None or options.avoid or self._call.terms
        too_long = options.max_length is not None and options.max_length < len(segment.label)
        return () if restricted or too_long else segment.label

    def _examples(self, segment: Segment) -> tuple[tuple[str, str], ...]:
        """Returns what a segment may learn from."""
        if not self._call.examples or segment.text_index == CONTEXT:
            return ()
        begin, end = segment.begin, segment.begin + len(segment.source)
        own = overlapping(self._call.examples[segment.text_index], begin, end)
        return tuple((one.source, one.target) for one in own)

    def _note(self, loop: asyncio.AbstractEventLoop, item: _Item, tokens: tuple[int, ...]) -> None:
        """Called on one of the scheduler's threads."""
        item.tokens = tokens
        if item is self._next and not loop.is_closed():
            loop.call_soon_threadsafe(self._changed.set)

    async def _translate(self, item: _Item, job: Job) -> Draft:
        segment = item.segment
        if item.before and item.before.task:
            await asyncio.wait([item.before.task])
            item.before.task.result()  # or its error, which is this one's, too
            job.memory, item.before = item.before.memory, None
            [item.future] = self._coalescer.submit([job], admitted=True)
        assert item.future
        outcome = await item.future
        self._queue_s.append(outcome.timing.queue_s)
        if outcome.ended and len(self._queue_s) <= _TRACED and tracing.is_entered():
            _trace(segment, outcome)
        self._encode_s = max(self._encode_s, outcome.timing.encode_s)
        hypotheses = outcome.hypotheses
        if job.known:
            hypotheses = await self._with_others(segment, hypotheses[0], job)
        if self._call.terms and segment.text_index != CONTEXT:
            hypotheses = await self._with_terms(segment, hypotheses[0], job)
        best = hypotheses[0]
        if best.remembered:
            item.memory = Memory.after(job.memory, job.source, best.tokens, outcome.remembered, best.remembered)
        make = partial(self._detokenizer.draft, alignment=self._options.alignment)
        size = max(len(segment.source), _PIECE_CHARS * len(segment.ids))
        if not is_brief(size, Inline.SENTENCE, bulk=self._bulk):
            return await offload(make, segment, hypotheses, size=size, inline=Inline.SENTENCE, bulk=self._bulk)
        if len(self._window) == 1:
            return make(segment, hypotheses)
        # Many segments may be done at the same moment, and each takes up to some milliseconds: one after the other, so
        # that between two of them the event loop gets to what waits.
        async with self._detokenizing:
            draft = make(segment, hypotheses)
            await asyncio.sleep(0)
        return draft

    async def _with_others(self, segment: Segment, known: Hypothesis, job: Job) -> Sequence[Hypothesis]:
        """Adds what the model alone says to a translation that was known, if the request asks for several."""
        known = replace(known, truncated=False)
        if self._options.n_best == 1:
            return [known]
        free = Job(
            source=segment.ids,
            options=self._options,
            rare_words=segment.rare_words,
            examples=self._examples(segment),
            long=job.long,
            again=True,
        )
        [future] = self._coalescer.submit([free], admitted=True)
        others = [each for each in (await future).hypotheses if each.tokens != known.tokens]
        return [known, *others[: self._options.n_best - 1]]

    async def _with_terms(self, segment: Segment, free: Hypothesis, job: Job) -> Sequence[Hypothesis]:
        """Searches for the terms of a segment, given its translation without them."""
        own = within(self._call.terms[segment.text_index], segment.begin, segment.begin + len(segment.source))
        constraints = constraints_of(segment, own, free, self._detokenizer.tokenizer)
        long = self._quota.source_tokens >= POLICY.short_tokens
        options = term_options(self._options, constraints)
        again = Job(source=segment.ids, options=options, terms=constraints, long=long, again=True, memory=job.memory)
        [future] = self._coalescer.submit([again], admitted=True)
        return (await future).hypotheses

    async def _give_up(self) -> None:
        for item in self._window:
            for future in (item.task, item.future):
                if future:
                    future.cancel()
        try:
            await asyncio.gather(*(item.task for item in self._window if item.task), return_exceptions=True)
        finally:
            for item in self._window:
                item.task = item.future = None  # the error of a task refers to its frame, and that to the item: a cycle
            self._window.clear()


def _trace(segment: Segment, outcome: Outcome) -> None:
    timing, tokens = outcome.timing, len(segment.ids)
    decoding = outcome.ended - timing.decode_s
    encoding = decoding - timing.encode_s
    source, target = {"source_tokens": tokens}, {"target_tokens": len(outcome.hypotheses[0].tokens)}
    tracing.record(
        tracing.Phase("queue", encoding - timing.queue_s, encoding, source),
        tracing.Phase("encode", encoding, decoding, source),
        tracing.Phase("decode", decoding, outcome.ended, target),
    )
