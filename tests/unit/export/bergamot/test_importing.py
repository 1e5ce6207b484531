"""Models of random weights, of every kind that Mozilla trains: the bundle translates as the reference does."""

import os
import subprocess
import sys
import zipfile
from itertools import repeat
from pathlib import Path

import numpy as np
import pytest
import sentencepiece

from app.engine.decoding.batch_decoder import decode
from app.engine.decoding.search import Search
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.device_graphs import DeviceGraphs, Source
from app.engine.onnx.native import choose_kernels
from app.engine.onnx.opening import open_model
from app.engine.options import SearchOptions
from app.engine.registry import Registry
from app.settings import Settings
from export.choices import Choices
from export.device_bundle import add_device_graphs
from export.importing import import_bundle
from export.marian.limits import SourceError
from export.marian.probe_sentences import SENTENCES
from tests.support.bergamot import SHAPES, options, random_tensors, write_lexical, write_model, write_weights
from tests.support.bergamot_reference import Reference
from tests.support.device import device_batch, open_device_model, run, write_device_graphs
from tests.support.fakes import serving
from tests.support.greedy import Greedy
from tests.support.tiny import sentence_pairs

TEXT = [german for german, _ in sentence_pairs(400)]
MOST = 14  # steps: random weights don't end by themselves
# Where the reference's margin is smaller, another rounding may choose the other token.
NEAR_TIE = 0.01


def shape(name, **changes):
    """Half as wide as Mozilla's, and of the encoder's six layers, which are all alike, two."""
    width, inner, layers = SHAPES[name]
    return {"dim-emb": width // 2, "transformer-dim-ffn": inner // 2, "dec-depth": layers, "enc-depth": 2} | changes


MODELS = {
    "tiny, byte fallback": shape("tiny", byte_fallback=True),
    "base-memory": shape("base-memory"),
    "base, two vocabularies, one table": shape("base", vocabularies=2),
    "two vocabularies, two tables, floats": {"vocabularies": 2, "tables": 2, "whole": False},
    "self-attention in the decoder": {"transformer-decoder-autoreg": "self-attention", "dec-depth": 3, "whole": False},
}


def quiet(line):
    pass


@pytest.fixture(scope="module", params=MODELS)
def model(request, tmp_path_factory):
    """The file of weights and the bundle."""
    folder = tmp_path_factory.mktemp("bergamot")
    path = write_model(folder / "model", TEXT, **MODELS[request.param])
    with pytest.MonkeyPatch.context() as patch:
        # Random weights write on until the limit, whatever they are asked: what is measured needs few sentences here.
        patch.setattr("export.imported_bundle.SENTENCES", SENTENCES[:2])
        return path, import_bundle(str(folder / "model"), folder / "bundle", choices=Choices(), report=quiet)


def test_the_float_graphs_are_the_reference(model):
    path, bundle = model
    reference, probe = Reference(path), Greedy(bundle, "float32")
    sources = probe.sources(TEXT[:8])
    compared = same = 0
    for source, found in zip(sources, probe.translate(sources), strict=True):
        tokens, looked, margins = reference.translate(source, MOST)
        for position, token in enumerate(tokens):
            if position >= len(found.tokens) or found.tokens[position] != token:
                assert margins[position] < NEAR_TIE
                break
            compared += 1
            same += found.attended[position] == looked[position]
    assert compared > 4 * len(sources)
    assert same >= 0.9 * compared  # of random weights, two places may get the same attention but for rounding


def test_the_graphs_of_a_gpu_are_nearly_the_float_graphs(model):
    _, bundle = model
    tokenizer, ids = Tokenizer(*bundle.tokenizer_files), bundle.manifest.ids
    source, found = [*tokenizer.encode(TEXT[0]), ids.eos], []
    for precision in ("float32", "float16"):
        opened = open_model(bundle, precision)
        rows = opened.rows()
        rows.join(opened.encode([source]))
        scores = []
        for token in (ids.decoder_start, 5, 6):
            best, tokens, _ = rows.step([token], bundle.manifest.shape.vocabulary)
            scores.append(np.take_along_axis(best, tokens.argsort(axis=1), axis=1))
        found.append(np.array(scores))
    assert np.abs(found[0] - found[1])[found[0] > -100].max() < 0.2


def test_graphs_that_keep_their_state_on_a_gpu_find_the_same(model, tmp_path):
    _, bundle = model
    made, ids = add_device_graphs(bundle, tmp_path / "cuda"), bundle.manifest.ids
    DeviceGraphs(made.graphs("float16-cuda"), pad_id=ids.pad, provider="cpu")  # they can be opened
    (tmp_path / "floats").mkdir()
    device = open_device_model(bundle, write_device_graphs(bundle, tmp_path / "floats", has_lexicon=False))
    tokenizer, simple = Tokenizer(*bundle.tokenizer_files), open_model(bundle, "float32")
    sources = [(*tokenizer.encode(text), ids.eos) for text in TEXT[:4]]  # more than there are slots
    for beam in (1, 3):
        chosen = SearchOptions(beam_size=beam, max_length=MOST)
        ends = {"start_id": ids.decoder_start, "eos_id": ids.eos, "options": chosen, "max_length": MOST}
        searches = [Search(**ends) for _ in sources]
        run(device_batch(device), list(zip(searches, map(Source, sources), strict=True)), repeat(4), repeat(8))
        for one, [wanted] in zip(searches, decode(simple, sources, **ends), strict=True):
            [found] = one.hypotheses()
            assert found.tokens == wanted.tokens or abs(found.log_probability - wanted.log_probability) < NEAR_TIE


@pytest.mark.parametrize("kernels", ["auto", "off"])
async def test_a_bundle_is_served_with_native_operators_and_without(model, kernels):
    _, bundle = model
    settings = Settings(bundle=bundle.path, threads=1, kernels=kernels)
    async with serving(Registry.from_settings(settings), settings) as client:
        asked = {"q": TEXT[:3], "source": "en", "target": "de", "beam_size": 2, "max_length": 8, "details": True}
        answer = await client.post("/translate", json=asked)
        alone = [(await client.post("/translate", json=asked | {"q": text})).json() for text in TEXT[:3]]
    assert answer.status_code == 200, answer.text
    assert answer.json()["translatedText"] == [each["translatedText"] for each in alone]


def test_greedy_translations_choose_from_the_shortlist(tmp_path):
    write_model(tmp_path / "model", TEXT)
    size = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "model" / "vocab.ende.spm")).vocab_size()
    rows = [[(7 + piece) % size, (60 + 3 * piece) % size] for piece in range(size)]
    write_lexical(tmp_path / "model" / "lex.50.50.ende.s2t.bin", rows, first=5)
    bundle = import_bundle(str(tmp_path / "model"), tmp_path / "bundle", choices=Choices(), report=quiet)
    if choose_kernels() is None:
        pytest.skip("no native operators were built")
    model, tokenizer = open_model(bundle, "int8-native"), Tokenizer(*bundle.tokenizer_files)
    sources = [[*tokenizer.encode(text), 0] for text in TEXT[:5]]

    def translated(given, **options):
        found = decode(model, given, start_id=size, eos_id=0, options=SearchOptions(**options), max_length=12)
        return [each[0].tokens for each in found]

    allowed = [{*range(5), *source, *(target for piece in source for target in rows[piece])} for source in sources]
    greedy, beam = translated(sources, beam_size=1), translated(sources, beam_size=2)
    assert all(allowed[row].issuperset(tokens) for row, tokens in enumerate(greedy))
    assert not all(allowed[row].issuperset(tokens) for row, tokens in enumerate(beam))
    assert [translated([source], beam_size=1)[0] for source in sources] == greedy


def test_it_needs_neither_pytorch_nor_a_folder(tmp_path):
    write_model(tmp_path / "model", TEXT)
    with zipfile.ZipFile(tmp_path / "ende.zip", "w") as archive:
        for path in (tmp_path / "model").iterdir():
            archive.write(path, f"ende/{path.name}")
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "from app.cli.main import app\n"
        f"app(['import', {str(tmp_path / 'ende.zip')!r}, {str(tmp_path / 'out')!r}])"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[4])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "pairs of languages: en-de" in done.stdout
    assert (tmp_path / "out" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"transformer-dim-ffn": 100}, "of shape"),
        ({"enc-depth": 3}, "holds fewer"),
        ({"enc-depth": 10**9}, "not a number from 1 to"),
        ({"dec-cell": "gru"}, "dec-cell"),
        ({"transformer-rnn-projection": True}, "transformer-rnn-projection"),
        ({"transformer-preprocess": "n"}, "norms are placed"),
        ({"transformer-heads": 7}, "multiple of heads"),
        ({"transformer-heads": 32}, "can't be exported"),
        ({"type": "s2s"}, "option type"),
    ],
)
def test_options_that_do_not_fit_the_weights_are_refused(tmp_path, change, words):
    path = write_model(tmp_path / "model", TEXT)
    given = options(**{"dim-emb": 64, "transformer-dim-ffn": 96, "enc-depth": 2, "dec-depth": 2})
    write_weights(path, random_tensors(given, 300), given | change)
    with pytest.raises(SourceError, match=words):
        import_bundle(str(tmp_path / "model"), tmp_path / "out", choices=Choices(), report=quiet)
    assert not (tmp_path / "out").exists()
