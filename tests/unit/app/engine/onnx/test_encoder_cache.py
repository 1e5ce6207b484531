from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from app.engine.onnx.encoder_cache import EncoderCache


@dataclass(frozen=True)
class Entry:
    nbytes: int

    def copy(self) -> "Entry":
        return self


def test_the_least_recently_used_goes_first():
    cache: EncoderCache[Entry] = EncoderCache(30)
    for key in "abc":
        cache.put(key, Entry(10))
    assert cache.get("a") == Entry(10)
    cache.put("d", Entry(10))
    assert [cache.get(key) is not None for key in "abcd"] == [True, False, True, True]


def test_hits_and_misses_are_counted():
    cache: EncoderCache[Entry] = EncoderCache(30)
    cache.put("a", Entry(1))
    for key in "aab":
        cache.get(key)
    assert (cache.hits, cache.misses) == (2, 1)


def test_an_entry_is_replaced_not_added():
    cache: EncoderCache[Entry] = EncoderCache(30)
    cache.put("a", Entry(20))
    cache.put("b", Entry(10))
    cache.put("a", Entry(5))
    assert cache.nbytes == 15
    assert cache.get("a") == Entry(5)


def test_what_is_larger_than_the_bound_drives_nothing_out():
    cache: EncoderCache[Entry] = EncoderCache(30)
    cache.put("a", Entry(30))
    cache.put("b", Entry(31))
    assert cache.get("a") is not None
    assert cache.get("b") is None


def test_a_bound_of_zero_keeps_nothing():
    cache: EncoderCache[Entry] = EncoderCache(0)
    cache.put("a", Entry(1))
    assert (cache.nbytes, cache.get("a")) == (0, None)


@given(
    st.integers(0, 50),
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(1, 60) | st.none()), max_size=60),
)
def test_the_bound_holds_and_what_is_kept_is_the_newest_that_fits(bound, operations):
    """None is a look-up, a number adds an entry of that size. The model: all entries, the last used one last."""
    cache: EncoderCache[Entry] = EncoderCache(bound)
    expected: dict[str, Entry] = {}
    for key, size in operations:
        if size is None:
            assert cache.get(key) == expected.get(key)
            if key in expected:
                expected[key] = expected.pop(key)
        elif size <= bound:
            entry = Entry(size)
            cache.put(key, entry)
            expected.pop(key, None)
            expected[key] = entry
            while sum(entry.nbytes for entry in expected.values()) > bound:
                del expected[next(iter(expected))]
        else:
            cache.put(key, Entry(size))
        assert cache.nbytes == sum(entry.nbytes for entry in expected.values()) <= bound
