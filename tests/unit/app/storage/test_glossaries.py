from collections.abc import Callable

import pytest

from app.errors import GlossaryNotFound, InvalidKey
from app.storage.database import Database
from app.storage.glossaries import GlossaryStore
from app.storage.keys import KeyStore

BEER = ("de", "en", {"Bier": "beer"})


def test_a_glossary_belongs_to_its_key_and_goes_with_it(opened: Callable[[], Database]) -> None:
    database = opened()
    keys, store = KeyStore(database), GlossaryStore(database)
    keys.add("one")
    [(key, _)] = keys.list()
    made = store.add(key.id, "Pub", [BEER])
    free = store.add(None, "Free", [BEER])
    assert store.list(key.id) == [made] and store.list(None) == [free]
    with pytest.raises(GlossaryNotFound):
        store.find(None, made.id)
    keys.remove(key.id)
    with pytest.raises(GlossaryNotFound):
        store.find(key.id, made.id)
    with pytest.raises(InvalidKey):
        store.add(key.id, "Pub", [BEER])


def test_another_process_sees_changes_and_their_versions(opened: Callable[[], Database]) -> None:
    one, other = GlossaryStore(opened()), GlossaryStore(opened())
    made = one.add(None, "Pub", [BEER, ("en", "de", {"wine": "Wein"})])
    changed = other.change(None, made.id, None, ("de", "en", {"Wein": "wine", "Bier": "ale"}))
    assert one.find(None, made.id) == changed
    assert one.entries(None, made.id, "de", "en") == {"Bier": "ale", "Wein": "wine"}
    assert changed.dictionaries[0].version != made.dictionaries[0].version
    assert changed.dictionaries[1] == made.dictionaries[1]
    one.remove(None, made.id, ("de", "en"))
    with pytest.raises(GlossaryNotFound):
        other.entries(None, made.id, "de", "en")
