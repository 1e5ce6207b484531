"""Whether two models translate alike, and how an export says so. PyTorch is not needed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from app.engine.decoding.batch_decoder import Model, decode
from app.engine.models.tokenizer import Tokenizer
from app.engine.options import SearchOptions
from model.network.config import TransformerConfig


def source_ids(
    tokenizer: Tokenizer, groups: Iterable[tuple[str | None, Iterable[str]]], *, eos_id: int, longest: int
) -> list[list[int]]:
    """Return sentences as the model reads them, without those that are too long for it.

    Args:
        tokenizer: Of the model.
        groups: Sentences, with the piece that asks for their direction, if the model needs one.
        eos_id: Ends a source.
        longest: Maximum number of ids.
    """
    sources = []
    for tag, texts in groups:
        prefix = tag_ids(tokenizer, tag)
        sources += [[*prefix, *tokenizer.encode(text), eos_id] for text in texts]
    return [source for source in sources if len(source) <= longest]


def tag_ids(tokenizer: Tokenizer, tag: str | None) -> list[int]:
    """Return what a source begins with: the piece that asks for its direction, if the model needs one."""
    return [tokenizer.piece_id(tag)] if tag else []


def agreement(
    one: Model[Any], other: Model[Any], config: TransformerConfig, sources: Sequence[Sequence[int]], *, batch: int = 32
) -> dict[str, Any]:
    """Greedy translations of real sentences by two models: how many come out with identical tokens."""
    options = SearchOptions(beam_size=1)
    same = 0
    order = sorted(range(len(sources)), key=lambda index: len(sources[index]))
    for start in range(0, len(order), batch):
        chosen = [sources[index] for index in order[start : start + batch]]
        results = [
            decode(
                side,
                chosen,
                start_id=config.decoder_start_id,
                eos_id=config.eos_id,
                options=options,
                max_length=config.max_positions,
            )
            for side in (one, other)
        ]
        same += sum(a[0].tokens == b[0].tokens for a, b in zip(*results, strict=True))
    return {"sentences": len(sources), "identical": same}


def parity_lines(parity: Mapping[str, Any]) -> Iterator[str]:
    """Yield the figures that the export measured, from a manifest: a line for each precision."""
    for precision, figures in parity.items():
        shown = (f"{name.replace('_', ' ')} {_figure(value)}" for name, value in figures.items())
        yield f"{precision}: {', '.join(shown)}"


def _figure(value: Any) -> str:
    if isinstance(value, Mapping):  # of sentences: how many
        return f"{value['identical']:,} of {value['sentences']:,} sentences"
    return f"{value:.2g}" if isinstance(value, float) else str(value)
