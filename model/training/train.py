"""The training loop: exact to resume, one process or many (``torchrun``).

Nothing random is carried along: batches are a function of (seed, number) and dropout noise of (seed, update, rank), so
a run continued from a checkpoint sees what it would have seen. Only model, optimisers and counters are saved.
"""

import json
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import sentencepiece
import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

from model.data.batches import Batch, BatchStream, NumberedBatches
from model.data.corpus import build_corpus, load_corpus, synthetic_mark
from model.data.subwords import Subwords
from model.data.tokenizer import target_tag
from model.network.decoder_only import new_model
from model.network.transformer import Transformer
from model.recipe import Recipe, RecipeError
from model.recipe_files import read_text
from model.training.checkpoint import (
    CheckpointError,
    TrainingState,
    average,
    load_model,
    load_training,
    mean_weights,
    prune,
    save_training,
    training_checkpoints,
)
from model.training.loss import Losses, loss_per_token, losses
from model.training.optimizer import Optimizers
from model.training.provenance import read_card, write_card
from model.training.schedule import TimedTrapezoid, learning_rate
from model.training.warm_start import load_initial

Metrics = dict[str, float]


@dataclass(frozen=True)
class Distributed:
    """Where this process trains: its device, and its rank among ``world`` processes started by ``torchrun``."""

    device: torch.device
    rank: int = 0
    world: int = 1

    @classmethod
    def detect(cls, device: str = "auto") -> "Distributed":
        """Read the environment of ``torchrun`` and choose a device of the machine."""
        cuda = torch.cuda.is_available() if device == "auto" else device == "cuda"
        world = int(os.environ.get("WORLD_SIZE", "1"))
        if world == 1:
            return cls(torch.device("cuda" if cuda else "cpu"))
        if not distributed.is_initialized():
            # The others wait while the first aligns the corpus.
            distributed.init_process_group("nccl" if cuda else "gloo", timeout=timedelta(days=1))
        local = int(os.environ["LOCAL_RANK"])
        return cls(torch.device("cuda", local) if cuda else torch.device("cpu"), distributed.get_rank(), world)

    def total(self, value: float) -> float:
        """Sum over all processes."""
        if self.world == 1:
            return value
        tensor = torch.tensor(value, dtype=torch.float64, device=self.device)
        distributed.all_reduce(tensor)
        return tensor.item()


class Trainer:
    """One run in one folder: ``metrics.jsonl``, ``checkpoints/``, and ``averaged/`` at the end."""

    def __init__(
        self, recipe: Recipe, recipe_text: str, run: Path, place: Distributed, timed: TimedTrapezoid | None = None
    ) -> None:
        """Load the corpus that ``build_corpus`` has made, and the newest checkpoint if there is one.

        With ``timed``, time decides about the learning rate and the end, instead of the recipe.
        """
        self.timed = timed
        self.recipe, self.recipe_text, self.training = recipe, recipe_text, recipe.training
        self.run, self.place = run, place
        self.tokenizer = run / "tokenizer.spm"
        processor = sentencepiece.SentencePieceProcessor(model_file=str(self.tokenizer))
        first, second = recipe.languages
        self.tags = (processor.piece_to_id(target_tag(first)), processor.piece_to_id(target_tag(second)))
        self.corpora, self.validation = load_corpus(recipe, run)
        self.marks = [synthetic_mark(processor, recipe) if source.synthetic else None for source in recipe.sources]
        self.marks += [None] * (len(self.corpora) - len(self.marks))
        self.consecutive = [source.consecutive for source in recipe.sources]
        self.consecutive += [False] * (len(self.corpora) - len(self.consecutive))
        self.distilled = [source.distilled for source in recipe.sources]
        self.distilled += [any(self.distilled)] * (len(self.corpora) - len(self.distilled))  # the generated pairs
        self.subwords = Subwords.of_tokenizer(processor) if recipe.training.subword_sampling else None
        torch.manual_seed(recipe.seed)
        self.model = self.prepared(new_model(recipe.transformer(processor.vocab_size()))).to(place.device)
        self.optimizers = Optimizers(self.model, self.training)
        self.state = TrainingState()
        saved = training_checkpoints(run / "checkpoints")
        if saved:
            self.state = load_training(saved[-1], self.model, self.optimizers)
        elif recipe.initial:
            read_card(Path(recipe.initial))  # the card at the end continues it: better missed now than then
            load_initial(Path(recipe.initial), self.model, self.tokenizer)
        self._began = time.monotonic() - self.state.seconds  # of earlier starts
        self.teacher: Transformer | None = None
        if recipe.initial and (recipe.initial_share or any(self.distilled)):
            same = self._load_same_shape(Path(recipe.initial))
            self.teacher = same.to(place.device).eval() if any(self.distilled) else None
        if place.rank == 0:
            _cut_metrics(run / "metrics.jsonl", self.state.update)
        # One forward for loss and logits, so that the parallel wrapper sees every parameter of the step.
        if place.device.type == "cuda":
            for layer in (*self.model.encoder, *self.model.decoder):
                layer.compile(dynamic=True)
        self.step_module: torch.nn.Module = _Step(self.model, self.training.label_smoothing, self.objective)
        if place.world > 1:
            # Batches without documents don't use what scores the memory.
            unused = self.model.config.memory_length > 0
            self.step_module = DistributedDataParallel(self.step_module, find_unused_parameters=unused)

    def _load_same_shape(self, initial: Path) -> Transformer:
        """Load the initial model; refuse one that can't teach this one or be averaged with it, before it trains.

        Raises:
            CheckpointError: Its shape or its tokenizer is another.
        """
        model = load_model(initial)
        same = model.config.without_dropout == self.model.config.without_dropout
        if not same or (initial / "tokenizer.spm").read_bytes() != self.tokenizer.read_bytes():
            raise CheckpointError(
                f"initial_share and distilled need a model of the recipe's shape and vocabulary, not {initial}"
            )
        return model

    def prepared(self, model: Transformer) -> Transformer:
        """The model as it is trained."""
        return model

    def objective(self, model: Transformer, batch: Batch, label_smoothing: float) -> Losses:
        """Return the loss to minimise."""
        return losses(model, batch, label_smoothing, self.teacher)

    def batches(self, update: int) -> Iterator[Batch]:
        """This rank's batches from the given update (0-based) on: the early sources first, then the whole mix."""
        per_update = self.training.accumulate * self.place.world
        early = self.training.early_updates
        if update < early:
            weights = [source.weight if source.early else 0.0 for source in self.recipe.sources]
            weights += [0.0] * (len(self.corpora) - len(weights))
            stream = self._loaded(weights, update * per_update + self.place.rank)
            for _ in range((early - update) * self.training.accumulate):
                yield next(stream)
            update = early
        weights = [source.weight for source in self.recipe.sources]
        weights += [1.0] * (len(self.corpora) - len(weights))  # the generated pairs
        yield from self._loaded(weights, (update - early) * per_update + self.place.rank)

    def _loaded(self, weights: list[float], first: int) -> Iterator[Batch]:
        """Batches from the given number on, for a GPU collated ahead in other processes."""
        stream = BatchStream(
            self.corpora, weights, self.recipe, self.tags, self.marks, self.consecutive, self.distilled, self.subwords
        )
        if self.place.device.type != "cuda":
            return stream.batches(first, self.place.world)
        workers = max(1, min(12, (os.cpu_count() or 1) // self.place.world - 2))
        return iter(
            DataLoader(
                NumberedBatches(stream, first, self.place.world),
                batch_size=None,
                num_workers=workers,
                prefetch_factor=8,
                pin_memory=True,
            )
        )

    def fit(self, report: Callable[[Metrics], None]) -> Path:
        """Train to the recipe's end, or until validation no longer improves; returns the averaged model's folder.

        Args:
            report: Called after each update with its metrics (and each validation's), on rank 0 only.
        """
        self.model.train()
        batches = self.batches(self.state.update)
        while not self._over():
            metrics = self.update(batches)
            if self.state.update % self.training.validate_every == 0:
                metrics["validation_loss"] = self.validate()
            if self.place.rank == 0:
                self._log(metrics)
                report(metrics)
                if self.state.update % self.training.checkpoint_every == 0:
                    self.save()
        averaged = self.run / "averaged"
        if self.place.rank == 0:
            self.save()
            checkpoints = training_checkpoints(self.run / "checkpoints")
            average(mean_weights(checkpoints, self.recipe.initial, self.recipe.initial_share), averaged)
            write_card(averaged, self.recipe, self.recipe_text, self.run, self.state)
        return averaged

    def update(self, batches: Iterator[Batch]) -> Metrics:
        """One optimiser step over ``accumulate`` batches on each rank."""
        began = time.perf_counter()
        self.state.update += 1
        torch.manual_seed(hash((self.recipe.seed, self.state.update, self.place.rank)))
        loaded = [next(batches) for _ in range(self.training.accumulate)]
        chosen = [batch.to(self.place.device) for batch in loaded]
        tokens = self.place.total(sum(batch.tokens for batch in loaded))
        sums = torch.zeros(3, device=self.place.device)
        for index, batch in enumerate(chosen):
            last = index == len(chosen) - 1
            with nullcontext() if last or self.place.world == 1 else self.step_module.no_sync():  # type: ignore[operator]
                result = self._losses(batch)
                loss = result.smoothed + self.training.alignment_weight * result.alignment
                # The parallel wrapper averages over ranks; the loss is a mean over all ranks' tokens.
                (loss * (self.place.world / tokens)).backward()  # type: ignore[no-untyped-call]
            sums += torch.stack([result.smoothed.detach(), result.likelihood, result.alignment.detach()])
        norm_tensor = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.training.clip_norm)
        *values, norm = torch.cat([sums, norm_tensor.reshape(1)]).tolist()  # the only wait for a GPU
        if not math.isfinite(norm):  # the step would spoil every weight, and the checkpoints after it
            raise FloatingPointError(
                f"update {self.state.update}: the gradients are not finite; the checkpoints are as they were"
            )
        rate = (self.timed.rate if self.timed else learning_rate)(self.state.update, self.training)
        self.optimizers.step(rate)
        seconds = time.perf_counter() - began
        self.state.tokens += int(tokens)
        self.state.seconds += seconds
        loss_mean, likelihood, alignment = (self.place.total(value) / tokens for value in values)
        return {
            "update": self.state.update,
            "updates": self.timed.expected(self.state.update) if self.timed else self.training.updates,
            "loss": loss_mean,
            "likelihood": likelihood,
            "alignment": alignment,
            "rate": rate,
            "norm": norm,
            "tokens": self.state.tokens,
            "tokens_per_s": tokens / seconds,
            "seconds": self.state.seconds,
        }

    def _losses(self, batch: Batch) -> Losses:
        precise = self.training.precision == "float32"
        with torch.autocast(self.place.device.type, dtype=torch.bfloat16, enabled=not precise):
            result: Losses = self.step_module(batch)
        return result

    def validate(self) -> float:
        """Negative log-likelihood per target token of the validation pairs, in the directions of the recipe."""
        self.model.eval()
        stream = BatchStream([self.validation], [1.0], self.recipe, self.tags)
        batches = (stream.collate(examples).to(self.place.device) for examples in stream.epoch(0))
        loss = loss_per_token(self.model, batches, self.objective)
        self.model.train()
        improved = loss < self.state.best_loss
        self.state.best_loss = min(loss, self.state.best_loss)
        self.state.stale = 0 if improved else self.state.stale + 1
        return loss

    def save(self) -> None:
        """Write a checkpoint, and remove the oldest beyond ``keep``."""
        save_training(self.run / "checkpoints", self.model, self.optimizers, self.state, self.tokenizer)
        prune(self.run / "checkpoints", self.training.keep)

    def _over(self) -> bool:
        """Whether the last update was made."""
        if self.timed is None:
            return self.state.update >= self.training.updates or self._stale()
        # The same for all ranks.
        self.timed.elapsed = self.place.total(time.monotonic() - self._began) / self.place.world
        return self.timed.over

    def _stale(self) -> bool:
        return 0 < self.training.patience <= self.state.stale

    def _log(self, metrics: Metrics) -> None:
        with (self.run / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(metrics) + "\n")


class _Step(torch.nn.Module):
    """Loss as a module, for the data-parallel wrapper."""

    def __init__(
        self, model: Transformer, label_smoothing: float, objective: Callable[[Transformer, Batch, float], Losses]
    ) -> None:
        super().__init__()
        self.model, self.label_smoothing, self.objective = model, label_smoothing, objective

    def forward(self, batch: Batch) -> Losses:
        return self.objective(self.model, batch, self.label_smoothing)


def _cut_metrics(path: Path, update: int) -> None:
    """Drop the lines written after the checkpoint by the run that was killed."""
    if path.exists():
        lines: list[dict[str, Any]] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                lines.append(json.loads(line))
            except json.JSONDecodeError:
                break  # the line the run died in
        kept = [json.dumps(metrics) + "\n" for metrics in lines if metrics["update"] <= update]
        path.write_text("".join(kept), encoding="utf-8")


def train(
    recipe: Path,
    data: Path,
    run: Path,
    place: Distributed,
    *,
    report: Callable[[str], None],
    on_update: Callable[[Metrics], None],
    minutes: float | None = None,
) -> Path:
    """The whole run, from pair files to the averaged model; continues where an earlier one stopped.

    Args:
        recipe: TOML file, see ``model.recipe``.
        data: Folder of the pair files.
        run: Folder of the run, made if missing.
        place: Device and rank.
        report: Called with a line on each preparatory step.
        on_update: Called with the metrics of each update.
        minutes: Time to train for, of all starts together; the recipe's updates, cooldown and patience don't count.

    Returns:
        The folder of the averaged model, with its card.

    Raises:
        RecipeError: The recipe can't be used, or has no trapezoid although there are minutes.
        PairsError: A pair file is missing or malformed.
        CheckpointError: The run's checkpoint belongs to another recipe, or its initial model is missing.
        FloatingPointError: Training diverged.
    """
    loaded = Recipe.load(recipe)
    if minutes is not None and loaded.training.schedule != "trapezoid":
        raise RecipeError(f'{recipe}: --minutes needs schedule = "trapezoid"')
    run.mkdir(parents=True, exist_ok=True)
    if place.rank == 0:
        build_corpus(loaded, data, run, report=report)
    if place.world > 1:
        distributed.barrier()
    timed = None if minutes is None else TimedTrapezoid(60 * minutes)
    trainer = Trainer(loaded, read_text(recipe), run, place, timed)
    averaged = trainer.fit(on_update)
    if timed and place.rank == 0:
        report(f"about the same without --minutes: {timed.untimed(trainer.state.update, loaded.training)}")
    return averaged
