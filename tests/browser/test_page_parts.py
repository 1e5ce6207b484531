"""Tabs, the form of address, files of terms, the hint, and the foot of the page."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import assert_accessible, offer
from tests.browser.test_glossaries import make, open_panel, save_term
from tests.support.page import asked, point_at, type_and_wait

TERMS = "Vorstand\tboard\nBahnhof\tstation\n"
TBX = """<martif type="TBX" xml:lang="en"><text><body><termEntry id="1">
<langSet xml:lang="de"><tig><term>Haus</term></tig></langSet>
<langSet xml:lang="en"><tig><term>home</term></tig></langSet></termEntry></body></text></martif>"""


def test_tabs_change_between_text_and_files_by_keyboard(page: Page) -> None:
    page.get_by_role("tab", name="Text").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tabpanel", name="Files")).to_be_visible()
    expect(page.locator("#source-text")).not_to_be_visible()
    assert_accessible(page)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="Text")).to_be_focused()
    expect(page.locator("#source-text")).to_be_visible()


def test_the_form_of_address_is_chosen_where_the_target_tells_it(page: Page) -> None:
    page.get_by_label("From").select_option("de")
    expect(page.get_by_label("How the reader is addressed")).not_to_be_visible()
    page.get_by_label("From").select_option("en")
    page.get_by_label("Into").select_option("de")
    bodies = asked(page)
    page.locator("#source-text").fill("Where is the station?")
    expect(page.locator("#output")).to_have_text("Wo ist der Bahnhof?")
    page.get_by_label("How the reader is addressed").select_option("formal (Sie, vous)")
    with page.expect_response("**/translate"):
        page.keyboard.press("Control+Enter")
    assert [each.get("formality") for each in (bodies[0], bodies[-1])] == [None, "prefer_more"]


def test_a_hint_says_that_words_can_be_clicked_until_one_was(page: Page) -> None:
    hint = page.get_by_text("Click a word of the translation")
    expect(hint).not_to_be_visible()
    type_and_wait(page)
    expect(hint).to_be_visible()
    point_at(page, "station", click=True)
    expect(page.locator("#menu")).to_be_visible()
    expect(hint).not_to_be_visible()
    page.reload()
    type_and_wait(page)
    expect(hint).not_to_be_visible()


def test_alternatives_stand_beside_the_text_and_not_on_it(page: Page) -> None:
    type_and_wait(page)
    point_at(page, "station", click=True)
    expect(page.locator("#menu .choices button").first).to_be_visible()
    places = [page.locator(name).bounding_box() for name in (".panes", "#menu")]
    assert places[0] and places[1] and places[0]["x"] + places[0]["width"] <= places[1]["x"]
    assert places[1]["x"] + places[1]["width"] <= 1280
    before = places[0]["width"]
    page.keyboard.press("Escape")
    expect(page.locator("#menu")).not_to_be_visible()
    page.wait_for_function("before => document.querySelector('.panes').offsetWidth > before", arg=before)


def take(page: Page, name: str, content: str) -> None:
    page.locator("#glossary-file").set_input_files({"name": name, "mimeType": "text/plain", "buffer": content.encode()})


def test_terms_of_the_browser_come_from_a_file_and_go_into_one(page: Page) -> None:
    panel = open_panel(page)
    take(page, "terms.tsv", TERMS)
    expect(panel.get_by_role("row", name="Vorstand")).to_contain_text("board")
    with page.expect_download() as download:
        panel.get_by_role("button", name="Export terms").click()
    assert download.value.suggested_filename == "terms.de-en.tsv"
    assert sorted(download.value.path().read_text().splitlines()) == sorted(TERMS.splitlines())


def test_terms_of_the_server_come_from_tbx_and_go_into_it(page: Page) -> None:
    page.on("dialog", lambda dialog: dialog.accept())
    panel = open_panel(page)
    make(panel, "Files")
    save_term(panel, "Vorstand", "board")
    take(page, "terms.tbx", TBX)
    expect(panel.get_by_role("row", name="Haus")).to_contain_text("home")
    panel.get_by_label("Format").select_option("TBX")
    with page.expect_download() as download:
        panel.get_by_role("button", name="Export terms").click()
    written = download.value.path().read_text()
    assert written.count("<termEntry") == 3 and "Haus" in written
    assert_accessible(page, "#glossary")
    panel.get_by_role("button", name="Remove: Files").click()


def test_the_foot_names_the_model_and_its_quality(page: Page) -> None:
    scores = [{"test_set": "news", "source": "de", "target": "en", "bleu": 34.51, "chrf": 56.7}]
    models = [{"name": "tiny", "pairs": ["de-en", "en-de"], "scores": scores}]
    page.route("**/info", lambda route: route.fulfill(json={"models": models}))
    page.reload()
    expect(page.locator("#foot")).to_contain_text("Model: tiny (BLEU 34.5, chrF 56.7 on news)")
    page.get_by_label("From").select_option("en")
    expect(page.locator("#foot")).to_have_text("The text stays on this server.Model: tiny")


def test_the_foot_says_who_runs_the_server(page: Page) -> None:
    links = {"imprint": "/imprint", "privacy": "https://example.org/privacy"}
    offer(page, operator={"name": "The city library", **links})
    foot = page.locator("#foot")
    expect(foot).to_contain_text("The city library")
    expect(foot.get_by_role("link", name="Imprint")).to_have_attribute("href", "/imprint")
    expect(foot.get_by_role("link", name="Privacy")).to_have_attribute("href", "https://example.org/privacy")
    expect(foot.get_by_role("link", name="Source code")).to_have_count(0)
    assert_accessible(page)
