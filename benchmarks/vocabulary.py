"""Measures an adaptive embedding and softmax with a large vocabulary: random weights, float32, one thread.

    python -m benchmarks.vocabulary

Prints parameters, bytes of the decoder graph, and processor time of a step for 1 and for 32 sentences.
"""

import json
import tempfile
import time
from pathlib import Path

import onnx
import torch
import typer

from app.engine.onnx.model import OnnxModel
from export.arrays import arrays_of
from export.written_graphs import written_decoder, written_encoder
from model.network.config import TransformerConfig
from model.network.decoder_only import new_model

STEPS, ROUNDS = 12, 5
SOURCE = [5, 6, 7, 8, 9, 10, 2]


def main(
    pieces: int = typer.Option(32_000, help="Vocabulary."),
    cutoffs: str = typer.Option("4000,12000", help="Ends of the clusters but the last."),
    width: int = typer.Option(256, help="Model width."),
) -> None:
    """Compare one table with clusters, side by side."""
    torch.set_num_threads(1)
    results: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        graphs = {}
        for name, ends in (("one table", ""), (f"cutoffs {cutoffs}", cutoffs)):
            config = TransformerConfig(
                source_vocabulary=pieces,
                target_vocabulary=pieces,
                decoder_layers=2,
                width=width,
                heads=width // 64,
                feed_forward=4 * width,
                norm="pre",
                cutoffs=tuple(int(end) for end in ends.split(",") if end),
            )
            torch.manual_seed(0)
            model = new_model(config).eval()
            encoder, decoder = (Path(folder) / f"{part}{len(results)}.onnx" for part in ("encoder", "decoder"))
            arrays = arrays_of(model)
            onnx.save(written_encoder(config, arrays), encoder)
            onnx.save(written_decoder(config, arrays), decoder)
            graphs[name] = OnnxModel(encoder, decoder, pad_id=config.pad_id, provider="cpu", threads=1)
            parameters = sum(parameter.numel() for parameter in model.parameters())
            results[name] = {"parameters": parameters, "decoder_bytes": decoder.stat().st_size}
        for _ in range(ROUNDS):  # in turns, so that other programs slow both down
            for name, opened in graphs.items():
                for sentences in (1, 32):
                    key = f"ms_a_step_{sentences}"
                    results[name][key] = min(results[name].get(key, float("inf")), _step(opened, sentences))
    for name, figures in results.items():
        print(name, *(f"{key} {value:,.2f}" for key, value in figures.items()), sep="  ")
    print(json.dumps(results))


def _step(graphs: OnnxModel, sentences: int) -> float:
    """Milliseconds of processor time."""
    rows = graphs.rows()
    rows.join(graphs.encode([SOURCE] * sentences))
    began = time.process_time()
    for _ in range(STEPS):
        rows.step([7] * sentences, 4)
    return 1000 * (time.process_time() - began) / STEPS


if __name__ == "__main__":
    typer.run(main)
