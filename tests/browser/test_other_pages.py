"""The operator's page, the documentation, and the panels of servers that can do more."""

import re

from playwright.sync_api import Route, expect

from app.engine.interface import ReloadReport
from tests.browser.conftest import ADMIN_KEY, assert_accessible, offer


def test_the_operator_sees_load_and_models(open_page, server):
    page = open_page("admin", has_clock=True, is_expected=lambda text: "status of 401" in text)
    page.get_by_label("Admin key").fill("wrong")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("alert")).to_have_text("This is not the server's admin key.")
    page.get_by_label("Admin key").fill(ADMIN_KEY)
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("rowheader", name="fake")).to_be_visible()
    expect(page.locator(".chart")).to_have_count(6)
    expect(page.locator(".statuses")).not_to_be_empty()  # the first reading; the clock brings the second
    page.request.post(server.url + "translate", data={"q": "Guten Morgen!", "source": "de", "target": "en"})
    page.clock.run_for(2_000)
    line = page.locator(".chart", has_text="Requests a second").locator(".line")
    expect(line).to_have_attribute("d", re.compile("^M"))
    expect(page.locator(".statuses")).to_contain_text("200: ")
    page.get_by_role("button", name="Reload the bundles").click()
    expect(page.locator("#report")).to_contain_text("Unchanged: fake.")
    page.reload()  # the tab keeps the key
    expect(page.get_by_role("rowheader", name="fake")).to_be_visible()


def test_a_reload_that_fails_says_why_in_german(open_page, server, monkeypatch):
    folder = "/bundles/de-fr"
    reasons = {
        folder: f"{folder}/weights.bin: its sha256 is not the manifest's; the file is damaged or was replaced",
        "/bundles/de-it": "something that has no German words yet",
    }

    async def reload() -> ReloadReport:
        return ReloadReport(unchanged=("fake",), failed=reasons)

    monkeypatch.setattr(server.engine, "reload", reload)
    page = open_page("admin", locale="de-DE", is_expected=lambda text: "status of 401" in text)
    page.get_by_label("Betreiberschlüssel").fill(ADMIN_KEY)
    page.get_by_role("button", name="Öffnen").click()
    page.get_by_role("button", name="Modelle neu einlesen").click()
    report = page.locator("#report")
    expect(report).to_contain_text("Unverändert: fake. Gescheitert: /bundles/de-fr, /bundles/de-it.")
    damaged, unknown = report.get_by_role("listitem").all()
    expect(damaged).to_have_text(
        "/bundles/de-fr/weights.bin ist beschädigt oder wurde ausgetauscht: Die Prüfsumme ist nicht die des Manifests."
    )
    expect(unknown).to_have_text(reasons["/bundles/de-it"])
    expect(unknown).to_have_attribute("lang", "en")
    assert_accessible(page)


def test_the_documentation_tries_its_examples(open_page, server):
    tried = ("/translate", "/translate_file", "/v3/translation_memories/{translation_memory_id}")

    def shorten(route: Route) -> None:
        """Swagger UI draws all endpoints again at each click: with three, this takes a third less time."""
        document = route.fetch(max_retries=1).json()
        route.fulfill(json=document | {"paths": {path: document["paths"][path] for path in tried}})

    page = open_page("web/icon.svg", is_expected=lambda text: "status of 404" in text)
    page.route("**/openapi.json", shorten)
    page.goto(server.url + "docs")
    operation = page.locator("#operations-Translation-post_translate")
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text("I'd like a beer.")
    operation = page.locator("[id*=post_translate_file]")  # a form: its fields are filled in, but for the file
    operation.locator(".opblock-summary-control").click()
    letter = {"name": "letter.txt", "mimeType": "text/plain", "buffer": b"Guten Morgen!"}
    operation.locator("input[type=file]").set_input_files(letter)
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text("translatedFileUrl")
    # Without a body, and with the example of a place in the path; tests/http tries the examples of all others.
    operation = page.locator("[id*=get_v3_translation_memories_translation_memory_id]").first
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text("memory_not_found")


def test_no_panel_for_what_the_server_cannot_do(page):
    offer(page, filesTranslation=False, capabilities={"memories": False})
    expect(page.locator("#target-language option")).to_have_count(2)
    expect(page.get_by_role("button", name="Glossary", exact=True)).to_be_visible()
    expect(page.get_by_role("tablist")).not_to_be_visible()
    for name in ("documents", "open-documents", "glossary", "open-memory", "key-form", "key-button"):
        expect(page.locator(f"#{name}")).not_to_be_visible()


def test_a_document_is_translated_with_its_progress(open_page, server):
    page = open_page(has_clock=True)
    page.get_by_label("From").select_option("de")
    page.get_by_role("tab", name="Files").click()
    letter = {"name": "letter.txt", "mimeType": "text/plain", "buffer": b"Guten Morgen! Das WAIT kommt."}
    page.locator("#file").set_input_files(letter)
    job = page.locator("#documents li")
    expect(job).to_have_text(re.compile("letter.txt: (waiting|being translated)"))
    assert_accessible(page)
    server.go_on()
    while not page.get_by_role("button", name="Save: letter.en.txt").is_visible():
        page.clock.run_for(1_000)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save: letter.en.txt").click()
    assert download.value.path().read_text() == "Good morning! [en] Das WAIT kommt."
    expect(job).to_contain_text("letter.txt: done")


def test_a_document_outlives_a_restart_of_the_server(open_page, server):
    page = open_page(is_expected=lambda text: "Failed to load resource" in text)
    page.get_by_label("From").select_option("de")
    page.get_by_role("tab", name="Files").click()
    letter = {"name": "letter.txt", "mimeType": "text/plain", "buffer": b"Guten Morgen! Das WAIT kommt."}
    page.locator("#file").set_input_files(letter)
    job = page.locator("#documents li")
    expect(job).to_contain_text("letter.txt: being translated")
    server.stop()
    expect(job).to_contain_text("The server can't be reached. The page will try again automatically.")
    server.start()
    server.go_on()
    expect(page.get_by_role("button", name="Save: letter.en.txt")).to_be_visible()


def test_a_dropped_document_that_fails_says_why(open_page):
    page = open_page(is_expected=lambda text: "status of 4" in text)
    expect(page.get_by_role("tab", name="Files")).to_be_visible()
    page.evaluate(
        """() => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File(["x"], "a.exe"));
            const options = { dataTransfer, bubbles: true, cancelable: true };
            document.getElementById("output").dispatchEvent(new DragEvent("drop", options));
        }"""
    )
    expect(page.locator("#documents li")).to_have_text(re.compile(r"a\.exe: .*exe"))
    page.get_by_label("Language of this page").select_option("de")
    expect(page.get_by_role("tab", name="Dateien")).to_be_visible()
    assert_accessible(page)
