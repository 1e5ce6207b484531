"""Spans replace words, and a word that source and reference share becomes a span on both sides."""

from random import Random

from benchmarks.protection import common_thing, put_in


def test_spans_are_put_in_once_each_and_the_rest_stays() -> None:
    sentence = "Gestern sah ich Tom und 30 Hunde in der Stadt."
    for seed in range(50):
        case = put_in(sentence, Random(seed))
        assert 1 <= len(case.spans) <= 3
        assert all(case.text.count(span) == 1 for _, span in case.spans)
        rest = case.text
        for _, span in case.spans:
            rest = rest.replace(span, "")
        assert set(rest.split()) <= set(sentence.replace("Stadt.", "Stadt. .").split())


def test_what_both_have_once_becomes_a_span_in_both() -> None:
    source, reference = "Er sah Anna und Tom und Tom um 9.", "At 9 he saw Tom and Anna and Tom."
    for seed in range(20):
        found = common_thing(source, reference, Random(seed))
        assert found
        new_source, new_reference, span = found
        changed = [(source.replace(word, span), reference.replace(word, span)) for word in ("Anna", "9")]
        assert (new_source, new_reference) in changed
    assert common_thing("Kein Name.", "No name.", Random(0)) is None
