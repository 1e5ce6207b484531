"""Changed copies: both sides change in the same way, and only as the kind of change says."""

import re
from collections import Counter
from random import Random

import pytest

from model.data.augmentation import augment, lowercase_words, thing
from model.data.dictionary import Dictionary
from model.recipe import Augmentation

PAIRS = [
    ("Das ist Tom.", "That is Tom."),
    ("Wo wohnt Maria, und seit 1999?", "Where does Maria live, and since 1999?"),
    ("Hunde bellen laut.", "Dogs bark loudly."),
    ("Geh weg!", "Go away!"),
    ("ohne Punkt", "without a stop"),
]
LOWERCASE = ({"das", "wo", "geh"}, {"that", "where", "dogs", "go"})
DICTIONARY = Dictionary([("Punkt", "stop"), ("Schlusspunkt", "full stop")], [*PAIRS, ("", "full")])


def changed(kind: str, share: float = 20.0) -> list[tuple[str, str]]:
    return augment(PAIRS, Augmentation(**{kind: share}), LOWERCASE, DICTIONARY, ("de", "en"), Random(1))


def test_nothing_is_added_unless_it_is_asked_for() -> None:
    assert augment(PAIRS, Augmentation(), LOWERCASE, DICTIONARY, ("de", "en"), Random(1)) == []


@pytest.mark.parametrize("kind", list(Augmentation.model_fields))
def test_the_same_seed_makes_the_same_copies(kind: str) -> None:
    assert changed(kind) == changed(kind)


def test_capitals() -> None:
    assert ("GEH WEG!", "GO AWAY!") in changed("capitals")


def test_dictionary_words() -> None:
    assert ("ohne Schlusspunkt", "without a full stop") in changed("dictionary")


def test_title_case() -> None:
    assert ("Wo Wohnt Maria, Und Seit 1999?", "Where Does Maria Live, And Since 1999?") in changed("title")


def test_a_first_word_becomes_lower_case_only_where_both_may_be() -> None:
    found = set(changed("initial"))
    assert ("das ist Tom.", "that is Tom.") in found
    assert not any("unde bellen" in first for first, _ in found)  # "Hunde" is a noun


def test_words_are_in_lower_case_if_they_mostly_are_inside_sentences() -> None:
    words = lowercase_words(["Er sieht das Haus.", "Das Haus ist gut.", "Ist das ein Haus?", "Haus und Hof"])
    assert {"das", "ist"} <= words
    assert "haus" not in words
    assert "er" not in words  # only ever seen first


def test_endings_are_the_same_on_both_sides_and_the_rest_stays() -> None:
    found = changed("ending")
    assert {pair[0][-1] for pair in found} >= {".", "!", "?", ":", "…"}
    for first, second in found:
        bare = (first.rstrip("?!.…:"), second.rstrip("?!.…:"))
        assert bare in {(a.rstrip("?!."), b.rstrip("?!.")) for a, b in PAIRS if a[-1] in ".!?"}
        assert first[len(bare[0]) :] == second[len(bare[1]) :]


def test_quotes_and_emoji_leave_the_words_alone() -> None:
    originals = {tuple(tuple(re.findall(r"\w+", side)) for side in pair) for pair in PAIRS}
    for kind in ("quotes", "emoji"):
        found = changed(kind)
        assert found
        for first, second in found:
            assert (tuple(re.findall(r"\w+", first)), tuple(re.findall(r"\w+", second))) in originals
            marks = [Counter(re.findall(r"[^\w\s.,!?]", side)) for side in (first, second)]
            assert marks[0] == marks[1] and marks[0]


def test_what_both_sides_have_is_replaced_by_the_same_thing() -> None:
    frames = [
        (re.escape(first).replace("Tom", "(.+)").replace("Maria", "(.+)").replace("1999", "(.+)"), second)
        for first, second in PAIRS[:2]
    ]
    found = changed("copies")
    for first, second in found:
        frame, other = next((frame, other) for frame, other in frames if re.fullmatch(frame, first))
        match = re.fullmatch(frame, first)
        assert match
        for word, new in zip(re.findall("Tom|Maria|1999", other), match.groups(), strict=True):
            other = other.replace(word, new, 1)
        assert second == other
    assert len({first for first, _ in found}) > 25


def test_only_whole_sentences_are_joined() -> None:
    found = changed("joined")
    assert found and not any("ohne Punkt" in first for first, _ in found)
    for first, second in found:
        parts = re.split(r"(?<=[.!?]) ", first)
        assert 2 <= len(parts) <= 3
        assert second == " ".join(dict(PAIRS)[part] for part in parts)


def test_a_verbatim_text_is_its_own_translation() -> None:
    found = changed("verbatim")
    assert len(found) == 100
    assert all(first == second for first, second in found)


def test_things_to_copy_are_of_many_kinds() -> None:
    things = [thing(Random(seed)) for seed in range(600)]
    for kind in (
        r"https?://",
        r"\w@\w",
        r"^\d+$",
        r"\d:\d\d$",
        r"[А-я]",
        r"[\u3040-\u30ff]",
        "[\U0001f300-\U0001faff]",
    ):
        assert any(re.search(kind, found) for found in things), kind
    assert all(found and found == found.strip() for found in things)
