"""Builds a bundle: into a temporary folder, verified there, then renamed. Never a half-written bundle."""

import asyncio
import copy
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import sentencepiece
import torch

from app.engine.bundle import (
    FORMAT_VERSION,
    GOLDEN,
    MANIFEST,
    Bundle,
    Golden,
    Graphs,
    Manifest,
    Pair,
    Precision,
    Provenance,
    Shape,
    SpecialIds,
    sha256,
    write_manifest,
)
from app.engine.engine import Engine
from app.engine.runtime import OnnxModel
from app.engine.translation import SearchOptions
from app.settings import Settings
from export.graphs import export_decoder, export_encoder
from export.greedy import export_greedy
from export.parity import agreement, measure, require
from export.quantization import calibration_feeds, observe, quantize
from export.storage import share_weights, store_halves
from model.checkpoint import load_model
from model.provenance import ModelCard, read_card
from model.tokenizer import known_placeholders, target_tag
from model.transformer import Transformer

TOKENIZER = "tokenizer.spm"
WEIGHTS = "weights.bin"
INTEGER_WEIGHTS = "weights.int8.bin"

CALIBRATION_SENTENCES = 400

Report = Callable[[str], None]
Sources = list[list[int]]
"""Sentences as source ids, special ids included."""


class BuildError(ValueError):
    """No bundle can be built from this; the message says why."""


@dataclass(frozen=True)
class Sentences:
    """Real source sentences of one direction, for the agreement check."""

    source: str
    target: str
    texts: Sequence[str]


def build_bundle(checkpoint: Path, out: Path, *, sentences: Sequence[Sentences] = (), report: Report) -> Bundle:
    """Export a model folder as a bundle of float32, float16 and int8 graphs.

    Weights are first rounded to what float16 can hold, so that all precisions share one file of half the size; parity
    compares with the model so rounded.

    Args:
        checkpoint: Model folder, as training writes it.
        out: Folder to make or replace.
        sentences: Text that calibrates int8, and on which greedy translations by PyTorch and by the graphs are
            compared. Without any, random pieces calibrate, which is worse.
        report: Called with a line on each step.

    Raises:
        CheckpointError: The checkpoint is missing or damaged.
        BuildError: ``out`` exists and is no bundle.
        ParityError: The float32 graphs are wrong.
    """
    if out.exists() and not (out / MANIFEST).exists():
        raise BuildError(f"{out} exists and is no bundle; choose another folder")
    card = read_card(checkpoint)
    model = load_model(checkpoint)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half().float())
    partial = out.with_name(f".{out.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        shutil.copyfile(checkpoint / "tokenizer.spm", partial / TOKENIZER)
        sources = _sources(model, partial, card, sentences)
        graphs = _write_graphs(model, partial, sources or _random_sources(model, card), report)
        parity = _parity(model, partial, graphs, sources, report)
        manifest = _manifest(model, graphs, card, parity)
        manifest = manifest.model_copy(update={"placeholders": known_placeholders(partial / TOKENIZER)})
        _write(partial, manifest, ())
        _write(partial, manifest, _golden(partial, card, report))
        bundle = Bundle.open(partial)
        shutil.rmtree(out, ignore_errors=True)
        partial.rename(out)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    report(f"wrote {out}, {sum(path.stat().st_size for path in out.iterdir()) / 1e6:.1f} MB")
    return Bundle(out, bundle.manifest, bundle.golden)


def _write_graphs(model: Transformer, folder: Path, sources: Sources, report: Report) -> dict[Precision, Graphs]:
    written: dict[Precision, Graphs] = {}

    def write(precision: Precision, **graphs: onnx.ModelProto) -> list[Path]:
        written[precision] = Graphs(**{role: f"{role}.{precision}.onnx" for role in graphs})
        paths = [folder / f"{role}.{precision}.onnx" for role in graphs]
        for graph, path in zip(graphs.values(), paths, strict=True):
            onnx.save(graph, path)
        return paths

    report("tracing float32 and float16 graphs")
    full = (export_encoder(model), export_decoder(model))
    half_model = copy.deepcopy(model).half()
    half = (export_encoder(half_model), export_decoder(half_model))
    stored = copy.deepcopy(full)
    for graph in stored:
        store_halves(graph)
    share_weights([*stored, *half], folder / WEIGHTS)
    encoder, decoder = write("float32", encoder=stored[0], decoder=stored[1])
    write("float16", encoder=half[0], decoder=half[1])
    report("calibrating and quantising to int8")
    spread = sources[:: max(1, len(sources) // CALIBRATION_SENTENCES)]
    feeds = calibration_feeds(encoder, decoder, model.config, spread)
    integer = [quantize(graph, observe(graph, given)) for graph, given in zip(full, feeds, strict=True)]
    greedy = export_greedy(integer[1], model.config.decoder_layers, model.config.eos_id)
    share_weights([*integer, greedy], folder / INTEGER_WEIGHTS)
    write("int8", encoder=integer[0], decoder=integer[1], greedy=greedy)
    return written


def _sources(model: Transformer, folder: Path, card: ModelCard, sentences: Sequence[Sentences]) -> Sources:
    """The sentences as source ids, without those that are too long for the model."""
    processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / TOKENIZER))
    sources = [
        [processor.piece_to_id(target_tag(group.target)), *processor.encode(text), model.config.eos_id]
        for group in sentences
        for text in group.texts
    ]
    return [source for source in sources if len(source) <= card.longest_source]


def _random_sources(model: Transformer, card: ModelCard) -> Sources:
    """Random pieces in place of sentences."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, min(40, card.longest_source), CALIBRATION_SENTENCES)
    return [
        [*rng.integers(0, model.config.source_vocabulary, length).tolist(), model.config.eos_id] for length in lengths
    ]


def _parity(
    model: Transformer,
    folder: Path,
    graphs: dict[Precision, Graphs],
    sources: Sources,
    report: Report,
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for precision, names in graphs.items():
        report(f"comparing {precision} with PyTorch")
        onnx_model = OnnxModel(
            folder / names.encoder,
            folder / names.decoder,
            folder / names.greedy if names.greedy else None,
            pad_id=model.config.pad_id,
            provider="cpu",
            threads=torch.get_num_threads(),
        )
        parity = measure(model, onnx_model)
        if precision == "float32":
            require(parity)
        result[precision] = parity.to_dict()
        if sources and precision != "float16":  # which the CPU only emulates, slowly
            result[precision]["greedy_agreement"] = agreement(model, onnx_model, sources)
    return result


def _manifest(model: Transformer, graphs: dict[Precision, Graphs], card: ModelCard, parity: dict[str, Any]) -> Manifest:
    config = model.config
    first, second = card.languages
    return Manifest(
        format_version=FORMAT_VERSION,
        name=card.name,
        pairs=tuple(
            Pair(source=source, target=target, tag=target_tag(target))
            for source, target in ((first, second), (second, first))
        ),
        ids=SpecialIds(pad=config.pad_id, eos=config.eos_id, decoder_start=config.decoder_start_id),
        shape=Shape(
            encoder_layers=config.encoder_layers,
            decoder_layers=config.decoder_layers,
            heads=config.heads,
            width=config.width,
            feed_forward=config.feed_forward,
            vocabulary=config.target_vocabulary,
            max_positions=config.max_positions,
            alignment_head=config.alignment_layer is not None,
        ),
        longest_source=card.longest_source,
        graphs=graphs,
        source_tokenizer=TOKENIZER,
        target_tokenizer=TOKENIZER,
        files={},
        provenance=Provenance.model_validate(card.model_dump(include=set(Provenance.model_fields))),
        parity=parity,
    )


def _golden(folder: Path, card: ModelCard, report: Report) -> tuple[Golden, ...]:
    """The card's sentences with their greedy float32 translations, made by the engine that will check them."""
    report("translating the golden sentences")
    engine = Engine.from_settings(Settings(bundle=folder, precision="float32"))
    first, second = card.languages
    items = [
        (source, target, text)
        for source, target in ((first, second), (second, first))
        for text in card.golden.get(source, ())
    ]

    async def translate() -> list[Golden]:
        await engine.start()
        try:
            golden = []
            for source, target, text in items:
                options = SearchOptions(beam_size=1, second_attempt=False)
                [answer], _ = await engine.translate([text], source=source, target=target, options=options)
                golden.append(
                    Golden(source_language=source, target_language=target, source=text, translation=answer.text)
                )
            return golden
        finally:
            await engine.stop()

    return tuple(asyncio.run(translate()))


def _write(folder: Path, manifest: Manifest, golden: Sequence[Golden]) -> None:
    (folder / GOLDEN).write_text(
        json.dumps([item.model_dump() for item in golden], indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    files = {path.name: sha256(path) for path in sorted(folder.iterdir()) if path.name != MANIFEST}
    write_manifest(folder, manifest.model_copy(update={"files": files}))
