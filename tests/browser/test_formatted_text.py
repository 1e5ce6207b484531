"""Formatted text on the translation page: pasted, translated, aligned."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PASTE
from tests.support.page import (
    asked,
    highlights,
    output,
    point_at,
    source,
)

HOSTILE = (
    "<p>Der <b>Hund</b> bellt.<script>window.hacked = 1</script></p><img src=x onerror='window.hacked = 2'>"
    "<style>body { display: none }</style><p onclick='window.hacked = 3'>Die "
    "<a href='javascript:window.hacked=4'>Katze</a> und die <a href='https://example.org/'>Maus</a>.</p>"
    "<iframe srcdoc='<script>parent.hacked = 5</script>'></iframe>"
    "<p title='a > b' style='color: red'\nONCLICK = 'window.hacked = 6'>Wer <span style=color:red>style=neu</span>?</p>"
    "<svg onload='window.hacked = 7'><style>p { color: red }</style><text>Bild</text></svg>"
)


def test_pasted_formatting_is_kept_and_nothing_in_it_runs(page):
    page.get_by_label("From").select_option("de")
    page.evaluate(PASTE, ["#source-text", HOSTILE, "Der Hund bellt."])
    translated = page.locator("#rich-output")
    expect(translated.locator("b")).to_have_text("Hund")
    expect(translated).to_contain_text("[en] Der Hund bellt.")
    expect(translated).to_contain_text("[en] Wer style=neu?")
    expect(translated).not_to_contain_text("Bild")
    assert page.evaluate("window.hacked") is None
    for selector in ("script", "img", "style", "iframe", "[onclick]", "[style]", "a[href^=javascript]"):
        assert page.locator(f"#rich-output {selector}, #rich-source {selector}").count() == 0
    expect(translated.locator("a[href='https://example.org/']")).to_have_text("Maus")
    page.get_by_role("button", name="Plain text").click()
    expect(source(page)).to_have_value(re.compile("Der Hund bellt."))
    expect(output(page)).to_contain_text("[en] Der Hund bellt.")


def test_only_changed_paragraphs_of_formatted_text_are_asked_again(page):
    page.get_by_label("From").select_option("de")
    page.evaluate(PASTE, ["#source-text", "<p>Der <b>Hund</b> bellt.</p><p>Die Katze schläft.</p>", ""])
    expect(page.locator("#rich-output")).to_contain_text("[en] Die Katze schläft.")
    bodies = asked(page)
    page.locator("#rich-source p").last.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" Ja.")
    expect(page.locator("#rich-output")).to_contain_text("[en] Ja.")
    assert not any("Hund" in text for body in bodies for text in body["q"])


def test_the_language_of_formatted_text_is_detected_and_stays(page):
    page.evaluate(PASTE, ["#source-text", "<p>Der <b>Hund</b> bellt, und die Katze schläft.</p>", ""])
    expect(page.locator("#rich-output")).to_contain_text("[en] Der Hund bellt")
    bodies = asked(page)
    page.locator("#rich-source p").click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" Ja.")
    expect(page.locator("#rich-output")).to_contain_text("[en] Ja.")
    expect(page.locator("#detected")).to_contain_text("German detected")
    assert {body["source"] for body in bodies} == {"de"}


def test_words_of_formatted_text_light_up(page):
    page.get_by_label("From").select_option("de")
    html = "<p>Ein LOOP.</p><ul><li>Guten <b>Morgen</b>!</li><li>Wo ist\n der <i>Bahn</i>hof?</li></ul>"
    page.evaluate(PASTE, ["#source-text", html, ""])
    expect(page.locator("#rich-output li").last).to_have_text("Where is the station?")
    point_at(page, "station", within="rich-output")
    lit = {"aligned": ["station"], "source-aligned": ["Bahnhof"]}
    doubtful = {"doubtful": ["[en] Ein LOOP."]}
    assert highlights(page) == lit | doubtful
    expect(page.locator("#note")).to_have_text("The model is 90% sure of this sentence.")
    point_at(page, "hof", within="rich-source")
    assert highlights(page) == lit | doubtful
    point_at(page, "LOOP", within="rich-output")
    expect(page.locator("#note")).to_have_text("Check this sentence: it ends too early")
    page.get_by_role("button", name="Plain text").click()
    assert highlights(page) == {}


@pytest.mark.parametrize(("leader", "follower"), [("plain-source", "output"), ("output", "plain-source")])
def test_the_panes_scroll_together(page, leader, follower):
    page.get_by_label("From").select_option("de")
    # A line of the text is taller than its translation, and the others are the other way round.
    source(page).fill("Hallo. " * 90 + "\n" + "\n".join(f"Zeile {number}." for number in range(90)))
    expect(output(page).locator(".line").last).to_have_text("[en] Zeile 89.")

    # The text area is as high as its text, so that it is the pane that scrolls.
    assert source(page).evaluate("area => [area.scrollTop, area.scrollHeight <= area.clientHeight]") == [0, True]

    def first_line(pane: str) -> str:
        """The line in the middle of a pane while the other pane is scrolled there."""
        return page.evaluate(
            """id => {
                const box = document.getElementById(id).getBoundingClientRect();
                const lines = [...document.querySelectorAll(id === "output" ? "#output .line" : "#mirror > div")];
                return lines.findIndex((line) => line.getBoundingClientRect().bottom > (box.top + box.bottom) / 2);
            }""",
            pane,
        )

    page.locator(f"#{leader}").evaluate("pane => { pane.scrollTop = pane.scrollHeight / 2 - pane.clientHeight / 2; }")
    page.wait_for_function("id => document.getElementById(id).scrollTop > 0", arg=follower)
    assert abs(first_line(leader) - first_line(follower)) <= 1
    page.locator(f"#{leader}").evaluate("pane => { pane.scrollTop = pane.scrollHeight; }")
    page.wait_for_function(
        "id => { const pane = document.getElementById(id); "
        "return pane.scrollTop + pane.clientHeight > pane.scrollHeight - 2; }",
        arg=follower,
    )


def test_markup_typed_as_text_stays_text(page):
    text = "<img src=x onerror=alert(1)> ist ein Tag."
    page.get_by_label("From").select_option("de")
    source(page).fill(text)
    expect(output(page)).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("#output img").count() == 0
