"""A recipe: all decisions about a training run, in a TOML file; see ``model.recipe_files`` for what it extends."""

import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from model.data.notation import supports
from model.network.config import ConfigError, TransformerConfig
from model.recipe_files import read_table

_DECIDED_BY_TOKENIZER = {"source_vocabulary", "target_vocabulary", "pad_id", "eos_id", "decoder_start_id"}


Direction = Literal["both", "forward", "reverse"]


class RecipeError(ValueError):
    """The recipe can't be used; the message names the file and the key."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(_Section):
    """One file of sentence pairs."""

    path: str = Field(
        description="TSV file (.tsv, .tsv.gz, .tsv.xz), relative to the data folder; to the recipe if it starts with ./"
        " or ../"
    )
    first: tuple[str, ...] = Field(
        (), description="files of sentences in the data folder, which the first column of `path` names by their keys"
    )
    second: tuple[str, ...] = Field((), description="the same for the second column")
    weight: float = Field(1.0, gt=0, description="times each pair is seen in an epoch, on average")
    early: bool = Field(False, description="used during the curriculum's first updates: short, clean pairs")
    dictionary: bool = Field(
        False, description="entries, not sentences: they get no changed copies; their words go into other copies"
    )
    sentence_case: bool = Field(
        False,
        description="entries are learnt with a capital on both sides; entries with a capital on the first side alone "
        "are learnt as written towards the first language only",
    )
    direction: Direction = Field(
        "both", description="forward trains the first language into the second only, reverse the other way only"
    )
    synthetic: bool = Field(
        False,
        description="the sides that are translated from were written by a machine: they are marked with <bt> and not "
        "aligned (tagged back-translation, Caswell et al. 2019)",
    )
    consecutive: bool = Field(
        False,
        description="pairs are in the order of their documents: several in a row are learnt together, each with the "
        "memory of those before if the model has one; there are no changed copies",
    )
    distilled: bool = Field(
        False,
        description="each token is learnt as the probabilities that 'initial' gives all tokens, not as the one of the "
        "translation, so that a run on other text forgets less of what 'initial' knows (Khayrallah et al. 2018)",
    )
    licence: str = Field("", description="kept in the bundle's manifest")
    origin: str = Field("", description="kept in the bundle's manifest")

    @model_validator(mode="after")
    def _consistent(self) -> "Source":
        if self.synthetic and self.direction == "both":
            raise ValueError(f"{self.path} is synthetic: its direction must be forward or reverse")
        if self.distilled and self.consecutive:
            raise ValueError(f"{self.path} is consecutive: it can't be distilled")
        return self


class Augmentation(_Section):
    """Changed copies of pairs, each as a share of a source's pairs; see ``model.data.augmentation``."""

    capitals: float = Field(0.0, ge=0, description="in capital letters")
    title: float = Field(0.0, ge=0, description="every word with a capital letter")
    initial: float = Field(0.0, ge=0, description="the first word in lower case, where it may be")
    ending: float = Field(0.0, ge=0, description="another final punctuation, or none")
    quotes: float = Field(0.0, ge=0, description="in quotes or brackets, as a whole or a name in it")
    emoji: float = Field(0.0, ge=0, description="emoji before or after")
    copies: float = Field(0.0, ge=0, description="names and numbers of both sides replaced by things to copy")
    joined: float = Field(0.0, ge=0, description="two or three pairs as one")
    verbatim: float = Field(0.0, ge=0, description="nothing but things to copy")
    numbers: float = Field(0.0, ge=0, description="a whole number replaced by one with separators: 4,763.13")
    notation: int = Field(0, ge=0, description="generated pairs around amounts, numbers, dates: their number, in all")
    dictionary: float = Field(0.0, ge=0, description="words replaced by rare ones of the sources marked 'dictionary'")
    placeholders: float = Field(0.0, ge=0, description="aligned words replaced by placeholders; needs alignment")


class Training(_Section):
    """Optimisation. Tokens are counted on the longer side, padded."""

    updates: int = Field(gt=0, description="optimiser steps in all")
    batch_tokens: int = Field(1600, gt=0, description="padded tokens of one batch, of its longer side")
    segments: int = Field(4, ge=2, description="sentences in a row that are learnt together, of consecutive sources")
    accumulate: int = Field(1, ge=1, description="batches per optimiser step")
    pad_to: int = Field(
        2,
        ge=1,
        description="lengths are rounded up to a multiple of this. Take 8 on a GPU. On a CPU, even lengths make shapes "
        "recur; compiling a kernel for each new shape took a third of an update's time",
    )
    max_length: int = Field(
        120, gt=0, description="pairs with a longer side, in pieces and two special ids, are left out"
    )
    subword_sampling: float = Field(
        0.0,
        ge=0,
        le=1,
        description="chance of a source's piece to be learnt as shorter ones that spell it, see model.data.subwords; "
        "not of distilled sources. They make sources longer than batch_tokens and max_length count",
    )
    optimizer: Literal["adam", "muon"] = Field(
        "adam", description="muon: for the matrices of the layers, adam for the rest"
    )
    schedule: Literal["inverse-sqrt", "cosine", "trapezoid"] = "cosine"
    cooldown: int = Field(0, ge=0, description="updates of a trapezoid's way down, the last ones")
    peak_rate: float = Field(1e-3, gt=0)
    warmup: int = Field(1000, ge=1, description="updates of linear warm-up")
    weight_decay: float = Field(0.0, ge=0)
    label_smoothing: float = Field(0.1, ge=0, lt=1)
    clip_norm: float = Field(1.0, gt=0)
    alignment_weight: float = Field(0.0, ge=0, description="weight of the guided-alignment loss; 0 trains none")
    early_updates: int = Field(0, ge=0, description="updates on 'early' sources only, before the whole mix")
    precision: Literal["float32", "bfloat16"] = "float32"
    checkpoint_every: int = Field(500, ge=1, description="updates; a killed run loses at most these")
    validate_every: int = Field(500, ge=1)
    keep: int = Field(5, ge=1, description="checkpoints kept, and averaged at the end")
    patience: int = Field(0, ge=0, description="validations without improvement before stopping; 0 = never")


class Recipe(_Section):
    """A recipe file: data, tokenizer, model and training."""

    name: str
    seed: int = 1
    languages: tuple[str, str] = Field(description="languages of the first and second column")
    direction: Direction = Field(
        "both", description="forward: a model for the first language into the second only; reverse: the other way"
    )
    vocabulary: int = Field(8000, ge=300)
    validation: str = Field(description="TSV file for the validation loss")
    avoid: tuple[str, ...] = Field(
        (),
        description="pair files, found like those of sources: pairs that share a side with one of theirs are left out",
    )
    licence: str = Field("", description="terms of the trained model, for the bundle's manifest")
    initial: str | None = Field(
        None,
        description="model folder whose weights the run starts from, relative to the working directory; "
        "'dragoman restore' makes one of a bundle. Its tokenizer is kept if it has as many pieces",
    )
    initial_share: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="share of the weights of 'initial' in the averaged model (Wortsman et al. 2022)",
    )
    golden: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="sentences by language, for the self-test of a service that starts"
    )
    model: dict[str, Any] = Field(default_factory=dict, description="fields of TransformerConfig")
    training: Training
    augmentation: Augmentation = Augmentation()
    sources: tuple[Source, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> "Recipe":
        if len(set(self.languages)) < 2:
            raise ValueError("the two languages are the same")
        if unknown := sorted(set(self.golden) - set(self.languages)):
            raise ValueError(f"golden sentences in {unknown[0]}, which is not one of the languages")
        if fixed := sorted(_DECIDED_BY_TOKENIZER & set(self.model)):
            raise ValueError(f"model.{fixed[0]} is decided by the tokenizer")
        if self.initial_share and not self.initial:
            raise ValueError("initial_share is set, but initial is not")
        if any(source.distilled for source in self.sources) and not self.initial:
            raise ValueError("a source is marked distilled, but initial is not set")
        for source in self.sources:
            if self.direction != "both" and source.direction not in ("both", self.direction):
                raise ValueError(f"{source.path} is for the other direction than the recipe's")
        if self.training.early_updates and not any(source.early for source in self.sources):
            raise ValueError("early_updates is set, but no source is marked early")
        if self.training.alignment_weight and self.model.get("alignment_layer") is None:
            raise ValueError("alignment_weight is set, but model.alignment_layer is not")
        if self.augmentation.placeholders and not self.training.alignment_weight:
            raise ValueError("augmentation.placeholders is set, but training.alignment_weight is not")
        if (self.augmentation.numbers or self.augmentation.notation) and not supports(self.languages):
            raise ValueError("augmentation.numbers and augmentation.notation know German and English only")
        if self.augmentation.dictionary and not any(source.dictionary for source in self.sources):
            raise ValueError("augmentation.dictionary is set, but no source is marked dictionary")
        if self.training.warmup + self.training.cooldown > self.training.updates and self.training.cooldown:
            raise ValueError("training.warmup and training.cooldown are more than training.updates")
        config = self.transformer(self.vocabulary)
        if config.positions == "learned" and self.training.max_length > config.max_positions:
            raise ValueError("training.max_length is more than the model's learned max_positions")
        if config.export_obstacle:
            raise ValueError(config.export_obstacle)
        if config.memory_length and not any(source.consecutive for source in self.sources):
            raise ValueError("model.memory_length is set, but no source is marked consecutive")
        return self

    def transformer(self, vocabulary: int) -> TransformerConfig:
        """The model's configuration with a shared vocabulary of the given size."""
        try:
            return TransformerConfig.from_dict(
                {"source_vocabulary": vocabulary, "target_vocabulary": vocabulary, **self.model}
            )
        except (ConfigError, TypeError) as error:
            raise ValueError(f"[model] {error}") from error

    @classmethod
    def parse(cls, text: str) -> "Recipe":
        """Read and check the text of a recipe.

        Raises:
            ValueError: It is no TOML, or has unknown or contradicting keys.
        """
        return cls.model_validate(tomllib.loads(text))

    @classmethod
    def load(cls, path: Path) -> "Recipe":
        """Read and check a recipe.

        Raises:
            RecipeError: The file is missing, no TOML, or has unknown or contradicting keys.
        """
        try:
            recipe = cls.model_validate(read_table(path))
        except OSError as error:
            raise RecipeError(f"{path}: {error.strerror}") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "recipe"
            raise RecipeError(f"{path}: {where}: {first['msg']}") from error
        except ValueError as error:  # not TOML, or not UTF-8
            raise RecipeError(f"{path}: {error}") from error

        def found(name: str) -> str:
            return str(path.parent.resolve() / name) if name.startswith(("./", "../")) else name

        sources = tuple(source.model_copy(update={"path": found(source.path)}) for source in recipe.sources)
        return recipe.model_copy(update={"sources": sources, "avoid": tuple(map(found, recipe.avoid))})
