"""What stays untranslated on purpose is counted in the answer, with ranges and reasons."""

from itertools import pairwise

import httpx
import pytest

from app.text.untranslated import Reason, counted


async def untranslated(client: httpx.AsyncClient, text: str, **options: object) -> list[tuple[str, str]]:
    response = await client.post(
        "/translate", json={"q": text, "source": "de", "target": "en", "details": True, **options}
    )
    answer = response.json()
    found = answer["untranslated"]
    assert all(one["end"] <= other["begin"] for one, other in pairwise(found) if one["block"] == other["block"])
    return [(text[each["begin"] : each["end"]], each["reason"]) for each in found]


async def test_protected_spans_are_listed(client: httpx.AsyncClient) -> None:
    assert await untranslated(client, "Hallo {{name}}, siehe https://example.org heute") == [
        ("{{name}}", "protected"),
        ("https://example.org", "protected"),
    ]
    assert await untranslated(client, "Die Firma Acme zahlt", protect=["Acme"]) == [("Acme", "protected")]


async def test_numbers_are_written_anew_and_not_listed(client: httpx.AsyncClient) -> None:
    assert await untranslated(client, "Das kostet 1.500,50 € heute") == []


async def test_a_sentence_in_the_target_language_is_listed(client: httpx.AsyncClient) -> None:
    text = "Guten Morgen. Please contact our support team."
    assert await untranslated(client, text) == [("Please contact our support team.", "target_language")]


async def test_elements_of_markup_are_listed_by_block(client: httpx.AsyncClient) -> None:
    response = await client.post(
        "/translate",
        json={
            "q": "<p>Ein Haus</p><p>Rufe <code>f()</code> auf</p>",
            "source": "de",
            "target": "en",
            "format": "html",
            "details": True,
        },
    )
    answer = response.json()
    [found] = answer["untranslated"]
    assert (found["block"], found["reason"], found["begin"]) == (1, "markup", 5)


@pytest.mark.parametrize(
    ("syntax", "text", "kept"),
    [
        ("html", "<p>Ein Haus</p><pre>x = 1</pre><p>Ein Baum</p>", [("<pre>x = 1</pre>", "markup")]),
        (
            "html",
            '<div translate="no"><p>Ein</p><p>Haus</p></div>',
            ['<div translate="no"><p>Ein</p><p>Haus</p></div>'],
        ),
        (
            "html",
            '<ul translate="no"><li>a<li translate="yes">Haus<li>b</ul>',
            ['<ul translate="no"><li>a', "<li>b</ul>"],
        ),
        ("html", '<p><code>f()</code></p><hr><p class="notranslate">–</p>', ["<code>f()</code>"]),
        ("html", '<p>Haus</p><p lang="fr">Une maison', ['<p lang="fr">Une maison']),
        ("html", "<p>Das ist <ruby>漢<rt>kan</rt></ruby>", ["<rt>kan</rt>"]),
        ("html", "<p>https://example.org</p>", [("https://example.org", "protected")]),
        ("html", "<p>Haus</p><script>x = 1</script><!-- y -->", []),
        ("markdown", "Ein Haus\n\n```\nx = 1\n```\n\n    y = 2\n", ["```\nx = 1\n```\n", "    y = 2\n"]),
        ("markdown", "Ein Haus\n\n$$\nx = 1\n$$\n", ["$$\nx = 1\n$$\n"]),
        ("markdown", "---\ntitle: a/b.html\n---\nEin Haus", [("a/b.html", "identifier")]),
    ],
)
async def test_whole_blocks_are_listed_by_their_places_in_the_markup(
    client: httpx.AsyncClient, syntax: str, text: str, kept: list[str | tuple[str, str]]
) -> None:
    body = {"q": text, "source": "de", "target": "en", "format": syntax, "details": True}
    answer = (await client.post("/translate", json=body)).json()
    found = [(text[each["begin"] : each["end"]], each["reason"]) for each in answer["untranslated"]]
    assert found == [(one, "markup") if isinstance(one, str) else one for one in kept]
    assert {each["block"] for each in answer["untranslated"]} <= {None}


async def test_a_span_of_code_in_markdown_is_an_element(client: httpx.AsyncClient) -> None:
    body = {"q": "Rufe `f()` auf", "source": "de", "target": "en", "format": "markdown", "details": True}
    [found] = (await client.post("/translate", json=body)).json()["untranslated"]
    assert found == {"block": 0, "begin": 5, "end": 10, "reason": "markup"}


async def test_attributes_for_programs_are_listed(client: httpx.AsyncClient) -> None:
    text = '<img alt="Ein Haus"><img alt="IMG_0815.jpg">'
    body = {"q": text, "source": "de", "target": "en", "format": "html", "translate_attributes": True, "details": True}
    [found] = (await client.post("/translate", json=body)).json()["untranslated"]
    assert text[found["begin"] : found["end"]] == '"IMG_0815.jpg"'
    assert (found["block"], found["reason"]) == (None, "identifier")


_XLIFF = """<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><file source-language="de" original="a"
datatype="plaintext"><body><trans-unit id="a"><source>Ein Haus</source></trans-unit>
<trans-unit id="b" translate="no"><source>Ein Baum</source></trans-unit></body></file></xliff>"""


@pytest.mark.parametrize(
    ("name", "content", "counts"),
    [
        ("a.json", '{"icon": "arrow-left", "v": "1.2", "label": "Haus", "n": 3, "e": ""}', {"identifier": 2}),
        ("a.xml", "<a><title>Ein Haus</title><at>2024-05-01</at><file>a/b.txt</file></a>", {"identifier": 2}),
        ("a.html", "<p>Ein Haus {{name}}</p><pre>x = 1</pre>", {"protected": 1, "markup": 1}),
        ("a.md", "Ein Haus\n\n```\nx = 1\n```\n", {"markup": 1}),
        ("a.xlf", _XLIFF, {"markup": 1}),
        ("a.json", '{"label": "Haus"}', None),
    ],
)
async def test_the_answer_for_a_document_counts_by_reason(
    client: httpx.AsyncClient, name: str, content: str, counts: dict[str, int] | None
) -> None:
    answer = await client.post(
        "/translate_file", data={"source": "de", "target": "en"}, files={"file": (name, content.encode())}
    )
    assert answer.status_code == 200, answer.text
    assert answer.json().get("untranslated") == counts


async def test_without_details_nothing_is_listed(client: httpx.AsyncClient) -> None:
    body = {"q": "Hallo {{name}}", "source": "de", "target": "en"}
    assert "untranslated" not in (await client.post("/translate", json=body)).json()


def test_reasons_are_counted_in_their_order() -> None:
    assert counted([Reason.MARKUP, Reason.PROTECTED, Reason.MARKUP]) == {"protected": 1, "markup": 2}
    assert list(counted(reversed(Reason))) == [reason.value for reason in Reason]
