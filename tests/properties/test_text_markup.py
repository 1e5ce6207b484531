import re
from collections import Counter
from html.parser import HTMLParser
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from app.text.markup.extraction import Rules, extract
from tests.support.alignments import links

ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=60)
# What tokenizers stumble over, much denser than in a random string; "|" stands for a space.
PARTS = """< > </ /> <!-- --> <![CDATA[ ]]> <? <! = " ' | & &amp; &lt &nbsp; &#65; &#x &#0 ; a Wort p b translate no yes
    class notranslate <p> </p> <b| <b> </b> <i> </i> <br> <script> </script> <code> </code> <p|translate=no> <li> Tom
    <span|translate=no> </span>"""
FRAGMENTS = st.lists(st.sampled_from([part.replace("|", " ") for part in PARTS.split()]), max_size=40).map("".join)

# Well-formed HTML. Plain letters only where an attribute may be mistaken for text.
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="<>&\r\0"), min_size=1, max_size=12)
RUN = (
    WORDS
    | st.sampled_from(["&amp;", "&lt;b&gt;", "caf&eacute;", "&#8364;", "&nbsp;", "A &amp; B", " ", " Tom ", "."])
    | st.sampled_from(["ein Wort", " und noch eines, ", "zwei Sätze. Ja! "])
)
ATTRIBUTES = st.sampled_from(
    ["", " hidden", ' title="a > b"', " alt='x &amp; y'", " translate=no", ' translate="yes"', " class='a notranslate'"]
)
LEAF = RUN | st.sampled_from(
    [
        "<br>",
        "<img src=x>",
        "<!-- c > d -->",
        "<script>a<b</script>",
        "<style>p>a</style>",
        "<code>f(x)</code>",
        "<wbr>",
    ]
)
BLOCKS = ["div", "h1", "section", "p"]
INLINE = ["span", "b", "a", "em", "code"]


def elements(names: list[str]) -> st.SearchStrategy[str]:
    """Elements of these names, nested in each other, around leaves."""
    return st.recursive(
        st.lists(LEAF, max_size=4).map("".join),
        lambda inner: st.lists(
            st.builds(
                lambda name, attributes, content: f"<{name}{attributes}>{content}</{name}>",
                st.sampled_from(names),
                ATTRIBUTES,
                inner,
            )
            | LEAF,
            max_size=4,
        ).map("".join),
        max_leaves=8,
    )


# Half of them sentences with inline elements only.
HTML = elements(INLINE) | elements(BLOCKS + INLINE)
PAGE = ANY_TEXT | FRAGMENTS | HTML


class Reader(HTMLParser):
    """The standard library's reading of a page, as an oracle: all but the text, in order; and whether it nests."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[tuple[object, ...]] = []
        self.open: list[str] = []
        self.nests = True
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, *attrs))
        if tag not in ("br", "img", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.seen.append(("end", tag))
        self.nests = self.nests and bool(self.open) and self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        self.seen.append(("comment", data))

    def blocks(self) -> list[tuple[object, ...]]:
        return [one for one in self.seen if {*BLOCKS, "br"} & set(one[:2])]


@st.composite
def rebuilt(draw: st.DrawFn, page: str, rules: Rules | None = None) -> str:
    """A page with any translations, under any alignments: right, wrong, or none."""
    document = extract(page, rules or Rules())
    translations = [draw(translation_of(text)) for text in document.texts]
    alignments = [draw(links(text, other)) for text, other in zip(document.texts, translations, strict=True)]
    return document.rebuild(translations, draw(st.sampled_from([alignments, None]))).text


def translation_of(text: str) -> st.SearchStrategy[str]:
    words = text.split()
    return (
        st.permutations(words).map(" ".join)
        | st.lists(st.sampled_from([*words, "&", "<b>", "neu", ".", " "]), max_size=12).map(" ".join)
        | st.text(max_size=20)
        | st.sampled_from([text, text.upper(), "", " ", f"¡{text}!", "</div>", "<!--", "<script>"])
    )


@given(PAGE, st.sampled_from(["html", "xml"]))
def test_an_untranslated_page_is_the_page(page: str, syntax: str) -> None:
    document = extract(page, Rules(syntax=syntax))  # type: ignore[arg-type]
    assert document.rebuild(document.texts).text == page
    assert "".join(part for pair in zip(document.skeleton, [*document.runs, ""], strict=True) for part in pair) == page


@given(HTML.flatmap(lambda page: st.tuples(st.just(page), rebuilt(page))))
def test_tags_come_out_as_they_went_in(pages: tuple[str, str]) -> None:
    before, after = (Reader(page) for page in pages)
    assert Counter(after.seen) == Counter(before.seen)
    assert after.blocks() == before.blocks()
    assert after.nests


@given(FRAGMENTS.flatmap(lambda page: st.tuples(st.just(page), rebuilt(page))))
def test_malformed_markup_is_kept_too(pages: tuple[str, str]) -> None:
    before, after = (Counter(re.findall(r"</?[a-z][^<>]*>", page)) for page in pages)
    assert after == before


@given(HTML.flatmap(lambda page: st.tuples(st.just(page), rebuilt(page, Rules(syntax="xml")))))
def test_in_xml_every_element_may_be_in_a_sentence(pages: tuple[str, str]) -> None:
    before, after = (Counter(re.findall(r"</?[a-z][^<>]*>", page)) for page in pages)
    assert after == before


@given(HTML)
def test_every_text_has_a_letter_or_digit_and_no_space_at_its_ends(page: str) -> None:
    for text in extract(page).texts:
        assert any(character.isalnum() for character in text)
        assert text == text.strip()


def words(page: str) -> list[str]:
    return re.sub(r"<[^>]*>", "", page).split()


WRAPPED_WORD = st.builds(
    lambda word, around: around.format(word),
    st.sampled_from(["Hund", "Katze", "Maus,", "und", "(so)", "ja!"]),
    st.sampled_from(["{}", "<b>{}</b>", "{}<!-- c -->", "<img> {}", "<i><b>{}</b></i>"]),
)


@given(st.lists(WRAPPED_WORD, min_size=2, max_size=8), st.randoms())
def test_white_space_neither_comes_nor_goes(page: list[str], random: Random) -> None:
    document = extract(" ".join(page))
    [text] = document.texts
    shuffled = [*re.finditer(r"\S+", text)]
    random.shuffle(shuffled)
    translation = " ".join(match[0] for match in shuffled)
    alignment = [(*a.span(), *b.span()) for a, b in zip(shuffled, re.finditer(r"\S+", translation), strict=True)]
    rebuilt = document.rebuild([translation], [alignment]).text
    assert Counter(words(rebuilt)) == Counter(words(" ".join(page)))
    assert "  " not in rebuilt.replace("<img> ", "").replace("<!-- c -->", "")
