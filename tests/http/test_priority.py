"""A request's priority: from its key and its header, in both contracts."""

import pytest

from app.errors import Overloaded
from app.priority import Priority, priority
from app.settings import Settings
from tests.support.fakes import FakeEngine, serving

TEXT = {"q": "Guten Morgen!", "source": "de", "target": "en"}
DEEPL_TEXT = {"text": ["Guten Morgen!"], "target_lang": "EN-US"}


class Noting(FakeEngine):
    """Notes the priority of each request; refuses bulk while ``is_half_full``."""

    def __init__(self) -> None:
        super().__init__()
        self.priorities: list[Priority] = []
        self.is_half_full = False

    def reject_if_overloaded(self) -> None:
        if self.is_half_full and priority.get() is Priority.BULK:
            raise Overloaded("busy")

    def stream(self, call):
        self.priorities.append(priority.get())
        return super().stream(call)


@pytest.fixture
def engine() -> Noting:
    return Noting()


@pytest.fixture
def settings(tmp_path) -> Settings:
    return Settings(data=tmp_path, keys="optional")


@pytest.mark.parametrize(
    ("of_key", "of_header", "expected"),
    [
        (None, None, "normal"),
        (None, "bulk", "bulk"),
        (None, "interactive", "normal"),
        ("interactive", None, "interactive"),
        ("interactive", "Normal", "normal"),
        ("interactive", "bulk", "bulk"),
        ("normal", "interactive", "normal"),
        ("bulk", None, "bulk"),
        ("bulk", "interactive", "bulk"),
    ],
)
@pytest.mark.one_process
async def test_the_key_has_the_highest_and_the_header_asks_for_less(client, engine, store, of_key, of_header, expected):
    key = of_key and store.add("test", priority=Priority(of_key))
    urgency = {"X-Dragoman-Priority": of_header} if of_header else {}
    ours = urgency | ({"Authorization": f"Bearer {key}"} if key else {})
    deepl = urgency | ({"Authorization": f"DeepL-Auth-Key {key}"} if key else {})
    assert (await client.post("/translate", json=TEXT, headers=ours)).status_code == 200
    assert (await client.post("/translate", json=TEXT | {"stream": True}, headers=ours)).status_code == 200
    assert (await client.post("/v2/translate", json=DEEPL_TEXT, headers=deepl)).status_code == 200
    assert engine.priorities == [Priority(expected)] * 3


@pytest.mark.parametrize("path", ["/translate", "/v2/translate"])
async def test_a_priority_that_does_not_exist_is_told(client, path):
    body = TEXT if path == "/translate" else DEEPL_TEXT
    response = await client.post(path, json=body, headers={"X-Dragoman-Priority": "highest"})
    assert response.status_code == 400 and "interactive, normal, bulk" in response.text


@pytest.mark.one_process
async def test_bulk_is_refused_before_its_body_is_read(client, engine):
    engine.is_half_full = True
    refused = await client.post("/translate", content=b"{", headers={"X-Dragoman-Priority": "bulk"})
    assert refused.status_code == 503 and refused.headers["Retry-After"]
    assert (await client.post("/translate", json=TEXT)).status_code == 200


async def test_an_operator_gives_a_key_a_priority(tmp_path, engine, store):
    settings = Settings(data=tmp_path, keys="required", admin_key="0123456789abcdef")
    headers = {"Authorization": "Bearer 0123456789abcdef"}
    async with serving(engine, settings) as client:
        made = await client.post("/admin/keys", json={"name": "import", "priority": "bulk"}, headers=headers)
        [shown] = (await client.get("/admin/keys", headers=headers)).json()["keys"]
        refused = await client.post("/admin/keys", json={"name": "a", "priority": "high"}, headers=headers)
    assert shown["priority"] == "bulk" and refused.status_code == 400
    assert store.find(made.json()["key"]).priority is Priority.BULK
