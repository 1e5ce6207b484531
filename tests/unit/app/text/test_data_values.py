"""Values that programs read are told from texts by how they are written, and by their names."""

import pytest

from app.text.data_values import is_data


def test_many_lengths_are_read_in_one_go() -> None:
    assert is_data("1px 2em 0")
    assert not is_data("1px" + " 1" * 120 + "!")  # a search that goes back and forth would never end


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("arrow-left", "icon"),
        ("btn btn-primary", "className"),
        ("md:flex hover:bg-blue-500", "className"),
        ("row g-3 align-items-center", "class"),
        ("fa fa-home", "icon"),
        ("btn btn-primary", "cls"),
        ("header", "cls"),
        ("btn btn-primary", "style_of_button"),
        ("mb-2 nav nav-tabs", "x"),
        ("card shadow-sm", "tabClass"),
        ("hover:underline flex", "link-css"),
        ("getting-started", "slug"),
        ("home", "id"),
        ("submit", "type"),
        ("monthly", "changefreq"),
        ("no", "itunes:explicit"),
        ("Titel", "key"),
        (".btn > a:hover", "selector"),
        ("left", "alignment"),
        ("userName", ""),
        ("home/settings", ""),
        ("btn-save", ""),
        ("USER_NAME", ""),
        ("en_US", ""),
        ("de-DE", ""),
        ("app.settings.title", ""),
        ("onClick", ""),
        ("CFBundleName", ""),
        ("--dry-run", ""),
        ("@scope/pkg", ""),
        ("#fff", ""),
        ("rgba(0, 0, 0, 0.5)", ""),
        ("12px 4px 0", ""),
        ("1.2", ""),
        ("v1.2.3-beta.1", ""),
        ("^18.2.0", ""),
        ("0 0 * * *", ""),
        ("2024-01-03T10:00:00Z", ""),
        ("PT15M", ""),
        ("Sun, 19 Jul 2015 10:18:45 +0000", ""),
        ("06 Jan 2025 08:00 GMT", ""),
        ("https://example.org/c?d", ""),
        ("mailto:a@example.org", ""),
        ("a@example.org", ""),
        ("text/html; charset=utf-8", ""),
        ("System.Windows.Forms, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089", ""),
        ("3f2504e0-4f89-11d3-9a0c-0305e82c3301", ""),
        ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", ""),
        ("iVBORw0KGgo" * 30, ""),
        ("images/Logo.png", ""),
        ("./src/index.js", ""),
        ("/usr/bin", ""),
        ("C:\\Users\\x", ""),
        ("Bild.PNG", ""),
    ],
)
def test_values_for_programs(value: str, name: str) -> None:
    assert is_data(value, name)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("Save", "label"),
        ("Symbol", "icon"),
        ("Class of 2024", "class"),
        ("first class", "travelClass"),
        ("Erste Klasse", "tabClass"),
        ("economy", "travelClass"),
        ("Rad Rad-Reparatur", ""),
        ("von haus zu haus", ""),
        ("e-mail lesen", "text"),
        ("schritt für schritt-anleitung", ""),
        ("Wählen Sie einen Typ", "type"),
        ("save", "title"),
        ("settings", ""),
        ("Save the file", ""),
        ("E-Mail", ""),
        ("Check-in", ""),
        ("Ja/Nein", ""),
        ("OK", ""),
        ("Hallo!", ""),
        ("Fertig.", ""),
        ("Name:", ""),
        ("Über uns", ""),
        ("10 Tage", ""),
        ("5 km", ""),
        ("Dr.", ""),
        ("長い文章です。" * 50, ""),
        ("", "id"),
    ],
)
def test_texts(value: str, name: str) -> None:
    assert not is_data(value, name)
