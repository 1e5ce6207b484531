import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from app.errors import ConfigurationError
from app.machine import available_cores, available_memory_bytes
from app.settings import Settings


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for name in os.environ:
        if name.upper().startswith("DRAGOMAN_"):
            monkeypatch.delenv(name)


def test_defaults_are_valid_and_frozen():
    settings = Settings.load()
    assert settings.port == 8000
    assert settings.bundle == (Path("artifacts/de-en"),)
    assert 1 <= settings.decode_workers <= 4
    assert settings.threads == 1
    with pytest.raises(ValidationError):
        settings.port = 1


def test_arguments_win_over_the_environment_over_the_defaults(monkeypatch):
    monkeypatch.setenv("DRAGOMAN_PORT", "8001")
    monkeypatch.setenv("dragoman_host", "0.0.0.0")
    assert (Settings.load().port, Settings.load().host) == (8001, "0.0.0.0")
    assert Settings.load(port=8002).port == 8002


def test_workers_follow_the_cores_this_process_may_use(monkeypatch):
    for cores, workers in ((1, 1), (3, 3), (64, 4)):
        monkeypatch.setattr("app.settings.available_cores", lambda cores=cores: cores)
        assert Settings.load().decode_workers == workers
        assert Settings.load(provider="cuda").decode_workers == 1
        assert Settings.load(workers=7).decode_workers == 7


def test_a_gpu_takes_larger_batches():
    cpu, gpu = Settings.load(), Settings.load(provider="cuda")
    assert (cpu.batch_rows, cpu.batch_tokens) == (32, 512)
    assert gpu.batch_rows > 8 * cpu.batch_rows and gpu.batch_tokens > 8 * cpu.batch_tokens
    assert Settings.load(provider="cuda", max_batch_rows=40, max_batch_tokens=700).batch_rows == 40
    assert Settings.load(provider="cuda", max_queue_tokens=1000).batch_tokens == 1000


def test_unknown_variables_are_named(monkeypatch):
    monkeypatch.setenv("DRAGOMAN_PROT", "8001")
    monkeypatch.setenv("DRAGOMAN_BEAMS", "1")
    with pytest.raises(ConfigurationError, match=r"^unknown environment variable DRAGOMAN_BEAMS, DRAGOMAN_PROT$"):
        Settings.load()


def test_unknown_arguments_are_named():
    with pytest.raises(ConfigurationError, match="DRAGOMAN_PROT"):
        Settings.load(prot=1)


def test_malformed_values_are_named_but_not_repeated(monkeypatch):
    monkeypatch.setenv("DRAGOMAN_PORT", "s3cret")
    with pytest.raises(ConfigurationError, match=r"^DRAGOMAN_PORT: ") as caught:
        Settings.load()
    assert "s3cret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"precision": "float16"}, "precision float16 needs provider cuda"),
        ({"precision": "int8", "provider": "cuda"}, "precision int8 needs provider cpu"),
        ({"max_batch_rows": 3, "alternatives_limit": 0}, "must be at least beam_size"),
        ({"max_batch_rows": 8}, "must exceed alternatives_limit"),
        ({"max_queue_tokens": 10}, "must not be less than max_batch_tokens"),
        ({"max_body_bytes": 2000}, "can't hold a text of max_text_chars"),
        ({"max_models_bytes": 1000}, "must exceed feature_cache_bytes"),
        ({"pivot": "en us"}, "DRAGOMAN_PIVOT"),
        ({"cors_origins": "*,https://a.example"}, "either \\* or a list"),
        ({"port": 70000}, "DRAGOMAN_PORT"),
        ({"alternatives_limit": 16}, "DRAGOMAN_ALTERNATIVES_LIMIT"),
        ({"root_path": "mt"}, "DRAGOMAN_ROOT_PATH"),
        ({"root_path": "/mt/"}, "DRAGOMAN_ROOT_PATH"),
        ({"log_level": "loud"}, "DRAGOMAN_LOG_LEVEL"),
    ],
)
def test_bad_combinations_are_refused_in_one_sentence(values, text):
    with pytest.raises(ConfigurationError, match=text):
        Settings.load(**values)


@pytest.mark.parametrize(
    ("provider", "precision", "expected"),
    [
        ("cpu", "auto", "int8"),
        ("cuda", "auto", "float16"),
        ("cpu", "float32", "float32"),
        ("cuda", "float32", "float32"),
    ],
)
def test_automatic_precision(provider, precision, expected):
    assert Settings.load(provider=provider, precision=precision).graph_precision == expected


def test_origins_are_separated_by_commas(monkeypatch):
    monkeypatch.setenv("DRAGOMAN_CORS_ORIGINS", "https://a.example/, https://b.example")
    assert Settings.load().cors_origins == ("https://a.example", "https://b.example")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("artifacts/de-en", ["artifacts/de-en"]),
        ("a, models/b ,", ["a", "models/b"]),
        (Path("one, with a comma"), ["one, with a comma"]),
        ([Path("a"), Path("b")], ["a", "b"]),
    ],
)
def test_bundles_are_one_or_several_folders(monkeypatch, value, expected):
    assert Settings.load(bundle=value).bundle == tuple(map(Path, expected))
    if isinstance(value, str):
        monkeypatch.setenv("DRAGOMAN_BUNDLE", value)
        assert Settings.load().bundle == tuple(map(Path, expected))


def test_no_bundle_at_all_is_refused(monkeypatch):
    monkeypatch.setenv("DRAGOMAN_BUNDLE", " ")
    with pytest.raises(ConfigurationError, match="DRAGOMAN_BUNDLE"):
        Settings.load()


def test_the_admin_key_is_neither_short_nor_shown():
    with pytest.raises(
        ConfigurationError, match="DRAGOMAN_ADMIN_KEY: Value should have at least 16 characters"
    ) as caught:
        Settings.load(admin_key="Geheimnis")
    assert "Geheimnis" not in str(caught.value)
    settings = Settings.load(admin_key="Geheimnis" * 2)
    assert "Geheimnis" not in repr(settings) + str(settings.model_dump()) + settings.model_dump_json()


def test_models_get_half_of_the_memory(monkeypatch):
    monkeypatch.setattr("app.settings.available_memory_bytes", lambda: 10**9 + 1)
    assert Settings.load().max_models_bytes == 5 * 10**8


@pytest.mark.parametrize("name", ["memory.max", "memory/memory.limit_in_bytes"])
def test_memory_is_no_more_than_the_container_has(monkeypatch, tmp_path, name):
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    monkeypatch.setattr("app.machine.CONTROL_GROUP", tmp_path)
    assert available_memory_bytes() == whole
    (tmp_path / name).parent.mkdir(exist_ok=True)
    for limit, expected in (("max\n", whole), ("1000000\n", 10**6), (str(2**63), whole)):
        (tmp_path / name).write_text(limit)
        assert available_memory_bytes() == expected


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({}, 8),
        ({"cpu.max": "max 100000\n"}, 8),
        ({"cpu.max": "150000 100000\n"}, 2),
        ({"cpu.max": "20000 100000\n"}, 1),
        ({"cpu.max": "6400000 100000\n"}, 8),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 8),
        ({"cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 3),
    ],
)
def test_cores_are_no_more_than_the_container_may_use(monkeypatch, tmp_path, files, cores):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    monkeypatch.setattr("app.machine.CONTROL_GROUP", tmp_path)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert available_cores() == cores


def test_what_kubernetes_says_of_a_service_of_that_name_is_no_setting(monkeypatch):
    for name, value in {
        "SERVICE_HOST": "10.0.0.1",
        "SERVICE_PORT": "8000",
        "SERVICE_PORT_HTTP": "8000",
        "PORT": "tcp://10.0.0.1:8000",
        "PORT_8000_TCP": "tcp://10.0.0.1:8000",
        "PORT_8000_TCP_PROTO": "tcp",
    }.items():
        monkeypatch.setenv(f"DRAGOMAN_{name}", value)
    assert Settings.load().port == 8000


def test_every_setting_is_described():
    for name, field in Settings.model_fields.items():
        assert field.description and field.description.endswith("."), name


def test_a_database_has_an_address_which_is_not_shown():
    address = "postgresql://user:s3cret@host/name"
    settings = Settings.load(database=address, keys="required")
    assert settings.database and settings.database.get_secret_value() == address
    assert "s3cret" not in repr(settings)
    with pytest.raises(ConfigurationError, match="begins with postgresql://") as caught:
        Settings.load(database="mysql://user:s3cret@host/name")
    assert "s3cret" not in str(caught.value)
    with pytest.raises(ConfigurationError, match="keys required needs"):
        Settings.load(keys="required")


def test_replicas_are_added_not_removed():
    assert Settings.load(replicas=2, max_replicas=4).max_replicas == 4
    with pytest.raises(ConfigurationError, match=r"max_replicas \(2\) must not be less than replicas \(3\)"):
        Settings.load(replicas=3, max_replicas=2)
