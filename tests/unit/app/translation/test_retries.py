"""Second attempts, through the pipeline, over models whose scores are known; then each kind by itself."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from app.engine.models.tokenizer import Tokenizer
from app.engine.options import SearchOptions
from app.errors import ModelFailure, Overloaded
from app.text.inline.target_tokens import Link
from app.text.protection.patterns import compile_patterns
from app.text.protection.protected import Protected, protect
from app.text.quality_checks import Verdict, judge, loops
from app.text.register import Register
from app.translation.pipeline import Translator
from app.translation.request import TranslationRequest
from app.translation.retries import improved
from app.translation.rules.pair import Direction, RuleOptions
from app.translation.rules.retries import Situation, attempts, options_again
from app.translation.sentence import SentenceTranslation, TextTranslation
from app.translation.versions import Versions
from languages.registry import language_of
from tests.support.engines import translate_texts
from tests.support.questions import answered_by
from tests.support.sentences import of
from tests.support.tiny import VOCABULARY
from tests.support.toy import EOS, ToyModel, engine_of, greedy
from tests.unit.app.engine.test_single_model import started

PAIR = {"source": "de", "target": "en"}
UNKNOWN = Direction(language_of("und"), language_of("und"))
improve = partial(improved, direction=UNKNOWN)
PLACEHOLDERS = ("\ue000", "\ue001", "\ue002")
TEXT = "Ich sah {0} gestern."


class Parrot(ToyModel):
    """Says one token again and again, unless it is kept from it, and never knows when to stop."""

    def __init__(self, word: int, end: int = EOS) -> None:
        super().__init__(VOCABULARY)
        self.word, self.end = word, end

    def scores(self, source, target):
        logits = np.full(VOCABULARY, -9.0)
        logits[self.word] = 12.0
        logits[self.word + 1 : self.word + 40] = np.linspace(5.0, 4.0, 39)
        logits[self.end] = 7.0 if target and target[-1] != self.word else 3.0
        return (logits - np.logaddexp.reduce(logits)).astype(np.float32)


def word_of(bundle):
    """A token that is a whole word."""
    [word] = Tokenizer(bundle.path / "tokenizer.spm", bundle.path / "tokenizer.spm").encode("Hund")
    return word


class Stutterer(ToyModel):
    """Says a text; when it is kept from going on with that, one other word and nothing more."""

    def __init__(self, text: list[int], otherwise: int) -> None:
        super().__init__(VOCABULARY)
        self.text, self.otherwise = tuple(text), otherwise

    def scores(self, source, target):
        goes_on = target == self.text[: len(target)] and len(target) < len(self.text)
        scores = np.full(VOCABULARY, -60.0)
        scores[self.otherwise] = -5.0
        scores[self.text[len(target)] if goes_on else EOS] = -0.001
        return scores.astype(np.float32)


class NoHeadForNumbers(ToyModel):
    """Copies the source, but for digits: there it says something else."""

    def __init__(self, digits: set[int], otherwise: int) -> None:
        super().__init__(VOCABULARY)
        self.digits, self.otherwise = digits, otherwise

    def scores(self, source, target):
        words = [self.otherwise if piece in self.digits else piece for piece in source[1:]]
        scores = np.full(VOCABULARY, -60.0)
        scores[words[min(len(target), len(words) - 1)]] = -0.001
        return scores.astype(np.float32)


async def translations_of(engine, text, options):
    """The model's translation of one sentence, and what second attempts make of it."""

    async def translate(texts: Sequence[str], options: SearchOptions) -> list[TextTranslation]:
        return await translate_texts(engine, texts, options=options, splitting="off")

    [[first]] = [found.sentences for found in await translate([text], options)]
    placeholders = engine.alphabet("de", "en").placeholders
    return first, await answered_by(translate, improve(first, None, options=options, placeholders=placeholders))


async def test_the_pipeline_improves_a_visibly_wrong_sentence(tiny_bundle):
    text = "Der Hund trinkt Wasser."
    async with started(engine_of(tiny_bundle, Parrot(word_of(tiny_bundle)))) as engine:
        _, improved = await translations_of(engine, text, greedy())
        request = TranslationRequest(texts=(text,), **PAIR, options=greedy(), details=True)
        answer = await Translator(engine, detector=None).translate(request)
    [[sentence]] = answer.items[0].blocks
    assert (sentence.score, sentence.verdicts) == (improved.score, improved.verdicts)


@pytest.mark.parametrize("options", [greedy(), SearchOptions(beam_size=2)])
async def test_a_loop_is_tried_again_and_the_better_translation_is_returned(tiny_bundle, options):
    async with started(engine_of(tiny_bundle, Parrot(word_of(tiny_bundle)))) as engine:
        first, second = await translations_of(engine, "Der Hund trinkt Wasser.", options)
    assert Verdict.REPETITION in first.verdicts
    assert len(second.verdicts) < len(first.verdicts)
    assert second.text and second.text != first.text


async def test_nobody_changes_what_somebody_is_writing(tiny_bundle):
    async with started(engine_of(tiny_bundle, Parrot(word_of(tiny_bundle)))) as engine:
        first, second = await translations_of(engine, "Der Hund trinkt Wasser.", greedy(prefix="Der"))
    assert Verdict.REPETITION in second.verdicts and second.text == first.text


async def test_a_loop_is_worse_than_any_other_fault(tiny_bundle):
    text = "Der 31. Hund trinkt."
    tokenizer = Tokenizer(tiny_bundle.path / "tokenizer.spm", tiny_bundle.path / "tokenizer.spm")
    model = Stutterer(tokenizer.encode("Hund Hund Hund 31"), tokenizer.encode("Wasser")[0])
    async with started(engine_of(tiny_bundle, model)) as engine:
        once, twice = await translations_of(engine, text, greedy())
    assert loops(text, once.text)
    assert not loops(text, twice.text) and twice.text != text
    assert len(twice.verdicts) == len(once.verdicts) == 1


@pytest.mark.parametrize("beam", [1, 2])
async def test_changed_numbers_are_tried_again_with_placeholders_for_them(tiny_bundle, beam):
    text = "Der 31. Hund, 7.000."
    tokenizer = Tokenizer(tiny_bundle.path / "tokenizer.spm", tiny_bundle.path / "tokenizer.spm")
    digits = {piece for digit in "123459" for piece in tokenizer.encode(digit)[-1:]}  # it knows 0 and 7
    model = NoHeadForNumbers(digits, word_of(tiny_bundle))
    async with started(engine_of(tiny_bundle, model)) as engine:
        first, twice = await translations_of(engine, text, SearchOptions(beam_size=beam))
    assert Verdict.DIGITS_CHANGED in first.verdicts and "31" not in first.text
    assert (twice.source, twice.text, twice.verdicts) == (text, text, ())


async def test_what_no_attempt_can_mend_is_there_or_the_source_and_the_verdict_says_so(tiny_bundle):
    class Stubborn(Parrot):
        def scores(self, source, target):
            scores = np.full(VOCABULARY, -60.0)
            scores[self.word], scores[self.end] = -0.001, -90.0
            return scores.astype(np.float32)

    text = "Der Hund trinkt Wasser."
    async with started(engine_of(tiny_bundle, Stubborn(word_of(tiny_bundle)))) as engine:
        _, found = await translations_of(engine, text, greedy())
        # This option keeps it from saying other things the second time.
        _, looping = await translations_of(engine, text, SearchOptions(no_repeat_ngram=10, n_best=2, beam_size=2))
    assert Verdict.TRUNCATED in found.verdicts and found.text
    assert looping.text == text
    assert looping.verdicts == (Verdict.COPIED_SOURCE,)
    assert looping.alternatives


def test_the_limits_of_the_caller_are_no_reason_to_try_again():
    source = "Ein Satz von gewöhnlicher Länge."
    cut, loop, long = (Verdict.TRUNCATED,), (Verdict.TRUNCATED, Verdict.REPETITION), (Verdict.TOO_LONG,)
    assert options_again(SearchOptions(), (), source) is None
    assert options_again(SearchOptions(), cut, source) is not None
    assert options_again(SearchOptions(max_length=5), cut, source) is None
    assert options_again(SearchOptions(max_length=5), loop, source) is not None
    assert options_again(SearchOptions(min_length=5), long, source) is None
    again = options_again(greedy(no_repeat_ngram=2, repetition_penalty=3.0), loop, "Salat")
    assert again is not None
    assert (again.no_repeat_ngram, again.repetition_penalty, again.beam_size) == (2, 3.0, 4)
    short = options_again(SearchOptions(), loop, "Salat")
    assert short is not None and short.no_repeat_ngram == 1


def part(text: str = TEXT) -> Protected:
    return protect(text, compile_patterns(["{0}"]))


async def restored(
    model: Callable[[str], str], cut_off: str = ""
) -> tuple[list[Sequence[str]], str, tuple[str, ...], SentenceTranslation]:
    """Which texts were translated again, the text with its spans, the lost spans, and the translation.

    The limit has cut off what is translated by ``cut_off``.
    """
    asked: list[Sequence[str]] = []

    async def translate(texts: Sequence[str], options: SearchOptions) -> list[TextTranslation]:
        asked.append(texts)
        sentences = [of(text, model(text)) for text in texts]
        cut = [replace(one, verdicts=(Verdict.TRUNCATED,)) if one.text == cut_off else one for one in sentences]
        return [TextTranslation(text=one.text, alternatives=(), sentences=(one,)) for one in cut]

    protected = part()
    first = of(protected.text, model(protected.text))
    found = await answered_by(translate, improve(first, protected, options=SearchOptions(), placeholders=()))
    whole = protected.restore(found.text, found.alignment)
    return asked, whole.text, whole.lost, found


async def test_a_sentence_that_kept_its_stand_ins_is_translated_once() -> None:
    asked, text, lost, _ = await restored(lambda source: source.replace("Ich sah", "I saw"))
    assert (asked, text, lost) == ([], "I saw {0} gestern.", ())


async def test_a_model_that_drops_names_gets_numbers() -> None:
    asked, text, lost, _ = await restored(
        lambda source: "I saw 57 yesterday." if "57" in source else "I was seen yesterday."
    )
    assert (asked, text, lost) == ([("Ich sah 57 gestern.",)], "I saw {0} yesterday.", ())


async def test_a_model_that_drops_everything_gets_what_is_between_the_spans() -> None:
    pieces = {"Ich sah": "I saw.", "gestern.": "Yesterday."}
    asked, text, lost, sentence = await restored(lambda source: pieces.get(source, "Blah blah."))
    assert asked[-1] == ("Ich sah", "gestern.")
    assert (text, lost) == ("I saw {0} Yesterday.", ())
    assert sentence.score == -1.0
    assert sentence.confidence == 1 / len("Yesterday.")  # the least of the pieces'


async def test_what_was_cut_off_on_the_way_is_said_to_be() -> None:
    pieces = {"Ich sah": "I saw.", "gestern.": "Yester"}
    *_, sentence = await restored(lambda source: pieces.get(source, "Blah blah."), cut_off="Yester")
    assert Verdict.TRUNCATED in sentence.verdicts


@pytest.mark.parametrize("error", [Overloaded("full"), ModelFailure("not finite")])
async def test_a_failure_ends_the_attempts(error: Exception) -> None:
    def model(source: str) -> str:
        if "57" in source:
            raise error
        return "I was seen yesterday."

    _, text, lost, _ = await restored(model)
    assert lost == ("{0}",)
    assert text.count("{0}") == 1


async def test_words_of_the_wrong_register_are_avoided_until_there_are_none() -> None:
    texts = ["Willst du?", "Wollen ihr?", "Wollen Sie?"]
    avoided: list[tuple[str, ...]] = []

    async def translate(asked: Sequence[str], options: SearchOptions) -> list[TextTranslation]:
        avoided.append(options.avoid)
        free = [text for text in texts if not set(text.strip("?").split()) & set(options.avoid)]
        sentence = of(asked[0], (free or texts)[0])
        return [TextTranslation(text=sentence.text, alternatives=(), sentences=(sentence,))]

    async def in_register(wanted: Register) -> SentenceTranslation:
        first = of("Do you want to?", texts[0])
        direction = Direction(language_of("en"), language_of("de"), RuleOptions(register=wanted))
        asking = improved(first, None, direction=direction, options=SearchOptions(), placeholders=())
        return await answered_by(translate, asking)

    assert (await in_register(Register.INFORMAL)).text == texts[0] and not avoided
    found = await in_register(Register.FORMAL)
    assert (found.text, found.verdicts) == (texts[2], ())
    assert len(avoided) == 2 and {"du", "Willst"} <= set(avoided[0]) and "ihr" in avoided[1]
    del texts[2]
    found = await in_register(Register.FORMAL)
    assert found.verdicts == (Verdict.FORMALITY,), "it was tried and reported"


async def test_a_word_that_is_left_out_beside_a_variable_comes_back() -> None:
    source = "%s commented"
    protected = protect(source, compile_patterns(["%s"]), PLACEHOLDERS)
    asked: list[str] = []

    async def translate(texts: Sequence[str], options: SearchOptions) -> list[TextTranslation]:
        asked.extend(texts)
        found = replace(of(texts[0], "Tom kommentierte"), alignment=(Link(0, 3, 0, 3), Link(4, 13, 4, 16)))
        return [TextTranslation(text=found.text, alternatives=(), sentences=(found,))]

    first = replace(of(protected.text, "\ue000"), alignment=(Link(0, 1, 0, 1),))
    direction = Direction(language_of("en"), language_of("de"))
    asking = improved(first, protected, direction=direction, options=SearchOptions(), placeholders=PLACEHOLDERS)
    found = await answered_by(translate, asking)
    assert asked == ["Tom commented"] and found.placed and found.placed.text == "%s kommentierte"


def test_the_attempts_come_in_their_order() -> None:
    protected = part("Ich sah {0} um 9 Uhr.")
    lost = of(protected.text, "I saw at 8.", verdicts=(Verdict.DIGITS_CHANGED,))
    versions = Versions(lost, protected, UNKNOWN)
    [name] = [protected.text[begin:end] for begin, end in protected.stand_ins]
    asked = [attempt.texts for attempt in attempts(Situation(versions, SearchOptions(), PLACEHOLDERS))]
    assert asked == [
        (f"Ich sah {name} um \ue000 Uhr.",),  # a placeholder for the number
        (protected.text,),  # another search
        (f"Ich sah {name} um", "Uhr."),  # cut at the number
        ("Ich sah \ue000 um 9 Uhr.",),  # a placeholder for the span
        ("Ich sah 57 um 9 Uhr.",),  # a number for it
        ("Ich sah", "um 9 Uhr."),  # cut at it
    ]


async def test_the_source_is_better_than_punctuation() -> None:
    async def translate(texts: Sequence[str], options: SearchOptions) -> list[TextTranslation]:
        found = [of(text, "!?", verdicts=judge(text, "!?")) for text in texts]
        return [TextTranslation(text=each.text, alternatives=(), sentences=(each,)) for each in found]

    first = of("!?x", "!?", verdicts=judge("!?x", "!?"))
    found = await answered_by(translate, improve(first, None, options=SearchOptions(), placeholders=PLACEHOLDERS))
    assert (found.text, found.verdicts) == ("!?x", (Verdict.COPIED_SOURCE,))


async def test_numbers_that_no_search_keeps_are_kept_by_cutting() -> None:
    async def translate(texts: Sequence[str], options: SearchOptions) -> list[TextTranslation]:
        kept = {"Nach": "After", "Jahren kamen": "years came", "Gäste.": "guests."}
        found = [of(text, new := kept.get(text, "They came."), verdicts=judge(text, new)) for text in texts]
        return [TextTranslation(text=each.text, alternatives=(), sentences=(each,)) for each in found]

    first = of("Nach 20 Jahren kamen 95 Gäste.", "They came.", verdicts=(Verdict.DIGITS_CHANGED,))
    found = await answered_by(translate, improve(first, None, options=SearchOptions(), placeholders=PLACEHOLDERS))
    assert (found.text, found.verdicts) == ("After 20 years came 95 guests.", ())


async def test_further_attempts_have_the_usual_spelling_too() -> None:
    asked = []

    async def translate(texts: Sequence[str], options: SearchOptions) -> list[TextTranslation]:
        asked.extend(texts)
        new = {"\ue000 Stunden von \ue001.": "\ue000 hours of \ue001."}
        found = [of(text, said := new.get(text, "Hours."), verdicts=judge(text, said)) for text in texts]
        return [TextTranslation(text=each.text, alternatives=(), sentences=(each,)) for each in found]

    first = of("37 Std. von 95.", "Hours.", verdicts=(Verdict.DIGITS_CHANGED,))
    wanted = {"options": SearchOptions(), "placeholders": PLACEHOLDERS}
    direction = Direction(language_of("de"), language_of("en"))
    found = await answered_by(translate, improved(first, None, **wanted, direction=direction))
    assert (found.text, found.source) == ("37 hours of 95.", "37 Std. von 95.")
    assert asked[:2] == ["37 Stunden von 95.", "\ue000 Stunden von \ue001."]


async def test_a_small_number_that_is_missing_is_kept_in_a_second_attempt() -> None:
    async def translate(texts: Sequence[str], options: SearchOptions) -> list[TextTranslation]:
        found = [of(text, "He came eighth." if "8" in text else "He came \ue000th.") for text in texts]
        return [TextTranslation(text=each.text, alternatives=(), sentences=(each,)) for each in found]

    first = of("Er kam auf den 8. Platz.", "He came.")
    wanted = {"options": SearchOptions(), "placeholders": PLACEHOLDERS}
    direction = Direction(language_of("de"), language_of("en"))
    found = await answered_by(translate, improved(first, None, **wanted, direction=direction))
    assert found.text == "He came 8th."
    assert await answered_by(translate, improve(first, None, **wanted)) is first
