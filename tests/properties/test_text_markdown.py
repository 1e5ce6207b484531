import re
from collections import Counter
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.text.markup.document import Rebuilt
from app.text.markup.extraction import MARKDOWN, extract
from tests.support.alignments import links

ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=60)
# What Markdown is made of, much denser than in a random string.
PARTS = r"""# ## * ** *** _ __ ~~ ` `` ``` [ ] ( ) ](x) [a](b) ![a](b) <b> </b> <br> <!-- --> <a@b.c> & &amp; \ \* | ||
    / > - 1. 2) === --- | -|- :-: a Wort und zwei, Tom [^1] [^1]: [x] {{a}} <div> </div> :::""".split()
SPACES = [" ", "\n", "\n\n", "\r\n", "    ", "\t"]
FRAGMENTS = st.lists(st.sampled_from(PARTS + SPACES), max_size=40).map("".join)

# No bare "*" or "_", which next to emphasis makes other emphasis than meant, even across tags. Translations have them.
WORDS = st.lists(
    st.sampled_from("ein Wort Straße und 3. groß, (so) „Zitat“ A&B 5<6 c_d [e] #f 7| so! \\* &lt; - 1.".split()),
    min_size=1,
    max_size=4,
).map(" ".join)
LEAF = WORDS | st.sampled_from(["`c*d*e`", "``a`b``", "![Bild *x*](b.png)", "<http://x.y>", "[^1]"])
# HTML that isn't translated has no link inside: it goes where the words around it go, and may so end up inside a link.
CODE = LEAF.map("<code>{}</code>".format)


def wrapped(inner: st.SearchStrategy[str], *wrappers: str) -> st.SearchStrategy[str]:
    """Some of these, and of these in a wrapper, with spaces between."""
    one = inner | st.builds(lambda wrapper, content: wrapper.format(content), st.sampled_from(wrappers), inner)
    return st.lists(one, min_size=1, max_size=3).map(" ".join)


# No "**" in "**", which nobody can write in every order.
INLINE = wrapped(
    wrapped(LEAF | st.just("[r]"), "*{}*", "_{}_", "<b>{}</b>") | CODE,
    "**{}**",
    "__{}__",
    "~~{}~~",
    '[{}](u "t")',
    "[{}][r]",
)
TABLE = "| a | *b* |\n|---|:-:|\n| {} | {} |"
LINES = st.lists(INLINE, min_size=1, max_size=3)
BLOCK = st.one_of(
    LINES.map("\n".join),
    LINES.map("  \n".join),
    LINES.map("<br>".join),
    st.builds("{} {}".format, st.sampled_from(["#", "##", "######"]), INLINE),
    INLINE.map("{}\n===".format),
    LINES.map(lambda lines: "\n".join(f"> {line}" for line in lines)),
    LINES.map(lambda lines: "\n".join(f"- {line}" for line in lines)),
    LINES.map(lambda lines: "\n".join(f"{number}. {line}\n   weiter" for number, line in enumerate(lines, 1))),
    LINES.map(lambda lines: "> 1. " + "\n>    ".join(lines)),
    LINES.map(lambda lines: "\n".join(f"- [ ] {line}" for line in lines)),
    st.tuples(WORDS, INLINE).map(lambda row: TABLE.format(*(cell.replace("|", "\\|") for cell in row))),
    st.sampled_from(["```py\nx = '*a*'\n```", "    code *x*", "---", "***", "<!--\nText\n-->"]),
    st.just("<div>\n<p>Text <b>hier</b></p>\n</div>"),
)
DOCUMENT = st.builds(
    lambda front, blocks: front + "\n\n".join(blocks) + '\n\n[r]: /ziel "Titel"\n',
    st.sampled_from(["", "---\ntitle: *Titel*\n---\n", "\n"]),
    st.lists(BLOCK, min_size=1, max_size=4),
)

MORE = st.sampled_from("neu # - 1. > *x* ` | <b> &amp; \\ ~~y~~ [z](u) + = 2) _".split())
MARKS = {"*": "em", "_": "em", "**": "strong", "__": "strong", "~~": "s"}
READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def structure(source: str) -> Iterator[object]:
    """The blocks in order, each with its inline objects in any order, as the reference parser sees them."""
    for token in READER.parse(source):
        if token.type == "inline":
            yield Counter(
                (child.type, child.content if child.type != "image" else "", str(child.attrs))
                for child in token.children or ()
                if child.type not in ("text", "softbreak")
            )
        else:
            yield token.type, token.markup, token.info, "" if token.type == "html_block" else token.content


@st.composite
def rebuilt(draw: st.DrawFn, source: str, *, all_words: bool) -> Rebuilt:
    """A document with other words, as many or more or else some of them, under any alignment or none."""
    document = extract(source, MARKDOWN)
    translations = []
    for text in document.texts:
        words = draw(st.permutations([*text.split(), *draw(st.lists(MORE, max_size=3))]))
        translations.append(" ".join(words if all_words else words[: draw(st.integers(1, len(words)))]))
    alignments = [draw(links(text, other)) for text, other in zip(document.texts, translations, strict=True)]
    return document.rebuild(translations, draw(st.sampled_from([alignments, None])))


@given(ANY_TEXT | FRAGMENTS | DOCUMENT)
def test_an_untranslated_document_is_the_document(source: str) -> None:
    document = extract(source, MARKDOWN)
    assert document.rebuild(document.texts).text == source
    assert (
        "".join(part for pair in zip(document.skeleton, [*document.runs, ""], strict=True) for part in pair) == source
    )


@given(DOCUMENT.flatmap(lambda source: st.tuples(st.just(source), rebuilt(source, all_words=True))))
def test_the_structure_stays_in_a_translation_of_as_many_words(documents: tuple[str, Rebuilt]) -> None:
    before, after = documents
    assert list(structure(after.text)) == list(structure(before))
    assert not after.lost


@given(DOCUMENT.flatmap(lambda source: st.tuples(st.just(source), rebuilt(source, all_words=False))))
def test_with_fewer_words_all_that_is_dropped_is_emphasis_and_told(documents: tuple[str, Rebuilt]) -> None:
    before, after = documents
    missing: Counter[object] = Counter()
    for one, other in zip(structure(before), structure(after.text), strict=True):
        if isinstance(one, Counter) and isinstance(other, Counter):
            assert other <= one
            missing += one - other
        else:
            assert one == other
    told = [MARKS[mark] for mark in after.lost if mark in MARKS]
    assert missing == Counter((f"{name}_{end}", "", "{}") for name in told for end in ("open", "close"))


@given(DOCUMENT)
def test_a_reader_sees_every_word_that_is_translated_and_no_mark(source: str) -> None:
    # As the reference parser reads it: "x**y**" is one word.
    seen = "\n".join(
        "".join(
            " " if child.type == "softbreak" else child.content
            for child in token.children or [token]
            if child.type in ("text", "text_special", "softbreak", "html_block")
        )
        for token in READER.parse(source)
    )
    for text in extract(source, MARKDOWN).texts:
        for word in re.findall(r"\w+", text):
            assert word in seen or word in ("Tom", "Boston", "Paris")
