"""The attacks, each with the outcome that it must have. The server's default settings decide how large they are."""

import json
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial

from benchmarks.attack.client import FORM, JSON, MEBIBYTE, Attack, Target, again_and_again, at_once, counted
from benchmarks.attack.documents import DOCUMENT_ATTACKS
from benchmarks.attack.parameters import DEADLINE_MS, REPEATED_S, WINDOWS_S

SENTENCE = (
    "Die Regierung hat gestern in Berlin beschlossen, dass die Mittel für den Ausbau der Schienenwege, die seit vielen "
    "Jahren knapp bemessen sind, in den kommenden Haushalten deutlich erhöht werden sollen, obwohl der Minister der "
    "Finanzen davor gewarnt hatte, dass die Schulden des Landes weiter steigen und die Zinsen kaum sinken werden. "
)
HEAD = b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


def _answered(outcome: str) -> bool:
    return "none" not in outcome and "500" not in outcome


def _only(*allowed: str) -> Callable[[str], bool]:
    return lambda outcome: all(part.split("x ")[1] in allowed for part in outcome.split(", "))


def misnested(target: Target) -> str:
    """Inline tags that are closed in the wrong order."""
    text = "<a><b>Wort</a></b> " * 15_789
    return again_and_again(
        target, partial(target.translate, q=text, format="html", deadline_ms=1000), REPEATED_S, clients=4
    )


def search_bombs(target: Target) -> str:
    """Expressions that search slowly and match nowhere, beside ordinary texts."""
    patterns = [f"regex:(?:[ab]*a[ab]{{{900 - i}}}c)" for i in range(100)]
    bomb = partial(target.translate, q="ab" * 500_000, deadline_ms=1000, protect=patterns)
    others = [
        partial(target.translate, q="<p>Ein <b>kurzer</b> Text.</p>", format="html"),
        partial(target.translate, q="Hallo {name}.", protect=["{name}"]),
        partial(target.translate, q="Das ist ein Satz. " * 290),
        lambda: target.request("/detect", b'{"q": "Das ist ein Satz."}', JSON)[0],
    ]
    bombs = [bomb] * 8
    return at_once(lambda: at_once(*bombs).replace("x ", "x bomb "), lambda: _later(1.5, *others))


def _later(seconds: float, *calls: Callable[[], str]) -> str:
    time.sleep(seconds)
    began = time.monotonic()
    outcome = at_once(*calls)
    return f"{outcome} in {time.monotonic() - began:.0f} s"


def _others_are_served(outcome: str) -> bool:
    return "4x 200" in outcome and "none" not in outcome


def compile_bombs(target: Target) -> str:
    """Expressions that are dear to compile."""
    patterns = [f"regex:[\\p{{L}}\\p{{N}}]{{50}}%{i}" for i in range(100)]
    return again_and_again(target, partial(target.translate, q="Hallo", protect=patterns), REPEATED_S, clients=4)


def many_headers(target: Target) -> str:
    """256 MiB of short headers."""
    lines = b"X-Aaaaaaaaaaaa: bbbbbbbbbbbbbbbb\r\n" * 32_768
    return counted([target.send(b"GET /livez HTTP/1.1\r\nHost: x\r\n", *[lines] * 256)])


def long_header(target: Target) -> str:
    """One header of 128 MiB."""
    return counted([target.send(b"GET /livez HTTP/1.1\r\nHost: x\r\nX-A: ", *[b"a" * MEBIBYTE] * 128)])


def long_url(target: Target) -> str:
    """A URL of 64 MiB."""
    return counted([target.send(b"GET /", *[b"a" * MEBIBYTE] * 64)])


def form_of_escapes(target: Target) -> str:
    """A form of 32 MiB, every character of which is escaped."""
    body = b"source=de&target=en&q=" + b"%41" * ((32 * MEBIBYTE - 100) // 3)
    return at_once(*[lambda: target.request("/translate", body, FORM)[0]] * 2)


def json_bombs(target: Target) -> str:
    """JSON of 32 MiB that is nothing but structure."""
    size = 32 * MEBIBYTE - 1_000
    bodies = [
        b"[" + b"[]," * (size // 3) + b"1]",
        b'{"q":[' + b'{"a":[]},' * (size // 9) + b"1]}",
        b"{" + b",".join(b'"%d":0' % i for i in range(size // 11)) + b"}",
        b'{"q":[' + b'"",' * (size // 3) + b'""]}',
    ]
    return at_once(*(partial(_status, target, body) for body in bodies))


def long_json_strings(target: Target) -> str:
    """Texts of 32 MiB, far too long, in which every character is escaped."""
    body = b'{"source":"de","target":"en","q":"' + b"\\n" * (15 * MEBIBYTE) + b'"}'
    return at_once(*[partial(_status, target, body)] * 2)


def _status(target: Target, body: bytes) -> str:
    return target.request("/translate", body, JSON)[0]


def unfinished_bodies(target: Target) -> str:
    """40 bodies of 30 MiB that lack a byte."""
    size = 30 * MEBIBYTE
    answers = []
    with ExitStack() as stack:
        connections = [stack.enter_context(target.connect()) for _ in range(40)]
        for connection in connections:
            connection.settimeout(2)
            with suppress(OSError):
                connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % size)
                for _ in range(29):
                    connection.sendall(b"a" * MEBIBYTE)
        target.wait(WINDOWS_S)
        for connection in connections:
            try:
                connection.settimeout(1)
                answers.append(connection.recv(64)[9:12].decode() or "closed")
            except TimeoutError:
                answers.append("none")
            except OSError:
                answers.append("closed")
    return counted(answers)


def half_requests(target: Target) -> str:
    """Connections that stop within a head, a body, a chunk."""
    parts = [
        b"G",
        b"POST /translate HTTP/1.1\r\nHost: x",
        HEAD + b"Content-Length: 9\r\n\r\nHa",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nHa",
    ]
    began = time.monotonic()
    outcome = at_once(*(partial(target.send, part) for part in parts * 50))
    return f"{outcome} after {time.monotonic() - began:.0f} s"


def slow_requests(target: Target) -> str:
    """A byte a second."""

    def drip(begin: bytes) -> str:
        with target.connect() as connection:
            connection.settimeout(1)
            connection.sendall(begin)
            while not target.over.is_set():
                try:
                    answer = connection.recv(64)
                    return answer[9:12].decode() or "closed"
                except TimeoutError:
                    with suppress(OSError):
                        connection.sendall(b"a")
                except OSError:
                    return "closed"
        return "none"

    calls = [partial(drip, begin) for begin in (b"GET /", HEAD + b"Content-Length: 1000000\r\n\r\n")]
    return at_once(*calls * 100)


def unread_answers(target: Target) -> str:
    """Answers of 8 MB that nobody reads."""
    text = "1 2 3 4 5 " * 390_000
    body = json.dumps({"q": [text, text], "source": "de", "target": "en"}).encode()
    with ExitStack() as stack:
        for _ in range(25):
            connection = stack.enter_context(target.connect())
            with suppress(OSError):
                connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        target.wait(WINDOWS_S)
        began = time.monotonic()
        held = target.request("/livez")[0]
    return f"1x {held} in {time.monotonic() - began:.1f} s"


def stand_ins(target: Target) -> str:
    """A text that holds every name that could stand in for something."""
    names = " ".join(f"Tom{i}" for i in range(2, 60_000))
    text = "a_b Tom Boston Paris Berlin London Julia Peter Maria " + names
    return again_and_again(target, partial(target.translate, q=text, deadline_ms=3000), REPEATED_S, clients=2)


def crafted_long(target: Target) -> str:
    """Texts that begin with small sentences and go on with long ones."""
    text = "Ja. " * 260 + SENTENCE * 3000
    return at_once(*[partial(target.translate, q=text, deadline_ms=DEADLINE_MS)] * 4)


def four_greedy_clients(target: Target) -> str:
    """Clients that send short texts one after the other, as fast as they can."""
    text = SENTENCE * 5
    return again_and_again(target, partial(target.translate, q=text), REPEATED_S, clients=4)


def natural_long(target: Target) -> str:
    """Long texts of the usual kind."""
    return at_once(*[partial(target.translate, q=SENTENCE * 800, deadline_ms=DEADLINE_MS)] * 8)


def upgrade_offers(target: Target) -> str:
    """POST with an offer of HTTP/2."""
    body = b'{"q":"Hallo","source":"de","target":"en"}'
    offer = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n"
    head = HEAD + offer + b"Content-Length: %d\r\n\r\n" % len(body)
    return at_once(*[partial(target.send, head, body)] * 20)


def hang_up_with_more_behind(target: Target) -> str:
    """A client that hangs up while a second request waits behind its long one."""
    body = json.dumps({"q": SENTENCE * 800, "source": "de", "target": "en"}).encode()
    for _ in range(4):
        with target.connect() as connection:
            connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            connection.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            time.sleep(1.0)
    time.sleep(3.0)
    return f"{target.metric('dragoman_engine_queued_sentences'):.0f} sentences queued"


def long_units(target: Target) -> str:
    """Sentences of a megabyte, of which the model sees little."""
    texts = [
        ('<p title="' + "a " * 500_000, "html"),
        ("Ha" + "\u0301" * 1_000_000 + "llo Welt", "text"),
        ("Hallo" + " " * 1_000_000 + "Welt", "text"),
        ("Hallo" + "\u200b" * 1_000_000 + "Welt", "text"),
        ("a_b " + "1 " * 1_900_000, "text"),
    ]
    return at_once(*(partial(target.translate, q=text, format=form, deadline_ms=DEADLINE_MS) for text, form in texts))


def placeholders(target: Target) -> str:
    """A few sentences with many protected spans."""
    text = "<a>" + "&foo; Wort " * 400 + "</a>"
    body = json.dumps({"text": [text], "source_lang": "DE", "target_lang": "EN", "tag_handling": "xml"}).encode()
    return at_once(*[lambda: target.request("/v2/translate", body, JSON)[0]] * 4)


def markdown(target: Target) -> str:
    """Markdown without text: signs only."""
    texts = [sign * 1_000_000 for sign in "[<&#"]
    return at_once(*(partial(target.translate, q=text, format="markdown", deadline_ms=DEADLINE_MS) for text in texts))


def many_tags(target: Target) -> str:
    """As many tags as a body holds."""
    text = "<b>x</b>" * 480_000
    return at_once(*[partial(target.translate, q=text, format="html", deadline_ms=DEADLINE_MS)] * 4)


def dense_texts(target: Target) -> str:
    """The longest texts that are allowed; each of their characters counts as a word."""
    texts = [
        ("<i>x</i>" + "+" * 3_900_000, "html"),
        ("+ " * 1_990_000, "html"),
        ("字。" * 1_990_000, "text"),
        ("{x}" + "1," * 1_990_000, "text"),
    ]
    calls = (partial(target.translate, q=text, format=form, deadline_ms=2 * DEADLINE_MS) for text, form in texts)
    return at_once(*calls)


def idle_connections(target: Target) -> str:
    """Connections that send nothing."""
    with ExitStack() as stack:
        for _ in range(5_000):
            stack.enter_context(target.connect())
        target.wait(5)
        return counted([target.request("/livez")[0]])


ATTACKS = (
    Attack("D1 misnested tags, 4 clients", misnested, _answered),
    Attack("D2 D3b eight searches without end", search_bombs, _others_are_served),
    Attack("D3a expressions dear to compile", compile_bombs, _answered),
    Attack("D4 256 MiB of headers", many_headers, _only("431", "closed")),
    Attack("D4 a header of 128 MiB", long_header, _only("431", "closed")),
    Attack("D4 a URL of 64 MiB", long_url, _only("431", "closed")),
    Attack("D5 two forms of 32 MiB of escapes", form_of_escapes, _only("400", "503")),
    Attack("D5 four JSON bombs of 32 MiB", json_bombs, _only("400", "413", "503")),
    Attack("D5 two JSON strings of 30 MiB of escapes", long_json_strings, _only("400", "503")),
    Attack("D5 D12 40 bodies that lack a byte", unfinished_bodies, _only("408", "503", "closed")),
    Attack("D6 every name that stands in", stand_ins, _answered),
    Attack("D7 long sentences behind short ones", crafted_long, _answered),
    Attack("D7 four greedy clients", four_greedy_clients, _answered),
    Attack("D7 eight long texts", natural_long, _answered),
    Attack("D8 offers of HTTP/2", upgrade_offers, _only("200")),
    Attack("D9 hang-up with a request behind", hang_up_with_more_behind, lambda outcome: outcome.startswith("0 ")),
    Attack("D10 sentences of a megabyte", long_units, _answered),
    Attack("D12 200 half requests", half_requests, lambda outcome: _only("408", "closed")(outcome.split(" after")[0])),
    Attack("D12 200 requests at a byte a second", slow_requests, _only("408", "closed")),
    Attack("D12 25 unread answers of 8 MB", unread_answers, lambda outcome: outcome.startswith("1x 200")),
    Attack("D13 400 things to keep", placeholders, _answered),
    Attack("D14 Markdown of signs", markdown, _answered),
    Attack("960,000 tags, 4 clients", many_tags, _answered),
    Attack("four dense texts of 4 MB", dense_texts, _answered),
    Attack("5,000 idle connections", idle_connections, _only("200")),
    *DOCUMENT_ATTACKS,
)
