"""Texts alone that a bundle lists as labels, over real graphs."""

import shutil
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from app.engine.interface import Draft, TokenEvent, TranslationCall, collect
from app.engine.models.bundle import Bundle
from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.text.terms.glossary import Term
from export.word_lists import replace_labels
from tests.support.engines import from_bundle, started, translate
from tests.support.toy import greedy

LABEL, TRANSLATION = "Abend Hund", "Perhaps always water"  # which no model would say


@pytest.fixture(scope="module")
def labelled(tiny_bundle: Bundle, tmp_path_factory) -> Bundle:
    folder = tmp_path_factory.mktemp("labels") / "bundle"
    shutil.copytree(tiny_bundle.path, folder)
    return replace_labels(Bundle.open(folder), {("de", "en"): {LABEL: TRANSLATION}})


@pytest.fixture
async def engine(labelled: Bundle) -> AsyncIterator[Engine]:
    async with started(from_bundle(labelled)) as engine:
        yield engine


@pytest.mark.parametrize("beam_size", [1, 4])
async def test_a_label_alone_is_translated_as_it_is_listed(engine, beam_size):
    options = SearchOptions(beam_size=beam_size, alignment=True)
    [found] = await translate(engine, f"  {LABEL}: ", options=options)
    assert found.text == f"  {TRANSLATION}: "
    [sentence] = found.sentences
    assert (sentence.score, sentence.verdicts) == (0, ())
    for link in sentence.alignment:  # the model's, one for each piece
        assert 0 <= link.source_begin < link.source_end <= len(sentence.source)
    assert "".join(sentence.text[each.target_begin : each.target_end] for each in sentence.alignment) == "".join(
        sentence.text.split()
    )


async def test_each_line_is_alone_and_a_part_of_a_sentence_is_not(engine):
    [lines] = await translate(engine, f"{LABEL}\n\n {LABEL}\t\nDer Hund trinkt Wasser.")
    assert lines.text.startswith(f"{TRANSLATION}\n\n {TRANSLATION}\t\n")
    for text in (f"Der {LABEL} trinkt.", f"{LABEL}! Gestern.", f"Gestern. {LABEL}"):
        [found] = await translate(engine, text)
        assert TRANSLATION not in found.text


@pytest.mark.parametrize("between", [" | ", "   ", "\t", " > "])
async def test_a_cell_of_a_line_is_alone(engine, between):
    [found] = await translate(engine, f"Wasser{between}{LABEL}{between}Gestern trinkt der Hund")
    assert f"{between}{TRANSLATION}{between}" in found.text


async def test_other_translations_are_the_models(engine, tiny_bundle):
    options = SearchOptions(beam_size=4, n_best=3)
    [found] = await translate(engine, LABEL, options=options)
    async with started(from_bundle(tiny_bundle)) as without:
        [free] = await translate(without, LABEL, options=options)
    assert [found.text, *found.alternatives] == [TRANSLATION, free.text, *free.alternatives][:3]


@pytest.mark.parametrize("options", [{"prefix": "The"}, {"avoid": ("always",)}, {"max_length": 2}])
async def test_a_request_that_asks_for_something_else_gets_it(engine, tiny_bundle, options):
    [found] = await translate(engine, LABEL, options=greedy(**options))
    async with started(from_bundle(tiny_bundle)) as without:
        [free] = await translate(without, LABEL, options=greedy(**options))
    assert found.text == free.text != TRANSLATION


async def test_terms_of_the_request_outweigh_a_label(engine):
    term = Term(0, 5, "Abend", "evening", ("evening",))
    call = TranslationCall(texts=[LABEL], source="de", target="en", options=greedy(), terms=[(term,)])
    [[draft]], _ = await collect(engine.stream(call), 1)
    assert draft.text != TRANSLATION


async def test_its_tokens_are_those_of_the_translation(engine):
    call = TranslationCall(texts=[LABEL], source="de", target="en", options=greedy(), tokens=True)
    async with aclosing(engine.stream(call)) as events:
        found = [event async for event in events]
    tokens = "".join(event.text for event in found if isinstance(event, TokenEvent))
    assert [event.text for event in found if isinstance(event, Draft)] == [TRANSLATION]
    assert TRANSLATION.startswith(tokens)


async def test_the_other_direction_has_labels_of_its_own(engine):
    call = TranslationCall(texts=[LABEL], source="en", target="de", options=greedy())
    [[draft]], _ = await collect(engine.stream(call), 1)
    assert draft.text != TRANSLATION
