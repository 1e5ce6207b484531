"""The bundle in the repository, end to end: what a newcomer gets."""

import asyncio
import gzip
import re
from pathlib import Path

import onnx
import pytest
import sentencepiece

from app.engine.decoding.batch_decoder import decode
from app.engine.models.bundle import Bundle
from app.engine.models.lexicon import Lexicon
from app.engine.models.manifest import Precision
from app.engine.onnx.model import OnnxModel
from app.engine.onnx.opening import open_model
from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.settings import Settings
from benchmarks.ctranslate2_model import convert
from benchmarks.ctranslate2_model import open_model as open_peer
from tests.support.bundles import SHIPPED

ROOT = Path(__file__).parents[2]

PLAIN = [
    "Ich möchte ein Bier.",
    "Wo ist der Bahnhof?",
    "Danke!",
    "Das Wetter ist heute schön.",
    "Mein Vater ist Arzt.",
    "Ich habe Hunger.",
    "I would like a beer.",
    "Where is the station?",
    "Thank you very much!",
    "The weather is nice today.",
    "My father is a doctor.",
    "I am hungry.",
    "Tom hat gestern seinen alten Freund am Flughafen getroffen.",
    "She asked me whether I could help her with the luggage.",
    "Die Regierung will im nächsten Jahr mehr Geld für Schulen ausgeben.",
    "The prime minister said on Monday that the talks would continue.",
]


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return Bundle.open(SHIPPED)


def test_every_golden_sentence_comes_out_as_recorded() -> None:
    engine = Engine.from_settings(Settings(bundle=SHIPPED, threads=1))
    with asyncio.Runner() as runner:
        runner.run(engine.start())
        golden = engine.info()["golden"]
        runner.run(engine.stop())
    assert isinstance(golden, dict)
    # int8 may flip one against the float32 record.
    assert golden["identical"] >= golden["sentences"] - 2


@pytest.mark.parametrize("pair", [("de", "en"), ("en", "de")], ids=["de-en", "en-de"])
def test_another_engine_translates_the_same(bundle: Bundle, pair: tuple[str, str], tmp_path: Path) -> None:
    """CTranslate2, float32, greedy, on the same weights: an oracle that shares no code with ours."""
    bundle = bundle.model_of(*pair)
    manifest = bundle.manifest
    processor = sentencepiece.SentencePieceProcessor(model_file=str(bundle.path / manifest.source_tokenizer))
    sources = [[processor.piece_to_id(f"<2{pair[1]}>"), *processor.encode(text), manifest.ids.eos] for text in PLAIN]
    model = OnnxModel(**bundle.graphs("float32"), pad_id=manifest.ids.pad, provider="cpu", threads=1)
    ours = decode(
        model,
        sources,
        start_id=manifest.ids.decoder_start,
        eos_id=manifest.ids.eos,
        options=SearchOptions(beam_size=1),
        max_length=80,
    )
    convert(bundle, tmp_path / "peer")
    peer = open_peer(tmp_path / "peer", compute_type="float32", threads=1)
    theirs = peer.translate_batch(
        [[processor.id_to_piece(index) for index in source] for source in sources], beam_size=1, max_decoding_length=80
    )
    pieces = [[processor.id_to_piece(index) for index in found[0].tokens] for found in ours]
    assert pieces == [result.hypotheses[0] for result in theirs]


@pytest.mark.parametrize("beam_size", [1, 4])
@pytest.mark.parametrize("precision", ["int8-native", "float32"])
def test_neighbours_change_nothing(bundle: Bundle, precision: Precision, beam_size: int) -> None:
    """Not even the last bit of a score."""
    manifest = bundle.manifest
    processor = sentencepiece.SentencePieceProcessor(model_file=str(bundle.path / manifest.source_tokenizer))
    tag = processor.piece_to_id("<2en>")
    # Prefixes of all lengths, so that most rows are padded, and whole sentences.
    texts = [text[: 4 + 7 * index] for index, text in enumerate(PLAIN * 2)]
    sources = [[tag, *processor.encode(text), manifest.ids.eos] for text in texts]
    model = open_model(bundle, precision)

    def translate(batch: list[list[int]]) -> list[tuple[tuple[int, ...], float]]:
        options = SearchOptions(beam_size=beam_size)
        ids = manifest.ids
        found = decode(model, batch, start_id=ids.decoder_start, eos_id=ids.eos, options=options)
        return [(hypotheses[0].tokens, hypotheses[0].score) for hypotheses in found]

    assert translate(sources) == [best for source in sources for best in translate([source])]


def test_bundle_is_small_enough_to_ship() -> None:
    def size(*patterns: str) -> int:
        return sum(path.stat().st_size for pattern in patterns for path in SHIPPED.glob(pattern))

    assert len(list(SHIPPED.glob("*.onnx"))) <= 16 + len(list(SHIPPED.glob("*-cuda.onnx"))), "graphs"
    assert size("lexicon*") <= 3e6
    assert size("*") <= 65e6


def test_the_graphs_for_a_gpu_take_the_lexicon(bundle: Bundle) -> None:
    """Else three of four sentences would go step by step there."""
    for model in bundle.models:
        graphs = model.graphs("float16-cuda")
        for role in ("decoder", "beam"):
            given = onnx.load(graphs[role], load_external_data=False).graph.input
            assert "tree_tokens" in {each.name for each in given}


def test_no_training_source_excludes_commercial_use(bundle: Bundle) -> None:
    runs = [run for model in bundle.manifest.models for run in (model.provenance, *model.provenance.earlier)]
    sources = [source for run in runs for source in run.sources]
    assert len(sources) > 5
    assert not {source.name for source in sources} & {"multi30k", "wmt14-extra-refs", "pro-git"}
    assert all(source.licence and source.origin and len(source.sha256) == 64 for source in sources)
    assert not any(re.search(r"non-?commercial|\bNC\b", source.licence) for source in sources)


def test_the_documents_quote_the_manifest(bundle: Bundle) -> None:
    page = (ROOT / "docs/quality.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    measured = {
        (score.test_set, score.source, score.target): score
        for score in bundle.manifest.scores
        if score.precision == "int8" and score.beam_size == 4
    }
    sets = {"tatoeba.valid", "tatoeba.test", "multi30k.test2016", "wmt19"}
    assert measured.keys() == {(name, *pair) for name in sets for pair in (("de", "en"), ("en", "de"))}
    for (name, source, target), score in measured.items():
        assert f"| {name} | {source} to {target} | {score.bleu:.1f} | {score.chrf:.1f} |" in page
    for name in sets - {"tatoeba.valid"}:
        both = [f"{measured[name, *pair].bleu:.1f}" for pair in (("de", "en"), ("en", "de"))]
        assert re.search(rf"^\| {re.escape(name)} \(.*\) \| {both[0]} \| {both[1]} \|$", readme, re.MULTILINE), name


def test_words_that_the_training_text_has_often_are_left_to_the_model(bundle: Bundle) -> None:
    path = SHIPPED / str(bundle.manifest.pairs[0].lexicon)
    lexicon = Lexicon(path, "de")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        known = [word for word, mark, *_ in (line.rstrip("\n").split("\t") for line in lines) if mark == "~"]
    assert {"Landschaft", "Eigenschaft", "Notwendigkeit", "Mannschaft", "Gemeinschaft", "Handlungen"} <= set(known)
    for word in known:
        if word[0] != "-":
            found = lexicon.find(f"Die {word}")
            assert not (found or lexicon.names(f"Die {word}", found)), word


@pytest.mark.parametrize("word", ["Elternschaft", "US-amerikanischen", "Gefühlswallungen", "Studierendenschaft"])
def test_a_rare_word_is_not_put_together_from_an_ending(bundle: Bundle, word: str) -> None:
    lexicon = Lexicon(SHIPPED / str(bundle.manifest.pairs[0].lexicon), "de")
    found = " ".join(text for each in lexicon.find(f"Die {word}") for text in each.translations)
    assert not {"shaft", "lungs", "niches"} & set(found.split())
