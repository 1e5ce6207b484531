import pytest

from app.engine.models.labels import Labels
from app.errors import BundleError


def labels(tmp_path, text):
    (tmp_path / "labels.tsv").write_text(text, encoding="utf-8")
    return Labels(tmp_path / "labels.tsv")


@pytest.mark.parametrize(
    ("text", "translation"),
    [
        ("Add to cart", "In den Warenkorb"),
        ("Add To Cart", "In den Warenkorb"),
        ("Add to cart:", "In den Warenkorb:"),
        ("Add to cart …", "In den Warenkorb …"),
        ("Loading...", "Wird geladen..."),
        ("Loading…", "Lädt …"),  # it has a line of its own
        ("add to cart", "In den Warenkorb"),
        ("• Add to cart", "• In den Warenkorb"),
        ("Add to cart →", "In den Warenkorb →"),
        ("Add to cart (3)", "In den Warenkorb (3)"),
        ("← Add to cart *", "← In den Warenkorb *"),
        ("Add to cart: *", "In den Warenkorb: *"),
        ("Add to cart,", "In den Warenkorb,"),
        ("SHARE!!!", "TEILEN!!!"),
        ("SHARE!", ""),
        ("iPhone Settings", "iPhone-Einstellungen"),
        ("A Add to cart", ""),
        ("open", "offen"),
        ("Closed", "Geschlossen"),
        ("opeN", ""),
        ("Open", "Öffnen"),
        ("ADD TO CART", ""),
        ("SHARE", "TEILEN"),
        ("Share", ""),  # of capitals, nobody knows what they would be in small letters
        ("Add to cart.", ""),
        ("Add to", ""),
        ("", ""),
        (":", ""),
        ("Add to cart" + " " * 100 + ":", ""),
    ],
)
def test_a_label_is_found_as_it_is_listed_or_with_more_capitals(tmp_path, text, translation):
    listed = (
        "Add to cart\tIn den Warenkorb\nLoading\tWird geladen\nLoading…\tLädt …\n"
        "closed\tgeschlossen\nopen\toffen\nOpen\tÖffnen\nSHARE\tTEILEN\niPhone settings\tiPhone-Einstellungen\n"
    )
    found = labels(tmp_path, listed)
    assert found.find(text) == translation
    assert len(found) == 8


@pytest.mark.parametrize("text", ["Open\n", "Open\tÖffnen", "\tÖffnen\n", "Open\t\n"])
def test_a_line_is_a_label_a_tab_and_its_translation(tmp_path, text):
    with pytest.raises(BundleError, match="line 1 is not"):
        labels(tmp_path, text)
