"""Translating many lines for training: with a bundle on the service's engine, with a checkpoint in PyTorch."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from app.engine.models.manifest import MANIFEST
from app.engine.options import SearchOptions
from model.data.tokenizer import target_tag
from model.evaluation.evaluate import BundleTranslator, CheckpointTranslator
from model.evaluation.generation import translate_corpus

# Padded source tokens of one batch of a checkpoint: an H100 is busy from some 50,000 on.
_BATCH_TOKENS = {"cpu": 2_000, "cuda": 100_000}


class CorpusTranslator:
    """Greedy translations of lines, each a sentence; satisfies ``model.data.synthesis.Translate``."""

    def __init__(self, path: Path, threads: int) -> None:
        """Open a bundle or a checkpoint.

        Raises:
            BundleError: The bundle is missing or damaged.
            CheckpointError: The checkpoint is missing or damaged.
        """
        self._bundle = BundleTranslator(path, "int8", threads) if (path / MANIFEST).exists() else None
        if self._bundle is None:
            self._device = "cuda" if torch.cuda.is_available() else "cpu"
            self._checkpoint = CheckpointTranslator(path, self._device)
        self.languages = self._bundle.languages if self._bundle else self._checkpoint.languages

    def __call__(self, lines: Sequence[str], source: str, target: str) -> list[str]:
        """One translation a line."""
        if self._bundle:
            return self._bundle.translate(lines, source, target, SearchOptions(beam_size=1))
        self._checkpoint.check(source, target)
        tokenizer, model = self._checkpoint.tokenizer, self._checkpoint.model
        tag = tokenizer.piece_id(target_tag(target))
        sources = [np.array([tag, *tokenizer.encode(line), model.config.eos_id]) for line in lines]
        batch_tokens = _BATCH_TOKENS[self._device]
        return [tokenizer.decode(ids) for ids in translate_corpus(model, sources, batch_tokens=batch_tokens)]

    def close(self) -> None:
        """Stop the engine."""
        if self._bundle:
            self._bundle.close()
