"""Texts are put together from their sentences and what stands between them."""

from app.text.inline.placement import Edit
from app.translation.sentence import Alternative, SentenceTranslation
from app.translation.text_builder import TextBuilder


def sentence(source: str, begin: int, text: str, *others: str) -> SentenceTranslation:
    return SentenceTranslation(
        source=source,
        source_begin=begin,
        text=text,
        target_begin=0,
        score=-1.0,
        alternatives=tuple(Alternative(other, -2.0) for other in others),
    )


def test_a_text_is_put_together_with_its_gaps_and_alternatives() -> None:
    builder = TextBuilder("- Eins.\n\tZwei.\r\n", str.maketrans("-", "*"))
    first = builder.add(sentence("Eins.", 2, "One.", "First."))
    second = builder.add(sentence("Zwei.", 9, "Two!"))
    found = builder.finish()
    assert found.text == "* One.\n\tTwo!\r\n"
    assert found.alternatives == ("* First.\n\tTwo!\r\n",)
    assert found.sentences == (first, second)
    assert (second.source_begin, second.target_begin) == (9, 8)
    assert TextBuilder(" \n").finish().text == " \n"


def test_numbers_between_the_sentences_are_written_anew() -> None:
    inside = Edit(6, 7, "is a part of the first sentence")
    edits = [Edit(0, 4, "13 Uhr"), inside, Edit(11, 15, "14 Uhr")]
    builder = TextBuilder("1 pm\tEins.\t2 pm", edits=edits)
    assert builder.add(sentence("Eins.", 5, "One.")).target_begin == 7
    assert builder.finish().text == "13 Uhr\tOne.\t14 Uhr"
