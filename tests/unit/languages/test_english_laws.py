"""References to European law, as German writes them."""

import pytest

from languages.english.laws import references


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Under Article 17(1)(b) GDPR you may ask.", ["Art. 17 Abs. 1 Buchst. b DSGVO"]),
        ("See Articles 101 and 102 of the TFEU.", ["Art. 101 und 102 AEUV"]),
        (
            "See Art. 6(1)(a), 7 or 9(2) of GDPR and Article 8 ECHR",
            ["Art. 6 Abs. 1 Buchst. a, 7 oder 9 Abs. 2 DSGVO", "Art. 8 EMRK"],
        ),
        ("Read article 5 of the magazine, Article 5 and Section 230(c)(1).", []),
        ("Smart. 5 GDPRs", []),
    ],
)
def test_references_are_written_as_german_law_does(text: str, expected: list[str]) -> None:
    assert [written for *_, written in references(text, "de")] == expected
    assert list(references(text, "fr")) == []
