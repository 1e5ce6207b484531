"""Syntax of template languages and message catalogs comes back as it was."""

import pytest

from app.text.protection.defaults import untranslatable
from app.text.protection.protected import protect
from app.text.sentences import spans as spans_of
from tests.support.notation import ALL_KNOWN, spans


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Hello <%= user.name %> and <%- x %>.", ["<%= user.name %>", "<%- x %>"]),
        ("Hello <?php echo $x ?> and <?= $y ?>.", ["<?php echo $x ?>", "<?= $y ?>"]),
        ("The ${count + 1} or ${f({a: {b: 1}})} of #{user + 1}", ["${count + 1}", "${f({a: {b: 1}})}", "#{user + 1}"]),
        ("Hi {{ x | default({}) }} and {{{html}}}!", ["{{ x | default({}) }}", "{{{html}}}"]),
        ("*|FNAME|*, [[name]], %%name%%, @@name@@", ["*|FNAME|*", "[[name]]", "%%name%%", "@@name@@"]),
        ("Open %APPDATA%\\foo and %name%.", ["%APPDATA%\\foo", "%name%"]),
        ("Set $name, $HOME/bin. Or $_GET['id'] ($a_b)", ["$name", "$HOME/bin", "$_GET['id']", "$a_b"]),
        ("The file :name has :count messages (:id)", [":name", ":count", ":id"]),
        (":attribute fehlt :smile:", [":attribute", ":smile:"]),
        ("Am {day, date, short} um {now,time}", ["{day, date, short}", "{now,time}"]),
    ],
)
def test_variables(text: str, kept: list[str]) -> None:
    assert spans(text) == kept


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{% include foo.html %}", ""),
        ("Hello {# a note #}there", "Hello there"),
        ("Click <1>here</1> to continue.", "Click here to continue."),
        ("<0>Click here</0> to <1>sign up</1>.<2/>", "Click here to sign up."),
        ("\x1b[31mError\x1b[0m: disk \x1b[1;32mfull\x1b[m", "Error: disk full"),
    ],
)
def test_tags_are_no_words(text: str, shown: str) -> None:
    protected = protect(text, untranslatable(text, ALL_KNOWN))
    assert (protected.text, list(protected.spans), protected.source) == (shown, [], text)
    assert protected.restore(protected.text).text == text


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("{% if user %}Hello there{% endif %}", ["Hello there"]),
        ("<% if (x) { %>Hello there<% } %>", ["Hello there"]),
        ("<?php if ($x): ?>Hello there<?php endif ?>", ["Hello there"]),
        ("{% if n == 1 %}one file{% else %}{{ n }} files{% endif %} here", ["one file", "\ue000 files", "here"]),
        ("{% blocktrans count n=n %}one{% plural %}{{ n }} files{% endblocktrans %}", ["one", "\ue000 files"]),
        ("Hello {{#if user}}there{{else}}nobody{{/if}}!", ["Hello", "there", "nobody"]),
        ("{{#items}}A thing{{/items}}{{^items}}Nothing{{/items}}", ["A thing", "Nothing"]),
        ("<#if user??>Hello there<#else>Hello nobody</#if>", ["Hello there", "Hello nobody"]),
        ("{b}Hello{/b} there", ["Hello there"]),
    ],
)
def test_control_tags_part_texts(text: str, texts: list[str]) -> None:
    protected = protect(text, untranslatable(text, ALL_KNOWN), ("\ue000",))
    assert [protected.text[begin:end] for begin, end in spans_of(protected.text, language="en")] == texts
    assert protected.source == protected.restore(protected.text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "Das kostet 5$ oder $5, US$ 3, $CAN 5, in $bn, A$AP, Ke$ha.",
        "Um 12:30 Uhr, 3:2, 3:2 :xd Achtung :das ist neu; er sagte :Ja",
        "All figures in $millions, in $thousands. Er sagte :bitte komm morgen, :freue mich, Kolleg :innen",
        "100 % davon, 10%-20%, 50 %ige, {siehe unten}, {a, b}, { }, ${",
        "1 <2 und <3> sind <y und z> dort, a < b > c",
        "[[nicht so]] [1] @@ [siehe [dort]] a*|b {# Wort",
    ],
)
def test_prose_is_left_alone(text: str) -> None:
    assert spans(text) == []
