"""``dragoman ablation``."""

from pathlib import Path
from typing import Annotated

import typer


def ablation(
    recipe: Annotated[
        Path, typer.Argument(help="TOML file with a table \\[ablation], e.g. model/recipes/ablation.toml.")
    ],
    data: Annotated[Path, typer.Option(help="Folder that the recipe's pair files are relative to.")] = Path(
        "data/de-en"
    ),
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("runs/ablation"),
    device: Annotated[str, typer.Option(help="auto, cpu or cuda: where models are trained.")] = "auto",
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads.", show_default="all cores")] = None,
    updates: Annotated[
        int | None, typer.Option(min=1, help="Updates of each variant.", show_default="the recipe's")
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            min=0.01, help="Minutes that the baseline trains; the others make as many updates.", show_default=False
        ),
    ] = None,
) -> None:
    """Train a model and its variants on the same batches, export each, and compare them.

    Run it again to continue a stopped run. OUT/ablation.md, .csv and .png hold the results.
    """
    from export.ablation import draw_ablation, run_ablation
    from export.progress import reporting
    from model.training.commands import training_place

    if updates and minutes:
        raise typer.BadParameter("can't be given with --updates", param_hint="--minutes")
    with reporting("comparing") as report:
        results = run_ablation(
            recipe,
            data,
            out,
            training_place(device, threads),
            updates=updates,
            minutes=minutes,
            report=report,
            on_update=lambda metrics: None,
        )
    draw_ablation(results, out / "ablation.png")
    typer.echo((out / "ablation.md").read_text(encoding="utf-8"))
