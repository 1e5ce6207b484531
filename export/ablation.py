"""Trains a baseline and variants of it on the same batches, exports each, and compares them.

Batches are a function of the seed and of their number, so every variant sees the same tokens in the same order.
"""

import csv
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece
import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.engine.decoding.batch_decoder import Model, decode
from app.engine.onnx.opening import open_model, opened_graphs
from app.engine.options import SearchOptions
from export.bundle_builder import Sentences, build_bundle
from export.precisions import WEIGHTS
from model.data.batches import Batch, pad
from model.data.corpus import build_corpus
from model.data.pairs import read_pairs
from model.data.tokenizer import BOS_ID, EOS_ID
from model.evaluation.evaluate import TestSet, evaluate, open_translator
from model.network.transformer import Transformer
from model.recipe import Recipe, RecipeError, Training
from model.recipe_files import read_table, read_text
from model.training.checkpoint import load_model
from model.training.loss import losses
from model.training.train import Distributed, Metrics, Trainer

BASELINE = "baseline"
# Sentences whose translation is timed, and how many are translated together.
_TIMED, _TOGETHER = 64, 32

Report = Callable[[str], None]


class Plan(BaseModel):
    """The table ``[ablation]`` of a recipe."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tests: tuple[str, str] = Field(description="pair files that are translated, relative to the data folder")
    limit: int = Field(500, ge=1, description="pairs of each that are translated")
    variants: Mapping[str, Mapping[str, Any]] = Field(description="by name, the fields of [model] that differ")


@dataclass(frozen=True)
class Result:
    """The figures of one variant.

    Attributes:
        variant: Its name in the recipe.
        target_tokens: Target tokens that training saw.
        training_s: Seconds of training.
        parameters: Parameters of the model.
        int8_bytes: Size of the graphs that int8 opens and of their weights, which are float16 on disk.
        validation_loss: Negative log-likelihood per target token of the validation pairs.
        loss_within: The same on pairs of the second test set that are as long as training had.
        loss_beyond_1, loss_beyond_2, loss_beyond_3: The same on pairs up to 4/3, 5/3 and 2 times as long; None where
            there are none, or the model has no positions for them.
        bleu_1, bleu_2: BLEU on the first pairs of the two test sets, into the second language, greedy, float32.
        ms_alone, ms_together: Processor time a sentence, greedy, int8: one at a time, and 32 at a time.
    """

    variant: str
    target_tokens: int
    training_s: float
    parameters: int
    int8_bytes: int
    validation_loss: float
    loss_within: float | None
    loss_beyond_1: float | None
    loss_beyond_2: float | None
    loss_beyond_3: float | None
    bleu_1: float
    bleu_2: float
    ms_alone: float
    ms_together: float


def read_plan(path: Path) -> tuple[Plan, dict[str, Recipe]]:
    """The plan, and a recipe for the baseline and for each variant.

    Raises:
        RecipeError: The file can't be read, has no table ``[ablation]``, or describes a model that can't be made.
    """
    try:
        values = read_table(path)
        plan = Plan.model_validate(values.pop("ablation", {}))
        changes = {BASELINE: {}, **plan.variants}
        model = values.get("model", {})
        if values.get("direction") == "reverse":
            raise RecipeError(f"{path}: an ablation measures the first direction, which a reverse model lacks")
        return plan, {name: Recipe.model_validate(values | {"model": model | made}) for name, made in changes.items()}
    except OSError as error:
        raise RecipeError(f"{path}: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise RecipeError(f"{path}: {'.'.join(map(str, first['loc'])) or 'recipe'}: {first['msg']}") from error
    except ValueError as error:
        raise RecipeError(f"{path}: {error}") from error


def run_ablation(
    path: Path,
    data: Path,
    out: Path,
    place: Distributed,
    *,
    updates: int | None = None,
    minutes: float | None = None,
    report: Report,
    on_update: Callable[[Metrics], None],
) -> list[Result]:
    """Train, export and measure all variants. Finished variants are kept, and a stopped variant is resumed.

    Args:
        path: A recipe with a table ``[ablation]``.
        data: Folder of the pair files.
        out: Folder of the results: a run and a bundle for each variant.
        place: Device.
        updates: Instead of the recipe's.
        minutes: Instead of updates, how long the baseline trains; the others make as many updates.
        report: Called with a line on each step.
        on_update: Called with the metrics of each update.

    Raises:
        RecipeError: The recipe can't be used.
        PairsError: A pair file is missing or malformed.
    """
    plan, recipes = read_plan(path)
    shared = out / "shared"
    shared.mkdir(parents=True, exist_ok=True)
    build_corpus(recipes[BASELINE], data, shared, report=report)
    if minutes is not None:
        updates = _affordable(recipes[BASELINE], shared, place, minutes, out / "budget.json")
        report(f"{minutes:g} minutes are {updates:,} updates of the baseline")
    results = []
    for name, recipe in recipes.items():
        if updates is not None:
            recipe = recipe.model_copy(update={"training": shortened(recipe.training, updates)})
        done = out / name / "result.json"
        if not done.exists():
            report(f"{name}: training")
            _share(shared, out / name)
            trainer = Trainer(recipe, read_text(path), out / name, place)
            result = _measured(name, trainer, trainer.fit(on_update), plan, data, report)
            done.write_text(json.dumps(asdict(result)), encoding="utf-8")
        results.append(Result(**json.loads(done.read_text(encoding="utf-8"))))
        write_table(results, out)
    return results


def shortened(training: Training, updates: int) -> Training:
    """Return the same training in fewer or more updates: warm-up and cool-down keep their shares."""
    share = updates / training.updates
    return training.model_copy(
        update={
            "updates": updates,
            "warmup": max(1, round(training.warmup * share)),
            "cooldown": round(training.cooldown * share),
            "validate_every": max(1, round(training.validate_every * share)),
        }
    )


def _affordable(recipe: Recipe, shared: Path, place: Distributed, minutes: float, remembered: Path) -> int:
    """Updates of the baseline within the time; measured once, so that a run that goes on has the same budget."""
    if not remembered.exists():
        trainer = Trainer(recipe, "", shared, place)
        batches = trainer.batches(0)
        seconds = [trainer.update(batches)["seconds"] for _ in range(30)]  # in all, so far
        each = (seconds[-1] - seconds[9]) / 20  # the first ones compile kernels
        remembered.write_text(json.dumps({"minutes": minutes, "updates": max(1, round(60 * minutes / each))}))
    return int(json.loads(remembered.read_text(encoding="utf-8"))["updates"])


def _share(shared: Path, run: Path) -> None:
    """Share one tokenizer and one corpus among all runs."""
    run.mkdir(parents=True, exist_ok=True)
    for name in ("tokenizer.spm", "corpus"):
        if not (run / name).exists():
            (run / name).symlink_to(Path("..") / shared.name / name)


def _measured(name: str, trainer: Trainer, averaged: Path, plan: Plan, data: Path, report: Report) -> Result:
    model, recipe = load_model(averaged), trainer.recipe
    first, second = recipe.languages
    sets = [TestSet.read(data / test, plan.limit) for test in plan.tests]
    trainer.model.load_state_dict(model.state_dict())
    validation_loss = trainer.validate()
    report(f"{name}: exporting")
    texts = [pair[0] for pair in sets[0].pairs[::2]]
    groups = [Sentences(first, second, texts)]
    bundle = build_bundle(averaged, averaged.parent / "bundle", sentences=groups, has_float16=False, report=report)
    report(f"{name}: measuring")
    translator = open_translator(bundle.path, precision="float32", threads=1)
    options = SearchOptions(beam_size=1)
    try:
        scores = [evaluate(translator, each, reverse=False, options=options, advance=lambda _: None) for each in sets]
    finally:
        translator.close()
    tag = trainer.tags[1]
    processor = sentencepiece.SentencePieceProcessor(model_file=str(trainer.tokenizer))
    sources = [[tag, *processor.encode(text), EOS_ID] for text, _ in islice(sets[0].pairs, _TIMED)]
    graphs = open_model(bundle, "int8")
    by_length = [_loss_of_lengths(model, data / plan.tests[1], processor, tag, most) for most in _ranges(recipe)]
    names = {path.name for path in bundle.graphs(opened_graphs(bundle.manifest, "int8")).values()} | {WEIGHTS}
    return Result(
        variant=name,
        target_tokens=trainer.state.tokens,
        training_s=round(trainer.state.seconds, 1),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        int8_bytes=sum((bundle.path / file).stat().st_size for file in names),
        validation_loss=round(validation_loss, 4),
        loss_within=by_length[0],
        loss_beyond_1=by_length[1],
        loss_beyond_2=by_length[2],
        loss_beyond_3=by_length[3],
        bleu_1=scores[0].bleu,
        bleu_2=scores[1].bleu,
        ms_alone=_milliseconds(graphs, model, sources, 1),
        ms_together=_milliseconds(graphs, model, sources, _TOGETHER),
    )


def _ranges(recipe: Recipe) -> list[tuple[int, int]]:
    """The lengths that training had, then three equal ranges up to twice that."""
    longest = recipe.training.max_length
    ends = [longest * thirds // 3 for thirds in (3, 4, 5, 6)]
    return list(pairwise([0, *ends]))


@torch.no_grad()
def _loss_of_lengths(
    model: Transformer, pairs: Path, processor: sentencepiece.SentencePieceProcessor, tag: int, lengths: tuple[int, int]
) -> float | None:
    """Negative log-likelihood per target token of pairs with a longer side in a range, its beginning left out."""
    if model.config.positions == "learned" and lengths[1] > model.config.max_positions:
        return None
    likelihood, tokens = 0.0, 0
    for source, target in ((processor.encode(a), processor.encode(b)) for a, b in read_pairs(pairs)):
        if not lengths[0] < max(len(source), len(target)) + 2 <= lengths[1]:
            continue
        ids = ([tag, *source, EOS_ID], [BOS_ID, *target], [*target, EOS_ID])
        source_ids, shown, wanted = (pad([np.array(row)]) for row in ids)
        links = torch.zeros(0, 3, dtype=torch.int64)
        found = losses(model, Batch(source_ids, shown, wanted, links, torch.zeros(0)), 0.0)
        likelihood, tokens = likelihood + float(found.likelihood), tokens + found.tokens
    return round(likelihood / tokens, 4) if tokens else None


def _milliseconds(graphs: Model[Any], model: Transformer, sources: Sequence[Sequence[int]], together: int) -> float:
    """Processor time a sentence; the fastest of three rounds, for others use the machine too."""
    config = model.config
    rounds = []
    for _ in range(3):
        began = time.process_time()
        for start in range(0, len(sources), together):
            decode(
                graphs,
                sources[start : start + together],
                start_id=config.decoder_start_id,
                eos_id=config.eos_id,
                options=SearchOptions(beam_size=1),
                max_length=64,
            )
        rounds.append(time.process_time() - began)
    return round(1000 * min(rounds) / len(sources), 2)


def write_table(results: Sequence[Result], out: Path) -> None:
    """Write ``ablation.csv`` and ``ablation.md``."""
    names = [field.name for field in fields(Result)]
    rows = [["" if value is None else str(value) for value in asdict(result).values()] for result in results]
    with (out / "ablation.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    lines = ["| " + " | ".join(row) + " |" for row in (names, ["---"] * len(names), *rows)]
    (out / "ablation.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def draw_ablation(results: Sequence[Result], out: Path) -> None:
    """Draw validation loss, BLEU and time a sentence of each variant as a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = [result.variant for result in results]
    figure, (loss, bleu, speed) = pyplot.subplots(
        1, 3, figsize=(14, 2 + 0.35 * len(names)), sharey=True, layout="constrained"
    )
    places = np.arange(len(names))
    losses = [result.validation_loss for result in results]
    loss.plot(losses, places, "o")  # not bars: they begin at 0, where no loss is
    loss.axvline(losses[0], linewidth=0.8, linestyle=":")
    loss.set_xlabel("validation loss per target token")
    loss.set_yticks(places, names)
    loss.invert_yaxis()
    for axes, kinds, label in (
        (bleu, {"bleu_1": "first test set", "bleu_2": "second test set"}, "BLEU, greedy, float32"),
        (speed, {"ms_alone": "one at a time", "ms_together": "32 at a time"}, "processor time a sentence, int8, ms"),
    ):
        for offset, (kind, name) in zip((-0.2, 0.2), kinds.items(), strict=True):
            axes.barh(places + offset, [getattr(result, kind) for result in results], height=0.4, label=name)
        axes.set_xlabel(label)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
    loss.margins(x=0.1)
    figure.savefig(out, dpi=110, format="png")
    pyplot.close(figure)
