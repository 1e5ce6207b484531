"""Texts with notation, as users sent them to translation servers: the shipped model translates the words around it.

Each expression says where the notation and the words of the translation stand, and which words of the source must not
stay; what is there instead is the model's, which may choose other words on another processor.
"""

import re
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.support.bundles import SHIPPED
from tests.support.fakes import DETECTOR

# W: words of a translation, with their punctuation and without notation.
W = r"[^\W\d_](?:[^\n%\\\[\]{}<>&§$_]*[^\s%\\\[\]{}<>&§$_])?"
PRINTF = {
    "en de Download finished: %d%% of %s": rf"{W} %d%%(?: {W})? %s",
    "de en 100%% fertig": rf"100%% {W}",
    "en de %s%% of %s": rf"%s%%(?: {W})? %s",
    "en de %05.2f percent": r"%05\.2f (?!percent)\w+",
    "en de %-5.1f%% done": rf"%-5\.1f%% {W}",
    "en de %lld photos": r"%lld (?!photos)\w+",
    "en de %+d degrees": r"%\+d (?!degrees)\w+",
    "en de Saved %% in total": rf"(?:{W} )?%%(?: {W})?",
    "en de %1$,d users": r"%1\$,d (?!users)\w+",
    "en de %(count)s of %(total)s done": rf"%\(count\)s {W} %\(total\)s (?!done)\w+",
    "en de Last updated %s ago": rf"(?!Last){W} vor %s.*",
}
ESCAPES = {
    r"en de Don\'t panic, it\'s easy.": r"(?:[^'\\]|\\')+",
    r"en de Don\'t worry, we\'ll keep \"%1$s\" for you.\nTap here to continue.": (
        r"[^\\]+ (?:\\\"|„)%1\$s(?:\\\"|“)[^\\]+\\n(?!Tap)[^\\]+"
    ),
    r"en de Line one\nLine two": rf"{W}\\n{W}",
    r"en de Don\'t forget %1$s!": r"(?=.*\b(?:nicht|kein))(?!.*Don)[^\\]*%1\$s.*!",
    r"en de I waited for him.\NHe didn't come.": rf"{W}\\N(?!He ){W}",
    r"de en Ich habe gewartet.\NEr kam nicht.": rf"{W}\\N(?!Er ){W}",
    r"xml:en de <string name='a'>Don\'t stop</string>": r"<string name='a'>(?:[^'\\]|\\')+</string>",
}
BRACKETS = {
    (
        'html:de en <p>[caption id="attachment_12" align="alignleft" width="300"]<img src="a.jpg" alt="Hund" /> '
        "Unser Hund im Garten[/caption]</p>"
    ): (
        r'<p>\[caption id="attachment_12" align="alignleft" width="300"\]<img src="a.jpg" alt="Hund" /> '
        r"(?!Unser )[^\[]*\[/caption\]</p>"
    ),
    'html:de en <p>[contact-form-7 id="123" title="Kontakt"]</p>': (
        r'<p>\[contact-form-7 id="123" title="Konta[ck]t"\]</p>'
    ),
    "de en [url=https://example.org]Mehr lesen[/url]": r"\[url=https://example\.org\](?!Mehr )[^\[]*\[/url\]",
    "de en [center][b]Willkommen im Forum[/b][/center]": r"\[center\]\[b\](?!Willk)[^\[]+\[/b\]\[/center\]",
    "de en [quote]Das ist gut.[/quote]": rf"\[quote\]{W}\[/quote\]",
    "de en [b]Wichtig:[/b] Bitte [url=https://example.org]hier klicken[/url] und [i]sofort[/i] antworten.": (
        rf"\[b\](?!Wichtig){W}\[/b\] {W} \[url=https://example\.org\](?!hier){W}\[/url\] {W} \[i\](?!sofort){W}\[/i\].*"
    ),
}
TAGS = {
    'en de Click <b>here</b> to <a href="https://example.org">read more</a> about it.': (
        rf'{W} <b>(?!here)[^<]+</b>.*<a href="https://example\.org">{W}</a>.*'
    ),
    'en de You can <a href="/a">find out</a> more about <i>us</i> here.': (
        rf'.*<a href="/a">{W}</a>.* <i>(?!us<)[^<]+</i> .*'
    ),
}
CALLS = {
    'en de They have {{girls}} girls and $t(boys, {"count": {{boys}} }) in class.': (
        rf'{W} {{{{girls}}}} {W} \$t\(boys, {{"count": {{{{boys}}}} }}\) {W}'
    ),
    'en de $t(girls, {"count": {{girls}} })': r'\$t\(girls, \{"count": \{\{girls\}\} \}\)',
    "en de { $count ->\n    [one] One file\n   *[other] { $count } files\n}": (
        rf"{{ \$count ->\n    \[one\] {W}\n   \*\[other\] {{ \$count }} {W}\n}}"
    ),
    "en de You have {n, plural, one {# file} other {# files}}.": (
        rf"(?!You ){W} \{{n, plural, one \{{# (?!file){W}\}} other \{{# (?!files){W}\}}\}}\."
    ),
}
MENUS = {
    "de en &Bearbeiten": r"\w*&\w+",
    "de en &Speichern unter...": r"&S\w+ .*\.\.\.",
    "de en Be&enden": r"\w*&\w+",
    "de en &Datei öffnen…": r"[^&]*&\w[^&]*…",
    "en de &File": r"&\w+",
    "en de &Save as...": r"[^&]*&[Ss]\w[^&]*\.\.\.",
}
PUBLICATIONS = {
    "en de DOI: 10.1038/s41586-020-2649-2": r"DOI: 10\.1038/s41586-020-2649-2",
    "en de See doi:10.29322/IJSRP.8.10.2018.p8233 for the article.": (
        rf"{W} doi:10\.29322/IJSRP\.8\.10\.2018\.p8233 {W}"
    ),
    "en de DOI: 10.29322/IJSRP.X.X.2018.pXXXX": r"DOI: 10\.29322/IJSRP\.X\.X\.2018\.pXXXX",
    "en de The part 10.5432/AB is new.": rf"{W} 10\.5432/AB {W}",
    "de en Bei 25 °C reagiert H₂SO₄ mit NaOH (pH ≈ 7,0; ΔH = −57,1 kJ/mol).": r"[^₂]*\bH₂SO₄ [^₂]*NaOH[^₂]*",
}
FACES = {
    "de en Tut mir leid :( ich komme später": rf"{W} :\( {W}",
    "de en Bis morgen 😊": rf"{W} 😊",
    "de en was für ein tag. und dabei ist noch nicht mal mittag >.<": r"[^<>]* >\.<",
    "de en Wir lachen 😂😂 bin grad unterwegs": rf"{W} 😂😂 {W}",
    "de en Jaaaaaa endlich Ferien!!!!! Sooooo schön!!!1": r".*!!!1",
}
MARKUP = {
    (
        'xml:de en Die Eingabe ist zu lang. Geben Sie höchstens <placeholder value="max"/> Zeichen ein.'
    ): rf'{W} <placeholder value="max"/> (?!.*Zeichen){W}',
    (
        'html:de en <p><span class="h-card" translate="no"><a href="/@anna">@<span>anna</span></a></span> Guten '
        'Morgen! Heute gibt es <a href="/Kaffee">#<span>Kaffee</span></a> und <a href="/kuchen">#<span>kuchen</span>'
        "</a> :blobcat: :verified:</p>"
    ): (
        r'<p><span class="h-card" translate="no"><a href="/@anna">@<span>anna</span></a></span> (?!Guten )\w+ .*'
        r'<a href="/kuchen">#<span>\w+</span></a>.* :blobcat: :verified:</p>'
    ),
    "html:de en <p>Das Zeichen <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> ist schön.</p>": (
        rf"<p>{W} <ruby>漢<rp>\(</rp><rt>kan</rt><rp>\)</rp></ruby> {W}</p>"
    ),
}
CODES = {
    "en de §aWelcome!§r Type §e/help§r for help.": r"§a\w+!§r \w[^§]* §e/\w+§r [^§]+",
    r"en de \C[2]Hero\C[0] found \V[3] coins!": r"[^\\]*\\C\[2\]\w+\\C\[0\] [^\\]*\\V\[3\] (?!coins)[^\\]*",
}
FAMILIES = {
    "printf": PRINTF,
    "escapes": ESCAPES,
    "brackets": BRACKETS,
    "tags": TAGS,
    "calls": CALLS,
    "menus": MENUS,
    "publications": PUBLICATIONS,
    "faces": FACES,
    "markup": MARKUP,
    "codes": CODES,
}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(Settings(bundle=SHIPPED), detector=DETECTOR)) as client:
        yield client


def translated(client: TestClient, case: str) -> str:
    languages, target, text = case.split(" ", 2)
    format_, _, source = languages.rpartition(":")
    if format_ == "xml":
        request = {"text": [text], "source_lang": source.upper(), "target_lang": target.upper(), "tag_handling": "xml"}
        answer = client.post("/v2/translate", json=request, headers={"Authorization": "DeepL-Auth-Key none"})
        return str(answer.raise_for_status().json()["translations"][0]["text"])
    request = {"q": text, "source": source, "target": target, "format": format_ or "text"}
    return str(client.post("/translate", json=request).raise_for_status().json()["translatedText"])


@pytest.mark.parametrize(
    ("case", "pattern"), [(case, pattern) for cases in FAMILIES.values() for case, pattern in cases.items()]
)
def test_notation_stays_and_words_are_translated(client: TestClient, case: str, pattern: str) -> None:
    translation = translated(client, case)
    assert re.fullmatch(pattern, translation, re.DOTALL), translation
