"""Translating a corpus with a checkpoint, greedily, in large batches of equal lengths: for back-translation on a GPU.

The service's engine is the way on a processor; here the KV cache is PyTorch's and a batch holds thousands of sentences.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from model.network.transformer import Transformer

Ids = NDArray[np.integer]

# A translation ends at this multiple of its source's pieces, plus a few.
_LONGEST, _MORE = 1.7, 8
# Finished rows leave the batch once they are this share of it: each time the whole cache is copied.
_LEAVE = 0.25


def translate_corpus(
    model: Transformer, sources: Sequence[Ids], *, batch_tokens: int, advance: Callable[[int], None] = lambda _: None
) -> list[list[int]]:
    """The greedy translation of every source, without its end; empty where none ended in time.

    Args:
        model: In evaluation mode, on the device that is to do the work.
        sources: Piece ids with tags and end of sentence, as in training.
        batch_tokens: Padded source tokens of one batch.
        advance: Called with the number of sentences done, batch by batch.
    """
    order = sorted(range(len(sources)), key=lambda index: len(sources[index]))
    results: list[list[int]] = [[] for _ in sources]
    device = next(model.parameters()).device
    begin = 0
    while begin < len(order):
        rows = order[begin : begin + max(1, batch_tokens // len(sources[order[begin]]))]
        while len(rows) > 1 and len(rows) * len(sources[rows[-1]]) > batch_tokens:
            rows.pop()
        padded = np.full((len(rows), len(sources[rows[-1]])), model.config.pad_id, np.int64)
        for row, index in zip(padded, rows, strict=True):
            row[: len(sources[index])] = sources[index]
        for place, ids in _greedy(model, torch.from_numpy(padded).to(device)):
            results[rows[place]] = ids
        begin += len(rows)
        advance(len(rows))
    return results


@torch.inference_mode()
def _greedy(model: Transformer, source: Tensor) -> list[tuple[int, list[int]]]:
    """(row of ``source`` (B, S), its translation) of every row that ends within the limit.

    Not a generator: each ``yield`` would leave inference mode, and that turns autocast off.
    """
    config, device = model.config, source.device
    results: list[tuple[int, list[int]]] = []
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
        cache = model.start(model.encode(source))
        rows = torch.arange(len(source), device=device)
        output = torch.full((len(source), 1), config.decoder_start_id, device=device)
        ended = torch.zeros(len(source), dtype=torch.bool, device=device)
        for step in range(int(_LONGEST * source.shape[1]) + _MORE):
            best = model.step(output[:, -1:], cache).argmax(-1)
            output = torch.cat([output, best.unsqueeze(1)], 1)
            ended |= best == config.eos_id
            if step % 4 == 3 and float(ended.float().mean()) >= _LEAVE:  # each look waits for the GPU
                results += _finished(rows[ended], output[ended], config.eos_id)
                kept = (~ended).nonzero().squeeze(1)
                if not len(kept):
                    return results
                rows, output, ended, cache = rows[kept], output[kept], ended[kept], cache.select(kept)
        results += _finished(rows[ended], output[ended], config.eos_id)
    return results


def _finished(rows: Tensor, output: Tensor, eos_id: int) -> Iterator[tuple[int, list[int]]]:
    for row, ids in zip(rows.tolist(), output[:, 1:].cpu().numpy(), strict=True):
        yield row, ids[: int((ids == eos_id).argmax())].tolist()
