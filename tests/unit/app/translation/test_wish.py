"""A stored wish is read as it was."""

import json

from hypothesis import given
from hypothesis import strategies as st

from app.engine.options import SearchOptions
from app.text.register import Register
from app.translation.request import AUTO, Wish

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
wishes = st.builds(
    Wish,
    source=st.sampled_from(["de", "pt-br", AUTO]),
    target=st.sampled_from(["en", "zh-hant"]),
    options=st.builds(
        SearchOptions,
        beam_size=st.integers(1, 16),
        beam_threshold=st.floats(0, 100),
        max_length=st.none() | st.integers(1, 512),
        prefix=st.none() | words,
        avoid=st.lists(words, max_size=2).map(tuple),
    ),
    locale=st.none() | st.just("en-GB"),
    register=st.none() | st.sampled_from(Register),
    terms=st.none() | st.dictionaries(words, words, max_size=3),
    glossary_ids=st.lists(words, max_size=3).map(tuple),
    stored_memory=st.none() | st.tuples(words, st.integers(0, 100)),
    protect=st.none() | st.lists(words, max_size=3).map(tuple),
    preserves_formatting=st.booleans(),
    context=words,
    review_below=st.none() | st.floats(0, 1),
)


@given(wishes)
def test_a_wish_survives_json(wish: Wish) -> None:
    assert Wish.from_json(json.loads(json.dumps(wish.to_json()))) == wish


def test_a_wish_with_detection_has_no_pair() -> None:
    assert Wish(source=AUTO, target="en", options=SearchOptions()).pair is None
    assert Wish(source="de", target="en", options=SearchOptions()).pair == ("de", "en")
