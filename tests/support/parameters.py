"""Requests for the fuzzer, made from the parameters of an endpoint."""

from typing import Any

from hypothesis import strategies as st

from app.api.parameter import Parameters

# Lone surrogates are left in: JSON can spell them.
texts = st.text(st.characters(), max_size=40)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=8
)
codes = st.sampled_from(["de", "en", "DE", "EN-GB", "de", "en", "auto", "zz"])


def requests_for(parameters: Parameters) -> st.SearchStrategy[dict[str, Any]]:
    """Requests that have what they must have and a few others: in range, just beyond it, or anything.

    Few, because one that is refused keeps those behind it from being read. Most languages are served.
    """
    schemas = parameters.model("Request", "").model_json_schema()["properties"]
    required = [each.name for each in parameters.documented if each.is_required]
    others = st.lists(st.sampled_from([name for name in schemas if name not in required]), max_size=4, unique=True)

    @st.composite
    def requests(draw: st.DrawFn) -> dict[str, Any]:
        names = [*required, *draw(others)]
        strange = draw(st.sampled_from(names)) if draw(st.integers(0, 2)) == 0 else None
        return {name: draw(json_values if name == strange else _near(name, schemas[name])) for name in names}

    return requests()


def _near(name: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values of a schema, and those just beyond its limits."""
    if name in ("source", "target", "source_lang", "target_lang"):
        return codes
    if "anyOf" in schema:
        return st.one_of(*(_near(name, each) for each in schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from([*schema["enum"], ""])
    match schema["type"]:
        case "integer":
            return st.integers(int(schema.get("minimum", 0)) - 2, min(int(schema.get("maximum", 20)), 10_000) + 2)
        case "number":
            return st.floats(schema["minimum"] - 1, schema["maximum"] + 1) | st.floats()
        case "boolean":
            return st.booleans() | st.sampled_from(["0", "1", 2])
        case "array":
            return st.lists(_near(name, schema["items"]), max_size=4)
        case "object":
            return st.dictionaries(texts, texts, max_size=3)
        case "null":
            return st.none()
    return texts
