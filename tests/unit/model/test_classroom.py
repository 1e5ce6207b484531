"""The classroom example: three sentences, learned by heart in a second by a Transformer of every kind."""

import pytest
import torch

from model.evaluation.attention_maps import SentenceMaps, draw_maps
from model.network.config import TransformerConfig
from model.network.decoder_only import new_model
from model.network.transformer import Transformer
from tests.support.reference import greedy_search, model_scores
from tests.support.variants import CHOICES

PAIRS = [
    ("ich mochte ein bier", "i want a beer ."),
    ("ich mochte ein cola", "i want a coke ."),
    ("du trinkst gern wasser", "you like to drink water ."),
]
WORDS = ["<pad>", "<s>", "</s>", *dict.fromkeys(" ".join(side for pair in PAIRS for side in pair).split())]
MOST_UPDATES = 400


def ids(text: str) -> list[int]:
    return [WORDS.index(word) for word in text.split()]


def padded(rows: list[list[int]]) -> torch.Tensor:
    return torch.tensor([row + [0] * (max(map(len, rows)) - len(row)) for row in rows])


def translate(model: Transformer, text: str) -> str:
    """A translation by the slow oracle, which starts from the beginning for each word."""
    found = greedy_search(model_scores(model, [*ids(text), 2]), eos_id=2, max_length=10)
    return " ".join(WORDS[word] for word in found)


def taught(changes: dict[str, object]) -> Transformer:
    """Trained until every next word is right with some room."""
    torch.set_num_threads(1)  # more only wait for each other on such small products
    torch.manual_seed(0)
    sizes = {"encoder_layers": 1, "decoder_layers": 1, "width": 32, "heads": 2, "feed_forward": 64, "dropout": 0.0}
    sizes |= changes | {"alignment_layer": None}
    if "cutoffs" in sizes:
        sizes["cutoffs"] = (10, 15)
    model = new_model(TransformerConfig(source_vocabulary=len(WORDS), target_vocabulary=len(WORDS), **sizes))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    source = padded([[*ids(german), 2] for german, _ in PAIRS])
    shown, wanted = (padded([f(ids(english)) for _, english in PAIRS]) for f in (lambda w: [1, *w], lambda w: [*w, 2]))
    for _ in range(MOST_UPDATES):
        chances = model.logits(model(source, shown)[0]).log_softmax(-1).gather(-1, wanted.unsqueeze(-1)).squeeze(-1)
        if chances[wanted != 0].min().exp() > 0.9:
            break
        optimizer.zero_grad()
        (-chances[wanted != 0].mean()).backward()
        optimizer.step()
    return model.eval()


@pytest.mark.parametrize("name", ["the paper", *CHOICES])
def test_every_kind_of_model_learns_three_sentences_by_heart(name):
    model = taught(CHOICES.get(name, {}))
    assert [translate(model, german) for german, _ in PAIRS] == [english for _, english in PAIRS]


def test_its_attention_is_drawn(tmp_path):
    model = taught({})
    source, target = [*ids(PAIRS[0][0]), 2], [1, *ids(PAIRS[0][1])]
    with torch.no_grad():
        _, found = model(torch.tensor([source]), torch.tensor([target]))
    layers = ([each[0].numpy() for each in kind] for kind in found)
    draw_maps(SentenceMaps([WORDS[i] for i in source], [WORDS[i] for i in target], *layers), tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
