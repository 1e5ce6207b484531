"""The engine's facade: texts in, translations out. Joins bundle, tokenizer, models, search and scheduler."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

from app.engine.decoding.batch_decoder import Model
from app.engine.decoding.model_group import ModelGroup
from app.engine.inspection import INSPECTION_SIZE, inspect
from app.engine.interface import (
    Alphabet,
    EngineState,
    Event,
    Inspection,
    InspectionCall,
    OpenHop,
    RequestQuota,
    Splitting,
    TranslationCall,
    collect,
    joined,
)
from app.engine.models.bundle import Bundle, Golden
from app.engine.models.labels import Labels
from app.engine.models.lexicon import Lexicon
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.opening import OpenModel, open_model
from app.engine.options import SearchOptions
from app.engine.request.coalescing import Coalescer
from app.engine.request.detokenization import Detokenizer
from app.engine.request.in_flight import RequestTask, Streams
from app.engine.request.result_cache import ResultCache, open_result_cache
from app.engine.request.segmentation import Segmenter
from app.engine.scheduling.job_queue import Backlog
from app.engine.scheduling.policy import Limits
from app.engine.scheduling.scheduler import Scheduler
from app.engine.work import ModelWork
from app.errors import BundleError, ConfigurationError, EngineUnavailable, ModelFailure, UnsupportedPair
from app.fairness.offload import offload

if TYPE_CHECKING:
    from app.settings import Settings

logger = logging.getLogger(__name__)


class Engine:
    """Translates texts with one bundle. Its models run on the scheduler's threads."""

    def __init__(
        self,
        bundle: Bundle,
        models: Sequence[OpenModel],
        *,
        limits: Limits,
        workers: int = 1,
        precision: str,
        cache_bytes: int,
        drain_s: float,
        backlog: Backlog | None = None,
        results: ResultCache | None = None,
    ) -> None:
        """Put the parts together; ``start`` starts the threads.

        ``models`` are those of ``bundle.models``, in that order.

        Raises:
            BundleError: The tokenizer does not fit the manifest.
        """
        self.bundle, self._precision, self._drain_s = bundle, precision, drain_s
        manifest = bundle.manifest
        self._tokenizer = tokenizer = Tokenizer(*bundle.tokenizer_files)
        self._segmenter = Segmenter(tokenizer, longest_source=manifest.longest_source, eos_id=manifest.ids.eos)
        self._detokenizer = Detokenizer(tokenizer, manifest.confidence, manifest.placeholders)
        self._lexicons = {
            (pair.source, pair.target): Lexicon(bundle.path / pair.lexicon, pair.source)
            for pair in manifest.pairs
            if pair.lexicon and manifest.shape.alignment_head
        }
        labelled = [pair for pair in manifest.pairs if pair.labels and not models[0].memory_length]
        self._labels = {(pair.source, pair.target): Labels(bundle.path / str(pair.labels)) for pair in labelled}
        self._prefix: dict[tuple[str, str], tuple[int, ...]] = {
            (pair.source, pair.target): (tokenizer.piece_id(pair.tag),) if pair.tag else () for pair in manifest.pairs
        }
        self._models = {
            (pair.source, pair.target): model
            for alone, model in zip(manifest.models, models, strict=True)
            for pair in alone.pairs
        }
        self._model = models[0]  # what is asked of it is the same of all
        several = len(models) > 1  # then each pair has a tag
        tags: dict[int, Model[Any]] = {self._prefix[pair][0]: model for pair, model in self._models.items() if several}
        self._work = ModelWork(manifest, ModelGroup(tags) if several else models[0], tokenizer, cache_bytes)
        # Nothing in there refers back to the engine: when that is dropped, its memory is free at once.
        self._scheduler = Scheduler(self._work, limits=limits, workers=workers, backlog=backlog)
        self._coalescer = Coalescer(self._scheduler.queue.submit)
        self._results = results
        self._state = EngineState.STARTING
        self._streams = Streams()
        self._golden_identical = 0

    @classmethod
    def from_settings(cls, settings: "Settings") -> "Engine":
        """Open and verify the one bundle that the settings name.

        Raises:
            BundleError: It is missing, damaged or not understood.
            ConfigurationError: The execution provider is not there, or the settings name several bundles.
        """
        if len(settings.bundle) > 1:
            raise ConfigurationError(f"one bundle is needed here, not {len(settings.bundle)}")
        return cls.from_bundle(Bundle.open(settings.bundle[0]), settings)

    @classmethod
    def from_bundle(cls, bundle: Bundle, settings: "Settings", backlog: Backlog | None = None) -> "Engine":
        """Load a verified bundle's model, in the precision and with the limits of the settings.

        Args:
            bundle: The bundle.
            settings: All settings.
            backlog: Shared by the engines whose queues are bounded together.

        Raises:
            BundleError: It lacks the precision, or its files don't fit together.
            ConfigurationError: The execution provider is not there.
        """
        models = [
            open_model(
                alone,
                settings.graph_precision,
                provider=settings.provider,
                threads=settings.threads,
                kernels=settings.kernels,
                device_sentences=settings.gpu_rows,
            )
            for alone in bundle.models
        ]
        first = models[0]
        # With a memory, a sentence depends on earlier sentences, and the next one needs more than its result.
        parts = (bundle.manifest.model_dump_json(), settings.graph_precision, first.kernels, first.providers)
        results = None if first.memory_length else open_result_cache(settings, *parts)
        limits = Limits(
            max_queue_tokens=settings.max_queue_tokens,
            max_batch_rows=settings.batch_rows,
            max_batch_tokens=settings.batch_tokens,
        )
        return cls(
            bundle,
            models,
            limits=limits,
            workers=settings.decode_workers,
            precision=settings.graph_precision,
            cache_bytes=settings.feature_cache_bytes,
            drain_s=settings.drain_timeout_s,
            backlog=backlog,
            results=results,
        )

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Source and target codes that can be translated."""
        return frozenset(self._prefix)

    @property
    def state(self) -> EngineState:
        """The state of the engine."""
        return EngineState.FAILED if self._state == EngineState.READY and not self._scheduler.alive else self._state

    def alphabet(self, source: str, target: str) -> Alphabet:
        """See ``app.engine.interface.TranslationEngine``."""
        return self.bundle.manifest.alphabet

    def reject_if_overloaded(self) -> None:
        """See ``app.engine.interface.TranslationEngine``."""
        self._scheduler.queue.reject_if_overloaded()

    async def start(self, *, expects_golden: bool = True) -> None:
        """Start the decode threads and translate the bundle's golden sentences.

        Args:
            expects_golden: Warn if there are none; a bundle in the making has none yet.

        Raises:
            BundleError: A model translates so few of them as recorded that something must be wrong.
        """
        self._scheduler.start()
        golden = self.bundle.golden
        if expects_golden and not golden:
            logger.warning("no golden sentences, so nothing tests this model", extra={"bundle": str(self.bundle.path)})
        try:
            answers = await asyncio.gather(*(self._translate_golden(item) for item in golden))
        except ModelFailure as error:
            self._state = EngineState.FAILED
            raise BundleError(f"{self.bundle.path}: the model failed in the self-test: {error}") from error
        identical = [a == item.translation for a, item in zip(answers, golden, strict=True)]
        self._golden_identical = sum(identical)
        # Another precision or processor may flip a word here and there, so equality is no condition; garbage is.
        for model in self.bundle.manifest.models:
            pairs = {(pair.source, pair.target) for pair in model.pairs}
            own = [same for same, item in zip(identical, golden, strict=True) if item.pair in pairs]
            if 2 * sum(own) < len(own):
                self._state = EngineState.FAILED
                raise BundleError(
                    f"{self.bundle.path}: only {sum(own)} of {len(own)} golden sentences came out as recorded"
                )
        self._coalescer.cache = self._results  # not before: the model was tested, not the cache
        self._state = EngineState.READY

    async def stop(self) -> None:
        """Finish accepted work within the drain time, then end the threads."""
        self._state = EngineState.STOPPING
        began = time.monotonic()
        with suppress(TimeoutError):
            # The parts of a long text that are not in the queue yet were accepted, too.
            await asyncio.wait_for(self._streams.ended(), self._drain_s)
        await asyncio.to_thread(self._scheduler.stop, max(0.0, self._drain_s - (time.monotonic() - began)))
        if self._results:
            await self._results.close()

    async def translate(
        self,
        texts: Sequence[str],
        *,
        source: str,
        target: str,
        options: SearchOptions,
        splitting: Splitting = "sentences",
    ) -> list[str]:
        """Translate texts, in order, as the model does: nothing is checked, corrected or tried again."""
        call = TranslationCall(texts=texts, source=source, target=target, options=options, splitting=splitting)
        drafts, _ = await collect(self.stream(call), len(texts))
        return list(map(joined, texts, drafts))

    def stream(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        """Translate sentence by sentence; see ``app.engine.interface.ModelEngine`` for the contract."""
        if self.state != EngineState.READY:
            raise EngineUnavailable(f"The translation engine is {self.state}.")
        return self._events(call)

    def route(self, source: str, target: str) -> AbstractAsyncContextManager[Sequence[OpenHop]]:
        """The engine alone; see ``app.engine.interface.TranslationEngine``."""
        return nullcontext((OpenHop(self, source, target),))

    def _events(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        prefix = self._prefix.get((call.source, call.target))
        if prefix is None:
            raise UnsupportedPair(f"No model translates from {call.source} to {call.target}.")
        segments = self._segmenter.segments(
            call.texts,
            language=call.source,
            splitting=call.splitting,
            whole=call.whole,
            prefix=prefix,
            lexicon=self._lexicons.get((call.source, call.target)),
            labels=self._labels.get((call.source, call.target)),
        )
        memory_length = self._model.memory_length
        if memory_length and call.context:
            context = self._segmenter.context(call.context, language=call.source, prefix=prefix, enough=memory_length)
            segments = chain(context, segments)
        task = RequestTask(
            call, segments, coalescer=self._coalescer, detokenizer=self._detokenizer, has_memory=memory_length > 0
        )
        return task.events(self._streams)

    async def inspect(self, call: InspectionCall) -> Inspection:
        """See ``app.engine.interface.TranslationEngine``."""
        if self.state != EngineState.READY:
            raise EngineUnavailable(f"The translation engine is {self.state}.")
        prefix = self._prefix.get((call.source, call.target))
        if prefix is None:
            raise UnsupportedPair(f"No model translates from {call.source} to {call.target}.")
        lexicon = self._lexicons.get((call.source, call.target))
        rare_words = self._segmenter.rare_words(call.text, lexicon, len(prefix)) if lexicon else ()
        bundle = self.bundle.model_of(call.source, call.target)
        model = self._models[call.source, call.target]
        arguments = (bundle, model, self._tokenizer, prefix, rare_words, call)
        return await offload(inspect, *arguments, size=INSPECTION_SIZE)

    def info(self) -> dict[str, object]:
        """The bundle's name, provenance and scores, and what really runs it."""
        return {
            **self.bundle.manifest.summary(),
            "precision": self._precision,
            "kernels": self._model.kernels,
            "providers": list(self._model.providers),
            "golden": {"sentences": len(self.bundle.golden), "identical": self._golden_identical},
        }

    def statistics(self) -> dict[str, float]:
        """Current gauges and counters by name."""
        cache = self._work.features
        return {
            **self._scheduler.statistics(),
            "feature_cache_bytes": cache.nbytes,
            "feature_cache_hits": cache.hits,
            "feature_cache_misses": cache.misses,
            "feature_cache_saved_ms": 1000 * self._work.saved_s,
            "result_cache_hits": self._results.hits if self._results else 0,
            "result_cache_misses": self._results.misses if self._results else 0,
        }

    async def _translate_golden(self, item: Golden) -> str:
        """Translate a golden sentence, without admission control and before the engine is ready."""
        call = TranslationCall(
            texts=[item.source],
            source=item.source_language,
            target=item.target_language,
            options=SearchOptions(beam_size=1),
            quota=RequestQuota(admitted=True),
        )
        [drafts], _ = await collect(self._events(call), 1)
        return joined(item.source, drafts)
