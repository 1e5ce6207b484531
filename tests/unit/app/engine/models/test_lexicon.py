import gzip

import pytest

from app.engine.models.entries import MAX_BYTES
from app.engine.models.lexicon import Lexicon
from app.errors import BundleError


def lexicon(tmp_path, text):
    return packed(tmp_path, gzip.compress(text.encode()))


def packed(tmp_path, content, language=""):
    (tmp_path / "lexicon.tsv.gz").write_bytes(content)
    return Lexicon(tmp_path / "lexicon.tsv.gz", language)


def test_words_are_found_in_their_form_alone(tmp_path):
    found = lexicon(tmp_path, "Narkose\tanesthesia\tanesthetic\nerheblich\tconsiderable\n")
    assert found.find("Die Narkose war erheblich, die Narkosen nicht.") == [
        (4, 11, ("anesthesia", "anesthetic")),
        (16, 25, ("considerable",)),
    ]
    assert len(found) == 2


def test_a_name_may_be_the_same(tmp_path):
    assert lexicon(tmp_path, "Tipperary\t=\n").find("in Tipperary") == [(3, 12, ("Tipperary",))]


def test_a_file_may_be_plain(tmp_path):
    (tmp_path / "lexicon.tsv").write_text("Narkose\tanesthesia\n", encoding="utf-8")
    assert Lexicon(tmp_path / "lexicon.tsv").find("Narkose") == [(0, 7, ("anesthesia",))]


def test_hyphens_and_apostrophes_belong_to_a_word(tmp_path):
    found = lexicon(tmp_path, "O'Brien\t=\nCSU-Fraktion\tCSU group\nCSU\t=\n").find("O'Briens CSU-Fraktion: O'Brien")
    assert [translations for _, _, translations in found] == [("CSU group",), ("O'Brien",)]


def test_the_first_word_of_a_text_may_have_a_capital(tmp_path):
    found = lexicon(tmp_path, "erheblich\tconsiderably\nEssen\tEssen\nessen\teat\n")
    assert found.find("Erheblich") == [(0, 9, ("Considerably",))]
    assert found.find("„Erheblich") == []
    assert found.find("Essen") == [(0, 5, ("Essen",))]


def test_translations_in_a_title_have_capitals(tmp_path):
    found = lexicon(tmp_path, "Sonnenkollektoren\tsolar collectors\nerheblich\tconsiderable\nTipperary\t=\n")
    assert [each.translations for each in found.find("Tom Baut Erheblich Sonnenkollektoren In Tipperary")] == [
        ("Considerable",),
        ("Solar Collectors",),
        ("Tipperary",),
    ]
    # A sentence is no title, nor are two nouns.
    assert found.find("Tom baut Sonnenkollektoren hier")[0].translations == ("solar collectors",)
    assert found.find("Toms Sonnenkollektoren")[0].translations == ("solar collectors",)


PARTS = """Opern-\topera
Staats-\tstate
-direktor\tdirector\tmanager
Führer-\tdriving\tleader's
Schein\tlicence
Bayern-\tBavarian
NATO\t=
Witt\t=
Bau-\tbuilding\t~
-team\t=
Operndirektorin\tlady in charge of the opera
Staatsdirektor\t~
Chor\t~\tchoir
Schaft\tshaft
-schaft\t~
-nische\tniche
Amerika-\tAmerica
"""


@pytest.mark.parametrize(
    ("word", "translations"),
    [
        ("Operndirektor", ("opera director", "opera manager")),
        ("Führerschein", ("driving licence", "leader's licence")),  # the head is a word of its own
        ("Staatsoperndirektor", ("state opera director", "state opera manager")),
        ("Staatsbaudirektor", ("state building director", "state building manager")),
        ("Opernteam", ("opera team",)),
        ("Bayern-Direktor", ("Bavarian director", "Bavarian manager")),
        ("NATO-Direktor", ("NATO director", "NATO manager")),
        ("EU-Direktor", ("EU director", "EU manager")),
        ("Operndirektorin", ("lady in charge of the opera",)),
        ("Staatsdirektor", None),  # the model knows it
        ("Opernchor", ("opera choir",)),  # the model knows the head alone
        ("Chor-Direktor", ("choir director", "choir manager")),
        ("Chor", None),
        ("Operndirektoren", None),
        ("Bayern--Direktor", None),
        ("Opern" * 20 + "direktor", None),  # the time would grow with the square of the length
        ("Zirkusdirektor", None),
        ("operndirektor", None),
        ("OpernDirektor", None),
        ("Opernwitt", None),  # a name is no head
        ("Bayernschaft", None),  # an ending is no head
        ("US-amerikanische", None),  # an adjective has no noun for a head
        ("Direktor", None),
    ],
)
def test_compounds_are_found_by_their_parts(tmp_path, word, translations):
    found = lexicon(tmp_path, PARTS).find(f"Der {word}")
    assert [each.translations for each in found] == [translations] * (translations is not None)


def test_compounds_end_where_words_do(tmp_path):
    found = lexicon(tmp_path, PARTS)
    assert found.find("Er verlässt die EU.\nEU-Direktor") == [(20, 31, ("EU director", "EU manager"))]
    assert found.find("Operndirektor wird er") == [(0, 13, ("opera director", "opera manager"))]


@pytest.mark.parametrize(
    "sentence", ["Antrieb ist da.", "Afrikanische Staaten", "Die Afrikanische Union", "Antrieb Und Akkurate Uhr"]
)
def test_a_word_that_the_model_knows_is_not_looked_up_as_another(tmp_path, sentence):
    entries = "Antrieb\t~\tdrive\nantrieb\tdrove\nafrikanische\t~\tAfrican\nAfrika-\tAfrica\n-nische\tniche\n"
    entries += "akkurate\t~\taccurate\nAkku-\tbattery\n-rate\trate\n"
    assert not lexicon(tmp_path, entries).find(sentence)


def test_heads_may_all_be_words(tmp_path):
    assert lexicon(tmp_path, "Führer-\tdriving\nSchein\tlicence\n").find("Führerschein") == [
        (0, 12, ("driving licence",))
    ]


def test_a_term_of_two_words_comes_before_its_words(tmp_path):
    found = lexicon(tmp_path, "registry office\tStandesamt\noffice\tBüro\nblock letters\tDruckbuchstaben\n")
    assert found.find("The registry office wants block letters.") == [
        (4, 19, ("Standesamt",)),
        (26, 39, ("Druckbuchstaben",)),
    ]
    assert found.find("Block letters") == [(0, 13, ("Druckbuchstaben",))]
    assert found.find("The Registry Office Wants It")[0].translations == ("Standesamt",)
    beetroot = lexicon(tmp_path, "rote Rüben\tbeetroot\n")
    assert beetroot.find("Rote Rüben Mit Essig")[0].translations == ("Beetroot",)
    assert found.find("registry, office, block\nletters") == [(10, 16, ("Büro",))]


@pytest.mark.parametrize(
    "text", ["Narkose\n", "Narkose\t\n", "\tanesthesia\n", "Narkose\tanesthesia\n\n", "a\tb\t\tc\n"]
)
def test_a_line_that_is_no_entry(tmp_path, text):
    with pytest.raises(BundleError, match=r"lexicon\.tsv\.gz: line \d is not an entry, a tab and its translations"):
        lexicon(tmp_path, text)


def test_a_file_that_is_no_text(tmp_path):
    with pytest.raises(BundleError, match="is not UTF-8"):
        packed(tmp_path, gzip.compress(b"\xff\t\xff"))


WHOLE = gzip.compress(b"Narkose\tanesthesia\n", mtime=0)  # the names of the tests have these bytes


@pytest.mark.parametrize("content", [b"Narkose\tanesthesia\n", WHOLE[:-9], WHOLE[:-8] + bytes(8)])
def test_a_damaged_file(tmp_path, content):
    with pytest.raises(BundleError, match="is damaged"):
        packed(tmp_path, content)


def test_a_file_that_unpacks_to_too_much(tmp_path):
    with pytest.raises(BundleError, match="more than 67,108,864 bytes of text"):
        packed(tmp_path, gzip.compress(bytes(MAX_BYTES + 1), compresslevel=1))


def test_words_with_a_capital_that_the_lexicon_does_not_have_may_be_names(tmp_path):
    entries = "Narkose\tanesthesia\nTipperary\t=\nStaatsoper\t~\nOpern-\topera\n-haus\thouse\nschön\tfine\n"
    known = lexicon(tmp_path, entries)
    text = "Schön, Kowalczyk von PostgreSQL sah Narkose, Opernhaus, Staatsoper, NATO, Ulm und Tipperary."
    names = known.names(text, known.find(text))
    assert [(text[each.begin : each.end], each.translations) for each in names] == [
        ("Kowalczyk", ("Kowalczyk",)),
        ("PostgreSQL", ("PostgreSQL",)),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Gewiss kommt er.",
        "Er kommt. Gewiss doch.",
        "Er sagte: „Gewiss.“",
        "Tom Wohnt Gewiss Hier",
        "am Vielleicht-Tag",
        "of Kowalczyk's",
    ],
)
def test_what_has_a_capital_for_another_reason_is_no_name(tmp_path, text):
    assert lexicon(tmp_path, "Tipperary\t=\n").names(text, []) == []


def test_a_capital_within_a_word_makes_a_name_anywhere(tmp_path):
    [name] = lexicon(tmp_path, "Tipperary\t=\n").names("PostgreSQL läuft.", [])
    assert name == (0, 10, ("PostgreSQL",))


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("Das Ausschleichen dauert", []),
        ("Beim langsamen Ausschleichen hilft er", []),
        ("Die Durchimpfung stockt", []),
        ("Sie lobt ihre hohen Durchimpfungen", []),
        ("Er kommt aus Verden", ["Verden"]),
        ("Die Petersen wohnt hier", ["Petersen"]),
        ("Ich kenne Nibelung", ["Nibelung"]),
        ("Das ist in ganz Verden so", ["Verden"]),  # the article is too far away
    ],
)
def test_a_noun_with_its_article_is_no_name(tmp_path, sentence, names):
    german = packed(tmp_path, gzip.compress(b"Hund\tdog\n"), "de")
    assert [sentence[begin:end] for begin, end, _ in german.names(sentence, [])] == names
    other = packed(tmp_path, gzip.compress(b"Hund\tdog\n"), "nl")
    assert len(other.names(sentence, [])) == 1
