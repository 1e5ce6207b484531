"""Apple's String Catalogs: what is added, in which layout and state, and what is no catalog."""

import json

import pytest

from app.documents.marks import Mark
from app.documents.registry import find_format
from app.errors import DamagedDocument, UnsupportedDocument
from tests.support.documents import translate

CATALOG = """{
  "sourceLanguage" : "de",
  "strings" : {
    "" : {

    },
    "%lld" : {

    },
    "com.example.app" : {

    },
    "Der Hund" : {

    },
    "done" : {
      "localizations" : {
        "de" : {
          "stringUnit" : {
            "state" : "translated",
            "value" : "Fertig"
          }
        },
        "en" : {
          "stringUnit" : {
            "state" : "translated",
            "value" : "Ready"
          }
        }
      }
    },
    "files" : {
      "comment" : "Wie viele",
      "extractionState" : "manual",
      "localizations" : {
        "de" : {
          "variations" : {
            "plural" : {
              "one" : {
                "stringUnit" : {
                  "state" : "translated",
                  "value" : "eine Datei"
                }
              },
              "other" : {
                "variations" : {
                  "device" : {
                    "mac" : {
                      "stringUnit" : {
                        "state" : "translated",
                        "value" : "Dateien am \\"Mac\\""
                      }
                    },
                    "other" : {
                      "stringUnit" : {
                        "state" : "translated",
                        "value" : "Dateien"
                      }
                    }
                  }
                }
              }
            }
          }
        },
        "en" : {
          "stringUnit" : {
            "state" : "new",
            "value" : ""
          }
        },
        "fr" : {
          "stringUnit" : {
            "state" : "needs_review",
            "value" : "fichiers"
          }
        }
      }
    },
    "name" : {
      "localizations" : {
        "fr" : {
          "stringUnit" : {
            "state" : "translated",
            "value" : "nom"
          }
        }
      }
    },
    "Pro" : {
      "shouldTranslate" : false
    }
  },
  "version" : "1.0"
}"""


def unit(indent: int, value: str) -> str:
    lines = ["{", '  "stringUnit" : {', '    "state" : "needs_review",', f'    "value" : "{value}"', "  }", "}"]
    return f"\n{' ' * indent}".join(lines)


MAC = 'DATEIEN AM \\"MAC\\"'
CATALOG_IN_ENGLISH = (
    CATALOG.replace(
        """"Der Hund" : {

    }""",
        f""""Der Hund" : {{
      "localizations" : {{
        "en" : {unit(8, "DER HUND")}
      }}
    }}""",
    )
    .replace(
        """"en" : {
          "stringUnit" : {
            "state" : "new",
            "value" : ""
          }
        }""",
        f""""en" : {{
          "variations" : {{
            "plural" : {{
              "one" : {unit(14, "EINE DATEI")},
              "other" : {{
                "variations" : {{
                  "device" : {{
                    "mac" : {unit(20, MAC)},
                    "other" : {unit(20, "DATEIEN")}
                  }}
                }}
              }}
            }}
          }}
        }}""",
    )
    .replace(
        """"localizations" : {
        "fr" : {
          "stringUnit" : {
            "state" : "translated",""",
        f""""localizations" : {{
        "en" : {unit(8, "NAME")},
        "fr" : {{
          "stringUnit" : {{
            "state" : "translated",""",
    )
)


def test_a_catalog_gets_translations_in_xcodes_layout_and_nothing_else():
    found = translate(CATALOG.encode(), "Localizable.xcstrings").decode()
    assert found == CATALOG_IN_ENGLISH


@pytest.mark.parametrize("layout", [{"separators": (",", ":")}, {"indent": 4}, {"indent": "\t"}])
def test_another_layout_stays_as_well(layout):
    catalog = json.dumps(json.loads(CATALOG), ensure_ascii=False, **layout)
    found = translate(catalog.encode(), "a.xcstrings").decode()
    assert json.loads(found) == json.loads(CATALOG_IN_ENGLISH)
    assert found == json.dumps(json.loads(found), ensure_ascii=False, **layout)


def test_the_state_says_which_texts_somebody_should_look_at():
    catalog = b'{"sourceLanguage": "de", "strings": {"Hund": {}, "Katze": {}}}'
    document = find_format("a.xcstrings").reader()(catalog)
    marks = [Mark(), Mark(reasons=("confidence 0.20",))]
    strings = json.loads(document.write(["dog", "cat"], "en-GB", marks))["strings"]
    assert [strings[key]["localizations"]["en-GB"]["stringUnit"]["state"] for key in ("Hund", "Katze")] == [
        "translated",
        "needs_review",
    ]


def test_plural_forms_of_the_target_alone_are_made_of_other():
    forms = {"one": "%d Hund", "other": "%d Hunde"}
    plural = {name: {"stringUnit": {"state": "translated", "value": value}} for name, value in forms.items()}
    entry = {"localizations": {"de": {"variations": {"plural": plural}}}}
    catalog = json.dumps({"sourceLanguage": "de", "strings": {"dogs": entry}}).encode()
    document = find_format("a.xcstrings").reader()(catalog)
    assert document.texts == ("%d Hund", "%d Hunde")
    written = json.loads(document.write(["%d pies", "%d psów"], "pl"))
    found = written["strings"]["dogs"]["localizations"]["pl"]["variations"]["plural"]
    assert {name: unit["stringUnit"]["value"] for name, unit in found.items()} == {
        "one": "%d pies",
        "few": "%d psów",
        "many": "%d psów",
        "other": "%d psów",
    }


def test_a_catalog_is_not_translated_into_its_own_language():
    read = find_format("a.xcstrings").reader(target="pt-BR")
    with pytest.raises(UnsupportedDocument, match="sourceLanguage is pt-BR"):
        read(b'{"sourceLanguage": "pt_BR", "strings": {"Sim": {}}}')


def catalog_of(german: object, english: object) -> str:
    strings = {"key": {"localizations": {"de": german, "en": english}}}
    return json.dumps({"sourceLanguage": "de", "strings": strings}, ensure_ascii=False, indent=2)


def written(value: str, state: str = "translated") -> dict[str, dict[str, str]]:
    return {"stringUnit": {"state": state, "value": value}}


@pytest.mark.parametrize("state", ["translated", "needs_review", "stale", "final"])
def test_a_text_with_a_translation_is_not_translated_whatever_its_state(state):
    catalog = catalog_of(written("Hund"), written("hound", state))
    document = find_format("a.xcstrings").reader(target="en")(catalog.encode())
    assert document.texts == ()
    assert document.write([], "en").decode() == catalog
    assert find_format("a.xcstrings").reader(target="fr")(catalog.encode()).texts == ("Hund",)


def test_only_forms_without_a_translation_get_one():
    german = {"variations": {"plural": {"one": written("ein Hund"), "other": written("viele Hunde")}}}
    german["substitutions"] = {"cats": {"argNum": 1, "variations": {"plural": {"other": written("%arg Katzen")}}}}
    english = {"variations": {"plural": {"zero": written("", "new"), "one": written("a hound"), "other": written("")}}}
    english["substitutions"] = {"cats": {"argNum": 1, "variations": {"plural": {"other": written("cats", "new")}}}}
    catalog = catalog_of(german, english)
    document = find_format("a.xcstrings").reader(target="en")(catalog.encode())
    assert document.texts == ("viele Hunde", "viele Hunde", "%arg Katzen")
    marks = [Mark(), Mark(reasons=("confidence 0.20",)), Mark()]
    found = document.write(["no dogs", "many dogs", "%arg cats"], "en", marks).decode()
    english["variations"]["plural"] |= {"zero": written("no dogs"), "other": written("many dogs", "needs_review")}
    english["substitutions"]["cats"]["variations"]["plural"]["other"] = written("%arg cats")
    assert found == catalog_of(german, english)


def test_a_translation_in_other_forms_than_the_source_stays_as_it_is():
    english = {"variations": {"device": {"mac": written("dog"), "other": written("", "new")}}}
    catalog = catalog_of(written("Hund"), english)
    document = find_format("a.xcstrings").reader(target="en")(catalog.encode())
    assert document.texts == ("Hund",)
    english["variations"]["device"]["other"] = written("dog", "needs_review")
    assert document.write(["dog"], "en").decode() == catalog_of(written("Hund"), english)
    german = {"variations": {"plural": {"one": written("Hund"), "other": written("Hunde")}}}
    unlike = catalog_of(german, {**written("", "new"), "substitutions": {"a": written("dog")}})
    document = find_format("a.xcstrings").reader(target="en")(unlike.encode())
    assert document.texts == () and document.write([], "en").decode() == unlike


@pytest.mark.parametrize(
    "catalog",
    [
        "[]",
        "{}",
        '{"sourceLanguage": "de", "strings": []}',
        '{"sourceLanguage": "de", "strings": {"a": 1}}',
        '{"sourceLanguage": "de", "strings": {"a": {"localizations": {"de": []}}}}',
        '{"sourceLanguage": "de", "strings": {"a": {"localizations": {"de": {"stringUnit": {}}}}}}',
        '{"sourceLanguage": "de", "strings": {"a": {"localizations": {"de": {"stringUnit": {"value": "\\ud800"}}}}}}',
        '{"sourceLanguage": "de", "strings": {"\\u0000": {}}}',
        '{"sourceLanguage": "de", "strings": {"a": {"localizations": {"de": {"b": "\\ud800"}}}}}',
        '{"sourceLanguage": "de", "strings": {"a": {"localizations": {"de": '
        + '{"variations": {"a": {"b": ' * 20
        + "{}"
        + "}}}" * 20
        + "}}}}",
    ],
)
def test_what_is_no_catalog_is_refused(catalog):
    with pytest.raises(DamagedDocument):
        find_format("a.xcstrings").reader()(catalog.encode())


@pytest.mark.parametrize("is_source", [False, True])
def test_a_form_without_a_value_is_refused_behind_one_that_has_one(is_source):
    whole = {**written("Hund"), "substitutions": {"a": written("", "new")}}
    damaged = {**written("Hund"), "substitutions": {"a": {"stringUnit": {"state": "new"}}}}
    catalog = catalog_of(damaged, whole) if is_source else catalog_of(whole, damaged)
    with pytest.raises(DamagedDocument, match="no value"):
        find_format("a.xcstrings").reader(target="en")(catalog.encode())


def test_of_repeated_keys_the_last_counts_as_for_every_reader():
    catalog = '{"sourceLanguage": "de", "strings": {"Hund": {"a": 1}, "Katze": {}, "Hund": {}}}'
    document = find_format("a.xcstrings").reader()(catalog.encode())
    written = document.write(["dog", "cat"], "en").decode()
    assert written.startswith('{"sourceLanguage": "de", "strings": {"Hund": {"a": 1}, "Katze": {"localizations"')
    assert json.loads(written)["strings"]["Hund"]["localizations"]["en"]["stringUnit"]["value"] == "dog"
