"""The panel of the translation memory, and the form that saves a sentence in it."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from app.errors import ExtraMissing
from tests.browser.conftest import ADMIN_KEY, PASTE, assert_accessible

PATH = "v3/translation_memories"
PAIRS = {
    "Guten Morgen!": "Top of the morning!",
    "Es kostet 5 Euro.": "You pay 5 euros.",
    "Wo ist der alte Bahnhof?": "Where is the old station?",
}


def open_panel(page: Page):
    page.get_by_label("From").select_option("de")
    page.get_by_label("Into").select_option("en")
    page.get_by_role("button", name="Translation memory", exact=True).click()
    return page.get_by_role("region", name="Translation memory")


def make(panel, name: str) -> None:
    panel.get_by_role("button", name="New memory").click()
    panel.get_by_label("Name", exact=True).fill(name)
    panel.get_by_role("button", name="Save", exact=True).click()
    expect(panel).to_contain_text("Nothing is saved for German → English yet.")


def test_a_new_memory_is_learnt_from_until_somebody_says_no(page):
    panel = open_panel(page)
    make(panel, "Learning")
    learns = panel.get_by_label("Used for similar sentences, too")
    expect(learns).to_be_checked()
    with page.expect_response(lambda answer: answer.request.method == "PATCH") as changed:
        learns.uncheck()
    assert changed.value.json()["adapt"] is False
    expect(learns).not_to_be_checked()


def test_pairs_are_saved_changed_looked_up_removed_and_exported(page):
    page.on("dialog", lambda dialog: dialog.accept())
    panel = open_panel(page)
    make(panel, "Letters")
    text, translation = (panel.get_by_label(name, exact=True) for name in ("Text", "Translation"))
    for source, target in (("Guten Tag!", "Hello!"), ("Mit freundlichen Grüßen", "Kind regards")):
        text.fill(source)
        translation.fill(target)
        panel.get_by_role("button", name="Save the pair").click()
        expect(panel.get_by_role("cell", name=target)).to_be_visible()
    panel.get_by_role("button", name="Change: Guten Tag!").click()
    translation.fill("Good day!")
    panel.get_by_role("button", name="Save the pair").click()
    expect(panel.get_by_role("row")).to_have_count(3)
    expect(panel.get_by_role("row", name="Guten Tag!")).to_contain_text("Good day!")
    assert_accessible(page)
    with page.expect_download() as download:
        panel.get_by_role("button", name="Export TMX").click()
    assert download.value.suggested_filename == "Letters.tmx"
    assert "Kind regards" in download.value.path().read_text()
    panel.get_by_label("Look up").fill("regards")
    expect(panel.get_by_role("row")).to_have_count(2)
    panel.get_by_role("button", name="Remove: Mit freundlichen Grüßen").click()
    expect(panel).to_contain_text("No such text or translation.")
    panel.get_by_role("button", name="Remove: Letters").click()
    expect(panel.get_by_role("button", name="Rename")).not_to_be_visible()


def test_an_edited_sentence_is_put_in_its_place_and_saved(page):
    panel = open_panel(page)
    make(panel, "Edited")
    page.locator("#source-text").fill("Guten Morgen! Wo ist der Bahnhof?")
    expect(page.locator("#output")).to_have_text("Good morning! Where is the station?")
    page.locator("#output").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    menu = page.get_by_role("dialog", name="Other translations")
    menu.get_by_role("button", name="Edit").click()
    menu.get_by_label("Translation").fill("Morning, all!")
    assert_accessible(page, "#menu")
    menu.get_by_role("button", name="Save in the memory").click()
    expect(menu).to_contain_text("Saved in the memory.")
    expect(page.locator("#output")).to_have_text("Morning, all! Where is the station?")
    expect(panel.get_by_role("row", name="Guten Morgen!")).to_contain_text("Morning, all!")
    menu.get_by_role("button", name="Close").click()
    page.reload()
    page.locator("#source-text").fill("Guten Morgen!")
    expect(page.locator("#output .remembered")).to_have_text("Morning, all!")


@pytest.fixture
def memory(page, server) -> Iterator[str]:
    """A memory with some pairs, which the panel chose."""
    body = {"name": "Journey", "source_lang": "de", "target_lang": "en"}
    made = page.request.post(server.url + PATH, data=body).json()["translation_memory_id"]
    for text, translation in PAIRS.items():
        entry = {"source_text": text, "target_text": translation}
        assert page.request.post(f"{server.url}{PATH}/{made}/segments", data=entry).status == 201
    panel = open_panel(page)
    panel.get_by_label("Memory for translations").select_option("Journey")
    expect(panel.get_by_role("row")).to_have_count(4)
    yield made
    page.request.delete(f"{server.url}{PATH}/{made}")


def test_translations_use_the_memory_and_offer_what_is_similar(page, memory):
    page.locator("#source-text").fill("Guten Morgen! Es kostet 7 Euro. Wo ist der Bahnhof? Und jetzt?")
    output = page.locator("#output")
    expect(output).to_have_text("Top of the morning! You pay 7 euros. Where is the station? [en] Und jetzt?")
    expect(output.locator(".remembered")).to_have_text(["Top of the morning!", "You pay 7 euros."])
    expect(output.locator(".offered")).to_have_text("Where is the station?")
    expect(page.locator("#hits")).to_have_text("Translation memory: 2 used, 1 similar.")
    facts = page.locator("#note")
    said = []
    output.focus()
    for word in ("Top", "of", "the", "morning", "You", "pay", "7", "euros", "Where"):
        page.keyboard.press("ArrowRight")
        expect(facts).to_contain_text(f"{word}: ")
        said.append(facts.text_content().split(" · ")[1])
    assert said == (
        ["From the translation memory"] * 4
        + ["From the translation memory, with other numbers (99% match)"] * 4
        + ["Similar text in the translation memory (79% match)"]
    )
    page.keyboard.press("Enter")
    menu = page.get_by_role("dialog", name="Other translations")
    expect(menu).to_contain_text("Wo ist der alte Bahnhof?")
    expect(menu.get_by_role("button", name="Where is the old station?")).to_be_focused()
    assert_accessible(page, "#menu")
    page.keyboard.press("Enter")
    expect(output.locator(".remembered")).to_have_text(
        ["Top of the morning!", "You pay 7 euros.", "Where is the old station?"]
    )
    expect(page.locator("#hits")).to_have_text("Translation memory: 3 used, 0 similar.")
    assert_accessible(page)


def test_formatted_texts_and_documents_use_the_memory_too(page, memory):
    page.evaluate(PASTE, ["#source-text", "<p><b>Guten Morgen!</b> Ja.</p>", ""])
    expect(page.locator("#rich-output")).to_have_text("Top of the morning! [en] Ja.")
    assert page.evaluate("[...CSS.highlights.get('remembered')].map(String)") == ["Top of the morning!"]
    page.get_by_role("tab", name="Files").click()
    letter = {"name": "letter.txt", "mimeType": "text/plain", "buffer": b"Guten Morgen!"}
    page.locator("#file").set_input_files(letter)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save: letter.en.txt").click()
    assert download.value.path().read_text() == "Top of the morning!"


def test_what_changes_in_the_memory_or_elsewhere_counts_at_once(open_page, page, memory, server):
    page.locator("#source-text").fill("Guten Morgen!")
    output = page.locator("#output")
    expect(output).to_have_text("Top of the morning!")
    panel = page.get_by_role("region", name="Translation memory")
    panel.get_by_role("button", name="Change: Guten Morgen!").click()
    panel.get_by_label("Translation", exact=True).fill("Good day!")
    panel.get_by_role("button", name="Save the pair").click()
    expect(output).to_have_text("Good day!")
    panel.get_by_label("Memory for translations").select_option("None")
    expect(output).to_have_text("Good morning!")
    expect(page.locator("#hits")).to_be_empty()


def test_a_memory_that_somebody_else_removed_is_not_missed(open_page, server):
    page = open_page(is_expected=lambda text: "status of 404" in text)
    make(open_panel(page), "Vanishing")
    [own] = [
        each["translation_memory_id"]
        for each in page.request.get(server.url + PATH).json()["translation_memories"]
        if each["name"] == "Vanishing"
    ]
    page.request.delete(f"{server.url}{PATH}/{own}")
    page.locator("#source-text").fill("Guten Morgen!")
    expect(page.locator("#output")).to_have_text("Good morning!")
    expect(page.get_by_role("alert")).not_to_be_visible()


def test_a_server_that_cannot_compare_texts_looks_up_the_same_ones(open_page, server, monkeypatch):
    def refuse() -> None:
        raise ExtraMissing("Similar texts need the extra 'memory'.")

    monkeypatch.setattr("app.translation.stored_memories.check_installed", refuse)
    page = open_page(is_expected=lambda text: "status of 400" in text)
    panel = open_panel(page)
    make(panel, "Same only")
    panel.get_by_label("Text", exact=True).fill("Ja.")
    panel.get_by_label("Translation", exact=True).fill("Yes.")
    panel.get_by_role("button", name="Save the pair").click()
    page.locator("#source-text").fill("Ja. Nein.")
    expect(page.locator("#output")).to_have_text("Yes. [en] Nein.")
    expect(page.get_by_role("alert")).not_to_be_visible()


def test_a_better_translation_is_suggested_and_the_operator_accepts_it(open_page, page, memory, server):
    output = page.locator("#output")
    for text, better in (("Wer?", "Who's that?"), ("Ja.", "Yes.")):
        page.locator("#source-text").fill(text)
        expect(output).not_to_have_attribute("aria-busy", "true")
        output.get_by_text(text if text == "Ja." else "Who?").click()
        menu = page.get_by_role("dialog", name="Other translations")
        menu.get_by_role("button", name="Edit").click()
        menu.get_by_label("Translation").fill(better)
        menu.get_by_role("button", name="Suggest").click()
        expect(menu).to_contain_text("Sent.")
        expect(output).to_have_text(better)
        menu.get_by_role("button", name="Close").click()

    admin = open_page("admin", is_expected=lambda text: "status of 401" in text)
    admin.get_by_label("Admin key").fill(ADMIN_KEY)
    admin.get_by_role("button", name="Open").click()
    panel = admin.get_by_role("region", name="Suggestions")
    expect(panel.get_by_role("listitem")).to_have_count(2)
    expect(panel.get_by_role("listitem").first).to_contain_text("Who's that?")
    assert_accessible(admin)
    panel.get_by_role("button", name="Reject: Ja.").click()
    expect(panel.get_by_role("listitem")).to_have_count(1)
    panel.get_by_label("Into the memory").select_option("Journey")
    panel.get_by_role("button", name="Accept: Wer?").click()
    expect(panel).to_contain_text("Accepted into “Journey”.")
    page.locator("#source-text").fill("Und nun: Wer?")
    page.locator("#source-text").fill("Wer?")
    expect(output.locator(".remembered")).to_have_text("Who's that?")


def test_a_file_is_imported(page):
    panel = open_panel(page)
    make(panel, "Imported")
    content = b"Eins\tOne\nZwei\tTwo\n"
    page.locator("#memory-file").set_input_files(
        {"name": "pairs.tsv", "mimeType": "text/tab-separated-values", "buffer": content}
    )
    expect(panel).to_contain_text(re.compile("Added: 2"))
    expect(panel.get_by_role("row", name="Zwei")).to_contain_text("Two")
