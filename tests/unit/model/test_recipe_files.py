"""A recipe may be the difference to another one."""

import tomllib
from pathlib import Path

import pytest

from model.recipe import Recipe, RecipeError
from model.recipe_files import read_table, read_text

FOLDER = Path(__file__).parents[3] / "model" / "recipes"
RECIPES = sorted(path for path in FOLDER.glob("*.toml") if path.name != "sources.toml")
BASE = """
name = "base"
languages = ["de", "en"]
validation = "valid.tsv"
[model]
width = 64
heads = 2
[training]
updates = 10
[[sources]]
path = "a.tsv"
weight = 2
early = true
[[sources]]
path = "b.tsv"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "base.toml").write_text(BASE, encoding="utf-8")
    return tmp_path


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_keys_tables_and_sources_are_changed_added_and_left_out(folder):
    path = write(
        folder,
        "next.toml",
        """
        extends = "base.toml"
        name = "next"
        without = ["b.tsv"]
        [training]
        warmup = 5
        [[sources]]
        path = "c.tsv"
        [[sources]]
        path = "a.tsv"
        weight = 3
        """,
    )
    recipe = Recipe.load(path)
    assert (recipe.name, recipe.languages, recipe.model["width"]) == ("next", ("de", "en"), 64)
    assert (recipe.training.updates, recipe.training.warmup) == (10, 5)
    found = [(each.path, each.weight, each.early) for each in recipe.sources]
    assert found == [("a.tsv", 3, True), ("c.tsv", 1, False)]


def test_a_chain_is_read_from_its_far_end(folder):
    write(folder, "second.toml", 'extends = "base.toml"\n[training]\nupdates = 20\nwarmup = 7\n')
    third = write(folder, "third.toml", 'extends = "second.toml"\nname = "third"\n[training]\nupdates = 30\n')
    recipe = Recipe.load(third)
    assert (recipe.name, recipe.training.updates, recipe.training.warmup) == ("third", 30, 7)


def test_the_text_of_a_run_stands_by_itself(folder):
    path = write(folder, "next.toml", 'extends = "base.toml"\nname = "next"\n')
    assert tomllib.loads(read_text(path)) == read_table(path)
    assert "extends" not in read_text(path)
    assert read_text(folder / "base.toml") == BASE


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('extends = "next.toml"', "extend each other: next.toml, next.toml"),
        ('extends = "../base.toml"', "same folder"),
        ("extends = 3", "same folder"),
        ('extends = "missing.toml"', "No such file"),
        ('extends = "base.toml"\nwithout = ["c.tsv"]', "no source c.tsv"),
        ('extends = "base.toml"\nunknown = 1', "unknown"),
        ('extends = "base.toml"\n[[sources]]\nweight = 1', "path"),
        ('extends = "base.toml"\nsources = ["a.tsv"]', "sources must be tables"),
        ('extends = "base.toml"\nsources = 3', "sources must be tables"),
        ('extends = "base.toml"\n[[sources]]\npath = ["a.tsv"]', "each with a path"),
    ],
)
def test_differences_that_fit_nothing_are_refused(folder, text, reason):
    with pytest.raises(RecipeError, match=reason):
        Recipe.load(write(folder, "next.toml", text))


def test_what_is_known_of_a_source_is_added(folder):
    write(folder, "sources.toml", '["a.tsv"]\nlicence = "CC0"\nweight = 7\n["z.tsv"]\nlicence = "MIT"\n')
    path = write(folder, "next.toml", 'extends = "base.toml"\n')
    found = [(each.path, each.weight, each.licence) for each in Recipe.load(path).sources]
    assert found == [("a.tsv", 2, "CC0"), ("b.tsv", 1, "")]
    for each in (path, folder / "base.toml"):
        assert tomllib.loads(read_text(each)) == read_table(each)


def test_each_file_that_is_known_is_a_source():
    known = tomllib.loads((FOLDER / "sources.toml").read_text(encoding="utf-8"))
    assert set(known) <= {source["path"] for path in RECIPES for source in read_table(path)["sources"]}


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_every_recipe_can_be_read(path):
    table = read_table(path)
    table.pop("ablation", None)
    assert Recipe.model_validate(table).sources
