"""The table in the terms of WMT's efficiency task."""

from pathlib import Path

import pytest

from app.engine.models.bundle import Bundle
from benchmarks.efficiency import System, files_of


def test_a_model_is_as_large_as_the_files_of_its_direction() -> None:
    names = {path.name for path in files_of(Bundle.open(Path("artifacts/de-en")).model_of("en", "de"))}
    assert names == {
        "en-de.encoder.int8-native.onnx",
        "en-de.decoder.int8-native.onnx",
        "en-de.weights.bin",
        "tokenizer.spm",
    }


def test_speeds_of_cores_are_added() -> None:
    batches = []

    def of_a_second(texts: list[str], batch: int) -> tuple[float, list[str]]:
        batches.append(batch)
        return 1.0, texts

    def of_two_seconds(texts: list[str], batch: int) -> tuple[float, list[str]]:
        return 2.0, texts

    system = System("any", [of_a_second, of_two_seconds], [])
    system.measure(["three more words", "one"], ["three more words", "one"], batch=2)
    assert (system.one, system.every, system.latency) == ([4.0], [6.0], [500.0])
    assert system.chrf == pytest.approx(100)
    assert batches == [2, 2, 1]
