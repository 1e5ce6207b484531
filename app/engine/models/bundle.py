"""The bundle: a folder that holds all that serving needs. Reading it is the only way a model gets into the service.

A bundle that is not fully understood is refused, with the name of the file and the reason.
"""

import hashlib
import os
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from pydantic import TypeAdapter

from app.engine.models.files import mentions, open_plain
from app.engine.models.manifest import MANIFEST, Graphs, Manifest, Part, Precision, read_json
from app.errors import BundleError

GOLDEN = "golden.json"
_MAX_UNLISTED = 1_000  # files that the manifest doesn't list


class Golden(Part):
    """A sentence with its greedy translation by the float32 graphs: the self-test of a start."""

    source_language: str
    target_language: str
    source: str
    translation: str

    @property
    def pair(self) -> tuple[str, str]:
        """The codes of both languages."""
        return self.source_language, self.target_language


@dataclass(frozen=True)
class Bundle:
    """A verified bundle on disk."""

    path: Path
    manifest: Manifest
    golden: tuple[Golden, ...]

    @classmethod
    def open(cls, path: Path) -> "Bundle":
        """Read the manifest and verify every file's hash. A file that no hash vouches for must not be a graph's.

        Raises:
            BundleError: Something is missing, damaged or not understood.
        """
        manifest = Manifest.read(path)
        for name in _named_files(manifest):
            if name not in manifest.files:
                raise BundleError(f"{path / MANIFEST}: no sha256 for {name}")
        for name, expected in manifest.files.items():
            if sha256(path / name) != expected:
                raise BundleError(
                    f"{path / name}: its sha256 is not the manifest's; the file is damaged or was replaced"
                )
        _check_unlisted(path, manifest)
        golden = read_json(path / GOLDEN, TypeAdapter(tuple[Golden, ...]))
        pairs = {(pair.source, pair.target) for pair in manifest.pairs}
        for item in golden:
            if item.pair not in pairs:
                raise BundleError(
                    f"{path / GOLDEN}: a sentence is from {item.source_language} to {item.target_language}, "
                    "which is not a pair of the manifest"
                )
        return cls(path, manifest, golden)

    @property
    def models(self) -> tuple["Bundle", ...]:
        """The bundle for each model: as if it had no other."""
        return tuple(replace(self, manifest=manifest) for manifest in self.manifest.models)

    def model_of(self, source: str, target: str) -> "Bundle":
        """The bundle as if it had only the model that translates from source to target.

        Raises:
            BundleError: None does.
        """
        for bundle in self.models:
            if any((pair.source, pair.target) == (source, target) for pair in bundle.manifest.pairs):
                return bundle
        raise BundleError(f"{self.path} doesn't translate from {source} to {target}")

    def without_lexicons(self) -> "Bundle":
        """The bundle as if it had no lexicons and no labels, to measure its models alone."""
        pairs = tuple(pair.model_copy(update={"lexicon": None, "labels": None}) for pair in self.manifest.pairs)
        return replace(self, manifest=self.manifest.model_copy(update={"pairs": pairs}))

    @property
    def tokenizer_files(self) -> tuple[Path, Path, Path | None, Path | None]:
        """Paths of the source and target tokenizer and, where the ids are not SentencePiece's, vocabulary."""
        manifest, vocabularies = self.manifest, (self.manifest.source_vocabulary, self.manifest.target_vocabulary)
        source, target = (self.path / name if name else None for name in vocabularies)
        return self.path / manifest.source_tokenizer, self.path / manifest.target_tokenizer, source, target

    def graphs(self, precision: Precision) -> dict[str, Path]:
        """Paths of the graphs that there are, and of the shortlist, by their role in ``manifest.Graphs``.

        Raises:
            BundleError: The bundle has no graphs of that precision.
        """
        graphs = self.manifest.graphs.get(precision)
        if graphs is None:
            raise BundleError(f"{self.path} has no {precision} graphs, only {', '.join(self.manifest.graphs)}")
        return {role: self.path / name for role, name in graphs.files.items()}

    def attention_graphs(self) -> tuple[Path, Path] | None:
        """Paths of the encoder and the decoder with attention maps; None if the bundle has none."""
        graphs = self.manifest.attention
        return (self.path / graphs.encoder, self.path / graphs.decoder) if graphs else None


def sha256(path: Path) -> str:
    """Hex digest of a file.

    Raises:
        BundleError: It can't be read.
    """
    with open_plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _graphs(manifest: Manifest) -> list[Graphs]:
    return [
        graphs
        for model in manifest.models
        for graphs in (*model.graphs.values(), *([model.attention] if model.attention else []))
    ]


def _named_files(manifest: Manifest) -> set[str]:
    graph_files = (name for graphs in _graphs(manifest) for name in graphs.files.values())
    vocabularies = (name for name in (manifest.source_vocabulary, manifest.target_vocabulary) if name)
    lists = (name for pair in manifest.pairs for name in (pair.lexicon, pair.labels) if name)
    return {manifest.source_tokenizer, manifest.target_tokenizer, GOLDEN, *graph_files, *vocabularies, *lists}


def _check_unlisted(folder: Path, manifest: Manifest) -> None:
    """Refuse weights that the manifest doesn't list: ONNX Runtime loads every file of the folder that a graph names."""
    listed = {MANIFEST, *manifest.files}
    names = (
        name for place, _, names in os.walk(folder) for name in names if Path(place) != folder or name not in listed
    )
    unlisted = sorted(islice(names, _MAX_UNLISTED + 1))
    if len(unlisted) > _MAX_UNLISTED:
        raise BundleError(f"{folder} holds more than {_MAX_UNLISTED:,} files that its manifest doesn't list")
    graphs = {name for graphs in _graphs(manifest) for role, name in graphs.files.items() if role != "shortlist"}
    for name in unlisted:
        for graph in sorted(graphs):
            if mentions(folder / graph, name):
                raise BundleError(f"{folder / graph} needs {name}, which the manifest doesn't list")
