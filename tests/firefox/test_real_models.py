"""Two models of Firefox's kind, English to Portuguese and back: imported, compared with the reference, and served.

``make test-firefox`` downloads them into the folder that FIREFOX_MODELS names.
"""

import asyncio
import os
from pathlib import Path

import httpx
import pytest
import sacrebleu

from app.engine.models.bundle import Bundle
from app.engine.models.tokenizer import Tokenizer
from app.main import create_app
from app.settings import Settings
from export.bergamot.folder import find_files
from export.bergamot.lexical import read_lexical
from export.choices import Choices
from export.importing import import_bundle
from tests.support.bergamot_reference import Reference
from tests.support.greedy import Greedy

pytestmark = pytest.mark.firefox

NEAR_TIE = 0.01
SENTENCES = Path(__file__).parent
PAIRS = {"en-pt": "enpt", "pt-en": "pten"}


class Imported:
    """A model: its files, its bundle, and the 100 sentences of its source language."""

    def __init__(self, pair: str, folder: Path) -> None:
        [model] = Path(os.environ["FIREFOX_MODELS"]).glob(f"{PAIRS[pair]}-*")
        self.source, self.target = pair.split("-")
        self.files = find_files(model, folder)
        self.bundle: Bundle = import_bundle(str(model), folder / pair, choices=Choices(), report=print)
        self.texts = (SENTENCES / f"{self.source}.txt").read_text(encoding="utf-8").splitlines()
        self.tokenizer = Tokenizer(*self.bundle.tokenizer_files)

    def probe(self, precision: str) -> Greedy:
        return Greedy(self.bundle, precision)

    def translated(self, precision: str) -> list[str]:
        """All sentences in one batch."""
        probe = self.probe(precision)
        return [self.tokenizer.decode(found.tokens) for found in probe.translate(probe.sources(self.texts))]


@pytest.fixture(scope="module", params=PAIRS)
def model(request, tmp_path_factory):
    return Imported(request.param, tmp_path_factory.mktemp("firefox"))


@pytest.fixture(scope="module")
def floats(model):
    return model.translated("float32")


def test_the_float_graphs_are_the_reference_but_at_near_ties(model, floats):
    reference, probe = Reference(model.files.weights), model.probe("float32")
    different = []
    for text, source, found in zip(model.texts, probe.sources(model.texts), floats, strict=True):
        tokens, _, margins = reference.translate(source, 2 * len(source))
        if model.tokenizer.decode(tokens) != found:
            different.append((text, found, min(margins)))
    print(f"equal to the reference: {len(model.texts) - len(different)} of {len(model.texts)}")
    assert all(margin < NEAR_TIE for _, _, margin in different), different


def test_the_native_operators_are_nearly_the_float_graphs(model, floats):
    found = model.translated("int8-native")
    same = sum(one == other for one, other in zip(found, floats, strict=True))
    chrf = sacrebleu.corpus_chrf(found, [floats]).score
    print(f"int8-native equal to float32: {same} of {len(floats)}, chrF against it {chrf:.1f}")
    assert same >= 0.9 * len(floats)
    assert chrf > 97


@pytest.mark.parametrize("precision", ["float32", "int8-native"])
def test_no_translation_depends_on_its_batch(model, precision):
    probe = model.probe(precision)
    sources = probe.sources(model.texts)
    together = [found.tokens for found in probe.translate(sources)]
    assert [probe.translate([source])[0].tokens for source in sources] == together


def test_what_the_import_measured(model):
    manifest = model.bundle.manifest
    assert [(pair.source, pair.target) for pair in manifest.pairs] == [(model.source, model.target)]
    assert manifest.alignment.used and manifest.alignment.share > 0.95
    assert len(manifest.stand_ins) >= 8
    assert len(model.bundle.golden) == 4


def test_the_shortlist_is_the_engines(model):
    """In number: 300 to 1,000 of 32,000 pieces a sentence, with its own."""
    shortlist = read_lexical(model.files.lexical, model.bundle.manifest.shape.vocabulary, 0)
    counts = [len(shortlist.of(source)) for source in model.probe("float32").sources(model.texts)]
    assert min(counts) > 300 and max(counts) < 1000


def test_it_is_served_with_markup_and_spans(model):
    async def ask():
        app = create_app(Settings(bundle=model.bundle.path, threads=1))
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://test") as client,
        ):
            asked = {"source": model.source, "target": model.target}
            plain = await client.post("/translate", json=asked | {"q": model.texts, "beam_size": 1, "details": True})
            marked = await client.post(
                "/translate", json=asked | {"q": f"<p><b>{model.texts[0]}</b> <i>{{name}}</i></p>", "format": "html"}
            )
            spans = await client.post("/translate", json=asked | {"q": "Ana {count} x@example.com `y` 😀 2024"})
            return plain.json(), marked.json(), spans.json()

    plain, marked, spans = asyncio.run(ask())
    assert len(plain["translatedText"]) == len(model.texts) and all(plain["translatedText"])
    assert marked["translatedText"].count("<") == 6
    assert "{name}" in marked["translatedText"]
    for kept in ("{count}", "x@example.com", "😀", "2024"):
        assert spans["translatedText"].count(kept) == 1, spans
