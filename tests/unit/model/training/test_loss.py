import random
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from model.data.batches import Batch, pad
from model.data.tokenizer import PAD_ID
from model.network.config import TransformerConfig
from model.network.transformer import Transformer
from model.training.loss import losses


def tiny_model(**options: Any) -> Transformer:
    torch.manual_seed(5)
    return Transformer(
        TransformerConfig(
            source_vocabulary=20,
            target_vocabulary=20,
            encoder_layers=1,
            decoder_layers=2,
            width=16,
            heads=2,
            feed_forward=16,
            **options,
        )
    ).eval()


def random_batch(lengths: list[tuple[int, int]]) -> Batch:
    rng = random.Random(1)
    source, target, links, weights = [], [], [], []
    for row, (source_length, target_length) in enumerate(lengths):
        source.append(np.array([4, *rng.choices(range(6, 20), k=source_length), 2]))
        target.append(np.array(rng.choices(range(6, 20), k=target_length)))
        for target_at in range(0, target_length, 2):  # every second target token is aligned, to two source tokens
            for source_at in rng.sample(range(source_length + 2), 2):
                links.append((row, target_at, source_at))
                weights.append(0.5)
    return Batch(
        source=pad(source),
        target_input=pad([np.array([1, *row]) for row in target]),
        target_output=pad([np.array([*row, 2]) for row in target]),
        links=torch.tensor(links),
        link_weights=torch.tensor(weights),
    )


BATCH = random_batch([(5, 4), (2, 7), (3, 1)])


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.4])
def test_the_smoothed_loss_is_pytorchs(smoothing: float) -> None:
    model = tiny_model()
    result = losses(model, BATCH, smoothing)
    logits = model.logits(model(BATCH.source, BATCH.target_input)[0]).flatten(0, 1)
    target = BATCH.target_output.flatten()
    expected = F.cross_entropy(logits, target, ignore_index=PAD_ID, label_smoothing=smoothing, reduction="sum")
    torch.testing.assert_close(result.smoothed, expected)
    torch.testing.assert_close(
        result.likelihood, F.cross_entropy(logits, target, ignore_index=PAD_ID, reduction="sum").detach()
    )
    assert result.tokens == 5 + 8 + 2
    assert not result.likelihood.requires_grad


def test_the_loss_of_a_distilled_batch_is_the_divergence_from_the_teacher() -> None:
    model, teacher = tiny_model(alignment_layer=1), tiny_model(alignment_layer=1)
    with torch.no_grad():
        for parameter in teacher.parameters():
            parameter.mul_(1.5)
    batch = random_batch([(5, 9)] * 130)._replace(distilled=True)  # 1,300 rows, in six goes
    real = batch.target_output != PAD_ID
    log_p, log_q = (m.logits(m(batch.source, batch.target_input)[0])[real].log_softmax(-1) for m in (model, teacher))
    result, plain = losses(model, batch, 0.1, teacher), losses(model, batch, 0.1)
    expected = (log_q.exp() * (log_q - log_p)).sum()
    torch.testing.assert_close(result.smoothed, expected)
    torch.testing.assert_close(result.likelihood, plain.likelihood)
    torch.testing.assert_close(result.alignment, plain.alignment)
    assert expected > 1 and result.tokens == plain.tokens
    result.smoothed.backward()
    found = {name: parameter.grad.clone() for name, parameter in model.named_parameters() if parameter.grad is not None}
    model.zero_grad()
    (log_q.detach().exp() * (log_q.detach() - log_p)).sum().backward()
    torch.testing.assert_close(found, {name: p.grad for name, p in model.named_parameters() if p.grad is not None})
    assert all(parameter.grad is None for parameter in teacher.parameters())


@pytest.mark.parametrize("bias", [True, False])
def test_its_gradients_are_pytorchs(bias: bool) -> None:
    model = tiny_model(output_bias=bias)
    batch = random_batch([(5, 9)] * 60)  # 600 rows, projected in three goes
    (3 * losses(model, batch, 0.1).smoothed).backward()
    found = {name: parameter.grad.clone() for name, parameter in model.named_parameters() if parameter.grad is not None}
    model.zero_grad()
    logits = model.logits(model(batch.source, batch.target_input)[0]).flatten(0, 1)
    target = batch.target_output.flatten()
    (3 * F.cross_entropy(logits, target, ignore_index=PAD_ID, label_smoothing=0.1, reduction="sum")).backward()
    expected = {name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None}
    assert ("projection.bias" in expected) == bias
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("layer", "head"), [(0, 1), (1, 0)])
def test_the_alignment_loss_is_the_cross_entropy_with_the_links(layer: int, head: int) -> None:
    model = tiny_model(alignment_layer=layer, alignment_head=head)
    _, maps = model(BATCH.source, BATCH.target_input)
    expected = 0.0
    for (row, target_at, source_at), weight in zip(BATCH.links.tolist(), BATCH.link_weights.tolist(), strict=True):
        expected -= weight * maps.cross[layer][row, head, target_at, source_at].log().item()
    assert losses(model, BATCH, 0.1).alignment.item() == pytest.approx(expected, rel=1e-5)


def test_the_alignment_loss_moves_attention_towards_the_links() -> None:
    model = tiny_model(alignment_layer=1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    before = losses(model, BATCH, 0.0).alignment
    before.backward()
    optimizer.step()
    assert losses(model, BATCH, 0.0).alignment < before


def test_without_an_alignment_head_there_is_no_such_loss() -> None:
    assert losses(tiny_model(), BATCH, 0.1).alignment.item() == 0


def test_padding_changes_nothing() -> None:
    model = tiny_model(alignment_layer=1)
    wider = BATCH._replace(
        source=F.pad(BATCH.source, (0, 4)),
        target_input=F.pad(BATCH.target_input, (0, 3)),
        target_output=F.pad(BATCH.target_output, (0, 3)),
    )
    for plain, padded in zip(losses(model, BATCH, 0.1), losses(model, wider, 0.1), strict=True):
        torch.testing.assert_close(plain, padded, rtol=1e-5, atol=1e-5)


@torch.no_grad()
def test_the_losses_of_a_batch_are_the_sums_of_its_sentences() -> None:
    model = tiny_model(alignment_layer=1)
    parts = []
    for row in range(3):
        mine = BATCH.links[:, 0] == row
        links = BATCH.links[mine].clone()
        links[:, 0] = 0
        parts.append(
            losses(
                model,
                Batch(
                    source=BATCH.source[row : row + 1],
                    target_input=BATCH.target_input[row : row + 1],
                    target_output=BATCH.target_output[row : row + 1],
                    links=links,
                    link_weights=BATCH.link_weights[mine],
                ),
                0.1,
            )
        )
    for total, *values in zip(losses(model, BATCH, 0.1), *parts, strict=True):
        assert float(total) == pytest.approx(sum(map(float, values)), rel=1e-5)
