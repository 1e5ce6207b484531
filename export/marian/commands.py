"""``dragoman import``."""

from pathlib import Path
from typing import Annotated

import typer


def import_model(
    source: Annotated[
        str,
        typer.Argument(
            help="A MarianMT folder (config.json) or an OPUS-MT release (.npz, decoder.yml, ...), either also as a zip "
            "file, or a model of the Hugging Face Hub, e.g. Helsinki-NLP/opus-mt-de-fr."
        ),
    ],
    out: Annotated[Path, typer.Argument(help="Folder of the bundle, made or replaced, e.g. artifacts/de-fr.")],
    pair: Annotated[
        list[str] | None,
        typer.Option(
            help="Languages, as de-fr; repeatable. For a model of several target languages, en-zh=cmn_Hans names the "
            "tag >>cmn_Hans<<. [default: what the model's files say]",
            show_default=False,
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Of the bundle [default: SOURCE's].", show_default=False)] = None,
    licence: Annotated[
        str | None, typer.Option(help="Of the model [default: what its card says].", show_default=False)
    ] = None,
    sentences: Annotated[
        Path | None,
        typer.Option(
            help="Text in the source language, a sentence a line; its first 500 lines calibrate int8, and are "
            "translated by PyTorch and by the graphs for comparison [default: 24 lines of names and numbers].",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Import a Marian or OPUS-MT model as a bundle, as it is: no training, and no other framework when it serves.

    The bundle is complete or not there at all. It has int8, float32 and float16 graphs, compared with the model in
    PyTorch, and the attention head that aligns words best, if one does.
    """
    from itertools import islice

    from export.marian.importing import Choices, import_bundle
    from export.progress import reporting

    lines: list[str] = []
    if sentences is not None:
        with sentences.open(encoding="utf-8") as file:
            lines = [line.strip() for line in islice(file, 500) if line.strip()]
    choices = Choices(pairs=pair or (), name=name, licence=licence, sentences=lines)
    with reporting("importing") as report:
        manifest = import_bundle(source, out, choices=choices, report=report).manifest
    for precision, figures in manifest.parity.items():
        typer.echo(f"{precision}: {figures}")
    typer.echo(f"alignment: {manifest.alignment.model_dump() if manifest.alignment else 'none'}")
    shown = ", ".join(f"{item.source}-{item.target}" for item in manifest.pairs[:10])
    typer.echo(f"{len(manifest.pairs)} pair(s): {shown}{', ...' if len(manifest.pairs) > 10 else ''}")
    typer.echo(f"dragoman serve --bundle {out}")
