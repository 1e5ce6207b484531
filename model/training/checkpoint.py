"""Checkpoints: folders of safetensors and JSON, written whole or not at all. Nothing is ever unpickled.

A model folder holds ``model.safetensors``, ``config.json`` and ``tokenizer.spm``; a training checkpoint adds
``optimizer.safetensors`` and ``state.json``.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from model.network.config import TransformerConfig
from model.network.decoder_only import new_model
from model.network.transformer import Transformer
from model.training.optimizer import Optimizers


class CheckpointError(ValueError):
    """A checkpoint is missing or damaged; the message names the file."""


@dataclass
class TrainingState:
    """The progress of a run.

    Attributes:
        update: Optimiser steps done.
        tokens: Real target tokens seen.
        seconds: Time spent training.
        best_loss: Lowest validation loss so far.
        stale: Validations since then.
    """

    update: int = 0
    tokens: int = 0
    seconds: float = 0.0
    best_loss: float = float("inf")
    stale: int = 0


def model_tensors(model: Transformer) -> dict[str, Tensor]:
    """The weights by name; tied tables appear once, under the name they were first given."""
    return {name: parameter.detach().contiguous() for name, parameter in model.named_parameters()}


def write_model(folder: Path, tensors: dict[str, Tensor], config: TransformerConfig, tokenizer: Path) -> None:
    """Write a model folder's three files into an existing folder."""
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config.to_dict(), indent=1) + "\n", encoding="utf-8")
    shutil.copyfile(tokenizer, folder / "tokenizer.spm")


def load_model(folder: Path) -> Transformer:
    """A model in evaluation mode, from a model folder or a training checkpoint.

    Raises:
        CheckpointError: A file is missing or damaged, or weights and configuration don't match.
    """
    with _reading(folder / "config.json") as path:
        config = TransformerConfig.from_dict(json.loads(path.read_text(encoding="utf-8")))
    with _reading(folder / "model.safetensors") as path:
        tensors = load_file(path)
    model = new_model(config)
    expected = model_tensors(model)
    wrong = sorted(expected.keys() ^ tensors.keys()) or sorted(
        name for name in expected if expected[name].shape != tensors[name].shape
    )
    if wrong:
        raise CheckpointError(f"{folder}/model.safetensors does not fit config.json at {wrong[0]}")
    model.load_state_dict(tensors, strict=False)  # tied tables are missing by name, checked above
    return model.eval()


def save_training(
    folder: Path, model: Transformer, optimizers: Optimizers, state: TrainingState, tokenizer: Path
) -> Path:
    """Write ``folder/step-NNNNNNN``: into a partial folder first, then renamed. One that exists is left alone."""
    out = folder / f"step-{state.update:07d}"
    if out.exists():
        return out  # a run's last update, saved on schedule: replacing it would risk the only copy
    partial = folder / f"{out.name}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    write_model(partial, model_tensors(model), model.config, tokenizer)
    moments = {
        f"{name}/{kind}": value.reshape(-1).contiguous()
        for name, parameter in model.named_parameters()
        for kind, value in optimizers.moments(parameter).items()
    }
    save_file(moments, partial / "optimizer.safetensors")
    (partial / "state.json").write_text(json.dumps(asdict(state)) + "\n", encoding="utf-8")
    partial.rename(out)
    return out


def load_training(folder: Path, model: Transformer, optimizers: Optimizers) -> TrainingState:
    """Restore model, optimisers and state in place from one checkpoint.

    Raises:
        CheckpointError: The checkpoint is damaged or of another model.
    """
    saved = load_model(folder)
    if saved.config != model.config:
        raise CheckpointError(f"{folder} holds a model of another configuration than the recipe's")
    model.load_state_dict(saved.state_dict())
    with _reading(folder / "optimizer.safetensors") as path:
        moments = load_file(path)
        for name, parameter in model.named_parameters():
            optimizers.restore(parameter, lambda kind, name=name: moments[f"{name}/{kind}"])  # type: ignore[misc]
    with _reading(folder / "state.json") as path:
        return TrainingState(**json.loads(path.read_text(encoding="utf-8")))


def training_checkpoints(folder: Path) -> list[Path]:
    """Complete checkpoints, oldest first."""
    return sorted(path for path in folder.glob("step-*") if path.suffix != ".partial")


def prune(folder: Path, keep: int) -> None:
    """Remove all but the newest ``keep`` checkpoints."""
    for path in training_checkpoints(folder)[:-keep]:
        shutil.rmtree(path)


def mean_weights(checkpoints: Sequence[Path], initial: str | None, share: float) -> dict[Path, float]:
    """The weights of a run's mean for ``average``: ``share`` for the initial model if any, the rest in equal parts."""
    share = share if initial else 0.0  # pretraining starts from nothing
    weights = {path: (1 - share) / len(checkpoints) for path in checkpoints}
    return weights | ({Path(initial): share} if initial and share else {})


def average(weights: Mapping[Path, float], out: Path) -> None:
    """Write the weighted mean of several models as a model folder.

    Section 6.1 of the paper averages a run's last checkpoints. Wortsman et al. 2022, "Robust fine-tuning of zero-shot
    models", add the model that the run started from.

    Args:
        weights: Of each model folder or checkpoint; their sum is 1.
        out: Folder to make or replace.

    Raises:
        CheckpointError: There is none, or they differ in shape.
    """
    if not weights:
        raise CheckpointError("no checkpoint to average")
    models = {path: load_model(path) for path in weights}
    first, *others = models
    config = models[first].config
    if any(models[path].config.without_dropout != config.without_dropout for path in others):
        raise CheckpointError("checkpoints of different models can't be averaged")
    tensors = {path: model_tensors(model) for path, model in models.items()}
    mean = {
        name: sum((w * tensors[path][name] for path, w in weights.items()), start=torch.zeros(()))
        for name in tensors[first]
    }
    partial = out.with_name(out.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    write_model(partial, mean, config, first / "tokenizer.spm")
    shutil.rmtree(out, ignore_errors=True)
    partial.rename(out)


@contextmanager
def _reading(path: Path) -> Iterator[Path]:
    """Turn every exception that a missing or damaged file causes into one error that names the file."""
    try:
        yield path
    except OSError as error:
        raise CheckpointError(f"{path} can't be read: {error.strerror or error}") from error
    except KeyError as error:
        raise CheckpointError(f"{path} is damaged: there is no {error}") from error
    except (ValueError, TypeError, RuntimeError, SafetensorError) as error:
        raise CheckpointError(f"{path} is damaged: {error}") from error
