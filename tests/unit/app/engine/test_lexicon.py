"""A bundle with a lexicon, from the file to the translation."""

import shutil
from pathlib import Path

import pytest

from app.engine.interface import Draft, InspectionCall, TokenEvent, TranslationCall
from app.engine.models.bundle import Bundle, sha256
from app.engine.models.manifest import Manifest, write_manifest
from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.settings import Settings
from export.lexicon import write_lexicon
from tests.support.engines import from_bundle, started, translate
from tests.support.tiny import LEXICON

WORDS = list(LEXICON)[:6]
TEXT = " ".join(WORDS) + "."
OTHER = "kokoko"  # no translation has it by itself


def with_lexicon(bundle: Bundle, folder: Path) -> Bundle:
    """A copy of a bundle with one entry for each of the words."""
    copy = Path(shutil.copytree(bundle.path, folder / "lexicon"))
    manifest = Manifest.read(copy)
    path = copy / str(manifest.pairs[0].lexicon)
    write_lexicon({word: [OTHER] for word in WORDS}, path)
    write_manifest(copy, manifest.model_copy(update={"files": {**manifest.files, path.name: sha256(path)}}))
    return Bundle.open(copy)


@pytest.mark.parametrize(("precision", "kernels"), [("float32", "off"), ("int8", "auto")])
@pytest.mark.parametrize("beam", [1, 4])
async def test_translations_come_from_the_lexicon(tiny_bundle, tmp_path, precision, kernels, beam):
    """In graphs that make single steps, and in the native operators."""

    def engine_of(bundle: Bundle) -> Engine:
        return Engine.from_settings(Settings(bundle=bundle.path, precision=precision, kernels=kernels, threads=1))

    options = SearchOptions(beam_size=beam)
    async with started(engine_of(tiny_bundle)) as engine:
        [without] = await translate(engine, TEXT, options=options)
    async with started(engine_of(with_lexicon(tiny_bundle, tmp_path))) as engine:
        [found, unknown] = await translate(engine, TEXT, f"{list(LEXICON)[9]}.", options=options)
        [again] = await translate(engine, TEXT, options=options)
    assert OTHER not in without.text
    assert OTHER in found.text
    assert OTHER not in unknown.text
    assert again == found


async def test_inspection_shows_the_same_translation(tiny_bundle, tmp_path):
    async with started(from_bundle(with_lexicon(tiny_bundle, tmp_path))) as engine:
        [found] = await translate(engine, TEXT, options=SearchOptions(beam_size=2))
        call = InspectionCall(text=TEXT, source="de", target="en", options=SearchOptions(beam_size=2))
        inspected = await engine.inspect(call)
    best = [node.text for node in inspected.nodes if node.is_best]
    assert "".join(best[:-1]).strip() == found.text


async def test_tokens_are_the_beginning_of_their_sentence(tiny_bundle, tmp_path):
    """However many of them share an event."""
    settings = Settings(bundle=with_lexicon(tiny_bundle, tmp_path).path, kernels="off", precision="float32", threads=1)
    call = TranslationCall(texts=[TEXT], source="de", target="en", options=SearchOptions(beam_size=1), tokens=True)
    async with started(Engine.from_settings(settings)) as engine:
        events = [event async for event in engine.stream(call)]
    shown = [event.text for event in events if isinstance(event, TokenEvent)]
    [draft] = [event for event in events if isinstance(event, Draft)]
    assert OTHER in draft.text
    assert draft.text.startswith("".join(shown))
