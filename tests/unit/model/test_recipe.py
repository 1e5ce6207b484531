from pathlib import Path

import pytest

from model.recipe import Recipe, RecipeError
from tests.support.toy_language import toy_recipe

RECIPES = Path(__file__).parents[3] / "model" / "recipes"
NON_COMMERCIAL = ("multi30k", "wmt14-extra-refs", "pro-git")


def load(folder: Path, text: str) -> Recipe:
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    return Recipe.load(folder / "recipe.toml")


def test_a_recipe_is_read(tmp_path: Path) -> None:
    recipe = load(tmp_path, toy_recipe(model="alignment_layer = 1\nalignment_head = 1", alignment_weight=0.5))
    assert recipe.languages == ("xa", "xb")
    assert [(source.path, source.weight, source.early) for source in recipe.sources] == [
        ("easy.tsv", 1.0, True),
        ("mixed.tsv.gz", 0.5, False),
    ]
    assert (recipe.training.alignment_weight, recipe.training.updates) == (0.5, 30)
    config = recipe.transformer(123)
    assert (config.source_vocabulary, config.target_vocabulary, config.width) == (123, 123, 16)
    assert (config.alignment_layer, config.alignment_head) == (1, 1)


def test_a_path_may_be_relative_to_the_recipe(tmp_path: Path) -> None:
    (tmp_path / "recipes").mkdir()
    recipe = load(tmp_path / "recipes", toy_recipe().replace('"easy.tsv"', '"../text/easy.tsv"'))
    first, second = recipe.sources
    assert Path(first.path).resolve() == (tmp_path / "text" / "easy.tsv").resolve()
    assert second.path == "mixed.tsv.gz"


@pytest.mark.parametrize("name", sorted(path.stem for path in RECIPES.glob("??-??*.toml")))
def test_the_shipped_recipes_can_be_loaded_and_may_be_shipped(name: str) -> None:
    recipe = Recipe.load(RECIPES / f"{name}.toml")
    assert recipe.languages == ("de", "en")
    assert set(recipe.golden) == {"de", "en"}
    assert recipe.training.alignment_weight > 0 and recipe.model["alignment_layer"] is not None
    for source in recipe.sources:
        assert not any(name in source.path for name in NON_COMMERCIAL), source.path
        assert "optional" not in source.path, source.path
        assert source.licence and source.origin, f"{source.path} has no provenance"
        assert not any(word in source.licence.lower() for word in ("-nc", "non-commercial", "noncommercial"))


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("vocabulary = 300", "vocabulary = 300\nvocabluary = 300", "vocabluary"),
        ("[training]", "[training]\nbatch_size = 3", "training.batch_size"),
        ("[model]", "[model]\nlayers = 3", "layers"),
        ("early = true", "early = true\nwieght = 3", "sources.0.wieght"),
        ("updates = 30", "", "training.updates"),
        ("updates = 30", "updates = 0", "training.updates"),
        ("updates = 30", "updates = 'many'", "training.updates"),
        ("updates = 30", "updates = 30\nschedule = 'linear'", "training.schedule"),
        ("updates = 30", "updates = 30\nprecision = 'float16'", "training.precision"),
        ("updates = 30", "updates = 30\nlabel_smoothing = 1", "training.label_smoothing"),
        ("weight = 0.5", "weight = 0", "sources.1.weight"),
        ("vocabulary = 300", "vocabulary = 299", "vocabulary"),
        ("heads = 2", "heads = 3", "multiple of heads"),
        ("heads = 2", "heads = 4", "heads of 4 channels"),
        ('norm = "pre"', 'norm = "before"', "norm must be one of post, pre"),
        ("width = 16", 'width = "wide"', "model"),
        ('languages = ["xa", "xb"]', 'languages = ["xa"]', "languages"),
    ],
)
def test_unknown_keys_and_wrong_values_are_named(tmp_path: Path, old: str, new: str, named: str) -> None:
    text = toy_recipe()
    assert old in text
    with pytest.raises(RecipeError) as caught:
        load(tmp_path, text.replace(old, new, 1))
    assert str(caught.value).startswith(str(tmp_path / "recipe.toml"))
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("early = true", "", "no source is marked early"),
        ("alignment_layer = 1", "", "alignment_weight is set, but model.alignment_layer is not"),
        ("alignment_layer = 1", "alignment_layer = 2", "alignment_layer 2"),
        ("alignment_layer = 1", "alignment_layer = 1\nsource_vocabulary = 9", "model.source_vocabulary is decided"),
        ("alignment_layer = 1", "alignment_layer = 1\npad_id = 5", "model.pad_id is decided by the tokenizer"),
        ("alignment_layer = 1", "alignment_layer = 1\npositions = 'learned'\nmax_positions = 20", "max_positions"),
        ("alignment_layer = 1", "alignment_layer = 1\nmemory_length = 8", "no source is marked consecutive"),
        ("heads = 2", "heads = 2\nmemory_length = 6", "memory_length = 6 can't be exported; a multiple of 4 can"),
        ('languages = ["xa", "xb"]', 'languages = ["xa", "xa"]', "languages are the same"),
        ('xb = ["n m"]', 'xc = ["n m"]', "golden sentences in xc"),
        ("vocabulary = 300", "vocabulary = 300\ninitial_share = 0.3", "initial_share is set, but initial is not"),
        ("weight = 0.5", "weight = 0.5\ndistilled = true", "a source is marked distilled, but initial is not set"),
        ("weight = 0.5", "weight = 0.5\ndistilled = true\nconsecutive = true", "consecutive: it can't be distilled"),
    ],
)
def test_contradictions_are_refused(tmp_path: Path, old: str, new: str, reason: str) -> None:
    text = toy_recipe(model="alignment_layer = 1", alignment_weight=0.3, early_updates=5)
    assert load(tmp_path, text) and old in text
    with pytest.raises(RecipeError, match=reason):
        load(tmp_path, text.replace(old, new, 1))


def test_a_file_that_is_no_recipe_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"missing\.toml: No such file"):
        Recipe.load(tmp_path / "missing.toml")
    with pytest.raises(RecipeError, match=r"recipe\.toml: Invalid value"):
        load(tmp_path, "name = ")
    (tmp_path / "latin.toml").write_bytes('name = "Möwe"'.encode("latin-1"))
    with pytest.raises(RecipeError, match=r"latin\.toml: .*utf-8"):
        Recipe.load(tmp_path / "latin.toml")
