"""A bundle joined from two, with a model for each direction: each translates as it did alone."""

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from app.cli.main import app
from app.engine.interface import Inspection, InspectionCall
from app.engine.models.bundle import Bundle
from app.engine.models.discovery import loaded_bytes
from app.engine.models.manifest import Manifest
from app.engine.onnx.native import choose_kernels
from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.errors import BundleError
from app.settings import Settings
from export.bundle_builder import BuildError, build_bundle
from export.joining import join_bundles
from export.restore import RestoreError, restore
from model.evaluation.evaluate import BundleTranslator, CheckpointTranslator
from model.network.transformer import Transformer
from model.training.checkpoint import load_model, model_tensors
from model.training.provenance import CARD, read_card
from tests.support.engines import translate_texts
from tests.support.tiny import random_model, round_weights, train_tiny, write_checkpoint

PAIRS = (("de", "en"), ("en", "de"))
TEXTS = ("ein Haus", "der kleine Hund", "two cats and a dog", "Tipperary", "Narkose", "wo ist er?", "a b c d e f g")
OPTIONS = (SearchOptions(), SearchOptions(beam_size=1), SearchOptions(beam_size=3, n_best=2))


def _with_direction(checkpoint: Path, direction: str) -> Path:
    card = read_card(checkpoint)
    recipe = card.recipe.replace('name = "tiny"', f'name = "{direction}"\ndirection = "{direction}"')
    card = card.model_copy(update={"name": direction, "direction": direction, "recipe": recipe})
    (checkpoint / CARD).write_text(card.model_dump_json(), encoding="utf-8")
    return checkpoint


@pytest.fixture(scope="session")
def checkpoints(tiny_checkpoint: Path, tiny_tokenizer: Path, once: Callable[..., Path]) -> tuple[Path, Path]:
    """Models of the same shape with different weights: the first for de-en, the second for en-de."""

    def write(folder: Path) -> None:
        _with_direction(shutil.copytree(tiny_checkpoint, folder / "forward"), "forward")
        model = random_model(seed=1)
        train_tiny(model, tiny_tokenizer, updates=60)
        round_weights(model)
        _with_direction(write_checkpoint(folder / "reverse", model, tiny_tokenizer), "reverse")

    folder = once("directions", write)
    return folder / "forward", folder / "reverse"


@pytest.fixture(scope="session")
def alone(checkpoints: tuple[Path, Path], once: Callable[..., Path]) -> tuple[Bundle, Bundle]:
    """A bundle of each."""

    def write(folder: Path) -> None:
        lexicon = {"Narkose": ["anesthesia"], "Tipperary": ["Tipperary"]}
        for checkpoint, pair in zip(checkpoints, PAIRS, strict=True):
            out = folder / "-".join(pair)
            build_bundle(checkpoint, out, lexicons={pair: lexicon}, report=lambda _: None)

    folder = once("alone", write)
    return Bundle.open(folder / "de-en"), Bundle.open(folder / "en-de")


@pytest.fixture(scope="session")
def joined(alone: tuple[Bundle, Bundle], once: Callable[..., Path]) -> Bundle:
    """Both in one."""
    return Bundle.open(once("joined", lambda folder: join_bundles(alone, folder / "both")) / "both")


def _translations(bundle: Bundle, precision: str, kernels: str, pairs: tuple[tuple[str, str], ...]) -> list[object]:
    """Translate all texts in all directions at once, with several options."""

    async def run() -> list[object]:
        # Whether int8 translates golden sentences as float32 does depends on the processor, so it isn't asked here.
        settings = Settings(bundle=bundle.path, precision=precision, kernels=kernels)
        engine = Engine.from_bundle(replace(bundle, golden=()), settings)
        await engine.start()
        calls = [
            translate_texts(engine, [text], source=source, target=target, options=options)
            for text in TEXTS
            for options in OPTIONS
            for source, target in pairs
        ]
        try:
            return [(answer.text, answer.alternatives) for [answer] in await asyncio.gather(*calls)]
        finally:
            await engine.stop()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("precision", "kernels"),
    [
        ("float32", "off"),
        pytest.param(
            "int8", "auto", marks=pytest.mark.skipif(choose_kernels() is None, reason="the operators are not built")
        ),
    ],
)
def test_each_direction_is_translated_as_by_its_own_bundle(
    joined: Bundle, alone: tuple[Bundle, Bundle], precision: str, kernels: str
) -> None:
    both = _translations(joined, precision, kernels, PAIRS)
    first, second = (
        _translations(bundle, precision, kernels, (pair,)) for bundle, pair in zip(alone, PAIRS, strict=True)
    )
    assert both[::2] == first
    assert both[1::2] == second


def test_the_two_models_differ(joined: Bundle, alone: tuple[Bundle, Bundle]) -> None:
    """Or nothing would be seen of a sentence that the wrong one translates."""
    assert (joined.path / "weights.bin").read_bytes() != (joined.path / "en-de.weights.bin").read_bytes()


def test_a_model_that_is_broken_is_found_beside_a_good_one(joined: Bundle) -> None:
    golden = [
        item.model_copy(update={"translation": "something else"}) if item.source_language == "en" else item
        for item in joined.golden
    ]
    settings = Settings(bundle=joined.path, precision="float32")
    engine = Engine.from_bundle(replace(joined, golden=tuple(golden)), settings)
    with asyncio.Runner() as runner:
        with pytest.raises(BundleError, match="only 0 of 2 golden sentences came out as recorded"):
            runner.run(engine.start())
        runner.run(engine.stop())


def test_the_search_of_each_direction_can_be_inspected(joined: Bundle, alone: tuple[Bundle, Bundle]) -> None:
    def inspected(bundle: Bundle, source: str, target: str) -> Inspection:
        engine = Engine.from_bundle(replace(bundle, golden=()), Settings(bundle=bundle.path))
        call = InspectionCall(text="Tipperary", source=source, target=target, options=SearchOptions())
        with asyncio.Runner() as runner:
            runner.run(engine.start())
            try:
                return runner.run(engine.inspect(call))
            finally:
                runner.run(engine.stop())

    for pair, bundle in zip(PAIRS, alone, strict=True):
        assert inspected(joined, *pair) == inspected(bundle, *pair)


def test_a_bundle_of_the_second_direction_reads_pair_files_from_the_right(
    alone: tuple[Bundle, Bundle], checkpoints: tuple[Path, Path]
) -> None:
    translator = BundleTranslator(alone[1].path, "float32", threads=1)
    translator.close()
    assert translator.languages == ("de", "en")
    assert translator.reversals == (True,)
    assert CheckpointTranslator(checkpoints[1]).reversals == (True,)


def test_commands(joined: Bundle, alone: tuple[Bundle, Bundle], tmp_path: Path) -> None:
    runner, out = CliRunner(), tmp_path / "both"
    made = runner.invoke(app, ["join", str(out), *(str(bundle.path) for bundle in alone)])
    assert made.exit_code == 0 and "de-en, en-de" in made.stdout, made.output
    assert Bundle.open(out).manifest == joined.manifest
    shown = runner.invoke(app, ["info", str(out)])
    assert "model of en-de" in shown.stdout
    restored = runner.invoke(app, ["restore", str(out), str(tmp_path / "model"), "--pair", "en-de"])
    assert restored.exit_code == 0, restored.output
    forgotten = runner.invoke(app, ["join", *(str(bundle.path) for bundle in alone)])  # OUT would be the first
    assert forgotten.exit_code != 0
    assert Bundle.open(alone[0].path).manifest == alone[0].manifest


def test_each_model_can_be_restored(joined: Bundle, checkpoints: tuple[Path, Path], tmp_path: Path) -> None:
    for pair, checkpoint in zip(PAIRS, checkpoints, strict=True):
        out = tmp_path / "-".join(pair)
        restore(joined.model_of(*pair), out)
        expected = model_tensors(load_model(checkpoint))
        for name, tensor in model_tensors(load_model(out)).items():
            torch.testing.assert_close(tensor, expected[name], rtol=0, atol=0)
        assert read_card(out) == read_card(checkpoint)
    with pytest.raises(RestoreError, match="--pair en-de"):
        restore(joined, tmp_path / "model")


def test_its_memory_is_that_of_both(joined: Bundle, alone: tuple[Bundle, Bundle]) -> None:
    first, second = (loaded_bytes(bundle.path, bundle.manifest, "int8-native") for bundle in alone)
    assert loaded_bytes(joined.path, joined.manifest, "int8-native") == pytest.approx(first + second, rel=0.01)


def test_no_file_of_either_model_may_be_damaged(joined: Bundle, tmp_path: Path) -> None:
    shutil.copytree(joined.path, tmp_path / "damaged")
    (tmp_path / "damaged" / "en-de.weights.bin").write_bytes(b"something else")
    with pytest.raises(BundleError, match=r"en-de\.weights\.bin: its sha256"):
        Bundle.open(tmp_path / "damaged")


def test_bundles_that_do_not_fit_are_refused(
    alone: tuple[Bundle, Bundle], tiny_bundle: Bundle, tiny_tokenizer: Path, tmp_path: Path
) -> None:
    forward, reverse = alone
    with pytest.raises(BuildError, match="translates en-de, which another"):
        join_bundles([tiny_bundle, reverse], tmp_path / "out")
    with pytest.raises(BuildError, match="more than one direction"):
        join_bundles([forward, tiny_bundle], tmp_path / "out")
    deeper: Transformer = random_model(encoder_layers=1)
    checkpoint = _with_direction(write_checkpoint(tmp_path / "deeper", deeper, tiny_tokenizer), "reverse")
    other = build_bundle(checkpoint, tmp_path / "other", has_float16=False, report=lambda _: None)
    with pytest.raises(BuildError, match="differ in shape"):
        join_bundles([forward, other], tmp_path / "out")
    untagged = tuple(pair.model_copy(update={"tag": None}) for pair in reverse.manifest.pairs)
    other = replace(reverse, manifest=reverse.manifest.model_copy(update={"pairs": untagged}))
    with pytest.raises(BuildError, match="has no target tags"):
        join_bundles([forward, other], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_models_that_no_tag_tells_apart_are_refused(joined: Bundle) -> None:
    manifest = joined.manifest.model_dump()
    manifest["pairs"][0]["tag"] = manifest["pairs"][1]["tag"]
    with pytest.raises(ValueError, match="needs target tags of its own"):
        Manifest.model_validate(manifest)
    manifest = joined.manifest.model_dump()
    del manifest["pairs"][1]["model"]["graphs"]["float16"]
    with pytest.raises(ValueError, match="has other precisions"):
        Manifest.model_validate(manifest)
