"""Write docs/configuration.md from the settings: ``python -m tools.configuration_page``.

``make docs`` runs it, and a test fails when the page is not current.
"""

from pathlib import Path
from typing import Any

from app.second_tier_settings import SecondTierSettings
from app.settings import ENV_PREFIX, Settings

PAGE = Path(__file__).parents[1] / "docs" / "configuration.md"
_HEAD = """\
# Configuration

Every setting is an environment variable. Some are options of `dragoman serve`, too (see `dragoman serve --help`); an
option takes precedence over its variable. A variable that begins with `DRAGOMAN_` and is not in this list is an error,
and so is a value out of range: the server says what is wrong and doesn't start. `DRAGOMAN_MODELS` and
`DRAGOMAN_MODEL_INDEX` belong to [`dragoman models`](models.md#install-models), `DRAGOMAN_KEY` to
[`dragoman mcp`](agents.md).

```sh
DRAGOMAN_BEAM_SIZE=1 DRAGOMAN_PORT=5000 make serve
```

This page is generated from the settings: `make docs` writes it.

| variable | default | values | meaning |
| --- | --- | --- | --- |
"""
_BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "more than",
    "maximum": "at most",
    "exclusiveMaximum": "less than",
}


def page() -> str:
    """Return the whole page."""
    schema = Settings.model_json_schema()["properties"]
    # The settings of a part come first there, and last here.
    names = sorted(schema, key=SecondTierSettings.model_fields.__contains__)
    return _HEAD + "".join(_row(name, schema[name]) for name in names)


def _row(name: str, schema: dict[str, Any]) -> str:
    default = schema.get("default")
    if isinstance(default, list):
        default = ",".join(default)
    elif isinstance(default, bool):
        default = str(default).lower()
    # Without a default: the machine decides, or the feature is off; the description says which.
    shown = f"`{default}`" if default not in (None, "") else ""
    return f"| `{ENV_PREFIX}{name.upper()}` | {shown} | {values_of(schema)} | {schema['description']} |\n"


def values_of(schema: dict[str, Any]) -> str:
    """The choices, or the type with its range."""
    kind = next((one for one in schema.get("anyOf", ()) if one["type"] != "null"), schema)
    if "enum" in kind:
        return ", ".join(f"`{value}`" for value in kind["enum"])
    if kind["type"] == "boolean":
        return "`true`, `false`"
    label = {"array": "list, separated by commas", "string": "text"}.get(kind["type"], kind["type"])
    return ", ".join([label, *(f"{words} {kind[key]:,}" for key, words in _BOUNDS.items() if key in kind)])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
