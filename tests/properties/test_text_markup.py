from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from app.text.markup import extract

ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=60)
# What tokenizers stumble over, much denser than in a random string; "|" stands for a space.
PARTS = """< > </ /> <!-- --> <![CDATA[ ]]> <? <! = " ' | & &amp; &lt &nbsp; &#65; &#x &#0 ; a Wort p b translate no yes
    class notranslate <p> </p> <b| <br> <script> </script> <code> </code> <p|translate=no> <li>"""
FRAGMENTS = st.lists(st.sampled_from([part.replace("|", " ") for part in PARTS.split()]), max_size=40).map("".join)

# Well-formed HTML. Plain letters only where an attribute may be mistaken for text.
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="<>&\r\0"), min_size=1, max_size=12)
RUN = WORDS | st.sampled_from(["&amp;", "&lt;b&gt;", "caf&eacute;", "&#8364;", "&nbsp;", "A &amp; B"])
ATTRIBUTES = st.sampled_from(
    ["", " hidden", ' title="a > b"', " alt='x &amp; y'", " translate=no", ' translate="yes"', " class='a notranslate'"]
)
LEAF = RUN | st.sampled_from(["<br>", "<img src=x>", "<!-- c > d -->", "<script>a<b</script>", "<style>p>a</style>"])
HTML = st.recursive(
    st.lists(LEAF, max_size=3).map("".join),
    lambda inner: st.lists(
        st.builds(
            lambda name, attributes, content: f"<{name}{attributes}>{content}</{name}>",
            st.sampled_from(["div", "span", "b", "a", "em", "h1", "code", "section"]),
            ATTRIBUTES,
            inner,
        )
        | LEAF,
        max_size=3,
    ).map("".join),
    max_leaves=6,
)


class Reader(HTMLParser):
    """The standard library's reading of a page, as an oracle: all but the text, in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, object]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, attrs))

    def handle_endtag(self, tag: str) -> None:
        self.seen.append(("end", tag))

    def handle_comment(self, data: str) -> None:
        self.seen.append(("comment", data))


@settings(max_examples=150, deadline=None)
@given(ANY_TEXT | FRAGMENTS | HTML)
def test_an_untranslated_page_is_the_page(page: str) -> None:
    document = extract(page)
    assert document.rebuild(document.texts) == page


@settings(max_examples=150, deadline=None)
@given(FRAGMENTS | HTML)
def test_a_translation_changes_its_run_and_nothing_else(page: str) -> None:
    document = extract(page)
    rebuilt = document.rebuild([f"¡{text}!" for text in document.texts])
    again = extract(rebuilt)
    assert again.skeleton == document.skeleton
    assert again.texts == tuple(f"¡{text}!" for text in document.texts)


@settings(max_examples=150, deadline=None)
@given(HTML, st.text(max_size=8), st.sampled_from(["<b>", "</div>", "&lt;", "<!--", "<script>", "&", '"', "'>"]))
def test_no_translation_can_change_the_tags(page: str, text: str, markup: str) -> None:
    document = extract(page)
    rebuilt = document.rebuild([text + markup + text for _ in document.texts])
    assert Reader(rebuilt).seen == Reader(page).seen


@settings(max_examples=150, deadline=None)
@given(HTML)
def test_every_text_has_a_letter_or_digit_and_no_space_at_its_ends(page: str) -> None:
    texts = extract(page).texts
    for text in texts:
        assert any(character.isalnum() for character in text)
        assert text == text.strip()
