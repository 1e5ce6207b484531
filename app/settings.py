"""Every setting of the service, in one frozen object read from ``DRAGOMAN_*`` environment variables."""

import ipaddress
import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from app.contradictions import contradiction
from app.errors import ConfigurationError
from app.machine import available_cores, available_memory_bytes
from app.second_tier_settings import SecondTierSettings

ENV_PREFIX = "DRAGOMAN_"
OF_COMMANDS = {"DRAGOMAN_KEY", "DRAGOMAN_MODELS", "DRAGOMAN_MODEL_INDEX"}
"""The API key of ``dragoman mcp``, the user's folder of models, and the list that ``dragoman models`` installs from."""
MAX_BEAM_SIZE = 16  # as in app.engine.options, which settings, lying below the engine, may not import
MAX_EAGER_BUNDLES = 8
"""More bundles are loaded by their first requests, unless a setting says otherwise."""
MEBIBYTE = 1024 * 1024
_LINK = r"^(https?://|mailto:|/)\S+$"  # no script in an address
# What Kubernetes sets in all containers beside a service that is named dragoman.
_SERVICE_LINK = re.compile(ENV_PREFIX + r"(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP|SCTP))(_\w+)?", re.IGNORECASE)


class Settings(SecondTierSettings):
    """The service's settings. Keyword arguments win over environment variables, which win over the defaults."""

    model_config = SettingsConfigDict(env_prefix=ENV_PREFIX, frozen=True, extra="forbid")

    bundle: Annotated[tuple[Path, ...], NoDecode] = Field(
        (Path("artifacts/de-en"),),
        min_length=1,
        description="Folder of a bundle, or a folder of several bundles. Separate several by commas, or repeat the "
        "option. If two bundles have the same pair of languages, the first is used.",
    )
    lazy_loading: bool | None = Field(
        None,
        description="Load each model with its first request, instead of at the start, while they fit. The default is "
        f"to do so when there are more than {MAX_EAGER_BUNDLES} bundles.",
    )
    max_models_bytes: int = Field(
        default_factory=lambda: available_memory_bytes() // 2,
        ge=1,
        description="Maximum estimated memory for models and their caches, in bytes; the default is half of the "
        "machine's. When it is full, an idle model is unloaded before another is loaded.",
    )
    pivot: str = Field(
        "en",
        pattern=r"^[A-Za-z0-9_-]*$",
        description="Language through which a pair without its own model is translated; empty for none.",
    )
    admin_key: SecretStr | None = Field(
        None,
        min_length=16,
        description="Key for the endpoints below /admin, at least 16 characters. Without a key, they are off.",
    )
    data: Path | None = Field(
        None, description="Folder of the database, created if it is missing. Without a database, nothing is stored."
    )
    database: SecretStr | None = Field(
        None,
        description="Address of a PostgreSQL database, such as postgresql://user:password@host/name, for several "
        "servers; the default is an SQLite file in the folder of DRAGOMAN_DATA.",
    )
    valkey: SecretStr | None = Field(
        None,
        description="Address of a Valkey or Redis server in which several servers count requests together, such as "
        "valkey://user:password@host:6379/0, or valkeys:// for TLS; by default, the database counts them.",
    )
    result_cache_s: float = Field(
        0.0,
        ge=0,
        le=31_536_000,
        description="Time for which translated sentences are kept in Valkey for all servers, in seconds; 0 keeps none.",
    )
    keys: Literal["off", "optional", "required"] = Field(
        "off",
        description="API keys, which dragoman keys adds to the database: off accepts any key or none, optional "
        "checks a key that is sent, required refuses requests without a key.",
    )
    oidc_issuer: str | None = Field(
        None,
        description="Address of an OpenID Connect issuer, whose tokens may then be sent as keys; it begins with "
        "https://, or is on this machine.",
    )
    oidc_audience: str | None = Field(None, min_length=1, description="Audience (aud) that the tokens have to name.")
    oidc_claim: str = Field(
        "groups",
        min_length=1,
        description="Claim of the tokens that names their key: a token with the group editors stands for the key with "
        "the name groups:editors.",
    )
    sign_in_header: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9-]+$",
        description="Header in which a trusted proxy names who has signed in, or their groups: with Remote-Groups, the "
        "group editors stands for the key with the name remote-groups:editors.",
    )
    requests_per_minute: int | None = Field(
        None,
        ge=1,
        description="Maximum requests for translation or detection in a minute from an address without a key; the "
        "default is no limit.",
    )
    requests_per_hour: int | None = Field(None, ge=1, description="Maximum of the same requests in an hour.")
    requests_per_day: int | None = Field(None, ge=1, description="Maximum of the same requests in a day.")
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Addresses or networks of proxies that are believed, separated by commas; the default is none.",
    )
    operator_name: str | None = Field(
        None, min_length=1, max_length=200, description="Who runs this server, for the foot of the translation page."
    )
    imprint_url: str | None = Field(None, pattern=_LINK, description="Address of the imprint, for the same place.")
    privacy_url: str | None = Field(None, pattern=_LINK, description="Address of the privacy policy, likewise.")
    source_url: str | None = Field(None, pattern=_LINK, description="Address of this server's source code, likewise.")
    suggestions: bool = Field(
        False, description="Keep better translations that people send to POST /suggest, for the operator to review."
    )
    max_stored_bytes: int = Field(
        8192 * MEBIBYTE,
        ge=1024,
        description="Maximum size of all translation memories, glossaries and suggestions together, in bytes.",
    )
    max_stored_bytes_of_owner: int = Field(
        1024 * MEBIBYTE, ge=1024, description="The same for one API key, and for everything that is stored without one."
    )
    documents: bool = Field(True, description="Translate documents: files of office programs, subtitles and the like.")
    document_files: str | None = Field(
        None,
        pattern=r"^(file:///|s3://).+",
        description="Where the files of documents are kept: a folder that all servers share, such as "
        "file:///srv/documents, or S3-compatible storage, such as s3://bucket/documents; the default is the database.",
    )
    max_document_bytes: int = Field(16 * MEBIBYTE, ge=1024, description="Maximum size of a document, in bytes.")
    max_documents: int = Field(
        100,
        ge=1,
        description="Maximum number of documents that wait or are being translated; one client, a key or an address, "
        "may have half of them, and less while others have some.",
    )
    max_documents_bytes: int = Field(
        256 * MEBIBYTE, ge=1024, description="Maximum size of all documents together, in bytes."
    )
    document_memory_bytes: int = Field(
        default_factory=lambda: min(1024 * MEBIBYTE, available_memory_bytes() // 4),
        ge=64 * MEBIBYTE,
        description="Maximum memory of the process that reads and writes a document, in bytes; the default is a "
        "quarter of the machine's, at most 1 GiB. A document that needs more is refused.",
    )
    document_processor_s: int = Field(
        60,
        ge=1,
        le=3_600,
        description="Maximum processor time to read a document, and again to write it, in seconds.",
    )
    document_lifetime_s: float = Field(
        3_600.0, gt=0, description="Time after which a translated document is deleted, in seconds."
    )
    replicas: int = Field(
        1, ge=1, le=10_000, description="In a cluster: processes for each model, each with its own workers."
    )
    max_replicas: int | None = Field(
        None,
        ge=1,
        le=10_000,
        description="In a cluster: maximum number of replicas, which are added while sentences wait; by default, none "
        "are added.",
    )
    ingresses: int = Field(
        1, ge=1, le=1_000, description="With serve run: processes that speak HTTP. Ray's proxies pass requests to them."
    )
    models_in_ingress: bool = Field(
        False,
        description="With serve run: the models run in the ingresses, of which there are as many as replicas. Then no "
        "call goes from process to process, and every ingress has all models in its memory.",
    )
    host: str = Field("127.0.0.1", min_length=1, description="Address to listen on; 0.0.0.0 for every interface.")
    port: int = Field(8000, ge=0, le=65535, description="TCP port to listen on; 0 takes a free one.")
    root_path: str = Field(
        "", pattern=r"^(/[A-Za-z0-9._~-]+)*$", description="URL prefix under which everything is served, e.g. /mt."
    )
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        ("*",), description="Web origins that may read responses, separated by commas; * for any."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Minimum log level.")
    tracing: bool = Field(
        False, description="Send OpenTelemetry traces to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names."
    )

    provider: Literal["cpu", "cuda"] = Field("cpu", description="Where the model runs.")
    precision: Literal["auto", "int8", "float32", "float16"] = Field(
        "auto",
        description="Number format of the graphs: int8 and float32 on cpu, float32 and float16 on cuda; "
        "auto means int8 on cpu and float16 on cuda. int8 is what the native operators compute; a model that they "
        "don't know runs in float32.",
    )
    workers: int | None = Field(
        None,
        ge=1,
        le=64,
        description="Worker threads for each model, each with its own batch; the default is the number of available "
        "cores, at most 4, and 1 on cuda.",
    )
    threads: int = Field(
        1,
        ge=1,
        le=256,
        description="Threads inside one operator of ONNX Runtime. On the CPU, raise the number of workers instead.",
    )
    kernels: Literal[
        "auto", "off", "amx", "avx512vnni", "avxvnni", "avx2", "sse41", "neoni8mm", "neon", "neonv8", "plain"
    ] = Field(
        "auto",
        description="Native operators for int8 on the CPU. auto takes the fastest of the processor; "
        "off (the float32 graphs instead), or the name of an instruction set, is for tests.",
    )
    beam_size: int = Field(
        4, ge=1, le=MAX_BEAM_SIZE, description="Beam width of requests that don't choose one; 1 is greedy search."
    )

    max_text_chars: int = Field(4_000_000, ge=1, description="Maximum length of a text, in characters.")
    max_texts: int = Field(1_000, ge=1, description="Maximum number of texts in a request.")
    max_body_bytes: int = Field(32 * MEBIBYTE, ge=1024, description="Maximum size of a request body, in bytes.")
    max_bodies_bytes: int = Field(
        64 * MEBIBYTE,
        ge=1024,
        description="Maximum size of all request bodies in progress together, in bytes, not counting the first 64 KiB "
        "of each. Beyond it, requests with longer bodies get 503.",
    )
    alternatives_limit: int = Field(
        MAX_BEAM_SIZE - 1,
        ge=0,
        le=MAX_BEAM_SIZE - 1,
        description="Maximum number of alternatives that a request may ask for.",
    )
    request_timeout_s: float = Field(
        3_600.0, gt=0, le=86_400, description="Maximum time for a request, in seconds; after it the request gets 504."
    )
    deepl_heartbeat_s: float = Field(
        4.0,
        ge=0,
        le=60,
        description="Seconds after which an answer to DeepL's clients begins with white space, so that they go on "
        "waiting; an error then comes with status 200. 0 turns it off.",
    )
    drain_timeout_s: float = Field(
        20.0,
        ge=0,
        le=3_600,
        description="Maximum time from SIGTERM to the end of the process, in seconds, but at least one. Accepted "
        "requests may finish until two seconds before its end, or in its first three quarters if that is longer.",
    )

    max_queue_tokens: int = Field(
        50_000,
        ge=1,
        description="Maximum number of source tokens that wait, for all models together; beyond it, requests get 503. "
        "The default is about 20 seconds of work for one core with the shipped model. A long text enters the queue in "
        "parts.",
    )
    max_batch_rows: int | None = Field(
        None,
        ge=1,
        le=4096,
        description="Maximum rows (sentences times beams) in a batch; the default is 32, and 4 times gpu_rows on cuda.",
    )
    gpu_rows: int = Field(
        256,
        ge=1,
        le=1024,
        description="On cuda: sentences that are decoded together, greedily and with beams each. They need memory for "
        "their caches even when there is no work.",
    )
    max_batch_tokens: int | None = Field(
        None,
        ge=1,
        description="Maximum padded source tokens that join a batch at a time; the default is 512, and 8,192 on cuda.",
    )
    feature_cache_bytes: int = Field(
        32 * MEBIBYTE, ge=0, description="Size of each model's encoder cache, in bytes; 0 switches it off."
    )

    @property
    def decode_workers(self) -> int:
        """The number of workers with the default resolved."""
        return self.workers or (1 if self.provider == "cuda" else min(4, available_cores()))

    @property
    def batch_rows(self) -> int:
        """``max_batch_rows`` with the default resolved."""
        return self.max_batch_rows or (max(512, 4 * self.gpu_rows) if self.provider == "cuda" else 32)

    @property
    def batch_tokens(self) -> int:
        """``max_batch_tokens`` with the default resolved."""
        return self.max_batch_tokens or (min(8192, self.max_queue_tokens) if self.provider == "cuda" else 512)

    @property
    def graph_precision(self) -> Literal["int8", "float32", "float16"]:
        """The precision with ``auto`` resolved."""
        if self.precision == "auto":
            return "int8" if self.provider == "cpu" else "float16"
        return self.precision

    def loads_lazily(self, bundles: int) -> bool:
        """Return whether so many bundles are loaded by their first requests, not at the start."""
        return bundles > MAX_EAGER_BUNDLES if self.lazy_loading is None else self.lazy_loading

    @classmethod
    def load(cls, **overrides: Any) -> Self:
        """Reads the settings, with ``overrides`` (command-line options) on top.

        Raises:
            ConfigurationError: A value is missing, malformed or unknown; one line that names the setting.
        """
        try:
            return cls(**overrides)
        except ValidationError as error:
            raise ConfigurationError("; ".join(_sentence(dict(entry)) for entry in error.errors())) from None

    @property
    def request_limits(self) -> dict[str, int]:
        """Maximum requests of an address without a key, by period; none for the periods without a limit."""
        limits = {"minute": self.requests_per_minute, "hour": self.requests_per_hour, "day": self.requests_per_day}
        return {period: limit for period, limit in limits.items() if limit}

    @field_validator("bundle", mode="before")
    @classmethod
    def _split_paths(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(path.strip() for path in value.split(",") if path.strip())
        return (value,) if isinstance(value, Path) else value

    @field_validator("port", mode="before")
    @classmethod
    def _ignore_service_link(cls, value: object) -> object:
        return cls.model_fields["port"].default if isinstance(value, str) and value.startswith("tcp://") else value

    @field_validator("database")
    @classmethod
    def _check_address(cls, value: SecretStr | None) -> SecretStr | None:
        if value and not value.get_secret_value().startswith(("postgresql://", "postgresql+psycopg://")):
            raise ValueError("the address of a database begins with postgresql://")
        return value

    @field_validator("valkey")
    @classmethod
    def _check_valkey(cls, value: SecretStr | None) -> SecretStr | None:
        if value and not value.get_secret_value().startswith(("valkey://", "valkeys://", "redis://", "rediss://")):
            raise ValueError("the address of a Valkey server begins with valkey:// or valkeys://")
        return value

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _split_networks(cls, value: object) -> object:
        if isinstance(value, str):
            value = tuple(part.strip() for part in value.split(",") if part.strip())
        for network in value if isinstance(value, tuple) else ():
            ipaddress.ip_network(network)
        return value

    @field_validator("cors_origins", mode="before")
    @classmethod
    def _split_origins(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(origin for origin in (part.strip().rstrip("/") for part in value.split(",")) if origin)
        return value

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_variables(cls, values: Any) -> Any:
        # pydantic-settings reads only the variables it knows, so a misspelt one would silently do nothing.
        known = {(ENV_PREFIX + name).upper() for name in cls.model_fields} | OF_COMMANDS
        unknown = sorted(
            name
            for name in os.environ
            if name.upper().startswith(ENV_PREFIX) and name.upper() not in known and not _SERVICE_LINK.fullmatch(name)
        )
        if unknown:
            raise ValueError(f"unknown environment variable {', '.join(unknown)}")
        return values

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        if found := contradiction(self):
            raise ValueError(found)
        return self


def _sentence(entry: dict[str, Any]) -> str:
    """One pydantic error as ``DRAGOMAN_PORT: Input should be ...``, without the rejected value, which may be secret."""
    message = str(entry["msg"]).removeprefix("Value error, ")
    if entry["type"] == "too_short" and isinstance(entry["input"], str):  # pydantic counts "items" of a secret
        message = f"Value should have at least {entry['ctx']['min_length']} characters"
    return f"{ENV_PREFIX}{str(entry['loc'][0]).upper()}: {message}" if entry["loc"] else message
