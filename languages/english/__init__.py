"""Everything that is English."""

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

from languages import keyboard
from languages.clock import Clock, Phrase, Wording
from languages.english.address import clues
from languages.english.inflection import bases, inflected
from languages.english.laws import references
from languages.english.short_forms import SHORT_FORMS, UNITS, written_out
from languages.english.spelling import spelling
from languages.frames import frames_of
from languages.language import Negations, NounProbe
from languages.neutral import neutral, writing_of
from languages.numbers import NumberWords
from languages.writing import OrdinalSlip

_OTHER_WORDS = ("Sat", "Sun")  # which are days, too
_DAYS = "|".join((*SHORT_FORMS.days, *(f"{day}s?" for day in {*SHORT_FORMS.days.values()})))
_NUMBERS = NumberWords(
    cardinals=tuple("one two three four five six seven eight nine ten eleven twelve".split()),
    traces=(
        r"\b(?:two|twi|second|both|couple|pair|double|dual|half)",
        r"\b(?:thr[ei]|third|triple)",
        r"\b(?:four|quarter)",
        r"\bfi(?:ve|f)",
        r"\bsix",
        r"\bseven",
        r"\beigh",
        r"\bnin(?:e|th)",
        r"\b(?:ten(?:th|s)?\b|decade)",
        r"\beleven",
        r"\b(?:twel|dozen|year|noon|midnight)",
    ),
    scales={
        **dict.fromkeys(("k", "K"), 3),
        **dict.fromkeys(("m", "M", "mn", "mln"), 6),
        **dict.fromkeys(("b", "B", "bn", "bln"), 9),
        **dict.fromkeys(("t", "T", "tn", "tln", "trn"), 12),
    },
    scale_words={3: " thousand", 6: " million", 9: " billion", 12: " trillion"},
    scale_letters=frozenset({"k", "K", "M"}),
    large_numbers=("thousand", "million", "billion", "trillion"),
    joiners=("to", "and", "or"),
    percent="per ?cent",
    # Five million pounds of gold are no money.
    currencies=r"(?:(?:US|Australian|Canadian)[ ])?(?:euros?|dollars?|pounds?(?![ ]of)|yen)",
    named=r"""versions?|release|build|v|no|(?:sub-?)?(?:sections?|clauses?|paragraphs?)|chapters?|articles?|parts?|rules?
    |schedules?|annex(?:es)?|appendix|exhibits?|items?|steps?|exercises?|examples?|questions?|theorems?|lemmas?
    |equations?|eqs?|figures?|figs?|tables?|see|cf|units?|lessons?|modules?""",
    pointing="above|below",
    versioned="licen[cs]e|protocol|firmware|industry",
    measures=r"""per[ ]?cent|percentage|degrees?|points?\b|times\b|fold|(?:kilo|centi|milli|nano)|metr?e?r?s?\b|miles?\b
    |inch|feet\b|foot\b|yards?\b|acres?\b|hectares?|lit(?:er|re)s?\b|gallons?\b|tonn?e?s?\b|pounds?\b|grams?\b|dollars?\b
    |euros?\b|francs?\b|pence\b|cents?\b|years?\b|months?\b|weeks?\b|days?\b|hours?\b|minutes?\b|seconds?\b|stars?\b
    |cups?\b|t(?:able|ea)spoon|ounces?\b|oz\b|lbs?\b|ft\b|sq\b|mph\b|bed(?:room)?s?\b|bath(?:room)?s?\b|servings?\b
    |on[ ]the[ ]richter|out[ ]of\b|of[ ]\d""",
    durations=r"""after|every|within|than|another|takes?|took|lasts?|lasted|(?:timeout|delay)(?:[ ](?:is|of))?
    |(?:hold|pause|press|run|sleep|wait)(?:s|ed)?(?:[ ]for)?""",
    units=UNITS,
    ordinal_endings=("st", "nd", "rd", "th"),
    short_months=SHORT_FORMS.months,
    date_links=("of",),
    date_articles=("the",),
)
_CLOCK = Clock(
    at="at",
    hours=_NUMBERS.cardinals,
    phrases=(
        Phrase("half[ -]past", 30),
        Phrase("(?:a )?quarter[ -]past", 15),
        Phrase("(?:a )?quarter[ -]to", 45, needs="at", is_coming=True),  # "from a quarter to one third"
    ),
    wordings={15: Wording("a quarter past"), 30: Wording("half past"), 45: Wording("a quarter to", is_coming=True)},
    not_hours="per ?cent",
    before_first=rf"[Ff]rom|[Bb]etween|(?:{_DAYS}),?(?= \S{{1,5}} to )",  # "Monday 5 and 6 pm" may have a date
    before_half=r"the|an?|this|our|my|your|his|her|their|(?:\A|[.!?][ ])(?:at|by|around|about|before|after|since)",
    behind_half=_DAYS
    + r"""|[ACEHMP][KS]?[DS]?T|UTC|GMT|BST|IST|CES?T|EES?T|Eastern|Central|Mountain|Pacific|Atlantic|Greenwich
    |[A-Z][a-z]+[ ]time""",
)

_WRITING = replace(
    writing_of("en"),
    always_capital=frozenset({"I"}),
    small_words=frozenset(
        """
        a an and as at by can do for from have he i if in is it my not of on or she that the they this to was we
        with you
        """.split()
    ),
    final_abbreviations=tuple(
        "etc Inc Ltd Co Corp No Mr Mrs Dr St Jr Sr vs approx hrs lbs mins mos pcs secs wks yrs".split()
    ),
    ordinal_slips=tuple(
        OrdinalSlip(re.compile(rf"(?<![\d.,])(?:\d*[02-9])?{digit}(?P<ending>th)\b"), ending)  # "22th"
        for digit, ending in (("1", "st"), ("2", "nd"), ("3", "rd"))
    ),
    doubled=frozenset({"had", "her", "that"}),  # "She had had enough", "gave her her book"
)


def _with_articles(word: str) -> tuple[str, str]:
    noun = word.lower()
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}", f"the {noun}"


_GREETING = re.compile(
    r"(?P<greeting>(?:[Hh]ello|[Hh]i|[Hh]ey|[Gg]oodbye|[Bb]ye|[Ww]elcome"
    r"|[Gg]ood (?:morning|day|afternoon|evening|night)))"
    r" (?!there|all|every|again|from|to|and|my|dear|in|on|for|at|back|you)[^\W\d_]+(?: [^\W\d_]+)?(?P<mark>[.!?…]*)"
)

_NEGATIONS = Negations(
    re.compile(
        r"\b(?:not(?! (?:only|least)\b)|never(?!theless)|no (?!(?:\d|matter|doubt|wonder)\b)|nobody|nothing|none"
        r"|neither|nor|nowhere|without|cannot|\w{2,6}n['’]t)\b(?![^.!]{0,80}\?)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:no|not|never|nobody|nothing|none|neither|nor|nowhere|without|cannot|\w+n['’]t|unless|instead|except\w*"
        r"|un(?!der|it|ion|iv)\w{3,}|(?:dis|mis|non)\w{3,}|non-\w+|im(?:mor|perf|possib|patien|prop)\w*"
        r"|in(?:ab|ac|ad|appl|appr|ca|co[mnr]|dir|ef|el|s[ea]|suf|va)\w*|il(?:leg|lic|log)\w*"
        r"|let alone|at (?:least|most|the latest)"
        r"|ir(?:rel|reg|resp)\w*|\w*(?:less|free)|refus\w*|fail\w*|den(?:y|ie[sd])|lack\w*|avoid\w*|miss\w*|prevent\w*"
        r"|stop\w*|ke(?:ep\w*|pt)|los[et]\w*|hat(?:e[sd]?|ing)|ignor\w*|neglect\w*|reject\w*|forbid\w*|prohibit\w*|ban(?:ned)?"
        r"|hardly|barely|rarely|seldom|few|little|only|until|despite|regardless|against|apart|far|out|empty|wrong|vain"
        r"|remember|any\w*|otherwise|else)\b",
        re.IGNORECASE,
    ),
)

_KEYS = {name: name for name in (*keyboard.MODIFIERS, *keyboard.KEYS)} | {
    "Control": "Ctrl",
    "Windows": "Win",
    "Command": "Cmd",
    "Delete": "Del",
    "Insert": "Ins",
    "PgUp": "Page Up",
    "PgDn": "Page Down",
    "Return": "Enter",
    "Escape": "Esc",
}

LANGUAGE = replace(
    neutral("en"),
    greeting=_GREETING,
    keys=_KEYS,
    respell=written_out,
    regions=("GB", "US"),
    abbreviations=(
        *"approx vol vols est eq eqs ch chs cl ext figs paras rm sect Temp eds Mt Apt".split(),
        *(day for day in SHORT_FORMS.days if day not in _OTHER_WORDS),
        *SHORT_FORMS.inside,
    ),
    abbreviations_before_small=("temp", "max", *_OTHER_WORDS, *SHORT_FORMS.before_small),
    listed_letters="[a-uw-z]|[ivx]{2,5}",
    conjunctions=("and", "or", "but", "because", "that", "which", "when", "if"),
    numbers=_NUMBERS,
    clock=_CLOCK,
    writing=_WRITING,
    inflect=inflected,
    bases=bases,
    head_before=("of", "for", "in"),
    word_endings=frozenset("ed en er es ing ly n s st".split()),
    noun_probe=NounProbe(_with_articles, re.compile(r"(?:[Tt]he|[Aa]n?) ([a-z][a-z -]+)")),
    clues=clues,
    bracketed_endings=frozenset({"s", "es"}),
    references=references,
    ampersand_words=frozenset("breakfast carry click co drop go paste pay play ride roll shoot white".split()),
    sounded_articles=frozenset({"a", "an"}),
    street_words=frozenset("alley avenue bank dam embankment lane place promenade road square street".split()),
    negations=_NEGATIONS,
    common_words=frozenset(
        """
        a about after again already always and any are as at be because been before being between both but by
        can could did do does each every for from had has have he hello her here him his how i if into is it its
        just know many me more much my never no not now of on one only or other our out please she should since
        some still such than thanks that the their them then there these they this those through to today
        tomorrow too up us very we were what when where which while who why with without would yes you your
        """.split()
    ),
    frames=partial(frames_of, Path(__file__).parent),
)
REGIONS = {region: replace(LANGUAGE, spelling=partial(spelling, region)) for region in ("GB", "US")}
