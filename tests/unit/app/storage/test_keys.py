"""Keys are found by what they are, and stop at their limits."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.errors import InvalidKey, InvalidRequest, QuotaExceeded
from app.storage.database import FILE_NAME, Database
from app.storage.keys import Key, KeyStore


@pytest.fixture
def store(opened: Callable[[], Database]) -> KeyStore:
    return KeyStore(opened())


def added(store: KeyStore, **limits: int) -> Key:
    found = store.find(store.add("test", **limits))
    assert found
    return found


def test_a_key_is_found_listed_and_removed(store):
    key = store.add("shop", monthly_characters=1000, requests_per_minute=5, features=["translate"])
    found = store.find(key)
    assert (found.name, found.monthly_characters, found.requests_per_minute) == ("shop", 1000, 5)
    assert (found.features, found.hint) == (("translate",), key[-4:])
    assert store.find(key + "x") is None
    store.spend(found, 12)
    assert store.list() == [(found, 12)]
    assert store.remove(found.id) and not store.remove(found.id)
    assert store.find(key) is None and store.list() == []


def test_keys_are_not_kept(tmp_path: Path):
    key = KeyStore(Database(tmp_path)).add("secret")
    files = b"".join(path.read_bytes() for path in tmp_path.glob(f"{FILE_NAME}*"))
    assert key.encode() not in files and key[-4:].encode() in files


@pytest.mark.parametrize("key", ["short", "x" * 201])
def test_keys_have_a_length(store, key):
    with pytest.raises(InvalidRequest, match="16 to 200"):
        store.add("test", key=key)


def test_a_key_exists_once_and_has_known_features(store):
    store.add("test", key="k" * 16)
    with pytest.raises(InvalidRequest, match="exists already"):
        store.add("again", key="k" * 16)
    with pytest.raises(InvalidRequest, match="translate, detect"):
        store.add("test", features=["fly"])


def test_a_quota_is_used_to_the_last_character_and_given_back(store):
    key = added(store, monthly_characters=10)
    store.spend(key, 7)
    with pytest.raises(QuotaExceeded):
        store.spend(key, 4)
    assert store.used(key) == 7
    store.spend(key, 3)
    store.give_back(key, 9)
    assert store.used(key) == 1
    store.give_back(key, 9)
    assert store.used(key) == 0


def test_a_key_that_was_removed_meanwhile_has_no_quota(store):
    key = added(store, monthly_characters=10)
    store.spend(key, 7)
    store.remove(key.id)
    with pytest.raises(InvalidKey, match="no such API key"):
        store.spend(key, 1)
    store.give_back(key, 7)
    assert store.list() == [] and store.used(key) == 0


def test_a_month_may_have_billions_of_characters(store):
    key = added(store)
    store.spend(key, 5_000_000_000)
    assert store.used(key) == 5_000_000_000


def test_a_month_begins_at_nothing(store, monkeypatch):
    key = added(store, monthly_characters=10)
    store.spend(key, 10)
    monkeypatch.setattr("app.storage.keys._month", lambda: "2999-01")
    store.spend(key, 10)
    assert store.used(key) == 10
