"""Everything that is English."""

from dataclasses import replace

from languages.neutral import neutral

LANGUAGE = replace(
    neutral("en"),
    regions=("GB", "US"),
    abbreviations=tuple("approx vol vols est eq eqs ch figs eds Mt Apt Mon Tue Tues Wed Thu Thurs Fri".split()),
    abbreviations_before_small=("temp", "max", "min", "sec", "secs", "Sat", "Sun"),
    conjunctions=("and", "or", "but", "because", "that", "which", "when", "if"),
    common_words=frozenset(
        """
        a about and are as at be but by can did do for from had have he hello her here him his how i is it me my no
        not of on one only our out please she some thanks that the their there they this to up us very we what when
        where which who why with would yes you your
        """.split()
    ),
)
