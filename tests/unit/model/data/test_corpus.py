from pathlib import Path
from typing import Any, cast

import pytest
import sentencepiece

from model.data import corpus
from model.data.batches import BOTH, FORWARD, REVERSE
from model.data.corpus import build_corpus, load_corpus, sentence_case, synthetic_mark
from model.data.pairs import PairsError, sentence_key, write_pairs
from model.data.tokenizer import BACK_TRANSLATED
from model.recipe import Recipe, RecipeError
from tests.support.toy_language import toy_pairs, toy_recipe, write_toy_data


def test_labels_have_a_capital_on_both_sides_or_on_neither() -> None:
    entries = [("Einstellung", "setting"), ("speichern", "to save"), ("Berlin", "Berlin"), ("schön", "beautiful")]
    text = sentence_case(entries)
    assert dict(zip(text.pairs, text.directions, strict=True)) == {
        ("Einstellung", "setting"): REVERSE,  # towards German, where every noun has a capital
        ("Einstellung", "Setting"): BOTH,
        ("speichern", "to save"): BOTH,
        ("Speichern", "Save"): BOTH,
        ("Berlin", "Berlin"): BOTH,
        ("schön", "beautiful"): BOTH,
        ("Schön", "Beautiful"): BOTH,
    }


def recipe_with(source: str, **options: Any) -> Recipe:
    return Recipe.parse(toy_recipe(**options) + f'\n[[sources]]\npath = "more.tsv"\n{source}\n')


def test_synthetic_pairs_go_one_way_and_have_no_links(tmp_path: Path) -> None:
    write_toy_data(tmp_path)
    write_pairs(tmp_path / "more.tsv", toy_pairs(30, seed=9))
    options = {"model": "alignment_layer = 1", "alignment_weight": 0.5, "augmentation": "placeholders = 0.5"}
    recipe = recipe_with('synthetic = true\ndirection = "reverse"', **options)
    build_corpus(recipe, tmp_path, tmp_path / "run", report=lambda line: None)
    (_, mixed, more), _ = load_corpus(recipe, tmp_path / "run")
    assert len(more) == 30 and set(more.directions) == {REVERSE} and not len(more.links)
    assert len(mixed) > 200 and set(mixed.directions) == {BOTH} and len(mixed.links)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "run" / "tokenizer.spm"))
    assert processor.is_control(processor.piece_to_id(BACK_TRANSLATED))


@pytest.mark.parametrize("column", [0, 1])
def test_sentences_are_put_in_the_place_of_their_keys(tmp_path: Path, column: int) -> None:
    write_toy_data(tmp_path)
    pairs = toy_pairs(30, seed=9)
    (tmp_path / "text.txt").write_text("".join(f"{pair[column]}\n" for pair in toy_pairs(30, seed=8) + pairs))
    keyed = [tuple(sentence_key(text) if side == column else text for side, text in enumerate(pair)) for pair in pairs]
    write_pairs(tmp_path / "plain.tsv", pairs)
    write_pairs(tmp_path / "more.tsv", keyed)
    recipe = recipe_with(f'{("first", "second")[column]} = ["text.txt"]\n[[sources]]\npath = "plain.tsv"')
    build_corpus(recipe, tmp_path, tmp_path / "run", report=lambda line: None)
    (*_, more, plain), _ = load_corpus(recipe, tmp_path / "run")
    for side in (0, 1):
        assert (more.ids[side] == plain.ids[side]).all()


def test_a_sentence_that_no_file_has_is_reported(tmp_path: Path) -> None:
    write_toy_data(tmp_path)
    write_pairs(tmp_path / "more.tsv", [(sentence_key("here"), "a"), (sentence_key("gone"), "b")])
    (tmp_path / "text.txt").write_text("here\n")
    with pytest.raises(PairsError, match=r"^1 of 2 sentences are in none of these files: .*text\.txt$"):
        build_corpus(recipe_with('first = ["text.txt"]'), tmp_path, tmp_path / "run", report=lambda line: None)


def test_a_tokenizer_without_a_mark_for_synthetic_pairs_is_refused_before_they_are_aligned(tmp_path: Path) -> None:
    write_toy_data(tmp_path)
    write_pairs(tmp_path / "more.tsv", toy_pairs(30, seed=9))
    (tmp_path / "run").mkdir()
    with open(tmp_path / "run" / "tokenizer.spm", "wb") as tokenizer:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=(text for pair in toy_pairs(300, seed=1) for text in pair),
            model_writer=tokenizer,
            vocab_size=60,
            hard_vocab_limit=False,
            minloglevel=2,
        )
    recipe = recipe_with('synthetic = true\ndirection = "reverse"', model="alignment_layer = 1", alignment_weight=0.5)
    lines: list[str] = []
    with pytest.raises(RecipeError, match=r"has no piece <bt> .*leave out `synthetic`"):
        build_corpus(recipe, tmp_path, tmp_path / "run", report=lines.append)
    assert not any("align" in line for line in lines)


@pytest.mark.parametrize(("direction", "other"), [("forward", "<2xa>"), ("reverse", "<2xb>")])
def test_a_recipe_of_one_direction_marks_synthetic_pairs_with_the_tag_of_the_other(direction: str, other: str) -> None:
    pieces = ["<pad>", "<s>", "</s>", "<unk>", "<2xa>", "<2xb>"]

    class WithoutMark:
        def piece_to_id(self, piece: str) -> int:
            return pieces.index(piece) if piece in pieces else 3

        def unk_id(self) -> int:
            return 3

    recipe = recipe_with(f'synthetic = true\ndirection = "{direction}"', head=f'direction = "{direction}"')
    assert synthetic_mark(cast(sentencepiece.SentencePieceProcessor, WithoutMark()), recipe) == pieces.index(other)


def test_changed_copies_go_the_way_of_their_source(tmp_path: Path) -> None:
    write_toy_data(tmp_path)
    write_pairs(tmp_path / "more.tsv", toy_pairs(30, seed=9))
    recipe = recipe_with('direction = "forward"', augmentation="capitals = 1.0")
    build_corpus(recipe, tmp_path, tmp_path / "run", report=lambda line: None)
    *_, more = load_corpus(recipe, tmp_path / "run")[0]
    assert len(more) > 30 and set(more.directions) == {FORWARD}


@pytest.mark.parametrize("pieces", [0, 1])
def test_the_tokenizer_of_a_model_with_as_many_pieces_is_kept(tmp_path: Path, pieces: int) -> None:
    write_toy_data(tmp_path)
    recipe = Recipe.parse(toy_recipe())
    build_corpus(recipe, tmp_path, tmp_path / "earlier", report=lambda line: None)
    write_pairs(tmp_path / "more.tsv", toy_pairs(300, seed=9))
    later = recipe_with("", head=f'initial = "{tmp_path / "earlier"}"')
    later = later.model_copy(update={"vocabulary": recipe.vocabulary + pieces})
    build_corpus(later, tmp_path, tmp_path / "later", report=lambda line: None)
    tokenizers = [(tmp_path / run / "tokenizer.spm").read_bytes() for run in ("earlier", "later")]
    assert (tokenizers[0] == tokenizers[1]) == (pieces == 0)


def test_generated_pairs_are_a_source_of_their_own(tmp_path: Path) -> None:
    write_toy_data(tmp_path)
    text = toy_recipe(augmentation="notation = 25").replace('["xa", "xb"]', '["de", "en"]')
    recipe = Recipe.parse(text.replace("xa =", "de =").replace("xb =", "en ="))
    build_corpus(recipe, tmp_path, tmp_path / "run", report=lambda line: None)
    corpora, validation = load_corpus(recipe, tmp_path / "run")
    assert [len(corpus) for corpus in corpora] == [60, 200, 25] and len(validation) == 20


@pytest.mark.parametrize(
    ("source", "options", "reason"),
    [
        ("synthetic = true", {}, "direction must be forward or reverse"),
        ("", {"augmentation": "notation = 5"}, "German and English only"),
    ],
)
def test_recipes_that_contradict_themselves_are_refused(source: str, options: dict[str, str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        recipe_with(source, **options)


def test_pairs_that_share_a_side_with_held_out_ones_are_left_out(tmp_path: Path) -> None:
    write_pairs(tmp_path / "easy.tsv", [("eins", "one"), ("zwei", "two"), ("drei", "three")])
    write_pairs(tmp_path / "mixed.tsv.gz", [("Zwei!", "a pair"), ("vier", "four")])
    write_pairs(tmp_path / "held.tsv", [("zwei", "a couple"), ("die Drei", "Three")])
    write_pairs(tmp_path / "valid.tsv", [("zwei", "two")])
    (tmp_path / "recipe.toml").write_text('avoid = ["./held.tsv"]\n' + toy_recipe(), encoding="utf-8")
    recipe = Recipe.load(tmp_path / "recipe.toml")
    paths = [tmp_path / name for name in ("easy.tsv", "mixed.tsv.gz", "valid.tsv")]
    texts = corpus._read(recipe, tmp_path, paths, lambda line: None)
    assert [text.pairs for text in texts] == [[("eins", "one")], [("vier", "four")], [("zwei", "two")]]
