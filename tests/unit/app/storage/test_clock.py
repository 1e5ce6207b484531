"""A clock that goes back an hour or ahead a day: what is stored with its times goes on as before."""

import ast
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.errors import DocumentNotFound, MemoryNotFound, RateLimited
from app.storage.clock import Jumps, Leases
from app.storage.database import Database
from app.storage.document_files import DocumentFiles
from app.storage.documents import AGAIN_S, LEASE_S, MAX_ATTEMPTS, DocumentStore
from app.storage.memory_jobs import LIFETIME_S, MemoryJobStore
from app.storage.request_counts import DatabaseCounts

ROOT = Path(__file__).parents[4]
BACK, AHEAD = -3_600.0, 86_400.0
# Where a clock on the wall is right: the times are stored, shown, or compared with stored ones.
ON_THE_WALL = {
    "app/api/deepl/documents.py",  # seconds_remaining, within bounds
    "app/api/deepl/routes.py",  # the month of a quota
    "app/storage/database.py",  # Database.now
    "app/storage/document_files.py",
    "app/storage/keys.py",  # created at; the month
    "app/storage/memory_jobs.py",
    "app/storage/suggestions.py",  # created at
    "app/storage/timestamps.py",  # created at, changed at
    "app/tracing.py",  # when a span began
}


class Clocks:
    """One that somebody may set, and one that never jumps."""

    def __init__(self) -> None:
        self.wall, self.steady_s = 1_700_000_000.0, 50.0

    def __call__(self) -> float:
        return self.wall

    def steady(self) -> float:
        return self.steady_s

    def pass_time(self, seconds: float) -> None:
        self.wall += seconds
        self.steady_s += seconds


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def new_store(opened: Callable[[], Database], clocks: Clocks) -> Callable[[], DocumentStore]:
    """Another server that shares the database and the clock on the wall."""
    limits = {"max_documents": 9, "max_bytes": 9_999, "lifetime_s": 60}
    return lambda: DocumentStore(opened(), **limits, now=clocks, steady=clocks.steady)


def add(store: DocumentStore) -> tuple[str, str]:
    return store.add(b"file", name="a.txt", wanted={}, secret=True)


@pytest.mark.parametrize("jump", [BACK, AHEAD])
def test_a_lease_that_is_renewed_is_not_lost(new_store, clocks, jump):
    mine, other = new_store(), new_store()
    number, _ = add(mine)
    assert mine.claim("me")
    assert other.claim("other") is None
    clocks.wall += jump
    for _ in range(10):
        assert mine.claim("my second worker") is None and other.claim("other") is None
        clocks.pass_time(LEASE_S / 3)
        assert mine.report(number, "me", 1)


@pytest.mark.parametrize("jump", [BACK, AHEAD])
def test_the_document_of_a_dead_server_is_taken_over_in_time(new_store, clocks, jump):
    dead, living = new_store(), new_store()
    add(dead)
    assert dead.claim("dead")
    assert living.claim("living") is None
    clocks.wall += jump
    clocks.pass_time(LEASE_S - 1)
    assert living.claim("living") is None
    clocks.pass_time(1)
    assert living.claim("living")


@pytest.mark.parametrize("jump", [BACK, AHEAD])
def test_a_document_that_waits_for_a_while_waits_no_longer(new_store, clocks, jump):
    store = new_store()
    number, _ = add(store)
    store.claim("me")
    store.release(number, "me", AGAIN_S)
    assert store.claim("me") is None
    clocks.wall += jump
    clocks.pass_time(AGAIN_S)
    assert store.claim("me")


def test_jumps_use_up_no_attempts(new_store, clocks):
    mine, other = new_store(), new_store()
    number, key = add(mine)
    mine.claim("me")
    other.claim("other")
    for _ in range(MAX_ATTEMPTS + 1):
        clocks.wall += AHEAD
        clocks.pass_time(1)
        assert mine.claim("my second worker") is None and other.claim("other") is None
    mine.finish(number, "me", b"translated", {})
    assert mine.find(number, key).status == "done"


@pytest.mark.parametrize("jump", [BACK, AHEAD])
def test_a_translation_is_kept_for_its_lifetime(new_store, clocks, jump):
    store = new_store()
    number, key = add(store)
    store.claim("me")
    store.finish(number, "me", b"translated", {})
    store.find(number, key)
    clocks.wall += jump
    clocks.pass_time(1)
    assert store.translation(store.find(number, key), delete_it=False) == b"translated"
    clocks.pass_time(60 - jump if jump < 0 else 60)
    with pytest.raises(DocumentNotFound):
        store.find(number, key)


def test_a_file_that_has_no_row_yet_is_not_swept_away(tmp_path, monkeypatch):
    clocks = Clocks()
    monkeypatch.setattr("app.storage.document_files.time", SimpleNamespace(time=clocks))
    monkeypatch.setattr("app.storage.document_files.Jumps", lambda lifetime_s: Jumps(lifetime_s, clocks.steady))
    files = DocumentFiles(f"file://{tmp_path}")
    name = files.keep(b"file").name
    assert files.left() == []
    clocks.wall += AHEAD
    assert files.left() == []
    clocks.pass_time(3_601)
    assert files.left() == [name]


@pytest.fixture
def counts(tmp_path) -> Iterator[DatabaseCounts]:
    with closing(Database(tmp_path)) as database:
        yield DatabaseCounts(database)


@pytest.mark.parametrize("period", ["minute", "hour", "day"])
@pytest.mark.parametrize("jump", [BACK, AHEAD])
def test_limits_hold_after_a_jump_and_refuse_nobody_later(counts, period, jump):
    now = 1_700_000_000.0
    for _ in range(5):
        counts.count_now("me", {period: 5}, now)
    for _ in range(5):  # at most another period's worth: none if both are in one day
        try:
            counts.count_now("me", {period: 5}, now + jump)
        except RateLimited:
            break
    with pytest.raises(RateLimited):
        counts.count_now("me", {period: 5}, now + jump)
    later = now + jump + 2 * 86_400
    for _ in range(5):
        counts.count_now("me", {period: 5}, later)


def test_counts_of_a_future_that_did_not_come_are_forgotten(counts):
    now = 1_700_000_000.0
    for _ in range(5):
        counts.count_now("me", {"minute": 5}, now)
    counts.count_now("me", {"minute": 5}, now + BACK)  # set right
    for _ in range(5):
        counts.count_now("me", {"minute": 5}, now)


def test_a_job_of_a_moment_ago_is_found_after_a_jump(tmp_path, monkeypatch):
    clocks = Clocks()
    monkeypatch.setattr("app.storage.memory_jobs.time", SimpleNamespace(time=clocks))
    monkeypatch.setattr("app.storage.memory_jobs.Jumps", lambda lifetime_s: Jumps(lifetime_s, clocks.steady))
    with closing(Database(tmp_path)) as database:
        jobs = MemoryJobStore(database)
        job = jobs.add(None, "import", "a")
        for jump in (AHEAD, BACK):
            clocks.wall += jump
            assert jobs.find(job.id).id == job.id
        jobs.add(None, "import", "b")
        assert jobs.find(job.id).id == job.id
        clocks.pass_time(LIFETIME_S + 1)
        with pytest.raises(MemoryNotFound):
            jobs.find(job.id)


def test_a_correction_is_no_jump():
    clocks = Clocks()
    jumps = Jumps(3_600, clocks.steady)
    for _ in range(100):
        clocks.pass_time(600)
        clocks.wall += 0.3  # 500 parts in a million, the most that NTP corrects without a jump
        assert not jumps.lately(clocks())


def test_a_lease_that_was_never_seen_ends_when_it_says():
    clocks = Clocks()
    leases = Leases(LEASE_S, clocks.steady)
    assert leases.over([("old", clocks() - 1), ("new", clocks() + 5)], clocks()) == [("old", clocks() - 1)]
    assert Leases(LEASE_S, clocks.steady).over([], clocks()) == []


def wall_clocks(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = (ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(call in ("time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "date.today") for call in calls)


def test_nothing_else_reads_a_clock_on_the_wall():
    found = {str(path.relative_to(ROOT)) for path in (ROOT / "app").rglob("*.py") if wall_clocks(path)}
    assert found == ON_THE_WALL
