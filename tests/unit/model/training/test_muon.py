import pytest
import torch

from model.training import muon
from model.training.muon import Muon, orthogonal


@pytest.mark.parametrize("bfloat16", [False, True])
@pytest.mark.parametrize("shape", [(2, 16, 64), (2, 64, 16)])
def test_singular_values_become_about_one(
    shape: tuple[int, int, int], bfloat16: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(muon, "_bfloat16_on_cpu", lambda: bfloat16)
    torch.manual_seed(0)
    values = torch.linalg.svdvals(orthogonal(torch.randn(shape)))
    assert values.min() > 0.5
    assert values.max() < 1.5


def test_it_does_what_the_muon_of_pytorch_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(muon, "_bfloat16_on_cpu", lambda: True)  # as PyTorch's always does
    torch.manual_seed(0)
    shapes = [(16, 16), (64, 16), (16, 64), (16, 16), (64, 16)]
    ours, theirs = (
        [torch.nn.Parameter(value.clone()) for value in values] for values in [[torch.randn(s) for s in shapes]] * 2
    )
    batched = Muon(ours, weight_decay=0.1)
    one_by_one = torch.optim.Muon(theirs, lr=0.02, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
    for _ in range(4):
        for each, other in zip(ours, theirs, strict=True):
            each.grad = torch.randn_like(each)
            other.grad = each.grad.clone()
        batched.param_groups[0]["lr"] = 0.02
        batched.step()
        one_by_one.step()
        for each, other in zip(ours, theirs, strict=True):
            # Both calculate in bfloat16, in another order. A step changes an entry by 0.004 on average.
            torch.testing.assert_close(each, other, rtol=0.0, atol=4e-4)


def test_a_parameter_without_a_gradient_stays() -> None:
    parameters = [torch.nn.Parameter(torch.ones(4, 4)) for _ in range(2)]
    parameters[0].grad = torch.eye(4)
    optimizer = Muon(parameters)
    optimizer.param_groups[0]["lr"] = 0.1
    optimizer.step()
    assert not torch.equal(parameters[0], torch.ones(4, 4))
    assert torch.equal(parameters[1], torch.ones(4, 4))
