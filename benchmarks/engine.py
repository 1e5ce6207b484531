"""Speed of the engine on real sentences, against CTranslate2 with the same weights, in the same run.

    python benchmarks/engine.py artifacts/de-en data/de-en/eval/tatoeba.test.tsv

With ``--target-length`` every translation gets that many tokens in both engines: for models of random weights, which
don't know when to end.

Each round times both engines one after the other on the same batches of token ids; the table shows the median over the
rounds, with the smallest and the largest. Tokens are target tokens, ends of sentences included; the two may translate a
sentence differently, so the ratio is one of time per token. The last line is JSON.
"""

import json
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Annotated

import ctranslate2
import onnxruntime
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from app.engine.bundle import Bundle, Precision
from app.engine.decoding import decode
from app.engine.runtime import OnnxModel
from app.engine.tokenizer import Tokenizer
from app.engine.translation import SearchOptions
from benchmarks.ctranslate2_model import convert, open_model, piece_names
from model.pairs import read_pairs

BATCHES = (1, 8, 32)
BEAMS = (1, 4)
PRECISIONS: tuple[Precision, ...] = ("int8", "float32")

Sources = Sequence[list[int]]
Translate = Callable[[Sources, int], int]
"""A batch of source ids and a beam size -> the number of target tokens."""


def dragoman(bundle: Bundle, precision: Precision, threads: int, length: int | None) -> Translate:
    """Our search over our graphs, without scheduler and feature cache; ``length`` fixes the target's."""
    fixed = {"min_length": length, "max_length": length} if length else {}
    ids = bundle.manifest.ids
    model = OnnxModel(*bundle.graphs(precision), pad_id=ids.pad, provider="cpu", threads=threads)

    def translate(sources: Sources, beam: int) -> int:
        options = SearchOptions(beam_size=beam, **fixed)
        found = decode(model, sources, start_id=ids.decoder_start, eos_id=ids.eos, options=options)
        return sum(len(hypotheses[0].tokens) + (length is None) for hypotheses in found)

    return translate


def peer(folder: Path, pieces: Sequence[str], precision: Precision, threads: int, length: int | None) -> Translate:
    """CTranslate2 on the converted weights."""
    fixed = {"min_decoding_length": length, "max_decoding_length": length} if length else {}
    translator = open_model(folder, compute_type=precision, threads=threads)

    def translate(sources: Sources, beam: int) -> int:
        given = [[pieces[index] for index in source] for source in sources]
        found = translator.translate_batch(given, beam_size=beam, **fixed)
        return sum(len(result.hypotheses[0]) + (length is None) for result in found)

    return translate


def timed(translate: Translate, sources: Sources, batch: int, beam: int) -> tuple[float, int]:
    """Seconds and target tokens of translating all sources, batch by batch."""
    began = time.perf_counter()
    tokens = sum(translate(sources[start : start + batch], beam) for start in range(0, len(sources), batch))
    return time.perf_counter() - began, tokens


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    pairs: Annotated[Path, typer.Argument(help="Pair file; its first column is translated.")],
    sentences: Annotated[int, typer.Option(min=1, help="Sentences a round.")] = 128,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, after one that warms up.")] = 5,
    threads: Annotated[int, typer.Option(min=1, help="Threads of either engine.")] = 1,
    target_length: Annotated[
        int | None, typer.Option(min=1, max=512, help="Tokens of every translation [default: the model's own end].")
    ] = None,
) -> None:
    """Compare tokens per second, greedy and beam 4, in batches of 1, 8 and 32."""
    bundle = Bundle.open(path)
    manifest = bundle.manifest
    tokenizer = Tokenizer(*bundle.tokenizer_files)
    pieces, _ = piece_names(bundle)
    tag = manifest.pairs[0].tag
    prefix = [tokenizer.piece_id(tag)] if tag else []
    texts = [first for first, _ in read_pairs(pairs)][:sentences]
    encoded = [[*prefix, *tokenizer.encode(text), manifest.ids.eos] for text in texts]
    sources = sorted((ids for ids in encoded if len(ids) <= manifest.longest_source), key=len)
    results = []
    with TemporaryDirectory() as folder:
        convert(bundle, Path(folder) / "model")
        for precision in PRECISIONS:
            ours = dragoman(bundle, precision, threads, target_length)
            theirs = peer(Path(folder) / "model", pieces, precision, threads, target_length)
            settings = [(batch, beam) for beam in BEAMS for batch in BATCHES]
            for batch, beam in track(settings, precision, console=Console(stderr=True)):
                runs = [
                    (timed(ours, sources, batch, beam), timed(theirs, sources, batch, beam)) for _ in range(rounds + 1)
                ][1:]
                results.append(
                    {
                        "precision": precision,
                        "beam": beam,
                        "batch": batch,
                        "tokens_per_s": [tokens / seconds for (seconds, tokens), _ in runs],
                        "peer_tokens_per_s": [tokens / seconds for _, (seconds, tokens) in runs],
                        "ms_per_sentence": [1000 * seconds / len(sources) for (seconds, _), _ in runs],
                        "ratio": [(mine[1] / mine[0]) / (other[1] / other[0]) for mine, other in runs],
                    }
                )
    print_table(results, title=f"{path} on {pairs.name}")
    print(
        f"{platform.machine()}, {threads} thread(s), ONNX Runtime {onnxruntime.__version__}, "
        f"CTranslate2 {ctranslate2.__version__}, {len(sources)} sentences sorted by length, "
        f"{mean(map(len, sources)):.1f} source pieces on average"
    )
    print(json.dumps({"benchmark": "engine", "threads": threads, "sentences": len(sources), "results": results}))


def print_table(results: Sequence[dict[str, object]], title: str) -> None:
    """One row a setting: median (smallest-largest)."""

    def spread(values: object, spec: str) -> str:
        assert isinstance(values, list)
        return f"{median(values):{spec}} ({min(values):{spec}}-{max(values):{spec}})"

    table = Table("precision", "beam", "batch", "tokens/s", "CTranslate2", "ratio", "ms/sentence", title=title)
    for row in results:
        table.add_row(
            str(row["precision"]),
            str(row["beam"]),
            str(row["batch"]),
            spread(row["tokens_per_s"], ",.0f"),
            spread(row["peer_tokens_per_s"], ",.0f"),
            spread(row["ratio"], ".2f"),
            spread(row["ms_per_sentence"], ".1f"),
        )
    Console(width=130).print(table)


if __name__ == "__main__":
    typer.run(main)
