"""Every variant is exported, decodes as PyTorch does, and is served."""

import re

import numpy as np
import pytest
import torch

from app.engine.onnx.model import OnnxModel
from app.engine.registry import Registry
from app.settings import Settings
from export.agreement import agreement
from export.bundle_builder import Sentences, build_bundle
from export.equivalents import standardised
from export.parity import measure, require
from export.restore import RestoreError, restore
from model.evaluation.inference import TorchModel
from model.network.transformer import Transformer
from tests.support.fakes import serving
from tests.support.tiny import (
    GOLDEN,
    VOCABULARY,
    random_model,
    round_weights,
    sentence_pairs,
    write_checkpoint,
    write_graphs,
)
from tests.support.variants import CHOICES

# Others are served below, translate documents in tests/parity/test_memory.py, or become standard models.
EXPORTED = ("additive", "no positions", "recurrent, other options")
SERVED = {
    'positions = "relative"': ("relative positions", "convolutions", "adaptive softmax"),
    "memory_length = 16": ("memory",),
    "encoder_layers = 0": ("a decoder alone, other options", "a decoder alone"),  # of two positions the last one counts
    'decoder_cell = "ssru"': ("recurrent",),
}
"""The variants of each bundle, by the name of one of them in the manifest."""
STANDARDISED = ("dot", "general")
SENTENCES = 60
# Of random weights two tokens may be equally good but for the last digits, which depend on the processor.
NEAR_TIES = 1


def variant(*names: str) -> Transformer:
    """Random weights, none of them zero or one throughout, so that none can be forgotten unnoticed."""
    model = random_model(**{"max_positions": 24} | dict(change for name in names for change in CHOICES[name].items()))
    with torch.no_grad():
        for parameter_name, parameter in model.named_parameters():
            if parameter.dim() != 2 and not parameter_name.startswith("positions"):
                parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def test_no_variant_is_left_out():
    tested = {*STANDARDISED, *EXPORTED, *(name for names in SERVED.values() for name in names)}
    assert {name for name in CHOICES if name not in tested} == {"memory, other options"}


@pytest.mark.parametrize("name", EXPORTED)
def test_graphs_and_pytorch_agree(name, tmp_path):
    model = variant(name)
    graphs = write_graphs(model, tmp_path)
    require(measure(model, graphs), 1e-3)  # step by step, and against the full pass
    assert_same_translations(model, graphs)


def assert_same_translations(model, graphs):
    rng = np.random.default_rng(0)
    sources = [[*rng.integers(3, VOCABULARY, rng.integers(1, 20)).tolist(), 2] for _ in range(SENTENCES)]
    same = agreement(TorchModel(model), graphs, model.config, sources, batch=30)
    assert same["identical"] >= SENTENCES - NEAR_TIES


def test_a_standardised_model_computes_the_same():
    for name in STANDARDISED:
        model = variant(name)
        standard = standardised(model)
        assert standard.config.scoring == "scaled-dot"
        assert not standard.config.variants
        source, target = torch.randint(3, VOCABULARY, (4, 9)), torch.randint(3, VOCABULARY, (4, 7))
        torch.testing.assert_close(standard(source, target)[0], model(source, target)[0], rtol=1e-4, atol=1e-4)
    plain = random_model()
    assert standardised(plain) is plain


@pytest.fixture(scope="module", params=SERVED)
def named(request):
    """The bundle's manifest, by name."""
    return request.param


@pytest.fixture(scope="module")
def model(named):
    model = variant(*SERVED[named])
    round_weights(model)
    return model


@pytest.fixture(scope="module")
def bundle(named, model, tiny_tokenizer, tmp_path_factory):
    """Building it compares float32 graphs and PyTorch step by step, and against the full pass."""
    folder = tmp_path_factory.mktemp("variants")
    checkpoint = write_checkpoint(folder / "checkpoint", model, tiny_tokenizer)
    texts = [german for german, _ in sentence_pairs(20, seed=3)]
    return build_bundle(
        checkpoint, folder / "bundle", sentences=[Sentences("de", "en", texts)], report=lambda line: None
    )


def test_a_bundle_names_its_variants_and_cannot_be_restored(bundle, named, tmp_path):
    assert named in bundle.manifest.shape.variants
    assert bundle.manifest.parity["float32"]["greedy_agreement"]["sentences"] == 20
    assert max(bundle.manifest.parity["float16"].values()) < 0.05
    assert set(bundle.graphs("float32")) == {"encoder", "decoder"}
    with pytest.raises(RestoreError, match=f"is not a standard Transformer: it has .*{re.escape(named)}"):
        restore(bundle, tmp_path / "model")


def test_the_graphs_of_a_bundle_and_pytorch_agree(bundle, model):
    if model.config.memory_length:
        pytest.skip("tests/parity/test_memory.py translates whole documents")
    graphs = OnnxModel(**bundle.graphs("float32"), pad_id=0, provider="cpu", threads=1)
    assert_same_translations(model, graphs)


async def test_a_bundle_is_served(bundle, named):
    """By the native operators if it is recurrent, otherwise by the float32 graphs."""
    settings = Settings(bundle=bundle.path, threads=1)
    async with serving(Registry.from_settings(settings), settings) as client:
        sentences = list(GOLDEN["de"])
        asked = {"q": sentences, "source": "de", "target": "en", "beam_size": 3, "max_length": 12}
        together = await client.post("/translate", json=asked)
        alone = [await client.post("/translate", json=asked | {"q": text}) for text in sentences]
        info = await client.get("/info")
    assert together.status_code == 200
    assert together.json()["translatedText"] == [answer.json()["translatedText"] for answer in alone]
    assert named in info.text.replace('\\"', '"')


async def test_context_is_read_by_models_with_a_memory(bundle, named):
    """A text after its context is translated as at the end of both; a sentence alone is the same as ever."""
    settings = Settings(bundle=bundle.path, threads=1)
    second, first = GOLDEN["de"]  # a translation without the "nicht" is asked for again, without the context
    async with serving(Registry.from_settings(settings), settings) as client:

        async def translated(**changes):
            asked = {"source": "de", "target": "en", "beam_size": 2, "max_length": 12, "details": True} | changes
            answer = await client.post("/translate", json=asked)
            assert answer.status_code == 200, answer.text
            return [(sentence["target"]["text"], sentence["score"]) for sentence in answer.json()["details"]]

        together = await translated(q=f"{first} {second}")
        [after] = await translated(q=second, context=first)
        [alone] = await translated(q=second)
        blocks = await translated(q=f"<p>{first}</p><p>{second}</p>", format="html")
        asked = {"text": [second], "source_lang": "DE", "target_lang": "EN", "model_type": "latency_optimized"}
        deepl = [
            (await client.post("/v2/translate", json=asked | changes)).json()["translations"]
            for changes in ({"context": first}, {"context": 9000 * "x" + f". {first}"}, {})
        ]
        refused = [
            await client.post("/translate", json={"q": "Ja", "source": "de", "target": "en", "context": context})
            for context in ("x" * 2001, 7, "\0")
        ]
    assert together[1] == after
    assert (after != alone) == ("memory" in named)
    assert [score for _, score in blocks] == [score for _, score in together]
    assert deepl[0] == deepl[1]
    if "memory" not in named:
        assert deepl[0] == deepl[2]
    assert [answer.status_code for answer in refused] == [400] * 3
    assert "context parameter is longer than 2000 characters" in refused[0].text
