"""How markup is read; tests/unit/app/text/inline/test_placement.py shows where it goes in a translation."""

import re
from dataclasses import replace

import pytest

from app.text.markup.extraction import HTML, Rules, extract
from app.text.protection.patterns import NOTHING, Patterns, compile_patterns


def shout(source: str, rules: Rules = HTML) -> str:
    """Rebuilds a page with every text in capitals, but for the names that stand in for something."""
    document = extract(source, rules)
    translations = [
        re.sub(r"\w+", lambda word: word[0] if word[0] in ("Tom", "Boston", "Paris") else word[0].upper(), text)
        for text in document.texts
    ]
    letters = [[(place, place + 1, place, place + 1) for place in range(len(text))] for text in document.texts]
    return document.rebuild(translations, letters).text


def test_a_block_is_one_text_with_entities_decoded() -> None:
    document = extract("<h1>Tom &amp; Jerry</h1>\n<p> 1 &lt; 2, <b>caf&eacute;</b>&nbsp;</p>")
    assert document.texts == ("Tom & Jerry", "1 < 2, café")


def test_translations_are_escaped_and_all_the_rest_is_kept() -> None:
    source = "<!DOCTYPE html>\n<P  class='a>b' title=\"x\" hidden>\r\n\t eins <br/>&nbsp;zwei&#160; </P ><!-- c --> "
    assert extract(source).rebuild(["1 < 2 & \"3\" > '0'", "<b>"]).text == (
        "<!DOCTYPE html>\n<P  class='a>b' title=\"x\" hidden>\r\n\t 1 &lt; 2 &amp; \"3\" &gt; '0' "
        "<br/>&nbsp;&lt;b&gt;&#160; </P ><!-- c --> "
    )


def test_numbered_tags_of_catalogs_are_tags() -> None:
    document = extract("Klicken Sie <0>hier</0><1/> oder <b>dort</b>, 1 <2.")
    assert document.texts == ("Klicken Sie hier oder dort, 1 <2.",)
    shouted = shout("Klicken Sie <0>hier</0><1/> oder <b>dort</b>, 1 <2.")
    assert shouted == "KLICKEN SIE <0>HIER</0><1/> ODER <b>DORT</b>, 1 &lt;2."
    assert extract("Drücken Sie <1> oder <2>.").texts == ("Drücken Sie <1> oder <2>.",)


def test_a_number_that_a_tag_cuts_off_from_its_preposition_is_written_for_the_target() -> None:
    source = "<p>Um <b>16.30 Uhr</b> kam er, um <i>halb</i> acht ging er.</p>"
    document = extract(source, HTML, NOTHING._replace(numerals=("de", "en")))
    assert document.rebuild(document.texts).text == source.replace("16.30 Uhr", "16:30")


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<b>1.234</b>,50 Tonnen", "<b>1,234</b>.50 Tonnen"),
        ("<i>1.299</i><sup>,00</sup> €", "<i>1,299</i><sup>.00</sup> €"),
        ("$<b>1.234</b>,<sup>50</sup>", "$<b>1,234</b>.<sup>50</sup>"),
        ("am <b>25.</b>07.1982", "am <b>25.</b>07.1982"),  # written otherwise, it would have another length
        ("{name}<b>12,50</b> da", "{name}<b>12.50</b> da"),
        ("<b>{name}</b>3,50{x}<b>4,50</b>", "<b>{name}</b>3.50{x}<b>4.50</b>"),
        ("<b>%d</b>Zeilen", "<b>%d</b>Zeilen"),
    ],
)
def test_what_tags_cut_in_pieces_stays_protected_and_keeps_its_digits(source: str, written: str) -> None:
    patterns = Patterns(harmless=(re.compile(r"\{[a-z]+\}|%d\b"),), numerals=("de", "en"))
    document = extract(f"<p>Text {source}</p>", HTML, patterns)
    assert document.rebuild(document.texts).text == f"<p>Text {written}</p>"
    assert not re.search(r"name|%d|12|25|34", document.texts[0]), "the model sees stand-ins"


def test_pieces_that_touch_in_the_source_touch_in_the_translation() -> None:
    document = extract("<p>Um <b>1.234</b>,50 mehr</p>", HTML, NOTHING._replace(numerals=("de", "en")))
    first, second = re.findall("Tom|Boston", document.texts[0])
    translated = document.texts[0].replace(first + second, f"{first} {second}")
    assert document.rebuild([translated]).text == "<p>Um <b>1,234</b>.50 mehr</p>"


def test_a_date_with_a_word_is_written_piece_by_piece() -> None:
    document = extract("<p>Am <b>12. März</b> 2020</p>", HTML, NOTHING._replace(numerals=("de", "en")))
    assert document.rebuild(document.texts).text == "<p>Am <b>March 12</b> 2020</p>"


def test_a_text_that_is_not_translated_keeps_its_spelling() -> None:
    source = "<p>AT&T &copy; <i>&#x41;</i> &notanentity; a > b\n c</p><p>x</p>"
    document = extract(source)
    assert document.texts == ("AT&T © A ¬anentity; a > b c", "x")
    assert document.rebuild([document.texts[0], "y"]).text == source.replace("x</p>", "y</p>")


@pytest.mark.parametrize(
    "kept",
    [
        "<script>if (a<b) { c('</b>') }</script>",
        "<script>a = '</ſcript>'; b</script>",  # IGNORECASE alone takes this letter for an s
        "<SCRIPT>x</b></Script >",
        "<style>p > a { content: 'x' }</style>",
        "<textarea><b>x</textarea>",
        "<code>x <i>y</i></code>",
        "<pre>x\n y</pre>",
        "<kbd>x</kbd>",
        "<samp>x</samp>",
        "<var>x</var>",
        "<!-- <p>x</p> -->",
        "<!-->",
        "<![CDATA[ x > y ]]>",
        "<?php x ?>",
        "<p translate='no'>x <b>y</b></p>",
        "<p TRANSLATE=NO>x</p>",
        '<p class="big notranslate">x</p>',
        "<p translate = \"no\">x<span class='a'><br>y</span></p>",
        "<span translate=no>x <b>y</b></span>",
        "<code><code>x</code>y</code>",
        "<ul><li translate=no>x</ul>",
        "</ x>",
        "<p> 😀 &mdash; *** &nbsp;</p>",
        "<img alt='x'>",
        "<b></b>",
        "<br>",
    ],
)
def test_what_is_not_for_translation_is_left_alone(kept: str) -> None:
    assert shout(f"vor {kept} nach") == f"VOR {kept} NACH"


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("<p translate=no>a<b translate=yes>b</b>c</p>d", ("b", "d")),
        ("<code>a<b translate>b<i translate=no>c</i>d</b>e</code>", ("bTomd",)),
        ("e <code>a<b translate>b</b>c</code> f", ("e", "b", "f")),
        ("<b translate=maybe>a</b>", ("a",)),
        ("<b class='notranslated' data-translate=no title='translate=no'>a</b>", ("a",)),
        ("<b translate=yes class=notranslate>a</b>", ("a",)),
        ("<ul><li class=notranslate>a<li>b</ul>", ("b",)),
        ("<table><tr><td translate=no>a<td>b<tr translate=no><td>c<tr><td>d</table>", ("b", "d")),
        ("<p translate=no>a<p>b", ("b",)),
        ("<div><span translate=no>a</div>b", ("b",)),
        ("<div>c <span translate=no>a</div>b", ("c", "b")),
        ("<span translate=no>a</b></i>b</span> c", ("Tom c",)),
        ("<span translate=no/>a", ("a",)),
        ("<img translate=no>a", ("a",)),
        ("<a translate=no href=x/>a</a> b", ("Tom b",)),
    ],
)
def test_translation_is_switched_off_and_on_by_nesting(source: str, texts: tuple[str, ...]) -> None:
    assert extract(source).texts == texts


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("a <b>b</b> <a href=x>c <i>d</i></a>, e", ("a b c d, e",)),
        ("a<br>b<hr>c<div>d</div>e<h1>f</h1>g<li>h<td>i", tuple("abcdefghi")),
        ("a <b>b<div>c</b>d", ("a b", "cd")),
        ("a\n  b<b> \t</b> c<!-- x --> d", ("a b c d",)),
        ("<unbekannt>a</unbekannt> b", ("a b",)),
    ],
)
def test_blocks_end_a_text_and_inline_elements_do_not(source: str, texts: tuple[str, ...]) -> None:
    document = extract(source)
    assert document.texts == texts


def test_what_stands_at_the_ends_of_a_text_does_not_move() -> None:
    document = extract("<p><a href=x> <img><b>eins</b> zwei <i></i><!-- c --></a> </p>")
    assert document.skeleton == ("<p><a href=x> <img>", " <i></i><!-- c --></a> </p>")


@pytest.mark.parametrize(
    ("source", "rules", "texts"),
    [
        (
            "a<p>b</p>c <b>d</b> e",
            Rules(non_splitting_tags=frozenset({"p"}), splitting_tags=frozenset({"b"})),
            "abc|d|e",
        ),
        ("a <p>b</p> c <Keep>d</Keep>", Rules(ignore_tags=frozenset({"keep", "p"})), "a|c Tom"),
        ("<x translate=yes>a</x> b", Rules(ignore_tags=frozenset({"x"})), "Tom b"),
        ("<d><t>a</t><t>b <i>c</i></t></d>", Rules(syntax="xml"), "a|b c"),
        ("<d><t>a</t><t>b <i>c</i></t></d>", Rules(syntax="xml", outline_detection=False), "ab c"),
        ("<d><t>a</t><t>b</t></d>", Rules(syntax="xml", outline_detection=False, splitting_tags=frozenset("t")), "a|b"),
        ("<d><t>a</t><t>b</t></d>", Rules(syntax="xml", non_splitting_tags=frozenset("t")), "ab"),
        ("a <x/>b <p>c</p> <P>d</P>", Rules(syntax="xml", ignore_tags=frozenset("p")), "a b Tom d"),
        ("<d>a <code>b</code> <script>c</script></d>", Rules(syntax="xml"), "a b c"),
        ("<d>a<t>b</d>", Rules(syntax="xml"), "ab"),
        ("<d><br>a</br></d>", Rules(syntax="xml"), "a"),
    ],
)
def test_rules_say_what_splits_and_what_is_left_alone(source: str, rules: Rules, texts: str) -> None:
    assert "|".join(extract(source, rules).texts) == texts


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", "A &lt; B"),
        ("wenn x <y ist", "WENN X &lt;Y IST"),
        ("a<b", "A&lt;B"),
        ("a</b", "A&lt;/B"),
        ("<p>a<!-- b", "<p>A<!-- b"),
        ("<![CDATA[ a", "&lt;![CDATA[ A"),
        ("<p title='>a <b>b</b>", "<p title='>A <b>B</b>"),
        ("<script>a", "<script>a"),
        ("a</> b", "A</> B"),
        ("a</>b", "AB</>"),
        ("a </i> b", "A</i> B"),
        ('<a ="b>c', '<a ="b>C'),
        ("<a <b>c", "<a <b>C"),
        ("]]>a-->b", "]]&gt;A--&gt;B"),
        ("a\0b", "A\0B"),
        ("a <b>b <i>c</b> d</i> e", "A <b>B <i>C</b> D</i> E"),
        ("a</b> b <i>c<p>d</i>", "A</b> B <i>C<p>D</i>"),
    ],
)
def test_malformed_markup_survives(source: str, expected: str) -> None:
    assert shout(source) == expected


XML = Rules(syntax="xml")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<Überschrift>a</Überschrift><_b:c>d</_b:c>", "<Überschrift>A</Überschrift><_b:c>D</_b:c>"),
        ("<p>a &brand; b &lt; &#65; &copyright; &ampere;</p>", "<p>A &brand; B &lt; A &copyright; &ampere;</p>"),
        ("<p>f&uuml;r 5&nbsp;&euro;</p>", "<p>FÜR 5\u00a0€</p>"),
        ('<!DOCTYPE p [<!ENTITY euro "ECU">]><p>5 &euro;!</p>', '<!DOCTYPE p [<!ENTITY euro "ECU">]><p>5 &euro;!</p>'),
        ("a\n  <b/>\n  c", "A\n  <b/>\n  C"),
        ("a <b/>\nb", "A <b/>\nB"),
        ("<p><?php if (a > b) echo 1 ?>c</p>", "<p><?php if (a > b) echo 1 ?>C</p>"),
        ("<?a b>c", "<?a b>C"),
        ('<!DOCTYPE p [\n<!ENTITY w "<d>">\n] >\n<p>a</p>', '<!DOCTYPE p [\n<!ENTITY w "<d>">\n] >\n<p>A</p>'),
        ("<!DOCTYPE p>a <!DOCTYPE p [b]>c", "<!DOCTYPE p>A <!DOCTYPE p [b]>C"),
        ('<x a="1>2">b</x> <y z="5>c" end', '<x a="1>2">B</x> <y z="5>C" END'),
    ],
)
def test_xml_is_no_html(source: str, expected: str) -> None:
    assert shout(source, XML) == expected


def test_elements_with_letters_of_any_language_can_be_ignored() -> None:
    assert extract("<a>b <Ä>c</Ä></a>", Rules(syntax="xml", ignore_tags=frozenset("Ä"))).texts == ("b Tom",)


def test_links_side_by_side_are_texts_of_their_own() -> None:
    source = '<a href="1">Neu</a><a href="2">Beliebt</a> <b><a>Hilfe</a></b>'
    assert extract(source).texts == ("Neu", "Beliebt Hilfe")
    assert shout(source) == '<a href="1">NEU</a><a href="2">BELIEBT</a> <b><a>HILFE</a></b>'
    assert extract("<p>x <a>Neu</a><a>land</a></p>", XML).texts == ("x Neuland",)  # XML's are no links


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("<span>Start</span><span>Kontakt</span>", ("Start", "Kontakt")),
        ("<strong><i>Datum</i></strong><em>Ort</em>", ("Datum", "Ort")),
        ("<label>Vorname</label><input><label>Nachname</label>", ("Vorname", "Nachname")),
        ("Text<noscript>Foo</noscript>Mehr", ("Text", "Foo", "Mehr")),
        ("<b>Achtung</b><i>: heiß</i>, <b>eins</b> <i>zwei</i>", ("Achtung: heiß, eins zwei",)),
        ("H<sub>2</sub>O, <b>wor</b>t", ("H2O, wort",)),
        ("</b></i><b>x", ("x",)),
    ],
)
def test_elements_side_by_side_are_not_one_word(source: str, texts: tuple[str, ...]) -> None:
    assert extract(source).texts == texts


def test_misnested_tags_do_not_enclose_each_other_without_end() -> None:
    source = "<a><b>Wort</a></b> " * 1_000
    document = extract(source)
    assert max(len(element.path) for inline in document.inlines for element in inline.elements) < 50
    translated = document.rebuild(["word " * 1_000 for _ in document.texts]).text
    assert sorted(re.findall("<[^>]*>", translated)) == sorted(re.findall("<[^>]*>", source))


def test_an_address_may_be_cut_by_tags() -> None:
    address = compile_patterns(["regex:https://[a-z./-]+"])
    source = "<p>Lies <a><i>https://</i><i>blog.example.org/das</i><i>-haus</i></a> und lerne!</p>"
    document = extract(source, protected=address)
    assert document.rebuild([document.texts[0].replace("Lies", "Read").replace("lerne", "learn")]).text == (
        source.replace("Lies", "Read").replace("lerne", "learn")
    )
    assert "haus" not in document.texts[0]
    assert "haus" in extract("<p>https://a<br>haus <img>haus</p>", protected=address).texts[0]


def test_many_protected_spans_between_many_tags_take_time_in_proportion() -> None:
    source = "<p>" + "<b>a</b> x " * 5_000 + "</p>"
    inlines = extract(source, protected=compile_patterns(["a"])).inlines
    assert sum(len(inline.atoms) for inline in inlines) == 5_000


def test_protected_spans_stay_as_they_are() -> None:
    document = extract(
        "<p>Hallo <b>{{a&amp;b}}</b>, %s!</p><p>{{c}}</p>", protected=compile_patterns(["regex:{{.*?}}", "%s"])
    )
    assert document.texts == ("Hallo Tom, Boston!",)
    assert document.rebuild(["Hello Boston, Tom!"])[:3] == ("<p>Hello %s, <b>{{a&amp;b}}</b>!</p><p>{{c}}</p>", (), {})
    assert document.rebuild(["Hello Tom!"])[:3] == ("<p>Hello <b>{{a&amp;b}}</b> %s!</p><p>{{c}}</p>", ("%s",), {})


@pytest.mark.parametrize("span", ["<%= user.name %>", "&lt;%= user.name %&gt;", "a&b %", "a&amp;b %", "&#60;b> %"])
def test_a_protected_span_is_written_as_the_source_does(span: str) -> None:
    source = f"<p>Hallo {span}!</p>"
    document = extract(source, protected=compile_patterns(["regex:<%.*%>", "a&b %", "<b> %"]))
    assert document.rebuild([document.texts[0].replace("Hallo", "Hello")]).text == (
        source.replace("Hallo", "Hello").replace("&#60;b>", "&lt;b&gt;")
    )


def test_a_sign_that_may_become_a_tag_is_escaped() -> None:
    document = extract("<p>1 < 2</p>", protected=compile_patterns(["<"]))
    assert document.rebuild([document.texts[0].replace("1", "b")]).text == "<p>b &lt; 2</p>"


def test_a_number_of_any_length_is_decoded() -> None:
    assert extract("&#" + "0" * 5000 + "65;").texts == ("A",)
    assert extract("a&#" + "9" * 5000 + ";").texts == ("a\ufffd",)
    assert extract("a&#0;&#;&#x").texts == ("a\ufffd&#;&#x",)


def test_rebuild_wants_one_translation_per_text() -> None:
    with pytest.raises(ValueError, match="expected 1 translations, got 2"):
        extract("<p>a</p>").rebuild(["b", "c"])


# "|" stands for a space.
REPEATED = """< <a <a| <a|b=">"| <a|x='> <a> </a> <p> <!-- <![CDATA[ <![CDATA[> <! <? <script> <script></script
    <b|translate| & &# &#0 &nbsp; &nbsp;|a |"""


@pytest.mark.parametrize("end", ["", "x='>", "]]>"])
@pytest.mark.parametrize("unit", REPEATED.split())
def test_no_repetition_takes_more_than_a_look_at_each_character(unit: str, end: str) -> None:
    # A quadratic one takes seconds.
    source = unit.replace("|", " ") * (12_500 // len(unit)) + end
    document = extract(source)
    assert document.rebuild(document.texts).text == source


@pytest.mark.parametrize(
    "source",
    ["a " + "<b></b>" * 10_000 + " c", "a <code>" + "<b>" * 30_000, "a <code>" + "<b>" * 30_000 + "</code> c"],
)
def test_empty_and_ignored_elements_cost_a_look_each(source: str) -> None:
    # Minutes, if each were compared with all before it, or all of it copied for each.
    document = extract(source)
    assert document.rebuild(document.texts).text == source


@pytest.mark.parametrize("inside", ["x" * 200_000, " " * 200_000, "x=y " * 100_000, "= " * 100_000])
def test_a_tag_of_any_size_is_kept(inside: str) -> None:
    assert shout(f"<a translate {inside}>b</a>") == f"<a translate {inside}>B</a>"


def test_end_tags_without_start_cost_no_search_through_the_open_elements() -> None:
    source = "<a>" * 5_000 + "</b>" * 5_000 + "x"
    assert shout(source) == source[:-1] + "X"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "<p>Das Zeichen <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> ist schön.</p>",
            "<p>DAS ZEICHEN <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> IST SCHÖN.</p>",
        ),
        ("<ruby>Stadt<rt>oben<rt>mehr</ruby> hier", "<ruby>STADT<rt>oben<rt>mehr</ruby> HIER"),
        ("<ruby><rb>Stadt<rtc><rt>oben</rt></rtc></ruby>", "<ruby><rb>STADT<rtc><rt>oben</rt></rtc></ruby>"),
    ],
)
def test_annotations_of_ruby_stay_beside_their_text(source: str, expected: str) -> None:
    assert shout(source) == expected
    assert not any("kan" in text or "oben" in text for text in extract(source).texts)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('<p lang="fr">Bonjour</p><p lang="de-AT">Hallo</p>', '<p lang="fr">Bonjour</p><p lang="de-AT">HALLO</p>'),
        ('Das Wort <i lang="fr">bonjour toi</i> hier', 'DAS WORT <i lang="fr">bonjour toi</i> HIER'),
        ('<div lang="en">Hello <q lang="de">Hallo</q></div>', '<div lang="en">Hello <q lang="de">HALLO</q></div>'),
        ('<html lang="en"><body lang="en"><p>Hallo</p>', '<html lang="en"><body lang="en"><p>HALLO</p>'),
        ('<p lang="fr" translate="yes">Hallo</p>', '<p lang="fr" translate="yes">HALLO</p>'),
        ('<p lang="">Hallo</p><p lang="und">Hallo</p>', '<p lang="">HALLO</p><p lang="und">HALLO</p>'),
        ('<p lang="fr">a <code lang="de">Hallo</code> b</p>', '<p lang="fr">a <code lang="de">Hallo</code> b</p>'),
        ('<p xml:lang="la">Ave</p>', '<p xml:lang="la">Ave</p>'),
        ("<p>Bis <span lang=EN-US>bald</span></p>", "<p>BIS <span lang=EN-US>BALD</span></p>"),
    ],
)
def test_what_is_in_another_language_stays(source: str, expected: str) -> None:
    assert shout(source, replace(HTML, language="de")) == expected
    assert shout(source).count("HALLO") == source.count("Hallo") - source.count("<code")
