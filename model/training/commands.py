"""``dragoman train``, ``dragoman shares`` and ``dragoman pretrain``."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from model.progress import progress_bar

if TYPE_CHECKING:
    from model.training.train import Distributed, Metrics


def train(
    recipe: Annotated[
        Path, typer.Argument(help="TOML file: data, tokenizer, model and training, e.g. model/recipes/de-en.toml.")
    ],
    data: Annotated[Path, typer.Option(help="Folder that the recipe's pair files are relative to.")] = Path(
        "data/de-en"
    ),
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run.", show_default="runs/NAME of the recipe file")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads.", show_default="all cores")] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            help="Train for this time; updates, cooldown and patience of the recipe don't count. In its second half, "
            "the learning rate goes down to zero. The recipe's schedule must be 'trapezoid'.",
        ),
    ] = None,
) -> None:
    """Train a translation model; run it again to continue a stopped run.

    The first start makes the tokenizer and the word alignments. At the end, RUN/averaged holds the model for
    `dragoman export`, RUN/curves.png the learning curves, and RUN/metrics.jsonl the figures of every update. On
    several devices: torchrun --nproc-per-node N -m app train ...
    """
    place = training_place(device, threads)
    from model.training.train import train as run_training

    run = out or Path("runs") / recipe.stem
    averaged = _shown(run, place, partial(run_training, recipe, data, run, place, minutes=minutes))
    if place.rank == 0:
        typer.echo(f"{averaged} is ready: dragoman export {averaged} OUT", err=True)


def shares(
    recipe: Annotated[Path, typer.Argument(help="TOML file of the run, e.g. model/recipes/de-en.toml.")],
    sets: Annotated[list[Path], typer.Argument(help="Pair files that training has not seen, or folders of them.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run.", show_default="runs/NAME of the recipe file")
    ] = None,
    share: Annotated[
        list[float] | None,
        typer.Option(min=0, max=1, help="Share of the initial model; repeat it.", show_default="0, 0.2, 0.4, ... 1"),
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads.", show_default="all cores")] = None,
) -> None:
    """Compare values of `initial_share`, the part of the initial model in the mean that a run ends with.

    Prints the loss per token of each set, and of all sets on average. Lower is better. Write the best value into the
    recipe, and run `dragoman train` again: it makes the mean anew. `dragoman data complete` prepares sets with keys.
    """
    training_place("cpu", threads)
    from rich.console import Console
    from rich.table import Table

    from model.data.pairs import pair_files
    from model.recipe import Recipe
    from model.training.shares import losses_by_share

    files = pair_files(sets)
    chosen = share or [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    found = losses_by_share(Recipe.load(recipe), out or Path("runs") / recipe.stem, files, chosen)
    with progress_bar() as bar:
        columns = [losses for _, losses in bar.track(found, total=len(chosen), description="shares")]
    table = Table("set", *(f"{value:g}" for value in chosen), title=f"{recipe}: loss per token by initial_share")
    for name, *losses in zip([path.name.split(".tsv")[0] for path in files], *columns, strict=True):
        table.add_row(name, *(f"{loss:.3f}" for loss in losses))
    table.add_row("mean", *(f"{sum(losses) / len(losses):.3f}" for losses in columns))
    Console().print(table)


def pretrain(
    recipe: Annotated[Path, typer.Argument(help="TOML file of the translation run: its languages and model.")],
    texts: Annotated[
        list[Path], typer.Argument(help="Text, one sentence or paragraph a line, in both languages; plain, .gz or .xz.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the run.", show_default="runs/NAME-pretrained of the recipe file"),
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads.", show_default="all cores")] = None,
) -> None:
    """Train encoder and decoder on text without translations; run it again to continue a stopped run.

    The encoder fills in masked tokens (BERT), the decoder predicts the next token (GPT). Name the result in the recipe,
    initial = "RUN/averaged", and run `dragoman train`.
    """
    place = training_place(device, threads)
    from model.training.pretrain import pretrain as run_pretraining

    run = out or Path("runs") / f"{recipe.stem}-pretrained"
    averaged = _shown(run, place, partial(run_pretraining, recipe, texts, run, place))
    if place.rank == 0:
        typer.echo(f'{averaged} is ready: write initial = "{averaged}" into the recipe, then dragoman train', err=True)


def training_place(device: str, threads: int | None) -> "Distributed":
    """The device and the processes to train with, from the options of a command."""
    # Kernels compiled for the shapes of batches: some ten thousand, where oneDNN keeps 1,024 unless told, at its start.
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "16384")
    import torch

    from model.training.train import Distributed

    if threads:
        torch.set_num_threads(threads)
    if device not in ("auto", "cpu", "cuda"):
        raise typer.BadParameter("must be auto, cpu or cuda", param_hint="--device")
    if device == "cuda" and not torch.cuda.is_available():
        raise typer.BadParameter("there is no CUDA device on this machine", param_hint="--device")
    return Distributed.detect(device)


def _shown(run: Path, place: "Distributed", work: "Callable[..., Path]") -> Path:
    """Do the work of a run, which takes ``report`` and ``on_update``, behind a progress bar, and draw its curves."""
    from model.training.curves import draw_curves

    with progress_bar("{task.fields[loss]}", hidden=place.rank > 0) as bar:
        task = bar.add_task("training", total=None, loss="")

        def on_update(metrics: "Metrics") -> None:
            loss = f"loss {metrics['likelihood']:.3f}  {metrics['tokens_per_s']:,.0f} tokens/s"
            bar.update(task, total=metrics["updates"], completed=metrics["update"], loss=loss)
            if "validation_loss" in metrics:
                bar.console.print(f"update {metrics['update']:,.0f}: validation loss {metrics['validation_loss']:.4f}")

        averaged = work(report=bar.console.print, on_update=on_update)
    if place.rank == 0:
        draw_curves(run / "metrics.jsonl", run / "curves.png")
    return averaged
