"""``dragoman export``, ``dragoman restore`` and ``dragoman attention``."""

from pathlib import Path
from typing import Annotated

import typer


def export(
    checkpoint: Annotated[Path, typer.Argument(help="Model folder, e.g. runs/de-en/averaged.")],
    out: Annotated[Path, typer.Argument(help="Folder of the bundle, made or replaced, e.g. artifacts/de-en.")],
    sentences: Annotated[
        Path | None,
        typer.Option(
            help="Pair file. Both sides of its first 500 pairs are translated by PyTorch and by the graphs for "
            "comparison; every second one calibrates int8. [default: random pieces calibrate int8, less well]"
        ),
    ] = None,
    shortlist: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the run, e.g. runs/de-en, or of a bundle that has a shortlist. Adds the int8-shortlist "
            "graphs: each sentence may only use the pieces that the run's word alignments suggest."
        ),
    ] = None,
) -> None:
    """Export a trained model as a bundle: ONNX graphs in int8, float32 and float16, with a parity report.

    OUT changes only when the bundle is complete. Its manifest holds the parity report; 'dragoman info OUT' shows it.
    """
    from export.bundle_builder import Sentences, build_bundle
    from export.parity import parity_lines
    from export.progress import reporting
    from export.shortlist import read_shortlist
    from model.data.pairs import read_pairs
    from model.training.provenance import read_card

    groups = []
    if sentences is not None:
        first, second = read_card(checkpoint).languages
        pairs = list(read_pairs(sentences))[:500]
        groups = [
            Sentences(first, second, [a for a, _ in pairs]),
            Sentences(second, first, [b for _, b in pairs]),
        ]
    with reporting("exporting") as report:
        table = read_shortlist(shortlist, read_card(checkpoint).languages) if shortlist else None
        bundle = build_bundle(checkpoint, out, sentences=groups, shortlist=table, report=report)
    for line in parity_lines(bundle.manifest.parity):
        typer.echo(line)


def restore(
    bundle: Annotated[
        Path, typer.Argument(help="Folder of a bundle that 'dragoman export' made, e.g. artifacts/de-en.")
    ],
    out: Annotated[Path, typer.Argument(help="Model folder to make, e.g. runs/initial.")],
) -> None:
    """Make a model folder from a bundle, to continue training from its weights.

    Name the folder in a recipe: initial = "runs/initial".
    """
    from app.engine.models.bundle import Bundle
    from export.restore import restore as write_model_folder

    write_model_folder(Bundle.open(bundle), out)
    typer.echo(f"{out} is ready: name it in a recipe as 'initial', then run dragoman train")


def attention(
    bundle: Annotated[Path, typer.Argument(help="Folder of a bundle with float32 graphs, e.g. artifacts/de-en.")],
    text: Annotated[str, typer.Argument(help="One sentence.")],
    out: Annotated[Path, typer.Option(help="The picture to write, a PNG.")] = Path("map.png"),
    pair: Annotated[str | None, typer.Option(help="Direction, e.g. en-de.", show_default="the bundle's first")] = None,
) -> None:
    """Draw what every attention head of encoder and decoder looks at while a sentence is translated."""
    from app.engine.models.bundle import Bundle
    from export.attention_maps import read_maps
    from model.evaluation.attention_maps import draw_maps

    opened = Bundle.open(bundle)
    pairs = {f"{each.source}-{each.target}": each for each in opened.manifest.pairs}
    if pair is not None and pair not in pairs:
        raise typer.BadParameter(f"must be one of {', '.join(pairs)}", param_hint="--pair")
    maps = read_maps(opened, text, pairs[pair] if pair else opened.manifest.pairs[0])
    draw_maps(maps, out)
    typer.echo(f"{out}: {len(maps.source)} tokens of the source, {len(maps.target)} of the target")
