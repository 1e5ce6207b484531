"""Writes a bundle into a temporary folder that takes the place of the old one at the end. Never a half-written bundle.

PyTorch is not needed.
"""

import asyncio
import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.engine.models.bundle import GOLDEN, Golden, sha256
from app.engine.models.manifest import MANIFEST, Manifest, Precision, Shape, SpecialIds, write_manifest
from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.settings import Settings
from model.network.config import TransformerConfig


class BuildError(ValueError):
    """No bundle can be built from this; the message says why."""


def check_out(out: Path) -> None:
    """Refuse to replace a folder that is not a bundle.

    Raises:
        BuildError: ``out`` exists and is not a bundle.
    """
    if out.exists() and not (out / MANIFEST).exists():
        raise BuildError(f"{out} exists and is not a bundle; choose another folder")


@contextmanager
def replacing(out: Path) -> Iterator[Path]:
    """A temporary folder, empty, that becomes ``out`` when the ``with`` block ends without an error."""
    partial = out.with_name(f".{out.name}.partial")
    replaced = out.with_name(f".{out.name}.replaced")
    _put_back(replaced, out)
    for folder in (partial, replaced):
        shutil.rmtree(folder, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
        if out.exists():
            out.rename(replaced)
        partial.rename(out)
    finally:
        _put_back(replaced, out)
        for folder in (partial, replaced):
            shutil.rmtree(folder, ignore_errors=True)


def _put_back(replaced: Path, out: Path) -> None:
    """Recover from a crash between the two renames, after which ``replaced`` is the only copy of the bundle."""
    if replaced.exists() and not out.exists():
        replaced.rename(out)


def ids_of(config: TransformerConfig) -> SpecialIds:
    """Return the manifest's token ids of a model."""
    return SpecialIds(pad=config.pad_id, eos=config.eos_id, decoder_start=config.decoder_start_id)


def shape_of(config: TransformerConfig) -> Shape:
    """Return the manifest's sizes of a model."""
    return Shape(
        encoder_layers=config.encoder_layers,
        decoder_layers=config.decoder_layers,
        heads=config.heads,
        width=config.width,
        feed_forward=config.feed_forward,
        vocabulary=config.target_vocabulary,
        max_positions=config.max_positions,
        alignment_head=config.alignment_layer is not None,
        variants=config.variants,
    )


def seal(folder: Path, manifest: Manifest, golden: Sequence[Golden]) -> None:
    """Write the golden sentences, and the manifest with the hashes of all files."""
    text = json.dumps([item.model_dump() for item in golden], indent=1, ensure_ascii=False)
    (folder / GOLDEN).write_text(text + "\n", encoding="utf-8")
    write_hashed(folder, manifest)


def write_hashed(folder: Path, manifest: Manifest) -> None:
    """Write the manifest with the hashes of all files."""
    files = {path.name: sha256(path) for path in sorted(folder.iterdir()) if path.name != MANIFEST}
    write_manifest(folder, manifest.model_copy(update={"files": files}))


def golden(
    folder: Path, sentences: Sequence[tuple[str, str, str]], limit: int | None, checked: Precision | None
) -> tuple[Golden, ...]:
    """Sentences with their greedy float32 translations, made by the engine that will check them.

    Args:
        folder: A bundle, complete but for them.
        sentences: Source language, target language and text.
        limit: At most so many for each pair, and only sentences that ``checked`` translates as float32 does; None keeps
            all.
        checked: Another precision of the bundle; None for none.
    """
    made = asyncio.run(_translated(folder, sentences, "float32"))
    if limit is None:
        return tuple(made)
    again = asyncio.run(_translated(folder, sentences, checked)) if checked else made
    kept: dict[tuple[str, str], list[Golden]] = {}
    for item, other in zip(made, again, strict=True):
        found = kept.setdefault(item.pair, [])
        if item == other and len(found) < limit:
            found.append(item)
    return tuple(item for found in kept.values() for item in found)


async def _translated(folder: Path, golden: Sequence[tuple[str, str, str]], precision: Precision) -> list[Golden]:
    """Translate the sentences greedily."""
    engine = Engine.from_settings(Settings(bundle=folder, precision=precision))
    options = SearchOptions(beam_size=1)
    await engine.start(expects_golden=False)
    try:
        made = []
        for source, target, text in golden:
            [answer] = await engine.translate([text], source=source, target=target, options=options)
            made.append(Golden(source_language=source, target_language=target, source=text, translation=answer))
        return made
    finally:
        await engine.stop()
