"""English short forms that models don't know. They know "e.g.", "i.e.", "approx.", "etc." and "No.".

We wrote the list, and tried most of it with the shipped model.
"""

import re
from collections.abc import Iterator

from languages.numbers import units_of
from languages.short_forms import Rewritings, ShortForms, rewritten
from languages.signs import CLOSING, NUMBER, STAND_INS

UNITS = units_of("""
    second: second/seconds: sec, secs
    minute: minute/minutes: min, mins
    hour: hour/hours: h, hr, hrs
    day: day/days
    night: night/nights
    week: week/weeks: wk, wks
    month: month/months: mo, mos, /mth
    quarter: quarter/quarters
    year: year/years: yr, yrs
    person: person/people
    piece: piece/pieces: pcs, /pc
    user: user/users
    pound: pound/pounds: lb, lbs
    ounce: ounce/ounces: oz
    foot: foot/feet: ft
    inch: inch/inches: /in
    mile: mile/miles: /mi
    gallon: gallon/gallons: gal, gals
    litre: liter/liters: /litre
    square metre: square meter/square meters: sq m, sqm, sq. m
    cubic metre: cubic meter/cubic meters: cu m, cu. m
    tablespoon: tablespoon/tablespoons: tbsp, tbsps
    teaspoon: teaspoon/teaspoons: tsp, tsps
    cubic foot: cubic foot/cubic feet: cu ft, cu. ft.
    dozen: dozen: doz.
    kilometre an hour: kilometer per hour/kilometers per hour: kph
    mile an hour: mile per hour/miles per hour: mph
    per month: per month: pcm
    per week: per week: pw
    point: point/points: pts
    quart: quart/quarts: qt., qts.
    square foot: square foot/square feet: sq ft, sqft, sq. ft.
    square kilometre: square kilometer/square kilometers: sq km, sq. km
    square mile: square mile/square miles: sq mi, sq. mi
    yard: yard/yards: yd, yds
""")
_DAY_OR_MONTH = "Mon|Tue|Wed|Thu|Fri|Sat|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
# "On Sun.", "on Sun, we", "by Sun evening", "this Sun at 5"; not "this Sun is a star", "on Sun, Earth and Mars".
_NO_SUNDAY = (
    r"\b(?i:on|due|last|next|until|(?P<other>by|every|except|this)) Sun\b"
    rf"(?!\.?,? (?:at |and |or |to )?(?:[{NUMBER}]|(?:{_DAY_OR_MONTH})(?!s\b))|[-–/&]|\. [a-z]"
    r"| (?:morning|afternoon|evening|night))"
    rf"(?(other)|(?!,(?! [A-Z]\w+(?:,| and| or) )|[.!?]*[{CLOSING}]*\s*\Z))"
)
SHORT_FORMS = ShortForms(
    units=UNITS.values(),
    rates=("per",),
    references="""
        ch., chap.: chapter
        chs.: chapters
        eq.: equation
        fig.: figure
        figs.: figures
        no.: No.
        =p.: page
        para.: paragraph
        paras.: paragraphs
        pp.: pages
        rm.: room
        sec., sect.: section
        temp.: temperature
        vol.: volume
        vols.: volumes
        art.: article
        cl.: clause
    """,
    dated="""
        b.: born
        c.: around
        d.: died
    """,
    leading="""
        a/c no., acct no.: account number
        arr., Arr.: arrival
        asst.: assistant
        avg: average
        excl.: excluding
        qty: quantity
        dep.: departure
        ed. by: edited by
        exp. req.: experience required
        int'l, intl: international
        nat'l: national
        trans. by: translated by
        univ. of: University of
        viz.: namely
        w/: with
    """,
    words="""
        afaik: as far as I know
        bday: birthday
        brb: be right back
        btw: by the way
        by EOD: by the end of the day
        DOB: date of birth
        dbl. room: double room
        encl.: enclosure
        dept.: department
        fyi: for your information
        GDPR: General Data Protection Regulation
        govt.: government
        idk: I don't know
        iirc: if I remember correctly
        imho, =imo: in my opinion
        irl: in real life
        lmk: let me know
        nvm: never mind
        omg: oh my god
        ppl: people
        rev. ed.: revised edition
        rly: really
        sgl. room: single room
        =bc, b/c: because
        can u: can you
        do u: do you
        love u: love you
        miss u: miss you
        r u: are you
        =rn: right now
        see u: see you
        tbh: to be honest
        thank u, =ty: thank you
        u are, u r: you are
        u guys: you guys
        =ur: your
        tmrw: tomorrow
        ttyl: see you later
        a. k. a.: also known as
        p. a.: per year
        asap, ASAP: as soon as possible
        account no.: account number
        invoice no., inv. no.: invoice number
        net wt.: net weight
        gross wt.: gross weight
        model no.: model number
        order no.: order number
        phone no.: phone number
        plz, pls: please
        serial no.: serial number
        thx: thanks
        tracking no.: tracking number
        w/o: without
    """,
    months="""
        Jan: January
        Feb: February
        Mar: March
        Apr: April
        May: May
        Jun: June
        Jul: July
        Aug: August
        Sep, Sept: September
        Oct: October
        Nov: November
        Dec: December
    """,
    days="""
        Mon: Monday
        Tue, Tues: Tuesday
        Wed, Weds: Wednesday
        Thu, Thur, Thurs: Thursday
        Fri: Friday
        Sat: Saturday
        Sun: Sunday
    """,
    before_days=("by", "due", "every", "except", "last", "next", "on", "this", "until"),
    until="to",
    both="and",
    hour=r"[ap]\.?m",
    day_behind=True,
    never={
        "ft": r"\bft\.? [A-Z]",  # "Vol. 2 ft. Rihanna"
        "Jan": r"\bJan \d{1,2} (?:day|week|month|year)s? (?:ago|old)\b",  # a name
        "Sun": _NO_SUNDAY,
    },
)

# "3 in. wide", "(4 in)", "5 in x 7 in"; not "3 in the house", "12 in. Then", "number 1 in high school"
_INCHES = re.compile(
    rf"(?<=[{NUMBER}])(?<!\b19\d\d)(?<!\b20\d\d)[ \u00a0]"
    rf"(?P<span>in(?:\.(?= [a-z])|(?=\)| (?:[x×]|by) [{NUMBER}]"
    r"| (?:long|wide|tall|high|deep|thick|square|in diameter)(?:\s*\Z|[.,;)]| (?:and|by|x|×) ))))"
)
# "8.5 x 11 in", "It is 27 in."; not "They let 20 in."
_LAST_INCHES = re.compile(
    rf"(?:\A|[x×:(]|\b(?:about|by|ft|is|measures|of|was)) ?[.,/{NUMBER}]{{1,12}}[ \u00a0]"
    r"(?P<span>in)(?=[.,;]*\s*\Z|;)"
)
# "2018 – present"
_PRESENT = re.compile(r"(?<=\d\d) ?[-–—] ?(?:[Pp]resent|[Cc]urrent)\b(?![- ][a-z])")
_PERIOD = re.compile(r"\b(?:[Ii]n|[Oo]f|[Bb]y|[Ff]or|[Ss]ince) (?P<span>(?P<part>[QH])(?P<number>[1-4]))(?= 20\d\d\b)")
_PARTS, _ORDINALS = {"Q": "quarter", "H": "half"}, ("first", "second", "third", "fourth")
_YEAR = re.compile(rf"\bFY ?(?=20\d\d|[{STAND_INS}])")
# "On 3 Dec 2024 at 9:14 AM Peter Miller <...> wrote:"; models know it with a comma before the name.
_ATTRIBUTION = re.compile(
    r"\AOn [^<>]{4,60}?[\dM\ue000-\uf8ff](?P<span>)(?= (?![AP]M )[A-Z][^\W\d][^:]{1,80} wrote:\Z)"
)
# The shipped model takes "the U.K." for the USA. A full stop at the end stays.
_COUNTRY = re.compile(r"(?<![\w.])(?P<span>(?:U\.S\.A|U\.K|E\.U)(?=\.(?!\w))(?:\.(?![\"'”’)]*\Z))?)")

REWRITINGS: Rewritings = (
    (_PRESENT, " – today"),
    (_YEAR, "financial year "),
    (_ATTRIBUTION, ","),
    (_INCHES, "inches"),
    (_LAST_INCHES, "inches"),
    (_COUNTRY, lambda name: name["span"].replace(".", "")),
    (_PERIOD, lambda period: f"the {_ORDINALS[int(period['number']) - 1]} {_PARTS[period['part']]} of"),
)


def written_out(sentence: str) -> Iterator[tuple[int, int, str]]:
    """Yields begin and end of what stands for longer words, and these words."""
    yield from SHORT_FORMS.written_out(sentence)
    yield from rewritten(sentence, REWRITINGS)
