"""Short forms are written out where they are meant, and nowhere else."""

import pytest

from app.text.inline.placement import Edit, apply, disjoint
from app.text.sentences import spans
from languages.registry import language_of


def written_out(text: str, language: str) -> str:
    return apply(disjoint(Edit(*each) for each in language_of(language).respell(text)), text)


@pytest.mark.parametrize(
    ("written", "full"),
    [
        ("Es dauert 3 Std. und 15 Min.", "Es dauert 3 Stunden und 15 Minuten."),
        ("Nach 1 Std. ist Schluss, 3Std sind zu viel.", "Nach 1 Stunde ist Schluss, 3 Stunden sind zu viel."),
        ("Pro Std. kostet das 5 €, 3,5 Std./Woche", "Pro Stunde kostet das 5 €, 3,5 Stunden/Woche"),
        ("2 EL Zucker, 1/2 TL Salz", "2 Esslöffel Zucker, 1/2 Teelöffel Salz"),
        ("25–30 Min. backen", "25–30 Minuten backen"),
        ("Noch \ue000 Min. warten", "Noch \ue000 Minuten warten"),
        ("Siehe S. 7, vgl. Kap. 2 und Abb. 3.", "Siehe Seite 7, vgl. Kapitel 2 und Abbildung 3."),
        ("i.d.R. mind. 5 Tage, max. 10", "in der Regel mindestens 5 Tage, maximal 10"),
        ("Max. 5 Personen", "Maximal 5 Personen"),
        ("Das ist z. T. so, evtl. nicht ganz u.v.m.", "Das ist zum Teil so, eventuell nicht ganz und vieles mehr."),
        ("Am 3. Sept. 2024 und im Okt. 2025", "Am 3. September 2024 und im Oktober 2025"),
        ("Mo.–Fr. 9–18 Uhr, Sa. 10 Uhr", "Montag bis Freitag 9–18 Uhr, Samstag 10 Uhr"),
        ("Sa/So und am Mo., 12.05., um 10", "Samstag und Sonntag und am Montag, 12.05., um 10"),
        ("Er sagte: „5 Min.“", "Er sagte: „5 Minuten.“"),
        ("Mo., Mi. und Fr. ab 9, 5 €/Std.", "Montag, Mittwoch und Freitag ab 9, 5 €/Stunde."),
        ("Geöffnet Sa. und So. bis 9", "Geöffnet Samstag und Sonntag bis 9"),
        ("Kundennr.: 7, Haus Nr. 3, p. P. im DZ", "Kundennummer: 7, Haus Nr. 3, pro Person im Doppelzimmer"),
        ("Am Fr. 12. Mai, So. und feiertags; Mo – Fr", "Am Freitag 12. Mai, Sonntag und feiertags; Montag bis Freitag"),
        ("2 1/2 Std., 1/2 Std.", "2 1/2 Stunden, 1/2 Stunde."),
    ],
)
def test_german_short_forms_are_written_out(written: str, full: str) -> None:
    assert written_out(written, "de") == full


@pytest.mark.parametrize(
    ("written", "full"),
    [
        ("Add 2 tbsp sugar and 1/2 tsp. salt.", "Add 2 tablespoons sugar and 1/2 teaspoon salt."),
        ("It took 3 hrs., then 1 hr more.", "It took 3 hours, then 1 hour more."),
        ("within 5 min. of it, 24h a day: 3 h", "within 5 minutes of it, 24h a day: 3 hours"),
        ("500 sq. ft. or 1,000sq ft", "500 square feet or 1,000 square feet"),
        ("8lbs 6oz at $5 per hr", "8 pounds 6 ounces at $5 per hour"),
        ("See fig. 2, Vol. 3 and no. 5.", "See figure 2, Volume 3 and No. 5."),
        ("My phone no. is 5, $9/mo, 5 km/h", "My phone number is 5, $9/month, 5 km/h"),
        ("Tue. & Thu. only", "Tuesday and Thursday only"),
        ("5 sec. later, see sec. 4", "5 seconds later, see section 4"),
        ("Fri., Jan. 5, and 6 Oct. 2020", "Friday, January 5, and 6 October 2020"),
        ("Mon-Fri 9-5, Sat. 5 p.m.", "Monday to Friday 9-5, Saturday 5 p.m."),
        ("Thx! We're w/o kids b/c of the Dept.", "Thanks! We're without kids because of the Department."),
        ("Please reply asap or ASAP.", "Please reply as soon as possible or as soon as possible."),
    ],
)
def test_english_short_forms_are_written_out(written: str, full: str) -> None:
    assert written_out(written, "en") == full


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("§ 5 Abs. 2 S. 1 BGB", "de"),  # its first sentence
        ("Hallo Max. Das kostet Fr. 25.50.", "de"),  # a name; Swiss francs
        ("So. Die To-Do-Liste von R-Mo", "de"),
        ("Lt. Müller und M. E. Huber", "de"),
        ("Min. 5 Zeichen, El Salvador", "de"),
        ("3 Mio. und 5 kg", "de"),
        ("Es sind 50 TL! Sie kosten 17.002 TL.", "de"),  # Turkish lira
        ("Fr. 5.- pro Tag, Fr. 5–10, Fr. und Hr. Müller", "de"),
        ("Die DZ-Bank, unsere Wg. und 2:1 n. V.", "de"),
        ("Als Thomas S. 2019 starb, Max/Min. und Mi-Mi-Mi", "de"),
        ("Up 5pc, max/min temperature, p.p. John", "en"),
        ("UX 250h, 1H NMR, 2 h-index", "en"),
        ("ASAP Rocky and the all-Sun Belt teams", "en"),
        ("No. 10, P. (2000), J. Biol. Chem. 5", "en"),
        ("I sat. The Sun. No.", "en"),
        ("60 km, 5 kg, 3 p.m.", "en"),
    ],
)
def test_names_and_other_words_stay(text: str, language: str) -> None:
    assert written_out(text, language) == text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Add 3 hrs. of it, excl. tax and 2 tbsp. oil.", "en"),
        ("Noch 3 Std. bis Köln, s. Kap. eins, 8 Tabl./Tag.", "de"),
    ],
)
def test_a_short_form_ends_no_sentence_before_a_small_letter(text: str, language: str) -> None:
    assert list(spans(text, language=language)) == [(0, len(text))]


def test_a_word_without_a_full_stop_of_its_own_ends_a_sentence() -> None:
    assert len(list(spans("I need it asap. thanks.", language="en"))) == 2
