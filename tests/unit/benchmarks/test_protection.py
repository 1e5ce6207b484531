"""Spans replace words, a word that both sides share becomes a span on both, and further attempts have reasons."""

from random import Random

from app.text.protection.protected import protect_ranges
from app.translation.attempts import with_other_stand_ins
from benchmarks.protection import Case, Watch, common_thing, outcomes, put_in


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


def test_an_attempt_is_for_spans_or_for_the_words_beside_them() -> None:
    sentence = protect_ranges("Ja %1$s und %2$s", [(3, 7), (12, 16)], ("\ue000", "\ue001"))
    case = Case(sentence.source, (("%s", "%1$s"), ("%s", "%2$s")))
    for cuts, reason in ((False, "beside"), (True, "again")):
        watch = Watch()
        assert outcomes(case, sentence.source, [], watch.reasons) == {("%s", "first"): 2}
        asked = [attempt.texts for attempt in watch.attempts(sentence, ("\ue000", "\ue001"), cuts=cuts)]
        real = with_other_stand_ins(sentence, ("\ue000", "\ue001"), cuts=cuts)
        assert asked == [attempt.texts for attempt in real] and asked
        assert outcomes(case, sentence.source, [], watch.reasons) == {("%s", reason): 2}
    assert outcomes(case, "Ja %1$s", ["%1$s"], watch.reasons) == {("%s", "guessed"): 1, ("%s", "broken"): 1}
