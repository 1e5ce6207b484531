"""Everything that can go wrong, as one tree. No HTTP in here: ``app.api`` maps classes to statuses.

Every class has a stable ``code``. The message is a sentence a person can act on and never holds user text.
"""

_MAX_ECHO_CHARS = 40  # longer than any language code


class DragomanError(Exception):
    """Base of all errors raised on purpose."""

    code = "internal"


class InvalidRequest(DragomanError):
    """The request can't be served as it is; the message says what to change."""

    code = "invalid_request"


class InvalidGlossary(InvalidRequest):
    """The entries of a glossary can't be used; the message says which one and why."""

    code = "invalid_glossary"


class FeatureUnavailable(InvalidRequest):
    """This server has no such feature. DeepL's clients take 403 for a wrong key."""

    code = "feature_disabled"


class NotThere(FeatureUnavailable):
    """The same for a thing that can't exist on this server."""


class RoomExceeded(DragomanError):
    """Stored translation memories, glossaries and suggestions would have more bytes than the operator allows."""

    code = "room_exceeded"


class GlossaryNotFound(DragomanError):
    """There is no such glossary, or it is somebody else's, or it has no dictionary for the languages."""

    code = "glossary_not_found"


class StyleNotFound(DragomanError):
    """There is no such style rule list, or it is somebody else's."""

    code = "style_not_found"


class InvalidMemory(InvalidRequest):
    """A translation memory, or an entry of it, can't be kept; the message says which one and why."""

    code = "invalid_memory"


class MemoryNotFound(DragomanError):
    """There is no such translation memory, or it is somebody else's, or it has no such entry."""

    code = "memory_not_found"


class UnsupportedPair(InvalidRequest):
    """No loaded model translates this pair of languages."""

    code = "unsupported_pair"


class OptionOutOfRange(InvalidRequest):
    """A search option is outside its documented range."""

    code = "option_out_of_range"


class TextTooLong(InvalidRequest):
    """A text, or the whole list, is over the configured limit."""

    code = "text_too_long"


class UnsupportedDocument(InvalidRequest):
    """The file is of a format that is not translated, or has something in it that is refused."""

    code = "document_unsupported"


class EncryptedDocument(InvalidRequest):
    """The file can't be read without its password."""

    code = "document_encrypted"


class DamagedDocument(InvalidRequest):
    """The file is damaged, or not of the format that its name says."""

    code = "document_damaged"


class DocumentTooLarge(InvalidRequest):
    """The file, or what it unpacks to, is over its limit."""

    code = "document_too_large"


class WrongReview(InvalidRequest):
    """The review of a translated document that came back isn't one, or belongs to another file."""

    code = "wrong_review"


class ExtraMissing(InvalidRequest):
    """What was asked for needs libraries that are not installed.

    Attributes:
        extra: The extra that has them; empty if only the message names it.
    """

    code = "extra_missing"
    extra = ""

    @classmethod
    def needed_by(cls, what: str, extra: str) -> "ExtraMissing":
        """The error for something that needs an extra; ``what`` begins the sentence."""
        error = cls(f"{what} needs the extra '{extra}', which is not installed.")
        error.extra = extra
        return error


class Unauthorized(DragomanError):
    """The request needs a key, and has none or a wrong one."""

    code = "unauthorized"


class KeyRequired(DragomanError):
    """The request has no API key, and the operator requires one."""

    code = "key_required"


class InvalidKey(DragomanError):
    """The request has an API key that doesn't exist."""

    code = "invalid_key"


class QuotaExceeded(DragomanError):
    """The key has used all its characters of this month."""

    code = "quota_exceeded"


class RateLimited(DragomanError):
    """The client makes too many requests. ``retry_after_s`` says when there is room for another, in seconds."""

    code = "rate_limited"

    def __init__(self, message: str, retry_after_s: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class DocumentNotFound(DragomanError):
    """There is no document with this id and key, or its translation is gone."""

    code = "document_not_found"


class DocumentNotReady(DragomanError):
    """The document's translation is not done."""

    code = "document_not_ready"


class StorageFailure(DragomanError):
    """The database, or the storage of files, can't be used now, so that nothing was done."""

    code = "storage_failure"


class IssuerUnavailable(DragomanError):
    """The issuer of tokens can't be reached, and its public keys are not known, or are too old."""

    code = "issuer_unavailable"


class FeatureDisabled(DragomanError):
    """The operator has not switched this on."""

    code = "feature_disabled"


class Overloaded(DragomanError):
    """The queue, or the memory for models, is full. ``retry_after_s`` is a hint for the client, in seconds."""

    code = "overloaded"

    def __init__(self, message: str, retry_after_s: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class DeadlineExceeded(DragomanError):
    """The time limit given with the request passed before the translation was complete."""

    code = "deadline_exceeded"


class Cancelled(DragomanError):
    """The caller no longer waits for this work."""

    code = "cancelled"


class EngineUnavailable(DragomanError):
    """The engine is starting, stopping or dead; nothing was translated."""

    code = "engine_unavailable"


class ModelFailure(DragomanError):
    """A graph raised, or returned scores that are not finite."""

    code = "model_failure"


class BundleError(DragomanError):
    """A bundle is missing, damaged or newer than this program; the message names the file and the reason."""

    code = "bundle_error"


class ConfigurationError(DragomanError):
    """The settings contradict each other or this machine."""

    code = "configuration_error"


def shortened(value: str) -> str:
    """A wrong value as a message repeats it: at most 40 characters, for it may be a text."""
    return value if len(value) <= _MAX_ECHO_CHARS else value[:_MAX_ECHO_CHARS] + "…"


def error_with_code(code: str, message: str) -> DragomanError:
    """The error with a stable code, as it was before somebody wrote down its code and message."""
    kinds = [DragomanError]
    for kind in kinds:
        if kind.code == code:
            return kind(message)
        kinds += kind.__subclasses__()
    return DragomanError(message)
