"""API keys: the operator makes them, users enter them."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import expect

from app.settings import Settings
from tests.browser.conftest import ADMIN_KEY, assert_accessible
from tests.support.threads import Server


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(Settings(admin_key=ADMIN_KEY, keys="required", data=tmp_path_factory.mktemp("data")))
    yield server
    server.stop()


def key_for(server: Server, *features: str) -> str:
    headers = {"Authorization": f"Bearer {ADMIN_KEY}"}
    body = {"name": "limited", "features": features}
    return str(httpx.post(f"{server.url}admin/keys", json=body, headers=headers).json()["key"])


@pytest.mark.parametrize("feature", ["translate", "detect"])
def test_a_key_that_may_not_do_everything(open_page, server, feature):
    page = open_page(is_expected=lambda text: "status of 40" in text)
    form = page.locator("#key-form")
    form.get_by_label("API key").fill(key_for(server, feature))
    form.get_by_role("button", name="Save").click()
    text = page.get_by_role("textbox", name="Text to translate")
    text.fill("Guten Morgen! Wo ist der Bahnhof?")
    if feature == "detect":
        expect(page.get_by_role("alert")).to_contain_text("may not use the feature translate")
        return
    expect(page.locator("#output")).to_have_text("Good morning! Where is the station?")
    expect(page.locator("#detected")).to_contain_text("German detected")
    expect(page.get_by_role("alert")).not_to_be_visible()
    text.fill("Ceci est une phrase en français, et pas très longue.")
    expect(page.get_by_role("alert")).to_contain_text("French (fr), which is not supported")
    expect(page.locator("#output")).not_to_contain_text("phrase")


def test_the_operator_makes_a_key_and_a_user_enters_it(open_page):
    admin = open_page("admin", is_expected=lambda text: "status of 401" in text)
    admin.get_by_label("Admin key").fill(ADMIN_KEY)
    admin.get_by_role("button", name="Open").click()
    keys = admin.get_by_role("region", name="API keys")
    expect(keys).to_contain_text("Every request needs a key.")
    expect(keys).to_contain_text("There are no keys yet.")
    keys.get_by_label("Name").fill("website")
    keys.get_by_label("Characters a month").fill("1000")
    keys.get_by_role("button", name="Add a key").click()
    expect(keys.get_by_role("row", name="website")).to_contain_text("0 of 1,000")
    key = keys.locator(".new-key").inner_text()

    page = open_page(is_expected=lambda text: "status of 40" in text)
    page.get_by_label("From").select_option("de")
    form = page.locator("#key-form")
    form.get_by_label("API key").fill("wrong")
    form.get_by_role("button", name="Save").click()
    page.get_by_role("textbox", name="Text to translate").fill("Guten Morgen!")
    expect(page.get_by_role("alert")).to_contain_text("Invalid API key")
    form.get_by_label("API key").fill(key)
    form.get_by_role("button", name="Save").click()
    expect(page.locator("#output")).to_have_text("Good morning!")
    expect(form).not_to_be_visible()
    page.reload()  # the tab keeps the key
    page.get_by_role("textbox", name="Text to translate").fill("Wo ist der Bahnhof?")
    expect(page.locator("#output")).to_have_text("Where is the station?")
    page.get_by_role("tab", name="Files").click()
    page.locator("#file").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"Guten Morgen!"})
    expect(page.get_by_role("button", name="Save: a.en.txt")).to_be_visible()
    assert key not in page.evaluate("JSON.stringify(localStorage)")
    page.get_by_role("button", name="API key").click()
    form.get_by_role("button", name="Remove the key").click()
    expect(form.get_by_label("API key")).to_have_value("")
    expect(page.get_by_role("alert")).to_contain_text("API key")
    assert key not in page.evaluate("JSON.stringify(sessionStorage)")

    admin.reload()
    expect(keys.get_by_role("row", name="website")).to_contain_text("45 of 1,000")
    assert_accessible(admin)
    admin.on("dialog", lambda dialog: dialog.accept())
    keys.get_by_role("button", name="Remove the key website").click()
    expect(keys).to_contain_text("There are no keys yet.")
