"""The manifest of a bundle: what is in the bundle, and where it comes from."""

import math
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from app.engine.interface import Alphabet
from app.engine.models.files import MAX_JSON_BYTES, read_plain
from app.errors import BundleError

FORMAT_VERSION = 4
MANIFEST = "manifest.json"
MAX_PAIRS = 2_000
"""Pairs of languages in one bundle."""

Precision = Literal["float32", "float16", "float16-cuda", "int8", "int8-native", "int8-shortlist"]
"""Kinds of graphs. Older bundles also have int8 and int8-shortlist graphs, which nothing opens any more."""


def _plain_file_name(name: str) -> str:
    if name in ("", ".", "..") or "/" in name or "\\" in name or "\0" in name:
        raise ValueError("must be a plain file name inside the bundle")
    return name


FileName = Annotated[str, AfterValidator(_plain_file_name)]
LanguageCode = Annotated[str, Field(pattern=r"^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$", max_length=35)]


class Part(BaseModel):
    """A part of a file of a bundle: nothing in it is unknown, and nothing changes."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class SpecialIds(Part):
    """Ids with a meaning of their own."""

    pad: int = Field(ge=0)
    eos: int = Field(ge=0)
    decoder_start: int = Field(ge=0)


class Shape(Part):
    """Sizes of the model, as named in the design: layers, heads, width D and vocabulary V."""

    encoder_layers: int = Field(ge=0, le=256, description="0: the decoder reads the source itself")
    decoder_layers: int = Field(ge=1, le=256)
    heads: int = Field(ge=1, le=1024)
    width: int = Field(ge=1, le=65_536)
    feed_forward: int = Field(ge=1, le=1 << 20)
    vocabulary: int = Field(ge=1, le=10_000_000)
    max_positions: int = Field(ge=1, le=1 << 20)
    alignment_head: bool = Field(description="the decoder graph has the output 'alignment'")
    variants: tuple[str, ...] = Field((), description="what a standard Transformer has otherwise, as in the recipe")


class Alignment(Part):
    """The result of searching the attention heads of a model that has no trained alignment head."""

    copied_tokens: int = Field(description="tokens of the probe's translations that are also in their source")
    layer: int | None = Field(description="decoder layer of the best head, from 0; None: there were too few tokens")
    head: int | None = Field(description="the best head, from 0")
    share: float | None = Field(description="part of the tokens for which that head looks at their source most")
    used: bool = Field(description="the graphs have that head as their alignment head")


class Graphs(Part):
    """The graph files of one precision."""

    encoder: FileName
    decoder: FileName = Field(description="one step; of float16-cuda, a step of greedy search")
    greedy: FileName | None = Field(None, description="in older bundles")
    beam: FileName | None = Field(None, description="of float16-cuda, a step of beam search")
    resize: FileName | None = Field(None, description="gives the caches of float16-cuda another length")
    shortlist: FileName | None = Field(None, description="the table for decoders that choose from a shortlist")

    @property
    def files(self) -> dict[str, FileName]:
        """Return the files that exist, by their role."""
        return {role: name for role, name in self if name}


class Score(Part):
    """One measured result: sacrebleu's figures with their signatures."""

    test_set: str
    source: str
    target: str
    sentences: int
    precision: Precision
    beam_size: int
    bleu: float
    chrf: float
    bleu_signature: str
    chrf_signature: str


class Confidence(Part):
    """How the chance that the translation of a sentence is good follows from the probabilities of its tokens."""

    bias: float
    mean_log_probability: float = Field(description="weight of the mean log-probability of a token")
    good_chrf: float = Field(description="a translation is good if it has this chrF against a person's translation")
    error: float | None = Field(None, description="expected calibration error, on other sentences than were fitted on")

    def chance(self, log_probability: float, tokens: int) -> float:
        """Return 0 to 1 for a translation with this log-probability and this many tokens, its end included in both."""
        score = self.bias + self.mean_log_probability * log_probability / tokens
        return 1 / (1 + math.exp(-max(-30.0, min(score, 30.0))))


class TrainingSource(Part):
    """One source of training text."""

    name: str
    pairs: int
    weight: float
    sha256: str
    licence: str
    origin: str


class TrainingRun(Part):
    """One run of training."""

    recipe: str | None = None
    updates: int | None = None
    target_tokens: int | None = None
    training_seconds: float | None = None
    seed: int | None = None
    sources: tuple[TrainingSource, ...] = ()


class Provenance(TrainingRun):
    """Where the model comes from and under which terms: its last run, and those before that it went on from."""

    licence: str
    origin: str | None = Field(None, description="of weights that were imported, not trained here")
    earlier: tuple[TrainingRun, ...] = Field((), description="oldest first")


class PairModel(Part):
    """A model for one direction, with the tokenizers and the shape of the bundle's."""

    graphs: Mapping[Precision, Graphs]
    attention: Graphs | None = None
    provenance: Provenance
    parity: Mapping[str, JsonValue] = Field(default_factory=dict)


class Pair(Part):
    """One direction the model translates."""

    source: LanguageCode
    target: LanguageCode
    tag: str | None = Field(None, description="source piece that asks for this direction, if the model needs one")
    lexicon: FileName | None = Field(None, description="translations of rare words; see app.engine.models.lexicon")
    labels: FileName | None = Field(None, description="translations of texts alone; see app.engine.models.labels")
    model: PairModel | None = Field(None, description="the direction's own model; without, the bundle's graphs are it")


class Manifest(Part):
    """``manifest.json``."""

    format_version: int
    name: str
    pairs: tuple[Pair, ...] = Field(min_length=1, max_length=MAX_PAIRS)
    ids: SpecialIds
    shape: Shape
    longest_source: int = Field(
        ge=3, le=1 << 20, description="source pieces the model was trained on; longer sentences are broken up"
    )
    graphs: Mapping[Precision, Graphs]
    attention: Graphs | None = Field(
        None, description="the float32 graphs, which also return what each attention head looks at"
    )
    source_tokenizer: FileName
    target_tokenizer: FileName
    placeholders: tuple[Annotated[str, Field(min_length=1, max_length=1)], ...] = Field(
        (), description="characters that the model was taught to carry over exactly once"
    )
    stand_ins: tuple[Annotated[str, Field(pattern=r"^[A-Z0-9]{2,8}$")], ...] = Field(
        (), max_length=64, description="words that the model was seen to carry over, for models without placeholders"
    )
    characters: str = Field("", description="characters of source texts that the tokenizer has pieces for, if recorded")
    source_vocabulary: FileName | None = Field(
        None, description="JSON list of pieces by the model's own ids; without, ids are SentencePiece's"
    )
    target_vocabulary: FileName | None = Field(
        None, description="the same for the target; a bundle has both files or neither"
    )
    files: Mapping[FileName, str] = Field(description="sha256 of every file of the bundle but the manifest")
    provenance: Provenance
    parity: Mapping[str, JsonValue] = Field(default_factory=dict, description="the parity that the export measured")
    alignment: Alignment | None = Field(None, description="how the alignment head was found, if it was not trained")
    scores: tuple[Score, ...] = ()
    confidence: Confidence | None = None

    @field_validator("format_version")
    @classmethod
    def _check_version(cls, version: int) -> int:
        if version != FORMAT_VERSION:
            raise ValueError(f"{version} is not {FORMAT_VERSION}, which this Dragoman reads; export or import it again")
        return version

    @model_validator(mode="after")
    def _check_ids(self) -> Self:
        for name, value in self.ids:
            if value >= self.shape.vocabulary:
                raise ValueError(f"ids.{name} is {value}, but the vocabulary has only {self.shape.vocabulary} pieces")
        return self

    @model_validator(mode="after")
    def _check_models(self) -> Self:
        own = [pair.model for pair in self.pairs if pair.model]
        if not own:
            return self
        if self.pairs[0].model:
            raise ValueError("the first pair has a model of its own, but the bundle's graphs are its model")
        tags = [tag for model in self.models for tag in {pair.tag for pair in model.pairs}]
        if None in tags or len(set(tags)) < len(tags):
            raise ValueError("each model needs target tags of its own, by which it is chosen")
        if any(variant.startswith("memory_length") for variant in self.shape.variants):
            raise ValueError("a bundle of several models can't have a memory")
        if any(model.graphs.keys() != self.graphs.keys() for model in own):
            raise ValueError("a pair's own model has other precisions than the bundle's graphs")
        return self

    @property
    def models(self) -> tuple["Manifest", ...]:
        """The manifest for each model: with its pairs, graphs, provenance and parity alone."""
        shared = tuple(pair for pair in self.pairs if not pair.model)
        found = [self.model_copy(update={"pairs": shared})] if shared else []
        for pair in self.pairs:
            if own := pair.model:
                alone = {"pairs": (pair.model_copy(update={"model": None}),), **dict(own)}
                found.append(self.model_copy(update=alone))
        return tuple(found)

    @cached_property
    def alphabet(self) -> Alphabet:
        """The characters that the model knows."""
        stand_ins = self.placeholders or self.stand_ins
        return Alphabet(frozenset(self.characters).difference(self.placeholders), stand_ins)

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """Read the manifest of a bundle, and no other file.

        Raises:
            BundleError: It is missing or not understood.
        """
        manifest: Manifest = read_json(folder / MANIFEST, TypeAdapter(cls))
        return manifest

    def summary(self) -> dict[str, object]:
        """The description of a model for people; ready for JSON."""
        own = {
            f"{pair.source}-{pair.target}": {"provenance": pair.model.provenance.model_dump()}
            for pair in self.pairs
            if pair.model
        }
        return {
            "name": self.name,
            "format_version": self.format_version,
            "pairs": sorted(f"{pair.source}-{pair.target}" for pair in self.pairs),
            "shape": self.shape.model_dump(),
            "provenance": self.provenance.model_dump(),
            "scores": [score.model_dump() for score in self.scores],
            "confidence": self.confidence and self.confidence.model_dump(),
            **({"own_models": own} if own else {}),
        }


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace a bundle's manifest, whole or not at all."""
    partial = folder / f".{MANIFEST}.partial"
    partial.write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
    partial.replace(folder / MANIFEST)


def read_json(path: Path, adapter: TypeAdapter[Any]) -> Any:
    """Read a JSON file of a bundle.

    Raises:
        BundleError: It is missing, too large or not understood; the message names the field.
    """
    try:
        return adapter.validate_json(read_plain(path, MAX_JSON_BYTES))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise BundleError(f"{path}: {where}: {message}" if where else f"{path}: {message}") from error
