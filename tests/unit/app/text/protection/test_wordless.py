"""A translation of stand-ins alone lacks the words of its source; a text without stand-ins has no other ones."""

import pytest

from app.text.protection.defaults import untranslatable
from app.text.protection.patterns import compile_patterns
from app.text.protection.protected import protect
from app.translation.attempts import with_other_stand_ins

BRACES = compile_patterns([r"regex:\{\d+\}"])
PLACEHOLDERS = ("\ue000", "\ue001")


@pytest.mark.parametrize(
    ("text", "translation", "lacks_words"),
    [
        ("{0} und {1}", "\ue000 \ue001", True),
        ("{0} und {1}", "\ue000 and \ue001", False),
        ("{0} {1}", "\ue000 \ue001", False),
        ("Seite {0} von {1}", "page \ue000 \ue001", False),
    ],
)
def test_a_translation_without_words_lacks_something(text: str, translation: str, lacks_words: bool) -> None:
    assert protect(text, BRACES, PLACEHOLDERS).lacks_words(translation) == lacks_words


def test_a_text_without_stand_ins_has_no_other_ones() -> None:
    protected = protect("<b>Ja</b>", untranslatable("<b>", frozenset()), PLACEHOLDERS)
    assert not protected.lacks_words("!")
    assert list(with_other_stand_ins(protected, PLACEHOLDERS)) == []
