"""What the scheduler's threads do with a model: they encode sentences, and begin their searches."""

import threading
import time
from collections.abc import Sequence
from itertools import islice
from typing import Any

from app.engine.decoding.batch_decoder import Batch
from app.engine.decoding.half_words import endings_of
from app.engine.decoding.lexicon_search import LexiconSearch
from app.engine.decoding.model_group import ModelGroup
from app.engine.decoding.neighbours import ExampleIds, Neighbours
from app.engine.decoding.search import Search, default_max_length
from app.engine.decoding.split_batch import new_batch
from app.engine.decoding.term_search import TermSearch
from app.engine.models.manifest import Manifest
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.encoder_cache import EncoderCache
from app.engine.onnx.opening import OpenModel
from app.engine.scheduling.policy import Job

_EXAMPLE_BYTES = 64 << 20  # states of some 17,000 examples
_EXAMPLES_AT_ONCE = 16  # of a turn, in which nobody else's sentences get on: some 0.1 s


_ExampleKey = tuple[tuple[int, ...], tuple[str, str]]
"""The first id of a source, which may tell its model, and the example."""


class ModelWork:
    """The work that the scheduler's threads do with the model.

    Attributes:
        features: The encoder cache.
        saved_s: Estimated encoder time that cache hits saved, from the mean time of a token so far.
        examples: The cache of the states of examples.
    """

    def __init__(
        self, manifest: Manifest, model: OpenModel | ModelGroup[Any], tokenizer: Tokenizer, cache_bytes: int
    ) -> None:
        self.features: EncoderCache[Any] = EncoderCache(cache_bytes)
        self.examples: EncoderCache[Neighbours] = EncoderCache(_EXAMPLE_BYTES)
        self.saved_s = 0.0
        self._manifest, self._model, self._tokenizer = manifest, model, tokenizer
        self._tags = {(tokenizer.piece_id(pair.tag),) for pair in manifest.pairs if pair.tag}
        self._pieces, self._word_parts = tokenizer.target_pieces, tokenizer.word_parts()
        self._endings = endings_of(pair.target for pair in manifest.pairs)
        self._encoded_tokens, self._encode_s = 0, 0.0
        self._counting = threading.Lock()

    def prepared(self, jobs: Sequence[Job]) -> list[Job]:
        """Return the jobs that can be encoded, after reading some of the examples that the others still lack."""
        if not self._model.learns or not any(job.examples for job in jobs):
            return list(jobs)
        missing: dict[_ExampleKey, None] = {}
        for job in jobs:
            for example in job.examples:
                if example in job.neighbours:
                    continue
                if (known := self.examples.get((job.source[:1], example))) is not None:
                    job.neighbours[example] = known
                else:
                    missing[job.source[:1], example] = None
        part, ids = sorted(islice(missing, _EXAMPLES_AT_ONCE)), self._manifest.ids
        if part:
            model: Any = self._model
            found = model.read_examples(
                [self._example(*key) for key in part], start_id=ids.decoder_start, eos_id=ids.eos
            )
            states = dict(zip(part, found, strict=True))
            for key, state in states.items():
                self.examples.put(key, state)
            for job in jobs:
                own = (example for example in job.examples if (job.source[:1], example) in states)
                job.neighbours |= {example: states[job.source[:1], example] for example in own}
        return [job for job in jobs if all(example in job.neighbours for example in job.examples)]

    def encode(self, jobs: Sequence[Job]) -> list[Any]:
        """Take features from the cache, and encode the other sentences in one batch."""
        different = {job.identity: job for job in jobs}
        found = {key: features for key in different if (features := self.features.get(key)) is not None}
        missing = [job for key, job in different.items() if key not in found]
        began = time.monotonic()
        encoded = {}
        if missing:
            results = self._model.encode([job.source for job in missing], [job.memory for job in missing])
            encoded = {job.identity: features for job, features in zip(missing, results, strict=True)}
        with self._counting:
            self._encode_s += time.monotonic() - began
            self._encoded_tokens += sum(len(job.source) for job in missing)
            saved = sum(len(different[key].source) for key in found)
            self.saved_s += saved * self._encode_s / max(1, self._encoded_tokens)
        for key, features in encoded.items():
            self.features.put(key, features)
        found |= encoded
        if self._model.memory_length:
            for job in jobs:
                job.remembered = found[job.identity].remembered
        return [_with_neighbours(found[job.identity], job) for job in jobs]

    def _example(self, first: tuple[int, ...], example: tuple[str, str]) -> ExampleIds:
        """Tokenize an example; ``first`` is the source's first id.

        It is cut off where the model has no more positions, or where no search gets to: an entry of three words may
        have a translation of a page, and each of its tokens takes a step of the decoder.
        """
        shape, source, target = self._manifest.shape, *example
        tag = first if first in self._tags else ()
        pieces = self._tokenizer.encode(source)[: self._manifest.longest_source - len(tag) - 1]
        ids = (*tag, *pieces, self._manifest.ids.eos)
        longest = min(default_max_length(len(ids)), shape.max_positions - 1)
        return ExampleIds(ids, tuple(self._tokenizer.encode_target(target)[:longest]))

    def new_batch(self) -> Batch[Any]:
        """An empty decode."""
        batch: Batch[Any] = new_batch(self._model)
        return batch

    def new_search(self, job: Job) -> Search:
        """A search with the job's options."""
        ids, options = self._manifest.ids, job.options
        shared: dict[str, Any] = {"start_id": ids.decoder_start, "eos_id": ids.eos, "options": options}
        if job.known:
            return Search(**shared, max_length=len(job.known), prefix=job.known)
        prefix = None if options.prefix is None else self._tokenizer.encode_target(options.prefix)
        avoided = [tuple(self._tokenizer.encode_target(word)) for word in options.avoid]
        # One more than the minimum, so that the model gets to end it.
        default = default_max_length(len(job.source)) + len(prefix or ())
        wanted = options.max_length or max(default, options.min_length + 1)
        shared["max_length"] = min(wanted, self._manifest.shape.max_positions)
        if job.terms:
            return TermSearch(**shared, constraints=job.terms, word_parts=self._word_parts)
        shared |= {"prefix": prefix, "avoided": [word for word in avoided if word]}
        search = (
            LexiconSearch(rare_words=job.rare_words, pieces=self._pieces, endings=self._endings, **shared)
            if job.rare_words
            else Search(**shared)
        )
        search.streams = job.on_tokens is not None
        return search


def _with_neighbours(features: Any, job: Job) -> Any:
    """Gives the features of a sentence what its examples say."""
    if not job.neighbours:
        return features
    neighbours = Neighbours.joined([job.neighbours[example] for example in job.examples])
    job.neighbours = {}  # which take memory
    return features.with_neighbours(neighbours)
