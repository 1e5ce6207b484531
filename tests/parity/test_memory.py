"""A model with a memory: its graphs against PyTorch, document by document."""

import numpy as np
import torch

from app.engine.decoding.batch_decoder import BatchDecoder
from app.engine.decoding.search import Search, default_max_length
from app.engine.memory import Memory
from app.engine.onnx.model import OnnxModel
from app.engine.options import SearchOptions
from model.data.batches import pad
from model.network.memory import Memories
from model.network.transformer import Transformer
from tests.support.tiny import random_model, write_graphs
from tests.support.variants import CHOICES, STANDARD

DOCUMENTS, SENTENCES = 6, 6
# Of random weights two tokens may be equally good but for the last digits, which depend on the processor; the rest of
# the document then follows another sentence.
NEAR_TIES = SENTENCES
# Building the bundle with the other kind, in tests/parity/test_variants.py, compares two sentences in a row.
KIND = "memory, other options"
STANDARD_OPTIONS = "post-norm, swish, learned positions, nothing tied, no biases, no alignment"


def memorising() -> Transformer:
    """Random weights; what scores the memory is large enough to decide words."""
    deep = {"max_positions": 24, "encoder_layers": 2, "decoder_layers": 2}
    model = random_model(**STANDARD[STANDARD_OPTIONS] | CHOICES[KIND] | deep)
    with torch.no_grad():
        for parameter_name, parameter in model.named_parameters():
            if parameter.dim() == 1 or "recall" in parameter_name:
                parameter.add_(0.5 * torch.randn_like(parameter))
    return model


def documents(vocabulary: int) -> list[list[list[int]]]:
    rng = np.random.default_rng(0)
    return [
        [[*rng.integers(3, vocabulary, rng.integers(1, 12)).tolist(), 2] for _ in range(SENTENCES)]
        for _ in range(DOCUMENTS)
    ]


def limit(source: list[int]) -> int:
    """Tokens of a translation."""
    return min(default_max_length(len(source)), 24)


@torch.no_grad()
def slow_translations(
    model: Transformer, texts: list[list[list[int]]], *, remember: bool = True
) -> list[list[list[int]]]:
    """Greedy translations in PyTorch, without any cache: all is computed again for every token."""
    memories: Memories | None = None
    found: list[list[list[int]]] = [[] for _ in texts]
    for sources in zip(*texts, strict=True):
        source = pad([np.array(ids) for ids in sources])
        outputs: list[list[int]] = [[] for _ in sources]
        open_rows = set(range(len(sources)))
        while open_rows:
            target = pad([np.array([1, *ids]) for ids in outputs])
            states = model.read(source, target, memories)[0]
            for row in sorted(open_rows):
                best = int(model.logits(states[row, len(outputs[row])]).argmax())
                if best != 2:
                    outputs[row].append(best)
                if best == 2 or len(outputs[row]) == limit(sources[row]):
                    open_rows.remove(row)
        if remember:
            # The last token of a translation that the limit has ended was never read.
            read = [ids[: limit(sources[row]) - 1] for row, ids in enumerate(outputs)]
            memories = model.read(source, pad([np.array([1, *ids]) for ids in read]), memories)[2]
        for row, ids in enumerate(outputs):
            found[row].append(ids)
    return found


def translations(graphs: OnnxModel, texts: list[list[list[int]]], beam_size: int = 1) -> list[list[list[int]]]:
    """Translations by the runtime: documents side by side, which reach their next sentence at different steps."""
    options = SearchOptions(beam_size=beam_size)
    batch: BatchDecoder = BatchDecoder(graphs)
    running: dict[Search, tuple[int, object]] = {}
    found: list[list[list[int]]] = [[] for _ in texts]

    def begin(row: int, memory: Memory | None) -> None:
        source = texts[row][len(found[row])]
        [features] = graphs.encode([source], [memory])
        search = Search(start_id=1, eos_id=2, max_length=limit(source), options=options)
        running[search] = (row, (source, memory, features.remembered))
        batch.join([search], [features])

    for row in range(len(texts)):
        begin(row, None)
    while running:
        for search in batch.step():
            row, (source, memory, remembered) = running.pop(search)
            best = search.hypotheses()[0]
            found[row].append(list(best.tokens))
            if len(found[row]) < len(texts[row]):
                begin(row, Memory.after(memory, source, best.tokens, remembered, best.remembered))
    return found


def identical(one: list[list[list[int]]], other: list[list[list[int]]]) -> int:
    return sum(a == b for own, others in zip(one, other, strict=True) for a, b in zip(own, others, strict=True))


def test_documents_come_out_as_in_pytorch(tmp_path):
    model = memorising()
    texts = documents(model.config.source_vocabulary)
    graphs = write_graphs(model, tmp_path)
    assert graphs.memory_length == model.config.memory_length
    expected = slow_translations(model, texts)
    found = translations(graphs, texts)
    assert identical(found, expected) >= DOCUMENTS * SENTENCES - NEAR_TIES
    without = slow_translations(model, texts, remember=False)
    assert identical(without, expected) < DOCUMENTS * SENTENCES * 0.9, "the memory must decide something"
    # Alone, and with a beam beside others, to the same ids.
    assert translations(graphs, texts[:1])[0] == found[0]
    together = translations(graphs, texts[:3], beam_size=3)
    assert [translations(graphs, [text], beam_size=3)[0] for text in texts[:3]] == together
