import pytest
import sentencex

from app.text.sentences import has_words
from tests.support.segmentation import Segmentation, split

GERMAN = [
    ["Dr. Müller kommt um 8.30 Uhr.", "Prof. Dr. Schmidt auch."],
    ["Das ist z. B. gut.", "Oder z.B. schlecht, d. h. usw."],
    ["Er kam am 3. Oktober.", "Dann ging er."],
    ["Im 19. Jahrhundert war es so.", "Heute nicht."],
    ["Der 2. Weltkrieg war vorbei.", "Sie wohnt im 2. Stock links."],
    ["Heinrich der VIII. war König.", "Ca. 3 Mio. Euro, inkl. Porto, sagte Dipl.-Ing. Meier."],
    ["Das kostet 3.5 oder 1.234,56 Euro.", "Ja."],
    ["Ich weiß nicht ...", "Vielleicht."],
    ["Ich weiß nicht… vielleicht.", "Gut."],
    ["Wirklich?!", "Ja!!!", "Nein."],
    ["Er sagte: „Komm!“", "Dann ging er."],
    ["»Komm!«, sagte er.", "»Nein, nein.«"],
    ["‚Ja.‘ Er ging."],
    ["Besuche www.example.com oder System.Out bei uns.", "Danke."],
    ["Er ist 80.", "Sie ist 70."],
    ["10. bis 12. Mai geschlossen."],
    ["1. und 2. Klasse."],
    ["4. Quartal 2023.", "Ende."],
    ["Na ja..., vielleicht komme ich."],
    ["Der ehem. Minister und die dt. Fußballer trafen Hrn. Müller von der Fa. Schmidt.", "Ja."],
    ["Mo. bis Fr. geöffnet, am 24.12. geschlossen, am 1. und 3. Tag auch."],
    ["Er sah „Wer hat Angst?“, „Los!“ und mehr."],
    ["Sie begrüßte die Gäste.", '"60 Jahre sind viel."', "Ist das wahr?", "„60 Jahre sah er, vgl. „12 Affen“."],
    ["Das Buch von Prof. „5 Sterne“ Müller dauert evtl. „3 Wochen“, bspw. „2 Tage“."],
    ["Der weibl. Vorname steht in Abt. III und Kap. IV hier.", "Gut."],
    ["Der max. Abstand und die min. Größe.", "Hallo Max.", "Das ist gut."],
    ["Das sind 80 qm.", "Kommen Sie!"],
    ["Liga A, 9. Spieltag und 13. Monatsgehalt.", "Ende."],
    ["Max. Belastung 5 kg.", "Er kam am 3.", "Die Uhr schlug.", "Bis 05.09. Herr Müller."],
    ["Er wohnt in Haus A, 3.", "Das ist gut.", "Es kamen 10, 12, 13.", "Tom kam nicht."],
    ["Beginn 10. KW 2025, der Verein 1. FC Köln.", "Ende."],
    ["Er sah \ue000.", "\ue001 lief weg.", "Dann kam \ue002!"],
]
ENGLISH = [
    ["Mr. Smith lives in the U.S.", "He is old."],
    ["Dr. J. R. Smith Jr. came at 5 p.m.", "Then he left."],
    ["Some people, e.g. Bob, i.e. me, like it.", "Others, etc. do not."],
    ["It costs $3.50.", "Yes."],
    ["Wait...", "What?", "No!"],
    ["“Come!” he said.", "“No way.”", "He left."],
    ['He said: "Come here. Sit down."', "He came."],
    ["See Fig. 3.", "It is on p. 5, vol. 2, approx. here."],
    ["Node.js and example.Com are names.", "Right."],
    ["The max. temp. is 10 on Mon. and Tue. at Mt. Everest, see figs. 5 and 6.", "Right."],
    ["He sat.", "This is the max.", "Then he left."],
    ["I am 5.", "You are 6."],
    ["See vol. III and ch. IV.", "Right."],
    ["He saw \ue000.", "\ue001 ran away.", "Then came \ue002!"],
]


@pytest.mark.parametrize(
    ("text", "language", "sentences"),
    [
        ('1.1 "Licensee" is Tom.\n2.3 The tenant pays.', "en", ['"Licensee" is Tom.', "The tenant pays."]),
        ("3.2.1 Einleitung", "de", ["Einleitung"]),
        ("1.5 Million people came.", "en", ["1.5 Million people came."]),
        ("1.500 Menschen kamen.", "de", ["1.500 Menschen kamen."]),
        ("2.5 is more.", "en", ["2.5 is more."]),
    ],
)
def test_the_number_of_a_clause_is_no_part_of_its_sentence(text: str, language: str, sentences: list[str]) -> None:
    assert list(split(text, language=language).sentences) == sentences


@pytest.mark.parametrize("sentences", GERMAN, ids=lambda s: s[0])
def test_german(sentences: list[str]) -> None:
    assert list(split(" ".join(sentences), language="de").sentences) == sentences


@pytest.mark.parametrize("sentences", ENGLISH, ids=lambda s: s[0])
def test_english(sentences: list[str]) -> None:
    assert list(split(" ".join(sentences), language="en").sentences) == sentences


@pytest.mark.parametrize("text", ["(Hallo)", "[Weiter.]", "„Hallo!“", "»Hallo«", "“Hello.”", "'Hello'", '("Hello.")'])
def test_marks_around_a_single_word_are_no_part_of_the_sentence(text: str) -> None:
    [sentence] = split(text, language="de").sentences
    assert text.strip("()[]„“»«”'\"") == sentence


@pytest.mark.parametrize("text", ["[Accept all]", "(always active)", "(See the next page.)", "[phone ringing]"])
def test_brackets_around_a_whole_sentence_are_no_part_of_it(text: str) -> None:
    assert split(f"{text}\nNext", language="en").sentences == (text[1:-1], "Next")


@pytest.mark.parametrize("text", ["[x2]", "[see (b)]", "(yes) and (no)", "(no", "[[Home]]"])
def test_brackets_around_a_part_stay_in_the_sentence(text: str) -> None:
    assert split(text, language="en").sentences == (text,)


@pytest.mark.parametrize("text", ['"""Gut so."""', "'''Gut so.'''", '    """Gut so.\n    """'])
def test_the_marks_around_a_string_are_no_part_of_its_sentence(text: str) -> None:
    assert split(text, language="de").sentences == ("Gut so.",)


@pytest.mark.parametrize("text", ["(s. o.)", "[x2]", "(see below)", "“Yes” and “No”", '"Hello'])
def test_other_marks_stay_in_the_sentence(text: str) -> None:
    assert split(text + " Ende", language="de").sentences[0].startswith(text)


def test_a_regional_code_has_its_languages_rules() -> None:
    text = "Im 19. Jahrhundert war es so."
    assert split(text, language="de-AT").sentences == (text,)
    assert split(text, language="DE").sentences == (text,)


def test_an_unknown_language_is_split_all_the_same() -> None:
    assert split("Uno. Dos.", language="zz").sentences == ("Uno.", "Dos.")


def test_gaps_hold_everything_around_the_sentences() -> None:
    text = "\ufeff- Eins.\tZwei?\r\n\r\n\t* drei\r\n2) vier  \n> > fünf\n[x] sechs\n-----\nEnde 😀\n"
    assert split(text, language="de") == Segmentation(
        gaps=("\ufeff- ", "\t", "\r\n\r\n\t* ", "\r\n2) ", "  \n> > ", "\n[x] ", "\n-----\n", " 😀\n"),
        sentences=("Eins.", "Zwei?", "drei", "vier", "fünf", "sechs", "Ende"),
    )


@pytest.mark.parametrize("marker", ["1)", "1.)", "(1)", "a)", "a.)", "#", "###", "2.1.)", "- 3.)"])
def test_the_marker_of_a_line_is_no_part_of_its_sentence(marker: str) -> None:
    assert split(f"{marker} Den Ofen heizen.", language="de").sentences == ("Den Ofen heizen.",)


def test_the_mark_of_a_footnote_before_a_line_is_no_part_of_it() -> None:
    text = "*Schüler mit Ausweis\n**Ohne Gewähr.\n*lacht* Ja."
    assert split(text, language="de").sentences == ("Schüler mit Ausweis", "Ohne Gewähr.", "*lacht* Ja.")


def test_a_sign_that_touches_a_word_is_no_marker() -> None:
    assert split("#Urlaub\n#1 ist da.\n####### Ende", language="de").sentences == (
        "#Urlaub",
        "#1 ist da.",
        "####### Ende",
    )


def test_the_marks_of_quoted_mail_are_no_part_of_a_sentence() -> None:
    text = ">> Kommst du?\n> Ja.\n>Gut.\n> - Tee\n>= 5 Tage\n3 Tage > 2"
    assert split(text, language="de").sentences == ("Kommst du?", "Ja.", "Gut.", "Tee", ">= 5 Tage", "3 Tage > 2")


def test_the_bars_around_the_cells_of_a_row_are_no_part_of_them() -> None:
    assert split("| Tee | Milch, fettarm |\n|---|---:|\na || b", language="de").sentences == (
        "Tee",
        "Milch, fettarm",
        "a || b",
    )


def test_a_date_at_the_start_of_a_line_is_no_list_item() -> None:
    assert split("1. Januar\n1. Punkt", language="de").sentences == ("1. Januar", "Punkt")


def test_letters_with_a_full_stop_begin_items_in_english() -> None:
    text = "a. whale   b. bat   iv. Pass."
    assert split(text, language="en").sentences == ("whale", "bat", "Pass.")
    assert split(text, language="de").sentences == ("a. whale", "b. bat", "iv. Pass.")


@pytest.mark.parametrize("text", ["i. e. that", "p. 5 is torn", "A. Smith", "v. Smith", "c. 1450", "vi.", "mr. Tom"])
def test_other_letters_with_a_full_stop_belong_to_the_sentence(text: str) -> None:
    assert split(text, language="en").sentences == (text,)


def test_the_cells_of_a_line_are_texts_of_their_own() -> None:
    assert list(split("Vorname\tName\t\tOrt\n1.\tGut.", language="de").sentences) == ["Vorname", "Name", "Ort", "Gut."]


def test_a_negative_number_at_the_start_of_a_line_is_no_list_item() -> None:
    assert split("-5 Grad\n3.5 Euro", language="de").sentences == ("-5 Grad", "3.5 Euro")


@pytest.mark.parametrize(
    "text",
    ["", "   ", "\r\n\r\n", "😀👍🏽", "-----", "***\n---", "?!…", "42", "$5 | 7:3\t\ue000", "3.", "„“", "- \n* "],
)
def test_text_without_letter_or_digit_is_one_gap(text: str) -> None:
    assert split(text, language="de") == Segmentation(gaps=(text,), sentences=())


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"])
def test_a_line_break_of_any_kind_ends_a_sentence(end: str) -> None:
    assert split(f"eins{end}zwei", language="de") == Segmentation(("", end, ""), ("eins", "zwei"))


def test_wrapped_lines_stay_together_when_newlines_do_not_end_sentences() -> None:
    text = "Das ist ein\r\n  langer Satz. Noch\neiner.\n \nNeuer Absatz\n\nund noch einer\n- Punkt\n- Punkt\nzwei"
    segmentation = split(text, language="de", newlines=False)
    assert segmentation.sentences == (
        "Das ist ein\r\n  langer Satz.",
        "Noch\neiner.",
        "Neuer Absatz",
        "und noch einer",
        "Punkt",
        "Punkt\nzwei",
    )
    assert "".join(map("".join, zip(segmentation.gaps, (*segmentation.sentences, ""), strict=True))) == text


def test_what_makes_the_library_panic_is_split_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    assert split("Plan B\xa0. Ja. Nein.", language="de").sentences == ("Plan B\xa0. Ja.", "Nein.")
    assert capfd.readouterr() == ("", "")


def test_a_lone_surrogate_survives() -> None:
    text = "Das \ud800 da. Und \udfff."
    segmentation = split(text, language="de")
    assert "".join(map("".join, zip(segmentation.gaps, (*segmentation.sentences, ""), strict=True))) == text


@pytest.mark.parametrize("failure", [["something", "else"], []])
def test_a_line_that_the_library_does_not_give_back_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, failure: list[str]
) -> None:
    monkeypatch.setattr("sentencex.segment", lambda language, text: failure)
    assert split("Eins. Zwei.\nDrei.", language="de").sentences == ("Eins. Zwei.", "Drei.")


def test_a_panic_of_the_library_makes_the_line_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    panic = type("PanicException", (BaseException,), {})

    def fail(language: str, text: str) -> list[str]:
        raise panic

    monkeypatch.setattr("sentencex.segment", fail)
    assert split("Eins. Zwei.", language="de").sentences == ("Eins. Zwei.",)


def test_an_interrupt_is_not_taken_for_a_panic(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(language: str, text: str) -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr("sentencex.segment", interrupt)
    with pytest.raises(KeyboardInterrupt):
        split("Eins.", language="de")


def test_a_line_of_many_windows_is_split_as_if_it_were_short() -> None:
    sentences = [f"Das ist Satz Nummer {number}, nicht wahr?" for number in range(2000)]
    assert list(split(" ".join(sentences), language="de").sentences) == sentences


def test_a_sentence_longer_than_a_window_stays_whole() -> None:
    long = "und so weiter " * 3000 + "bis hier."
    assert split(f"{long} Ende.", language="de").sentences == (long, "Ende.")


def test_the_library_is_never_shown_a_long_line_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    # Its time is quadratic in the number of unclosed quotes.
    shown_chars = []
    segment = sentencex.segment

    def watch(language: str, text: str) -> list[str]:
        shown_chars.append(len(text))
        return segment(language, text)

    monkeypatch.setattr("sentencex.segment", watch)
    text = "„Er ging. " * 10_000
    assert len(split(text, language="de").sentences) == 10_000
    assert max(shown_chars) < 10_000
    assert sum(shown_chars) < 2 * len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a € © b", False),
        ("A/B 1", False),
        ("12 %", False),
        ("", False),
        ("I", True),
        ("à 5", True),
        ("字", True),
        ("ab", True),
    ],
)
def test_letters_that_stand_alone_are_no_words(text: str, expected: bool) -> None:
    assert has_words(text) is expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("cs", "Sejdeme se 3. října. Ano.", ["Sejdeme se 3. října.", "Ano."]),
        ("ja", "今日は。元気ですか？はい！", ["今日は。", "元気ですか？", "はい！"]),
        ("hi", "यह है। वह था।", ["यह है।", "वह था।"]),
        ("ar", "مرحبا. كيف حالك؟ بخير.", ["مرحبا.", "كيف حالك؟", "بخير."]),
        ("tr", "Ali geldi. Tamam mı? 3. madde var.", ["Ali geldi.", "Tamam mı?", "3. madde var."]),
    ],
)
def test_a_language_without_a_room_has_the_rules_of_unicode_and_cldr(
    language: str, text: str, expected: list[str]
) -> None:
    assert list(split(text, language=language).sentences) == expected


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Es gibt Brot usw. Die Leute essen.", ("Es gibt Brot usw.", "Die Leute essen.")),
        ("Das war 300 v. Chr. In Rom lebte er.", ("Das war 300 v. Chr.", "In Rom lebte er.")),
        ("Er kam zu Pius IX. Er blieb 5 km. Dann ging er.", ("Er kam zu Pius IX.", "Er blieb 5 km.", "Dann ging er.")),
        ("Er sah Obst, Brot etc. Äpfel mag er.", ("Er sah Obst, Brot etc. Äpfel mag er.",)),
        ("Im 5. Jh. v. Chr. entstand sie.", ("Im 5. Jh. v. Chr. entstand sie.",)),
        ("Es war sein 150. Mal und sein 300. Bundesligaspiel.", None),
    ],
)
def test_a_short_form_ends_a_sentence_before_a_common_word(text: str, sentences: tuple[str, ...] | None) -> None:
    assert split(text, language="de").sentences == (sentences or (text,))


def test_the_sentences_of_a_long_quotation_are_parted() -> None:
    first, second = "I want to inspire a generation of people.", "I would like to be sitting here, and it is good."
    for opening, closing in ("“”", '""', "„“", "«»"):
        text = f"He said: {opening}{first} {second}{closing}"
        assert split(text, language="en").sentences == (f"He said: {opening}{first}", f"{second}{closing}")
    for text in (f"“{first} {second}” is what he said.", "“Come here. Sit down.”"):
        assert split(text, language="en").sentences == (text,)
