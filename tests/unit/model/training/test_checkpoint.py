import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from model.network.config import TransformerConfig
from model.network.transformer import Transformer
from model.recipe import Training
from model.training.checkpoint import (
    CheckpointError,
    TrainingState,
    average,
    load_model,
    load_training,
    model_tensors,
    prune,
    save_training,
    training_checkpoints,
)
from model.training.optimizer import Optimizers

CONFIG = TransformerConfig(
    source_vocabulary=12,
    target_vocabulary=12,
    encoder_layers=1,
    decoder_layers=1,
    width=8,
    heads=2,
    feed_forward=8,
    norm="pre",
    positions="learned",
    max_positions=9,
)


@pytest.fixture
def tokenizer(tmp_path: Path) -> Path:
    path = tmp_path / "tokenizer.spm"
    path.write_bytes(b"the tokenizer")
    return path


def trained(seed: int, steps: int = 2, **options: Any) -> tuple[Transformer, Optimizers]:
    """A model and optimisers with moments."""
    torch.manual_seed(seed)
    model = Transformer(CONFIG)
    optimizers = Optimizers(model, Training(updates=1, **options))
    for _ in range(steps):
        states, _ = model(torch.tensor([[4, 5, 2]]), torch.tensor([[1, 6]]))
        model.logits(states).square().mean().backward()
        optimizers.step(1e-2)
    return model, optimizers


def saved(folder: Path, tokenizer: Path, *, seed: int = 0, update: int = 7) -> Path:
    model, optimizers = trained(seed)
    return save_training(folder, model, optimizers, TrainingState(update=update), tokenizer)


@pytest.mark.parametrize("optimizer", ["adam", "muon"])
def test_everything_comes_back(tmp_path: Path, tokenizer: Path, optimizer: str) -> None:
    model, optimizers = trained(0, optimizer=optimizer)
    state = TrainingState(update=7, tokens=900, seconds=1.5, best_loss=2.25, stale=3)
    folder = save_training(tmp_path / "checkpoints", model, optimizers, state, tokenizer)
    assert folder.name == "step-0000007"
    assert (folder / "tokenizer.spm").read_bytes() == b"the tokenizer"

    other, other_optimizers = trained(1, steps=0, optimizer=optimizer)
    assert load_training(folder, other, other_optimizers) == state
    for (name, ours), theirs in zip(model.named_parameters(), other.parameters(), strict=True):
        assert torch.equal(ours, theirs), name
        moments, restored = optimizers.moments(ours), other_optimizers.moments(theirs)
        assert moments.keys() == restored.keys() and bool(moments) == ours.requires_grad, name
        for kind, value in moments.items():
            assert torch.equal(value, restored[kind]), (name, kind)


def test_a_checkpoint_of_another_optimizer_is_refused(tmp_path: Path, tokenizer: Path) -> None:
    folder = saved(tmp_path / "c", tokenizer)
    with pytest.raises(CheckpointError, match=r"optimizer\.safetensors"):
        load_training(folder, *trained(1, optimizer="muon"))


def test_an_infinite_best_loss_survives(tmp_path: Path, tokenizer: Path) -> None:
    model, optimizers = trained(0)
    folder = save_training(tmp_path, model, optimizers, TrainingState(update=1), tokenizer)
    assert load_training(folder, *trained(1)).best_loss == float("inf")


def test_a_model_is_loaded_ready_for_use(tmp_path: Path, tokenizer: Path) -> None:
    folder = saved(tmp_path / "checkpoints", tokenizer)
    model = load_model(folder)
    assert model.config == CONFIG and not model.training
    assert model.projection.weight is model.target_embedding.weight is model.source_embedding.weight
    expected = model_tensors(trained(0)[0])
    assert all(torch.equal(tensor, expected[name]) for name, tensor in model_tensors(model).items())


def test_tied_tables_are_stored_once(tmp_path: Path) -> None:
    names = model_tensors(Transformer(CONFIG))
    assert "target_embedding.weight" in names
    assert not {"source_embedding.weight", "projection.weight"} & names.keys()


def test_what_is_not_whole_is_no_checkpoint(tmp_path: Path, tokenizer: Path) -> None:
    first, second = saved(tmp_path / "c", tokenizer, update=9), saved(tmp_path / "c", tokenizer, update=10)
    (tmp_path / "c" / "step-0000011.partial").mkdir()
    assert training_checkpoints(tmp_path / "c") == [first, second]
    assert training_checkpoints(tmp_path / "none") == []


def test_a_save_that_died_leaves_the_older_checkpoints_and_can_be_repeated(
    tmp_path: Path, tokenizer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = saved(tmp_path / "c", tokenizer, update=10)

    def die(self: Path, target: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", die)
        with pytest.raises(KeyboardInterrupt):
            saved(tmp_path / "c", tokenizer, update=20)
    assert training_checkpoints(tmp_path / "c") == [older]
    newer = saved(tmp_path / "c", tokenizer, update=20)
    assert sorted((tmp_path / "c").iterdir()) == [older, newer]


def test_a_saved_update_is_never_replaced(tmp_path: Path, tokenizer: Path) -> None:
    folder = saved(tmp_path / "c", tokenizer)
    inode = folder.stat().st_ino
    assert saved(tmp_path / "c", tokenizer) == folder
    assert folder.stat().st_ino == inode


def test_prune_keeps_the_newest(tmp_path: Path, tokenizer: Path) -> None:
    folders = [saved(tmp_path / "c", tokenizer, update=update) for update in (9, 10, 100)]
    prune(tmp_path / "c", 2)
    assert training_checkpoints(tmp_path / "c") == folders[1:]
    prune(tmp_path / "c", 5)
    assert training_checkpoints(tmp_path / "c") == folders[1:]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def garble(path: Path) -> None:
    path.write_bytes(b"\x80\x04 not what it says")


def delete(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def other_keys(path: Path) -> None:
    path.write_text('{"nonsense": 1}', encoding="utf-8")


def a_list(path: Path) -> None:
    path.write_text("[[1]]", encoding="utf-8")


@pytest.mark.parametrize("damage", [cut, garble, delete, empty, other_keys, a_list])
@pytest.mark.parametrize("file", ["config.json", "model.safetensors", "optimizer.safetensors", "state.json"])
def test_a_damaged_file_is_named(tmp_path: Path, tokenizer: Path, file: str, damage: Callable[[Path], None]) -> None:
    folder = saved(tmp_path / "c", tokenizer)
    damage(folder / file)
    with pytest.raises(CheckpointError, match=file.replace(".", r"\.")):
        load_training(folder, *trained(1))


def test_moments_of_another_shape_are_refused(tmp_path: Path, tokenizer: Path) -> None:
    folder = saved(tmp_path / "c", tokenizer)
    (folder / "optimizer.safetensors").write_bytes((folder / "model.safetensors").read_bytes())
    with pytest.raises(CheckpointError, match=r"optimizer\.safetensors"):
        load_training(folder, *trained(1))


@pytest.mark.parametrize("change", [{"width": 16}, {"encoder_layers": 2}, {"tie_output": False}])
def test_weights_that_do_not_fit_the_configuration_are_refused(
    tmp_path: Path, tokenizer: Path, change: dict[str, object]
) -> None:
    folder = saved(tmp_path / "c", tokenizer)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, **change}), encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"model\.safetensors does not fit config\.json"):
        load_model(folder)


def test_another_models_checkpoint_is_refused(tmp_path: Path, tokenizer: Path) -> None:
    folder = saved(tmp_path / "c", tokenizer)
    other = Transformer(TransformerConfig.from_dict({**CONFIG.to_dict(), "norm": "post"}))
    with pytest.raises(CheckpointError, match="another configuration"):
        load_training(folder, other, torch.optim.AdamW(other.parameters()))


def test_averaging_takes_the_mean(tmp_path: Path, tokenizer: Path) -> None:
    folders = [saved(tmp_path / "c", tokenizer, seed=seed, update=seed) for seed in (1, 2, 3)]
    average(dict.fromkeys(folders, 1 / len(folders)), tmp_path / "averaged")
    mean = model_tensors(load_model(tmp_path / "averaged"))
    parts = [model_tensors(load_model(folder)) for folder in folders]
    for name, tensor in mean.items():
        torch.testing.assert_close(tensor, (parts[0][name] + parts[1][name] + parts[2][name]) / 3)
    names = sorted(path.name for path in (tmp_path / "averaged").iterdir())
    assert names == ["config.json", "model.safetensors", "tokenizer.spm"]
    assert not list(tmp_path.glob("*.partial"))


def test_averaging_again_replaces_the_earlier_mean(tmp_path: Path, tokenizer: Path) -> None:
    folders = [saved(tmp_path / "c", tokenizer, seed=seed, update=seed) for seed in (1, 2)]
    average(dict.fromkeys(folders, 1 / len(folders)), tmp_path / "averaged")
    average({folders[0]: 1.0}, tmp_path / "averaged")
    mean, first = load_model(tmp_path / "averaged"), load_model(folders[0])
    assert torch.equal(mean.target_embedding.weight, first.target_embedding.weight)


def test_what_can_not_be_averaged_is_refused(tmp_path: Path, tokenizer: Path) -> None:
    with pytest.raises(CheckpointError, match="no checkpoint"):
        average({}, tmp_path / "averaged")
    folders = [saved(tmp_path / "c", tokenizer, update=update) for update in (1, 2)]
    config = json.loads((folders[0] / "config.json").read_text(encoding="utf-8"))
    (folders[0] / "config.json").write_text(json.dumps({**config, "activation": "gelu"}), encoding="utf-8")
    with pytest.raises(CheckpointError, match="different models"):
        average(dict.fromkeys(folders, 1 / len(folders)), tmp_path / "averaged")
    assert not (tmp_path / "averaged").exists()


def test_models_that_were_trained_with_different_dropout_can_be_averaged(tmp_path: Path, tokenizer: Path) -> None:
    folders = [saved(tmp_path / "c", tokenizer, update=update) for update in (1, 2)]
    config = json.loads((folders[1] / "config.json").read_text(encoding="utf-8"))
    (folders[1] / "config.json").write_text(json.dumps({**config, "dropout": 0.35}), encoding="utf-8")
    average(dict.fromkeys(folders, 1 / len(folders)), tmp_path / "averaged")
    assert load_model(tmp_path / "averaged").config == load_model(folders[0]).config


class Trap:
    """Sets a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return Path.touch, (self.mark,)  # type: ignore[return-value]


def test_nothing_is_ever_unpickled(tmp_path: Path, tokenizer: Path) -> None:
    folder, mark = saved(tmp_path / "c", tokenizer), tmp_path / "unpickled"
    (folder / "model.safetensors").unlink()
    for name in ("model.bin", "pytorch_model.bin", "model.pt", "optimizer.pt", "model.pkl"):
        (folder / name).write_bytes(pickle.dumps(Trap(mark)))
    with pytest.raises(CheckpointError, match=r"model\.safetensors"):
        load_model(folder)
    (folder / "model.safetensors").write_bytes(pickle.dumps(Trap(mark)))
    with pytest.raises(CheckpointError, match=r"model\.safetensors is damaged"):
        load_model(folder)
    torch.save({"weight": Trap(mark)}, folder / "model.safetensors")
    with pytest.raises(CheckpointError, match=r"model\.safetensors is damaged"):
        load_model(folder)
    assert not mark.exists()
    pickle.loads(pickle.dumps(Trap(mark)))
    assert mark.exists(), "the trap works"
