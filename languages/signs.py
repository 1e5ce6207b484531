"""Signs that all languages share: quotation marks, brackets, spaces, currencies, units, stand-ins.

Those without a note are for a class of characters in a regular expression: ``rf"[{CLOSING}]"``.
"""

CURLY = "„“”»«"
"""Double quotation marks, but for the straight one. What one language opens with, another one closes with."""
DOUBLE = CURLY + '"'
OPENING_QUOTES, CLOSING_QUOTES = DOUBLE + "'‘‚›‹", "\"'”“’‘»«›‹"
OPENING, CLOSING = OPENING_QUOTES + r"(\[{¿¡", CLOSING_QUOTES + r")\]}"
"""Signs that may stand before the first word of a sentence, and behind its final mark."""
QUOTATION_MARKS = OPENING_QUOTES + CLOSING_QUOTES + "‟‛「」『』〝〞〟"
"""All signs that some language quotes with, those above among them."""
SPACES = " \u00a0\u202f"
CURRENCIES = "$€£¥₹₽₩₺₴₪฿₿"

STAND_INS = "\ue000-\uf8ff"
"""What the model sees for what it must not translate; among that are numbers."""
FRACTIONS = "½¼¾⅓⅔⅛"
NUMBER = rf"\d{FRACTIONS}{STAND_INS}"
"""The last character of a number, or of what stands for one."""

SPACED_DOTS = r"(?<!\.)\.(?: \.){2}(?! ?\.)"
"""An expression of three dots as books have them; models know them without the spaces."""
ELLIPSIS = rf"(?:(?<!\.)\.{{3}}(?!\.)|{SPACED_DOTS}|…)"
"""An expression of any three dots: two are a slip, and four a leader or the end of a sentence."""
UNIT = (
    r"(?:[kKMGTPmcµn]?i?(?:[Bb](?:its?)?|Wh?|Hz|Pa|V|A)|[kmµ]?g|[mcd]?[lL]|[kcmµn]?m[²³23]?|h|min|s|ha|t|k?cal|k?J"
    r"|m?mol|IU)"
)
"""An expression of the sign of a unit: BIPM, "The International System of Units"; IEC 80000-13 (bytes)."""
