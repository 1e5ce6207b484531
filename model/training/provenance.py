"""The model card: facts about a checkpoint beyond its weights, for the manifest of a bundle."""

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from model.data.corpus import corpus_facts
from model.recipe import Direction, Recipe
from model.training.checkpoint import CheckpointError, TrainingState

CARD = "card.json"


class Run(BaseModel):
    """One run of training."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    recipe: str
    seed: int
    updates: int
    target_tokens: int
    training_seconds: float
    sources: tuple[dict[str, str | int | float], ...]


class ModelCard(Run):
    """``card.json`` in a model folder: the last run, and those whose weights it went on from, oldest first."""

    name: str
    languages: tuple[str, str]
    direction: Direction = "both"
    licence: str
    longest_source: int
    golden: dict[str, tuple[str, ...]]
    earlier: tuple[Run, ...] = ()

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Source and target languages that the model translates."""
        first, second = self.languages
        forward, reverse = (first, second), (second, first)
        return {"forward": (forward,), "reverse": (reverse,), "both": (forward, reverse)}[self.direction]


def write_card(folder: Path, recipe: Recipe, recipe_text: str, run: Path, state: TrainingState) -> None:
    """Write the card of a model that the recipe's run in ``run`` has trained up to ``state``.

    Raises:
        CheckpointError: The folder that the recipe starts from has no card.
    """
    facts = corpus_facts(run)
    earlier: tuple[Run, ...] = ()
    if recipe.initial:
        initial = read_card(Path(recipe.initial))
        earlier = (*initial.earlier, Run(**initial.model_dump(include=set(Run.model_fields))))
    card = ModelCard(
        earlier=earlier,
        name=recipe.name,
        languages=recipe.languages,
        direction=recipe.direction,
        licence=recipe.licence,
        longest_source=recipe.training.max_length,
        golden=recipe.golden,
        recipe=recipe_text,
        seed=recipe.seed,
        updates=state.update,
        target_tokens=state.tokens,
        training_seconds=round(state.seconds, 1),
        sources=tuple(
            {
                "name": Path(source.path).name.split(".")[0],
                "pairs": fact["pairs"],
                "weight": source.weight,
                "sha256": fact["sha256"],
                "licence": source.licence,
                "origin": source.origin,
            }
            for source, fact in zip(recipe.sources, facts, strict=False)  # the last fact is the validation file
        ),
    )
    (folder / CARD).write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_card(folder: Path) -> ModelCard:
    """Read a model folder's card.

    Raises:
        CheckpointError: It is missing or malformed.
    """
    try:
        return ModelCard.model_validate(json.loads((folder / CARD).read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise CheckpointError(
            f"{folder / CARD} is missing or malformed: train the model with 'dragoman train'"
        ) from error
