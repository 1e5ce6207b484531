"""The pages are files of their own, need nothing from elsewhere, and let nothing else run."""

import errno
import gzip
import json
import os
import re
from pathlib import Path

import pytest

from app import errors
from app.settings import Settings
from app.text.quality_checks import Verdict
from tests.support.fakes import FakeEngine, serving

WEB = Path(__file__).parents[2] / "app" / "web"
PAGES = ["/", "/admin", "/docs"]
KEY = "a key of sixteen or more"


@pytest.mark.parametrize("path", PAGES)
async def test_pages_allow_no_inline_script_or_style_and_no_other_origin(client, path):
    response = await client.get(path)
    assert (response.status_code, response.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    policy = dict(part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert not re.search(r"<script[^>]*>\s*[^<\s]|<style|\son\w+=|\sstyle=", response.text)


@pytest.mark.parametrize("prefix", ["", "/mt"])
@pytest.mark.parametrize("path", PAGES)
async def test_pages_load_everything_from_this_server(path, prefix):
    async with serving(FakeEngine(), Settings(root_path=prefix)) as client:
        response = await client.get(prefix + path)
        references = re.findall(r"(?:src|href)=\"([^\"#]+)", response.text)
        assert references
        for reference in references:
            assert not re.match(r"(https?:)?//", reference), reference
            assert (await client.get(str(response.url.join(reference)))).status_code == 200, reference


def test_the_page_names_every_module_that_it_starts_with():
    """So that the browser asks for all of them at once, not for one after the other."""
    found, unseen = {"main.js"}, ["main.js"]
    while unseen:
        text = (WEB / "js" / unseen.pop()).read_text()
        fresh = set(re.findall(r"^import .*? from \"\./([^\"]+)\";$", text, re.MULTILINE)) - found
        found |= fresh
        unseen += fresh
    html = (WEB / "index.html").read_text()
    assert set(re.findall(r"rel=\"modulepreload\" href=\"web/js/([^\"]+)\"", html)) == found - {"main.js"}


def texts_of(language: str) -> dict[str, dict[str, str]]:
    """What the pages say in a language: messages, and the server's errors where those are in English."""
    texts: dict[str, dict[str, str]] = json.loads((WEB / "i18n" / f"{language}.json").read_text(encoding="utf-8"))
    return texts


ENGLISH, GERMAN = texts_of("en"), texts_of("de")


def test_every_verdict_is_explained():
    assert set(Verdict) <= set(ENGLISH["messages"])


def test_every_message_is_there_in_every_language_and_used():
    assert list(ENGLISH["messages"]) == list(GERMAN["messages"])
    for name, message in ENGLISH["messages"].items():
        places = [sorted(re.findall(r"\{\w+\}", text)) for text in (message, GERMAN["messages"][name])]
        assert places[0] == places[1], name
    code = "".join(path.read_text() for path in WEB.rglob("*.*") if path.suffix in (".js", ".html"))
    used = {name for pair in re.findall(r"\"(\w+)\"|^  (\w+): ", code, re.MULTILINE) for name in pair} | set(Verdict)
    assert {message for message in ENGLISH["messages"] if not message.endswith("Explained")} - used == set()


def codes_of(kind: type[errors.DragomanError]) -> set[str]:
    """The codes of an error and of all below it."""
    return {kind.code}.union(*map(codes_of, kind.__subclasses__()))


def test_every_error_that_the_page_can_meet_is_explained_in_german():
    # The page sends no search options; the others are never answers to it.
    own = {"option_out_of_range", "cancelled", "bundle_error", "configuration_error"}
    assert codes_of(errors.DragomanError) - own <= GERMAN["errors"].keys()


def test_every_reason_why_a_bundle_is_not_served_is_recognized():
    """The sentences that the page has in German are still those of the program; "No such file …" are the system's."""
    patterns = GERMAN["bundleErrors"].keys()
    code = "".join(path.read_text() for path in (WEB.parent).rglob("*.py"))
    code = re.sub(r"\"\s*\n\s*f?\"", "", code)  # sentences go over several lines
    system = {os.strerror(number) for number in (errno.ENOENT, errno.EACCES)}
    assert len(patterns) > 10
    for pattern in patterns:
        parts = [part.removeprefix(": ") for part in re.split(r"\(\.\+\)", pattern)]
        assert "json" in pattern or all(part in system or part in code for part in parts), pattern


def contrast(first: str, second: str) -> float:
    """The contrast of two colours (WCAG 2.2, "contrast ratio")."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", [0, 1])
def test_colours_that_axe_cannot_see_have_contrast(scheme):
    """Highlights are no elements, so that axe-core doesn't see them; nor does it look at lines."""
    css = (WEB / "css" / "base.css").read_text()
    colours = {name: pair[scheme] for name, *pair in re.findall(r"--(\S+): light-dark\((#\w{6}), (#\w{6})\)", css)}
    cards = ["page", "card", "quiet-card"]
    words = [("text", "accent-soft"), ("text", "accent-softer"), ("on-accent", "accent"), ("text", "warn-soft")]
    words += [(name, place) for name in ("text", "quiet") for place in (*cards, "sunken", "raised")]
    lines = [(name, place) for name in ("accent", "warn", "bad", "control-line") for place in cards]
    for pairs, least in ((words, 4.5), (lines, 3)):
        found = {(one, other): contrast(colours[one], colours[other]) for one, other in pairs}
        assert {pair for pair, ratio in found.items() if ratio < least} == set()


async def test_files_are_compressed_for_browsers_that_take_it_and_sent_once(client):
    plain = await client.get("/web/js/main.js", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert plain.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert plain.text == (WEB / "js" / "main.js").read_text()
    async with client.stream("GET", "/web/js/main.js", headers={"Accept-Encoding": "gzip"}) as packed:
        raw = b"".join([chunk async for chunk in packed.aiter_raw()])
    assert gzip.decompress(raw) == plain.content
    again = await client.get("/web/js/main.js", headers={"If-None-Match": plain.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("path", ["/web/", "/web/none.js", "/web/../pages.py", "/web/%2e%2e/pages.py", "/web/js"])
async def test_there_is_nothing_else_to_get(client, path):
    assert (await client.get(path)).status_code == 404


async def test_the_operators_page_asks_with_the_key():
    async with serving(FakeEngine(), Settings(admin_key=KEY)) as client:
        assert (await client.get("/admin/status")).status_code == 401
        answer = await client.get("/admin/status", headers={"Authorization": f"Bearer {KEY}"})
        assert (answer.status_code, answer.json()["state"]) == (200, "ready")
        assert (await client.get("/frontend/settings")).json()["capabilities"]["admin"] is True


async def test_without_a_key_there_is_no_operator(client):
    assert (await client.get("/admin/status")).status_code == 403
    assert (await client.get("/frontend/settings")).json()["capabilities"]["admin"] is False
