"""Builds a bundle: into a temporary folder, verified there, then renamed. Never a half-written bundle."""

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from app.engine.models.bundle import Bundle
from app.engine.models.manifest import (
    FORMAT_VERSION,
    Graphs,
    Manifest,
    Pair,
    Precision,
    Provenance,
)
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.model import OnnxModel
from app.engine.onnx.native import NativeModel, choose_kernels
from export.agreement import agreement, source_ids
from export.attention_graphs import ATTENTION
from export.bundle_writer import BuildError, check_out, golden, ids_of, replacing, seal, shape_of
from export.equivalents import standardised
from export.lexicon import Lexicons, lexicon_file, marked_by_bundle, write_lexicons
from export.parity import measure, require
from export.precisions import write_graphs
from export.progress import Report
from model.data.tokenizer import known_placeholders, target_tag
from model.evaluation.inference import TorchModel
from model.network.transformer import Transformer
from model.training.checkpoint import load_model
from model.training.provenance import ModelCard, read_card

TOKENIZER = "tokenizer.spm"

Sources = list[list[int]]
"""Sentences as source ids, special ids included."""


@dataclass(frozen=True)
class Sentences:
    """Real source sentences of one direction, for the agreement check."""

    source: str
    target: str
    texts: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Ingredients:
    """The inputs of a build.

    Attributes:
        model: The model, in evaluation mode.
        name: Name of the bundle.
        pairs: Directions the model translates.
        tokenizers: Files of the source and the target tokenizer; they may be the same.
        longest_source: Maximum source pieces that the model was trained on.
        golden: Source language, target language and text of the sentences for the self-test at the start.
        provenance: Origin of the model.
        lexicons: Translations of rare words, by direction.
        mark_known: Mark the words of the lexicons that the model alone translates as they do.
        has_float16: Make float16 graphs, which GPUs use.
    """

    model: Transformer
    name: str
    pairs: tuple[Pair, ...]
    tokenizers: tuple[Path, Path]
    longest_source: int
    golden: Sequence[tuple[str, str, str]]
    provenance: Provenance
    lexicons: Lexicons = field(default_factory=dict)
    mark_known: bool = False
    has_float16: bool = True

    def open_tokenizer(self) -> Tokenizer:
        """The tokenizer as the service will have it."""
        return Tokenizer(*self.tokenizers)


def build_bundle(
    checkpoint: Path,
    out: Path,
    *,
    sentences: Sequence[Sentences] = (),
    lexicons: Lexicons | None = None,
    mark_known: bool = False,
    has_float16: bool = True,
    report: Report,
) -> Bundle:
    """Export a model folder as a bundle of float32 and float16 graphs, and those of the native operators.

    Weights are first rounded to float16 values, so that all precisions share one file of half the size. Parity compares
    the graphs with this rounded model.

    Args:
        checkpoint: Model folder, as training writes it.
        out: Folder to make or replace.
        sentences: Text on which greedy translations by PyTorch and by the graphs are compared.
        lexicons: Translations of rare words, by source and target language.
        mark_known: Mark the words of the lexicons that the model alone translates as they do, see ``export.lexicon``.
        has_float16: Make float16 graphs, too.
        report: Called with one line for each stage.

    Raises:
        CheckpointError: The checkpoint is missing or damaged.
        BuildError: ``out`` exists and is not a bundle, or a lexicon is for a direction or a model that can't have one.
        ParityError: The float32 graphs are wrong.
    """
    check_out(out)
    card = read_card(checkpoint)
    model = standardised(load_model(checkpoint))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half().float())
    trained = _trained(model, checkpoint / TOKENIZER, card)
    if unknown := set(lexicons or ()) - {(pair.source, pair.target) for pair in trained.pairs}:
        raise BuildError(f"a lexicon is for {'-'.join(min(unknown))}, which the model doesn't translate")
    if lexicons and model.config.alignment_layer is None:
        raise BuildError("a lexicon needs an alignment head: train with model.alignment_layer")
    ingredients = replace(trained, lexicons=lexicons or {}, mark_known=mark_known, has_float16=has_float16)
    return build(ingredients, out, sentences=sentences, report=report)


def build(ingredients: Ingredients, out: Path, *, sentences: Sequence[Sentences] = (), report: Report) -> Bundle:
    """Make a bundle; see ``build_bundle``. The weights are not changed.

    Raises:
        BuildError: ``out`` exists and is not a bundle, or the model can't be exported.
        ParityError: The float32 graphs are wrong.
    """
    check_out(out)
    model = ingredients.model
    if model.config.export_obstacle:
        raise BuildError(model.config.export_obstacle)
    with replacing(out) as partial:
        for path in {*ingredients.tokenizers}:
            shutil.copyfile(path, partial / path.name)
        write_lexicons(ingredients.lexicons, partial)
        sources = _sources(ingredients, sentences)
        kinds = {"has_float16": ingredients.has_float16, "has_lexicon": bool(ingredients.lexicons)}
        graphs = write_graphs(model, partial, **kinds, report=report)
        parity = _parity(model, partial, graphs, sources, report)
        manifest = _manifest(ingredients, graphs, parity)
        seal(partial, manifest, ())
        if ingredients.mark_known:
            write_lexicons(marked_by_bundle(ingredients.lexicons, partial, report), partial)
            seal(partial, manifest, ())  # with their new hashes
        report("translating the golden sentences")
        seal(partial, manifest, golden(partial, ingredients.golden, None, None))
        bundle = Bundle.open(partial)
    report(f"wrote {out}, {sum(path.stat().st_size for path in out.iterdir()) / 1e6:.1f} MB")
    return Bundle(out, bundle.manifest, bundle.golden)


def _trained(model: Transformer, tokenizer: Path, card: ModelCard) -> Ingredients:
    """Return the ingredients from a training run: the directions that it trained, one tokenizer."""
    return Ingredients(
        model=model,
        name=card.name,
        pairs=tuple(Pair(source=source, target=target, tag=target_tag(target)) for source, target in card.pairs),
        tokenizers=(tokenizer, tokenizer),
        longest_source=min(card.longest_source, model.config.max_positions),
        golden=[(source, target, text) for source, target in card.pairs for text in card.golden.get(source, ())],
        provenance=Provenance.model_validate(card.model_dump(include=set(Provenance.model_fields))),
    )


def _sources(ingredients: Ingredients, sentences: Sequence[Sentences]) -> Sources:
    """Return the sentences in the model's directions as source ids."""
    tags = {(pair.source, pair.target): pair.tag for pair in ingredients.pairs}
    known = ((group, (group.source, group.target)) for group in sentences)
    groups = ((tags[pair], group.texts) for group, pair in known if pair in tags)
    eos_id, longest = ingredients.model.config.eos_id, ingredients.longest_source
    return source_ids(ingredients.open_tokenizer(), groups, eos_id=eos_id, longest=longest)


def _parity(
    model: Transformer,
    folder: Path,
    graphs: dict[Precision, Graphs],
    sources: Sources,
    report: Report,
) -> dict[str, Any]:
    config, result = model.config, dict[str, Any]()
    for precision, names in graphs.items():
        paths = {role: folder / name for role, name in names.files.items()}
        if precision == "float16-cuda":  # made of int8-native's weights; tests/parity compares them
            continue
        if precision == "int8-native":
            if choose_kernels() is None:
                report("int8-native is not compared with PyTorch: its operators were not built for this machine")
                continue
            opened: OnnxModel | NativeModel = NativeModel(paths["encoder"], paths["decoder"])
        else:
            opened = OnnxModel(**paths, pad_id=config.pad_id, provider="cpu", threads=torch.get_num_threads())
        report(f"comparing {precision} with PyTorch")
        parity = measure(model, opened)
        if precision == "float32":
            require(parity)
        result[precision] = asdict(parity)
        if sources and precision != "float16":  # the CPU only emulates float16, slowly
            result[precision]["greedy_agreement"] = agreement(TorchModel(model), opened, config, sources)
    return result


def _manifest(ingredients: Ingredients, graphs: dict[Precision, Graphs], parity: dict[str, Any]) -> Manifest:
    config = ingredients.model.config
    source, target = (path.name for path in ingredients.tokenizers)
    return Manifest(
        format_version=FORMAT_VERSION,
        name=ingredients.name,
        pairs=tuple(
            pair.model_copy(update={"lexicon": lexicon_file(pair.source, pair.target)})
            if ingredients.lexicons.get((pair.source, pair.target))
            else pair
            for pair in ingredients.pairs
        ),
        ids=ids_of(config),
        shape=shape_of(config),
        longest_source=ingredients.longest_source,
        graphs=graphs,
        attention=None if config.memory_length or config.recurrent else ATTENTION,
        source_tokenizer=source,
        target_tokenizer=target,
        placeholders=known_placeholders(ingredients.tokenizers[0]),
        characters=ingredients.open_tokenizer().characters(),
        files={},
        provenance=ingredients.provenance,
        parity=parity,
    )
