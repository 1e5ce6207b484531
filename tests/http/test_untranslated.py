"""What stays untranslated on purpose is counted in the answer, with ranges and reasons."""

from itertools import pairwise

import httpx
import pytest

from app.text.untranslated import Reason, counted

pytestmark = pytest.mark.anyio


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


async def test_without_details_nothing_is_listed(client: httpx.AsyncClient) -> None:
    body = {"q": "Hallo {{name}}", "source": "de", "target": "en"}
    assert "untranslated" not in (await client.post("/translate", json=body)).json()


def test_reasons_are_counted_in_their_order() -> None:
    assert counted([Reason.MARKUP, Reason.PROTECTED, Reason.MARKUP]) == {"protected": 1, "markup": 2}
    assert list(counted(reversed(Reason))) == [reason.value for reason in Reason]
