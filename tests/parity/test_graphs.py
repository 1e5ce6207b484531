"""The exported graphs compute what the model computes, and a build is whole or not there."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

import export.bundle_builder
from app.engine.models.bundle import Bundle
from app.engine.models.manifest import MANIFEST
from export.agreement import agreement
from export.bundle_builder import BuildError, Sentences, build_bundle
from export.parity import Parity, ParityError, measure, require
from export.precisions import WEIGHTS, write_graphs
from model.data.batches import pad
from model.data.tokenizer import BOS_ID
from model.evaluation.inference import TorchModel
from model.network.config import TransformerConfig
from model.network.transformer import Transformer
from tests.support import tiny
from tests.support.tiny import VOCABULARY, open_graphs, random_model, sentence_pairs, source_ids
from tests.support.variants import CHOICES, STANDARD

TEXTS = [german for german, _ in sentence_pairs(16, seed=21)]
# Errors of the tiny trained model, with a margin: float32 has about 4e-6.
FLOAT32_TOLERANCE = 1e-4


def randomise_vectors(model: Transformer) -> None:
    """Biases and norms start as zeros and ones, which would hide them."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.3 * torch.randn_like(parameter))


@pytest.mark.parametrize("name", STANDARD)
def test_other_configurations(name, tmp_path):
    model = random_model(**STANDARD[name])
    randomise_vectors(model)
    require(measure(model, tiny.write_graphs(model, tmp_path)), FLOAT32_TOLERANCE)
    outputs = {output.name for output in onnx.load(tmp_path / "decoder.onnx").graph.output}
    assert ("alignment" in outputs) == (model.config.alignment_layer is not None)


def test_the_variants_cover_the_configuration(tiny_model):
    """A new option must be given a second value here."""
    plain = tiny_model.config.to_dict()
    training_only = {"dropout", "attention_dropout", "feed_forward_dropout"}
    variants = STANDARD | CHOICES  # the second are tested in test_variants.py
    values = {name: {plain[name], *(v[name] for v in variants.values() if name in v)} for name in plain}
    assert {name for name, seen in values.items() if len(seen) == 1} <= training_only
    assert values["norm"] == {"pre", "post"}
    assert values["activation"] == {"relu", "gelu", "swish"}
    # Marian's own sinusoids differ from the concatenated ones by a table of constants: tests/parity/test_marian.py
    assert values["positions"] == {"sinusoidal", "sinusoidal-halves", "learned", "relative", "none"}
    assert values["scoring"] == {"scaled-dot", "dot", "general", "additive"}
    for variant in variants.values():
        TransformerConfig.from_dict(plain | variant)


@pytest.mark.parametrize(
    ("precision", "tolerance"), [("float32", FLOAT32_TOLERANCE), ("float16", 0.05), ("int8-native", 1.5)]
)
def test_the_precisions_of_a_bundle(tiny_model, tiny_bundle, precision, tolerance):
    parity = measure(tiny_model, open_graphs(tiny_bundle, precision))
    require(parity, tolerance)
    assert tiny_bundle.manifest.parity[precision] == pytest.approx(asdict(parity), rel=0.5)
    # An error of zero would mean that nothing was compared.
    assert min(asdict(parity).values()) > 0


def test_greedy_translations_agree(tiny_model, tiny_onnx, tiny_bundle, tiny_tokenizer):
    sources = source_ids(tiny_tokenizer, TEXTS)
    torch_model, config = TorchModel(tiny_model), tiny_model.config
    assert agreement(torch_model, tiny_onnx, config, sources, batch=16) == {"sentences": 16, "identical": 16}
    int8 = agreement(torch_model, open_graphs(tiny_bundle, "int8-native"), config, sources)
    assert int8["sentences"] == 16
    assert int8["identical"] >= 4  # a barely trained model flips easily
    other = agreement(TorchModel(random_model(seed=5)), tiny_onnx, config, sources)
    assert other["identical"] < 4


def test_wrong_graphs_are_refused(tiny_onnx):
    parity = measure(random_model(seed=5), tiny_onnx)
    with pytest.raises(ParityError, match="encoder: the exported graph differs from the model by"):
        require(parity)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1.0])
@pytest.mark.parametrize("name", ["encoder", "step", "full_pass"])
def test_each_error_counts(name, bad):
    sound = {"encoder": 1e-5, "step": 1e-5, "full_pass": 1e-5}
    require(Parity(**sound))
    with pytest.raises(ParityError, match=f"^{name}: "):
        require(Parity(**(sound | {name: bad})))


@pytest.mark.parametrize("precision", ["float32", "int8-native"])
def test_alignment_is_the_attention_of_the_trained_head(tiny_model, tiny_bundle, tiny_tokenizer, precision):
    config = tiny_model.config
    sources = source_ids(tiny_tokenizer, TEXTS[:3])
    target = torch.tensor([[BOS_ID, 300, 310, 320, 330]] * 3)
    with torch.no_grad():
        _, maps = tiny_model(pad([np.array(source) for source in sources]), target)
    expected = maps.cross[config.alignment_layer][:, config.alignment_head].numpy()  # (B, T, S)
    graphs = open_graphs(tiny_bundle, precision)
    rows = graphs.rows()
    rows.join(graphs.encode(sources))
    for position in range(target.shape[1]):
        _, _, alignment = rows.step(target[:, position].tolist(), 1)
        looked_at = expected[range(3), position, alignment]
        assert looked_at == pytest.approx(expected[:, position].max(1), abs=1e-5 if precision == "float32" else 0.1)
    assert expected[:, 1:].max() > 2 / min(map(len, sources))  # the head looks somewhere


@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_cuda_has_the_operators_of_the_graphs(tiny_bundle, precision):
    # On CUDA, ONNX Runtime 1.31 refuses another output mode of Attention, and not before the graph runs.
    nodes = [node for path in tiny_bundle.graphs(precision).values() for node in onnx.load(path).graph.node]
    scored = [node for node in nodes if node.op_type == "Attention" and len(node.output) > 3]
    modes = [each.i for node in scored for each in node.attribute if each.name == "qk_matmul_output_mode"]
    assert len(scored) == 1  # the alignment head's
    assert set(modes) <= {0}  # the scores; it is also the default


def test_both_float_precisions_read_one_file_of_weights(tiny_bundle, tiny_model):
    places: dict[str, set[tuple[int, int]]] = {}
    for precision in ("float32", "float16"):
        for path in tiny_bundle.graphs(precision).values():
            graph = onnx.load(path, load_external_data=False)
            external = [{e.key: e.value for e in t.external_data} for t in graph.graph.initializer if t.external_data]
            assert {entry["location"] for entry in external} == {WEIGHTS}
            places[path.name] = {(int(entry["offset"]), int(entry["length"])) for entry in external}
    embedding = tiny_model.target_embedding.weight.detach().half().numpy()
    content = (tiny_bundle.path / WEIGHTS).read_bytes()
    shared = set.intersection(*places.values())
    assert embedding.tobytes() in [content[offset : offset + length] for offset, length in shared]
    # Every byte is somebody's, up to the alignment of the pieces.
    assert len(content) < sum(length for _, length in set.union(*places.values())) + 64 * len(
        set.union(*places.values())
    )


def listing(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def old(tiny_bundle: Bundle, tmp_path: Path) -> Path:
    """An older bundle of the same name."""
    return Path(shutil.copytree(tiny_bundle.path, tmp_path / "out" / "bundle"))


def test_a_build_replaces_an_older_bundle(old, tiny_checkpoint):
    (old / "left-over").write_bytes(b"")
    lines: list[str] = []
    built = build_bundle(
        tiny_checkpoint,
        old,
        sentences=[Sentences("de", "en", [*TEXTS, "Hund " * 100]), Sentences("en", "de", ["The dog."])],
        report=lines.append,
    )
    assert built == Bundle.open(old)
    assert sorted(path.name for path in old.parent.iterdir()) == ["bundle"]
    assert not (old / "left-over").exists()
    # The sentence that is too long for the model is left out; float16 is too slow on a CPU.
    assert built.manifest.parity["float32"]["greedy_agreement"] == {"sentences": 17, "identical": 17}
    assert built.manifest.parity["int8-native"]["greedy_agreement"]["sentences"] == 17
    assert "greedy_agreement" not in built.manifest.parity["float16"]
    assert lines[-1].startswith(f"wrote {old}, ")


def test_the_manifest_describes_the_model(tiny_bundle, tiny_model):
    manifest, config = tiny_bundle.manifest, tiny_model.config
    assert manifest.shape.vocabulary == config.target_vocabulary == VOCABULARY
    assert manifest.shape.max_positions == config.max_positions
    assert manifest.shape.alignment_head
    assert (manifest.ids.pad, manifest.ids.eos, manifest.ids.decoder_start) == (0, 2, 1)
    assert [(pair.source, pair.target, pair.tag) for pair in manifest.pairs] == [
        ("de", "en", "<2en>"),
        ("en", "de", "<2de>"),
    ]
    assert manifest.provenance.sources[0].name == "made-up"


@pytest.mark.parametrize(("stage", "error"), [(0, KeyboardInterrupt), (1, RuntimeError), (3, KeyboardInterrupt)])
def test_an_interrupted_build_leaves_the_old_bundle(old, tiny_checkpoint, stage, error):
    before = listing(old.parent)
    calls = 0

    def report(line: str) -> None:
        nonlocal calls
        if calls == stage:
            raise error
        calls += 1

    with pytest.raises(error):
        build_bundle(tiny_checkpoint, old, report=report)
    assert listing(old.parent) == before


def test_an_interrupted_first_build_leaves_nothing(tmp_path, tiny_checkpoint):
    def report(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_bundle(tiny_checkpoint, tmp_path / "bundle", report=report)
    assert list(tmp_path.iterdir()) == []


def test_wrong_graphs_make_no_bundle(old, tiny_checkpoint, monkeypatch):
    before = listing(old.parent)
    other = random_model(seed=5)
    monkeypatch.setattr(
        export.bundle_builder, "write_graphs", lambda model, *rest, **kinds: write_graphs(other, *rest, **kinds)
    )
    with pytest.raises(ParityError):
        build_bundle(tiny_checkpoint, old, report=lambda line: None)
    assert listing(old.parent) == before


def test_heads_that_the_graphs_cannot_have_are_refused(tmp_path, tiny_checkpoint):
    checkpoint = Path(shutil.copytree(tiny_checkpoint, tmp_path / "checkpoint"))
    config = json.loads((checkpoint / "config.json").read_text())
    (checkpoint / "config.json").write_text(json.dumps(config | {"heads": 16}))
    with pytest.raises(BuildError, match="heads of 4 channels"):
        build_bundle(checkpoint, tmp_path / "out", report=lambda line: None)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["folder", "empty folder", "file"])
def test_what_is_no_bundle_is_not_replaced(tmp_path, tiny_checkpoint, kind):
    out = tmp_path / "precious"
    if kind == "file":
        out.write_text("data")
    else:
        out.mkdir()
        if kind == "folder":
            (out / "data").write_text("data")
    before = listing(tmp_path)
    with pytest.raises(BuildError, match="precious exists and is not a bundle"):
        build_bundle(tiny_checkpoint, out, report=lambda line: None)
    assert out.exists()
    assert listing(tmp_path) == before


def test_a_bundle_that_a_killed_build_has_put_aside_comes_back(old, tiny_checkpoint, monkeypatch):
    before = listing(old)
    old.rename(old.with_name(f".{old.name}.replaced"))

    def fail(*_, **__):
        raise RuntimeError("no graphs today")

    monkeypatch.setattr("export.bundle_builder.write_graphs", fail)
    with pytest.raises(RuntimeError):
        build_bundle(tiny_checkpoint, old, report=lambda line: None)
    assert listing(old) == before


def test_remains_of_a_killed_build_do_not_disturb(old, tiny_checkpoint):
    partial = old.with_name(f".{old.name}.partial")
    partial.mkdir()
    (partial / MANIFEST).write_text("{")
    built = build_bundle(tiny_checkpoint, old, report=lambda line: None)
    assert Bundle.open(old).manifest == built.manifest
    assert not partial.exists()
