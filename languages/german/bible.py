"""Verses of the Bible, and how English writes them: "1. Kor 13,4–7" is "1 Cor 13:4–7".

German abbreviations are those of the Loccumer Richtlinien, English ones those of the SBL Handbook of Style. Books are
left out whose abbreviation is a word: "Am 5,3". A numbered book needs its number: "Tim 3,5" may be a name.
"""

import re
from collections.abc import Iterator

from languages import codes

_BOOKS = dict(
    pair.split("=")
    for pair in """
    Gen=Gen Lev=Lev Dtn=Deut Jos=Josh Sam=Sam Kön=Kgs Chr=Chr Neh=Neh Ijob=Job Hiob=Job Ps=Ps Koh=Eccl Jes=Isa Jer=Jer
    Klgl=Lam Ez=Ezek Hes=Ezek Hos=Hos Sach=Zech Mt=Matt Mk=Mark Lk=Luke Joh=John Apg=Acts Röm=Rom Kor=Cor Gal=Gal
    Eph=Eph Phil=Phil Kol=Col Thess=Thess Tim=Tim Phlm=Phlm Hebr=Heb Jak=Jas Petr=Pet Offb=Rev
    """.split()
)
_NUMBERED = "Sam|Kön|Chr|Kor|Thess|Tim|Petr"
_NUMBER = r"\d{1,3}"
# "Phil 1,80 m groß"; "Mk. 3,50" is money
_UNIT = r"(?![ \u00a0]?(?:[kcm]?m|k?g|[%€]|Euro|Grad|Jahre|Kilo|Meter|Millionen|Prozent|Punkte|Mio|Mrd)(?!\w))"
_VERSE = re.compile(
    rf"(?<![\w.,])(?:(?P<number>[1-3])\.[ \u00a0]?|(?!{_NUMBERED}))(?P<book>{'|'.join(_BOOKS)})(?:(?<!Mk)\.)?[ \u00a0]"
    rf"(?P<chapter>{_NUMBER}),[ ]?(?P<verses>{_NUMBER}(?:[–.-]{_NUMBER}){{0,5}})(?![\w,]|[.–-]\d){_UNIT}"
)


def verses(text: str, target: str) -> Iterator[tuple[int, int, str]]:
    """Yields the verses in a German text, as begin, end and what English has for them; none for other targets."""
    if codes.base(target) != "en":
        return
    for match in _VERSE.finditer(text):
        number = f"{match['number']} " if match["number"] else ""
        listed = match["verses"].replace(".", ", ")
        yield *match.span(), f"{number}{_BOOKS[match['book']]} {match['chapter']}:{listed}"
