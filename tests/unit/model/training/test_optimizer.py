import pytest
import torch

from model.network.config import TransformerConfig
from model.network.transformer import Transformer
from model.recipe import Training
from model.training.optimizer import Optimizers

RATE = 1e-3


def changes(optimizer: str) -> dict[str, torch.Tensor]:
    """What the first step changes in each parameter."""
    torch.manual_seed(0)
    model = Transformer(
        TransformerConfig(
            source_vocabulary=20,
            target_vocabulary=20,
            encoder_layers=1,
            decoder_layers=1,
            width=16,
            heads=2,
            feed_forward=32,
            norm="pre",
        )
    )
    before = {name: each.detach().clone() for name, each in model.named_parameters()}
    optimizers = Optimizers(model, Training.model_validate({"updates": 1, "optimizer": optimizer}))
    states, _ = model(torch.randint(4, 20, (8, 9)), torch.randint(4, 20, (8, 9)))
    model.logits(states).square().mean().backward()
    optimizers.step(RATE)
    assert all(each.grad is None for each in model.parameters())
    return {name: each.detach() - before[name] for name, each in model.named_parameters()}


def test_muon_makes_the_updates_of_the_layers_matrices_orthogonal() -> None:
    found = changes("muon")
    matrices = {name for name in found if name.startswith(("encoder.", "decoder.")) and found[name].dim() == 2}
    assert len(matrices) == 4 + 2 + 8 + 2
    for name in matrices:
        # An orthogonal matrix times 0.2 sqrt(its longer side): entries of 0.2 on average, as Adam's usually are.
        scale = RATE * 0.2 * max(found[name].shape) ** 0.5
        singular = torch.linalg.svdvals(found[name]) / scale
        assert singular.median() > 0.5 and singular.max() < 1.5, name  # small ones stay small in five iterations
    adam = changes("adam")
    for name in found.keys() - matrices:
        assert torch.equal(found[name], adam[name]), name


def test_the_first_step_of_adam_is_the_rate() -> None:
    for name, change in changes("adam").items():
        moved = change[change != 0].abs()
        torch.testing.assert_close(moved, torch.full_like(moved, RATE), rtol=0.02, atol=0.0, msg=name)


def test_other_optimizers_are_refused() -> None:
    with pytest.raises(ValueError, match="optimizer"):
        Training.model_validate({"updates": 1, "optimizer": "sgd"})
