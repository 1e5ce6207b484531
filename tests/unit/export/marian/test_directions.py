"""Which languages a model translates, from what its files and its user say."""

import pytest

from export.marian.card import Card, read_card
from export.marian.directions import find_pairs, parse_pair
from export.marian.languages import language_code
from export.marian.limits import SourceError

# In the words of the cards on the Hub and in releases.
OLD_CARD = """
---
tags:
- translation
license: apache-2.0
---

### opus-mt-de-fr

* source languages: de
* target languages: fr
*  OPUS readme: [de-fr](https://example.org/models/de-fr/README.md)
"""
NEW_CARD = """---
language:
- de
- ro

license: cc-by-4.0
---
### deu-ron

* source group: German
* target group: Romanian
* source language(s): deu
* target language(s): mol ron
* valid language labels: >>mol<< >>ron<<
"""
RELEASE = """# opus-2020-01-15.zip

* dataset: opus
* pre-processing: normalization + SentencePiece
* download: [opus-2020-01-15.zip](https://object.example/OPUS-MT-models/de+nl-fi+sv/opus-2020-01-15.zip)
"""


def pairs(*given: str, **facts: object) -> list[tuple[str, str, str | None]]:
    known: dict[str, object] = {"card": Card(), "stated": None, "name": "model", "tags": ()} | facts
    found = find_pairs(given, **known)  # type: ignore[arg-type]
    return [(pair.source, pair.target, pair.tag) for pair in found]


@pytest.mark.parametrize(
    ("label", "code"),
    [
        ("de", "de"),
        ("deu", "de"),
        ("cmn_Hans", "zh-Hans"),
        ("pt_br", "pt-BR"),
        ("pt_BR", "pt-BR"),
        ("srp_Cyrl", "sr-Cyrl"),
        ("kab", "kab"),
        ("ROMANCE", None),
        ("mul", None),
        ("gmw", None),
        ("", None),
        ("../x", None),
    ],
)
def test_codes_are_those_that_clients_send(label: str, code: str | None) -> None:
    assert language_code(label) == code


def test_cards() -> None:
    assert read_card(OLD_CARD) == Card(sources=("de",), targets=("fr",))
    assert read_card(OLD_CARD.lstrip()).licence == "apache-2.0"
    card = read_card(NEW_CARD)
    assert (card.sources, card.targets, card.tags) == (("deu",), ("mol", "ron"), (">>mol<<", ">>ron<<"))
    assert card.licence == "cc-by-4.0"
    assert read_card(RELEASE) == Card(release=("de+nl", "fi+sv"))
    assert read_card("") == read_card("---\n&a [*a]\n---\n") == Card()


def test_the_card_goes_before_the_name() -> None:
    assert pairs(card=read_card(OLD_CARD), name="opus-mt-en-es", stated=("it", "pt")) == [("de", "fr", None)]
    assert pairs(stated=("it", "pt"), name="opus-mt-en-es") == [("it", "pt", None)]
    assert (
        pairs(name="opus-mt-en-es")
        == pairs(name="opus-mt-tc-big-en-es")
        == pairs(name="eng-spa")
        == [("en", "es", None)]
    )


def test_a_language_label_is_a_target() -> None:
    tags = (">>mol<<", ">>ron<<", ">>xxx<<")
    assert pairs(card=read_card(NEW_CARD), tags=tags) == [("de", "mol", ">>mol<<"), ("de", "ro", ">>ron<<")]
    # A card that names none, and a vocabulary that has them.
    assert pairs(name="opus-mt-en-ROMANCE", tags=(">>fr<<", ">>pt_br<<")) == [
        ("en", "fr", ">>fr<<"),
        ("en", "pt-BR", ">>pt_br<<"),
    ]
    assert pairs(stated=("en", "mul"), name="opus-mt-en-de", tags=(">>fr<<", ">>it<<")) == [
        ("en", "fr", ">>fr<<"),
        ("en", "it", ">>it<<"),
    ]
    # A language in two scripts.
    assert pairs(name="opus-mt-en-zh", tags=(">>cmn_Hans<<", ">>cmn_Hant<<", ">>deu<<")) == [
        ("en", "zh-Hans", ">>cmn_Hans<<"),
        ("en", "zh-Hant", ">>cmn_Hant<<"),
    ]
    # What looks like a label, in a model of one target language.
    assert pairs(name="opus-mt-en-de", tags=(">>fra<<",)) == [("en", "de", None)]
    # Of several labels for one language, the first.
    assert pairs(name="opus-mt-en-zh", tags=(">>cmn<<", ">>zho<<")) == [("en", "zh", ">>cmn<<")]


def test_several_languages_on_either_side() -> None:
    tags = (">>fi<<", ">>sv<<", ">>nl<<")
    found = pairs(card=read_card(RELEASE), tags=tags)
    assert found == [
        ("de", "fi", ">>fi<<"),
        ("de", "sv", ">>sv<<"),
        ("nl", "fi", ">>fi<<"),
        ("nl", "sv", ">>sv<<"),
    ]


def test_what_the_user_says_goes_before_all() -> None:
    tags = (">>cmn_Hans<<", ">>cmn_Hant<<", ">>deu<<")
    assert pairs("en-de", card=read_card(OLD_CARD)) == [("en", "de", None)]
    assert pairs("en-de", "en-zh=cmn_Hant", "en-zh-Hans", tags=tags) == [
        ("en", "de", ">>deu<<"),
        ("en", "zh", ">>cmn_Hant<<"),
        ("en", "zh-Hans", ">>cmn_Hans<<"),
    ]
    assert parse_pair("zh-Hans:en").source == "zh-Hans"


@pytest.mark.parametrize(
    ("given", "facts", "message"),
    [
        ((), {}, "doesn't say which languages"),
        ((), {"name": "opus-mt-mul-en"}, "doesn't say which languages"),
        ((), {"name": "opus-mt-en-mul"}, "doesn't say which languages"),
        ((), {"name": "x", "card": Card(sources=("de",), targets=("fr", "it"))}, "doesn't say which languages"),
        ((), {"name": "de-de"}, "translates 0 pairs"),
        (("de",), {}, "'de' is not a pair of languages"),
        (("de-en\nx",), {}, "is not a pair of languages"),
        (("en-fr",), {"tags": (">>deu<<",)}, "has no tag for fr"),
        (("en-fr=fra",), {"tags": (">>deu<<",)}, "has no tag >>fra<<"),
        (("en-fr=fra",), {}, "has no tag >>fra<<"),
    ],
)
def test_what_is_not_known(given: tuple[str, ...], facts: dict[str, object], message: str) -> None:
    with pytest.raises(SourceError, match=message):
        pairs(*given, **facts)
