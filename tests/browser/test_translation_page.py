"""What people do on the translation page."""

import json
import re

from playwright.sync_api import expect

from tests.browser.conftest import PASTE, assert_accessible
from tests.support.page import (
    MORNING,
    MORNING_IN_ENGLISH,
    asked,
    highlights,
    output,
    place_of,
    point_at,
    source,
    type_and_wait,
)


def test_typing_translates_and_tells_the_language(page):
    source(page).press_sequentially(MORNING)
    expect(output(page)).to_have_text(MORNING_IN_ENGLISH)
    expect(page.locator("#detected")).to_have_text(re.compile(r"German detected \(\d+% sure\)"))
    expect(page.locator("#count")).to_have_text(f"{len(MORNING)} characters")


FRENCH = "Ceci est une phrase en français, et pas très longue."


def test_a_text_in_a_language_that_is_not_served_is_not_its_own_translation(page):
    source(page).fill(FRENCH)
    expect(page.get_by_role("alert")).to_contain_text("seems to be in French")
    expect(output(page)).not_to_contain_text("phrase")
    expect(page.locator("#detected")).to_have_text("")
    source(page).fill(MORNING)
    expect(output(page)).to_have_text(MORNING_IN_ENGLISH)
    expect(page.get_by_role("alert")).not_to_be_visible()
    source(page).fill(FRENCH)
    expect(page.get_by_role("alert")).to_contain_text("seems to be in French")
    expect(output(page)).not_to_contain_text("phrase")
    page.get_by_label("From").select_option("de")  # the user knows better
    expect(output(page)).to_have_text(f"[en] {FRENCH}")
    expect(page.get_by_role("alert")).not_to_be_visible()


def test_only_changed_sentences_are_asked_again(page):
    type_and_wait(page, f"Eins. {MORNING}", f"[en] Eins. {MORNING_IN_ENGLISH}")
    bodies = asked(page)
    source(page).press("End")
    source(page).press_sequentially(" Und jetzt der Hund.")
    expect(output(page)).to_have_text(f"[en] Eins. {MORNING_IN_ENGLISH} [en] Und jetzt der Hund.")
    texts = [text for body in bodies for text in body["q"]]
    assert texts
    assert not any("Eins" in text or "Morgen" in text for text in texts)


def test_an_edit_in_the_middle_leaves_the_others_alone(page):
    type_and_wait(page, "Eins zwei.\nDrei vier.\n\nSechs.", "[en] Eins zwei.[en] Drei vier.[en] Sechs.")
    bodies = asked(page)
    source(page).press("Control+Home")
    source(page).press("ArrowDown")
    source(page).press_sequentially("Jetzt drei. ")
    expect(output(page)).to_have_text("[en] Eins zwei.[en] Jetzt drei. [en] Drei vier.[en] Sechs.")
    texts = [text for body in bodies for text in body["q"]]
    assert not any("Eins" in text or "Sechs" in text for text in texts)


def test_sentences_appear_as_soon_as_they_are_done(page, server):
    page.get_by_label("From").select_option("de")
    source(page).fill("Guten Morgen! Das WAIT kommt später.")
    expect(output(page)).to_contain_text("Good morning!")
    expect(output(page)).not_to_contain_text("WAIT")
    expect(output(page)).to_have_attribute("aria-busy", "true")
    server.go_on()
    expect(output(page)).to_have_text("Good morning! [en] Das WAIT kommt später.")
    expect(output(page)).to_have_attribute("aria-busy", "false")


def test_an_edit_while_an_answer_is_on_its_way_gives_the_old_one_up(page, server):
    page.get_by_label("From").select_option("de")
    source(page).fill("Das WAIT kommt nie.")
    expect(output(page)).to_have_attribute("aria-busy", "true")
    source(page).fill("Guten Morgen!")
    expect(output(page)).to_have_text("Good morning!")


def test_swap_makes_the_translation_the_text(page):
    type_and_wait(page)
    page.get_by_role("button", name="Swap languages").click()
    expect(source(page)).to_have_value(MORNING_IN_ENGLISH)
    expect(page.get_by_label("From")).to_have_value("en")
    expect(page.get_by_label("Into")).to_have_value("de")
    expect(output(page)).to_contain_text("Wo ist der Bahnhof?")


def test_a_text_in_the_target_language_gets_another_target(page):
    page.get_by_label("Into").select_option("en")
    source(page).press_sequentially("Where is the station? It is very late and everybody is tired.")
    expect(page.get_by_label("Into")).to_have_value("de")
    expect(output(page)).to_contain_text("Wo ist der Bahnhof?")


def test_a_word_lights_up_with_what_it_translates(page):
    type_and_wait(page)
    point_at(page, "station")
    expect(page.locator("#output .current")).to_have_text("Where is the station?")
    assert highlights(page) == {"aligned": ["station"], "source-aligned": ["Bahnhof"]}
    expect(page.locator("#note")).to_have_text("The model is 90% sure of this sentence.")
    page.mouse.move(5, 5)
    expect(page.locator("#note")).to_have_text("")
    assert highlights(page) == {}


def test_characters_beyond_the_basic_plane_do_not_shift_the_alignment(page):
    page.get_by_label("From").select_option("de")
    source(page).fill("🍕 Hund. Hallo 🍕 Katze und Maus.")
    expect(output(page)).to_contain_text("[en] Hallo 🍕 Katze und Maus.")
    point_at(page, "Katze")
    assert highlights(page) == {"aligned": ["Katze"], "source-aligned": ["Katze"]}


def test_other_translations_of_a_word_and_of_the_sentence(page):
    type_and_wait(page)
    bodies = asked(page)
    point_at(page, "station", click=True)
    menu = page.get_by_role("dialog", name="Other translations")
    expect(menu.get_by_role("button", name="Where's the station?")).to_be_visible()
    assert {body.get("prefix") for body in bodies} == {"Where is the ", None}
    menu.get_by_role("button", name="Where's the station?").click()
    expect(output(page)).to_have_text("Good morning! Where's the station?")
    expect(menu).not_to_be_visible()
    # The alignment follows with an answer of its own, so the pointer stays at the word until then.
    page.wait_for_function(
        """([x, y]) => {
            const options = { clientX: x, clientY: y, bubbles: true };
            document.getElementById("output").dispatchEvent(new PointerEvent("pointermove", options));
            return [...(CSS.highlights.get("source-aligned") ?? [])].join() === "Wo";
        }""",
        arg=place_of(page, "Where's"),
    )
    page.get_by_role("button", name="Undo").click()
    expect(output(page)).to_have_text(MORNING_IN_ENGLISH)


def test_a_choice_stays_when_something_else_changes(page):
    type_and_wait(page)
    point_at(page, "Good", click=True)
    page.get_by_role("button", name="Morning!", exact=True).first.click()
    expect(output(page)).to_have_text("Morning! Where is the station?")
    source(page).press("End")
    source(page).press_sequentially(" Das ist gut.")
    expect(output(page)).to_have_text("Morning! Where is the station? [en] Das ist gut.")


def test_a_sentence_is_looked_into(page):
    type_and_wait(page)
    page.get_by_role("button", name="Look inside").click()
    panel = page.locator("#inspector")
    expect(panel).to_contain_text("Choose a sentence")
    point_at(page, "station", click=True)
    page.get_by_role("dialog").get_by_role("button", name="Look inside").click()
    drawing = panel.get_by_role("img")
    expect(drawing).to_have_accessible_name(re.compile("Where – Wo, is – ist, the – der, station – Bahnhof"))
    panel.get_by_role("button", name="Attention").click()
    expect(drawing).to_have_accessible_name(
        re.compile("Cross-attention: translation to text, layer 1, head 1: Where – Wo, is – ist")
    )
    panel.get_by_label("Type of attention").select_option("encoder")
    expect(drawing).to_have_accessible_name(re.compile("Encoder self-attention, layer 1, head 1: Wo – Wo, ist – ist"))
    expect(panel.get_by_label("Type of attention")).to_be_focused()
    assert panel.get_by_label("Layer").locator("option").all_text_contents() == ["layer 1"]
    assert_accessible(page)
    panel.get_by_role("button", name="Search").click()
    expect(drawing).to_have_accessible_name(re.compile(r"Where is the station\? \(-0.10\); Where's the station\?"))
    assert panel.locator("svg .node.best").count() == 6
    assert panel.locator("svg .node").count() == 11
    assert_accessible(page)
    panel.get_by_role("button", name="Close").click()
    expect(panel).not_to_be_visible()


def test_doubtful_sentences_are_underlined_and_explained(page):
    type_and_wait(page, "Ein LOOP hier. Guten Morgen!", "[en] Ein LOOP hier. Good morning!")
    expect(page.locator("#output .doubtful")).to_have_text("[en] Ein LOOP hier.")
    point_at(page, "LOOP")
    expect(page.locator("#note")).to_have_text("Check this sentence: it ends too early")


def test_the_keyboard_alone_is_enough(page):
    page.keyboard.press("Alt+1")
    page.keyboard.type(MORNING)
    expect(output(page)).to_have_text(MORNING_IN_ENGLISH)
    page.keyboard.press("Alt+2")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert highlights(page)["cursor"] == ["Where"]
    expect(page.locator("#note")).to_have_text("Where: Wo · The model is 90% sure of this sentence.")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Where's the station?").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(output(page)).to_have_text("Good morning! Where's the station?")
    expect(output(page)).to_be_focused()
    page.keyboard.press("Alt+x")
    expect(source(page)).to_have_value("")
    expect(source(page)).to_be_focused()
    page.keyboard.press("Alt+z")
    expect(source(page)).to_have_value(MORNING)


def test_tab_reaches_every_control_and_escape_closes_the_menu(page):
    type_and_wait(page, "Guten Morgen!", "Good morning!")
    seen = set()
    page.locator("body").press("Home")
    for _ in range(24):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.id"))
    assert {"theme", "help", "ui-language", "source-language", "swap", "target-language", "source-text"} <= seen
    assert {"clear", "output", "copy", "download", "share"} <= seen
    output(page).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    menu = page.get_by_role("dialog", name="Other translations")
    expect(menu).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).not_to_be_visible()
    expect(output(page)).to_be_focused()


def test_the_browsers_own_undo_brings_a_text_back(page):
    type_and_wait(page)
    page.get_by_role("button", name="Clear").click()
    expect(output(page)).to_have_text("The translation appears here while you type.")
    source(page).press("Control+z")
    expect(source(page)).to_have_value(MORNING)
    expect(output(page)).to_have_text(MORNING_IN_ENGLISH)


def test_copies_of_the_translation_and_of_a_link(open_page):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    type_and_wait(page)
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator("#status")).to_contain_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == MORNING_IN_ENGLISH
    page.get_by_role("button", name="Copy a link to this text", exact=True).click()
    expect(page.locator("#status")).to_contain_text("Link copied.")
    other = open_page(page.evaluate("navigator.clipboard.readText()").split("/", 3)[3])
    expect(source(other)).to_have_value(MORNING)
    expect(output(other)).to_have_text(MORNING_IN_ENGLISH)


def test_download(page):
    type_and_wait(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "translation.en.txt"
    assert download.value.path().read_text() == MORNING_IN_ENGLISH


def test_the_page_goes_on_when_the_server_comes_back(open_page, server):
    page = open_page(is_expected=lambda text: "Failed to load resource" in text or "net::ERR" in text)
    page.get_by_label("From").select_option("de")
    source(page).fill("Guten Morgen! Das WAIT kommt später.")
    expect(output(page)).to_contain_text("Good morning!")
    server.stop()
    notice = page.get_by_role("alert")
    expect(notice).to_contain_text("The server can't be reached.")
    expect(output(page)).to_contain_text("Good morning!")  # what there is stays
    source(page).press_sequentially(" Wo ist der Bahnhof?")
    server.start()
    server.go_on()
    expect(output(page)).to_have_text("Good morning! [en] Das WAIT kommt später. Where is the station?")
    expect(notice).not_to_be_visible()


def test_an_error_of_the_server_is_shown_in_its_words(open_page):
    page = open_page(is_expected=lambda text: "status of" in text)
    page.get_by_label("From").select_option("de")
    source(page).fill("Dies ist ein FAIL.")
    expect(page.get_by_role("alert")).to_contain_text("The translation failed: ")
    source(page).fill("Guten Morgen!")
    expect(output(page)).to_have_text("Good morning!")
    expect(page.get_by_role("alert")).not_to_be_visible()


def test_an_error_of_the_server_is_said_in_german(open_page):
    page = open_page(locale="de-DE", is_expected=lambda text: "status of" in text)
    page.get_by_label("Von").select_option("de")
    page.locator("#source-text").fill("Dies ist ein FAIL.")
    reason = "Das Modell konnte diesen Text nicht übersetzen."
    expect(page.get_by_role("alert")).to_contain_text(f"Die Übersetzung ist gescheitert: {reason}")
    page.get_by_role("tab", name="Dateien").click()
    page.locator("#file").set_input_files({"name": "a.docx", "mimeType": "text/plain", "buffer": b"PK"})
    expect(page.locator("#documents li")).to_contain_text("Die Datei ist beschädigt")


def test_german_for_german_browsers_and_by_choice(open_page):
    page = open_page(locale="de-AT")
    expect(page).to_have_title("Dragoman: Übersetzen")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    source_german = page.get_by_role("textbox", name="Zu übersetzender Text")
    source_german.press_sequentially(MORNING)
    expect(page.locator("#detected")).to_contain_text("Deutsch erkannt")
    page.get_by_label("Sprache dieser Seite").select_option("en")
    expect(page).to_have_title("Dragoman: translate")
    # The page reads the languages again for their names; a reload before that would be one more failed request.
    expect(page.locator("#target-language option").first).to_have_text("German")
    page.reload()
    expect(page).to_have_title("Dragoman: translate")


def test_languages_and_colours_are_remembered(page):
    page.get_by_label("From").select_option("en")
    page.get_by_role("button", name="Light or dark").click()
    theme = page.locator("html").get_attribute("data-theme")
    page.reload()
    expect(page.get_by_label("From")).to_have_value("en")
    expect(page.get_by_label("Into")).to_have_value("de")
    assert page.locator("html").get_attribute("data-theme") == theme == "dark"


def test_a_phone_shows_everything_without_scrolling_sideways(open_page):
    page = open_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True, device_scale_factor=2)
    type_and_wait(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    box = page.locator("#output .sentence").last.bounding_box()
    assert box is not None
    page.touchscreen.tap(box["x"] + 20, box["y"] + box["height"] / 2)
    menu = page.get_by_role("dialog", name="Other translations")
    expect(menu).to_be_visible()
    around = menu.bounding_box()
    assert around is not None
    assert around["x"] >= 0
    assert around["x"] + around["width"] <= 360


def test_a_pivot_is_named(page):
    answer = {"translatedText": ["Hallo"], "pivot": ["en"], "timing": {}}
    body = f"event: translation\ndata: {json.dumps(answer)}\n\n"
    page.route("**/translate", lambda route: route.fulfill(body=body, content_type="text/event-stream"))
    page.get_by_label("From").select_option("de")
    source(page).fill("Hallo")
    expect(page.locator("#pivot")).to_have_text("Translated through English.")


def test_a_long_paste_is_translated_in_pieces(page):
    page.get_by_label("From").select_option("de")
    lines = [f"Dies ist der Satz mit der Nummer {number} von vielen." for number in range(300)]
    bodies = asked(page)
    source(page).fill("\n".join(lines))
    expect(output(page).locator(".line")).to_have_count(300)
    expect(output(page).locator(".line").last).to_have_text("[en] Dies ist der Satz mit der Nummer 299 von vielen.")
    assert max(sum(map(len, body["q"])) for body in bodies) <= 4000
    assert len(bodies) > 3


def test_what_is_loaded_on_demand_is_not_lost_while_the_server_is_away(open_page, server):
    page = open_page(is_expected=lambda text: "Failed to load resource" in text)
    expect(page.locator("#target-language option")).to_have_count(2)
    server.stop()
    page.get_by_role("button", name="Glossary", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("The server can't be reached.")
    page.evaluate(PASTE, ["#source-text", "<b>Guten</b> Morgen!", "Guten Morgen!"])
    expect(source(page)).to_have_value("Guten Morgen!")
    server.start()
    page.get_by_role("button", name="Glossary", exact=True).click()
    expect(page.get_by_role("region", name="Glossary")).to_be_visible()
