"""Blocks and spans of Markdown that CommonMark doesn't know: they stay, and what is around them is translated."""

import json
import re
import tomllib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.text.markup.extraction import MARKDOWN, extract


def shout(source: str, *, reverse: bool = False) -> str:
    """A translation in capitals, but for the names that stand in for something, perhaps with the words reversed."""
    document = extract(source, MARKDOWN)
    translations = []
    for text in document.texts:
        words = [word if word.strip(".,") in ("Tom", "Boston", "Paris") else word.upper() for word in text.split()]
        translations.append(" ".join(words[::-1] if reverse else words))
    return document.rebuild(translations).text


# In the sources, <...> marks what is translated; the rest has to come back byte for byte.
CASES = {
    "formula": "<Text>.\n\n$$\nx = 1\n$$\n\n<Mehr Text>.\n",
    "formula with commands": "<Und>:\n\n$$\n\\int_0^1 x\\,dx = \\frac{1}{2}\n$$\n",
    "formula in a paragraph": "<Es gilt>\n$$\na_i = b_i \\quad *c*\n$$\n<für alle>.",
    "formula in one line": "<Es gilt>\n\n$$ x = 1 $$ (eq1)\n\n<für alle>.",
    "formula in a list": "- <Punkt eins>\n\n  $$\n  x = 1\n  $$\n- <Punkt zwei>",
    "formula in a quotation": "> <Text>\n> $$\n> x = 1\n> $$\n> <Mehr>",
    "formula in brackets": "<Text>\n\\[\nx = 1\n\\]\n<Mehr>",
    "environment": "<Text>\n\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}\n<Mehr>",
    "unclosed formula": "$$ <ist kein Ende>",
    "commands": "<Text>\n\n\\newpage\n\n\\tableofcontents\n\n<Mehr>",
    "hugo": "{{% notice note %}}\n<Bitte lesen Sie die Hinweise>.\n{{% /notice %}}\n",
    "hugo with arguments": '{{< figure src="a b.png"\n    title="Ein Titel" >}}\n<Text>\n{{</* x */>}}\n<Mehr>',
    "hugo code": '{{< highlight go >}}\nfmt.Println("Hallo Welt")\n\nreturn\n{{< /highlight >}}\n<Text>',
    "jekyll": "{% note %}\n<Bitte lesen>.\n{% endnote %}\n",
    "jekyll code": "{% highlight ruby %}\nputs 'Hallo Welt'\n{% endhighlight %}\n<Text>",
    "jinja": "{% if x %}\n<Hallo Welt>\n{% else %}{# c #}\n<Zweiter Text>\n{% endif %}",
    "tags in a list": "- <Punkt>\n  {% note %}\n  <Hinweis>\n  {% endnote %}\n- <Punkt>",
    "definition": "<Begriff>\n: <Die Erklärung des Begriffs>.\n",
    "definitions": "<Begriff>\n: <Eins>.\n: <Zwei>.\n\n<Anderer>\n\n:   <Drei>\n\n    <Absatz zwei>\n",
    "definition of two terms": "<Begriff>\n<Anderer Begriff>\n: <Erklärung>\n",
    "attributes of a paragraph": "<Text mit Klasse>.{: .wichtig }\n",
    "attributes of a block": '<Text mit Klasse>.\n{: .wichtig #id key="Ein Wert"}\n\n<Mehr>',
    "attributes of a heading": "## <Titel> {#id .klasse}\n\n<Text> {.klasse}",
    "attributes of a list": "- <Punkt>\n{: .liste}\n\n<Text>",
    "table of contents": "[TOC]\n\n* <Inhalt>\n{:toc}\n\n[[_TOC_]]\n\n<Text>",
    "import and export": "import Tabs from '@theme/Tabs';\n\nexport const title = 'Hello';\n\n"
    "<Some text>. {/* a comment */}\n",
    "export of several lines": "export const a = {\n  b: 'Hallo',\n\n  c: 1,\n};\n\n<Text>",
    "comment in a block": "{/* ein Kommentar\n\nin zwei Absätzen */}\n\n<Text>",
    "prose": "<import all data from here>.\n\n<export default settings to a file>.",
    "footnote": "<Text>[^1].\n\n[^1]: <Erste Zeile>.\n\n    <Zweiter Absatz>.\n\n    ```\n    code\n    ```\n",
    "admonition": '!!! note "<Titel>"\n\n    <Text hier>.\n\n    - <Punkt>\n\n<Ende>',
    "tabs": '=== "<Tab>"\n\n    <Inhalt>\n\n=== "<Zwei>"\n\n    <Mehr>\n',
    "details": '??? tip "<Titel>"\n\n    <Text>\n',
    "alert": "> [!NOTE]\n> <Das ist wichtig>.\n",
    "callout": "> [!tip]- <Titel>\n> <Text>",
    "tasks": "- [ ] <Offen>\n- [x] <Fertig>\n",
    "line block": "| <Zeile eins>\n| <Zeile zwei>\n",
    "abbreviation": "*[HTML]: <Hyper Text>\n",
    "template in a definition": "<Siehe> [1].\n\n[1]: {{ site.url }}/docs\n",
    "included file": '--8<-- "a.md"\n\n<<< @/a.js\n\n(ziel)=\n# <Titel>',
    "id of a block": "<Ein Absatz> ^abc123\n",
    "numbers of issues": "<Siehe> #<tag> <und> @tom.\n",
    "grid table": "<Text>\n\n+-----+---+\n| ein | b |\n+=====+===+\n| c   | d |\n+-----+---+\n\n<Mehr>",
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_blocks_stay_and_their_texts_are_translated(case: str, line_end: str) -> None:
    case = case.replace("\n", line_end)
    marked = r"(?<!\{)<([^<>{}]+)>(?!\})"
    source = re.sub(marked, r"\1", case)
    assert shout(source) == re.sub(marked, lambda match: match[1].upper(), case)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Das ist ~~falsch~~, ==wichtig==, H~2~O und x^2^.", "DAS IST ~~FALSCH~~, ==WICHTIG==, H~2~O UND x^2^."),
        ("Das ist ~weg~ und ++neu++ da.", "DAS IST ~WEG~ UND ++NEU++ DA."),
        ("Etwa ~5 km und C++ oder a == b.", "ETWA ~5 KM UND C++ ODER A == B."),
        ("Siehe $x_1*y*z$ und $\\alpha\\,b$ hier.", "SIEHE $x_1*y*z$ UND $\\alpha\\,b$ HIER."),
        ("Siehe $$ x = 1 $$ hier und \\\\(a_b\\\\) dort.", "SIEHE $$ x = 1 $$ HIER UND \\\\(a_b\\\\) DORT."),
        ("Es kostet $5 oder $10 heute.", "ES KOSTET $5 ODER $10 HEUTE."),
        (
            'Ein [Link](u){:target="_blank"} und *schräg*{: .c} hier.',
            'EIN [LINK](u){:target="_blank"} UND *SCHRÄG*{: .c} HIER.',
        ),
        ("Ein ![Bild](a.png){width=50%} und `code`{.js} hier.", "EIN ![Bild](a.png){width=50%} UND `code`{.js} HIER."),
        ('Siehe [Seite]({{< ref "a_b c_d.md" >}}) und mehr.', 'SIEHE [SEITE]({{< ref "a_b c_d.md" >}}) UND MEHR.'),
        ("Siehe [Seite]({% link _posts/a_b.md %}) und mehr.", "SIEHE [SEITE]({% link _posts/a_b.md %}) UND MEHR."),
        ("Siehe {ref}`ein-ziel` und mehr.", "SIEHE {ref}`ein-ziel` UND MEHR."),
        ("import X from 'x'\n\nHallo {props.name + 1} da.", "import X from 'x'\n\nHALLO {props.name + 1} DA."),
        ("Sehr gut :+1: und :smile: hier.", "SEHR GUT :+1: UND :smile: HIER."),
        ("Drücken Sie ++ctrl+alt+del++ hier.", "DRÜCKEN SIE ++ctrl+alt+del++ HIER."),
        ("Wie @smith2020 zeigt [siehe @jones2019, S. 5].", "WIE @smith2020 ZEIGT [SIEHE @jones2019, S. 5]."),
        ("Text (siehe {oben und unten}) hier.", "TEXT (SIEHE {OBEN UND UNTEN}) HIER."),
    ],
)
def test_spans_stay_in_their_sentence(source: str, expected: str) -> None:
    assert shout(source) == expected


@pytest.mark.parametrize("mark", ["[^1]", "^1^", "{.c}"])
def test_a_mark_stays_behind_its_word(mark: str) -> None:
    document = extract(f"Der große Hund{mark} läuft.", MARKDOWN)
    [text] = document.texts
    places = [(text.index(word), text.index(word) + len(word)) for word in ("große", "Hund", "läuft")]
    links = [(*place, *other) for place, other in zip(places, [(0, 3), (4, 7), (8, 12)], strict=True)]
    assert document.rebuild(["Big dog runs."], [links]).text == f"Big dog{mark} runs."


FRONT = """---
title: "Mein Titel"
description: Eine Erklärung
  auf zwei Zeilen
tags: [ein, zwei]
author: Ein Mensch
summary: >
  Erster Absatz
  geht weiter.

  Zweiter Absatz.
excerpt: |
  Zeile eins
  Zeile zwei
subtitle: 'Ich''s'
linkTitle: Kurz # ein Kommentar
date: 2024-05-01
nested:
  title: Bleibt
---

Text
"""


def test_the_title_and_description_of_front_matter_are_translated() -> None:
    before, after = (yaml.safe_load(text.split("---")[1]) for text in (FRONT, shout(FRONT)))
    for name in ("title", "description", "summary", "excerpt", "subtitle"):
        assert after.pop(name).split() == before.pop(name).upper().split()
    assert after == before
    assert shout(FRONT).endswith("---\n\nTEXT\n")


def test_toml_front_matter() -> None:
    source = '+++\ntitle = \'Mein Titel\'\ndescription = "Ein \\"Text\\"" # c\ndraft = true\n'
    source += "[menu]\ntitle = 'Bleibt'\n+++\nText\n"
    before, after = (tomllib.loads(text.split("+++")[1]) for text in (source, shout(source)))
    assert (after.pop("title"), after.pop("description")) == ("MEIN TITEL", 'EIN "TEXT"')
    del before["title"], before["description"]
    assert after == before


VALUE = st.text(st.sampled_from("aB ä:#'\"-[]{}&*!|>%@`,?=~1.\\"), min_size=1, max_size=20)


def quoted(value: str, style: str) -> str:
    return json.dumps(value, ensure_ascii=False) if style == '"' else "'" + value.replace("'", "''") + "'"


@given(VALUE, VALUE.map(lambda text: "x" + text), st.sampled_from(['"', "'", ""]))
def test_any_translation_of_a_title_is_that_string(value: str, translation: str, style: str) -> None:
    translation = " ".join(translation.split())
    written = quoted("Titel" + value, style) if style else "Titel"
    document = extract(f"---\ntitle: {written}\nother: 1\n---\nText\n", MARKDOWN)
    if len(document.texts) < 2 or "Tom" in document.texts[0]:
        return  # a value for programs, or one with a stand-in
    rebuilt = document.rebuild([translation, "Text"]).text
    assert yaml.safe_load(rebuilt.split("---\n")[1]) == {"title": translation, "other": 1}


@pytest.mark.parametrize(
    "value", ["yes", "null", "12", "1e3", "2024-01-01", "- x", "a: b", "a #b", "# a", "@x", "", "~", "x:"]
)
def test_a_plain_title_is_quoted_where_it_would_be_no_string(value: str) -> None:
    document = extract("---\ntitle: Der Titel\n---\nText\n", MARKDOWN)
    rebuilt = document.rebuild([value, "Text"]).text
    assert yaml.safe_load(rebuilt.split("---\n")[1])["title"] == value


LINES = st.sampled_from(
    [
        *r"""Ein Text|$$|$$ x|\[|\]|{{< a|>}}|{% b %}|{% raw %}|: Text|~ Text|[^1]: Text|    Text|!!! note
import a from 'b'
export {|}|{: .a}|+---+|\begin{a}|- Punkt|> Text||[toc]|==a==|H~2~O|---|```|<div>|[a]({{ b }})|{/* c|*/}|1. Eins
# Titel {#a}|x^2^ ~~b~~ $c_d$|\newpage|{{ a }}|{::comment}|`a`{.b}|![a](b){#c}|*a*{: .b}""".replace("\n", "|").split(
            "|"
        ),
        "| a",
        "| a | b |",
        "|---|---|",
    ]
)


@given(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n"]))
def test_any_mix_of_blocks_comes_back(lines: list[str], line_end: str) -> None:
    source = line_end.join(lines)
    document = extract(source, MARKDOWN)
    assert document.rebuild(document.texts).text == source
    parts = (part for pair in zip(document.skeleton, [*document.runs, ""], strict=True) for part in pair)
    assert "".join(parts) == source
    shout(source, reverse=True)
