"""The panel of the translation memory, and the form that saves a sentence in it."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import assert_accessible, offer


def open_panel(page: Page):
    page.get_by_label("From").select_option("de")
    page.get_by_label("Into").select_option("en")
    page.get_by_role("button", name="Memory", exact=True).click()
    return page.get_by_role("region", name="Memory")


def make(panel, name: str) -> None:
    panel.get_by_role("button", name="New memory").click()
    panel.get_by_label("Name", exact=True).fill(name)
    panel.get_by_role("button", name="Save", exact=True).click()
    expect(panel).to_contain_text("Nothing is saved for German → English yet.")


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
    menu.get_by_role("button", name="Close").click()
    page.reload()
    panel = open_panel(page)
    expect(panel.get_by_role("row", name="Guten Morgen!")).to_contain_text("Morning, all!")


def test_a_file_is_imported(page):
    panel = open_panel(page)
    make(panel, "Imported")
    content = b"Eins\tOne\nZwei\tTwo\n"
    page.locator("#memory-file").set_input_files(
        {"name": "pairs.tsv", "mimeType": "text/tab-separated-values", "buffer": content}
    )
    expect(panel).to_contain_text(re.compile("Added: 2"))
    expect(panel.get_by_role("row", name="Zwei")).to_contain_text("Two")


def test_no_panel_where_the_server_keeps_no_memories(page):
    offer(page, capabilities={"memories": False})
    expect(page.get_by_role("button", name="Glossary", exact=True)).to_be_visible()
    expect(page.locator("#open-memory")).not_to_be_visible()
