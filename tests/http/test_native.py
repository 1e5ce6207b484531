"""POST /translate beyond LibreTranslate: details, protected spans, Markdown, warnings."""

import html
import string

import pytest

from app.text.inline.objects import TOKEN
from app.text.inline.target_tokens import Link
from app.text.register import FORMALITIES
from app.translation.word_links import word_links
from tests.support.fakes import serving
from tests.support.toy import engine_of

DE_EN = {"source": "de", "target": "en"}
TEXTS = [
    "Guten Morgen! Wo ist der Bahnhof?",
    "  Der Hund trinkt Wasser.\n\n\tGestern, 🙂 heute. \r\n- Eins\n",
    "🙂🙂 Straße e\u0301 {{name}} %d! Die Katze {{name}}%d liebt %s.",
    "42\n\nTom liebt {{name}}.",
]
PROTECT = ["{{name}}", "regex:%[ds]"]


async def translate(client, text, **parameters):
    response = await client.post("/translate", json={"q": text, **DE_EN, **parameters})
    assert response.status_code == 200, response.text
    return response.json()


def assert_places_are_exact(source: str, target: str, details: list[dict]) -> None:
    """Every place slices the texts; sentences don't overlap; links join whole words."""
    for side, text in (("source", source), ("target", target)):
        edges = {edge for match in TOKEN.finditer(text) for edge in match.span()}
        done = 0
        for sentence in details:
            begin, end = sentence[side]["begin"], sentence[side]["end"]
            assert done <= begin and text[begin:end] == sentence[side]["text"]
            done = end
            for link in sentence["alignment"]:
                assert begin <= link[side][0] < link[side][1] <= end
                assert {*link[side]} <= edges, "cuts a word"
    for sentence in details:
        places = [link["target"] for link in sentence["alignment"]]
        assert places == sorted(places)


@pytest.mark.parametrize("protect", [None, PROTECT])
@pytest.mark.parametrize("text", TEXTS)
async def test_places_of_details_are_code_points_of_the_texts(client, text, protect):
    answer = await translate(client, text, details=True, protect=protect)
    assert answer["details"]
    assert_places_are_exact(text, answer["translatedText"], answer["details"])


async def test_places_of_details_with_a_real_model(tiny_bundle, tiny_onnx):
    async with serving(engine_of(tiny_bundle, tiny_onnx)) as client:
        for text in TEXTS:
            for protect in (None, PROTECT):
                answer = await translate(client, text, details=True, protect=protect, beam_size=2)
                assert_places_are_exact(text, answer["translatedText"], answer["details"])
                # The model may add a span that it was not given, or look at no word at all: nothing is said of these.
                for span in ("{{name}}", "%d", "%s") if protect else ():
                    assert answer["translatedText"].count(span) >= text.count(span)


async def test_places_in_markup_count_in_the_plain_text_of_a_block(client):
    html = "<h1>Guten <b>Morgen</b>!</h1><p>Guten <img>Morgen! Ist {x} &lt; 3?</p>"
    answer = await translate(client, html, format="html", details=True, protect="{x}")
    plain = [("Guten Morgen!", "Good morning!"), ("Guten Morgen! Ist {x} < 3?", "Good morning! [en] Ist {x} < 3?")]
    assert [sentence["block"] for sentence in answer["details"]] == [0, 1, 1]
    for block, texts in enumerate(plain):
        own = [sentence for sentence in answer["details"] if sentence["block"] == block]
        assert_places_are_exact(*texts, own)
        assert own[-1]["source"]["end"] == len(texts[0])
        assert own[-1]["target"]["end"] == len(texts[1])


async def test_details_follow_the_shape_of_the_request(client):
    texts = ["Guten Morgen!", "42", "Wo ist der Bahnhof?"]
    answer = await translate(client, texts, details=True)
    assert [[each["target"]["text"] for each in own] for own in answer["details"]] == [
        ["Good morning!"],
        [],
        ["Where is the station?"],
    ]
    assert (await translate(client, texts[:1], details=True))["details"] == answer["details"][:1]


async def test_details_hold_the_alternatives_of_each_sentence(client):
    answer = await translate(client, "Guten Morgen! Wo ist der Bahnhof?", details=True, alternatives=2)
    assert [sentence["alternatives"] for sentence in answer["details"]] == [
        [{"text": "Good morning to you!", "score": -0.2}, {"text": "Morning!", "score": -0.2}],
        [{"text": "Where's the station?", "score": -0.2}],
    ]
    assert answer["alternatives"] == ["Good morning to you! Where's the station?", "Morning! Where's the station?"]


async def test_details_hold_the_confidence_of_a_calibrated_model(client, engine):
    [sentence] = (await translate(client, "Guten Morgen!", details=True))["details"]
    assert sentence["confidence"] == 0.9
    engine.confidence = None
    [sentence] = (await translate(client, "Guten Morgen!", details=True))["details"]
    assert sentence["confidence"] is None


@pytest.mark.parametrize(("value", "wanted"), [(True, True), ("1", True), ("TRUE", True), (False, False), ("0", False)])
async def test_details_only_if_asked_for(client, engine, value, wanted):
    assert ("details" in await translate(client, "Guten Morgen!", details=value)) == wanted
    assert engine.options[0].alignment == wanted


@pytest.mark.parametrize("placeholders", [(), ("\ue000", "\ue001")])
@pytest.mark.parametrize(
    ("text", "protect", "translation"),
    [
        ("Hallo {x}, hallo {x}.", "{x}", "[en] Hallo {x}, hallo {x}."),
        ("Hallo {x} und %d.", ["{x}", "%d"], "[en] Hallo {x} und %d."),
        ("Hallo {x}%d.", ["{x}", "%d"], "[en] Hallo {x}%d."),
        ("Hallo $A_B.", ["regex:[$][A-Z_]+"], "[en] Hallo $A_B."),
        ("Nimm <b>das &amp; dies</b>.", ["<b>das &amp; dies</b>"], "[en] Nimm <b>das &amp; dies</b>."),
        ("Tom und Boston sehen {x}.", ["{x}"], "[en] Tom und Boston sehen {x}."),
        ("Tom sieht {x}.", ["Tom", "{x}"], "[en] Tom sieht {x}."),
        ("Ein. Satz mit eins.zwei.", ["Ein. Satz"], "[en] Ein. Satz mit eins.zwei."),
        ("Hallo Welt.", ["fehlt"], "[en] Hallo Welt."),
        ("{x} 42", ["{x}"], "{x} 42"),
        ("Hallo", ["Hallo"], "Hallo"),
        ("\ue001 sieht {x}, %d und %d.", ["{x}", "%d"], "[en] \ue001 sieht {x}, %d und %d."),
    ],
)
async def test_protected_spans_come_back_as_they_were(client, engine, text, protect, translation, placeholders):
    engine.known_placeholders = placeholders
    assert await translate(client, text, protect=protect) == {"translatedText": translation, "protectedLost": []}


async def test_the_engine_does_not_see_protected_spans(client, engine):
    await translate(client, "Gib {geheim} weiter.", protect="{geheim}")
    [([text], *_)] = engine.calls
    assert "geheim" not in text


async def test_what_the_model_knows_stands_in(client, engine):
    engine.known_placeholders = ("\ue000", "\ue001")
    parameters = {"protect": ["{x}", "{y}"], "source": "auto"}
    await translate(client, "Ich möchte {x} und {y} und dann nach Hause gehen.", **parameters)
    await translate(client, "<p>Ich möchte <b>{x}</b> und dann nach Hause gehen.</p>", format="html", **parameters)
    asked = dict.fromkeys(text for texts, *_ in engine.calls for text in texts)
    assert list(asked) == [
        "Ich möchte \ue000 und \ue001 und dann nach Hause gehen.",
        "Ich möchte \ue000 und dann nach Hause gehen.",
    ]


@pytest.mark.parametrize("source", ["de", "auto"])
@pytest.mark.parametrize(
    ("form", "text"), [("text", "Gib {} weiter, bitte."), ("html", "<p>Gib <b>{}</b> weiter, bitte.</p>")]
)
async def test_words_that_the_model_has_no_letters_for_do_not_get_to_it(client, engine, form, text, source):
    engine.known_characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ., "
    engine.known_placeholders = ("\ue000",)
    answer = await translate(client, text.format("Żółć"), format=form, source=source)
    assert "Żółć" in answer["translatedText"]
    assert "Gib \ue000 weiter, bitte." in [text for texts, *_ in engine.calls for text in texts]


async def test_what_the_model_has_no_letters_for_may_be_written_as_an_entity(client, engine):
    engine.known_characters, engine.known_placeholders = "abcdefghijklmnopqrstuvwxyzGK., ", ("\ue000",)
    answer = await translate(client, "<p>Gib &#321;&#243;d&#378; Kraft.</p>", format="html")
    assert "Łódź" in html.unescape(answer["translatedText"])
    assert [text for texts, *_ in engine.calls for text in texts] == ["Gib \ue000 Kraft."]


@pytest.mark.parametrize("placeholders", [(), ("\ue000", "\ue001")])
@pytest.mark.parametrize(
    ("form", "text", "protect", "translation"),
    [
        ("html", "<p>Ist <b>a &lt; b</b> gut?</p>", ["a < b"], "<p>[en] Ist <b>a &lt; b</b> gut?</p>"),
        ("html", "<p>Hallo {x}!</p><p>{x}</p>", ["{x}"], "<p>[en] Hallo {x}!</p><p>{x}</p>"),
        ("markdown", "* Hallo *{x}*!", ["{x}"], "* [en] Hallo *{x}*!"),
        ("markdown", "Hallo a_b_c!", ["a_b_c"], "[en] Hallo a_b_c!"),
    ],
)
async def test_protected_spans_in_markup(client, engine, form, text, protect, translation, placeholders):
    engine.known_placeholders = placeholders
    answer = await translate(client, text, format=form, protect=protect)
    assert answer["translatedText"].replace("\\", "") == translation  # Markdown escapes the engine's brackets
    assert answer["protectedLost"] == []


@pytest.mark.parametrize("form", ["html", "markdown"])
async def test_numbers_of_characters_may_have_any_number_of_digits(client, form):
    reference = f"&#{'1' * 5000};"
    answer = await translate(client, f"<p>Guten Morgen! {reference}</p>", format=form)
    assert "Good morning!" in answer["translatedText"]


async def test_what_was_protected_unasked_is_named_if_it_is_lost(client, engine):
    engine.busy, engine.known_characters = True, string.ascii_letters + " !"
    assert "protectedLost" not in await translate(client, "Guten Morgen!")
    answer = await translate(client, "Vergiss {x} nicht!")
    assert answer["protectedLost"] == ["{x}"] and answer["translatedText"].count("{x}") == 1
    first, *attempts = engine.quotas[1:]
    assert attempts and not first.is_retry and all(quota.is_retry and quota.admitted for quota in attempts)


@pytest.mark.parametrize("form", ["text", "html", "markdown"])
async def test_lost_spans_are_in_the_text_and_named(engine, client, form):
    engine.busy = True
    parameters = {"q": ["Vergiss {x} nicht!", "Guten Morgen!"], **DE_EN, "protect": ["{x}"], "format": form}
    response = await client.post("/translate", json=parameters)
    first, second = response.json()["translatedText"]
    assert first.count("{x}") == 1 and first.replace("{x}", "").split() == ["Don't", "forget!"]
    assert second == "Good morning!"
    assert response.json()["protectedLost"] == [["{x}"], []]
    assert response.headers["X-Dragoman-Warnings"] == "protected_lost=1"


async def test_a_sentence_that_lost_a_span_is_translated_with_another_stand_in(client):
    answer = await translate(client, "Vergiss {x} nicht!", protect=["{x}"])
    assert answer == {"translatedText": "[en] Vergiss {x} nicht!", "protectedLost": []}


@pytest.mark.parametrize("way", ["data", "files", "params"])
async def test_forms_repeat_the_field(client, way):
    parts = [("q", "Hallo {x} und %d."), ("source", "de"), ("target", "en"), ("protect", "{x}"), ("protect", "%d")]
    values = {
        "data": {"q": parts[0][1], **DE_EN, "protect": ["{x}", "%d"]},
        "files": [(name, (None, value)) for name, value in parts],
        "params": parts,
    }
    response = await client.post("/translate", **{way: values[way]})
    assert response.json() == {"translatedText": "[en] Hallo {x} und %d.", "protectedLost": []}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"protect": ["x", "regex:("]}, "protect pattern 2 is not a regular expression that RE2 understands "),
        ({"protect": "regex:(?=x)"}, "protect pattern 1 is not a regular expression that RE2 understands "),
        ({"protect": r"regex:(x)\1"}, "protect pattern 1 is not a regular expression that RE2 understands "),
        ({"protect": ["x" * 201]}, "protect pattern 1 must have 1 to 200 characters."),
        ({"protect": ["x", ""]}, "protect pattern 2 must have 1 to 200 characters."),
        ({"protect": ["regex:"]}, "protect pattern 1 must have 1 to 200 characters."),
        ({"protect": ["x"] * 101}, "protect has 101 patterns; at most 100 are allowed."),
        ({"protect": [1]}, "Invalid request: protect parameter must be a list of strings"),
        ({"protect": {"a": 1}}, "Invalid request: protect parameter must be a list of strings"),
        ({"protect": ["\0"]}, "Invalid request: protect parameter holds a NUL character"),
        ({"details": "yes"}, "Invalid request: details parameter must be true or false"),
        ({"details": [True]}, "Invalid request: details parameter must be true or false"),
        ({"stream": 2}, "Invalid request: stream parameter must be true or false"),
    ],
)
async def test_malformed_fields_are_refused(client, engine, changes, text):
    response = await client.post("/translate", json={"q": "Guten Morgen!", **DE_EN, **changes})
    assert (response.status_code, response.json()["code"]) == (400, "invalid_request")
    assert response.json()["error"].startswith(text)
    assert engine.calls == []


@pytest.mark.parametrize("nothing", [None, "", [], [""]])
async def test_nothing_to_protect_is_as_if_not_given(client, nothing):
    assert await translate(client, "Guten Morgen!", protect=nothing) == {"translatedText": "Good morning!"}


async def test_markdown_keeps_what_is_not_text(client):
    source = "---\nlayout: x\n---\n\n# Guten Morgen!\n\n| a | Guten Morgen! |\n| - | - |\n\n```\nGuten Morgen!\n```\n"
    answer = await translate(client, source, format="markdown", alternatives=1)
    head, code = "---\nlayout: x\n---\n\n# Good morning!\n\n| ", "```\nGuten Morgen!\n```\n"
    assert answer["translatedText"].startswith(head) and answer["translatedText"].endswith(code)
    assert "| Good morning! |\n| - | - |\n" in answer["translatedText"]
    assert answer["alternatives"] == []


async def test_warnings_count_the_verdicts(engine, client):
    engine.busy = True
    body = {**DE_EN, "q": ["LOOP eins. Guten Morgen! LOOP zwei.", "LOOP drei.", "Vergiss {x} nicht!"], "protect": "{x}"}
    response = await client.post("/translate", json=body | {"details": True})
    assert response.headers["X-Dragoman-Warnings"] == "protected_lost=1, truncated=3"
    verdicts = [[sentence["verdicts"] for sentence in own] for own in response.json()["details"]]
    assert verdicts == [[["truncated"], [], ["truncated"]], [["truncated"]], [[]]]


@pytest.mark.parametrize("form", ["html", "markdown"])
async def test_warnings_are_there_for_markup_too(client, form):
    response = await client.post("/translate", json={"q": "**LOOP** eins.", **DE_EN, "format": form})
    assert response.headers["X-Dragoman-Warnings"] == "truncated=1"


async def test_no_warnings_if_all_is_well(client):
    response = await client.post("/translate", json={"q": "Guten Morgen!", **DE_EN})
    assert "X-Dragoman-Warnings" not in response.headers


@pytest.mark.parametrize(
    ("source", "target", "pieces", "words"),
    [
        ("Straßenbahn", "tram car", [(0, 7, 0, 2), (7, 11, 2, 4)], [(0, 11, 0, 4)]),
        ("Guten Tag!", "Hi!", [(6, 9, 0, 2), (9, 10, 2, 3)], [(6, 9, 0, 2), (9, 10, 2, 3)]),
        ("a bc", "x yz", [(3, 4, 2, 3), (0, 1, 0, 1)], [(0, 1, 0, 1), (2, 4, 2, 4)]),
        ("ab cd", "xy", [(1, 4, 0, 2)], [(0, 5, 0, 2)]),
        ("ab  cd", "xy", [(2, 4, 0, 2)], [(2, 4, 0, 2)]),
        ("it's", "l’a", [(3, 4, 2, 3)], [(0, 4, 0, 3)]),
        ("", "", [], []),
    ],
)
def test_links_between_pieces_become_links_between_words(source, target, pieces, words):
    assert word_links(source, target, [Link(*piece) for piece in pieces]) == [Link(*word) for word in words]


async def test_a_translation_goes_on_from_its_prefix(client, engine):
    answer = await translate(client, "Guten Morgen!", prefix="Good morning", alternatives=1, details=True)
    assert answer["translatedText"] == "Good morning!"
    assert answer["alternatives"] == ["Good morning to you!"]
    assert [entry["text"] for entry in answer["details"][0]["alternatives"]] == ["Good morning to you!"]
    assert engine.options[-1].prefix == "Good morning"


async def test_a_register_is_steered_and_reported(client, engine):
    texts = ["How are you?", "Where are you?", "5"]

    async def asked(formality):
        return await translate(client, texts, source="en", target="de", formality=formality, details=True)

    more = await asked("more")
    assert more["translatedText"][0] == "Wie geht es Ihnen?"
    assert more["translatedText"][1] == "Wo bist du?", "the engine knows no other"
    assert more["formality"] == ["more", None, "more"]
    assert more["details"][1][0]["verdicts"] == ["formality"]
    assert "Sie" not in engine.options[-1].avoid and "du" in engine.options[-1].avoid
    less = await asked("prefer_less")
    assert less["translatedText"][0] == "Wie geht es dir?" and less["formality"] == ["less"] * 3
    assert "formality" not in await asked("default")


@pytest.mark.parametrize(
    ("target", "formality", "text"),
    [
        ("en", "more", "Target language 'en' doesn't support formality."),
        ("de", "very", f"Invalid request: formality parameter must be one of {', '.join(FORMALITIES)}"),
        ("de", 1, f"Invalid request: formality parameter must be one of {', '.join(FORMALITIES)}"),
    ],
)
async def test_a_register_that_makes_no_sense_is_refused(client, target, formality, text):
    body = {"q": "Hallo", "source": "de", "target": target, "formality": formality}
    response = await client.post("/translate", json=body)
    assert (response.status_code, response.json()["error"]) == (400, text)
    ignored = await client.post("/translate", json={**body, "target": "en", "formality": "prefer_more"})
    assert ignored.status_code == 200 and "formality" not in ignored.json()


async def test_with_a_prefix_the_text_is_one_sentence(client, engine, monkeypatch):
    asked = []
    stream = engine.stream
    monkeypatch.setattr(engine, "stream", lambda call: asked.append(call) or stream(call))
    for prefix, splitting in ((None, "sentences"), ("", "off"), ("Good", "off")):
        await translate(client, "Guten Morgen! Wo ist der Bahnhof?", prefix=prefix)
        assert (asked[-1].splitting, asked[-1].options.prefix) == (splitting, prefix)


async def test_what_is_protected_may_be_in_the_prefix(client, engine):
    engine.known_placeholders = ("\u2460",)
    answer = await translate(client, "Vergiss {{name}} nicht!", prefix="Never forget {{name}}", protect=["{{name}}"])
    assert engine.options[0].prefix == "Never forget \u2460"
    assert answer == {"translatedText": "Never forget {{name}} …", "protectedLost": []}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"prefix": 1}, "prefix parameter must be a string"),
        ({"prefix": "Good", "format": "html"}, "prefix parameter needs q to be one plain text, not a list or markup"),
        ({"prefix": "Good", "q": ["Hallo"]}, "prefix parameter needs q to be one plain text, not a list or markup"),
        ({"prefix": "a" * 2001}, "prefix parameter is longer than 2000 characters"),
    ],
)
async def test_a_prefix_that_makes_no_sense_is_refused(client, engine, changes, text):
    response = await client.post("/translate", json={"q": "Guten Morgen!", **DE_EN} | changes)
    assert (response.status_code, response.json()["error"]) == (400, f"Invalid request: {text}")
    assert engine.calls == []
