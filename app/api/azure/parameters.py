"""What Azure's endpoints take in the query, and the texts of their bodies. Pure: no I/O, no web framework."""

from collections.abc import Mapping

from app.api.checks import check_text
from app.api.long_json import parse_json
from app.api.parameter import Given, Parameter, Parameters, Rule, Sentences
from app.api.shared_parameters import MAX_DETAILS_CHARS
from app.engine.options import SearchOptions
from app.errors import InvalidRequest, TextTooLong, shortened
from app.settings import Settings
from app.text.markup.extraction import Rules
from app.translation.languages import check_pair, locale_of, served_language
from app.translation.request import AUTO, TranslationRequest

_SENTENCES = Sentences("The parameter {} is missing.", "The parameter {} must be {}.")
_VERSION = "3.0"
# What this server can't do. A value that asks for nothing is fine.
_NOT_SERVED = {
    "category": ("", "general"),
    "profanityAction": ("", "NoAction"),
    "fromScript": ("",),
    "toScript": ("",),
}


def _read_version(given: Given, name: str, value: object) -> str:
    if value != _VERSION:
        raise given.wrong(name, _VERSION)
    return _VERSION


def _read_targets(given: Given, name: str, value: object) -> list[str]:
    targets = [str(each) for each in value] if isinstance(value, list) else []
    if len(targets) > len(given.served):
        raise given.wrong(name, f"at most {len(given.served)} languages")
    for target in targets:
        served_language(target, given.served)
    return targets


def _read_source(given: Given, name: str, value: object) -> str:
    return served_language(str(value), given.served)


def _read_text_type(given: Given, name: str, value: object) -> Rules | None:
    lowered = str(value).lower()  # Azure's clients write Plain and Html
    if lowered not in ("plain", "html"):
        raise given.wrong(name, "plain or html")
    return Rules(syntax="html") if lowered == "html" else None


def _read_flag(given: Given, name: str, value: object) -> bool:
    if str(value).lower() not in ("true", "false"):
        raise given.wrong(name, "true or false")
    return str(value).lower() == "true"


def _refuse_others(given: Given) -> None:
    for name, harmless in _NOT_SERVED.items():
        if given.values.get(name, "") not in harmless:
            raise InvalidRequest(f"The parameter {name} is not supported by this server.")
    if given[TEXT_TYPE] and (given[ALIGNMENT] or given[LENGTHS]):
        raise InvalidRequest("includeAlignment and includeSentenceLength are for textType=plain alone.")


VERSION = Parameter("api-version", str, "3.0.", _read_version, is_required=True)
FROM = Parameter("from", str, "Language of the texts; if absent, it is detected.", _read_source, absent=AUTO)
TO = Parameter("to", list[str], "Languages to translate into.", _read_targets, is_required=True, repeats=True)
TEXT_TYPE = Parameter("textType", str, "`plain` or `html`.", _read_text_type)
ALIGNMENT = Parameter("includeAlignment", bool, "Align the words.", _read_flag, absent=False)
LENGTHS = Parameter("includeSentenceLength", bool, "Say where sentences end.", _read_flag, absent=False)
TRANSLATE = Parameters(_SENTENCES, VERSION, TO, FROM, TEXT_TYPE, ALIGNMENT, LENGTHS, Rule(_refuse_others))
DETECT = Parameters(_SENTENCES, VERSION)


def read_texts(body: bytes | bytearray, settings: Settings) -> tuple[str, ...]:
    """Returns the texts of a body: ``[{"Text": "..."}, ...]``.

    Raises:
        InvalidRequest: It is something else.
        TextTooLong: There are too many, or one is too long.
    """
    try:
        items = parse_json(body, settings.max_text_chars)
    except (ValueError, RecursionError):
        raise InvalidRequest("The body of the request is not valid JSON.") from None
    if not isinstance(items, list) or not items:
        raise InvalidRequest('The body must be a list of objects: [{"Text": "..."}].')
    if len(items) > settings.max_texts:
        raise TextTooLong(f"The body has more than {settings.max_texts} texts.")
    texts = tuple(map(_text_of, items))
    if max(map(len, texts)) > settings.max_text_chars:
        raise TextTooLong(f"A text has more than {settings.max_text_chars} characters.")
    return texts


def _text_of(item: object) -> str:
    text = item.get("Text", item.get("text")) if isinstance(item, Mapping) else None
    if not isinstance(text, str):
        raise InvalidRequest("Each object of the body must have a string Text.")
    check_text("Text", text)
    if "<mstrans:dictionary" in text:
        raise InvalidRequest("The dynamic dictionary (mstrans:dictionary) is not supported by this server.")
    return text


def requests_of(given: Given, texts: tuple[str, ...]) -> list[TranslationRequest]:
    """Returns a request for each target language.

    Raises:
        UnsupportedPair: No model translates a pair.
        TextTooLong: The texts are too long for their sentences to be described.
    """
    wants_details = given[ALIGNMENT] or given[LENGTHS]
    if wants_details and len(given[TO]) * sum(map(len, texts)) > MAX_DETAILS_CHARS:
        raise TextTooLong(
            f"includeAlignment and includeSentenceLength are for at most {MAX_DETAILS_CHARS} characters, "
            "counted for each language."
        )
    requests = []
    for code in given[TO]:
        target = served_language(shortened(code), given.served)
        if given[FROM] != AUTO:
            check_pair(given[FROM], target, given.pairs)
        requests.append(
            TranslationRequest(
                source=given[FROM],
                target=target,
                locale=locale_of(code),
                options=SearchOptions(beam_size=given.settings.beam_size),
                texts=texts,
                markup=given[TEXT_TYPE],
                deadline_s=given.settings.request_timeout_s,
                details=wants_details,
                alignment=given[ALIGNMENT],
            )
        )
    return requests
