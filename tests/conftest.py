"""What tests share: the event loop of async tests, and one tiny real model with its bundle, built once a run.

Nothing of the training world is imported before a test asks for it.
"""

from __future__ import annotations

import gc
import logging
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from filelock import FileLock

if TYPE_CHECKING:
    from app.engine.models.bundle import Bundle
    from app.engine.onnx.model import OnnxModel
    from model.network.transformer import Transformer
    from tests.support.cluster import RayCluster
    from tests.support.collector import Collector
    from tests.support.postgresql import PostgreSQL
    from tests.support.s3 import S3Server
    from tests.support.valkey import ValkeyServer

    Once = Callable[[str, Callable[[Path], object]], Path]


# Processes share the processors, and tiny models are no faster with more threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# How many examples Hypothesis makes up for a property: a few, others in each run; many in `make test-variations`.
EXAMPLES = 25 * int(os.environ.get("EXAMPLES_FACTOR", "1"))
# No test may fail because the machine has other work.
hypothesis.settings.register_profile(
    "untimed", max_examples=EXAMPLES, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--across-cluster", action="store_true", help="put the cluster's code before fake engines")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--across-cluster"):
        from tests.support import across, fakes

        fakes.wrapped = across.AcrossCluster


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # Workers take files in order. Short files come last, so that no worker has a long one while the others have none.
    items.sort(key=lambda item: item.nodeid.startswith("tests/unit/app/"))
    if config.getoption("--across-cluster"):
        for item in items:
            if item.get_closest_marker("one_process"):
                item.add_marker(pytest.mark.skip("a replica is another process"))


def pytest_collection_finish() -> None:
    """Spare the collector what all tests share, and most of its looks, which took 9 % of the processor time."""
    gc.freeze()
    gc.set_threshold(10_000, 10, 100)


@pytest.fixture(autouse=True)
def root_logger() -> Iterator[None]:
    """Undoes the changes that a test makes to the root logger, such as those of a command that logs."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgreSQL]:
    from tests.support.postgresql import PostgreSQL

    # Not in pytest's folder, which every other run of pytest closes to PostgreSQL's own user.
    with tempfile.TemporaryDirectory(prefix="postgresql") as folder:
        server = PostgreSQL(Path(folder))
        yield server
        server.stop()


@pytest.fixture
def postgresql(postgresql_server: PostgreSQL) -> str:
    """The address of an empty database."""
    return postgresql_server.new_database()


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """S3-compatible storage."""
    from tests.support.s3 import S3Server

    server = S3Server(tmp_path_factory.mktemp("s3"))
    yield server
    server.kill()


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[ValkeyServer]:
    """An empty Valkey, for it starts in a hundredth of a second."""
    from tests.support.valkey import ValkeyServer

    server = ValkeyServer(tmp_path)
    yield server
    server.kill()


@pytest.fixture(scope="session")
def collector() -> Iterator[Collector]:
    """Gets the traces of all that runs in the cluster."""
    from tests.support.collector import collecting

    with collecting() as collector:
        yield collector


@pytest.fixture(scope="session")
def ray_cluster(collector: Collector) -> Iterator[RayCluster]:
    from tests.support.cluster import RayCluster

    with tempfile.TemporaryDirectory(prefix="ray") as folder:  # pytest's folders have names too long for sockets
        cluster = RayCluster(Path(folder), collector.variables)
        yield cluster
        cluster.stop()


@pytest.fixture(scope="session")
def served_database(postgresql_server: PostgreSQL) -> str:
    """The address of the database of ``served``."""
    return postgresql_server.new_database()


@pytest.fixture(scope="session")
def served(ray_cluster: RayCluster, served_database: str) -> Iterator[str]:
    """The URL of ``serve run``: two ingresses behind Ray's proxy, two replicas, and PostgreSQL."""
    settings = (
        "replicas=2",
        "workers=1",
        "ingresses=2",
        "keys=optional",
        "tracing=true",
        f"database={served_database}",
    )
    with ray_cluster.served(*settings) as url:
        yield url


@pytest.fixture(scope="session")
def dragoman(ray_cluster: RayCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of ``dragoman serve --cluster`` with two replicas, which share results in Valkey."""
    from tests.support.valkey import ValkeyServer

    valkey = ValkeyServer(tmp_path_factory.mktemp("valkey"))
    settings = {
        "DRAGOMAN_VALKEY": valkey.address,
        "DRAGOMAN_RESULT_CACHE_S": "600",
        "DRAGOMAN_TRACING": "true",
    }
    with ray_cluster.dragoman("--replicas=2", "--workers=1", **settings) as server:
        yield server.url
    valkey.kill()


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Makes a file or folder in the first process that asks for it; the other processes of the run find it there."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def make(name: str, write: Callable[[Path], object]) -> Path:
        done = shared / f"{name}.done"
        with FileLock(shared / f"{name}.lock"):
            if not done.exists():
                write(shared / name)
                done.touch()
        return shared / name

    return make


@pytest.fixture(scope="session")
def tiny_tokenizer(once: Once) -> Path:
    from tests.support.tiny import write_tokenizer

    return once("tokenizer.spm", write_tokenizer)


@pytest.fixture(scope="session")
def tiny_checkpoint(tiny_tokenizer: Path, once: Once) -> Path:
    """A model that is trained a little, with weights that float16 can hold, as a build rounds them."""
    from tests.support.tiny import random_model, round_weights, train_tiny, write_checkpoint

    def write(folder: Path) -> None:
        model = random_model()
        train_tiny(model, tiny_tokenizer, updates=100)
        round_weights(model)
        write_checkpoint(folder / "tiny", model, tiny_tokenizer)

    return once("checkpoint", write) / "tiny"


@pytest.fixture(scope="session")
def tiny_model(tiny_checkpoint: Path) -> Transformer:
    """Not to be changed."""
    from model.training.checkpoint import load_model

    return load_model(tiny_checkpoint).eval()


@pytest.fixture(scope="session")
def tiny_bundle(tiny_checkpoint: Path, once: Once) -> Bundle:
    """All precisions. Copy the folder before changing anything in it."""
    from app.engine.models.bundle import Bundle
    from export.bundle_builder import build_bundle

    def write(folder: Path) -> None:
        lexicons = {("de", "en"): {"Narkose": ["anesthesia", "anesthetic"], "Tipperary": ["Tipperary"]}}
        build_bundle(tiny_checkpoint, folder / "tiny", lexicons=lexicons, report=lambda line: None)

    return Bundle.open(once("bundle", write) / "tiny")


@pytest.fixture(scope="session")
def tiny_onnx(tiny_bundle: Bundle) -> OnnxModel:
    """The float32 graphs. Holds no state between decodes."""
    from tests.support.tiny import open_graphs

    return open_graphs(tiny_bundle, "float32")
