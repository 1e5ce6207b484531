"""Write docs/parameters.md from the parameters of the endpoints: ``python -m tools.parameters_page``.

``make docs`` runs it, and a test fails when the page is not current.
"""

import json
from pathlib import Path
from typing import Any

from app.api.deepl import endpoints as deepl
from app.api.libretranslate import endpoints as libretranslate
from app.api.parameter import Parameter, Parameters
from tools.configuration_page import values_of

PAGE = Path(__file__).parents[1] / "docs" / "parameters.md"
ENDPOINTS = {
    "POST /translate": libretranslate.TRANSLATE,
    "POST /detect": libretranslate.DETECT,
    "POST /inspect": libretranslate.INSPECT,
    "POST /translate_file": libretranslate.TRANSLATE_FILE,
    "POST /suggest": libretranslate.SUGGEST,
    "POST /v2/translate": deepl.TRANSLATE,
    "POST /v2/document": deepl.UPLOAD,
}
_HEAD = """\
# Parameters

What each endpoint takes. The first table column has an asterisk where a request must have the parameter. An endpoint
for documents also takes the file, as `file` of a multipart form. [The HTTP API](api.md) says what the parameters are
for, and `/docs` of a running server has the other endpoints and examples.

This page is generated from the parameters: `make docs` writes it.
"""
_COLUMNS = """
| parameter | values | if absent | meaning |
| --- | --- | --- | --- |
"""


def page() -> str:
    """Return the whole page."""
    return _HEAD + "".join(f"\n## {name}\n{_COLUMNS}{_rows(each)}" for name, each in ENDPOINTS.items())


def _rows(parameters: Parameters) -> str:
    schemas = parameters.model("Request", "").model_json_schema()["properties"]
    return "".join(_row(each, schemas[each.name]) for each in parameters.documented)


def _row(parameter: Parameter[Any], schema: dict[str, Any]) -> str:
    default = "" if parameter.default in (None, []) else f"`{json.dumps(parameter.default)}`"
    guide = f" See [{parameter.guide.replace('-', ' ')}](api.md#{parameter.guide})." if parameter.guide else ""
    star = "\\*" if parameter.is_required else ""
    return f"| `{parameter.name}`{star} | {_kinds(schema)} | {default} | {parameter.description}{guide} |\n"


def _kinds(schema: dict[str, Any]) -> str:
    kinds = [each for each in schema.get("anyOf", [schema]) if each["type"] != "null"]
    names = {"array": "list", "object": "object"}
    return " or ".join(names.get(each["type"]) or values_of(each) for each in kinds)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
