"""A folder to train in."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from model.recipe import Recipe
from model.training.train import Distributed, Metrics, Trainer, train
from tests.support.toy_language import toy_recipe

CPU = Distributed(torch.device("cpu"))


class Workplace:
    """Pair files, and a run's folder whose corpus is ready."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data, self.run, self.recipe = folder, folder / "data", folder / "run", folder / "recipe.toml"

    def write_recipe(self, **options: Any) -> Recipe:
        self.recipe.write_text(toy_recipe(**options), encoding="utf-8")
        return Recipe.load(self.recipe)

    def train(self, on_update: Callable[[Metrics], None] | None = None) -> list[Metrics]:
        """Train, or go on; the metrics of this call's updates."""
        seen: list[Metrics] = []

        def note(metrics: Metrics) -> None:
            seen.append(metrics)
            if on_update:
                on_update(metrics)

        assert train(self.recipe, self.data, self.run, CPU, report=lambda line: None, on_update=note) == (
            self.run / "averaged"
        )
        return seen

    def trainer(self, **options: Any) -> Trainer:
        recipe = self.write_recipe(**options)
        return Trainer(recipe, self.recipe.read_text(encoding="utf-8"), self.run, CPU)

    def logged(self) -> list[Metrics]:
        return [json.loads(line) for line in (self.run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
