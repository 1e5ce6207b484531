"""The first stage of a run: recipe and pair files -> tokenizer and packed, aligned corpora in the run's folder."""

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import sentencepiece

from model.data.alignment import Links, align
from model.data.augmentation import augment, lowercase_words
from model.data.batches import Packed
from model.data.dictionary import Dictionary
from model.data.pairs import Pair, PairsError, read_pairs, sha256
from model.data.placeholders import Replacer
from model.data.tokenizer import train_tokenizer
from model.recipe import Augmentation, Recipe, RecipeError

# The tokenizer learns from at most this many pairs: more changes its pieces little and costs minutes.
TOKENIZER_PAIRS = 300_000

Report = Callable[[str], None]


def build_corpus(recipe: Recipe, data: Path, run: Path, *, report: Report) -> None:
    """Make ``tokenizer.spm``, ``corpus/*.npz`` and ``corpus/sources.json`` in the run's folder, unless they exist.

    Args:
        recipe: Names the pair files.
        data: Folder they are relative to.
        run: Folder of the run.
        report: Called with a line on each step.

    Raises:
        PairsError: A file is missing, malformed or empty.
        TokenizerError: The text is too little for the recipe's vocabulary.
        RecipeError: The run's folder holds a corpus of other files, or made by other rules.
    """
    done, rules = run / "corpus" / "sources.json", run / "corpus" / "rules.json"
    paths = [data / source.path for source in recipe.sources] + [data / recipe.validation]
    if done.exists():
        if [fact["file"] for fact in corpus_facts(run)] != [path.name for path in paths]:
            raise RecipeError(f"{run} was made from other pair files than the recipe names: choose another folder")
        if rules.exists() and json.loads(rules.read_text(encoding="utf-8")) != _rules(recipe):
            raise RecipeError(f"{run} was made by another recipe ({', '.join(_rules(recipe))}): choose another folder")
        return
    done.parent.mkdir(parents=True, exist_ok=True)
    texts: list[list[Pair]] = []
    for path in paths:
        texts.append(list(read_pairs(path)))
        if not texts[-1]:
            raise PairsError(f"{path}: holds no pairs")
        report(f"read {len(texts[-1]):,} pairs from {path.name}")
    tokenizer = run / "tokenizer.spm"
    if not tokenizer.exists():
        report(f"training a tokenizer of {recipe.vocabulary} pieces")
        sentences = _tokenizer_text(texts[:-1], recipe)
        train_tokenizer(sentences, tokenizer, vocabulary=recipe.vocabulary, languages=recipe.languages)
    sizes = [len(pairs) for pairs in texts]
    if recipe.augmentation != Augmentation():
        _augment(texts[:-1], recipe)
        report(f"added {sum(map(len, texts)) - sum(sizes):,} changed copies")
    processor = sentencepiece.SentencePieceProcessor(model_file=str(tokenizer))
    encoded = [
        list(zip(processor.encode([a for a, _ in pairs]), processor.encode([b for _, b in pairs]), strict=True))
        for pairs in texts
    ]
    report("encoded")
    links = [[np.zeros((0, 2), np.int16)] * len(pairs) for pairs in encoded]
    if recipe.training.alignment_weight:
        report(f"aligning {sum(map(len, encoded)):,} pairs")
        flat = align([pair for pairs in encoded for pair in pairs])
        starts = np.cumsum([0] + [len(pairs) for pairs in encoded])
        links = [flat[a:b] for a, b in pairwise(starts)]
    for pairs, pair_links, source in zip(encoded, links, recipe.sources, strict=False):  # without the validation pairs
        if not source.dictionary and recipe.augmentation.placeholders:
            _add_placeholders(pairs, pair_links, processor, recipe)
    for index, (pairs, pair_links) in enumerate(zip(encoded, links, strict=True)):
        name = f"{index:02d}" if index < len(recipe.sources) else "validation"
        Packed.build(pairs, pair_links).save(done.parent / f"{name}.npz")
    facts = [
        {"file": path.name, "pairs": size, "sha256": sha256(path)} for path, size in zip(paths, sizes, strict=True)
    ]
    rules.write_text(json.dumps(_rules(recipe), indent=1) + "\n", encoding="utf-8")
    partial = done.with_suffix(".partial")
    partial.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    partial.replace(done)


def _rules(recipe: Recipe) -> dict[str, Any]:
    """What of a recipe decides a corpus, besides the files; how often each is drawn may change from stage to stage."""
    return {
        "seed": recipe.seed,
        "languages": list(recipe.languages),
        "vocabulary": recipe.vocabulary,
        "augmentation": recipe.augmentation.model_dump(),
        "dictionary": [source.path for source in recipe.sources if source.dictionary],
        "alignment": recipe.training.alignment_weight > 0,
    }


def load_corpus(recipe: Recipe, run: Path) -> tuple[list[Packed], Packed]:
    """The packed training sources in the recipe's order, and the packed validation pairs."""
    folder = run / "corpus"
    sources = [Packed.load(folder / f"{index:02d}.npz") for index in range(len(recipe.sources))]
    return sources, Packed.load(folder / "validation.npz")


def corpus_facts(run: Path) -> list[dict[str, Any]]:
    """File name, pairs and sha256 of each source in the recipe's order, then of the validation file."""
    facts: list[dict[str, Any]] = json.loads((run / "corpus" / "sources.json").read_text(encoding="utf-8"))
    return facts


def _augment(texts: list[list[Pair]], recipe: Recipe) -> None:
    """Add changed copies to every source of sentences, in place."""
    entries, sentences = (
        [
            pair
            for pairs, source in zip(texts, recipe.sources, strict=True)
            if source.dictionary == wanted
            for pair in pairs
        ]
        for wanted in (True, False)
    )
    lowercase = (lowercase_words(a for a, _ in sentences), lowercase_words(b for _, b in sentences))
    dictionary = Dictionary(entries, sentences)
    for index, (pairs, source) in enumerate(zip(texts, recipe.sources, strict=True)):
        if not source.dictionary:
            pairs += augment(pairs, recipe.augmentation, lowercase, dictionary, Random(f"{recipe.seed} {index}"))


def _add_placeholders(
    pairs: list[tuple[list[int], list[int]]],
    links: list[Links],
    processor: sentencepiece.SentencePieceProcessor,
    recipe: Recipe,
) -> None:
    """Add copies with placeholders, in place."""
    replacer = Replacer(processor.id_to_piece, processor.piece_to_id)
    rng = Random(recipe.seed)
    for index in rng.choices(range(len(pairs)), k=round(recipe.augmentation.placeholders * len(pairs))):
        replaced = replacer.replace(pairs[index], links[index], rng)
        if replaced is not None:
            pairs.append(replaced[0])
            links.append(replaced[1])


def _tokenizer_text(texts: list[list[Pair]], recipe: Recipe) -> Iterator[str]:
    """Both sides of a sample of the pairs, drawn by the sources' weights (a pair at most once)."""
    rng = np.random.default_rng(recipe.seed)
    weights = [min(1.0, source.weight) for source in recipe.sources]
    share = min(1.0, TOKENIZER_PAIRS / sum(w * len(pairs) for w, pairs in zip(weights, texts, strict=True)))
    for weight, pairs in zip(weights, texts, strict=True):
        for pair in np.flatnonzero(rng.random(len(pairs)) < weight * share):
            yield from pairs[pair]
