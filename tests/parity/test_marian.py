"""Imported models compute and translate what MarianMT of the transformers library does, token for token.

One difference is left: our beam gives up a row with each hypothesis that ends, as Marian's does; the library fills it
up again. A hypothesis that only the wider beam follows can win there. The inputs below have no such case;
``test_the_difference_that_is_left`` looks at inputs that have.
"""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers  # imports its classes when they are first used, which takes seconds

from app.engine.decoding.batch_decoder import decode
from app.engine.models.bundle import Bundle
from app.engine.onnx.model import OnnxModel
from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.settings import Settings
from benchmarks.ctranslate2_model import convert, open_model, piece_names
from export.choices import Choices
from export.importing import import_bundle
from export.marian.huggingface import read_huggingface
from export.marian.names import FORBIDDEN
from export.marian.source import MarianModel
from model.evaluation.evaluate import open_translator
from model.evaluation.inference import TorchModel
from tests.support.engines import translate_texts
from tests.support.imported import as_transformer
from tests.support.marian import (
    EOS,
    OPUS_MT,
    OPUS_MT_VOCABULARY,
    reference_model,
    vocabulary_of,
    write_huggingface,
    write_tokenizers,
)
from tests.support.marian_reference import (
    BEAM,
    LENGTH_LIMIT,
    TOLERANCE,
    assert_same_numbers,
    generated,
    padded,
    random_sources,
    translated,
)
from tests.support.reference import beam_search

# `make test-variations` has the full counts, and OPUS-MT's full width.
FULL = os.environ.get("DRAGOMAN_FULL_COUNTS") == "1"
INPUTS = 200 if FULL else 60
WIDTH = {} if FULL else {"d_model": 64, "encoder_ffn_dim": 256, "decoder_ffn_dim": 256}
FULL_SIZE_INPUTS = INPUTS if FULL else 6

pytestmark = [
    pytest.mark.usefixtures("quiet_transformers"),
    pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses"),
    pytest.mark.filterwarnings("ignore:# The axis name"),
]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, transformers.MarianMTModel]:
    """A MarianMT folder with two target languages, and its model."""
    folder = tmp_path_factory.mktemp("hub") / "opus-mt-de-en"
    model = write_huggingface(folder, tags=[">>eng<<", ">>fra<<"])
    return folder, model


@pytest.fixture(scope="module")
def imported(source: tuple[Path, transformers.MarianMTModel], tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    folder, _ = source
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="# The axis name", category=UserWarning)
        return import_bundle(
            str(folder), tmp_path_factory.mktemp("out") / "de-en", choices=Choices(), report=lambda line: None
        )


def graphs(bundle: Bundle) -> OnnxModel:
    return OnnxModel(**bundle.graphs("float32"), pad_id=bundle.manifest.ids.pad, provider="cpu", threads=1)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"pickled": True},
        {"separate": True},
        {"activation_function": "relu", "encoder_layers": 3, "decoder_layers": 1, "scale_embedding": False},
        {"tie_word_embeddings": False, "separate": True},
    ],
    ids=["usual", "pytorch_model.bin", "two vocabularies", "ReLU and other depths", "an output matrix of its own"],
)
def test_encoder_and_logits_are_marian_mts(tmp_path: Path, changes: dict[str, Any]) -> None:
    model = write_huggingface(tmp_path / "model", **changes)
    assert_same_numbers(as_transformer(read_huggingface(tmp_path / "model")), model)


def test_the_graphs_features_are_marian_mts(source: tuple[Path, transformers.MarianMTModel], imported: Bundle) -> None:
    """Exported weights are not rounded: what the float32 graphs give is as close as the PyTorch model."""
    model, sources = source[1], random_sources(source[1], 20)
    with torch.no_grad():
        states = model.get_encoder()(**padded(model, sources)).last_hidden_state
        crosses = [layer.encoder_attn for layer in model.get_decoder().layers]
        expected = [projection(states) for cross in crosses for projection in (cross.k_proj, cross.v_proj)]
    for row, item in enumerate(graphs(imported).encode(sources)):
        for array, wanted in zip(item.arrays, expected, strict=True):
            assert np.abs(array - wanted[row, : len(array)].numpy()).max() < TOLERANCE


def test_the_graphs_scores_are_marian_mts(source: tuple[Path, transformers.MarianMTModel], imported: Bundle) -> None:
    """Step by step, with the past kept in the graph; theirs, renormalised without padding."""
    model, sources = source[1], random_sources(source[1], 8)
    padding = model.config.pad_token_id
    target = torch.from_numpy(np.random.default_rng(2).integers(2, padding, (8, 7)))
    target[:, 0] = padding
    with torch.no_grad():
        logits = model(**padded(model, sources), decoder_input_ids=target).logits
    logits[..., padding] = -torch.inf
    expected = torch.log_softmax(logits, -1).numpy()
    onnx_model = graphs(imported)
    rows = onnx_model.rows()
    rows.join(onnx_model.encode(sources))
    for position in range(target.shape[1]):
        scores, candidates, _ = rows.step(target[:, position].tolist(), padding)
        assert padding not in candidates
        wanted = np.take_along_axis(expected[:, position], candidates, axis=1)
        assert np.abs(scores - wanted).max() < TOLERANCE


@pytest.mark.parametrize("beam", [1, BEAM], ids=["greedy", "beam 4"])
def test_ids_are_marian_mts(source: tuple[Path, transformers.MarianMTModel], imported: Bundle, beam: int) -> None:
    model, sources = source[1], random_sources(source[1], INPUTS)
    expected = generated(model, sources, num_beams=beam)
    assert translated(graphs(imported), model, sources, beam_size=beam) == expected
    assert len(set(expected)) > INPUTS / 4


UNREPEATED: dict[str, Any] = {"no_repeat_ngram_size": 1, "bad_words_ids": None, "renormalize_logits": False}


def unrepeating(folder: Path) -> transformers.MarianMTModel:
    """The reference with our bias in place of forbidden ids, see above."""
    model = transformers.MarianMTModel.from_pretrained(folder).eval()
    with torch.no_grad():
        model.final_logits_bias[0, model.config.pad_token_id] = FORBIDDEN
    return model


@pytest.mark.parametrize("beam", [1, BEAM], ids=["greedy", "beam 4"])
def test_ids_are_marian_mts_where_nothing_is_repeated(
    source: tuple[Path, transformers.MarianMTModel], imported: Bundle, beam: int
) -> None:
    """Random weights love to repeat themselves; forbidden to, they say something else each time, and mostly end."""
    model = unrepeating(source[0])
    sources = random_sources(model, INPUTS, seed=1)
    expected = generated(model, sources, num_beams=beam, **UNREPEATED)
    assert translated(graphs(imported), model, sources, beam_size=beam, no_repeat_ngram=1) == expected
    assert len(set(expected)) > INPUTS / 2
    lengths = np.array([len(ids) for ids in expected])
    assert (lengths < LENGTH_LIMIT).mean() > 0.5
    assert lengths.mean() > 3


def test_the_difference_that_is_left(imported: Bundle, source: tuple[Path, transformers.MarianMTModel]) -> None:
    """Where the two searches part, ours is still exactly beam search, with a beam that shrinks, on their scores."""
    model, padding = unrepeating(source[0]), source[1].config.pad_token_id
    inputs = 200  # the case is rare
    sources = random_sources(model, inputs, seed=2)
    expected = generated(model, sources, num_beams=BEAM, **UNREPEATED)
    found = translated(graphs(imported), model, sources, beam_size=BEAM, no_repeat_ngram=1)
    different = [index for index in range(inputs) if found[index] != expected[index]]
    assert 0 < len(different) < inputs / 20

    def next_scores(tokens: tuple[int, ...]) -> list[float]:
        with torch.no_grad():
            ids = torch.tensor([[padding, *tokens]])
            logits = model(**padded(model, [sources[index]]), decoder_input_ids=ids).logits[0, -1]
        scores: list[float] = torch.log_softmax(logits, -1).tolist()
        return scores

    for index in different[:2]:
        options: dict[str, Any] = {"eos_id": EOS, "max_length": LENGTH_LIMIT, "no_repeat_ngram": 1}
        best = beam_search(next_scores, beam=BEAM, alpha=0.0, **options)[0]
        assert found[index] == best.tokens


def test_texts_are_tokenised_as_marian_tokenizer_does(
    source: tuple[Path, transformers.MarianMTModel], imported: Bundle
) -> None:
    theirs = transformers.MarianTokenizer.from_pretrained(source[0])
    engine = Engine.from_settings(Settings(bundle=imported.path))
    [(_, prefix)] = [item for item in engine._prefix.items() if item[0] == ("de", "fr")]
    for text in ("Der Hund trinkt Wasser.", "Anna 42-42, 7.", "äöü ½ 🐕 日本", "", "  zwei   Wörter "):
        pieces = engine._segmenter._tokenizer.encode_with_spans(text)
        expected = theirs(f">>fra<<{text}")["input_ids"]
        assert [*prefix, *pieces.ids, EOS] == expected
        assert pieces.ids == tuple(engine._segmenter._tokenizer.encode(text))
        if "½" not in text:  # which NFKC makes three characters of
            for (begin, end), index in zip(pieces.spans, pieces.ids, strict=True):
                piece = theirs.convert_ids_to_tokens(index)
                assert piece == "<unk>" or text[begin:end].split() == piece.replace("▁", " ").split()


def test_ids_become_the_text_that_marian_tokenizer_makes(
    source: tuple[Path, transformers.MarianMTModel], imported: Bundle
) -> None:
    """Also of pieces that only the source's SentencePiece model has; and every piece knows its characters."""
    folder, model = source
    theirs, ours = (
        transformers.MarianTokenizer.from_pretrained(folder),
        Engine.from_settings(Settings(bundle=imported.path)),
    )
    tokenizer = ours._detokenizer.tokenizer
    special = {EOS, 1, model.config.pad_token_id, *theirs.convert_tokens_to_ids([">>eng<<", ">>fra<<"])}
    plain = [index for index in range(model.config.vocab_size) if index not in special]
    rng = np.random.default_rng(0)
    for _ in range(50):
        ids = rng.choice(plain, 12).tolist()
        text, spans = tokenizer.decode_with_spans(ids)
        assert text == tokenizer.decode(ids)
        assert text.strip() == theirs.decode(ids).strip()
        for (begin, end), index in zip(spans, ids, strict=True):
            assert text[begin:end].strip() == theirs.convert_ids_to_tokens(index).replace("▁", " ").strip()
    assert tokenizer.decode([*plain[:3], *special - {1}]) == tokenizer.decode(plain[:3])


@pytest.mark.parametrize("precision", ["float32", "int8"])
async def test_an_imported_model_is_served(
    imported: Bundle, source: tuple[Path, transformers.MarianMTModel], precision: Any
) -> None:
    folder, model = source
    theirs = transformers.MarianTokenizer.from_pretrained(folder)
    engine = Engine.from_settings(Settings(bundle=imported.path, precision=precision))
    await engine.start()  # translates the golden sentences
    try:
        assert engine.pairs == {("de", "en"), ("de", "fr")}
        text = "Der Hund trinkt Wasser"
        for target, tag in (("en", ">>eng<<"), ("fr", ">>fra<<")):
            options = SearchOptions(beam_size=1, max_length=LENGTH_LIMIT, alignment=True)
            [answer] = await translate_texts(engine, [text], target=target, options=options)
            [ids] = generated(model, [theirs(f"{tag}{text}")["input_ids"]], num_beams=1)
            if precision == "float32":
                assert answer.text == theirs.decode(ids, skip_special_tokens=False).strip()
            assert answer.alignment == ()  # no head of random weights aligns anything
    finally:
        await engine.stop()


def test_the_manifest_says_where_it_comes_from(imported: Bundle) -> None:
    manifest = imported.manifest
    assert [(pair.source, pair.target, pair.tag) for pair in manifest.pairs] == [
        ("de", "en", ">>eng<<"),
        ("de", "fr", ">>fra<<"),
    ]
    assert manifest.provenance.origin is not None
    assert manifest.provenance.origin.startswith("opus-mt-de-en, model.safetensors with sha256 ")
    assert manifest.alignment is not None
    assert not manifest.alignment.used and not manifest.shape.alignment_head
    assert set(manifest.graphs) == {"float32", "float16", "int8-native"}
    if "int8-native" in manifest.parity:  # where the operators are built
        assert manifest.parity["int8-native"]["greedy_agreement"]["sentences"] == 48  # type: ignore[index,call-overload]
    assert {manifest.source_vocabulary, manifest.target_vocabulary} == {"vocab.json"} < set(manifest.files)


def test_an_imported_model_is_evaluated_in_the_direction_it_has(imported: Bundle) -> None:
    translator = open_translator(imported.path, precision="int8", threads=1)
    try:
        assert translator.languages == ("de", "en") and translator.reversals == (False,)
        assert len(translator.translate(["Der Hund."], "de", "en", SearchOptions(beam_size=1))) == 1
    finally:
        translator.close()


def test_what_is_served_needs_nothing_of_the_training_world(imported: Bundle) -> None:
    from tests.faults.test_torch_free import ROOT, run_without_training_world

    program = f"""
import asyncio
from pathlib import Path
from app.engine.single_model import Engine
from app.engine.options import SearchOptions
from app.settings import Settings

async def main():
    engine = Engine.from_settings(Settings(bundle=Path({str(imported.path)!r})))
    await engine.start()
    [answer] = await engine.translate(["Der Hund."], source="de", target="fr", options=SearchOptions(max_length=5))
    print("served", bool(answer))
    await engine.stop()

asyncio.run(main())
"""
    finished = run_without_training_world(program, ROOT)
    assert finished.returncode == 0, finished.stderr
    assert "served True" in finished.stdout


def test_the_benchmarks_peer_has_the_same_weights(
    source: tuple[Path, transformers.MarianMTModel], imported: Bundle, tmp_path: Path
) -> None:
    model, sources = source[1], random_sources(source[1], 50)
    convert(imported, tmp_path / "peer")
    translator = open_model(tmp_path / "peer", compute_type="float32", threads=1)
    given, pieces = piece_names(imported)
    found = translator.translate_batch(
        [[given[index] for index in source] for source in sources],
        beam_size=1,
        max_decoding_length=LENGTH_LIMIT,
        min_decoding_length=0,
    )
    ids = {piece: index for index, piece in enumerate(pieces)}
    expected = generated(model, sources, num_beams=1)
    assert [tuple(ids[piece] for piece in result.hypotheses[0]) for result in found] == expected


@pytest.fixture(scope="module")
def full_size(tmp_path_factory: pytest.TempPathFactory) -> tuple[MarianModel, transformers.MarianMTModel]:
    """A model of OPUS-MT's usual depth and vocabulary, at full width with 74 million parameters."""
    folder = tmp_path_factory.mktemp("large") / "opus-mt-de-en"
    pieces = [*write_tokenizers(folder)[0], *write_tokenizers(folder)[1]]
    more = [f"▁{index}" for index in range(1000, 1000 + OPUS_MT_VOCABULARY - 3 - len(set(pieces)))]
    vocabulary = vocabulary_of([*pieces, *more])
    assert len(vocabulary) == OPUS_MT_VOCABULARY
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    model = reference_model(OPUS_MT_VOCABULARY, **OPUS_MT | WIDTH)
    model.save_pretrained(folder)
    read = read_huggingface(folder)
    (folder / "model.safetensors").unlink()
    return read, model


def test_full_size(full_size: tuple[MarianModel, transformers.MarianMTModel]) -> None:
    read, model = full_size
    ours = as_transformer(read)
    assert_same_numbers(ours, model, rows=2)
    sources = random_sources(model, FULL_SIZE_INPUTS)
    for beam in (1, BEAM):
        for start in range(0, len(sources), 20):
            batch = sources[start : start + 20]
            expected = generated(model, batch, num_beams=beam, max_new_tokens=15)
            found = decode(
                TorchModel(ours),
                batch,
                start_id=model.config.pad_token_id,
                eos_id=EOS,
                options=SearchOptions(length_penalty=0.0, beam_threshold=100, beam_size=beam, max_length=15),
            )
            assert [hypotheses[0].tokens for hypotheses in found] == [ids[:15] for ids in expected]
