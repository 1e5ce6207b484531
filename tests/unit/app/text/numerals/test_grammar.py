"""Which numeric expressions are found, and how each is written for another language and region."""

import re
from decimal import Decimal
from functools import partial

import pytest
from babel.numbers import format_currency, format_decimal, format_percent
from hypothesis import given
from hypothesis import strategies as st

from app.text.numerals.grammar import localize
from tests.support.rules import written
from tests.support.work import lines_of, peak_bytes

DECIMALS = st.decimals(min_value=Decimal("1000"), max_value=Decimal("999999999.99"), places=2)


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("Es kostet 6.917.892,40 Euro.", "en", "Es kostet 6,917,892.40 Euro."),
        ("von 2,5–3,5 kg", "en", "von 2.5–3.5 kg"),
        ("Preis (80,50 €), (12,4 %), (25.07.1982)", "en", "Preis (€80.50), (12.4%), (July 25, 1982)"),
        ("(030) 123456, (12) und (80,-- €/Monat)", "en", "(030) 123456, (12) und (€80/month)"),
        ("1 von 1/10.000, 0711/35.123, 12/2024", "en", "1 von 1/10,000, 0711/35.123, 12/2024"),
        ("Karte 1:25.000, 3:2 und 1:25", "en", "Karte 1:25,000, 3:2 und 1:25"),
        ("bis 05.09.\nVom 12.04.", "en", "bis September 5.\nVom April 12."),
        ("Abschnitt 05.09.\n5.9.\n12.10.\n09.13.", "en", "Abschnitt 05.09.\n5.9.\n12.10.\n09.13."),
        ("Raum 02.03.\nNote: 05.10.\nEr hat 03.05.", "en", "Raum 02.03.\nNote: 05.10.\nEr hat 03.05."),
        ("1'234.50 Franken", "en", "1,234.50 Franken"),
        ("5,– Euro, 49,- €, 120,-- €", "en", "5 Euro, €49, €120"),
        ("-5,3 °C, 5,5km", "en", "-5.3 °C, 5.5km"),
        ("12,5 % und 12,5%ige", "en", "12.5% und 12.5%ige"),
        ("1.234,56 €", "en-GB", "€1,234.56"),
        ("EUR 1.200,50", "en", "EUR\u00a01,200.50"),
        ("3,5 Mio. €, 2 Mrd. EUR", "en", "€3.5 million, EUR\u00a02 billion"),
        ("3,5 Mio. Menschen", "en", "3.5 Mio. Menschen"),
        ("65k €, 5 m €, 7 bn €", "en", "€65k, 5 m €, 7 bn €"),
        ("3,5 Mio. €", "fi", "3,5 Mio. €"),
        ("25.07.1982", "en", "July 25, 1982"),
        ("25.07.1982", "en-GB", "25/07/1982"),
        ("25.07.1982", "en-US", "07/25/1982"),
        ("25.07.1982", "fr", "25/07/1982"),
        ("am 25.07. kam er", "en-GB", "am 25/07 kam er"),
        ("25.07. kam er", "en-GB", "25/07 kam er"),
        ("3.–5. Juni 2024", "en", "June 3–5, 2024"),
        ("03.–05.06.2024", "en-GB", "3–5 June 2024"),
        ("24.12.–02.01.", "en", "December 24 – January 2"),
        ("20. April – 3. Mai 2024, 3. Mai – 20 Leute", "en", "April 20 – May 3, 2024, May 3 – 20 Leute"),
        ("3.–5. Dez. 2024, 10 €/qm", "en", "December 3–5, 2024, €10/square meter"),
        ("5.–3. Juni, Seiten 3–5", "en", "5.–June 3, Seiten 3–5"),
        ("vom 3. bis 5. Juni", "en", "vom June 3 bis June 5"),
        ("Di 14:00–17:30 Uhr", "en", "Di 14:00–17:30"),
        ("9–12 Uhr", "en-US", "9 AM–12 PM"),
        ("10–12 und 15–18 Uhr", "en", "10:00–12:00, 15:00–18:00"),
        ("30–40 Uhren, 25–99 Uhr", "en", "30–40 Uhren, 25–99 Uhr"),
        ("14:30 Uhr", "en-US", "2:30 PM"),
        ("Es ist 7 Uhr 30. Um 9 Uhr 05", "en", "Es ist 7:30. At 9:05"),
        ("Um 7 Uhr 30 Leute, um 8 Uhr 5 kg", "en", "At 7:00 30 Leute, at 8:00 5 kg"),
        ("01.01.0010 Kabel", "en", "01.01.0010 Kabel"),
        ("um 9.05 Uhr", "en", "at 9:05"),
        ("um 9.30 am Bahnhof", "en", "um 9.30 am Bahnhof"),
        ("um 16 Uhr, ab 8 Uhr", "en", "at 16:00, ab 8:00"),
        ("um 16 Uhr, bis 24 Uhr", "en-US", "at 4 PM, bis 12 AM"),
        ("Kapitel 3.2 Biologie", "en", "Kapitel 3.2 Biologie"),
        ("von 9 bis 18 Uhr", "en", "von 9:00 bis 18:00"),
        ("zwischen 8 und 9.30 Uhr", "en-US", "zwischen 8 AM und 9:30 AM"),
        ("Um halb acht, gegen halb eins", "en", "At half past seven, gegen half past twelve"),
        ("UM HALB FÜNF, um halb ſechs, um halb sİeben", "en", "At half past four, um halb ſechs, um halb sİeben"),
        ("Um halb 8, gegen halb 1 Uhr", "en", "At half past 7, gegen half past 12"),
        ("gegen halb 8-9, halb 10 Prozent", "en", "gegen halb 8-9, halb 10 Prozent"),
        ("Um viertel nach elf, um Viertel vor 8 Uhr", "en", "At a quarter past eleven, at a quarter to 8"),
        ("Es ist Viertel nach eins, bis viertel vor 1", "en", "Es ist a quarter past one, bis a quarter to 1"),
        ("um viertel acht, Um dreiviertel eins", "en", "at a quarter past seven, At a quarter to one"),
        ("Es ist Dreiviertel acht", "en", "Es ist a quarter to eight"),
        ("UM VIERTEL NACH ELF", "en", "At a quarter past eleven"),
        ("Das Viertel vor acht Jahren, ein Viertel nach", "en", "Das Viertel vor acht Jahren, ein Viertel nach"),
        ("viertel acht, um viertel vor 8 Prozent", "en", "viertel acht, um viertel vor 8 Prozent"),
        ("halb acht, halb leer", "fi", "halb acht, halb leer"),
        ("Das ist 1.2. Danach", "en", "Das ist 1.2. Danach"),
    ],
)
def test_german_is_written_for_others(text, target, expected):
    assert written(text, "de", target) == expected


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("They paid $4,763.13.", "de", "They paid 4.763,13\u00a0$."),
        ("They paid $4,763.13.", "de-AT", "They paid $\u00a04.763,13."),
        ("They paid $4,763.13.", "de-CH", "They paid $\u00a04’763.13."),
        ("-$4.50", "de", "-4,50\u00a0$"),
        ("Open July 3–5. It ends on May 6.", "de", "Open 3.–5. Juli. It ends on 6. Mai."),
        ("On July 26th at 2:00 p.m. (CDT), 1/1,000th", "de", "On 26. Juli um 14:00 Uhr (CDT), 1/1,000th"),
        (
            "A mean (2.5) of ($5.50) (4:00 p.m. Toronto time)",
            "de",
            "A mean (2,5) of (5,50\u00a0$) (16:00 Uhr Toronto time)",
        ),
        ("$3.5 million", "de", "$3,5 million"),
        ("$4.5bn, £3m, USD 5k", "de", "4,5 Mrd.\u00a0$, 3 Mio.\u00a0£, 5 Tsd.\u00a0USD"),
        ("$1.2T, 3.2m euros, €5m-a-year", "de", "1,2 Bio.\u00a0$, 3,2 Mio. euros, 5 Mio.\u00a0€-a-year"),
        ("A $5 T-shirt, 3.2m long, 5m", "de", "A 5\u00a0$ T-shirt, 3,2m long, 5m"),
        ("$4.5bn", "fi", "$4,5bn"),
        ("€5M USD, $5M–10M, $20M/F", "de", "€5 Mio. USD, $5M–10M, $20M/F"),
        ("Cable 3 m EUR 12.50, 3m EUR 5", "de", "Cable 3 m 12,50\u00a0EUR, 3m 5\u00a0EUR"),
        ("M $10 L $12, €3 m, $5 T & C", "de", "M 10\u00a0$ L 12\u00a0$, €3 m, 5\u00a0$ T & C"),
        ("12.5%", "de", "12,5\u00a0%"),
        ("12.5%", "de-CH", "12.5%"),
        (".5 and 10,000", "de", "0,5 and 10.000"),
        ("07/25/1982 and 25/07/1982", "de", "25.07.1982 and 25.07.1982"),
        ("04/05/1982", "de", "04/05/1982"),
        ("June 3–5, 2024; 3rd-5th of June", "de", "3.–5. Juni 2024; 3.–5. Juni"),
        ("9am–5pm, 9-5 p.m., 2–4 pm", "de", "9–17 Uhr, 9–17 Uhr, 14–16 Uhr"),
        ("up (+14.6%), +1.5 points, +49.30 1234567", "de", "up (+14,6\u00a0%), +1,5 points, +49.30 1234567"),
        ("At 2:30 p.m. and 12:15 am", "de", "Um 14:30 Uhr and 00:15 Uhr"),
        ("Until 5 p.m. Please call. 6:45 pm. We go", "de", "Until 17 Uhr. Please call. 18:45 Uhr. We go"),
        ('By 5 p.m.\nFrom 1–4 p.m. "Come!"', "de", 'By 17 Uhr.\nFrom 13–16 Uhr. "Come!"'),
        ("At 10 a.m. Tuesday, 7 p.m. ET or 4 p.m. Pacific", "de", "Um 10 Uhr Tuesday, 19 Uhr ET or 16 Uhr Pacific"),
        ("9\u00a0a.m.–5\u00a0p.m., at 4\u00a0pm", "de", "9–17 Uhr, um 16 Uhr"),
        ("$120K–$150K/yr, £5-£6 a day", "de", "120 Tsd.\u00a0$–150 Tsd.\u00a0$/Jahr, 5\u00a0£-6\u00a0£ a day"),
        ("$5-€6, $1.50–$2 million", "de", "5\u00a0$-6\u00a0€, 1,50\u00a0$–$2 million"),
        ("$3.27 trn, €2 mln", "de", "3,27 Bio.\u00a0$, 2 Mio.\u00a0€"),
        (
            "Lunch   1 p.m.   Dinner\t7 p.m.\nClosed by 8 p.m. | Open",
            "de",
            "Lunch   13 Uhr   Dinner\t19 Uhr\nClosed by 20 Uhr. | Open",
        ),
        ("50%\nRate   7%\t-5%", "de", "50\u00a0%\nRate   7\u00a0%\t-5\u00a0%"),
        ("a 7% rate, 5% | 7% of it", "de", "a 7% rate, 5% | 7% of it"),
        ("Mar. 21–Apr. 19, April 20 – May 20, 2024", "de", "21. März – 19. April, 20. April – 20. Mai 2024"),
        ("(June 14, 4 pm) on May 3.\nMay 5", "de", "(14. Juni, 16 Uhr) on 3. Mai.\n5. Mai"),
        ("In March 10 people, May 3. Then, May 3-2", "de", "In March 10 people, May 3. Then, May 3-2"),
        ("the 8 a.m. Mass, 5 p.m. on it", "de", "the 8 Uhr Mass, 17 Uhr on it"),
        ("At 5 p.m. Tom left. By 6 p.m. I did.", "de", "Um 17 Uhr Tom left. By 18 Uhr I did."),
        ("Her 3 p.m. Zoom call is at 5 p.m. Call her.", "de", "Her 15 Uhr Zoom call is um 17 Uhr. Call her."),
        ("Sunset: 8:31 p.m.\nDinner: 6pm–9pm.\n10 a.m.", "de", "Sunset: 20:31 Uhr\nDinner: 18–21 Uhr.\n10 Uhr"),
        ("Aug 3-7, Jan. 3–5, 2024, Mar 3-2", "de", "3.–7. August, 3.–5. Januar 2024, Mar 3-2"),
        ("At 3 p.m.? Between 8 a.m. and 12 pm.", "de", "Um 15 Uhr? Between 8 Uhr and 12 Uhr."),
        ("13 am Stairs", "de", "13 am Stairs"),
        ("at half past seven, Half-past twelve", "de", "um halb acht, Halb eins"),
        ("at half past 3 or half past 12", "de", "um halb 4 or halb 1"),
        ("At a quarter past one, quarter-past 12", "de", "Um Viertel nach eins, Viertel nach 12"),
        ("at a quarter to 1", "de", "um Viertel vor 1"),
        ("from a quarter to one third", "de", "from a quarter to one third"),
        ("at half past ſix, at half past fıve", "de", "at half past ſix, at half past fıve"),
        ("13/13/1982, 1,23,456, 3.5/5", "de", "13/13/1982, 1,23,456, 3.5/5"),
    ],
)
def test_english_is_written_for_others(text, target, expected):
    assert written(text, "en", target) == expected


def test_a_region_of_the_source_tells_day_from_month():
    assert written("04/05/1982", "en-US", "de") == "05.04.1982"
    assert written("04/05/1982", "en-GB", "de") == "04.05.1982"


@pytest.mark.parametrize(
    "text",
    [
        "+49 30 123456-78", "030/1234567", "(030) 123456", "(555) 123-4567", "1-800-555-0199",
        "978-3-16-148410-0", "3-16-148410-X", "DE89 3704 0044 0532 0130 00", "v2.0.1", "1.2.3-rc1", "Python3.11",
        "192.168.0.1", "1982-07-25T10:00:00Z", "3:2", "24/7", "12 500", "1234567",
        "2 h 45 min", "1h 5min", "3 min 20 s", "DE 123 456 789",
    ],
)  # fmt: skip
@pytest.mark.parametrize("languages", [("de", "en"), ("en", "de")])
def test_identifiers_are_found_and_stay(text, languages):
    sentence = f"Hier ist {text} da."
    [numeral] = localize(sentence, *languages)
    assert sentence[numeral.begin : numeral.end] == text
    assert written(sentence, *languages) == sentence


@pytest.mark.parametrize(
    "text", ["Version 2.5", "USB 3.1", "Chapter 3.2", "§ 5.2", "(1.1) The tenant", "Section (4.2)"]
)
def test_a_number_that_is_a_name_stays(text):
    assert localize(text, "en", "de")
    assert written(text, "en", "de") == text


@pytest.mark.parametrize(
    "text",
    [
        "HTML 5.0 and CSS 3.0", "HTTP/1.1 and HTTP/2.0", "Apache License 2.0", "OAuth 2.0",
        "PostgreSQL 14.5, Redis 7.0", "Python 3.10", "iOS 17.1", "(TLS 1.3)", "USB 3.2 cables",
        "Version 2.5", "v1.2", "CC BY-SA 4.0", "GTK+ 2.0", "Mozilla/5.0",
        "Web 2.0", "LibreOffice 7.2 onwards", "OAuth-2.0 token"
    ],
)  # fmt: skip
@pytest.mark.parametrize("languages", [("de", "en"), ("en", "de")])
def test_a_version_behind_a_product_stays(text, languages):
    assert written(text, *languages) == text


@pytest.mark.parametrize(
    "text",
    [
        "About 3.5 percent", "Germany 2.5 million", "In Berlin 1.5 metres", "a Big 2.5 kg bag", "Magnitude 6.2",
        "OVER 3.5", "IN BERLIN 1.5 METRES", "The UK 2.5 percent", "NASA 2.5 billion", "YouTube 2.5 billion", "pH 6.5",
        "BMI 24.5", "ABOUT 3.5 STARS", "The GDP rose by 2.5", "Windows 1.5 billion users", "an SUV 4.5 m long",
        "km/1.5", "and/or 1.5", "BETWEEN 1.5 AND 2.5", "CDU 32.5, SPD 20.5", "AT LEAST 2.5", "SIZE 7.5", "The DAX 1.25",
    ],
)  # fmt: skip
def test_a_decimal_behind_a_name_is_no_version(text):
    assert written(text, "en", "de") == re.sub(r"(\d)\.(\d)", r"\1,\2", text)


def test_a_time_or_number_in_german_behind_a_product_is_no_version():
    assert (
        written("Die ARD 20.15 Uhr, SAP 1.200 Leute, HTML 5,5", "de", "en")
        == "Die ARD 20:15, SAP 1,200 Leute, HTML 5.5"
    )


@pytest.mark.parametrize("text", ["Im Jahr 1982 kamen 12 Leute.", "1914-1918, 10–20", "A4, COVID-19, 5G, 50 %"])
def test_small_numbers_are_left_to_the_model(text):
    assert localize(text, "de", "en") == []


@pytest.mark.parametrize(
    "text",
    [
        "Clause 4.2(b) applies", "Repeat step 3.2 now", "(Schedule 2.1)", "See 4.2 above.", "in 4.2 above",
        "clauses 4.2, 4.3 and 4.10", "Sections 3.4 to 3.6", "Items 3.1-3.4", '1.1 "Licensee" means',
        "x\n2.3 The tenant",
        "10.2.1 Introduction", "1.1. definitions", "1.1 (a) the tenant", "unit 3.2",
        "Art. 5, part 1.2", "Rule 3.2 says no",
    ],
)  # fmt: skip
def test_the_number_of_a_clause_stays(text):
    assert written(text, "en", "de") == text


@pytest.mark.parametrize(
    "text",
    [
        "1.5 kg of flour", "1.1 million people", "1.5 Million People", "2.5 Hours later", "1.5 Cups flour",
        "see 3.5 stars",
        "a step 1.5 metres wide", "2.5 below zero", "clause 4, and 2.5 times", "Part 1.5 percent", "2.5 or more",
        "She saw 1.5",
    ],
)  # fmt: skip
def test_a_decimal_is_no_number_of_a_clause(text):
    assert written(text, "en", "de") == re.sub(r"(\d)\.(\d)", r"\1,\2", text)


def test_neither_an_amount_nor_a_date_is_a_version():
    assert written("i. H. v. 850,00 €, i.H.v. 5.000 €", "de", "en") == "i. H. v. €850.00, i.H.v. €5,000"
    assert written("Urteil v. 3.5.2020", "de", "en") == "Urteil v. May 3, 2020"


@pytest.mark.parametrize(
    "text",
    [
        "2024-12-03 09:14:22,123 ERROR", "2024-12-03T09:14:22.123Z", "09:14:22,123", "after 30s", "every 5s", "500ms",
        "in the 30s", "the 1980s", "his 20s", 'He is 6\'2" tall', "5’11” tall",
    ],
)  # fmt: skip
@pytest.mark.parametrize("languages", [("de", "en"), ("en", "de")])
def test_times_of_logs_and_units_without_a_space_stay(text, languages):
    assert written(text, *languages) == text


def test_seconds_are_told_from_decades():
    assert localize("It failed after 30s.", "en", "de")
    assert written("It took 1.5s or 2.5ms.", "en", "de") == "It took 1,5s or 2,5ms."
    assert localize("In the 30s, his 20s and 747s.", "en", "de") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$9.99/mo.", "9,99\u00a0$/Monat"),
        ("It is $9.99/mo.", "It is 9,99\u00a0$/Monat."),
        ("$5/min.", "5\u00a0$/min"),
        ("$9.99/mo. plus tax", "9,99\u00a0$/Monat plus tax"),
        ("$9.99/mo. Cancel now", "9,99\u00a0$/Monat. Cancel now"),
        ("$1.5m/year, $9/night/person", "1,5 Mio.\u00a0$/Jahr, 9\u00a0$/Nacht/Person"),
        ("$5/month. it ends", "5\u00a0$/Monat. it ends"),
        ("Now:\n$20/hr.\nNext", "Now:\n20\u00a0$/Stunde\nNext"),
        ("1,200 mg/day", "1.200 mg/Tag"),
        ("5 mg/kg/day", "5 mg/kg/Tag"),
        ("$0.32/kWh, $5/m²", "0,32\u00a0$/kWh, 5\u00a0$/m²"),
        ("72/min, 100 km/h", "72/min, 100 km/h"),
        ("€12–15/Person", "12–15\u00a0€/Person"),
        ("$5/serving, 3/monthly, 24/7", "5\u00a0$/serving, 3/monthly, 24/7"),
    ],
)
def test_what_an_amount_is_for_is_written_by_rule(text, expected):
    assert written(text, "en", "de") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9,99 €/Monat!*", "€9.99/month!*"),
        ("5 €/Std.", "€5/hour"),
        ("99 €/Pers./Nacht, 9–17 Uhr/Tag", "€99/person/night, 9–17 Uhr/Tag"),
        ("80/Min., Blutdruck", "80/minute, Blutdruck"),
        ("72/Min. in Ruhe", "72/minute in Ruhe"),
        ("0,32 €/kWh, 12 €/m²", "€0.32/kWh, €12/m²"),
        ("5 Fuß 4 Zoll – 6 Fuß 2 Zoll", "5 feet 4 inches – 6 feet 2 inches"),
        ("1:0 Kroos (23., FE), 2:0 Sané (51., 90.+3)", "1:0 Kroos (23', FE), 2:0 Sané (51', 90+3')"),
        ("Duden (3., neue Auflage), der 2. Platz", "Duden (3., neue Auflage), der 2. Platz"),
        ("Am 3., 4. und 5. Mai, 2:1", "Am 3., 4. und May 5, 2:1"),
    ],
)
def test_units_and_minutes_of_german(text, expected):
    assert written(text, "de", "en") == expected


@pytest.mark.parametrize(("translation", "rest"), [("Das sind {} $.", "."), ("Das sind {} Dollar im", " im")])
def test_a_rate_replaces_the_amount_and_the_name_of_its_currency(translation, rest):
    [numeral] = localize("It costs $9.99/month.", "en", "de")
    text = translation.format(re.search(r"\d+", numeral.rewrite.stand_in)[0])
    found = next(match for form in numeral.rewrite.forms if (match := re.search(form.pattern, text)))
    assert numeral.rewrite.text == "9,99\u00a0$/Monat" and text[found.end() :] == rest


def test_feet_and_inches_are_words():
    assert written("(4 ft 11 in – 6 ft 7 in) tall", "en", "de") == "(4 Fuß 11 Zoll – 6 Fuß 7 Zoll) tall"
    assert written("3 in the city, 5 ft 4 in", "en", "fr") == "3 in the city, 5 ft 4 in"


def test_without_a_notation_numbers_stay():
    assert written("1.234,56 €", "xx", "yy") == "1.234,56 €"


@given(DECIMALS, st.sampled_from(["de", "en"]), st.sampled_from(["en-GB", "en-US", "de-AT", "de-CH", "fr", "pl", "it"]))
def test_numbers_and_amounts_are_written_as_cldr_writes_them(number, source, target):
    here, there = source, target.replace("-", "_")
    assert written(format_decimal(number, locale=here), source, target) == format_decimal(number, locale=there)
    amount = format_currency(number, "EUR", locale=here)
    expected = format_currency(number, "EUR", locale=there).replace("EUR", "€")  # Switzerland prefers codes
    assert written(amount, source, target) == expected


@given(st.decimals(min_value=Decimal("0.001"), max_value=Decimal("0.999"), places=3))
def test_percentages_are_written_as_cldr_writes_them(share):
    here, there = (format_percent(share, format="#,##0.0 %" if locale == "de" else "#,##0.0%", locale=locale)
                   for locale in ("de", "en"))  # fmt: skip
    assert written(here, "de", "en") == there


@given(st.text(alphabet="0123456789.,:/-–' €$%()aApPmMUhrvX+\u00a0", max_size=60))
def test_finds_are_in_order_and_what_is_found_again_is_stable(text):
    for source, target in (("de", "en-US"), ("en", "de")):
        done = 0
        for begin, end, _ in localize(text, source, target):
            assert done <= begin < end <= len(text)
            done = end


@pytest.mark.parametrize(
    "piece", ["1 ", "1.2", "+1 ", "(0", "a1.b", "123 456 ", "1-", "$", "v 1.2 ", "0/", "25.07. ", "A+ 1.1 ", "A/1.1 "]
)
def test_work_grows_no_faster_than_the_text(piece):
    small, large = (partial(localize, piece * (chars // len(piece)), "de", "en") for chars in (2_000, 4_000))
    assert lines_of(large) <= 2.3 * lines_of(small) + 1_000
    assert peak_bytes(large) <= 2.6 * peak_bytes(small) + 20_000


@pytest.mark.parametrize(
    ("text", "translation", "expected"),
    [
        ("Sie kam am 3. Mai.", "She came on May 3.", "She came on May 3."),
        ("Am 3. Mai 2020 kam sie.", "On May 3, 2020. she came", "On May 3, 2020. she came"),
        ("Sie kam am 3. Mai.", "She came on the 3rd of May.", "She came on May 3."),
    ],
)
def test_a_date_in_words_leaves_the_full_stop_to_the_sentence(text, translation, expected):
    [numeral] = localize(text, "de", "en-US")
    forms = numeral.rewrite.forms
    found = next(match for form in forms if (match := re.search(form.pattern, translation)))
    result = translation[: found.start()] + numeral.rewrite.text + translation[found.end() :]
    assert result == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("$3, €5 oder 7 £", "$3, €5 oder £7"), ("10€/12$", "€10/$12"), ("20 €.", "€20.")],
)
def test_no_amount_with_a_currency_is_left_to_the_model(text, expected):
    assert written(text, "de", "en") == expected


def test_a_currency_further_on_is_not_the_amount_s():
    [numeral] = localize("It costs $999.", "en", "de")
    _, in_words = numeral.rewrite.forms
    number = re.search(r"\d+", numeral.rewrite.stand_in)[0]
    assert re.search(in_words.pattern, f"Es kostet {number} US-Dollar.")
    assert not re.search(in_words.pattern, f"Es kostet {number} oder 7 $.")
    assert not re.search(in_words.pattern, f"Für {number} haben Sie zwei Dollar.")
