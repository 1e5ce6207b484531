"""Everything that is Portuguese: of Brazil, unless the region is Portugal."""

import re
from collections.abc import Iterator
from dataclasses import replace

from languages.address import Address, AddressRules, Clues, both_cases
from languages.clock import Clock, Phrase, Wording
from languages.neutral import neutral, writing_of
from languages.numbers import NumberWords
from languages.writing import OrdinalSlip, Quotes

_NUMBERS = NumberWords(
    cardinals=tuple("um dois três quatro cinco seis sete oito nove dez onze doze".split()),
    traces=(
        r"\b(?:d(?:ois|uas|uplo|obr)|segund|amb[oa]s|par\b|casal|mei[oa])",
        r"\b(?:três|ter[çc]|tri)",
        r"\bqua(?:tro|rt)",
        r"\b(?:cinc|quint)",
        r"\b(?:seis|sext)",
        r"\b(?:sete|sétim)",
        r"\boit",
        r"\bnov|\bnon",
        r"\b(?:dez|décim|década)",
        r"\b(?:onz|undécim)",
        r"\b(?:doz|dúzia|duodécim|ano|meio-dia|meia-noite)",
    ),
    scales={"k": 3, "K": 3, "M": 6, "mil": 3, "mi": 6, "bi": 9},
    scale_words={3: " mil", 6: " milhões", 9: " bilhões", 12: " trilhões"},
    scale_letters=frozenset({"k"}),
    large_numbers=("mil", "milhão", "milhões", "bilhão", "bilhões", "trilhão", "trilhões", "bilião", "biliões"),
    joiners=("a", "e", "ou", "às"),
    percent="por cento|por mil",
    named="versão|capítulo|seção|secção|artigo|fig|figura|tabela|n|nº|v",
    versioned="licença|protocolo",
    measures=r"""por[ ]cento|graus?|pontos?\b|vezes\b|(?:quilo|centi|mili|nano)|metros?\b|milhas?\b|polegadas?\b|pés\b
    |acres?\b|hectares?|litros?\b|galões\b|toneladas?\b|libras?\b|gramas?\b|dólar(?:es)?\b|euros?\b|reais\b|centavos?\b|anos?\b|mês\b
    |meses\b|semanas?\b|dias?\b|horas?\b|minutos?\b|segundos?\b|estrelas?\b|de[ ]\d""",
    ordinal_endings=(".º", ".ª", "º", "ª"),
    date_links=("de",),
    date_articles=("o",),
)
_CLOCK = Clock(
    at="às",
    at_one="à",
    hours=("uma", "duas", *_NUMBERS.cardinals[2:]),
    phrases=(
        Phrase("{hour} e meia", 30),
        Phrase("{hour} e (?:quinze|um quarto)", 15, needs="at"),  # "sete e quinze" may be two numbers
        Phrase("{hour} e quarenta e cinco", 45, needs="at"),
        Phrase("(?:quinze|um quarto) para (?:as|a) {hour}", 45, is_coming=True),
    ),
    wordings={15: Wording("{hour} e quinze"), 30: Wording("{hour} e meia"), 45: Wording("{hour} e quarenta e cinco")},
)
_WRITING = replace(
    writing_of("pt"),
    small_words=frozenset(
        "a ao as com da das de do dos e ela ele em na nas no nos não o os para pela pelo por que se um uma à às".split()
    ),
    final_abbreviations=("etc", "Cia", "Ltda", "Sr", "Sra", "Dr", "Dra"),
    ordinal_slips=(OrdinalSlip(re.compile(r"(?<![\d.,])\d+(?P<ending>th|st|nd|rd)\b"), "º"),),
    doubled=frozenset({"nos", "que"}),
)
# An ending of the singular, and those of the plural.
_PLURALS = (
    ("ão", "ões ães ãos"),
    ("al", "ais"),
    ("el", "éis eis"),
    ("ol", "óis"),
    ("ul", "uis"),
    ("il", "is eis"),
    ("m", "ns"),
)


def _inflected(word: str, is_last: bool) -> Iterator[str]:
    """Plurals and, of words in -o, feminine forms."""
    for ending, plurals in _PLURALS:
        if word.endswith(ending):
            yield from (word[: -len(ending)] + plural for plural in plurals.split())
            return
    yield word + ("es" if word.endswith(("r", "s", "z")) else "s")
    if word.endswith("o"):
        yield from (word[:-1] + "a", word[:-1] + "as")
    elif word.endswith("or"):
        yield from (word + "a", word + "as")


def _bases(form: str) -> Iterator[str]:
    for ending, plurals in _PLURALS:
        yield from (form[: -len(plural)] + ending for plural in plurals.split() if form.endswith(plural))
    for ending in ("s", "es", "a", "as"):
        if form.endswith(ending) and len(form) > len(ending):
            yield form[: -len(ending)]
    for ending in ("a", "as"):
        if form.endswith(ending) and len(form) > len(ending):
            yield form[: -len(ending)] + "o"


# "Você" is formal in Portugal and usual in Brazil, so it tells nothing.
_INFORMAL_WORDS = tuple("tu te ti contigo teu teus tua tuas".split())
_FORMAL_WORDS = tuple("senhor senhora senhores senhoras vossa vossas vosso vossos".split())
_TO_READER = frozenset((*_INFORMAL_WORDS, *_FORMAL_WORDS, "você", "vocês", "seu", "sua", "seus", "suas"))
_OTHERS = frozenset("ele ela eles elas lhe lhes dele dela deles delas".split())
_WORD = re.compile(r"[^\W\d_]+")


def _clues(source: str) -> Clues:
    words = set(map(str.lower, _WORD.findall(source)))
    return Clues(not words.isdisjoint(_TO_READER), not words.isdisjoint(_OTHERS))


def _read(clues: Clues, translation: str) -> Address:
    words = _WORD.findall(translation)
    return Address(
        tuple(word for word in words if word.lower() in _FORMAL_WORDS),
        tuple(word for word in words if word.lower() in _INFORMAL_WORDS),
    )


LANGUAGE = replace(
    neutral("pt"),
    regions=("BR", "PT"),
    abbreviations=tuple(
        "Sr Sra Srs Sras Dr Dra Prof Profa Eng Exmo Exma Av pág págs fig cap vol art ed aprox tel".split()
    ),
    conjunctions=("e", "ou", "mas", "porque", "que", "quando", "se"),
    numbers=_NUMBERS,
    clock=_CLOCK,
    writing=_WRITING,
    inflect=_inflected,
    bases=_bases,
    word_endings=frozenset("a as e es m mente o os r s".split()),
    address=AddressRules(
        read=_read, formal_words=both_cases(_FORMAL_WORDS), informal_words=both_cases(_INFORMAL_WORDS)
    ),
    clues=_clues,
    bracketed_endings=frozenset({"as", "es", "s"}),
    common_words=frozenset(
        """
        ao aos até bom com como da das do dos ela ele em essa esse está eu foi isso isto já mais mas meu minha muito na
        nas no não nos nós obrigado obrigada olá onde os ou para pela pelo por quando quem são sem ser seu sim sua
        também tem tudo uma você vocês à às é
        """.split()
    ),
)
REGIONS = {
    "PT": replace(
        LANGUAGE,
        writing=replace(_WRITING, quotes=Quotes("«", "»")),
        numbers=replace(_NUMBERS, scale_words={3: " mil", 6: " milhões", 9: " mil milhões", 12: " biliões"}),
    )
}
