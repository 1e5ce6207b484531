"""Identifiers, file names, paths and code are protected; words with the same signs aren't."""

import pytest

from tests.support.notation import spans

UUID = "123e4567-e89b-12d3-a456-426614174000"
MD5 = "d41d8cd98f00b204e9800998ecf8427e"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"Das Gerät {UUID}, bitte.", [UUID]),
        ("Use the grep option -v", ["-v"]),
        ("The tar file -x is broken. Call curl again -s", ["-x", "-s"]),
        ("Start docker then -d. With docker containers -d.", ["-d", "-d"]),
        ("Starten Sie docker anschließend -d.", ["-d"]),
        ("Ping 2001:db8::ff00:42:8329, ::1 und fe80::1/64.", ["2001:db8::ff00:42:8329", "::1", "fe80::1/64"]),
        ("An 2001:db8:0:0:0:ff00:42:8329 (00:1A:2B:3C:4D:5E)", ["2001:db8:0:0:0:ff00:42:8329", "00:1A:2B:3C:4D:5E"]),
        ("BIC COBADEFFXXX oder SWIFT-Code: DEUTDEFF", ["COBADEFFXXX", "DEUTDEFF"]),
        ("IBAN: DE89 3704 0044 0532 0130 00, COBADEFFXXX; ABTEILUNG, KONTAKTE", ["COBADEFFXXX"]),
        (f"Commit 3f2a9bc und {MD5}, 0x1F.", ["3f2a9bc", MD5, "0x1F"]),
        ("file.txt, foo-bar_baz.py; Bericht.docx.", ["file.txt", "foo-bar_baz.py", "Bericht.docx"]),
        (
            "(image.jpeg) archive.tar.gz? FOTO.JPG, Straße.pdf",
            ["image.jpeg", "archive.tar.gz", "FOTO.JPG", "Straße.pdf"],
        ),
        ("In app/text/main.py: config.yaml-Datei", ["app/text/main.py", "config.yaml"]),
        ("Go to /path/to/page, ~/Dokumente/a.", ["/path/to/page", "~/Dokumente/a"]),
        ("(/home/Müller/x) ./run.sh oder ../a/b/, /etc.", ["/home/Müller/x", "./run.sh", "../a/b/", "/etc"]),
        ("In C:\\Program Files\\App und D:\\x.", ["C:\\Program Files\\App", "D:\\x"]),
        ("Auf \\\\server\\share\\x, bitte.", ["\\\\server\\share\\x"]),
        ("Rufe getUser(id, 1), foo() und os.path(x) auf.", ["getUser(id, 1)", "foo()", "os.path(x)"]),
        ("Erst Klasse::methode(), dann std::move.", ["Klasse::methode()", "std::move"]),
        ("Erst größe(), dann Bäume::fällen() und menü.größe.maß.", ["größe()", "Bäume::fällen()", "menü.größe.maß"]),
        ("Mit org.freedesktop.UPower-Dienst", ["org.freedesktop.UPower"]),
        ("The key some.dotted.key is missing: app.user-name.x_1.", ["some.dotted.key", "app.user-name.x_1"]),
        ("In eu-west-1 (job deploy-prod-eu-west-2, db-0-01).", ["eu-west-1", "deploy-prod-eu-west-2", "db-0-01"]),
        ("Pod nginx-7d9f8b6c5-abcde, auth-service-v2", ["nginx-7d9f8b6c5-abcde", "auth-service-v2"]),
        ("A/B testing of I/O, AC/DC", ["A/B", "I/O"]),
        ("Run `git commit -m fix`, then `make`; see ``x y``.", ["`git commit -m fix`", "`make`", "``x y``"]),
    ],
)
def test_code(text: str, kept: list[str]) -> None:
    assert spans(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "Er und/oder sie, km/h, 24/7, his/her, 1/2, and/or, / , und /oder er /sie/es, 5 €/m².",
        "Z.B. d.h. i.d.R. u.s.w. usw.und so weiter. Das war es.Das auch. etc...pp",
        "Bürger(innen), Kind(er), iPhone(s), LibreOffice(TM), Meier(CDU), Satz (siehe unten), SounD(/)",
        "Um 12:30:45 Uhr, 2000000, ABCDEFG, fassade, 1980er, Affe1",
        "Node.js, Vue.js und node.js. Das Wort.Und noch eins.",
        "Auf C: oder D:, nach A\\B; Teil: das",
        "Er kam.bat darum. Nach Hause.Dann(oder später). WhatsApp(Chat), GmbH(haftung), inkl.MwSt(19%)",
        "A best-of-3 in mid-19th-century style, a top-10-list, 4-to-6-week, state-of-the-art, covid-19-related",
        "A one-in-100 chance, zero-to-100, end-of-2023, early-to-mid-2020, post-covid-19, face-to-face-2, Y/N, D/A/CH",
        "Das `beste Buch der Welt` hier",
        "Das war`n Witz, geht`s noch? ` x ` und ``Nein''",
        "BITTE IBAN UND BIC EINGEBEN. BIC (REQUIRED), SWIFT/BIC: OPTIONAL",
    ],
)
def test_prose_is_left_alone(text: str) -> None:
    assert spans(text) == []
