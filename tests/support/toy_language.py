"""Two made-up languages for quick training: word n of one is word n of the other, and sentences run backwards."""

import random
from pathlib import Path

from model.data.pairs import write_pairs

FIRST = "abcdefghijkl"
SECOND = "mnopqrstuvwx"

_TRAINING: dict[str, str | float] = {
    "updates": 30,
    "batch_tokens": 120,
    "peak_rate": 5e-3,
    "warmup": 10,
    "checkpoint_every": 10,
    "validate_every": 10,
}


def toy_pairs(count: int, *, seed: int = 0, shortest: int = 2, longest: int = 6) -> list[tuple[str, str]]:
    """Sentence pairs such as ("a c b", "n o m")."""
    rng = random.Random(seed)
    sentences = [rng.choices(range(len(FIRST)), k=rng.randint(shortest, longest)) for _ in range(count)]
    return [
        (" ".join(FIRST[word] for word in words), " ".join(SECOND[word] for word in reversed(words)))
        for words in sentences
    ]


def write_toy_data(folder: Path) -> None:
    """The pair files that ``toy_recipe`` names."""
    folder.mkdir(parents=True, exist_ok=True)
    write_pairs(folder / "easy.tsv", toy_pairs(60, seed=1, longest=3))
    write_pairs(folder / "mixed.tsv.gz", toy_pairs(200, seed=2))
    write_pairs(folder / "valid.tsv", toy_pairs(20, seed=3))


def toy_recipe(
    *, model: str = "", head: str = "", augmentation: str = "", source: str = "", **training: str | float
) -> str:
    """A recipe of seconds: keywords set keys of ``[training]``; the rest are further lines of their sections.

    ``source`` is for the second source.
    """
    values: dict[str, str | float] = {**_TRAINING, **training}
    section = "\n".join(f"{key} = {value!r}" for key, value in values.items())
    return f"""
name = "toy"
languages = ["xa", "xb"]
vocabulary = 300
validation = "valid.tsv"
licence = "CC0-1.0"
{head}

[golden]
xa = ["a b"]
xb = ["n m"]

[model]
encoder_layers = 1
decoder_layers = 2
width = 16
heads = 2
feed_forward = 32
norm = "pre"
{model}

[training]
{section}

[augmentation]
{augmentation}

[[sources]]
path = "easy.tsv"
early = true

[[sources]]
path = "mixed.tsv.gz"
weight = 0.5
licence = "CC0-1.0"
{source}
"""
