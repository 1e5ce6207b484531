"""Identifiers, file names, paths, options and code in sentences, which no sentence has for other reasons."""

import ipaddress
import re
from collections.abc import Iterator

from app.fairness.windows import finditer
from app.text.protection.expressions import INNER_DOT, Beside, Checked, Expressions, Finder, Span, compiled
from app.text.protection.terminal import PROGRAMS
from languages.registry import bracketed_endings, small_words

# "bat", "log" and other words are not among them: people forget the space after a full stop ("Er kam.bat darum").
_EXTENSIONS = (
    "txt md rst rtf pdf doc docx odt ods odp xls xlsx xlsm ppt pptx epub tex bib csv tsv json jsonl yaml yml "
    "toml ini cfg conf env xml xsd xsl xslt html htm xhtml css scss js mjs ts jsx tsx vue py ipynb rb php java kt "
    "cpp hpp rs sql db sqlite sh cmd ps1 exe dll msi apk dmg iso deb rpm png jpg jpeg gif bmp svg webp tif "
    "tiff ico psd mp3 mp4 wav ogg flac m4a avi mkv mov mpg mpeg webm wmv zip rar gz tgz bz2 xz 7z ttf otf woff "
    "woff2 eml ics vcf gpx kml bak tmp dat po xliff xlf srt vtt tmx"
)
_LETTER_OR_DIGIT = r"[\p{L}\p{N}_]"
_STEM = rf"{_LETTER_OR_DIGIT}[\p{{L}}\p{{N}}_-]*"
_EITHER_CASE = "|".join(f"{one}|{one.upper()}" for one in _EXTENSIONS.split())
_FILE = rf"((?:[\p{{L}}\p{{N}}_.~@-]+/)*{_STEM}(?:\.{_STEM})*\.(?:{_EITHER_CASE}))\b"
_PRODUCT = re.compile(r"(?:angular|chart|d3|ember|express|next|node|nuxt|p5|react|require|socket|three|vue)\.js", re.I)

_BEFORE = r"(?:^|[\s(\[\"'`„“‚‘»«=,;:>])"
_SEGMENT = r"/(?:[\p{L}\p{N}_.@+*~][\p{L}\p{N}_.@+*~-]*)?[\p{L}\p{N}_+*~]"
_PATH = rf"{_BEFORE}((?:~|\.\.?)?(?:{_SEGMENT})+/?)"
_ROOTS = frozenset("bin boot dev etc home lib mnt opt proc root run sbin srv sys tmp usr var".split())
_FOLDER = r"[^\s\\/:*?\"<>|]*[^\s\\/:*?\"<>|.,;!)\]'“”…]"
_PROGRAMS = r"Program Files(?: \(x86\))?"
# A folder's name has spaces if a backslash follows: C:\Documents and Settings\x.
_WINDOWS = (
    rf"\b[A-Za-z]:\\{{1,2}}(?:(?:{_PROGRAMS}|{_FOLDER}(?: {_FOLDER}){{0,3}})\\{{1,2}})*(?:{_PROGRAMS}|{_FOLDER})?\\?"
)
_SHARE = rf"\\\\[\w.-]+(?:\\{_FOLDER})+\\?"

# Of a key; what begins with a capital behind a hyphen is a noun.
_WORD = rf"{_LETTER_OR_DIGIT}+(?:-[\p{{Ll}}\p{{N}}]{_LETTER_OR_DIGIT}*)*"
_COUNTRIES = frozenset("AT BE CH CZ DE DK ES FI FR GB IE IT LI LU NL NO PL PT SE US".split())
_BIC = "[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?"

_NAME = rf"[\p{{L}}_]{_LETTER_OR_DIGIT}*"
_ARGUMENT = r"[^\s(),]*[\w\"'][^\s(),]*"
_CALL = rf"({_NAME}(?:(?:\.|::|->){_NAME})*\((?:{_ARGUMENT}(?:, ?{_ARGUMENT})*)?\))"
# Not "Hause.Dann(oder", where a space is missing, nor "WhatsApp(".
_CODE_NAME = re.compile(r"\w_\w|::|->|^[a-z_]\w*\.[a-z_]\w*|(?:^|\.)[a-z]+[A-Z]")
_NO_ARGUMENTS = frozenset({"TM", "R", "C"})  # LibreOffice(TM)


# Of publications: DOI Handbook 2.2, "DOI name syntax"; arXiv, "Understanding the arXiv identifier"; RFC 8141 (URN); ISO
# 26324, 2108 (ISBN), 3297 (ISSN), 27729 (ORCID).
_TAIL = r"[^\s\"'“”„<>\[\]{}(),;]*(?:\([^\s()]*\)[^\s\"'“”„<>\[\]{}(),;]*)*"
_LAST = r"[^\s\"'“”„<>\[\]{}(),;.:!?]"
_DOI = rf"\b10\.\d{{4,9}}(?:\.\d+)*/{_TAIL}(?:{_LAST}|\))"
_ARXIV = r"(?i:\barXiv:\s?)(?:[a-z-]+(?:\.[A-Z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?"
_LABELLED = (
    r"\b(?:arXiv|PMID|PMCID|ORCID|ISSN|ISBN(?:-1[03])?|ISNI|Handle|hdl)\b:?\s{0,2}([\dA-Za-z][\w.-]*[\d.-][\w./-]*\w)"
)
_SCHEMES = tuple(f"{one}:" for name in ("urn", "doi", "hdl", "pmid", "isbn", "issn") for one in (name, name.upper()))
_URN = rf"\b(?i:urn:[a-z0-9][a-z0-9-]{{1,31}}|doi|hdl|pmid|isbn|issn):{_TAIL}{_LAST}"
# A number with a dot that a slash, a colon or letters belong to, as in 10.5432/AB, 1.2.826.A7; not 12.5/kWh, 5.99/GB.
_DOTTED = (
    r"(?:^|[^\w.,/:-])(\d{4}\.\d{5}v\d+\b|\d+\.\d+(?:[./:-]\w+)*[/:](?:[A-Z]{2,}\w*|\w*[A-Za-z]\d\w*|\w*\d[A-Za-z]\w*)(?:[./:-]\w+)*"
    r"|(?:\w+\.){2,}\w*\d[A-Za-z]\w*|(?:\w+\.){2,}[A-Za-z]+\d\w*)"
)
_UNITS = frozenset("GB MB KB TB PB GHz MHz KW MW GW KM KG EUR USD GBP CHF".split())


def _is_dotted(word: str) -> bool:
    """Tells an identifier from an amount, a date or words without spaces."""
    unit = re.split(r"[/:]", word)[-1]
    return unit not in _UNITS and any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _is_file(name: str) -> bool:
    return not _PRODUCT.fullmatch(name)


def _is_path(path: str) -> bool:
    """Tells a path from words with slashes: "er /sie/es"."""
    first, *others = path.strip("/").split("/")
    return (
        path[0] != "/" or first in _ROOTS or len(others) > 1 or bool(others and not path[1:].replace("/", "").isalpha())
    )


def _is_call(call: str) -> bool:
    name, _, arguments = call[:-1].partition("(")
    if not arguments:
        return True
    return bool(_CODE_NAME.search(name)) and arguments not in _NO_ARGUMENTS | bracketed_endings()


def _is_hash(word: str) -> bool:
    return len(word) >= 7


def _is_bic(code: str) -> bool:
    return code[4:6] in _COUNTRIES


def _is_ip(address: str) -> bool:
    try:
        ipaddress.IPv6Address(address.partition("/")[0])
    except ValueError:
        return False
    return True


def _is_slug(name: str) -> bool:
    """Tells the name of a server or the like from words: "eu-west-1", not "best-of-3", "mid-19th-century"."""
    *others, last = name.split("-")
    if not small_words().isdisjoint(others):
        return False
    if any(len(part) >= _HASH and _is_mixed(part) for part in (*others, last)):
        return True
    if _is_mixed(last):
        return last[0].isalpha() and last[-1].isdigit()
    return last.isdigit() and (len(others) > 2 or len(last) == 1 or last[0] == "0")


def _is_no_quotation(code: str) -> bool:
    """Tells code from a quotation of many words."""
    words = code.strip("`").split()
    return len(words) < _QUOTATION or not all(map(str.isalpha, words))


def _is_mixed(part: str) -> bool:
    return not part.isalpha() and not part.isdigit()


_HASH = 6
_QUOTATION = 4  # words
# A name in small letters with two hyphens or more, as of hosts (RFC 1123), regions and containers.
_SLUG = r"(?:^|[^\p{L}\p{N}_./@:-])([a-z][a-z0-9]*(?:-[a-z0-9]+){2,})\b"
_SLUG_PART = Beside("-", re.compile(r"[a-z0-9]-[a-z]*\d"))
# Code between backticks, as CommonMark ("Code spans") and reStructuredText have it.
_CODE = r"(?:^|[^\p{L}\p{N}`\\])(`(?:[^\s`]|[^\s`][^`\n]{0,300}[^\s`])`|``(?:[^\s`]|[^\s`][^`\n]{0,300}[^\s`])``)"
_DIGITS = frozenset("0123456789")
_DIGITS_AND_LETTERS = "|".join(
    rf"[0-9]+[{letters}][0-9{letters}]*|[{letters}]+[0-9][0-9{letters}]*" for letters in ("a-f", "A-F")
)

# An option of a program, as POSIX (Utility Conventions) and GNU write them: "-v", "--dry-run", "--color=auto".
_OPTION = re.compile(
    r"(?<![^\s(\[\"'`„“|,/])(?:--[a-z][a-z0-9]*+(?:-[a-z0-9]++)*+(?:=[^\s,;)\]\"'`]*[^\s,;.:)\]\"'`])?+|-[a-z])"
    r"(?![\w-])"
)
_OPTION_PART = Beside("-", re.compile(r"-[-a-z]"))
# "The country --one of the smallest-- is old", "He said -a lot- of things."
_TYPED_DASH = re.compile(r"\w--?(?!\S)")
_LONGEST_INSERTION = 200  # characters


# What stands before an option: a program, and up to two words for what it does: "git commit", "docker compose up".
# Other words belong to the sentence: "the grep option -v".
_COMMANDS = (
    "add|apply|build|checkout|clean|clone|commit|compose|diff|exec|fetch|freeze|init|install|log|merge|publish|pull|push"
    "|rebase|remove|reset|restart|rm|run|stash|status|sync|uninstall|up|update|upgrade"
)
_COMMAND = re.compile(rf"(?<![\w./-])(?:sudo )?(?:{PROGRAMS})(?: (?:{_COMMANDS})){{0,2}} $")
_LONGEST_COMMAND = 100  # characters


class Options(Finder[Span]):
    """Options of programs, with the command before the first one; no words behind typed dashes."""

    def finditer(self, text: str) -> Iterator[Span]:
        """Yields the options, in order."""
        done = 0
        for match in finditer(_OPTION, text):
            begin, end = match.span()
            if _TYPED_DASH.search(text, max(0, begin - _LONGEST_INSERTION), end + _LONGEST_INSERTION):
                continue
            command = _COMMAND.search(text, max(done, begin - _LONGEST_COMMAND), begin)
            yield Span(command.start() if command else begin, end)
            done = end


IDENTIFIERS: Expressions = [
    *compiled(
        {
            r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b": "-",
            r"\b(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}\b": ":",
            r"\b0x[0-9a-fA-F]+\b": "0x",
            rf"{_NAME}(?:::{_NAME})+(?:\(\))?": "::",
            _SHARE: "\\\\",
            _DOI: "10.",
        }
    ),
    (("rxiv", "rXiv", "RXIV"), Checked(f"({_ARXIV})")),
    (_SCHEMES, Checked(f"({_URN})")),
    (("arXiv", "PMID", "PMCID", "ORCID", "ISSN", "ISBN", "ISNI", "Handle", "hdl"), Checked(_LABELLED)),
    (_DIGITS, Checked(_DOTTED, _is_dotted)),
    ("/", Checked(r"(?:^|[^\p{L}\p{N}/])(A/B|I/O)\b")),
    (":\\", Checked(f"({_WINDOWS})")),
    (("BIC", "SWIFT"), Checked(rf"\b(?:BIC|SWIFT)\b(?:-Code)?\W{{1,3}}({_BIC})\b", _is_bic)),
    ("IBAN", Checked(rf"\bIBAN\b[^\n]{{1,60}}?\b({_BIC})\b", _is_bic)),
    ("::", Checked(r"(?:^|[^\w:.])((?:[0-9A-Fa-f]{1,4})?(?::{1,2}[0-9A-Fa-f]{1,4}){1,7}(?:::)?(?:/\d{1,3})?)", _is_ip)),
    (":", Checked(r"(?:^|[^\w:.])((?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}(?:/\d{1,3})?)\b")),
    ("`", Checked(_CODE, _is_no_quotation)),
    (_OPTION_PART, Options()),
    (_SLUG_PART, Checked(_SLUG, _is_slug)),
    ("(", Checked(_CALL, _is_call)),
    ("/", Checked(_PATH, _is_path)),
    (INNER_DOT, Checked(_FILE, _is_file)),
    (INNER_DOT, Checked(rf"(?:^|[^\p{{L}}\p{{N}}_.@/-])(\p{{Ll}}{_WORD}(?:\.[\p{{L}}_]{_WORD}){{2,}})")),
    (_DIGITS, Checked(rf"\b({_DIGITS_AND_LETTERS})\b", _is_hash)),
]
