"""Bundles without a model, for tests of what decides which one is loaded: a manifest, and files of any size."""

import json
from pathlib import Path

from app.engine.models.bundle import Bundle, sha256
from app.engine.models.manifest import Manifest
from tests.support.fakes import FakeEngine

SHIPPED = Path(__file__).parents[2] / "artifacts" / "de-en"
MODEL_BYTES = 1_000


def write_bundle(folder: Path, *pairs: str, size: int = MODEL_BYTES, version: str = "1") -> Path:
    """A folder that passes for a bundle of these pairs ("de-en"); of another version it is another bundle."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        "encoder.onnx": b"e" * (size // 2),
        "decoder.onnx": b"d" * (size - size // 2),
        "tokenizer.spm": version.encode(),
        "golden.json": b"[]",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    manifest = {
        "format_version": 4,
        "name": folder.name,
        "pairs": [dict(zip(("source", "target"), pair.split("-"), strict=True)) for pair in pairs],
        "ids": {"pad": 0, "eos": 1, "decoder_start": 2},
        "shape": dict.fromkeys(
            ("encoder_layers", "decoder_layers", "heads", "width", "feed_forward", "vocabulary", "max_positions"), 3
        )
        | {"alignment_head": False},
        "longest_source": 10,
        "graphs": {"float32": {"encoder": "encoder.onnx", "decoder": "decoder.onnx"}},
        "source_tokenizer": "tokenizer.spm",
        "target_tokenizer": "tokenizer.spm",
        "files": {name: sha256(folder / name) for name in contents},
        "provenance": {"licence": "CC0-1.0"},
    }
    Manifest.model_validate(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def open_fake(bundle: Bundle) -> FakeEngine:
    """An engine for the pairs of a bundle, which says nothing of the bundle but knows it."""
    engine = FakeEngine(frozenset((pair.source, pair.target) for pair in bundle.manifest.pairs))
    engine.bundle = bundle
    return engine
