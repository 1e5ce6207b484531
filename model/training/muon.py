"""The Muon optimiser, with one product for all matrices of a shape."""

from collections import defaultdict
from collections.abc import Iterable

import torch
from torch import Tensor, nn

# As in torch.optim.Muon and in Jordan et al.: the momentum, and the coefficients of an iteration.
_MOMENTUM = 0.95
_A, _B, _C = 3.4445, -4.775, 2.0315
_ITERATIONS = 5


class Muon(torch.optim.Optimizer):
    """Makes the update of each matrix orthogonal (Jordan et al. 2024), with momentum and decoupled weight decay.

    The root mean square of an update is 0.2 times the rate, as Adam's usually is (Liu et al. 2025, "Muon is Scalable
    for LLM Training"). ``torch.optim.Muon`` does the same to one matrix after the other. A model of 14 layers has 92
    matrices and so 1,380 small products an update, which keep a GPU waiting. Here all matrices of a shape share each
    product.
    """

    def __init__(self, parameters: Iterable[nn.Parameter], *, weight_decay: float = 0.0) -> None:
        """All parameters are matrices; the rate is set by the caller, in ``param_groups``."""
        super().__init__(parameters, {"lr": 0.0, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        """Update the parameters by their gradients."""
        for group in self.param_groups:
            alike: dict[torch.Size, list[nn.Parameter]] = defaultdict(list)
            for parameter in group["params"]:
                if parameter.grad is not None:
                    alike[parameter.shape].append(parameter)
            for shape, parameters in alike.items():
                updates = orthogonal(torch.stack([self._momentum(parameter) for parameter in parameters]))
                updates *= -group["lr"] * 0.2 * max(shape) ** 0.5
                for parameter, update in zip(parameters, updates, strict=True):
                    parameter.mul_(1 - group["lr"] * group["weight_decay"]).add_(update)

    def _momentum(self, parameter: nn.Parameter) -> Tensor:
        """Add the gradient to what is remembered of the earlier ones; returns Nesterov's look ahead."""
        state = self.state[parameter]
        if not state:
            state["momentum_buffer"] = torch.zeros_like(parameter)
        remembered: Tensor = state["momentum_buffer"]
        assert parameter.grad is not None
        remembered.lerp_(parameter.grad, 1 - _MOMENTUM)
        return parameter.grad.lerp(remembered, _MOMENTUM)


def _bfloat16_on_cpu() -> bool:
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def orthogonal(matrices: Tensor) -> Tensor:
    """(N, A, B) float32 -> (N, A, B) float32: singular values become about 1 (0.5 to 1.5), very small ones less.

    Newton-Schulz iterations with the coefficients of Jordan et al., in bfloat16 where the device multiplies it. A
    processor with AVX2 only does not: an update of the shipped model takes a minute there, and a second in float32.
    """
    wide = matrices.shape[1] <= matrices.shape[2]
    precision = torch.bfloat16 if matrices.is_cuda or _bfloat16_on_cpu() else torch.float32
    found = (matrices if wide else matrices.mT).to(precision)
    found = found / found.norm(dim=(1, 2), keepdim=True).clamp_min(1e-7)
    for _ in range(_ITERATIONS):
        gram = found @ found.mT
        found = torch.baddbmm(found, torch.baddbmm(gram, gram, gram, beta=_B, alpha=_C), found, beta=_A)
    return (found if wide else found.mT).float()
