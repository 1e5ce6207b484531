"""The optimisers of training."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from model.recipe import Training
from model.training.muon import Muon

_LAYERS = ("encoder.", "decoder.")


class Optimizers:
    """Adam, or Muon for the matrices of the layers and Adam for all other parameters, both with the same rate."""

    def __init__(self, model: nn.Module, training: Training) -> None:
        muon = training.optimizer == "muon"
        matrices, others = list[nn.Parameter](), list[nn.Parameter]()
        for name, parameter in model.named_parameters():
            if parameter.requires_grad:
                in_layer = name.startswith(_LAYERS) and parameter.dim() == 2
                (matrices if muon and in_layer else others).append(parameter)
        decay = training.weight_decay
        adam = torch.optim.AdamW(others, lr=0.0, betas=(0.9, 0.98), eps=1e-9, weight_decay=decay, fused=True)
        self._parts: list[torch.optim.Optimizer] = [adam]
        if matrices:
            self._parts.append(Muon(matrices, weight_decay=decay))
        self._kinds: dict[Tensor, tuple[torch.optim.Optimizer, tuple[str, ...]]] = {
            **dict.fromkeys(others, (adam, ("step", "exp_avg", "exp_avg_sq"))),
            **dict.fromkeys(matrices, (self._parts[-1], ("momentum_buffer",))),
        }

    def step(self, rate: float) -> None:
        """Update the parameters by their gradients, and clear these."""
        for part in self._parts:
            for group in part.param_groups:
                group["lr"] = rate
            part.step()
            part.zero_grad(set_to_none=True)

    def moments(self, parameter: Tensor) -> dict[str, Tensor]:
        """Return what is remembered of the earlier gradients of a parameter, by kind; nothing before the first step."""
        found = self._kinds.get(parameter)
        return dict(found[0].state[parameter]) if found else {}

    def restore(self, parameter: Tensor, moment: Callable[[str], Tensor]) -> None:
        """Set what is remembered of a parameter; ``moment`` returns it by kind, flat."""
        if found := self._kinds.get(parameter):
            part, kinds = found
            for kind in kinds:
                value = moment(kind).to(parameter.device)
                part.state[parameter][kind] = value.reshape(()) if kind == "step" else value.view_as(parameter)
