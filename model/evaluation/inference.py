"""A PyTorch model behind the protocol of the service's search: a checkpoint decodes with the shipping decoder."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from app.engine.decoding.batch_decoder import LiveRows
from model.data.batches import pad
from model.network.transformer import DecoderCache, Encoded, Transformer


class TorchModel:
    """Satisfies ``app.engine.decoding.batch_decoder.Model``; features are one sentence's encoder states (S, D).

    Attributes:
        learns: Searches learn nothing from examples.
    """

    learns = False

    def __init__(self, transformer: Transformer) -> None:
        self.transformer = transformer.eval()

    @torch.no_grad()
    def encode(self, sources: Sequence[Sequence[int]]) -> list[Tensor]:
        """Encode a padded batch."""
        rows = [np.asarray(source) for source in sources]
        encoded = self.transformer.encode(pad(rows, self.transformer.config.pad_id))
        return [states[: len(source)] for states, source in zip(encoded.states, sources, strict=True)]

    def rows(self) -> "TorchRows":
        """An empty batch."""
        return TorchRows(self.transformer)


class TorchRows(LiveRows[Tensor]):
    """Rows that all start together: joining later is the ONNX runtime's business."""

    def __init__(self, transformer: Transformer) -> None:
        self._transformer = transformer
        self._cache: DecoderCache | None = None

    @torch.no_grad()
    def join(self, features: Sequence[Tensor]) -> None:
        """Start decoding these sentences.

        Raises:
            ValueError: Rows are live already.
        """
        if self._cache is not None:
            raise ValueError("all sentences must join at once")
        states = torch.nn.utils.rnn.pad_sequence(list(features), batch_first=True)
        mask = torch.nn.utils.rnn.pad_sequence(
            [torch.ones(len(item), dtype=torch.bool) for item in features], batch_first=True
        )
        self._cache = self._transformer.start(Encoded(states, mask))

    def select(self, rows: Sequence[int]) -> None:
        """Keep the given rows, in that order."""
        if self._cache is not None:
            self._cache = self._cache.select(torch.tensor(list(rows), dtype=torch.int64))

    @torch.no_grad()
    def step(self, tokens: Sequence[int], top: int) -> tuple[NDArray[Any], NDArray[Any], None]:
        """Log-probabilities (R, K), best first, and token ids (R, K); no alignment."""
        if self._cache is None:
            raise ValueError("no sentence has joined")
        logits = self._transformer.step(torch.tensor(tokens).unsqueeze(1), self._cache)
        scores = torch.log_softmax(logits.float(), dim=-1)
        best = scores.topk(min(top, scores.shape[-1]), dim=-1)
        return best.values.numpy(), best.indices.numpy(), None
