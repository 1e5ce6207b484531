"""The service over the graphs for a GPU, on the CPU: every kind of request gets the answer of the simple graphs."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from app.engine.models.bundle import Bundle
from app.engine.onnx.device import DeviceModel
from tests.support.device import open_device_model, write_device_graphs
from tests.support.engines import GERMAN
from tests.support.fakes import serving
from tests.support.toy import engine_of

TEXT = " ".join(GERMAN[:3])
REQUESTS: dict[str, dict[str, Any]] = {
    "plain": {"q": TEXT},
    "greedy": {"q": TEXT, "beam_size": 1},
    "many": {"q": GERMAN, "beam_size": 3},
    "html": {"q": f"<p>{GERMAN[0]} <b>{GERMAN[1]}</b></p>", "format": "html"},
    "alternatives": {"q": GERMAN[2], "alternatives": 3},
    "wide": {"q": GERMAN[2], "beam_size": 6},
    "spans": {"q": f"{GERMAN[0][:-1]} {{{{name}}}}."},
    "glossary": {"q": GERMAN[0], "glossary": {GERMAN[0].split()[0]: "station"}},
    "prefix": {"q": GERMAN[1], "prefix": "The"},
    "limits": {"q": GERMAN[1], "min_length": 4, "no_repeat_ngram": 2},
    "details": {"q": TEXT, "details": True},
}


@pytest.fixture(scope="module")
def device(tiny_bundle: Bundle, tmp_path_factory: pytest.TempPathFactory) -> DeviceModel:
    paths: dict[str, Path] = write_device_graphs(tiny_bundle, tmp_path_factory.mktemp("device"))
    return open_device_model(tiny_bundle, paths, sentences=2)


def about(answer: Any) -> Any:
    """What equals an answer whose scores differ in their last digits, whatever its timing."""
    if isinstance(answer, dict):
        return {key: ANY if key == "timing" else about(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [about(each) for each in answer]
    return pytest.approx(answer, abs=1e-3) if isinstance(answer, float) else answer


@pytest.mark.parametrize("name", REQUESTS)
async def test_answers_are_those_of_the_simple_graphs(tiny_bundle, tiny_onnx, device, name):
    answers = []
    for model in (tiny_onnx, device):
        async with serving(engine_of(tiny_bundle, model)) as client:
            response = await client.post("/translate", json={"source": "de", "target": "en", **REQUESTS[name]})
            assert response.status_code == 200, response.text
            answers.append(response.json())
    assert answers[1] == about(answers[0])


async def test_a_stream_ends_in_the_same_answer(tiny_bundle, tiny_onnx, device):
    bodies = []
    for model in (tiny_onnx, device):
        async with serving(engine_of(tiny_bundle, model)) as client:
            wanted = {"q": TEXT, "source": "de", "target": "en", "beam_size": 1, "stream": True}
            response = await client.post("/translate", json=wanted)
            last = [line for line in response.text.splitlines() if line.startswith("data:")][-1]
            bodies.append(json.loads(last.removeprefix("data:")))
    assert bodies[1] == about(bodies[0])
