"""Elements without text: one that stands for a word is like a word to the model, and others have only a place."""

import re

import pytest

from app.text.markup.extraction import Rules, extract


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Klicken Sie auf <img src=a>, um zu speichern.", "Klicken Sie auf Tom, um zu speichern."),
        ("Klicken Sie auf <img src=a alt='Diskette'/>.", "Klicken Sie auf Tom."),
        ("Erst <img src=a>, dann <img src=b>!", "Erst Tom, dann Boston!"),
        ("In <input name=x>, wenn <INPUT type=text>.", "In Tom, wenn Boston."),
        ("Klicken Sie auf <i class='fa fa-save'></i>, bitte.", "Klicken Sie auf Tom, bitte."),
        ("Klicken Sie auf <span class=icon></span>; danke.", "Klicken Sie auf Tom; danke."),
        # What may be a decoration, or isn't seen, is no word.
        ("Das Bild <img src=a> zeigt einen Hund.", "Das Bild zeigt einen Hund."),
        ("Danke <img src=a alt='🙂'>, bis morgen!", "Danke , bis morgen!"),
        ("Danke<img src=a>, bis morgen!", "Danke, bis morgen!"),
        ("<img src=a>, bis morgen!", ", bis morgen!"),
        ("Ja <input type=radio>, nein <input type='Checkbox'>.", "Ja , nein ."),
        ("Eins <a name=x></a>, zwei <span id=y class=z></span>, drei.", "Eins , zwei , drei."),
        ("Eins <wbr>, zwei <b class=x></b>, drei <!-- c -->.", "Eins , zwei , drei ."),
        ("Eins <i class=x>zwei</i>, drei <i class=x> </i>, vier.", "Eins zwei, drei , vier."),
    ],
)
def test_a_picture_an_icon_or_a_field_before_a_mark_is_a_word(source: str, text: str) -> None:
    assert extract(source).texts == (text,)
    assert extract(source).rebuild((text,)).text == source
    translated = extract(source).rebuild((text.upper().replace("TOM", "Tom").replace("BOSTON", "Boston"),)).text
    assert sorted(re.findall("<[^>]*>", translated)) == sorted(re.findall("<[^>]*>", source))


def test_an_empty_element_of_xml_is_a_word_however_it_is_written() -> None:
    texts = extract("<s>Höchstens <max></max> Zeichen, <br></br>, ja</s>", Rules(syntax="xml")).texts
    assert texts == ("Höchstens Tom Zeichen, , ja",)


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("Der<b> </b>Hund", "Der Hund", "DER <b></b>HUND"),
        ("Der<b><i>&nbsp;</i></b>Hund", "Der\u00a0Hund", "DER\u00a0<b><i></i></b>HUND"),
        ("Der <b> </b>Hund", "Der Hund", "DER <b> </b>HUND"),  # as many as in the source
        ("·<u>&nbsp;&nbsp;&nbsp; </u>Ein Hund", "·\u2029Ein Hund", "·<u>\u00a0\u00a0\u00a0 </u>EIN HUND"),
        ("Ort<b>&nbsp;&nbsp;&nbsp;</b>Tag", "Ort\u2029Tag", "ORT<b>\u00a0\u00a0\u00a0</b>TAG"),
    ],
)
def test_the_space_of_an_element_without_words_comes_back_once(source: str, text: str, expected: str) -> None:
    document = extract(source)
    assert document.texts == (text,)
    assert document.rebuild((text,)).text == source
    assert document.rebuild((text.upper(),)).text == expected
