"""Short forms are written out where they are meant, and nowhere else."""

import pytest

from app.text.inline.placement import Edit, apply, disjoint
from app.text.sentences import spans
from languages.registry import language_of
from tests.support.rules import corrected


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
        ("Siehe S. 7, vgl. Kap. 2 und Abb. 3.", "Siehe Seite 7, cf. Kapitel 2 und Abbildung 3."),
        ("i.d.R. mind. 5 Tage, max. 10", "in der Regel mindestens 5 Tage, maximal 10"),
        ("Max. 5 Personen", "Maximal 5 Personen"),
        ("Das ist z. T. so, evtl. nicht ganz u.v.m.", "Das ist zum Teil so, eventuell nicht ganz und vieles mehr."),
        ("Am 3. Sept. 2024 und im Okt. 2025", "Am 3. September 2024 und im Oktober 2025"),
        ("Mo.–Fr. 9–18 Uhr, Sa. 10 Uhr", "Montag bis Freitag 9–18 Uhr, Samstag 10 Uhr"),
        ("Okt 2021 bis Dez 2022, Jan.–März zu", "Oktober 2021 bis Dezember 2022, Januar bis März zu"),
        ("Mo, Mi, Fr ab 9", "Montag, Mittwoch, Freitag ab 9"),
        ("Sa/So und am Mo., 12.05., um 10", "Samstag und Sonntag und am Montag, 12.05., um 10"),
        ("Er sagte: „5 Min.“", "Er sagte: „5 Minuten.“"),
        ("Mo., Mi. und Fr. ab 9, 5 €/Std.", "Montag, Mittwoch und Freitag ab 9, 5 €/Stunde."),
        ("Geöffnet Sa. und So. bis 9", "Geöffnet Samstag und Sonntag bis 9"),
        ("Kundennr.: 7, Haus Nr. 3, p. P. im DZ", "Kundennummer: 7, Haus Nr. 3, pro Person im Doppelzimmer"),
        ("Am Fr. 12. Mai, So. und feiertags; Mo – Fr", "Am Freitag 12. Mai, Sonntag und feiertags; Montag bis Freitag"),
        ("Er bleibt 2 1/2 Std., 1/2 Std.", "Er bleibt 2 1/2 Stunden, 1/2 Stunde."),
        (
            "Sa/So u. feiertags, Müller u. Sohn, u. U. u. a.",
            "Samstag und Sonntag und feiertags, Müller und Sohn, unter Umständen u. a.",
        ),
        ("i. H. v. 850,00 €, i.H.v. \ue000", "in Höhe von 850,00 €, in Höhe von \ue000"),
        ("Ihr o. g. Schreiben, wie o. g. bekannt", "Ihr oben genannten Schreiben, wie oben genannt bekannt"),
        ("Abweichend von Abs. 1 gilt Abschn. A.", "Abweichend von Absatz 1 gilt Abschnitt A."),
        ("3., überarb. Aufl., Bd. 2; a. a. O.", "3., überarbeitete Auflage, Band 2; loc. cit."),
        ("Bitte s. Anlage und s. S. 5, s. a. S. 7 f.", "Bitte siehe Anlage und siehe Seite 5, siehe auch Seite 7 f."),
        ("gez. Dr. Müller, geb. am 3.5.1985", "unterzeichnet von Dr. Müller, geboren am 3.5.1985"),
        ("Anna, geb. Schmidt, geb. 1950, verh.", "Anna, née Schmidt, geboren 1950, verheiratet."),
        ("Fr. Dr. Schmidt, Hr. v. Berg und Fr. A. Meier", "Frau Dr. Schmidt, Herr v. Berg und Frau A. Meier"),
        ("Fr. und Hr. Müller kommen Fr. Abend.", "Frau und Herr Müller kommen Freitag Abend."),
        ("Antrag v. 03.12.2024, v. 3. Mai, v. Mai 2020", "Antrag vom 03.12.2024, vom 3. Mai, vom Mai 2020"),
        ("dt. Pass, spricht dt. und engl.", "deutsche Pass, spricht deutsch und englisch"),
        ("Schnitzel m. Pommes n. d. Essen", "Schnitzel mit Pommes nach dem Essen"),
        ("Helle Whg. m. Balkon", "Helle Wohnung mit Balkon"),
        ("Bis bald, lg Anna", "Bis bald, liebe Grüße Anna"),
        ("Tgl. 2 Tabl., mtl. Miete, schriftl. Antwort", "Täglich 2 Tabletten, monatlich Miete, schriftlich Antwort"),
        ("Kd.-Nr. 4711, Steuer-Nr.: 5, Az.: 12 C", "Kundennummer 4711, Steuernummer: 5, Aktenzeichen: 12 C"),
        ("Abf. 10:15 Gl. 7", "Abfahrt 10:15 Gleis 7"),
        ("Treffen am Mi, 3. Dez 2024 und Di 12.05.", "Treffen am Mittwoch, 3. Dezember 2024 und Dienstag 12.05."),
        ("zzgl. 19 % MwSt.", "zuzüglich 19 % Mehrwertsteuer"),
        ("18. Jh.", "18. Jahrhundert"),
        ("vllt ist das iwie gut", "vielleicht ist das irgendwie gut"),
        (
            "Weibl. Vorname, griech. Göttin, ein chem. Element",
            "Weibliche Vorname, griechische Göttin, ein chemische Element",
        ),
        ("Ab 6 J.: 1 Tbl., 100 St., 5 v. H.", "Ab 6 Jahre: 1 Tablette, 100 Stück, 5 Prozent."),
        ("38,5 Std./Wo., 5 €/Std.", "38,5 Stunden pro Woche, 5 €/Stunde."),
        ("3-Zi.-Whg., 6-tlg. Set im 2. OG, 1.OG", "3 Zimmer-Wohnung, 6-teilig Set im 2. Stock, 1. Stock"),
        ("Eine 3-Zimmer-Wohnung, 2-Zimmerwohnung, 4-Zi.", "Eine 3 Zimmer-Wohnung, 2 Zimmerwohnung, 4 Zimmer"),
        ("Ende 10. KW, in KW 12, Gr. 38", "Ende 10. Kalenderwoche, in Kalenderwoche 12, Größe 38"),
        ("CAS-Nr.: 64, SV-Nr. 65, Abt. 2", "CAS-Nummer: 64, SV-Nummer 65, Abteilung 2"),
        ("Bis Do. Bescheid geben, am Mo, Sa. \ue000", "Bis Donnerstag Bescheid geben, am Montag, Samstag \ue000"),
        ("So, Fr. Müller kommt.", "So, Frau Müller kommt."),
        ("Rd. 30 Prozent im Jan./Feb.", "Rund 30 Prozent im Januar und Februar."),
        ("Wir sind ab Mi. da, bis Do. Abend.", "Wir sind ab Mittwoch da, bis Donnerstag Abend."),
        ("Rechnung v. \ue000, rd. ein Drittel, Di Ruhetag", "Rechnung vom \ue000, rund ein Drittel, Di Ruhetag"),
        ("Karl d. Gr., 500 m ü. NHN, restl. Karten", "Karl der Große, 500 m über dem Meeresspiegel, restliche Karten"),
        ("südwestl. von Ulm, innerh. v. 14 Tg.", "südwestlich von Ulm, innerhalb von 14 Tage"),
        (
            "Di. Restmüll, Do. Papier, Hr. \ue000, 3 J. u. 6 Mon.",
            "Dienstag Restmüll, Donnerstag Papier, Herr \ue000, 3 Jahre und 6 Monate.",
        ),
        ("Koch (m/w/d), 5 m/w", "Koch (m/f/d), 5 m/w"),
        ("Inh. Max Meier, Haustiere n. V.", "Eigentümer Max Meier, Haustiere nach Vereinbarung."),
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
        ("65 sq m, 3 sq. km and 1 cu m", "65 square meters, 3 square kilometers and 1 cubic meter"),
        ("Fish w/ chips", "Fish with chips"),
        ("Dep. 08:15, Arr. 10:42", "Departure 08:15, arrival 10:42"),
        ("Closed Sat/Sun", "Closed Saturday and Sunday"),
        ("Boss, 2018–present. Cook (2010 - Present)", "Boss, 2018 – today. Cook (2010 – today)"),
        ("In Q3 2024 and by H1 2025", "In the third quarter of 2024 and by the first half of 2025"),
        ("Under the GDPR, we do.", "Under the General Data Protection Regulation, we do."),
        ("From the U.K. to the U.S.A.", "From the UK to the USA."),
        ("On Fri. or by Tues, due Thurs!! Except Weds.", "On Friday or by Tuesday, due Thursday!! Except Wednesday."),
        ("Tires (Aug '23)", "Tires (August '23)"),
        ("FY 2024/25, FY\ue000", "financial year 2024/25, financial year \ue000"),
        (
            "Rm. 204. Net wt. 12 oz, model no. X-2",
            "Room 204. Net weight 12 ounces, model number X-2",
        ),
        ("built c. 1450 (b. 1450, d. 1516)", "built around 1450 (born 1450, died 1516)"),
        (
            "On Tue, Dec 3, 2024 at 9:14 AM Peter Miller <p@example.com> wrote:",
            "On Tuesday, December 3, 2024 at 9:14 AM, Peter Miller <p@example.com> wrote:",
        ),
        ("Mar 3, 2025 or 3 Mar 2025", "March 3, 2025 or 3 March 2025"),
        ("Tuesday, Jan 9, Sep 5: Mar 2019 – Jan 2022", "Tuesday, January 9, September 5: March 2019 – January 2022"),
        ("Closed Jan.–Mar., Apr/May", "Closed January to March, April and May"),
        ("Mon, Wed and Fri; Sat, Sun & holidays", "Monday, Wednesday and Friday; Saturday, Sunday & holidays"),
        ("On Sat and Sun, every Tue, Wed and Thu", "On Saturday and Sunday, every Tuesday, Wednesday and Thursday"),
        ("5+ yrs. of work, a 6 ft wall", "5+ years of work, a 6 feet wall"),
        ("8.5 x 11 in; 3 in. wide (4 in)", "8.5 x 11 inches; 3 inches wide (4 inches)"),
        (
            "It is 5 in by 7 in; 3 in deep. He is 6 ft 2 in.",
            "It is 5 inches by 7 inches; 3 inches deep. He is 6 feet 2 inches.",
        ),
        ("A radius of 4.5 in.", "A radius of 4.5 inches."),
        ("btw idk where r u rn", "by the way I don't know where are you right now"),
        ("£500 pcm, 5% p.a.", "£500 per month, 5% per year."),
        ("incl. 5 pcs.", "incl. 5 pieces"),
        (
            "On Fri. Then we left on Wed I think, every Sat 9-5.",
            "On Friday. Then we left on Wednesday I think, every Saturday 9-5.",
        ),
        (
            "Is it on Wed. I will be there, until Mon. I have no time.",
            "Is it on Wednesday. I will be there, until Monday. I have no time.",
        ),
        ("On Fri. I am off.", "On Friday. I am off."),
        ("Mr. X works on Wed. I do not.", "Mr. X works on Wednesday. I do not."),
        ("On Sun, we met on Sun.", "On Sunday, we met on Sunday."),
        ("I met him on Sun, Tom.", "I met him on Sunday, Tom."),
        ("See you this Sun at 5, by Sun evening", "See you this Sunday at 5, by Sunday evening"),
        ("On Sun. we met, on Sun, Jan 5, on Sun or Mon", "On Sunday we met, on Sunday, January 5, on Sunday or Mon"),
        ("Since Jan 9 people are ill.", "Since January 9 people are ill."),
        ("By Jan 9 months had passed.", "By January 9 months had passed."),
        ("Mar 5 miles on", "March 5 miles on"),
        ("Add 1 tsps. and 2 tsps.", "Add 1 teaspoon and 2 teaspoons."),
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
        ("Fr. 5.- pro Tag, Fr. 5–10", "de"),
        ("Die DZ-Bank, unsere Wg. und 2:1 n. V.", "de"),
        ("Als Thomas S. 2019 starb, Max/Min. und Mi-Mi-Mi", "de"),
        ("Up 5pc, max/min temperature, p.p. John", "en"),
        ("Johann Wolfgang v. Goethe und J. W. v. Goethe", "de"),
        ("Windows v. 7, 2 m. hoch, 5 s. lang, § 5 f. BGB", "de"),
        ("Mai/Juni, Mai–Juli", "de"),
        ("Er kommt Sa. Ich nicht. Er ist Dr. jur. und Dr. theol.", "de"),
        ("Das ist Pat. Er wurde Abt. Frl. Meier, \ue000 n. V.", "de"),
        ("500 v. Chr., 50° n. Br., 2:1 n. V., k. u. k. Hof", "de"),
        ("Der Papst Pius V. 1570", "de"),
        ("i. A. Schmidt, i. V. Müller", "de"),
        ("Gl. 7 hat keine Lösung.", "de"),  # an equation
        ("§ 5, Abs. 2", "de"),
        ("Unter Karl V. 1520 war T. m. maximus p. m. angewendet (f. sg.)", "de"),
        ("Er war viel. Das Wohl. Schnell.", "de"),
        ("Das schöne Mädl. Der Kerl.", "de"),
        ("Kabel 25 kA, lg 100, LG, HDL-Wert", "de"),
        ("Du bist so 3 Mal da. Do it.", "de"),
        ("Die 2 St. Pauli-Fans, Platz 3 J. Müller", "de"),  # names
        ("Motor 74 KW 101 PS, Max./Min.-Anzeige", "de"),
        ("1. OG/2. OG, ein 3-Zimmer-Zelt", "de"),
        ("Vom So Young Kim, am Do-it-Tag, Fr. \ue000", "de"),
        ("Die OG-Bau, das OG, Herr v. H.", "de"),
        ("Ru's friends of Imo State", "en"),
        ("24 W/m², I/O, and/or, /b/ and /w/ are", "en"),
        ("1986 (c. 31), c. 5 of the Act", "en"),  # chapters
        ("where u is the velocity, Ur of the Chaldees", "en"),
        ("In Q3 we ask. The Audi Q3. of H1 headings", "en"),
        ("at present, 2018 – present-day", "en"),
        ("B. 1450, plan C. 5, vitamin D. 1516", "en"),
        ("3 in the house, Ty Cobb, IMO rules", "en"),
        ("In 2019 in. We have 5 in, 3 out. Is 5 in it?", "en"),
        ("Number 1 in high school, 5 in tall grass", "en"),
        ("They let 20 in.", "en"),
        ("By Mon Mothma, on Sat TV, call ext. 5", "en"),
        ("Apr 5% or Jan 9:30, the Mar 3rd, Dec 1.5, May 5", "en"),
        ("Jan 9", "de"),
        ("Jan 9 years old, Jan 5 months ago", "en"),  # a name
        ("This Sun is one of many stars, by Sun.", "en"),
        ("Life on Sun and Earth, on Sun. We", "en"),
        ("Every Sun has its planets.", "en"),
        ("Life on Sun, Earth and Mars", "en"),
        ("Life on Sun, Mars and Earth", "en"),
        ("Song 2 ft Eminem, so, Fri", "en"),
        ("GDPR Article 5, GDPR-compliant, the GDPRs", "en"),
        ("On Sat-nav, the Sun. Fri is so, the U.S.", "en"),
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
        ("Ihr o. g. Schreiben haben wir mit Hrn. Müller und der dt. Botschaft besprochen.", "de"),
        ("2 Stk. Netzwerkkabel", "de"),
        ("Wir nehmen 3 Pck. Backpulver und 1 Msp. Zimt.", "de"),
        ("20 Min. Fußweg", "de"),
        ("Ehem. Schüler und ein weibl. Vorname in Abt. III", "de"),
        ("Siehe Kap. \ue000 und Abschn. A der überarb. Fassung.", "de"),
        ("Please call us at ext. 214 in Rm. 204 today.", "en"),
        ("Price excl. VAT, ed. by J. Miller of the Dept. of Health, see sect. 5.", "en"),
    ],
)
def test_a_short_form_ends_no_sentence_before_a_small_letter(text: str, language: str) -> None:
    assert list(spans(text, language=language)) == [(0, len(text))]


@pytest.mark.parametrize(
    "text",
    ["Is it plan B or C. The two are good.", "He works for the dept. It is large.", "I like R&B. The song is new."],
)
def test_a_letter_ends_a_sentence_as_before(text: str) -> None:
    assert len(list(spans(text, language="en"))) == 2


def test_a_word_without_a_full_stop_of_its_own_ends_a_sentence() -> None:
    assert len(list(spans("I need it asap. thanks.", language="en"))) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Nimm 3 Tabl. Danach ruhst du.",
        "Es sind 2 Stk. Die Kabel sind neu.",
        "Er wohnt westl. Die Stadt ist groß.",
        "Er wurde Abt. Im Jahr danach starb er.",
    ],
)
def test_a_short_form_may_end_a_sentence(text: str) -> None:
    assert len(list(spans(text, language="de"))) == 2


def test_a_translation_gets_the_full_stop_behind_a_short_form_at_the_end() -> None:
    assert corrected("He is 6 ft.", "Er ist 6 Fuß", "en", "de") == "Er ist 6 Fuß."
