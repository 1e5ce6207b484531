"""`/inspect` shows the model's own search and attention."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from app.engine.interface import InspectionCall
from app.engine.models.tokenizer import Tokenizer
from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.errors import InvalidRequest, UnsupportedPair
from app.settings import Settings
from tests.support.engines import translate_texts

TEXT = "Der Hund trinkt Wasser."


@pytest.fixture
async def engine(tiny_bundle):
    engine = Engine.from_settings(Settings(bundle=tiny_bundle.path, precision="float32"))
    await engine.start()
    yield engine
    await engine.stop()


def call_for(text: str = TEXT, **changes) -> InspectionCall:
    return replace(InspectionCall(text=text, source="de", target="en", options=SearchOptions()), **changes)


async def test_the_tree_is_the_search_that_translates(engine, tiny_bundle):
    options = SearchOptions(n_best=4)
    inspection = await engine.inspect(call_for(options=options))
    [translation] = await translate_texts(engine, [TEXT], options=options)
    nodes = inspection.nodes

    def text_of(index: int | None) -> str:
        return "" if index is None else text_of(nodes[index].parent) + nodes[index].text.removesuffix("</s>")

    [sentence] = translation.sentences
    ended = {index: node.score for index, node in enumerate(nodes) if node.score is not None}
    ranked = sorted(ended, key=lambda index: -(ended[index] or 0.0))
    assert [text_of(index).strip() for index in ranked] == [
        sentence.text,
        *(other.text for other in sentence.alternatives),
    ]
    assert [ended[index] for index in ranked] == pytest.approx(
        [sentence.score, *(other.score for other in sentence.alternatives)]
    )
    # The best path leads from the start to the best translation, and every step has at most four hypotheses.
    best = [index for index, node in enumerate(nodes) if node.is_best]
    assert [nodes[index].parent for index in best] == [None, *best[:-1]]
    assert best[-1] == ranked[0]
    depths: list[int] = []
    for node in nodes:
        depths.append(0 if node.parent is None else depths[node.parent] + 1)
        assert node.parent is None or node.log_probability <= nodes[node.parent].log_probability
    assert max(map(depths.count, depths)) <= 4


@pytest.mark.parametrize("translation", [None, "A dog drinks."])
async def test_the_attention_is_the_models(engine, tiny_bundle, tiny_model, translation):
    inspection = await engine.inspect(call_for(translation=translation))
    tokenizer, ids = Tokenizer(*tiny_bundle.tokenizer_files), tiny_bundle.manifest.ids
    [found] = await translate_texts(engine, [TEXT], options=SearchOptions())
    source = [tokenizer.piece_id("<2en>"), *tokenizer.encode(TEXT), ids.eos]
    target = [ids.decoder_start, *tokenizer.encode_target(translation or found.text)]
    assert inspection.source == ("<2en>", *map(tokenizer.source_label, source[1:-1]), "</s>")
    attention = inspection.attention
    assert attention is not None
    assert attention.target == ("<s>", *map(tokenizer.target_label, target[1:]))
    with torch.no_grad():
        _, expected = tiny_model(torch.tensor([source]), torch.tensor([target]))
    for shown, wanted in zip(
        (*attention.encoder, *attention.decoder, *attention.cross),
        (*expected.encoder, *expected.decoder, *expected.cross),
        strict=True,
    ):
        np.testing.assert_allclose(shown, wanted[0].numpy(), atol=1e-3)


@pytest.mark.parametrize("changes", [{"text": "Hund " * 100}, {"text": " "}, {"translation": "dog " * 400}])
async def test_what_is_no_sentence_is_refused(engine, changes):
    with pytest.raises(InvalidRequest, match="can be inspected"):
        await engine.inspect(call_for(**changes))


async def test_a_pair_without_a_model_is_refused(engine):
    with pytest.raises(UnsupportedPair):
        await engine.inspect(call_for(target="fr"))


async def test_a_bundle_without_maps_shows_the_search_only(engine, tiny_bundle):
    engine.bundle = replace(tiny_bundle, manifest=tiny_bundle.manifest.model_copy(update={"attention": None}))
    inspection = await engine.inspect(call_for())
    assert inspection.attention is None
    assert inspection.nodes
