"""The graphs for a GPU find on the CPU what the simple graphs find, however sentences come and go."""

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import numpy_helper
from onnxruntime import OrtValue
from typer.testing import CliRunner

from app.cli.main import app
from app.engine.decoding.batch_decoder import decode
from app.engine.decoding.search import Hypothesis, Search
from app.engine.models.bundle import Bundle
from app.engine.models.manifest import write_manifest
from app.engine.onnx.device import DeviceModel
from app.engine.onnx.device_graphs import SOURCE_POSITIONS, TARGET_POSITIONS, Bound, DeviceGraphs, Graph, Source
from app.engine.onnx.device_rows import DeviceRows
from app.engine.options import SearchOptions
from app.errors import BundleError, ConfigurationError, ModelFailure
from export.bundle_builder import BuildError
from export.device_bundle import add_device_graphs
from export.device_steps import WINDOW
from model.data.tokenizer import BOS_ID, EOS_ID
from model.evaluation.inference import TorchModel
from tests.support.device import device_batch, open_device_model, run, write_device_graphs, write_model_graphs
from tests.support.engines import GERMAN, from_bundle, started, translate
from tests.support.native import SHAPES, rounded_model
from tests.support.tiny import open_graphs, sentence_pairs, source_ids

TEXTS = [german for german, _ in sentence_pairs(10, seed=5)]
LONGEST = 24

options = st.builds(
    lambda beam, n_best, threshold, alpha, longest: SearchOptions(
        beam_size=beam, n_best=min(n_best, beam), beam_threshold=threshold, length_penalty=alpha, max_length=longest
    ),
    st.integers(1, 4),
    st.sampled_from([1, 1, 4]),
    st.sampled_from([0.3, 2.0, 100]),
    st.sampled_from([0.0, 1.0]),
    st.sampled_from([1, 2, 7, 8, 9, LONGEST]),
)


@pytest.fixture(scope="module")
def sources(tiny_tokenizer: Path) -> list[tuple[int, ...]]:
    return [tuple(source) for source in source_ids(tiny_tokenizer, TEXTS)]


@pytest.fixture(scope="module")
def paths(tiny_bundle: Bundle, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_device_graphs(tiny_bundle, tmp_path_factory.mktemp("device"))


@pytest.fixture(scope="module")
def model(tiny_bundle: Bundle, paths: dict[str, Path]) -> DeviceModel:
    return open_device_model(tiny_bundle, paths)


def search(source: Sequence[int], chosen: SearchOptions) -> Search:
    longest = chosen.max_length or LONGEST
    return Search(start_id=BOS_ID, eos_id=EOS_ID, max_length=longest, options=chosen)


def close(found: Sequence[Hypothesis], wanted: Sequence[Hypothesis]) -> None:
    assert [each.tokens for each in found] == [each.tokens for each in wanted]
    if any(each.attended for each in wanted):  # PyTorch's search knows no alignment
        assert [each.attended for each in found] == [each.attended for each in wanted]
    assert [each.truncated for each in found] == [each.truncated for each in wanted]
    np.testing.assert_allclose([each.score for each in found], [each.score for each in wanted], atol=1e-4)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(chosen=st.lists(options, min_size=1, max_size=10), data=st.data())
def test_searches_find_what_single_steps_find(model, tiny_onnx, sources, chosen, data):
    searches = [search(source, each) for source, each in zip(sources, chosen, strict=False)]
    joins = iter(lambda: data.draw(st.integers(0, 3)), None)
    steps = iter(lambda: data.draw(st.integers(1, 12)), None)
    run(device_batch(model), list(zip(searches, model.encode(sources), strict=False)), joins, steps)
    for each, source, how in zip(searches, sources, chosen, strict=False):
        [wanted] = decode(
            tiny_onnx, [source], start_id=BOS_ID, eos_id=EOS_ID, options=how, max_length=how.max_length or LONGEST
        )
        close(each.hypotheses(), wanted)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_model_is_computed(tiny_bundle, tmp_path, shape):
    network = rounded_model(**SHAPES[shape])
    paths = write_model_graphs(network, tmp_path)
    graphs = DeviceGraphs(paths, pad_id=network.config.pad_id, provider="cpu")
    device = DeviceModel(graphs, open_graphs(tiny_bundle, "float32"), eos_id=network.config.eos_id, sentences=2)
    rng = np.random.default_rng(0)
    sources = [tuple(rng.integers(3, network.config.source_vocabulary, length).tolist()) for length in (5, 1, 18)]
    for beam in (1, 3):
        chosen = SearchOptions(beam_size=beam, max_length=10)
        ends = {"start_id": network.config.decoder_start_id, "eos_id": network.config.eos_id}
        searches = [Search(**ends, max_length=10, options=chosen) for _ in sources]
        batch = device_batch(device)
        batch.join(searches, device.encode(sources))
        while batch.live_rows:
            batch.step(WINDOW)
        wanted = decode(TorchModel(network), sources, **ends, options=chosen)
        for each, expected in zip(searches, wanted, strict=True):
            close(each.hypotheses(), expected)


def test_what_caches_held_before_changes_nothing(model, sources):
    rows = [DeviceRows(model.graphs, beams, sentences=3, eos_id=EOS_ID) for beams in (1, 4)]
    for each, beam in zip(rows, (1, 4), strict=True):
        for buffers in each.caches:
            for value in buffers.values():
                value.update_inplace(np.full(value.shape(), 7.0, np.float32))
        found = []
        for _ in range(2):  # the second time, slots hold what the first left
            searches = [search(source, SearchOptions(beam_size=beam, max_length=LONGEST)) for source in sources[:3]]
            each.join(searches, model.encode(sources[:3]))
            while each.searches:
                each.advance(WINDOW)
            found.append([one.hypotheses() for one in searches])
        clean = DeviceRows(model.graphs, beam, sentences=3, eos_id=EOS_ID)
        searches = [search(source, SearchOptions(beam_size=beam, max_length=LONGEST)) for source in sources[:3]]
        clean.join(searches, model.encode(sources[:3]))
        while clean.searches:
            clean.advance(WINDOW)
        assert found[0] == found[1] == [one.hypotheses() for one in searches]


def test_a_result_does_not_depend_on_the_rest_of_the_batch(model, sources):
    def alone(source: tuple[int, ...], beam: int) -> list[Hypothesis]:
        batch, one = device_batch(model), search(source, SearchOptions(beam_size=beam, max_length=LONGEST))
        batch.join([one], model.encode([source]))
        while batch.live_rows:
            batch.step(WINDOW)
        return one.hypotheses()

    for beam in (1, 3):
        searches = [search(source, SearchOptions(beam_size=beam, max_length=LONGEST)) for source in sources]
        batch = device_batch(model)
        batch.join(searches, model.encode(sources))
        while batch.live_rows:
            batch.step(WINDOW)
        assert [one.hypotheses() for one in searches] == [alone(source, beam) for source in sources]


def test_a_sentence_seen_before_is_not_encoded_again(model, sources, monkeypatch):
    encoded: list[Source] = []
    encode = model.graphs.encode

    def counted(bound: Bound, given: Sequence[Source], slots: Sequence[int]) -> None:
        encoded.extend(given)
        encode(bound, given, slots)

    monkeypatch.setattr(model.graphs, "encode", counted)
    batch = device_batch(model)
    for source in (sources[0], sources[1], sources[0]):
        batch.join([search(source, SearchOptions(beam_size=1, max_length=4))], model.encode([source]))
        while batch.live_rows:
            batch.step(WINDOW)
    assert [source.ids for source in encoded] == [sources[0], sources[1]]


def test_dropped_searches_leave_the_others_alone(model, sources):
    kept, gone = (
        [search(source, SearchOptions(beam_size=beam, max_length=LONGEST)) for beam in (1, 3)] for source in sources[:2]
    )
    batch = device_batch(model)
    batch.join([*kept, *gone], model.encode([sources[0]] * 2 + [sources[1]] * 2))
    batch.step(2)
    batch.drop(gone)
    assert batch.live_rows == sum(each.options.beam_size for each in kept if each.rows)
    while batch.live_rows:
        batch.step(WINDOW)
    wanted = [search(sources[0], SearchOptions(beam_size=beam, max_length=LONGEST)) for beam in (1, 3)]
    batch.join(wanted, model.encode([sources[0]] * 2))
    while batch.live_rows:
        batch.step(WINDOW)
    assert [each.hypotheses() for each in kept] == [each.hypotheses() for each in wanted]


def test_whoever_reads_along_sees_the_tokens_so_far(model, sources):
    [one] = [search(sources[0], SearchOptions(beam_size=1, max_length=LONGEST))]
    one.streams = True
    batch, seen = device_batch(model), []
    batch.join([one], model.encode([sources[0]]))
    while batch.live_rows:
        batch.step(2)
        seen.append(one.best_tokens)
    [found] = one.hypotheses()
    assert all(found.tokens[: len(part)] == part for part in seen)
    assert sorted(map(len, seen[:-1])) == list(map(len, seen[:-1]))


def test_which_searches_need_python(model, sources):
    takes, source = model._takes, Source(sources[0])
    assert takes(search(sources[0], SearchOptions(beam_size=4)), source)
    assert not takes(search(sources[0], SearchOptions(beam_size=5)), source)
    assert not takes(search(sources[0], SearchOptions(min_length=3)), source)
    assert not takes(search(sources[0], SearchOptions(repetition_penalty=1.5)), source)
    assert not takes(search(sources[0], SearchOptions(max_length=500)), source)
    assert not takes(search(sources[0], SearchOptions()), Source((3,) * (SOURCE_POSITIONS + 1)))


def test_searches_that_need_python_run_beside_the_others(model, tiny_onnx, sources):
    least = SearchOptions(beam_size=2, min_length=4, max_length=LONGEST)
    chosen = [SearchOptions(beam_size=2, max_length=LONGEST), least]
    searches = [search(source, how) for source, how in zip(sources, chosen, strict=False)]
    batch = model.new_batch()
    batch.join(searches, model.encode(sources[:2]))
    while batch.live_rows:
        batch.step(WINDOW)
    for each, source, how in zip(searches, sources, chosen, strict=False):
        [wanted] = decode(tiny_onnx, [source], start_id=BOS_ID, eos_id=EOS_ID, options=how, max_length=LONGEST)
        close(each.hypotheses(), wanted)


def test_scores_that_are_no_numbers_are_a_failure(model, sources):
    rows = DeviceRows(model.graphs, 1, sentences=1, eos_id=EOS_ID)
    rows.join([search(sources[0], SearchOptions(beam_size=1, max_length=LONGEST))], model.encode(sources[:1]))
    for buffers in rows.caches:
        for value in buffers.values():
            value.update_inplace(np.full(value.shape(), np.nan, np.float32))
    with pytest.raises(ModelFailure, match="not a number"):
        while rows.searches:
            rows.advance(WINDOW)


def test_a_device_that_is_too_small_says_what_would_fit(tiny_bundle, paths, monkeypatch):
    allocate = Graph.allocate

    def limited(graph: Graph, name: str, **sizes: int) -> OrtValue:
        if sizes["B"] > 5:
            raise RuntimeError("out of memory")
        return allocate(graph, name, **sizes)

    monkeypatch.setattr(Graph, "allocate", limited)
    with pytest.raises(ConfigurationError, match="caches of 16 sentences: set DRAGOMAN_GPU_ROWS to 4 or less"):
        open_device_model(tiny_bundle, paths, sentences=16).new_batch()


def test_every_graph_is_captured_when_the_batch_is_made(tiny_bundle, paths, monkeypatch):
    """Workers make their batches before the server says that it is ready: no request waits for a capture."""
    ids, runs = tiny_bundle.manifest.ids, Counter[tuple[Graph, int]]()
    graphs = DeviceGraphs(paths, pad_id=ids.pad, provider="cpu", is_captured=True)
    run = Bound.run

    def counted(bound: Bound, *, is_last: bool = True) -> None:
        runs[bound._graph, id(bound)] += 1
        run(bound, is_last=is_last)

    monkeypatch.setattr(Bound, "run", counted)
    model = DeviceModel(graphs, open_graphs(tiny_bundle, "float32"), eos_id=ids.eos, sentences=2)
    batch = model.new_batch()
    steps = {key: count for key, count in runs.items() if key[0] in (graphs.greedy_step, graphs.beam_step)}
    assert set(steps.values()) == {2}  # one run to warm up, and one that is recorded
    assert len(steps) == 2 + 2 * len(TARGET_POSITIONS)  # there and back, for each length of the caches
    batch.join([search(TEXTS[0], SearchOptions(beam_size=3, max_length=LONGEST))], model.encode([(3, 4, EOS_ID)]))
    while batch.live_rows:
        batch.step(WINDOW)
    assert {key for key in runs if key[0] in (graphs.greedy_step, graphs.beam_step)} == set(steps)


def test_other_graphs_are_refused(tiny_bundle, paths):
    with pytest.raises(BundleError, match="not a beam step"):
        DeviceGraphs(paths | {"beam": paths["decoder"]}, pad_id=0, provider="cpu")


def test_adding_graphs_to_a_bundle(tiny_bundle, tmp_path):
    without = tmp_path / "without"
    shutil.copytree(tiny_bundle.path, without)
    manifest = Bundle.open(without).manifest
    for name in manifest.graphs["float16-cuda"].files.values():
        (without / name).unlink()
    left = {precision: graphs for precision, graphs in manifest.graphs.items() if precision != "float16-cuda"}
    files = {name: hashed for name, hashed in manifest.files.items() if (without / name).exists()}
    write_manifest(without, manifest.model_copy(update={"graphs": left, "files": files}))
    assert "float16-cuda" not in Bundle.open(without).manifest.graphs

    assert CliRunner().invoke(app, ["export", str(without), str(without), "--cuda"]).exit_code == 0
    again = Bundle.open(without)
    assert again.manifest.graphs == manifest.graphs
    for name in manifest.graphs["float16-cuda"].files.values():
        graphs = [onnx.load(path / name).graph for path in (without, tiny_bundle.path)]
        assert [node.op_type for node in graphs[0].node] == [node.op_type for node in graphs[1].node]
        arrays = [{each.name: numpy_helper.to_array(each).tobytes() for each in graph.initializer} for graph in graphs]
        assert arrays[0] == arrays[1]
        assert (without / name).stat().st_size < 200_000  # the weights are shared


def test_a_bundle_without_native_graphs_gets_none(tiny_bundle, tmp_path):
    graphs = {"float32": tiny_bundle.manifest.graphs["float32"]}
    other = replace(tiny_bundle, manifest=tiny_bundle.manifest.model_copy(update={"graphs": graphs}))
    with pytest.raises(BuildError, match="int8-native"):
        add_device_graphs(other, tmp_path / "out")


async def test_an_engine_decodes_on_the_device(tiny_bundle, paths, monkeypatch):
    texts, chosen = GERMAN[:6], SearchOptions(beam_size=3)
    async with started(from_bundle(tiny_bundle)) as simple:
        wanted = [await translate(simple, *texts, options=how) for how in (chosen, SearchOptions(beam_size=1))]
    monkeypatch.setattr("app.engine.single_model.open_model", lambda bundle, *_, **__: open_device_model(bundle, paths))
    async with started(from_bundle(tiny_bundle)) as engine:
        found = [await translate(engine, *texts, options=how) for how in (chosen, SearchOptions(beam_size=1))]
        assert [[each.text for each in answers] for answers in found] == [
            [each.text for each in answers] for answers in wanted
        ]
        assert engine.statistics()["finished"] >= 2 * len(texts)
        assert engine.info()["kernels"] is None


async def test_an_engine_survives_a_device_that_fails(tiny_bundle, paths, monkeypatch):
    monkeypatch.setattr("app.engine.single_model.open_model", lambda bundle, *_, **__: open_device_model(bundle, paths))
    async with started(from_bundle(tiny_bundle)) as engine:
        wanted = await translate(engine, *GERMAN[:4])
        run, left = Bound.run, [1]

        def fails(bound: Bound, *, is_last: bool = True) -> None:
            if left:
                left.pop()
                raise ModelFailure("the device is gone")
            run(bound, is_last=is_last)

        monkeypatch.setattr(Bound, "run", fails)
        assert [each.text for each in await translate(engine, *GERMAN[:4])] == [each.text for each in wanted]
        assert not left
