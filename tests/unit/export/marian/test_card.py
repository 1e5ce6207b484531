"""What READMEs of models say of languages and licences."""

import pytest

from export.marian.card import read_card


def test_facts_of_a_readme() -> None:
    card = read_card(
        "---\nlicense: cc-by-4.0\n---\n"
        "* source language(s): deu\n  - target languages: `fra`, ita\n* valid language labels: >>fra<< >>ita<<\n"
        "https://object.pouta.csc.fi/Tatoeba-MT-models/deu-itc/opus.zip"
    )
    assert (card.sources, card.targets, card.tags) == (("deu",), ("fra", "ita"), (">>fra<<", ">>ita<<"))
    assert (card.release, card.licence) == (("deu", "itc"), "cc-by-4.0")


def test_an_empty_line_says_nothing_and_takes_nothing_of_the_next() -> None:
    card = read_card("* source language(s):\n* target language(s): fra\n")
    assert (card.sources, card.targets) == ((), ("fra",))


@pytest.mark.parametrize("text", ["\n" * 1_000_000, "---" + "\n" * 1_000_000, "* source languages:" + " " * 1_000_000])
def test_white_space_without_end_takes_no_time(text: str) -> None:
    assert read_card(text).sources == ()
