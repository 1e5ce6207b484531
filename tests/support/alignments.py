"""Word alignments, right and wrong ones."""

from hypothesis import strategies as st

from app.text.inline.target_tokens import Link


def links(text: str, translation: str) -> st.SearchStrategy[list[tuple[int, int, int, int]]]:
    """Any links between two texts."""

    def ranges(length: int) -> st.SearchStrategy[tuple[int, int]]:
        place = st.integers(0, length)
        return st.tuples(place, place).map(lambda ends: (min(ends), max(ends)))

    link = st.tuples(ranges(len(text)), ranges(len(translation))).map(lambda both: Link(*both[0], *both[1]))
    return st.lists(link, max_size=20)
