"""Settings that contradict each other."""

import re
from typing import Any


def contradiction(settings: Any) -> str | None:
    """The first contradiction between settings, as a sentence that names them; None if there is none.

    Args:
        settings: ``app.settings.Settings``, which asks this of itself.
    """
    if settings.provider == "cpu" and settings.precision == "float16":
        return "precision float16 needs provider cuda; use int8 or float32 on cpu"
    if settings.provider == "cuda" and settings.precision.startswith("int8"):
        return f"precision {settings.precision} needs provider cpu; use float16 or float32 on cuda"
    if settings.beam_size > settings.batch_rows:
        return f"max_batch_rows ({settings.batch_rows}) must be at least beam_size ({settings.beam_size})"
    if settings.alternatives_limit >= settings.batch_rows:
        return f"max_batch_rows ({settings.batch_rows}) must exceed alternatives_limit ({settings.alternatives_limit})"
    if settings.max_replicas is not None and settings.max_replicas < settings.replicas:
        return f"max_replicas ({settings.max_replicas}) must not be less than replicas ({settings.replicas})"
    if settings.batch_tokens > settings.max_queue_tokens:
        return (
            f"max_queue_tokens ({settings.max_queue_tokens}) must not be less than "
            f"max_batch_tokens ({settings.batch_tokens})"
        )
    if settings.max_body_bytes < settings.max_text_chars:
        return (
            f"max_body_bytes ({settings.max_body_bytes}) can't hold a text of "
            f"max_text_chars ({settings.max_text_chars})"
        )
    for name, least in (
        ("max_body_bytes", settings.max_body_bytes),
        ("max_document_bytes", settings.max_document_bytes),
    ):
        if settings.max_bodies_bytes < least:
            return f"max_bodies_bytes ({settings.max_bodies_bytes}) must not be less than {name} ({least})"
    if settings.max_models_bytes <= settings.feature_cache_bytes:
        return (
            f"max_models_bytes ({settings.max_models_bytes}) must exceed "
            f"feature_cache_bytes ({settings.feature_cache_bytes})"
        )
    for name, is_on in (
        (f"keys {settings.keys}", settings.keys != "off"),
        ("document_files", settings.document_files),
        ("suggestions", settings.suggestions),
    ):
        if is_on and settings.data is None and settings.database is None:
            return f"{name} needs data (the folder of the database) or database (its address)"
    if found := _about_sign_in(settings):
        return found
    if settings.second_tier_key and settings.second_tier_key_file:
        return "second_tier_key and second_tier_key_file exclude each other"
    if settings.result_cache_s and settings.valkey is None:
        return "result_cache_s needs valkey, the address of a Valkey server"
    if "*" in settings.cors_origins and len(settings.cors_origins) > 1:
        return "cors_origins must be either * or a list of origins, not both"
    return None


def _about_sign_in(settings: Any) -> str | None:
    if (settings.oidc_issuer is None) != (settings.oidc_audience is None):
        return "oidc_issuer and oidc_audience need each other: a token is of the one and for the other"
    if settings.oidc_issuer and not is_secure_url(settings.oidc_issuer):
        return "oidc_issuer must begin with https://, unless it is on this machine"
    if settings.oidc_issuer and settings.keys == "off":
        return "oidc_issuer needs keys optional or required: a token stands for a key"
    if settings.sign_in_header and not settings.trusted_proxies:
        return "sign_in_header needs trusted_proxies: from anybody else, the header proves nothing"
    if settings.sign_in_header and settings.keys == "off":
        return "sign_in_header needs keys optional or required: the header's values stand for keys"
    return None


def is_secure_url(url: str) -> bool:
    """Whether nobody on the way can change what comes from a URL: it is with TLS, or of this machine."""
    return re.match(r"https://[^/]|http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(/|$)", url) is not None
