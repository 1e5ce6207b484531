import threading
from typing import Any

import pytest
from py3langid.langid import LanguageIdentifier

from app.errors import ConfigurationError
from app.text.detection import Detection, Detector


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(["de", "en"])


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Guten Morgen, wie geht es Ihnen heute?", "de"),
        ("Where is the nearest station?", "en"),
        ("Hallo", "de"),
        ("hello", "en"),
        ("Danke", "de"),
        ("THE", "en"),
        ("und", "de"),
        ("Bahnhof", "de"),
        ("house", "en"),
        ("1. 2. 3. Der Hund ist da.", "de"),
        ("Infos: https://www.theguardian.com/world/2023/may/01/this-is-what-happened-to-the-people und mehr", "de"),
        ("Read this https://www.zeit.de/politik/deutschland/2023-05/wer-hat-das-gesagt-und-warum", "en"),
        ("Schreib an the.best.people.of.the.house@where.is.the.house.com", "de"),
    ],
)
def test_the_language_is_the_first_answer(detector: Detector, text: str, language: str) -> None:
    answers = detector.detect(text)
    assert [answer.language for answer in answers] in (["de", "en"], ["en", "de"])
    assert answers[0].language == language
    assert 100 >= answers[0].confidence > 50 > answers[1].confidence >= 0
    assert sum(answer.confidence for answer in answers) == pytest.approx(100, abs=0.11)


def test_short_text_is_less_sure_than_long_text(detector: Detector) -> None:
    short, long = (detector.detect(text)[0] for text in ("Bier", "Ich möchte heute Abend ein Bier trinken."))
    assert short.language == long.language == "de"
    assert short.confidence < 80 < 99 < long.confidence


def test_a_word_of_both_languages_is_undecided(detector: Detector) -> None:
    assert detector.detect("Hand") == [Detection("en", 50.0), Detection("de", 50.0)]


@pytest.mark.parametrize("text", ["", "   ", "123,45", "😀", "?!", "\n"])
def test_text_without_a_letter_is_english_with_confidence_zero(detector: Detector, text: str) -> None:
    assert detector.detect(text) == [Detection("en", 0.0)]


def test_text_without_a_letter_is_the_first_language_where_english_is_not_served() -> None:
    assert Detector(["fr", "de"]).detect("...") == [Detection("fr", 0.0)]


def test_only_served_languages_are_reported_and_at_most_three() -> None:
    answers = Detector(["fr", "es", "it", "pt"]).detect("Où est la gare, s'il vous plaît ?")
    assert answers[0].language == "fr"
    assert len(answers) == 3
    assert {answer.language for answer in answers} < {"fr", "es", "it", "pt"}


def test_codes_are_reported_as_served_and_unknown_ones_never() -> None:
    assert Detector(["tlh", "de-AT"]).detect("Wo ist der Bahnhof?") == [Detection("de-AT", 100.0)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("C'est une très belle journée", "fr"),
        ("Esto es una prueba", "es"),
        ("Dzień dobry, jak się masz?", "pl"),
        ("今日はいい天気ですね", "ja"),
        ("Det är en vacker dag", "sv"),
        ("مرحبا بالعالم", "ar"),
        ("Bonjour, comment allez-vous?", "fr"),
        ("Bonjour, comment ça va?", "fr"),
        ("Ik wil graag een biertje.", "nl"),
        ("Kan du hjälpa mig?", "sv"),
        ("Hvor er stationen?", None),  # too short to be sure
        ("Das ist ein Test", None),
        ("Er sagte: „Je ne sais pas.“", None),
        ("C'est la vie, mein Freund.", None),
        ("Recep Tayyip Erdoğan", None),
        ("Ole Gunnar Solskjær gegen Robert De Niro", None),
        ("Ciudad Autónoma de Buenos Aires", None),
        ("Lorem ipsum dolor sit amet, consectetur adipiscing elit.", None),
        ("The café in Montréal is called Chez Pierre.", None),
        ("Goethes Werther", None),
        ("Merci", None),  # too short to be sure
        ("你好", None),
        ("12 345 !!", None),
    ],
)
def test_a_text_in_a_language_that_is_not_served_is_told_apart(
    detector: Detector, text: str, language: str | None
) -> None:
    found = detector.foreign(text)
    assert (found and found.language) == language
    assert found is None or 50 < found.confidence <= 100


def test_text_in_no_served_language_is_undetectable(detector: Detector) -> None:
    for text in ("مرحبا بالعالم", "Это хороший день сегодня.", "Bonjour tout le monde"):
        assert detector.detect_served(text) == [Detection("en", 0.0)]
    assert detector.detect_served("Wo ist der Bahnhof?") == detector.detect("Wo ist der Bahnhof?")


def test_a_served_language_is_never_foreign() -> None:
    assert Detector(["de", "en", "fr"]).foreign("C'est une très belle journée") is None


def test_a_detector_without_languages_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one language"):
        Detector([])


def test_lone_surrogates_do_no_harm(detector: Detector) -> None:
    assert detector.detect("Wo ist der \ud800 Bahnhof?")[0].language == "de"


def test_the_beginning_of_a_long_text_decides(detector: Detector) -> None:
    assert detector.detect("5 " * 10_000 + "Wo ist der Bahnhof? " * 500 + "Where is it? " * 5000)[0].language == "de"


@pytest.mark.parametrize("unit", ["a@", "a@a.", "www.", "x"])
def test_no_repetition_takes_long(detector: Detector, unit: str) -> None:
    detector.detect(unit * 500_000)


def test_several_threads_may_be_the_first_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []
    load = LanguageIdentifier.from_model_file

    def counting(*given: Any, **named: Any) -> LanguageIdentifier:
        loaded.append(given)
        return load(*given, **named)

    monkeypatch.setattr(LanguageIdentifier, "from_model_file", counting)
    fresh = Detector(["de", "en"])
    start = threading.Barrier(4)
    answers: list[list[Detection]] = []

    def ask() -> None:
        start.wait()
        answers.append(fresh.detect("Wo ist der Bahnhof?"))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4
    assert all(answer == answers[0] for answer in answers)
    assert len(loaded) == 1


def test_a_missing_temporary_folder_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/there/is/no/such/folder")
    with pytest.raises(ConfigurationError, match="writable temporary folder"):
        Detector(["de", "en"]).load()
