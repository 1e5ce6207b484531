"""The objectives of training: label-smoothed cross-entropy or distillation, and the guided-alignment loss."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from model.data.batches import Batch
from model.data.tokenizer import PAD_ID
from model.network.transformer import AttentionMaps, Transformer

# Rows projected at a time: on a processor (rows, V) floats then stay in its cache, a GPU wants large products.
_ROWS = {"cpu": 256, "cuda": 16_384}


class Losses(NamedTuple):
    """Sums over the batch, so that batches can be added up before dividing."""

    smoothed: Tensor  # () label-smoothed cross-entropy, for a distilled batch the divergence from the teacher, summed
    likelihood: Tensor  # () negative log-likelihood, summed over target tokens, without gradient
    alignment: Tensor  # () guided-alignment loss, summed over aligned target tokens
    tokens: int  # real target tokens


def losses(model: Transformer, batch: Batch, label_smoothing: float, teacher: Transformer | None = None) -> Losses:
    """Run the model on a batch, and with its memory on the batches that follow.

    The guided-alignment loss is the cross-entropy between the word alignment and the map of the alignment head
    (Chen et al. 2016, "Guided Alignment Training for Topic-Aware Neural Machine Translation"). A distilled batch is
    learnt from the probabilities of ``teacher`` after the same target (Khayrallah et al. 2018, "Regularized Training
    Objective for Continued Training for Domain Adaptation in Neural Machine Translation").
    """
    if teacher and batch.distilled:
        return _distillation_losses(model, batch, teacher)
    found: list[Losses] = []
    memories = None
    for segment in batch.segments:
        states, maps, memories = model.read(segment.source, segment.target_input, memories)
        found.append(_segment_losses(model, segment, states, maps, label_smoothing))
    smoothed, likelihood, alignment = (torch.stack(sums).sum(0) for sums in list(zip(*found, strict=True))[:3])
    return Losses(smoothed, likelihood, alignment, sum(each.tokens for each in found))


@torch.no_grad()
def loss_per_token(
    model: Transformer, batches: Iterable[Batch], objective: Callable[[Transformer, Batch, float], Losses] = losses
) -> float:
    """Negative log-likelihood per target token (nats) of some batches, without label smoothing."""
    results = [objective(model, batch, 0.0) for batch in batches]
    return sum(float(result.likelihood) for result in results) / sum(result.tokens for result in results)


def _segment_losses(
    model: Transformer, batch: Batch, states: Tensor, maps: AttentionMaps, label_smoothing: float
) -> Losses:
    # Only real positions meet the V x D projection: with it and its loss go a quarter of a step's time.
    real = _real(batch)
    states, target = states.flatten(0, 1)[real], batch.target_output.flatten()[real]
    smoothed, likelihood = cross_entropy(model, states, target, label_smoothing)
    return Losses(smoothed, likelihood, _alignment_loss(model, batch, maps), len(real))


def _distillation_losses(model: Transformer, batch: Batch, teacher: Transformer) -> Losses:
    states, maps, _ = model.read(batch.source, batch.target_input, None)
    with torch.no_grad():
        taught, _, _ = teacher.read(batch.source, batch.target_input, None)
    real = _real(batch)
    target = batch.target_output.flatten()[real].unsqueeze(1)
    divergence, likelihood = states.new_zeros(2, dtype=torch.float32)
    step = _ROWS.get(states.device.type, 256)
    for rows, wanted in zip(torch.split(real, step), torch.split(target, step), strict=True):
        found = model.logits(states.flatten(0, 1)[rows]).float().log_softmax(-1)  # (n, V)
        with torch.no_grad():
            expected = teacher.logits(taught.flatten(0, 1)[rows]).float().log_softmax(-1)
            likelihood -= found.gather(1, wanted).sum()
        divergence = divergence + F.kl_div(found, expected, reduction="sum", log_target=True)
    return Losses(divergence, likelihood, _alignment_loss(model, batch, maps), len(real))


def _real(batch: Batch) -> Tensor:
    """(N,) int64: the places of the target tokens, without padding, in the flat batch."""
    return torch.nonzero(batch.target_output.flatten() != PAD_ID).squeeze(1)


def _alignment_loss(model: Transformer, batch: Batch, maps: AttentionMaps) -> Tensor:
    config = model.config
    if config.alignment_layer is None:
        return batch.link_weights.new_zeros(())
    head = maps.cross[config.alignment_layer][:, config.alignment_head].float()  # (B, T, S)
    rows, target_at, source_at = batch.links.unbind(1)
    attended = head[rows, target_at, source_at].clamp_min(1e-9)
    return -(batch.link_weights * attended.log()).sum()


def cross_entropy(model: Transformer, states: Tensor, target: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
    """States (N, D), target (N,) int64 -> smoothed cross-entropy and negative log-likelihood, summed over N."""
    projection = model.projection
    if isinstance(projection, nn.Linear):
        sums: tuple[Tensor, Tensor] = _ProjectedCrossEntropy.apply(  # type: ignore[no-untyped-call]
            states, projection.weight, projection.bias, target, smoothing, torch.is_grad_enabled()
        )
        return sums
    logits = model.logits(states).float()
    likelihood = F.cross_entropy(logits.detach(), target, reduction="sum")
    return F.cross_entropy(logits, target, reduction="sum", label_smoothing=smoothing), likelihood


class _ProjectedCrossEntropy(torch.autograd.Function):
    """Projection onto the vocabulary and label-smoothed cross-entropy in one, a few rows at a time.

    The gradient with respect to the logits has a closed form, softmax minus the smoothed target, so it is taken on the
    way forward, and logits exist a few rows at a time. Alone on two cores of a Xeon with bfloat16, D = 256, V = 8,000
    and 1,400 tokens, loss and gradients take 28 ms.
    """

    @staticmethod
    def forward(
        ctx: Any,
        states: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        target: Tensor,
        smoothing: float,
        differentiate: bool,
    ) -> tuple[Tensor, Tensor]:
        """States (N, D), weight (V, D), bias (V,) or None, target (N,) int64 -> both sums over N, (), float32."""
        vocabulary, ctx.states_dtype = weight.shape[0], states.dtype
        if torch.is_autocast_enabled(states.device.type):  # once, not for every few rows
            precision = torch.get_autocast_dtype(states.device.type)
            states, weight = states.to(precision), weight.to(precision)
        # The mean of a row's logits is its product with the mean row of the weights: no pass over the logits.
        mean_weight = weight.mean(0, dtype=torch.float32)
        mean_bias = 0.0 if bias is None else bias.mean(dtype=torch.float32)
        smoothed = states.new_zeros((), dtype=torch.float32)
        likelihood = states.new_zeros((), dtype=torch.float32)
        # By the logits; rounded up with rows of zeros, so that the shapes of the two products recur (model.data).
        step = _ROWS.get(states.device.type, 256)
        padding = -len(states) % step
        gradients = states.new_empty(len(states) + padding, vocabulary) if differentiate else None
        bias_gradient = torch.zeros_like(bias) if differentiate and bias is not None else None
        scores, shares = states.new_empty((2, step, vocabulary), dtype=torch.float32)
        for index, wanted in enumerate(torch.split(target.unsqueeze(1), step)):
            chunk = slice(index * step, index * step + len(wanted))
            rows = states[chunk]
            logits = scores[: len(wanted)].copy_(F.linear(rows, weight, bias))  # (n, V)
            gradient = torch.softmax(logits, -1, out=shares[: len(wanted)])
            nll = -gradient.gather(1, wanted).clamp_min(1e-37).log().sum()
            # As torch's own label smoothing: the mass is spread over all V entries.
            uniform = logits.gather(1, wanted).sum() + nll - len(wanted) * mean_bias - rows.float().sum(0) @ mean_weight
            likelihood += nll
            smoothed += (1 - smoothing) * nll + smoothing * uniform
            if gradients is None:
                continue
            gradient -= smoothing / vocabulary
            gradient.scatter_add_(1, wanted, gradient.new_full(wanted.shape, smoothing - 1))
            if bias_gradient is not None:
                bias_gradient += gradient.sum(0)
            gradients[chunk] = gradient
        if gradients is not None:
            gradients[len(states) :] = 0
            state_gradients = (gradients @ weight)[: len(states)]
            weight_gradient = gradients.T @ F.pad(states, (0, 0, 0, padding))
            ctx.save_for_backward(state_gradients, weight_gradient, bias_gradient)
        ctx.mark_non_differentiable(likelihood)
        return smoothed, likelihood

    @staticmethod
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """Scale the gradients that the forward pass has computed."""
        states, weight, bias = ctx.saved_tensors
        return (
            (gradient * states).to(ctx.states_dtype),
            gradient * weight,
            None if bias is None else gradient * bias,
            None,
            None,
            None,
        )
