"""``dragoman import``."""

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from app.engine.models.manifest import Alignment


def import_model(
    source: Annotated[
        str,
        typer.Argument(
            help="A folder of Firefox or translateLocally (model.*.bin, *.spm), a MarianMT folder (config.json) or an "
            "OPUS-MT release (.npz, decoder.yml, ...), each also as a zip file; firefox:de-en or firefox:de-en:tiny, a "
            "model that Mozilla publishes; or one of the Hugging Face Hub, e.g. Helsinki-NLP/opus-mt-de-fr."
        ),
    ],
    out: Annotated[Path, typer.Argument(help="Folder of the bundle, made or replaced, e.g. artifacts/de-fr.")],
    pair: Annotated[
        list[str] | None,
        typer.Option(
            help="Pair of languages, e.g. de-fr; repeatable. For a model with several target languages, "
            "en-zh=cmn_Hans names the tag >>cmn_Hans<<.",
            show_default="from the model's files",
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the bundle.", show_default="from SOURCE")] = None,
    licence: Annotated[str | None, typer.Option(help="Licence of the model.", show_default="from its card")] = None,
    sentences: Annotated[
        Path | None,
        typer.Option(
            help="Text in the source language, one sentence a line. The native operators translate its first 500 lines "
            "as the float32 graphs do, or the manifest says how often they don't.",
            show_default="24 lines of names and numbers",
        ),
    ] = None,
) -> None:
    """Import a Firefox, Marian or OPUS-MT model as a bundle, without training.

    OUT changes only when the bundle is complete. It has float32 and float16 graphs and graphs for the native operators,
    and uses the attention head that aligns words, if one does. PyTorch is not needed.
    """
    from export.agreement import parity_lines
    from export.choices import Choices
    from export.importing import import_bundle
    from export.progress import reporting

    choices = Choices(pairs=pair or (), name=name, licence=licence, sentences=_read_sentences(sentences))
    with reporting("importing") as report:
        manifest = import_bundle(source, out, choices=choices, report=report).manifest
    for line in parity_lines(manifest.parity):
        typer.echo(line)
    if manifest.alignment:
        typer.echo(f"alignment: {describe(manifest.alignment)}")
    shown = ", ".join(f"{item.source}-{item.target}" for item in manifest.pairs[:10])
    typer.echo(f"pairs of languages: {shown}{', ...' if len(manifest.pairs) > 10 else ''}")
    typer.echo(f"serve it: dragoman serve --bundle {out}")


def describe(alignment: "Alignment") -> str:
    """The result of the search for an alignment head, in words."""
    if alignment.head is not None and alignment.share is None:
        return f"head {alignment.head} of decoder layer {alignment.layer}, on trust: the translations copied nothing"
    if alignment.head is None:
        return f"the translations copied only {alignment.copied_tokens} tokens, too few to find a head by"
    found = f"head {alignment.head} of decoder layer {alignment.layer} finds {alignment.share:.0%} of copied tokens"
    return found if alignment.used else f"{found}, too few to be used"


def _read_sentences(path: Path | None) -> list[str]:
    if path is None:
        return []
    with path.open(encoding="utf-8") as file:
        return [line.strip() for line in islice(file, 500) if line.strip()]
