import csv
import json
from pathlib import Path

import pytest
import torch

from export.ablation import BASELINE, Result, draw_ablation, read_plan, run_ablation, shortened
from model.network.config import TransformerConfig
from model.recipe import RecipeError, Training
from model.training.train import Distributed
from tests.support.toy_language import toy_recipe, write_toy_data

RECIPES = Path(__file__).parents[3] / "model" / "recipes"
ABLATION = """
[ablation]
tests = ["valid.tsv", "easy.tsv"]
limit = 6
[ablation.variants.narrow]
feed_forward = 16
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    write_toy_data(tmp_path / "data")
    recipe = toy_recipe(updates=4, validate_every=2).replace("decoder_layers = 2", "decoder_layers = 1")
    (tmp_path / "toy.toml").write_text(recipe + ABLATION, encoding="utf-8")
    return tmp_path


def ran(toy: Path, **budget: float) -> tuple[list[Result], list[str]]:
    torch.set_num_threads(1)
    lines: list[str] = []
    results = run_ablation(
        toy / "toy.toml",
        toy / "data",
        toy / "out",
        Distributed(torch.device("cpu")),
        report=lines.append,
        on_update=lambda metrics: None,
        **budget,
    )
    return results, lines


def test_each_variant_is_trained_on_the_same_tokens_exported_and_measured(toy: Path) -> None:
    (toy / "out").mkdir()
    (toy / "out" / "budget.json").write_text(json.dumps({"minutes": 1.0, "updates": 2}))  # measured by an earlier start
    results, lines = ran(toy, minutes=1.0)
    assert "1 minutes are 2 updates of the baseline" in lines
    assert [result.variant for result in results] == [BASELINE, "narrow"]
    assert results[0].target_tokens == results[1].target_tokens > 0
    assert results[0].parameters != results[1].parameters
    for result in results:
        assert (toy / "out" / result.variant / "bundle" / "manifest.json").exists()
        assert min(result.int8_bytes, result.validation_loss, result.ms_alone, result.ms_together) > 0
    table = list(csv.DictReader((toy / "out" / "ablation.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["variant"] for row in table] == [BASELINE, "narrow"]
    assert (toy / "out" / "ablation.md").read_text(encoding="utf-8").count("\n") == 4
    # Results are kept: a second start has nothing to do, and a start without a result continues.
    again, lines = ran(toy, updates=2)
    assert again == results
    assert not [line for line in lines if "training" in line]
    draw_ablation(results, toy / "picture.png")
    assert (toy / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_the_recipe_of_the_house_describes_models_that_can_be_exported() -> None:
    plan, recipes = read_plan(RECIPES / "ablation.toml")
    assert set(recipes) == {BASELINE, *plan.variants}
    configurations = {name: recipe.transformer(recipe.vocabulary) for name, recipe in recipes.items()}
    assert len(set(configurations.values())) == len(configurations)
    plain = configurations[BASELINE].to_dict()
    tried = {key for each in configurations.values() for key, value in each.to_dict().items() if value != plain[key]}
    assert {"positions", "scoring", "feed_forward_kind", "cutoffs", "encoder_layers"} <= tried
    assert all(isinstance(each, TransformerConfig) and not each.export_obstacle for each in configurations.values())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "tests: Field required"),
        (ABLATION.replace("feed_forward = 16", 'scoring = "cosine"'), "scoring must be one of"),
        (ABLATION.replace("limit", "limits"), "limits: Extra inputs are not permitted"),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused_before_any_training(toy: Path, text: str, message: str) -> None:
    (toy / "toy.toml").write_text(toy_recipe() + text, encoding="utf-8")
    with pytest.raises(RecipeError, match=message):
        read_plan(toy / "toy.toml")


def test_a_shorter_training_keeps_its_shape() -> None:
    whole = Training(updates=1000, warmup=100, schedule="trapezoid", cooldown=400, validate_every=50)
    assert shortened(whole, 100).model_dump(include={"updates", "warmup", "cooldown", "validate_every"}) == {
        "updates": 100,
        "warmup": 10,
        "cooldown": 40,
        "validate_every": 5,
    }
    assert shortened(whole, 1).warmup == 1
