"""German addresses stay, references to laws have all their parts, and words in their usual spelling cost nothing."""

from importlib.resources import files

import pytest

from languages import german
from languages.german.bible import verses
from languages.german.laws import references
from languages.german.streets import KEPT
from languages.german.titles import KEPT as KEPT_TITLES
from languages.german.umlauts import restored
from languages.notation import notation_of


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Musterstraße 1\n12345 Musterstadt", "Musterstraße 1\n12345 Musterstadt"),
        ("Am Alten Markt 5, 50667 Köln", "Am Alten Markt 5, 50667 Köln"),
        ("Sie wohnt in der Bahnhofstraße 5 in Köln.", "Bahnhofstraße 5"),
        ("Wir ziehen in die Berliner Straße 12a um.", "Berliner Straße 12a"),
        ("Die Karl-Marx-Allee 1 ist dort", "Karl-Marx-Allee 1"),
        ("Die Bundesstraße 3 ist gesperrt", None),
        ("Der Sitzplatz 12 auf der Straße", None),
        ("Die Straße ist 5 Kilometer lang", None),
        ("Parkplatz 5", None),
        ("Wir treffen uns am Hauptplatz 3.", "Hauptplatz 3"),
    ],
)
def test_an_address_is_kept(text: str, kept: str | None) -> None:
    assert next((match[0] for _, pattern in KEPT for match in pattern.finditer(text)), None) == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Zahnarzt Dr. med. dent. Weiß", "Dr. med. dent. Weiß"),
        ("Von Prof. Dr. rer. nat. Klaus Klein.", "Prof. Dr. rer. nat. Klaus Klein"),
        ("Dr. h.c. Anna Groß-Weiß, Köln", "Dr. h.c. Anna Groß-Weiß"),
        ("Frau Dr. Groß ist da.", "Dr. Groß"),
        ("Dipl.-Ing. (FH) Hans Lang", "Dipl.-Ing. (FH) Hans Lang"),
        ("Frau Dr. Großmann ist da, Dr. Müller auch.", None),
        ("Sie wurde zum Dr. phil. promoviert.", None),
        ("Er wurde Dr. phil. Die Arbeit ist gut.", None),
        ("Das Urteil (VIII ZR 277/16)", "VIII ZR 277/16"),
        ("1 BvR 209/83", "1 BvR 209/83"),
        ("120 Js 4711/19", "120 Js 4711/19"),
        ("Die Muster GmbH in Ulm", "Muster GmbH"),
        ("Meyer Logistik GmbH & Co. KG", "Logistik GmbH & Co. KG"),
        ("Die GmbH und eine GmbH-Satzung, Muster GmbHs", None),
        ("Neue GmbH, Unserer GmbH, Wie GmbH, Warum GmbH, Rechtsform GmbH", None),
        ("Er ist Dipl.-Ing. Sein Sohn auch, Dr. jur. Seine Frau Dr. med. Beide", None),
        ("Geburtsdatum (TT.MM.JJJJ)", "TT.MM.JJJJ"),
        ("Uhrzeit im Format hh:mm:ss", "hh:mm:ss"),
        ("Die MM-Datei, 5 mm. ss", None),
        ("In 3 Tagen 10/24, am 3 Uhr 12/24", None),
    ],
)
def test_titled_names_and_file_numbers_are_kept(text: str, kept: str | None) -> None:
    assert next((match[0] for _, pattern in KEPT_TITLES for match in pattern.finditer(text)), None) == kept


@pytest.mark.parametrize(
    ("text", "english"),
    [
        (
            "§ 5 Abs. 2 Satz 1 Nr. 3 BGB i. V. m. Art. 6 Abs. 1 lit. b DSGVO",
            "Section 5(2) sentence 1 no. 3 BGB in conjunction with Article 6(1)(b) GDPR",
        ),
        ("§§ 12 und 13 StGB", "Sections 12 and 13 StGB"),
        ("§ 433 Abs. 1 und 2 BGB", "Section 433(1) and (2) BGB"),
        ("§ 3 ff. HGB", "Section 3 et seq. HGB"),
        ("§§ 51 ff. AO", "Sections 51 et seq. AO"),
        ("§ 35a EStG", "Section 35a EStG"),
        ("Artikel 5", "Article 5"),
        ("Vgl. § 14 UStG", "Cf. Section 14 UStG"),
        ("gem. Art. 5 Abs. 1 GG", "pursuant to Article 5(1) GG"),
        ("i. S. d. § 13 BGB", "within the meaning of Section 13 BGB"),
        ("i.S.v. § 13 BGB", "within the meaning of Section 13 BGB"),
    ],
)
def test_a_reference_to_a_law_is_whole(text: str, english: str) -> None:
    assert list(references(text, "en")) == [(0, len(text), english)]
    assert not list(references(text, "fr"))


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("1. Kor 13,4–7", "1 Cor 13:4–7"),
        ("Röm 8,28", "Rom 8:28"),
        ("Ps. 23,1", "Ps 23:1"),
        ("Mt 6,9.12", "Matt 6:9, 12"),
    ],
)
def test_a_verse_of_the_bible_has_a_colon(text: str, english: str) -> None:
    assert list(verses(text, "en-GB")) == [(0, len(text), english)]
    assert not list(verses(text, "fr"))


@pytest.mark.parametrize(
    "text",
    [
        "Am 5,3 km",
        "Motor mit 100 PS 3,5",
        "Gen 2,5,3",
        "Abs. 3,5",
        "300 PS 5 Gänge",
        "Ps 23",
        "Tim 3,5",
        "Phil 1,80 m",
        "Mk. 3,50",
    ],
)
def test_what_is_no_verse(text: str) -> None:
    assert not list(verses(text, "en"))


def test_what_is_no_reference() -> None:
    assert not list(references("Art und Weise, Kunst 5, Paragraph", "en"))


def test_no_word_in_its_usual_spelling_is_written_in_another():
    words = (files(german) / "umlauts.txt").read_text(encoding="utf-8").split()
    assert len(words) > 10_000
    written = [form for word in words for form in (word, word.capitalize(), word.upper())]
    assert [form for form in written if list(restored(form))] == []


@pytest.mark.parametrize("name", ["Jänner", "Jan.", "Jän"])
def test_austria_has_a_name_of_its_own_for_a_month(name: str) -> None:
    notation = notation_of("de-AT")
    assert notation and notation.month(name) == 1
