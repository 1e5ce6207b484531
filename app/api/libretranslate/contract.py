"""The LibreTranslate contract, which also answers for the operators' endpoints and the pages."""

from app.api.contract import Contract
from app.api.libretranslate import documents, inspection, routes, suggestions


def _error_body(text: str, code: str) -> dict[str, str]:
    return {"error": text, "code": code}


LIBRETRANSLATE = Contract(
    name="Translation",
    description="Translate, detect, list languages.",
    prefixes=("/",),
    routers=(routes.router, inspection.router, documents.router, suggestions.router),
    translating_paths=frozenset({"/translate", "/inspect"}),
    error_body=_error_body,
)
