import torch
from torch.nn import functional as F

from model.network.attention import KeysValues, MultiHeadAttention
from model.network.config import TransformerConfig
from model.network.masks import causal_mask, mask_scores, padding_mask

WIDTH, HEADS = 16, 4


def attention(**options: object) -> MultiHeadAttention:
    torch.manual_seed(3)
    config = TransformerConfig(source_vocabulary=9, target_vocabulary=9, width=WIDTH, heads=HEADS, **options)  # type: ignore[arg-type]
    return MultiHeadAttention(config).eval()


def split(states: torch.Tensor) -> torch.Tensor:
    """(B, T, D) -> (B, H, T, E), by another route than the model's."""
    batch, length, width = states.shape
    return states.view(batch, length, HEADS, width // HEADS).permute(0, 2, 1, 3)


def test_padding_is_what_has_the_pad_id_and_nothing_else() -> None:
    ids = torch.tensor([[5, 7, 0, 0], [0, 3, 3, 3]])
    assert padding_mask(ids, 0).tolist() == [[True, True, False, False], [False, True, True, True]]
    assert padding_mask(ids, 3).tolist() == [[True, True, True, True], [True, False, False, False]]


def test_a_position_sees_itself_and_what_came_before() -> None:
    assert causal_mask(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]


def test_masked_keys_get_no_weight_at_all() -> None:
    # Asymmetric in every axis, so that a transposed mask would show.
    scores = torch.randn(2, HEADS, 3, 5)
    mask = torch.tensor(
        [
            [[1, 0, 0, 0, 0], [1, 1, 0, 1, 0], [0, 0, 1, 1, 1]],
            [[0, 0, 0, 0, 1], [0, 1, 0, 0, 0], [1, 1, 1, 1, 0]],
        ],
        dtype=torch.bool,
    ).unsqueeze(1)
    weights = torch.softmax(mask_scores(scores, mask), dim=-1)
    assert (weights.masked_select(~mask) == 0).all()
    expected = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
    torch.testing.assert_close(weights, expected)


def test_a_row_without_any_real_key_stays_finite() -> None:
    module = attention()
    states = torch.randn(2, 3, WIDTH, requires_grad=True)
    mask = torch.tensor([[True, True, False], [False, False, False]]).unsqueeze(1)
    attended, maps = module(states, module.project(states), mask)
    attended.sum().backward()
    assert attended.isfinite().all() and maps.isfinite().all()
    assert states.grad is not None and states.grad.isfinite().all()
    torch.testing.assert_close(maps[1], torch.full_like(maps[1], 1 / 3))


def test_a_bias_of_the_keys_would_change_nothing_and_is_not_trained() -> None:
    module = attention()
    states, mask = torch.randn(2, 3, WIDTH), torch.ones(2, 1, 3, dtype=torch.bool)
    before, _ = module(states, module.project(states), mask)
    before.sum().backward()
    assert [name for name, parameter in module.named_parameters() if parameter.grad is None] == ["key.bias"]
    with torch.no_grad():
        module.key.bias += 3 * torch.randn(WIDTH)
    after, _ = module(states, module.project(states), mask)
    torch.testing.assert_close(after, before)


def test_masking_works_in_half_precision() -> None:
    for dtype in (torch.float16, torch.bfloat16):
        masked = mask_scores(torch.zeros(1, 1, 1, 2, dtype=dtype), torch.tensor([True, False]))
        assert torch.softmax(masked.float(), dim=-1).tolist() == [[[[1.0, 0.0]]]]


def test_attention_is_scaled_dot_product_attention_in_heads() -> None:
    module = attention()
    states, memory = torch.randn(2, 3, WIDTH), torch.randn(2, 5, WIDTH)
    mask = torch.rand(2, 3, 5) > 0.4
    mask[:, :, 2] = True  # every query may look somewhere
    attended, maps = module(states, module.project(memory), mask)
    heads = F.scaled_dot_product_attention(
        split(module.query(states)), split(module.key(memory)), split(module.value(memory)), mask.unsqueeze(1)
    )
    expected = module.output(heads.permute(0, 2, 1, 3).reshape(2, 3, WIDTH))
    torch.testing.assert_close(attended, expected, rtol=1e-5, atol=1e-6)
    assert maps.shape == (2, HEADS, 3, 5)
    torch.testing.assert_close(maps.sum(-1), torch.ones(2, HEADS, 3))


def test_one_padding_mask_serves_all_queries_and_heads() -> None:
    module = attention()
    memory = torch.randn(2, 4, WIDTH)
    mask = torch.tensor([[True, True, True, True], [True, True, False, False]])
    states = torch.randn(2, 3, WIDTH)
    together, _ = module(states, module.project(memory), mask.unsqueeze(1))
    alone, _ = module(states[1:], module.project(memory[1:, :2]), torch.ones(1, 1, 2, dtype=torch.bool))
    torch.testing.assert_close(together[1:], alone, rtol=1e-5, atol=1e-6)


def test_maps_are_those_before_dropout() -> None:
    module = attention(attention_dropout=0.9).train()
    states = torch.randn(1, 4, WIDTH)
    attended, maps = module(states, module.project(states), torch.ones(1, 1, 4, dtype=torch.bool))
    torch.testing.assert_close(maps.sum(-1), torch.ones(1, HEADS, 4))
    again, same_maps = module(states, module.project(states), torch.ones(1, 1, 4, dtype=torch.bool))
    torch.testing.assert_close(maps, same_maps)
    assert not torch.equal(attended, again), "dropout acts on the attended states"


def test_biases_can_be_left_out() -> None:
    assert all(name.endswith("weight") for name, _ in attention(biases=False).named_parameters())
    projected = attention(biases=False).project(torch.zeros(1, 2, WIDTH))
    assert isinstance(projected, KeysValues)
    assert not projected.keys.any() and not projected.values.any()
