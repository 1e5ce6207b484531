"""xml: the text of any document, as ``/v2/translate`` finds it with ``tag_handling`` = ``xml``; data stays.

Android's string resources are told by their root and what is in it, and read by ``app.documents.android_strings``.
"""

import re
from importlib.util import find_spec

from app.documents.characters import Encoded, char_references
from app.documents.document import Document
from app.documents.formats.html import declared
from app.errors import ExtraMissing
from app.fairness.budget import checkpoint
from app.text.inline.placement import Edit, apply
from app.text.markup.html_tokenizer import Tokenizer, TokenKind
from app.text.markup.scope import Rules, primary

_BEGINNING_BYTES = 100_000  # a licence may stand before the root
_RESOURCES = re.compile(
    rb"\A(?:\xef\xbb\xbf)?(?:\s++|<\?[^>]*+>|<!--(?:[^-]++|-(?!->))*+-->)*+<resources[\s>]", re.DOTALL
)
_STRING = re.compile(rb"<(?:string|string-array|plurals)[\s>]")
_LANGUAGE = re.compile(r"""(?<=\sxml:lang)\s*+=\s*+(["'])([^"']*+)\1""")
# Code in DocBook and DITA; some others of their names have a text in other documents.
_CODE = """apiname cmdname cmdsynopsis code codeblock codeph computeroutput envar filepath methodname parmname
    programlisting userinput varname""".split()
_RULES = Rules(syntax="xml", ignore_tags=frozenset({"script", "style", *_CODE}), keeps_data=True)


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        DamagedDocument: Its characters can't be read, or it is a damaged file of Android's.
        ExtraMissing: It is one of Android's, for which a library is missing.
    """
    if _RESOURCES.match(data[:_BEGINNING_BYTES]) and _STRING.search(data):
        if not find_spec("lxml"):
            raise ExtraMissing.needed_by("Translating strings.xml files", "documents")
        from app.documents.android_strings import read as read_android

        if android := read_android(data):
            return android
    file = Encoded(data, declared(data))
    return Document(
        texts=(file.text,),
        markup=_RULES,
        write=lambda texts, language: file.encoded(_in_language(texts[0], language), char_references),
    )


def _in_language(source: str, language: str) -> str:
    """Names the language of a translated document where its root names one, and where others name the same."""
    if "xml:lang" not in source:
        return source
    edits: list[Edit] = []
    old = ""
    for token in Tokenizer(source, "xml"):
        checkpoint()
        if token.kind is not TokenKind.START:
            continue
        named = _LANGUAGE.search(token.attributes)
        old = old or (primary(named[2]) if named else "")
        if not old:
            break
        if named and primary(named[2]) == old:
            begin = token.end - 1 - len(token.attributes)
            edits.append(Edit(begin + named.start(2), begin + named.end(2), language))
    return apply(edits, source)
