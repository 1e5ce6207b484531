"""The first stage of a run: recipe and pair files -> tokenizer and packed, aligned corpora in the run's folder."""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, zip_longest
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import sentencepiece

from model.data.alignment import Links, align
from model.data.augmentation import augment, lowercase_words
from model.data.batches import BOTH, DIRECTIONS, REVERSE, Packed
from model.data.dictionary import Dictionary
from model.data.notation import notation_pairs
from model.data.pairs import Pair, PairsError, read_pairs, sha256, with_sentences
from model.data.placeholders import IdPair, Replacer
from model.data.preparation import key
from model.data.tokenizer import BACK_TRANSLATED, target_tag, train_tokenizer
from model.recipe import Augmentation, Recipe, RecipeError, Source

# The tokenizer learns from at most this many pairs: more changes its pieces little and costs minutes.
TOKENIZER_PAIRS = 300_000

Report = Callable[[str], None]


def build_corpus(recipe: Recipe, data: Path, run: Path, *, report: Report) -> None:
    """Make ``tokenizer.spm``, ``corpus/*.npz`` and ``corpus/sources.json`` in the run's folder, unless they exist.

    A run that starts from a model with as many pieces keeps its tokenizer.

    Args:
        recipe: Names the pair files.
        data: Folder they are relative to.
        run: Folder of the run.
        report: Called with a line on each step.

    Raises:
        PairsError: A file is missing, malformed or empty.
        TokenizerError: The text is too little for the recipe's vocabulary.
        RecipeError: The run's folder holds a corpus of other files, or made by other rules; or the tokenizer has no
            mark for synthetic sources.
    """
    done, rules = run / "corpus" / "sources.json", run / "corpus" / "rules.json"
    paths = [data / source.path for source in recipe.sources] + [data / recipe.validation]
    if done.exists():
        if [fact["file"] for fact in corpus_facts(run)] != [path.name for path in paths]:
            raise RecipeError(f"{run} was made from other pair files than the recipe names: choose another folder")
        if rules.exists() and _saved_rules(rules) != _rules(recipe):
            raise RecipeError(f"{run} was made by another recipe ({', '.join(_rules(recipe))}): choose another folder")
        _check_mark(run / "tokenizer.spm", recipe)
        return
    done.parent.mkdir(parents=True, exist_ok=True)
    texts = _read(recipe, data, paths, report)
    sizes = [len(text.pairs) for text in texts]
    tokenizer = run / "tokenizer.spm"
    if not tokenizer.exists():
        _make_tokenizer(tokenizer, texts[:-1], recipe, report)
    _check_mark(tokenizer, recipe)
    if recipe.augmentation != Augmentation():
        _augment(texts[:-1], recipe)
        report(f"added {sum(len(text.pairs) for text in texts) - sum(sizes):,} changed copies")
    if recipe.augmentation.notation:
        generated = notation_pairs(recipe.languages, recipe.augmentation.notation, Random(recipe.seed))
        texts.insert(-1, _Text.of(list(generated), BOTH))
    processor = sentencepiece.SentencePieceProcessor(model_file=str(tokenizer))
    encoded = [text.encode(processor) for text in texts]
    report("encoded")
    links = _align(encoded, recipe, report)
    for pairs, pair_links, text, source in zip(encoded, links, texts, recipe.sources, strict=False):
        if recipe.augmentation.placeholders and not (source.dictionary or source.synthetic or source.consecutive):
            _add_placeholders(pairs, pair_links, processor, recipe)
            text.directions.extend([DIRECTIONS[source.direction]] * (len(pairs) - len(text.directions)))
    for name, pairs, pair_links, text in zip(_names(recipe), encoded, links, texts, strict=True):
        Packed.build(pairs, pair_links, text.directions).save(done.parent / f"{name}.npz")
    rules.write_text(json.dumps(_rules(recipe), indent=1) + "\n", encoding="utf-8")
    write_facts(done, paths, sizes)


def _check_mark(tokenizer: Path, recipe: Recipe) -> None:
    if any(source.synthetic for source in recipe.sources):
        synthetic_mark(sentencepiece.SentencePieceProcessor(model_file=str(tokenizer)), recipe)


def synthetic_mark(processor: sentencepiece.SentencePieceProcessor, recipe: Recipe) -> int:
    """Id of the piece that marks synthetic sources, after the tag (Caswell et al. 2019, "Tagged Back-Translation").

    A tokenizer may lack the piece for it. Then a recipe of one direction uses the tag of its source language.

    Raises:
        RecipeError: The tokenizer lacks the piece, and the recipe has both directions, which need both tags.
    """
    mark: int = processor.piece_to_id(BACK_TRANSLATED)
    if mark != processor.unk_id():
        return mark
    if recipe.direction == "both":
        raise RecipeError(
            f"the tokenizer has no piece {BACK_TRANSLATED} to mark synthetic sources with: choose another size of the"
            " vocabulary, train one direction, or leave out `synthetic`"
        )
    return int(processor.piece_to_id(target_tag(recipe.languages[recipe.direction == "reverse"])))


def _make_tokenizer(tokenizer: Path, texts: "list[_Text]", recipe: Recipe, report: Report) -> None:
    earlier = Path(recipe.initial, "tokenizer.spm") if recipe.initial else None
    if earlier and earlier.exists() and _pieces(earlier) == recipe.vocabulary:
        report(f"using the tokenizer of {recipe.initial}")
        shutil.copyfile(earlier, tokenizer)
    else:
        report(f"training a tokenizer of {recipe.vocabulary} pieces")
        sentences = _tokenizer_text(texts, recipe)
        train_tokenizer(sentences, tokenizer, vocabulary=recipe.vocabulary, languages=recipe.languages)


def write_facts(done: Path, paths: Sequence[Path], sizes: Sequence[int]) -> None:
    """Write ``sources.json``, the last file of a corpus: name, pairs and sha256 of each file that it was made from."""
    facts = [
        {"file": path.name, "pairs": size, "sha256": sha256(path)} for path, size in zip(paths, sizes, strict=True)
    ]
    partial = done.with_suffix(".partial")
    partial.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    partial.replace(done)


class _Text(NamedTuple):
    """The pairs of one source and which way each is learnt, see ``Packed.directions``."""

    pairs: list[Pair]
    directions: list[int]

    @classmethod
    def of(cls, pairs: list[Pair], direction: int) -> "_Text":
        return cls(pairs, [direction] * len(pairs))

    def add(self, pairs: Sequence[Pair], direction: int) -> None:
        self.pairs.extend(pairs)
        self.directions.extend([direction] * len(pairs))

    def encode(self, processor: sentencepiece.SentencePieceProcessor) -> list[IdPair]:
        first, second = (processor.encode([pair[side] for pair in self.pairs]) for side in (0, 1))
        return list(zip(first, second, strict=True))


def _read(recipe: Recipe, data: Path, paths: Sequence[Path], report: Report) -> list[_Text]:
    """The pairs of all files, the validation file last."""
    avoided = {key(side) for name in recipe.avoid for pair in read_pairs(data / name) for side in pair}
    texts = []
    for path, source in zip_longest(paths, recipe.sources):
        pairs = read_source(source, data) if source else list(read_pairs(path))
        if source and avoided:
            pairs = [pair for pair in pairs if avoided.isdisjoint(map(key, pair))]
        if not pairs:
            raise PairsError(f"{path}: holds no pairs")
        report(f"read {len(pairs):,} pairs from {path.name}")
        if source and source.sentence_case:
            texts.append(sentence_case(pairs))
        else:
            texts.append(_Text.of(pairs, DIRECTIONS[source.direction] if source else BOTH))
    return texts


def read_source(source: Source, data: Path) -> list[Pair]:
    """The pairs of one source of a recipe, with sentences in the place of their keys.

    Raises:
        PairsError: A file is missing or malformed.
    """
    pairs = list(read_pairs(data / source.path))
    for column, files in enumerate((source.first, source.second)):
        if files:
            pairs = with_sentences(pairs, column, [data / file for file in files])
    return pairs


def sentence_case(entries: Iterable[Pair]) -> _Text:
    """Entries as labels: a capital on both sides or on neither, so that "Einstellungen" becomes "Settings".

    German nouns have a capital anywhere, so "setting" is learnt towards German, and not the other way.
    """
    text = _Text([], [])
    for first, second in entries:
        label = (_capital(first), _capital(second.removeprefix("to ")))
        if (first, second) != label:
            capital_first = first[:1].isupper() and second[:1].islower()
            text.add([(first, second)], REVERSE if capital_first else BOTH)
        text.add([label], BOTH)
    return text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _align(encoded: list[list[IdPair]], recipe: Recipe, report: Report) -> list[list[Links]]:
    """The links of every pair, per source; none for dictionaries and for sides that were written by a machine."""
    links = [[np.zeros((0, 2), np.int16)] * len(pairs) for pairs in encoded]
    if not recipe.training.alignment_weight:
        return links
    left_out = [source.synthetic or source.dictionary for source in recipe.sources]
    aligned = [index for index in range(len(encoded)) if index >= len(left_out) or not left_out[index]]
    report(f"aligning {sum(len(encoded[index]) for index in aligned):,} pairs")
    flat = align([pair for index in aligned for pair in encoded[index]])
    starts = np.cumsum([0] + [len(encoded[index]) for index in aligned])
    for index, (begin, end) in zip(aligned, pairwise(starts), strict=True):
        links[index] = flat[begin:end]
    return links


def _names(recipe: Recipe) -> list[str]:
    """Names of the packed files: one for each source, the generated pairs and the validation pairs."""
    generated = ["generated"] if recipe.augmentation.notation else []
    return [f"{index:02d}" for index in range(len(recipe.sources))] + generated + ["validation"]


def _rules(recipe: Recipe) -> dict[str, Any]:
    """The parts of a recipe that a corpus depends on, besides the files. Weights may change from stage to stage."""
    return {
        "seed": recipe.seed,
        "languages": list(recipe.languages),
        "vocabulary": recipe.vocabulary,
        "augmentation": recipe.augmentation.model_dump(),
        "dictionary": [Path(source.path).name for source in recipe.sources if source.dictionary],
        "sentence_case": [Path(source.path).name for source in recipe.sources if source.sentence_case],
        "directions": [source.direction for source in recipe.sources],
        "alignment": recipe.training.alignment_weight > 0,
        **({"avoid": [Path(name).name for name in recipe.avoid]} if recipe.avoid else {}),
    }


def _saved_rules(path: Path) -> dict[str, Any]:
    """Read the rules that a corpus was made by. Earlier versions wrote paths of files there, not names."""
    saved: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return saved | {key: [Path(file).name for file in saved[key]] for key in ("dictionary", "sentence_case")}


def load_corpus(recipe: Recipe, run: Path) -> tuple[list[Packed], Packed]:
    """The packed training sources in the recipe's order, then the generated pairs; and the packed validation pairs."""
    *sources, validation = (Packed.load(run / "corpus" / f"{name}.npz") for name in _names(recipe))
    return sources, validation


def corpus_facts(run: Path) -> list[dict[str, Any]]:
    """File name, pairs and sha256 of each source in the recipe's order, then of the validation file."""
    facts: list[dict[str, Any]] = json.loads((run / "corpus" / "sources.json").read_text(encoding="utf-8"))
    return facts


def _augment(texts: list[_Text], recipe: Recipe) -> None:
    """Add changed copies to every source of sentences, in place."""
    entries, sentences = (
        [
            pair
            for text, source in zip(texts, recipe.sources, strict=True)
            if source.dictionary == wanted and not source.synthetic
            for pair in text.pairs
        ]
        for wanted in (True, False)
    )
    lowercase = (lowercase_words(a for a, _ in sentences), lowercase_words(b for _, b in sentences))
    dictionary = Dictionary(entries, sentences)
    for index, (text, source) in enumerate(zip(texts, recipe.sources, strict=True)):
        if not (source.dictionary or source.synthetic or source.consecutive):
            rng = Random(f"{recipe.seed} {index}")
            changed = augment(text.pairs, recipe.augmentation, lowercase, dictionary, recipe.languages, rng)
            text.add(changed, DIRECTIONS[source.direction])


def _add_placeholders(
    pairs: list[IdPair],
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


def _pieces(tokenizer: Path) -> int:
    return int(sentencepiece.SentencePieceProcessor(model_file=str(tokenizer)).vocab_size())


def _tokenizer_text(texts: list[_Text], recipe: Recipe) -> Iterator[str]:
    """Both sides of a sample of the pairs, drawn by the sources' weights (a pair at most once)."""
    rng = np.random.default_rng(recipe.seed)
    weights = [min(1.0, source.weight) for source in recipe.sources]
    share = min(1.0, TOKENIZER_PAIRS / sum(w * len(text.pairs) for w, text in zip(weights, texts, strict=True)))
    for weight, (pairs, _) in zip(weights, texts, strict=True):
        for pair in np.flatnonzero(rng.random(len(pairs)) < weight * share):
            yield from pairs[pair]
