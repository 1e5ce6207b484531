"""Answers that come late undo nothing that the user did meanwhile, and take the cursor to no other place."""

from playwright.sync_api import APIResponse, Page, Route, expect

from tests.browser.conftest import PASTE
from tests.support.page import highlights, output, source, type_and_wait

MEMORIES = "v3/translation_memories"


class Held:
    """Holds back the answers to requests for a pattern of addresses until they are let go, as the server gave them."""

    def __init__(self, page: Page, pattern: str, method: str = "GET") -> None:
        self._page = page
        self._method = method
        self._answers: list[tuple[Route, APIResponse]] | None = []
        page.route(pattern, self._hold)

    def _hold(self, route: Route) -> None:
        if self._answers is None or route.request.method != self._method:
            route.fallback()
        else:
            answer = route.fetch(max_retries=1)
            if self._answers is None:  # let go meanwhile
                route.fulfill(response=answer)
            else:
                self._answers.append((route, answer))

    def wait(self, count: int = 1) -> None:
        """Until this many answers are held."""
        while len(self._answers or ()) < count:
            self._page.wait_for_timeout(10)

    def let_go(self) -> None:
        """Give the answers, and hold back no more."""
        answers, self._answers = self._answers or [], None
        for route, answer in answers:
            route.fulfill(response=answer)


def choose_pair(page: Page) -> None:
    page.get_by_label("From").select_option("de")
    page.get_by_label("Into").select_option("en")


def make_glossary(page: Page, name: str, **terms: str) -> str:
    entries = "\n".join(f"{term}\t{translation}" for term, translation in terms.items())
    dictionary = {"source_lang": "de", "target_lang": "en", "entries": entries, "entries_format": "tsv"}
    body = {"name": name, "dictionaries": [dictionary]}
    return page.request.post(f"{page.url}v3/glossaries", data=body).json()["glossary_id"]


def terms_of(page: Page, glossary: str) -> str:
    path = f"{page.url}v3/glossaries/{glossary}/entries?source_lang=de&target_lang=en"
    return page.request.get(path).json()["dictionaries"][0]["entries"]


def open_glossary(page: Page, name: str):
    choose_pair(page)
    page.get_by_role("button", name="Glossary", exact=True).click()
    panel = page.get_by_role("region", name="Glossary")
    panel.get_by_label("Glossary for translations").select_option(name)
    return panel


def test_what_is_typed_before_the_page_knows_its_languages_stays(open_page):
    page = open_page()
    address = page.url
    page.goto("about:blank")
    held = Held(page, "**/languages")
    page.goto(address + "#source=de&target=en&text=Guten%20Morgen!")
    held.wait()
    source(page).press_sequentially(" Wer?")
    held.let_go()
    expect(source(page)).to_have_value("Guten Morgen! Wer?")
    expect(output(page)).to_have_text("Good morning! Who?")
    # Nor does the link's text come back when the page reads the languages again.
    page.get_by_role("button", name="Swap languages").click()
    expect(page.get_by_label("From")).to_have_value("en")
    page.get_by_label("Language of this page").select_option("de")
    expect(page.locator("#target-language option").first).to_have_text("Deutsch")
    expect(source(page)).to_have_count(0)  # its name is German
    expect(page.locator("#source-text")).to_have_value("Good morning! Who?")
    expect(page.locator("#source-language")).to_have_value("en")


def test_formatted_text_pasted_twice_before_its_script_came_is_there_once(page):
    choose_pair(page)
    held = Held(page, "**/rich.js")
    for _ in range(2):
        page.evaluate(PASTE, ["#source-text", "<p><b>Guten</b> Morgen!</p>", "Guten Morgen!"])
    held.wait()
    held.let_go()
    expect(page.locator("#rich-output")).to_have_text("Good morning!")
    page.locator("#rich-source").evaluate("pane => getSelection().selectAllChildren(pane)")
    page.evaluate(PASTE, ["#rich-source", "", "Wer?"])
    expect(page.locator("#rich-source")).to_have_text("Wer?")


def test_what_is_typed_while_the_script_for_formatted_text_comes_stays(page):
    choose_pair(page)
    held = Held(page, "**/rich.js")
    page.evaluate(PASTE, ["#source-text", "<p><b>Guten</b> Morgen!</p>", "Guten Morgen!"])
    held.wait()
    source(page).press_sequentially("Wer? ")
    held.let_go()
    expect(source(page)).to_have_value("Wer? Guten Morgen!")


def test_a_choice_and_its_undo_while_other_sentences_come(page, server):
    choose_pair(page)
    source(page).fill("Guten Morgen! Das WAIT kommt.")
    output(page).get_by_text("Good morning!").click()
    page.get_by_role("button", name="Morning!", exact=True).first.click()
    expect(output(page)).to_contain_text("Morning!")
    server.go_on()
    expect(output(page)).to_have_text("Morning! [en] Das WAIT kommt.")
    page.get_by_role("button", name="Undo").click()
    expect(output(page)).to_have_text("Good morning! [en] Das WAIT kommt.")


def test_the_keyboard_stays_at_its_word_while_other_sentences_come(page, server):
    choose_pair(page)
    source(page).fill("Guten Morgen! Wer? Das WAIT kommt.")
    expect(output(page)).to_contain_text("Who?")
    output(page).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert highlights(page)["cursor"] == ["Who"]
    server.go_on()
    expect(output(page)).to_contain_text("WAIT")
    expect(output(page)).to_have_attribute("aria-busy", "false")
    assert highlights(page)["cursor"] == ["Who"]
    page.keyboard.press("Enter")
    expect(page.locator("#menu button").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(output(page)).to_be_focused()
    assert highlights(page)["cursor"] == ["Who"]


def test_alternatives_that_come_late_leave_the_focus_where_it_is(page):
    type_and_wait(page)
    held = Held(page, "**/translate", "POST")
    output(page).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    menu = page.get_by_role("dialog", name="Other translations")
    expect(menu).to_be_focused()
    held.wait(2)
    page.keyboard.press("ArrowUp")
    expect(menu.get_by_role("button", name="Look inside")).to_be_focused()
    held.let_go()
    expect(menu.get_by_role("button", name="Morning!", exact=True).first).to_be_visible()
    expect(menu.get_by_role("button", name="Look inside")).to_be_focused()


def test_the_form_for_a_sentence_does_not_open_over_another(page):
    type_and_wait(page)
    held = Held(page, "**/sentenceeditor.js")
    output(page).get_by_text("Good").click()
    menu = page.get_by_role("dialog", name="Other translations")
    menu.get_by_role("button", name="Edit").click()
    held.wait()
    page.keyboard.press("Escape")
    output(page).get_by_text("Where is").click(position={"x": 5, "y": 5})
    expect(menu.get_by_role("button", name="Where's the station?").first).to_be_visible()
    with page.expect_response("**/richwords.js"):  # asked for behind the held one
        held.let_go()
        page.evaluate("import('./web/js/richwords.js').then(() => null)")
    expect(menu.get_by_role("button", name="Where's the station?").first).to_be_visible()
    expect(page.locator("#edited")).to_have_count(0)


def test_a_sentence_is_edited_twice_in_the_same_form(page):
    page.route("**/suggest", lambda route: route.fulfill(json={"success": True}))
    type_and_wait(page)
    output(page).get_by_text("Good").click()
    menu = page.get_by_role("dialog", name="Other translations")
    menu.get_by_role("button", name="Edit").click()
    for better in ("Hello!", "Hello to you!"):
        menu.get_by_label("Translation").fill(better)
        menu.get_by_role("button", name="Suggest").click()
        expect(output(page)).to_have_text(f"{better} Where is the station?")


def test_the_inspector_keeps_the_focus_when_its_answer_comes(page):
    type_and_wait(page)
    output(page).get_by_text("Good").click()
    page.get_by_role("dialog").get_by_role("button", name="Look inside").click()
    held = Held(page, "**/inspect", "POST")
    panel = page.locator("#inspector")
    panel.get_by_role("button", name="Search").focus()
    page.keyboard.press("Enter")
    held.wait()
    held.let_go()
    expect(panel.locator("svg .node").first).to_be_visible()
    expect(panel.get_by_role("button", name="Search")).to_be_focused()


def test_a_notice_of_a_text_that_is_too_long_stays_while_it_is(open_page, server):
    page = open_page()
    page.route(
        "**/frontend/settings", lambda route: route.fulfill(json=route.fetch(max_retries=1).json() | {"charLimit": 30})
    )
    page.reload()
    choose_pair(page)
    source(page).fill("Guten Morgen! Das WAIT kommt.")
    expect(output(page)).to_contain_text("Good morning!")
    notice = page.get_by_role("alert")
    source(page).press_sequentially(" Wo")
    expect(notice).to_contain_text("longer than the 30 characters")
    server.go_on()
    expect(output(page)).to_have_attribute("aria-busy", "false")
    expect(notice).to_contain_text("longer than the 30 characters")
    for _ in range(3):
        source(page).press("Backspace")
    expect(notice).not_to_be_visible()


def test_formatted_text_goes_on_when_the_server_comes_back(open_page, server):
    page = open_page(is_expected=lambda text: "Failed to load resource" in text)
    choose_pair(page)
    page.evaluate(PASTE, ["#source-text", "<p><b>Guten</b> Morgen!</p>", ""])
    expect(page.locator("#rich-output")).to_have_text("Good morning!")
    page.route("**/translate", lambda route: route.abort())
    page.locator("#rich-source").press("Control+End")
    page.keyboard.type(" Wer?")
    expect(page.get_by_role("alert")).to_contain_text("The page will try again automatically.")
    page.unroute("**/translate")
    expect(page.locator("#rich-output")).to_contain_text("Who?")
    expect(page.get_by_role("alert")).not_to_be_visible()
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#rich-source b")).to_have_text("Guten")
    expect(page.locator("#rich-output")).to_contain_text("Who?")


def test_a_term_goes_where_it_was_removed_whatever_is_chosen_meanwhile(page):
    first, second = (
        make_glossary(page, "First", Hund="hound", Katze="puss"),
        make_glossary(page, "Second", Maus="rodent"),
    )
    page.reload()
    panel = open_glossary(page, "First")
    expect(panel.get_by_role("row", name="Hund")).to_be_visible()
    held = Held(page, f"**/{first}/entries?*")
    for term in ("Hund", "Katze"):
        panel.get_by_role("button", name=f"Remove: {term}").click()
    held.wait()
    panel.get_by_label("Glossary for translations").select_option("Second")
    expect(panel.get_by_role("row", name="Maus")).to_be_visible()
    held.let_go()
    page.wait_for_function(
        "path => fetch(path).then(answer => answer.json()).then(({ dictionaries }) => !dictionaries.length)",
        arg=f"v3/glossaries/{first}",
    )
    assert terms_of(page, second) == "Maus\trodent"
    expect(panel.get_by_label("Glossary for translations").locator("option:checked")).to_have_text("Second")


def test_the_next_term_may_be_typed_while_one_is_saved(page):
    glossary = make_glossary(page, "Typed", Hund="hound")
    page.reload()
    panel = open_glossary(page, "Typed")
    held = Held(page, f"**/glossaries/{glossary}", "PATCH")
    term, translation = (panel.get_by_label(name, exact=True) for name in ("Term", "Translation"))
    term.fill("Katze")
    translation.fill("puss")
    translation.press("Enter")
    held.wait()
    term.fill("Maus")
    source(page).focus()
    held.let_go()
    expect(panel.get_by_role("row", name="Katze")).to_be_visible()
    expect(panel).to_contain_text("Saved: Katze")
    expect(term).to_have_value("Maus")
    expect(source(page)).to_be_focused()


def test_two_quick_presses_make_one_glossary(page):
    panel = open_glossary(page, "None")
    panel.get_by_role("button", name="New glossary").click()
    panel.get_by_label("Name", exact=True).fill("Once")
    panel.get_by_role("button", name="Save", exact=True).click()
    held = Held(page, "**/v3/glossaries", "POST")
    panel.get_by_label("Term", exact=True).fill("Hund")
    panel.get_by_label("Translation", exact=True).fill("hound")
    for _ in range(2):
        panel.get_by_label("Translation", exact=True).press("Enter")
    held.wait()
    held.let_go()
    expect(panel.get_by_role("row", name="Hund")).to_be_visible()
    expect(panel.get_by_label("Term", exact=True)).to_have_value("")
    names = [each["name"] for each in page.request.get(f"{page.url}v3/glossaries").json()["glossaries"]]
    assert names.count("Once") == 1


def test_a_memory_belongs_to_the_languages_that_it_was_made_for(page):
    choose_pair(page)
    page.get_by_role("button", name="Translation memory", exact=True).click()
    panel = page.get_by_role("region", name="Translation memory")
    panel.get_by_role("button", name="New memory").click()
    panel.get_by_label("Name", exact=True).fill("From German")
    held = Held(page, f"**/{MEMORIES}", "POST")
    panel.get_by_role("button", name="Save", exact=True).click()
    held.wait()
    page.get_by_role("button", name="Swap languages").click()
    expect(page.get_by_label("From")).to_have_value("en")
    held.let_go()
    choice = panel.get_by_label("Memory for translations").locator("option:checked")
    expect(choice).to_have_text("None")
    page.get_by_role("button", name="Swap languages").click()
    expect(choice).to_have_text("From German")
