import pytest

from app.engine.models.lexicon import Lexicon
from app.errors import BundleError


def lexicon(tmp_path, text):
    (tmp_path / "lexicon.tsv").write_text(text, encoding="utf-8")
    return Lexicon(tmp_path / "lexicon.tsv")


def test_words_are_found_in_their_form_alone(tmp_path):
    found = lexicon(tmp_path, "Narkose\tanesthesia\tanesthetic\nerheblich\tconsiderable\n")
    assert found.find("Die Narkose war erheblich, die Narkosen nicht.") == [
        (4, 11, ("anesthesia", "anesthetic")),
        (16, 25, ("considerable",)),
    ]
    assert len(found) == 2


def test_a_name_may_be_the_same(tmp_path):
    assert lexicon(tmp_path, "Tipperary\t=\n").find("in Tipperary") == [(3, 12, ("Tipperary",))]


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


@pytest.mark.parametrize(
    "text", ["Narkose\n", "Narkose\t\n", "\tanesthesia\n", "Narkose\tanesthesia\n\n", "a\tb\t\tc\n"]
)
def test_a_line_that_is_no_entry(tmp_path, text):
    with pytest.raises(BundleError, match=r"lexicon\.tsv: line \d is not a word, a tab and its translations"):
        lexicon(tmp_path, text)


def test_a_file_that_is_no_text(tmp_path):
    (tmp_path / "lexicon.tsv").write_bytes(b"\xff\t\xff")
    with pytest.raises(BundleError, match="is not UTF-8"):
        Lexicon(tmp_path / "lexicon.tsv")
