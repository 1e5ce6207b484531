"""What the stages of ``benchmarks.gpu`` share: a model on a GPU, sentences, and searches over them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from app.engine.decoding.lexicon_search import LexiconSearch
from app.engine.decoding.search import Hypothesis, Search, default_max_length
from app.engine.decoding.word_trees import RareWord
from app.engine.models.bundle import Bundle
from app.engine.models.lexicon import Lexicon
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.device import DeviceModel
from app.engine.onnx.device_graphs import DeviceGraphs, Source
from app.engine.onnx.model import OnnxModel
from app.engine.options import SearchOptions
from app.engine.request.segmentation import Segmenter
from app.engine.scheduling.policy import Batch
from benchmarks.engine import TestSet


@dataclass(frozen=True)
class Bench:
    """What the stages share.

    Attributes:
        path: Folder of the bundle.
        bundle: The bundle.
        tokenizer: Its tokenizer.
        test_set: Sentences, shortest first.
        rare_words: Words that the lexicon has, of those sentences that have any, by their source ids.
        provider: Where ours runs.
        slots: B.
        rounds: Rounds, after one that warms up.
        out: Folder for the profiles.
    """

    path: Path
    bundle: Bundle
    tokenizer: Tokenizer
    test_set: TestSet
    rare_words: dict[tuple[int, ...], tuple[RareWord, ...]]
    provider: Literal["cpu", "cuda"]
    slots: int
    rounds: int
    out: Path

    def model(self, slots: int | None = None, *, is_captured: bool | None = None) -> DeviceModel:
        """The device's model."""
        ids = self.bundle.manifest.ids
        graphs = DeviceGraphs(
            self.bundle.graphs("float16-cuda"), pad_id=ids.pad, provider=self.provider, is_captured=is_captured
        )
        return DeviceModel(graphs, self.simple(), eos_id=ids.eos, sentences=slots or self.slots)

    def simple(self) -> OnnxModel:
        """The same model step by step: float16, on a CPU float32."""
        precision: Literal["float16", "float32"] = "float16" if self.provider == "cuda" else "float32"
        pad_id = self.bundle.manifest.ids.pad
        return OnnxModel(**self.bundle.graphs(precision), pad_id=pad_id, provider=self.provider, threads=1)

    def searches(self, sources: Sequence[list[int]], beam: int, *, lexicon: bool) -> list[Search]:
        """Searches, with the lexicon's translations of rare words or without."""
        ids = self.bundle.manifest.ids
        found: list[Search] = []
        for source in sources:
            rare_words = self.rare_words.get(tuple(source)) if lexicon else None
            given: dict[str, Any] = {
                "start_id": ids.decoder_start,
                "eos_id": ids.eos,
                "max_length": default_max_length(len(source)),
                "options": SearchOptions(beam_size=beam),
            }
            words = {"rare_words": rare_words, "pieces": self.tokenizer.target_pieces}
            found.append(LexiconSearch(**words, **given) if rare_words else Search(**given))
        return found

    def translate(
        self, batch: Batch[Source], sources: Sequence[list[int]], beam: int, steps: int = 8, *, lexicon: bool = False
    ) -> list[list[Hypothesis]]:
        """The first sentences, as many at a time as the batch has slots."""
        searches = self.searches(sources, beam, lexicon=lexicon)
        batch.join(searches, [Source(tuple(source)) for source in sources])
        while batch.live_rows:
            batch.step(steps)
        return [search.hypotheses() for search in searches]


def text_of(bundle: Bundle, tokenizer: Tokenizer, source: Sequence[int]) -> str:
    """The text of source ids."""
    return tokenizer.decode(source[1 if bundle.manifest.pairs[0].tag else 0 : -1])


def rare_words_of(
    bundle: Bundle, tokenizer: Tokenizer, sources: Sequence[list[int]]
) -> dict[tuple[int, ...], tuple[RareWord, ...]]:
    """The words of each sentence that the lexicon of the first direction has, as the service finds them."""
    [pair, *_], manifest = bundle.manifest.pairs, bundle.manifest
    if not pair.lexicon:
        return {}
    lexicon = Lexicon(bundle.path / pair.lexicon, pair.source)
    segmenter = Segmenter(tokenizer, longest_source=manifest.longest_source, eos_id=manifest.ids.eos)
    found = {
        tuple(source): segmenter.rare_words(text_of(bundle, tokenizer, source), lexicon, 1 if pair.tag else 0)
        for source in sources
    }
    return {source: words for source, words in found.items() if words}
