"""``dragoman evaluate``, ``dragoman calibrate`` and ``dragoman contrast``."""

from contextlib import closing
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from model.progress import progress_bar

if TYPE_CHECKING:
    from app.engine.models.manifest import Score

PRECISIONS = ("int8", "float32", "float16")
DEFAULT_SETS = Path("data/de-en/eval")


def evaluate(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A bundle (artifacts/de-en) or a checkpoint (runs/de-en/averaged).")
    ],
    sets: Annotated[
        list[Path] | None,
        typer.Argument(help="Pair files, or folders of them.", show_default=str(DEFAULT_SETS)),
    ] = None,
    beam_size: Annotated[int, typer.Option(min=1, max=16, help="Beam width; 1 is greedy search.")] = 4,
    precision: Annotated[str, typer.Option(help=f"Graphs of a bundle: {', '.join(PRECISIONS)}.")] = "int8",
    limit: Annotated[int | None, typer.Option(min=1, help="Number of pairs of each set.", show_default="all")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Decoders that work in parallel, for a bundle.")] = 2,
    no_lexicons: Annotated[
        bool, typer.Option("--no-lexicons", help="Measure the models of a bundle without its lexicons of rare words.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Record the scores in the bundle's manifest.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per score.")] = False,
) -> None:
    """Measure BLEU and chrF with sacrebleu, in both directions if the model translates both."""
    from app.engine.options import SearchOptions
    from model.data.pairs import pair_files
    from model.evaluation.evaluate import TestSet, open_translator, record_scores
    from model.evaluation.evaluate import evaluate as score

    if precision not in PRECISIONS:
        raise typer.BadParameter(f"must be one of {', '.join(PRECISIONS)}", param_hint="--precision")
    if write and (limit or no_lexicons or not (path / "manifest.json").exists()):
        raise typer.BadParameter("needs a bundle with its lexicons, and whole sets", param_hint="--write")
    test_sets = [TestSet.read(file, limit) for file in pair_files(sets or [DEFAULT_SETS])]
    translator = open_translator(path, precision=precision, threads=threads, lexicons=not no_lexicons)  # type: ignore[arg-type]
    scores: list[Score] = []
    # Without second attempts: this measures the model, not the service's repairs.
    options = SearchOptions(beam_size=beam_size)
    with closing(translator), progress_bar() as bar:
        for test_set, reverse in product(test_sets, translator.reversals):
            task = bar.add_task(f"{test_set.name}{' reversed' if reverse else ''}", total=len(test_set.pairs))
            advance = partial(bar.advance, task)
            scores.append(score(translator, test_set, reverse=reverse, options=options, advance=advance))
    if as_json:
        for item in scores:
            typer.echo(item.model_dump_json())
    else:
        _print_table(scores, path)
    if write:
        record_scores(path, scores)


def calibrate(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle, e.g. artifacts/de-en.")],
    sets: Annotated[
        list[Path] | None,
        typer.Argument(help="Pair files, or folders of them.", show_default=str(DEFAULT_SETS)),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=20, help="Number of pairs of each set.", show_default="all")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads of the graphs.")] = 2,
    plot: Annotated[Path | None, typer.Option(help="Where to draw the reliability diagram, a PNG.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Put the result into the bundle's manifest.")] = False,
) -> None:
    """Fit the confidence that the service reports for a sentence: the chance that its translation is good.

    It is fitted on the first half of each set, over all directions of the bundle, and checked on the second half.
    """
    from rich.console import Console
    from rich.table import Table

    from app.engine.models.bundle import Bundle
    from model.data.pairs import pair_files
    from model.evaluation import calibration
    from model.evaluation.evaluate import TestSet

    bundle = Bundle.open(path)
    test_sets = [TestSet.read(file, limit) for file in pair_files(sets or [DEFAULT_SETS])]
    lines = sum(len(test_set.pairs) for test_set in test_sets) * len(bundle.manifest.pairs)
    with progress_bar() as bar:
        task = bar.add_task("translating", total=lines)
        judged = list(
            calibration.judge(bundle, test_sets, threads=threads, advance=lambda done: bar.advance(task, done))
        )
    if not judged:
        raise typer.BadParameter("almost no line of these files is a single sentence", param_hint="SETS")
    fitted, checked = zip(*(part.halves() for part in judged), strict=True)
    confidence = calibration.fit(fitted)
    everything = calibration.together(checked)
    columns = ("second half of", "sentences", "good %", "mean confidence %", "calibration error %")
    table = Table(*columns, title=str(path))
    for part in (*checked, everything):
        chance = calibration.chances(confidence, part)
        error = calibration.calibration_error(chance, part.good)
        figures = (100 * part.good.mean(), 100 * chance.mean(), 100 * error)
        table.add_row(part.name, str(len(part.good)), *(f"{figure:.1f}" for figure in figures))
    confidence = confidence.model_copy(update={"error": round(error, 4)})
    Console().print(table)
    typer.echo(confidence.model_dump_json())
    if plot:
        calibration.draw_reliability(chance, everything.good, plot)
    if write:
        calibration.record_confidence(bundle, confidence)


def contrast(
    path: Annotated[Path, typer.Argument(metavar="CHECKPOINT", help="Model folder, e.g. runs/memory/averaged.")],
    documents: Annotated[
        list[Path], typer.Argument(help="Files of German-English pairs, in the order of their documents.")
    ],
    sentences_before: Annotated[int, typer.Option("--before", min=1, help="Sentences read before each example.")] = 3,
    threads: Annotated[int, typer.Option(min=1, help="CPU threads.")] = 2,
) -> None:
    """Measure how often a model prefers the right German pronoun and form of address, with and without context.

    The context is the sentences before. The examples are found by rules. A model without a memory gets the same figures
    for both.
    """
    import torch
    from rich.console import Console
    from rich.table import Table

    from app.engine.models.tokenizer import Tokenizer
    from model.data.pairs import read_pairs
    from model.evaluation.contrastive import find_examples, measure
    from model.training.checkpoint import load_model
    from model.training.provenance import CARD, read_card

    # A run's checkpoints have no card; what it averages has one.
    if (path / CARD).exists() and ("en", "de") not in read_card(path).pairs:
        raise typer.BadParameter("the model doesn't translate from en to de", param_hint="CHECKPOINT")
    torch.set_num_threads(threads)
    model, tokenizer = load_model(path), Tokenizer(path / "tokenizer.spm", path / "tokenizer.spm")
    examples = [one for file in documents for one in find_examples(list(read_pairs(file)), sentences_before)]
    if not examples:
        raise typer.BadParameter("no pair of these files is an example", param_hint="DOCUMENTS")
    with progress_bar() as bar:
        task = bar.add_task("scoring", total=len(examples))
        found = measure(model, tokenizer, examples, advance=lambda done: bar.advance(task, done))
    table = Table("right is", "examples", "right %", "without context", "margin", "without context", title=str(path))
    for one in found:
        figures = (f"{100 * share:.1f}" for share in one.accuracy)
        table.add_row(one.kind, str(one.examples), *figures, *(f"{margin:.2f}" for margin in one.margin))
    Console().print(table)


def _print_table(scores: "list[Score]", path: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(
        "set",
        "direction",
        "sentences",
        "BLEU",
        "chrF",
        title=f"{path}, {scores[0].precision}, beam {scores[0].beam_size}",
    )
    for item in scores:
        table.add_row(
            item.test_set, f"{item.source}-{item.target}", str(item.sentences), f"{item.bleu:.1f}", f"{item.chrf:.1f}"
        )
    Console().print(table)
    typer.echo(f"BLEU {scores[0].bleu_signature}\nchrF {scores[0].chrf_signature}")
