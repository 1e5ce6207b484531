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
    document = find_format("a.xcstrings").reader()(b'{"sourceLanguage": "pt_BR", "strings": {"Sim": {}}}')
    with pytest.raises(UnsupportedDocument, match="sourceLanguage is pt-BR"):
        document.write(["yes"], "pt-BR")


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


def test_of_repeated_keys_the_last_counts_as_for_every_reader():
    catalog = '{"sourceLanguage": "de", "strings": {"Hund": {"a": 1}, "Katze": {}, "Hund": {}}}'
    document = find_format("a.xcstrings").reader()(catalog.encode())
    written = document.write(["dog", "cat"], "en").decode()
    assert written.startswith('{"sourceLanguage": "de", "strings": {"Hund": {"a": 1}, "Katze": {"localizations"')
    assert json.loads(written)["strings"]["Hund"]["localizations"]["en"]["stringUnit"]["value"] == "dog"
