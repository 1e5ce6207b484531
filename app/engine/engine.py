"""The engine's facade: texts in, translations out. Joins bundle, tokenizer, model, search and scheduler."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine.bundle import Bundle, Golden
from app.engine.decoding import Decode, Hypothesis, Search, default_max_length
from app.engine.features import FeatureCache
from app.engine.runtime import Features, OnnxModel
from app.engine.scheduler import Job, Limits, Outcome, Scheduler
from app.engine.tokenizer import Tokenizer
from app.engine.translation import Link, SearchOptions, SentenceTranslation, Splitting, TextTranslation, Timing
from app.errors import BundleError, EngineUnavailable, UnsupportedPair
from app.text.sentences import Segmentation, break_long, split

if TYPE_CHECKING:
    from app.settings import Settings

# Texts beyond this many characters are split and tokenised off the event loop.
_INLINE_CHARS = 4_000


@dataclass(frozen=True)
class _Prepared:
    """A text cut into ``gap unit gap ... unit gap``, with the unit's source ids and how many of these are the tag."""

    gaps: tuple[str, ...]
    units: tuple[str, ...]
    ids: tuple[tuple[int, ...], ...]
    tag_length: int


class Engine:
    """Translates texts with one bundle. Everything slow happens on the scheduler's thread."""

    def __init__(
        self, bundle: Bundle, model: OnnxModel, *, limits: Limits, precision: str, cache_bytes: int, drain_s: float
    ) -> None:
        """Put the parts together; ``start`` brings it to life.

        Raises:
            BundleError: The tokenizer does not fit the manifest.
        """
        self.bundle, self._model, self._precision, self._drain_s = bundle, model, precision, drain_s
        manifest = bundle.manifest
        self._tokenizer = Tokenizer(bundle.path / manifest.source_tokenizer, bundle.path / manifest.target_tokenizer)
        self._prefix = {
            (pair.source, pair.target): (self._tokenizer.piece_id(pair.tag),) if pair.tag else ()
            for pair in manifest.pairs
        }
        self._features: FeatureCache[Features] = FeatureCache(cache_bytes)
        self._scheduler = Scheduler(
            encode=self._encode, new_search=self._search, new_batch=lambda: Decode(model), limits=limits
        )
        self._state = "starting"
        self._golden_identical = 0

    @classmethod
    def from_settings(cls, settings: "Settings") -> "Engine":
        """Open and verify the bundle that the settings name.

        Raises:
            BundleError: It is missing, damaged or not understood.
            ConfigurationError: The execution provider is not there.
        """
        bundle = Bundle.open(settings.bundle)
        encoder, decoder = bundle.graphs(settings.graph_precision)
        model = OnnxModel(
            encoder, decoder, pad_id=bundle.manifest.ids.pad, provider=settings.provider, threads=settings.threads
        )
        limits = Limits(
            max_queue_tokens=settings.max_queue_tokens,
            max_batch_rows=settings.max_batch_rows,
            max_batch_tokens=settings.max_batch_tokens,
        )
        return cls(
            bundle,
            model,
            limits=limits,
            precision=settings.graph_precision,
            cache_bytes=settings.feature_cache_bytes,
            drain_s=settings.drain_timeout_s,
        )

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Source and target codes that can be translated."""
        return frozenset(self._prefix)

    @property
    def state(self) -> str:
        """One of ``starting``, ``ready``, ``stopping``, ``failed``."""
        return "failed" if self._state == "ready" and not self._scheduler.alive else self._state

    async def start(self) -> None:
        """Start the decode thread and translate the bundle's golden sentences.

        Raises:
            BundleError: The model translates so few of them as recorded that something must be wrong.
        """
        self._scheduler.start()
        golden = self.bundle.golden
        answers = await asyncio.gather(*(self._translate_golden(item) for item in golden))
        self._golden_identical = sum(a == item.translation for a, item in zip(answers, golden, strict=True))
        # Another precision or processor may flip a word here and there, so equality is no condition; garbage is.
        if 2 * self._golden_identical < len(golden):
            self._state = "failed"
            raise BundleError(
                f"{self.bundle.path}: only {self._golden_identical} of {len(golden)} golden sentences "
                "came out as recorded"
            )
        self._state = "ready"

    async def stop(self) -> None:
        """Finish accepted work within the drain time, then end the thread."""
        self._state = "stopping"
        await asyncio.to_thread(self._scheduler.stop, self._drain_s)

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
        """Translate texts, in order; see ``app.engine.translation.TranslationEngine`` for the contract.

        The timing is that of the slowest sentence.
        """
        if self.state != "ready":
            raise EngineUnavailable(f"The translation engine is {self.state}.")
        return await self._translate(texts, source, target, options, splitting, deadline_s)

    async def _translate(
        self,
        texts: Sequence[str],
        source: str,
        target: str,
        options: SearchOptions,
        splitting: Splitting = "sentences",
        deadline_s: float | None = None,
    ) -> tuple[list[TextTranslation], Timing]:
        if (source, target) not in self._prefix:
            raise UnsupportedPair(f"No model translates from {source} to {target}.")
        deadline = None if deadline_s is None else time.monotonic() + deadline_s
        if sum(map(len, texts)) <= _INLINE_CHARS:
            prepared = self._prepare(texts, source, target, splitting)
        else:
            prepared = await asyncio.to_thread(self._prepare, texts, source, target, splitting)
        jobs = [Job(source=ids, options=options, deadline=deadline) for item in prepared for ids in item.ids]
        outcomes = await self._run(jobs)
        timings = [outcome.timing for outcome in outcomes]
        slowest = max(
            timings,
            key=lambda t: t.queue_s + t.encode_s + t.decode_s,
            default=Timing(queue_s=0.0, encode_s=0.0, decode_s=0.0),
        )
        remaining = iter(outcomes)
        assembled = [
            self._assemble(item, [next(remaining) for _ in item.ids], alignment=options.alignment) for item in prepared
        ]
        return assembled, slowest

    def info(self) -> dict[str, object]:
        """The bundle's name, provenance and scores, and what really runs it."""
        manifest = self.bundle.manifest
        return {
            "name": manifest.name,
            "format_version": manifest.format_version,
            "pairs": [f"{source}-{target}" for source, target in sorted(self.pairs)],
            "precision": self._precision,
            "providers": list(self._model.providers),
            "shape": manifest.shape.model_dump(),
            "provenance": manifest.provenance.model_dump(),
            "scores": [score.model_dump() for score in manifest.scores],
            "golden": {"sentences": len(self.bundle.golden), "identical": self._golden_identical},
        }

    def statistics(self) -> dict[str, float]:
        """Current gauges and counters by name."""
        cache = self._features
        return {
            **self._scheduler.statistics(),
            "feature_cache_bytes": cache.nbytes,
            "feature_cache_hits": cache.hits,
            "feature_cache_misses": cache.misses,
        }

    async def _translate_golden(self, item: Golden) -> str:
        """Past the readiness check, which waits for this."""
        options = SearchOptions(beam_size=1)
        [translation], _ = await self._translate([item.source], item.source_language, item.target_language, options)
        return translation.text

    def _prepare(self, texts: Sequence[str], source: str, target: str, splitting: Splitting) -> list[_Prepared]:
        prefix = self._prefix[source, target]
        return [self._prepare_one(text, source, prefix, splitting) for text in texts]

    def _prepare_one(self, text: str, language: str, prefix: tuple[int, ...], splitting: Splitting) -> _Prepared:
        """Cut a text into units the model can take: sentences, and parts of those that are too long."""
        if splitting == "off":
            segmentation = Segmentation(("", ""), (text,))
        else:
            segmentation = split(text, language=language, newlines=splitting == "sentences")
        room = self.bundle.manifest.longest_source - len(prefix) - 1
        gaps, units, ids = [segmentation.gaps[0]], [], []
        for sentence, gap in zip(segmentation.sentences, segmentation.gaps[1:], strict=True):
            pieces = self._tokenizer.encode(sentence)
            parts = [sentence]
            if len(pieces) > room:
                parts = break_long(sentence, fits=lambda part: len(self._tokenizer.encode(part)) <= room)
            for part in parts:
                unit = part.strip()
                before, after = part[: len(part) - len(part.lstrip())], part[len(part.rstrip()) :]
                if not unit:
                    gaps[-1] += part
                    continue
                pieces = pieces if len(parts) == 1 else self._tokenizer.encode(unit)
                gaps[-1] += before
                gaps.append(after)
                units.append(unit)
                ids.append((*prefix, *pieces, self.bundle.manifest.ids.eos))
            gaps[-1] += gap
        return _Prepared(tuple(gaps), tuple(units), tuple(ids), len(prefix))

    async def _run(self, jobs: Sequence[Job]) -> list[Outcome]:
        """Queue the jobs and wait; if the caller goes away or one job fails, the others are cancelled."""
        if not jobs:
            return []
        self._scheduler.submit(jobs)
        try:
            return await asyncio.gather(*(asyncio.wrap_future(job.future) for job in jobs))
        finally:
            for job in jobs:
                job.future.cancel()

    def _encode(self, jobs: Sequence[Job]) -> list[Features]:
        """Features from the cache, and the rest from the encoder in one batch. Runs on the scheduler's thread."""
        cached = {job.source: self._features.get(job.source) for job in jobs}
        found = {ids: features for ids, features in cached.items() if features is not None}
        missing = [ids for ids in cached if ids not in found]
        if missing:
            for ids, features in zip(missing, self._model.encode(missing), strict=True):
                found[ids] = features
                self._features.put(ids, features)
        return [found[job.source] for job in jobs]

    def _search(self, job: Job) -> Search:
        manifest, options = self.bundle.manifest, job.options
        # One more than the minimum, so that the model gets to end it.
        wanted = options.max_length or max(default_max_length(len(job.source)), options.min_length + 1)
        return Search(
            start_id=manifest.ids.decoder_start,
            eos_id=manifest.ids.eos,
            max_length=min(wanted, manifest.shape.max_positions),
            options=options,
        )

    def _assemble(self, prepared: _Prepared, outcomes: Sequence[Outcome], *, alignment: bool) -> TextTranslation:
        sentences: list[SentenceTranslation] = []
        source_begin = target_begin = 0
        for gap, unit, outcome in zip(prepared.gaps, prepared.units, outcomes, strict=False):  # one gap more
            source_begin, target_begin = source_begin + len(gap), target_begin + len(gap)
            text, alternatives, best = self._texts(unit, outcome.hypotheses)
            sentences.append(
                SentenceTranslation(
                    source=unit,
                    source_begin=source_begin,
                    text=text,
                    target_begin=target_begin,
                    score=best.score,
                    alternatives=alternatives,
                    truncated=best.truncated,
                    alignment=self._links(unit, best, prepared.tag_length) if alignment and best.attended else (),
                )
            )
            source_begin, target_begin = source_begin + len(unit), target_begin + len(text)
        joined = _join(prepared.gaps, [sentence.text for sentence in sentences])
        ranks = max((len(sentence.alternatives) for sentence in sentences), default=0)
        others = (
            _join(prepared.gaps, [([s.text, *s.alternatives][: rank + 2])[-1] for s in sentences])
            for rank in range(ranks)
        )
        unique = tuple(text for text in dict.fromkeys(others) if text != joined)
        return TextTranslation(text=joined, alternatives=unique, sentences=tuple(sentences))

    def _texts(self, unit: str, hypotheses: Sequence[Hypothesis]) -> tuple[str, tuple[str, ...], Hypothesis]:
        """The best text, the other texts, and the hypothesis that the best one comes from."""
        versions: dict[str, Hypothesis] = {}
        for hypothesis in hypotheses:
            versions.setdefault(self._tokenizer.decode(hypothesis.tokens).strip(), hypothesis)
        # A model that says nothing must not swallow text: another hypothesis, or else the source, stands in.
        silence = versions.pop("", hypotheses[0])
        text, *alternatives = versions or [unit]
        return text, tuple(alternatives), versions.get(text, silence)

    def _links(self, unit: str, best: Hypothesis, tag_length: int) -> tuple[Link, ...]:
        """Character ranges that the pieces of a hypothesis translate; a piece that looks at no text has none."""
        spans = self._tokenizer.encode_with_spans(unit).spans
        text, places = self._tokenizer.decode_with_spans(best.tokens)
        stripped = len(text) - len(text.lstrip())
        length = len(text.strip())
        links = []
        for (begin, end), position in zip(places, best.attended, strict=True):
            # White space in front belongs to the piece, and is not part of the word.
            begin += len(text[begin:end]) - len(text[begin:end].lstrip())
            begin, end = max(0, begin - stripped), min(end - stripped, length)
            piece = position - tag_length
            if begin < end and 0 <= piece < len(spans):
                source_begin, source_end = spans[piece]
                source_begin += len(unit[source_begin:source_end]) - len(unit[source_begin:source_end].lstrip())
                if source_begin < source_end:
                    links.append(Link(source_begin, source_end, begin, end))
        return tuple(links)


def _join(gaps: Sequence[str], units: Sequence[str]) -> str:
    return gaps[0] + "".join(unit + gap for unit, gap in zip(units, gaps[1:], strict=True))
