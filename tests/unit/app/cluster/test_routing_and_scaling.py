"""Which replica takes a call, and how many replicas there should be."""

from collections import Counter
from types import SimpleNamespace

import pytest

pytest.importorskip("ray")
from app.cluster.routing import AffinityRouter
from app.cluster.scaling import LOAD, load_of, replicas_for_load
from app.engine.interface import TranslationCall
from app.engine.options import SearchOptions
from app.settings import Settings


def replicas(number: int) -> list[SimpleNamespace]:
    return [SimpleNamespace(replica_id=SimpleNamespace(unique_id=f"replica {name}")) for name in range(number)]


async def chosen(text: str, among: list[SimpleNamespace], target: str = "en", by_bundle: bool = False) -> list[str]:
    """The two that may take a text, the first choice first."""
    router = AffinityRouter.__new__(AffinityRouter)
    router.initialize_state(by_bundle=by_bundle)
    call = TranslationCall(texts=[text], source="de", target=target, options=SearchOptions(beam_size=1))
    first, *others = await router.choose_replicas(among, SimpleNamespace(args=[call, None]))
    assert sum(map(len, others), len(first)) == len(among)
    return [replica.replica_id.unique_id for replica in first]


async def test_equal_texts_go_to_the_same_two_in_any_process():
    among = replicas(8)
    pair = await chosen("Guten Morgen!", among)
    assert len(pair) == 2
    assert await chosen("Guten Morgen!", among[::-1]) == pair


async def test_texts_are_spread_evenly():
    counts = Counter([(await chosen(f"Text {number}", replicas(4)))[0] for number in range(400)])
    assert len(counts) == 4 and min(counts.values()) > 60


async def test_a_replica_that_goes_moves_only_its_own_texts():
    among = replicas(4)
    for number in range(50):
        before = await chosen(f"Text {number}", among)
        after = await chosen(f"Text {number}", among[1:])
        assert [name for name in before if name != "replica 0"] == [name for name in after if name in before]


async def test_replicas_that_share_bundles_are_chosen_by_pair():
    among = replicas(8)
    pairs = {tuple(await chosen(f"Text {number}", among, by_bundle=True)) for number in range(20)}
    assert len(pairs) == 1
    assert pairs != {tuple(await chosen("Text", among, target="fr", by_bundle=True))}


async def test_calls_without_a_text_may_go_anywhere():
    router = AffinityRouter.__new__(AffinityRouter)
    router.initialize_state(by_bundle=False)
    assert sum(map(len, await router.choose_replicas(replicas(3), SimpleNamespace(args=[])))) == 3


@pytest.mark.parametrize(
    ("rows", "tokens", "load"), [(0, 0, 0.0), (32, 0, 0.5), (64, 0, 1.0), (64, 2500, 2.0), (64, 50_000, 21.0)]
)
def test_the_load_of_a_replica_is_its_batches_and_its_queue(rows, tokens, load):
    settings = Settings(workers=2, max_batch_rows=32, max_queue_tokens=50_000)
    assert load_of({"running_rows": rows, "queued_tokens": tokens}, settings) == pytest.approx(load)


@pytest.mark.parametrize(
    ("loads", "wanted"), [([], 3), ([0.0, 0.0], 1), ([0.4, 0.4], 1), ([1.0, 0.2], 2), ([3.0, 2.5], 6)]
)
def test_there_are_as_many_replicas_as_the_load_keeps_busy(loads, wanted):
    metrics = {LOAD: dict(enumerate(loads))} if loads else {}
    context = SimpleNamespace(aggregated_metrics=metrics, target_num_replicas=3)
    assert replicas_for_load(context) == (wanted, {})
