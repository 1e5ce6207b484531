"""What training minimises: label-smoothed cross-entropy, and the guided-alignment loss."""

from typing import NamedTuple

from torch import Tensor
from torch.nn import functional as F

from model.data import Batch
from model.tokenizer import PAD_ID
from model.transformer import Transformer


class Losses(NamedTuple):
    """Sums over the batch, so that batches can be added up before dividing."""

    smoothed: Tensor  # () label-smoothed cross-entropy, summed over target tokens
    likelihood: Tensor  # () negative log-likelihood, summed over target tokens, without gradient
    alignment: Tensor  # () guided-alignment loss, summed over aligned target tokens
    tokens: int  # real target tokens


def losses(model: Transformer, batch: Batch, label_smoothing: float) -> Losses:
    """Run the model on a batch.

    The guided-alignment loss is the cross-entropy between the word alignment and the map of the alignment head
    (Chen et al. 2016, "Guided Alignment Training for Topic-Aware Neural Machine Translation").
    """
    config = model.config
    states, maps = model(batch.source, batch.target_input)
    real = batch.target_output != PAD_ID
    # Only real positions meet the V x D projection: with it and its loss go a quarter of a step's time.
    logits = model.logits(states[real]).float()  # (N, V)
    target = batch.target_output[real]  # (N,)
    log_probabilities = F.log_softmax(logits, dim=-1)
    likelihood = -log_probabilities.gather(1, target.unsqueeze(1)).sum()
    # As torch's own label smoothing: the mass is spread over all V entries.
    smoothed = (1 - label_smoothing) * likelihood - label_smoothing * log_probabilities.mean(-1).sum()
    alignment = smoothed.new_zeros(())
    if config.alignment_layer is not None:
        head = maps.cross[config.alignment_layer][:, config.alignment_head].float()  # (B, T, S)
        rows, target_at, source_at = batch.links.unbind(1)
        attended = head[rows, target_at, source_at].clamp_min(1e-9)
        alignment = -(batch.link_weights * attended.log()).sum()
    return Losses(smoothed, likelihood.detach(), alignment, int(real.sum()))
