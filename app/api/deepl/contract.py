"""The DeepL contract: its own names in errors, and a header that names each request."""

from app import errors
from app.api.contract import Contract
from app.api.deepl import documents, glossaries, memories, memory_jobs, routes, styles, unsupported


def _error_body(text: str, code: str) -> dict[str, str]:
    return {"message": text, "detail": code}


DEEPL = Contract(
    name="DeepL",
    description="Translate, list languages, keep glossaries and translation memories, for DeepL's clients.",
    prefixes=("/v2/", "/v3/"),
    # The path of a job must not be taken for the id of a memory.
    routers=(
        routes.router,
        documents.router,
        glossaries.router,
        unsupported.router,
        styles.router,
        memory_jobs.router,
        memories.router,
    ),
    translating_paths=frozenset({"/v2/translate"}),
    error_body=_error_body,
    # A model that fails on a text fails on it again, and the official clients ask five times more after a 500.
    statuses={errors.ModelFailure: 400, errors.KeyRequired: 403, errors.QuotaExceeded: 456},
    trace_header="X-Trace-ID",
)
