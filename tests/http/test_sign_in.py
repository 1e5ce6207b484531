"""Sign-in by the header of a trusted proxy: whose key counts, from which addresses, what is refused at the start."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal

import httpx
import pytest

from app.errors import ConfigurationError
from app.settings import Settings
from tests.support.fakes import FakeEngine, build

TEXT = {"q": "Guten Morgen!", "source": "de", "target": "en"}
Ask = Callable[..., Awaitable[tuple[int, str]]]


@asynccontextmanager
async def asking(
    tmp_path, keys: Literal["optional", "required"] = "required", header: str = "Remote-Groups"
) -> AsyncIterator[Ask]:
    """What asks for a translation from an address, with headers: (status, code)."""
    settings = Settings(data=tmp_path, keys=keys, trusted_proxies=("10.0.0.0/8",), sign_in_header=header)
    app = build(FakeEngine(), settings)

    async def ask(address: str = "10.1.2.3", path: str = "/translate", *, headers: Any = (), **body: str) -> Any:
        transport = httpx.ASGITransport(app, client=(address, 1234))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            response = await client.post(path, json=TEXT | body, headers=headers)
        return response.status_code, "" if response.is_success else response.json()["code"]

    async with app.router.lifespan_context(app):
        yield ask


@pytest.mark.usefixtures("still_clock")
async def test_a_group_has_the_limits_of_the_key_with_its_name(tmp_path, store):
    store.add("remote-groups:editors", requests_per_minute=2)
    store.add("remote-groups:readers", features=["detect"])
    async with asking(tmp_path) as ask:
        for name in ("Remote-Groups", "REMOTE-GROUPS"):
            assert await ask(headers={name: "others, editors"}) == (200, "")
        assert await ask(headers={"Remote-Groups": "editors"}) == (429, "rate_limited")
        assert await ask(headers={"Remote-Groups": "readers"}) == (403, "feature_disabled")
        assert await ask(path="/detect", headers={"Remote-Groups": "readers"}) == (200, "")


async def test_the_header_is_believed_from_trusted_proxies_only(tmp_path, store):
    store.add("remote-groups:editors")
    editor = {"Remote-Groups": "editors"}
    async with asking(tmp_path) as ask:
        assert await ask("10.1.2.3", headers=editor) == (200, "")
        # Through the proxy, whose client is another.
        assert await ask("10.1.2.3", headers=editor | {"X-Forwarded-For": "192.0.2.1"}) == (200, "")
        for address in ("192.0.2.1", "127.0.0.1", "::1"):
            assert await ask(address, headers=editor) == (400, "key_required")
            assert await ask(address, headers=editor | {"X-Forwarded-For": "10.1.2.3"}) == (400, "key_required")


async def test_a_key_that_is_sent_counts_more(tmp_path, store):
    store.add("remote-groups:editors", features=["detect"])
    key = store.add("own")
    async with asking(tmp_path) as ask:
        assert await ask(headers={"Remote-Groups": "editors"}, api_key=key) == (200, "")
        assert await ask(headers={"Remote-Groups": "editors"}, api_key="wrong") == (403, "invalid_key")


async def test_whoever_has_no_key_is_refused_or_is_as_anybody(tmp_path, store):
    store.add("editors")  # a name that happens to be the same is not the group's
    store.add("groups:editors")  # nor is a token's
    async with asking(tmp_path) as ask:
        assert await ask(headers={"Remote-Groups": "editors"}) == (403, "invalid_key")
        for empty in ("", " , |", "\x01", "\0"):
            assert await ask(headers={"Remote-Groups": empty}) == (400, "key_required")
    async with asking(tmp_path, "optional") as ask:
        assert await ask(headers={"Remote-Groups": "editors"}) == (200, "")


@pytest.mark.parametrize(
    "lines", [[b"a, editors"], [b"a|editors"], [b"a", b"editors"], [b"editors"]], ids=["comma", "bar", "lines", "one"]
)
async def test_several_groups_as_proxies_write_them(tmp_path, store, lines):
    store.add("remote-groups:editors")
    async with asking(tmp_path) as ask:
        assert await ask(headers=[(b"Remote-Groups", line) for line in lines]) == (200, "")


async def test_a_name_with_a_comma_is_one_name(tmp_path, store):
    store.add("remote-user:boss")
    async with asking(tmp_path, header="Remote-User") as ask:
        assert await ask(headers={"Remote-User": "boss"}) == (200, "")
        for name in ("x,boss", "x|boss"):
            assert (await ask(headers={"Remote-User": name}))[0] in (401, 403)
        assert (await ask(headers=[("Remote-User", "x"), ("Remote-User", "boss")]))[0] in (401, 403)


async def test_names_are_utf_8(tmp_path, store):
    store.add("remote-groups:Übersetzer")
    async with asking(tmp_path) as ask:
        assert await ask(headers=[(b"Remote-Groups", "Übersetzer".encode())]) == (200, "")
        assert await ask(headers=[(b"Remote-Groups", b"\xff")]) == (403, "invalid_key")


@pytest.mark.parametrize(
    ("site", "status"), [("same-origin", 200), ("none", 200), ("same-site", 400), ("cross-site", 400)]
)
async def test_another_site_can_not_use_the_sign_in(tmp_path, store, site, status):
    store.add("remote-groups:editors")
    async with asking(tmp_path) as ask:
        assert (await ask(headers={"Remote-Groups": "editors", "Sec-Fetch-Site": site}))[0] == status


async def test_the_page_asks_nobody_for_a_key_who_has_signed_in_and_has_one(tmp_path, store):
    store.add("remote-user:anna")
    settings = Settings(data=tmp_path, keys="required", trusted_proxies=("127.0.0.1",), sign_in_header="Remote-User")
    app = build(FakeEngine(), settings)
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://test") as client,
    ):
        for user, is_required in ((None, True), ("anna", False), ("ben", True)):
            headers = {"Remote-User": user} if user else {}
            answer = (await client.get("/frontend/settings", headers=headers)).json()
            assert answer["keyRequired"] is is_required


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"trusted_proxies": (), "keys": "required"}, "sign_in_header needs trusted_proxies"),
        ({"trusted_proxies": ("10.0.0.1",), "keys": "off"}, "sign_in_header needs keys optional or required"),
        ({"trusted_proxies": ("10.0.0.1",), "keys": "required", "sign_in_header": "a b"}, "DRAGOMAN_SIGN_IN_HEADER"),
    ],
)
def test_what_is_refused_at_the_start(tmp_path, given, message):
    with pytest.raises(ConfigurationError, match=message):
        Settings.load(**({"data": tmp_path, "sign_in_header": "Remote-User"} | given))
