"""Changed copies of training pairs: capitals, quotes, names and numbers, which users type and corpora lack.

Every change is made to both sides, so that the translation of a changed text is the changed translation. Which pairs
are changed, and how, is a function of the seed alone.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from random import Random

from model.data.dictionary import Dictionary
from model.data.notation import replace_number
from model.data.pairs import Pair
from model.recipe import Augmentation

Change = Callable[[Pair, Random], Pair | None]
"""Returns the changed pair, or None for a pair that can't be changed in this way."""

_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_ENDINGS = {".": ("", "", "!", "?", "...", "…", ":"), "!": ("", ".", "!!", "?!"), "?": ("", "??", "?!")}
# As the two languages of a pair write them; which language is which does not matter for copies of each other's marks.
_QUOTES = (('"', '"'), ("„", "“"), ("“", "”"), ("'", "'"), ("»", "«"), ("«", "»"), ("(", ")"), ("[", "]"), ("*", "*"))
_EMOJI = "😀😂😉😊😍😎😢😡👍👎🙏👏🎉❤🔥✅❌⚠☀🚀🍺🍕🐶🐱🚗✈🏠📞📧💡⭐🎄☕⚽🎵"
_SCRIPTS = (
    "абвгдежзиклмнопрстуфхцчшыэюя",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "אבגדהוזחטיכלמנסעפצקרשת",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会",
    "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよ",
    "가나다라마바사아자차카타파하고노도로모보소오조초코토포호",
    "कखगघचछजझटठडढतथदधनपफबभमयरलवशसह",
    "กขคงจฉชซญดตถทธนบปผพฟมยรลวสหอ",
    "ąćęłńóśźżčďěňřšťůžáéíőúűğışç",
)
_SYLLABLES = (
    "ba be bi bo da de di do fa fe ga ge ha hi ja jo ka ke ki ko la le li lo ma me mi mo na ne ni no pa pe ra re \
ri ro sa se si so ta te ti to va ve vi wa we xa ya yo za zu schi stra kov berg son ham ton ner mann ski ez ini".split()
)
_TOP_LEVELS = ("com", "de", "org", "net", "io", "co.uk", "eu", "at", "ch", "info")


def augment(
    pairs: Sequence[Pair],
    shares: Augmentation,
    lowercase: tuple[set[str], set[str]],
    dictionary: Dictionary,
    languages: tuple[str, str],
    rng: Random,
) -> list[Pair]:
    """The changed copies of a source's pairs.

    Args:
        pairs: The pairs of one source.
        shares: How many copies of each kind, as a share of the pairs.
        lowercase: Per side, words that stand in lower case inside sentences, see ``lowercase_words``.
        dictionary: Knows rare words, and where they fit.
        languages: Languages of the two sides.
        rng: Source of random numbers.
    """
    changes: list[tuple[float, Change]] = [
        (shares.capitals, lambda pair, _: (pair[0].upper(), pair[1].upper())),
        (shares.title, lambda pair, _: (_title(pair[0]), _title(pair[1]))),
        (shares.initial, lambda pair, _: _lower_initial(pair, lowercase)),
        (shares.ending, _change_ending),
        (shares.quotes, _quote),
        (shares.emoji, _add_emoji),
        (shares.copies, _replace_common_words),
        (shares.joined, lambda pair, rng: _join(pair, pairs, rng)),
        (shares.verbatim, lambda _, rng: _verbatim(rng)),
        (shares.dictionary, dictionary.substitute),
        (shares.numbers, lambda pair, rng: replace_number(pair, languages, rng)),
    ]
    changed = []
    for share, change in changes:
        for pair in rng.choices(pairs, k=round(share * len(pairs))):
            result = change(pair, rng)
            if result is not None and result != pair and all(result):
                changed.append(result)
    return changed


def lowercase_words(sentences: Iterable[str]) -> set[str]:
    """Words that more often than not are in lower case where they don't begin the sentence."""
    lower: Counter[str] = Counter()
    upper: Counter[str] = Counter()
    for sentence in sentences:
        for word in _WORD.findall(sentence)[1:]:
            (upper if word[0].isupper() else lower)[word.lower()] += 1
    return {word for word, count in lower.items() if count > 2 * upper[word]}


def thing(rng: Random) -> str:
    """Something that is the same in every language: a name, a number, an address, a code, a word in another script."""
    kind = rng.randrange(12)
    name = _name(rng)
    if kind <= 2:
        return name
    if kind == 3:
        return f"{name} {_name(rng)}"
    if kind == 4:
        return str(rng.randrange(10 ** rng.randint(1, 7)))
    if kind == 5:
        return rng.choice(
            (
                f"{rng.randrange(24)}:{rng.randrange(60):02d}",
                f"{rng.randint(1900, 2099)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}",
                f"{rng.randint(1, 28)}/{rng.randint(1, 12)}/{rng.randint(1990, 2040)}",
                f"+{rng.randint(1, 99)} {rng.randint(100, 999)} {rng.randint(10000, 9999999)}",
                f"{rng.randrange(10)}.{rng.randrange(30)}.{rng.randrange(20)}",
                f"{rng.randint(1, 99)}%",
            )
        )
    if kind == 6:
        path = "".join(f"/{_word(rng)}" for _ in range(rng.randrange(4)))
        query = f"?{_word(rng)}={rng.randrange(1000)}" if rng.random() < 0.3 else ""
        return f"{rng.choice(('https://', 'http://', 'https://www.', 'www.', ''))}{_domain(rng)}{path}{query}"
    if kind == 7:
        return f"{_word(rng)}{rng.choice(('', '.', '_', '-'))}{_word(rng)}@{_domain(rng)}"
    if kind == 8:
        letters = "".join(rng.choices("ABCDEFGHKLMNPRSTUVWXYZ", k=rng.randint(1, 4)))
        return f"{letters}{rng.choice(('', '-', '_'))}{rng.randrange(10000)}"
    if kind == 9:
        return rng.choice(
            (
                f"{_word(rng)}_{_word(rng)}",
                f"{_word(rng)}.{rng.choice(('txt', 'py', 'pdf', 'jpg', 'html', 'json'))}",
                f"#{_word(rng)}",
                f"@{_word(rng)}",
                f"/{_word(rng)}/{_word(rng)}",
                f"{_word(rng)}()",
            )
        )
    if kind == 10:
        return "".join(rng.choices(_EMOJI, k=rng.choice((1, 1, 1, 2, 3))))
    script = rng.choice(_SCRIPTS)
    return " ".join("".join(rng.choices(script, k=rng.randint(2, 8))) for _ in range(rng.choice((1, 1, 2))))


def _word(rng: Random) -> str:
    return "".join(rng.choices(_SYLLABLES, k=rng.randint(1, 3)))


def _name(rng: Random) -> str:
    return _word(rng).capitalize()


def _domain(rng: Random) -> str:
    return f"{_word(rng)}{rng.choice(('', '', '-' + _word(rng)))}.{rng.choice(_TOP_LEVELS)}"


def _title(text: str) -> str:
    return _WORD.sub(lambda match: match[0][0].upper() + match[0][1:], text)


def _lower_initial(pair: Pair, lowercase: tuple[set[str], set[str]]) -> Pair | None:
    result = []
    for text, known in zip(pair, lowercase, strict=True):
        word = _WORD.match(text)
        if word is None or not word[0][0].isupper() or word[0].lower() not in known:
            return None
        result.append(text[0].lower() + text[1:])
    return result[0], result[1]


def _change_ending(pair: Pair, rng: Random) -> Pair | None:
    first, second = pair
    if first[-1:] != second[-1:] or first[-1:] not in _ENDINGS or first.endswith("..") or second.endswith(".."):
        return None
    ending = rng.choice(_ENDINGS[first[-1]])
    return first[:-1] + ending, second[:-1] + ending


def _quote(pair: Pair, rng: Random) -> Pair:
    """Around the whole text, or around one word that both sides have."""
    opening, closing = rng.choice(_QUOTES)
    common = _common_words(pair)
    if common and rng.random() < 0.5:
        word = rng.choice(common)
        first, second = (_replace_word(text, word, f"{opening}{word}{closing}") for text in pair)
        return first, second
    return f"{opening}{pair[0]}{closing}", f"{opening}{pair[1]}{closing}"


def _add_emoji(pair: Pair, rng: Random) -> Pair:
    emoji = "".join(rng.choices(_EMOJI, k=rng.choice((1, 1, 1, 2, 3))))
    if rng.random() < 0.2:
        return f"{emoji} {pair[0]}", f"{emoji} {pair[1]}"
    gap = rng.choice((" ", " ", ""))
    return f"{pair[0]}{gap}{emoji}", f"{pair[1]}{gap}{emoji}"


def _replace_common_words(pair: Pair, rng: Random) -> Pair | None:
    common = _common_words(pair)
    if not common:
        return None
    first, second = pair
    for word in rng.sample(common, k=min(len(common), rng.choice((1, 1, 2, 3)))):
        new = thing(rng) if not word.isdigit() else str(rng.randrange(10 ** rng.randint(1, len(word) + 2)))
        first, second = _replace_word(first, word, new), _replace_word(second, word, new)
    return first, second


def _common_words(pair: Pair) -> list[str]:
    """Names and numbers that both sides have exactly once."""
    first, second = (Counter(_WORD.findall(text)) for text in pair)
    return sorted(
        word
        for word, count in first.items()
        if count == 1 == second[word] and (word.isdigit() or (word[0].isupper() and len(word) > 2))
    )


def _replace_word(text: str, word: str, new: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", lambda _: new, text, count=1)


def _join(pair: Pair, pairs: Sequence[Pair], rng: Random) -> Pair | None:
    """Join a pair with one or two other sentences of the same source."""
    parts = [pair, *rng.choices(pairs, k=rng.choice((1, 1, 2)))]
    if any(side[-1:] not in ".!?" for part in parts for side in part):
        return None
    return " ".join(first for first, _ in parts), " ".join(second for _, second in parts)


def _verbatim(rng: Random) -> Pair:
    """A text that has nothing to translate."""
    text = " ".join(thing(rng) for _ in range(rng.choice((1, 1, 1, 2, 3)))) + rng.choice(("", "", "", ".", "!"))
    return text, text
