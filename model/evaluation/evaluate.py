"""BLEU and chrF (sacrebleu) of a bundle, through the shipping engine, or of a checkpoint, in PyTorch."""

import asyncio
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import sacrebleu

from app.engine.decoding.batch_decoder import decode
from app.engine.models.bundle import Bundle
from app.engine.models.manifest import MANIFEST, Manifest, Precision, Score, write_manifest
from app.engine.models.tokenizer import Tokenizer
from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.settings import Settings
from model.data.pairs import read_test_pairs
from model.data.tokenizer import target_tag
from model.evaluation.inference import TorchModel
from model.training.checkpoint import CheckpointError, load_model
from model.training.provenance import read_card

# Lines given to a translator at a time: enough to batch, few enough to show progress.
_CHUNK = 64

Advance = Callable[[int], None]


class Translator(Protocol):
    """Something that translates lists of lines."""

    languages: tuple[str, str]
    reversals: tuple[bool, ...]
    """Of the directions: True is from the second of the languages to the first."""
    precision: Precision

    def translate(self, texts: Sequence[str], source: str, target: str, options: SearchOptions) -> list[str]:
        """One translation a text."""

    def close(self) -> None:
        """Release threads and memory."""


def columns(manifest: Manifest) -> tuple[str, str]:
    """Return the languages of the columns of a bundle's pair files: those of its recipe, or of its first pair."""
    if text := manifest.provenance.recipe:
        first, second = tomllib.loads(text)["languages"]
        return first, second
    return manifest.pairs[0].source, manifest.pairs[0].target


class BundleTranslator:
    """The service's engine, without the service."""

    def __init__(self, path: Path, precision: Precision, threads: int, *, lexicons: bool = True) -> None:
        """Open a bundle, with its lexicons of rare words or without.

        Raises:
            BundleError: It is missing, damaged or not understood.
        """
        settings = Settings.load(bundle=path, precision=precision, workers=threads)
        bundle = Bundle.open(path)
        self._engine = Engine.from_bundle(bundle if lexicons else bundle.without_lexicons(), settings)
        first, second = self.languages = columns(self._engine.bundle.manifest)
        directions = {False: (first, second), True: (second, first)}
        self.reversals = tuple(way for way, pair in directions.items() if pair in self._engine.pairs)
        self.precision: Precision = precision
        self._runner = asyncio.Runner()
        self._runner.run(self._engine.start())

    def translate(self, texts: Sequence[str], source: str, target: str, options: SearchOptions) -> list[str]:
        """Sentences are split as the service splits them."""
        return self._runner.run(self._engine.translate(texts, source=source, target=target, options=options))

    def close(self) -> None:
        """Stop the engine."""
        self._runner.run(self._engine.stop())
        self._runner.close()


class CheckpointTranslator:
    """A model folder in PyTorch; a line is one sentence."""

    precision: Precision = "float32"

    def __init__(self, path: Path, device: str = "cpu") -> None:
        """Load a checkpoint onto a device.

        Raises:
            CheckpointError: It is missing or damaged.
            BundleError: Its tokenizer is.
        """
        self.model = load_model(path).to(device)
        self.tokenizer = Tokenizer(path / "tokenizer.spm", path / "tokenizer.spm")
        card = read_card(path)
        self.languages, self.pairs = card.languages, card.pairs
        self.reversals = tuple(pair != card.languages for pair in card.pairs)

    def translate(self, texts: Sequence[str], source: str, target: str, options: SearchOptions) -> list[str]:
        """Decode as one batch.

        Raises:
            CheckpointError: The model was not trained for this direction.
        """
        self.check(source, target)
        config = self.model.config
        tag = self.tokenizer.piece_id(target_tag(target))
        sources = [[tag, *self.tokenizer.encode(text), config.eos_id] for text in texts]
        results = decode(
            TorchModel(self.model), sources, start_id=config.decoder_start_id, eos_id=config.eos_id, options=options
        )
        return [self.tokenizer.decode(found[0].tokens) for found in results]

    def check(self, source: str, target: str) -> None:
        """Refuse a direction that the model was not trained for.

        Raises:
            CheckpointError: It was not.
        """
        if (source, target) not in self.pairs:
            raise CheckpointError(f"the model doesn't translate from {source} to {target}: see direction in its recipe")

    def close(self) -> None:
        """Nothing to release."""


def open_translator(path: Path, *, precision: Precision, threads: int, lexicons: bool = True) -> Translator:
    """A bundle if there is a manifest, else a checkpoint, which has no lexicons."""
    if (path / MANIFEST).exists():
        return BundleTranslator(path, precision, threads, lexicons=lexicons)
    return CheckpointTranslator(path)


@dataclass(frozen=True)
class TestSet:
    """Sentence pairs: first column in the first language, second in the second."""

    __test__ = False  # pytest would take the name for a test class

    name: str
    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, path: Path, limit: int | None = None) -> "TestSet":
        """Read a pair file, or its first ``limit`` pairs.

        Raises:
            PairsError: It is missing, malformed or empty, or has keys in the place of sentences.
        """
        return cls(path.name.split(".tsv")[0], tuple(read_test_pairs(path, limit)))


def evaluate(
    translator: Translator, test_set: TestSet, *, reverse: bool, options: SearchOptions, advance: Advance
) -> Score:
    """Translate one test set in one direction and score it.

    Args:
        translator: A bundle or a checkpoint.
        test_set: What to translate.
        reverse: Translate from the second language into the first.
        options: Search options.
        advance: Called with the number of lines done.
    """
    source, target = reversed(translator.languages) if reverse else translator.languages
    texts = [pair[1 if reverse else 0] for pair in test_set.pairs]
    references = [pair[0 if reverse else 1] for pair in test_set.pairs]
    # Sorted by length, so that batches hold little padding; restored afterwards.
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    outputs = [""] * len(texts)
    for start in range(0, len(order), _CHUNK):
        chosen = order[start : start + _CHUNK]
        for index, text in zip(
            chosen, translator.translate([texts[i] for i in chosen], source, target, options), strict=True
        ):
            outputs[index] = text
        advance(len(chosen))
    bleu, chrf = sacrebleu.BLEU(), sacrebleu.CHRF()
    bleu_score, chrf_score = bleu.corpus_score(outputs, [references]), chrf.corpus_score(outputs, [references])
    return Score(
        test_set=test_set.name,
        source=source,
        target=target,
        sentences=len(texts),
        precision=translator.precision,
        beam_size=options.beam_size,
        bleu=round(bleu_score.score, 2),
        chrf=round(chrf_score.score, 2),
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
    )


def record_scores(path: Path, scores: Sequence[Score]) -> None:
    """Put scores into a bundle's manifest, in place of earlier ones of the same set, direction and settings."""
    manifest = Bundle.open(path).manifest

    def key(score: Score) -> tuple[object, ...]:
        return score.test_set, score.source, score.target, score.precision, score.beam_size

    merged = {key(score): score for score in (*manifest.scores, *scores)}
    write_manifest(path, manifest.model_copy(update={"scores": tuple(merged.values())}))
