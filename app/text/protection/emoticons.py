"""Emoticons and emoji between two texts: faces end a sentence as a full stop does, and stay where they are.

Sources: Unicode Technical Standard 51, "Unicode Emoji"; the list of emoticons in Wikipedia.
"""

import re

from app.text.protection.expressions import Expressions, Searched
from languages.registry import cardinals

_EMOTICON = (
    r"[>}]?[:;][-'’o^*~]{0,2}(?:[()\[\]|/\\@#*<>$]|[DPpOo3cCSsXx](?![^\W_]))[()]*"  # :-) ;P :'(
    r"|=[-']?[()\]|DP]|[8xX]-[()DP]|[()]-?[:;=]"  # =) 8-) (-:
    r"|<3+|</3|[xX]D+|\^[_.-]?\^'*|[oO0][_.][oO0]|>[._]<|[-=][._][-=]'*|[uUT][_.][uUT]|\\[om]/|¯\\_\(ツ\)_/¯"
)
_EMOJI = (
    r"(?:[\U0001f1e6-\U0001f1ff]{2}|[#*0-9]\ufe0f?\u20e3"
    r"|[\u231a-\u23ff\u25fb-\u25fe\u2600-\u27bf\u2b05-\u2b55\U0001f000-\U0001faff](?:\ufe0f|\ufe0e)?[\U0001f3fb-\U0001f3ff]?"
    r"(?:\u200d[\u2640-\u27bf\U0001f000-\U0001faff]\ufe0f?[\U0001f3fb-\U0001f3ff]?)*[\U000e0020-\U000e007f]*)"
)
# Faces, hearts and gestures never are the noun of a sentence, as a pizza is.
_FACE = re.compile(
    "[\u2639\u263a\u2764\U0001f600-\U0001f64f\U0001f910-\U0001f92f\U0001f970-\U0001f97a\U0001f9d0\U0001fae0-\U0001faef"
    "\U0001f440-\U0001f450\U0001f493-\U0001f49f\U0001f4a9-\U0001f4af\U0001f525\u2728\U0001f389\U0001f38a\U0001f918-\U0001f91f]"
)
_EMOTICONS = re.compile(
    rf"(?:(?<!\S)(?:{_EMOTICON})(?=[\s.,!?]|$)|(?<=\w)[:;]-?[()D](?=\s|$))(?:\s*(?:{_EMOTICON})(?!\S))*"
)
_EMOJIS = re.compile(rf"{_EMOJI}(?:[ ]?{_EMOJI})*")
_CODES = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+-]{0,39}:(?:\s?:[a-z][a-z0-9_+-]{0,39}:)*(?![\w:])")  # :smile: of chats
# "@anna Guten Morgen!"
_MENTIONS = re.compile(r"(?:^|(?<=\n))(?:@[\w.-]+(?:@[\w.-]+)?[\s,:]+)+(?=[^\W\d_a-z])")
_AT_END = re.compile(r"[^\S\n]{0,40}(?:[.!?…]{1,9}(?:\s|$)|\n|$)")
_AT_BEGIN = re.compile(r"(?:^|[\n.!?…][\"”“’')]?)[^\S\n]{0,40}$")
# Exclamation marks with slips of the finger: "!!!1", "!!1eleven".
_SLIPS = re.compile(r"(?<=[\w!?])(?:[!?]{2,}1+(?P<word>[^\W\d_]{1,12})?1*[!?1]*|[!?]+1!+)(?=\s|$)")
_OPEN = re.compile(r"\([^()\n]*$")


def _parts_texts(match: re.Match[str]) -> bool:
    """Whether emoji stand between two texts: at the ends of a line, behind a sentence, or as faces."""
    text, (begin, end) = match.string, match.span()
    before, after = text[max(0, begin - 44) : begin], text[end : end + 1]
    if (before[-1:] + after).isalnum() and before and after:
        return False
    return bool(_FACE.search(match[0]) or _AT_END.match(text, end) or _AT_BEGIN.search(before))


def _is_emoticon(match: re.Match[str]) -> bool:
    """Tells "gut:)" from "(siehe oben:)"."""
    text, begin = match.string, match.start()
    return not text[begin - 1 : begin].isalnum() or not _OPEN.search(text, max(0, begin - 200), begin)


def _is_slip(match: re.Match[str]) -> bool:
    return match["word"] is None or match["word"].lower() in cardinals(1) | cardinals(11)


_FACES = Searched(_EMOTICONS, _is_emoticon)
# Two characters of each, so that few texts are searched.
_EYES = tuple(
    r":) :( :- :' :’ :D :P :p :/ :| :o :O :3 :* :c :C :s :S :x :X :[ :] :\ :@ :# :$ :< :> :^ :~ ;) ;( ;- ;D ;P ;p ;] "
    r";o =) =( =D =P =] =/ =\ =| =- =' <3 /3 ^^ ^_ ^- ^. (: (; (= .< _< _(ツ u_u T_T U_U -_- o_o O_o o_O O_O 0_0 =_= "
    r"=.= ): ); )=".split()
)
_OTHERS = ("xD", "XD", "-.-", "o.O", "O.o", "o.o", "O.O", "0.0", "8-", "x-", "X-", "\\o/", "\\m/")
_PICTURES = frozenset(map(chr, (0x20E3, *range(0x231A, 0x2400), *range(0x2600, 0x2B60), *range(0x1F000, 0x1FB00))))

BREAKS: Expressions = [
    (_EYES, _FACES),
    (_OTHERS, _FACES),
    ("!1", Searched(_SLIPS, _is_slip)),
    (_PICTURES, Searched(_EMOJIS, _parts_texts)),
    (":", Searched(_CODES, _parts_texts)),
    ("@", Searched(_MENTIONS)),
]
