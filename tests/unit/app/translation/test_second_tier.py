"""The second tier: sentences that the models are unsure of, and a stranger that may be asked about them."""

import random
import re
from contextlib import asynccontextmanager

import pytest

from app.errors import ConfigurationError
from app.settings import Settings
from app.translation.second_tier import circuit
from app.translation.second_tier.circuit import FAILURES, PAUSE_S, Circuit
from app.translation.second_tier.server import Unusable, read_answer, read_key
from tests.support.chat_server import chatting, completion, hostile, response
from tests.support.fakes import FakeEngine, serving

pytestmark = pytest.mark.one_process

# A sentence, the first tier's translation, and a better one.
SENTENCES = (
    ("Der Bahnhof ist seit 1875 geschlossen.", "The station is since 1875 closed.", "The station has been closed since 1875."),  # noqa: E501
    ("Wir haben 3 Hunde und 12 Katzen.", "We have 3 dogs and 12 cats at.", "We have 3 dogs and 12 cats."),
    ("Ich möchte morgen ein großes Bier trinken.", "I want tomorrow drink a large beer.", "I want to drink a large beer tomorrow."),  # noqa: E501
    ("Der Vertrag endet nach 24 Monaten von selbst.", "The contract ends after 24 months from self.", "The contract ends by itself after 24 months."),  # noqa: E501
    ("Hallo {{name}}, du hast gestern viele Briefe bekommen.", "Hello \ue000, you have yesterday many letters got.", "Hello {1}, you got many letters yesterday."),  # noqa: E501
)  # fmt: skip
_FIRST = {source.replace("{{name}}", "\ue000"): first for source, first, _ in SENTENCES}
_BETTER = {source.replace("{{name}}", "{1}"): better for source, _, better in SENTENCES}
TEXTS = [source for source, *_ in SENTENCES]


def honest(sentence):
    return completion(_BETTER[sentence])


def failing(sentence):
    return response(b"secret-of-the-tier " + sentence.encode(), "500 Oops")


class Unsure(FakeEngine):
    """Translates the sentences above, badly, and knows it."""

    def __init__(self):
        super().__init__()
        self.confidence = 0.1
        self.known_placeholders = ("\ue000", "\ue001")

    def known(self, sentence, target):
        return (_FIRST.get(sentence, f"[{target}] {sentence}"),)


@asynccontextmanager
async def tiered(chat, engine=None, **settings):
    async with serving(engine or Unsure(), Settings(second_tier=chat.url, **settings)) as client:
        yield client


async def translate(client, q, **others):
    answer = await client.post("/translate", json={"q": q, "source": "de", "target": "en", "details": True} | others)
    assert answer.status_code == 200, answer.text
    return answer


def restored(text):
    return text.replace("{1}", "{{name}}").replace("\ue000", "{{name}}")


FIRST = [restored(first) for _, first, _ in SENTENCES]
BETTER = [restored(better) for *_, better in SENTENCES]


async def test_a_better_translation_takes_the_place_of_a_doubtful_one():
    async with chatting(honest) as chat, tiered(chat) as client:
        answer = await translate(client, TEXTS)
        metrics = (await client.get("/metrics")).text
    body = answer.json()
    assert body["translatedText"] == BETTER
    assert [sentence["tier"] for [sentence] in body["details"]] == [2] * len(TEXTS)
    assert {sentence["confidence"] for [sentence] in body["details"]} == {None}
    assert answer.headers["X-Dragoman-Second-Tier"] == str(len(TEXTS))
    assert f'dragoman_sentences_total{{tier="2"}} {len(TEXTS)}.0' in metrics
    assert 'dragoman_sentences_total{tier="1"} 0.0' in metrics
    assert f'dragoman_second_tier_sentences_total{{outcome="used"}} {len(TEXTS)}.0' in metrics


async def test_deepls_contract_says_it_in_a_header():
    async with chatting(honest) as chat, tiered(chat) as client:
        body = {"text": TEXTS[:2], "source_lang": "DE", "target_lang": "EN"}
        answer = await client.post("/v2/translate", json=body)
    assert [each["text"] for each in answer.json()["translations"]] == BETTER[:2]
    assert answer.headers["X-Dragoman-Second-Tier"] == "2"


async def test_a_sure_sentence_is_not_sent():
    engine = Unsure()
    engine.confidence = 0.9
    async with chatting(honest) as chat, tiered(chat, engine) as client:
        answer = await translate(client, TEXTS)
    assert answer.json()["translatedText"] == FIRST
    assert not chat.bodies
    assert "X-Dragoman-Second-Tier" not in answer.headers


async def test_a_sentence_with_a_verdict_is_sent_whatever_its_confidence():
    engine = Unsure()
    engine.confidence = 0.9
    async with chatting(lambda sentence: completion("That was a long loop.")) as chat, tiered(chat, engine) as client:
        answer = await translate(client, "Das war eine lange LOOP.")
    assert len(chat.bodies) == 1
    [sentence] = answer.json()["details"]
    assert (sentence["tier"], sentence["verdicts"]) == (2, [])


async def test_without_the_setting_nothing_is_sent():
    assert Settings().second_tier is None
    async with serving(Unsure()) as client:
        assert (await translate(client, TEXTS)).json()["translatedText"] == FIRST


async def test_who_writes_the_translation_is_left_alone():
    async with chatting(honest) as chat, tiered(chat) as client:
        await translate(client, TEXTS[0], prefix="The station")
    assert not chat.bodies


async def test_it_is_told_context_terms_and_register():
    engine = Unsure()
    engine.pairs = frozenset({("en", "de")})
    async with chatting(lambda sentence: completion("")) as chat, tiered(chat, engine, second_tier_model="m") as client:
        await translate(
            client,
            "First of all. Do you like the board?",
            source="en",
            target="de",
            glossary={"board": "Vorstand"},
            formality="more",
        )
    body = next(body for body in chat.bodies if "Do you like" in body["messages"][1]["content"])
    system, user = (message["content"] for message in body["messages"])
    assert body["model"] == "m"
    assert body["temperature"] == 0
    assert "English into German" in system
    assert "<term>board</term> as <term>Vorstand</term>" in system
    assert "formally" in system
    assert "<context>First of all. </context>" in user
    assert "<sentence>Do you like the board?</sentence>" in user


async def test_protected_spans_are_numbered_and_come_back():
    async with chatting(honest) as chat, tiered(chat) as client:
        answer = await translate(client, TEXTS[4])
    assert chat.sentences == ["Hallo {1}, du hast gestern viele Briefe bekommen."]
    assert answer.json()["translatedText"] == "Hello {{name}}, you got many letters yesterday."


async def test_tags_are_placed_by_the_models_alignment():
    source, _, better = SENTENCES[1]
    async with chatting(honest) as chat, tiered(chat) as client:
        answer = await translate(client, source.replace("Hunde", "<b>Hunde</b>"), format="html")
    assert chat.sentences == [source]
    assert answer.json()["translatedText"] == better.replace("dogs", "<b>dogs</b>")


async def test_no_mix_of_hostile_answers_damages_anything(monkeypatch):
    """Each sentence gets each answer once, in an order of its own."""
    monkeypatch.setattr(circuit, "PAUSE_S", 0.0)  # it would keep most of them away
    ways = [*hostile(lambda sentence: _BETTER[sentence]), *[("is honest", honest)] * 5]
    choices = random.Random(0)
    turns = {sentence: iter(choices.sample(ways, len(ways))) for sentence in _BETTER}

    def answer(sentence):
        return next(turns[sentence])[1](sentence)

    settings = {"second_tier_at_once": 16, "second_tier_timeout_s": 3}
    async with chatting(answer) as chat, tiered(chat, **settings) as client:
        found = (await translate(client, TEXTS * len(ways))).json()["translatedText"]
        metrics = (await client.get("/metrics")).text
    assert len(found) == len(TEXTS) * len(ways)
    for index, text in enumerate(found):
        assert text in (FIRST[index % len(TEXTS)], BETTER[index % len(TEXTS)])
    outcomes = dict(re.findall(r'second_tier_sentences_total\{outcome="(\w+)"\} (\d+)', metrics))
    assert sum(map(int, outcomes.values())) == len(found)
    assert int(outcomes["used"]) == sum(text in BETTER for text in found)
    assert all(int(outcomes[outcome]) for outcome in ("used", "refused", "failed"))


async def test_each_hostile_answer_leaves_the_first_translation(monkeypatch):
    monkeypatch.setattr(circuit, "PAUSE_S", 0.0)
    async with chatting(honest) as chat, tiered(chat, second_tier_timeout_s=3) as client:
        for name, answer in hostile(_BETTER.__getitem__):
            chat.answer = answer
            number, placeholder = (await translate(client, [TEXTS[1], TEXTS[4]])).json()["translatedText"]
            # Without a number or placeholder there is nothing to drop, and the answer is right.
            assert number in (FIRST[1], BETTER[1] if name == "drops a placeholder" else ""), name
            assert placeholder in (FIRST[4], BETTER[4] if name == "drops a number" else ""), name


async def test_a_hanging_tier_leaves_time_for_the_answer():
    async with chatting(lambda sentence: None) as chat, tiered(chat, second_tier_timeout_s=600) as client:
        answer = await translate(client, TEXTS, deadline_ms=6_000)
    assert answer.json()["translatedText"] == FIRST
    assert chat.bodies


async def test_a_dead_tier_is_left_alone():
    async with chatting(failing) as chat, tiered(chat, second_tier_at_once=1) as client:
        assert (await translate(client, TEXTS * 4)).json()["translatedText"] == FIRST * 4
        assert len(chat.bodies) == FAILURES
        await translate(client, TEXTS)
        metrics = (await client.get("/metrics")).text
    assert len(chat.bodies) == FAILURES
    assert f'dragoman_second_tier_sentences_total{{outcome="failed"}} {FAILURES}.0' in metrics
    assert f'dragoman_second_tier_sentences_total{{outcome="skipped"}} {5 * len(TEXTS) - FAILURES}.0' in metrics


async def test_a_server_that_is_not_there_costs_nothing_but_its_sentences():
    async with serving(Unsure(), Settings(second_tier="http://127.0.0.1:9/v1")) as client:
        assert (await translate(client, TEXTS)).json()["translatedText"] == FIRST


async def test_so_many_sentences_are_under_way():
    async with chatting(honest) as chat, tiered(chat, second_tier_at_once=2) as client:
        await translate(client, TEXTS * 4)
    assert chat.most_open <= 2
    assert len(chat.bodies) == 4 * len(TEXTS)


async def test_a_request_that_ran_out_of_time_frees_its_place():
    answers = iter([None, completion(_BETTER[TEXTS[0]])])
    settings = {"second_tier_at_once": 1, "second_tier_timeout_s": 600}
    async with chatting(lambda sentence: next(answers)) as chat, tiered(chat, **settings) as client:
        late = (await translate(client, TEXTS[0], deadline_ms=4_000)).json()["translatedText"]
        found = (await translate(client, TEXTS[0])).json()["translatedText"]
    assert (late, found) == (FIRST[0], BETTER[0])


async def test_the_key_is_sent_and_never_logged(caplog):
    async with chatting(failing) as chat, tiered(chat, second_tier_key="secret-of-the-tier") as client:
        await translate(client, TEXTS)
    assert "Authorization: Bearer secret-of-the-tier" in chat.heads[0]
    assert "the second tier can't be used" in caplog.text
    assert "secret-of-the-tier" not in caplog.text
    assert not any(text in caplog.text for text in TEXTS)


def test_the_key_may_be_in_a_file(tmp_path):
    path = tmp_path / "key"
    path.write_text(" secret\n")
    assert read_key(path) == "secret"
    assert read_key(None) is None
    for content in ("", "two\nlines", "schlüssel"):
        path.write_text(content)
        with pytest.raises(ConfigurationError, match="SECOND_TIER_KEY_FILE"):
            read_key(path)
    with pytest.raises(ConfigurationError, match="SECOND_TIER_KEY_FILE"):
        read_key(tmp_path / "nothing")


def test_a_key_and_a_file_with_one_contradict_each_other(tmp_path):
    with pytest.raises(ConfigurationError, match="exclude"):
        Settings.load(second_tier_key="secret", second_tier_key_file=tmp_path / "key")


@pytest.mark.parametrize("address", ["127.0.0.1:8080", "ftp://host/v1", "http://host/v1?key=secret"])
def test_an_address_must_be_one(address):
    with pytest.raises(ConfigurationError, match="SECOND_TIER"):
        Settings.load(second_tier=address)


def test_what_a_model_thinks_is_no_translation():
    body = completion("<think>\nHm, dogs.\n</think>\n\nWe have dogs.").partition(b"\r\n\r\n")[2]
    assert read_answer(body) == "We have dogs."
    with pytest.raises(Unusable):
        read_answer(b'{"choices": 5}')


def test_an_open_circuit_lets_one_call_try_after_a_pause():
    now = [0.0]
    circuit = Circuit(lambda: now[0])
    for _ in range(FAILURES):
        assert circuit.lets_through()
        circuit.failed()
    assert not circuit.lets_through()
    now[0] += PAUSE_S
    assert circuit.lets_through()
    assert not circuit.lets_through(), "one is trying"
    circuit.succeeded()
    assert circuit.lets_through()
    assert not circuit.is_open


async def test_a_proxy_of_the_environment_gets_nothing(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with chatting(honest) as chat, tiered(chat) as client:
        assert (await translate(client, TEXTS)).json()["translatedText"] == BETTER
