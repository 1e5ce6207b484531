"""The rules that find examples, and that a model with a memory is scored with what it has read."""

from pathlib import Path

import pytest
import torch

from app.engine.models.tokenizer import Tokenizer
from model.evaluation.contrastive import Example, find_examples, measure
from model.network.transformer import Transformer
from tests.support.tiny import random_model, round_weights

BEFORE = ("Der Hund schläft.", "The dog is asleep.")


def found(german: str, english: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.kind, each.wrong) for each in find_examples([BEFORE, (german, english)], 1)]


@pytest.mark.parametrize(
    ("german", "english", "kind", "wrong"),
    [
        ("Er ist müde.", "It is tired.", "er", ("Sie ist müde.", "Es ist müde.")),
        ("Bald wird sie kommen.", "It will come soon.", "sie", ("Bald wird er kommen.", "Bald wird es kommen.")),
        ("Es war gut.", "It was good.", "es", ("Er war gut.", "Sie war gut.")),
        ("Bist du müde?", "Are you tired?", "du", ("Sind Sie müde?",)),
        ("Das haben Sie gesagt.", "You said that.", "Sie", ("Das hast du gesagt.",)),
        ("Ich danke dir.", "I thank you.", "du", ("Ich danke Ihnen.",)),
        ("Dein Hund, bitte.", "Your dog, please.", "du", ("Ihr Hund, bitte.",)),
        ("Wo ist deine Katze?", "Where is your cat?", "du", ("Wo ist Ihre Katze?",)),
        ("Wo ist Ihre Katze?", "Where is your cat?", "Sie", ("Wo ist deine Katze?",)),
    ],
)
def test_what_differs_in_the_word_in_question_alone(
    german: str, english: str, kind: str, wrong: tuple[str, ...]
) -> None:
    assert found(german, english) == [(kind, wrong)]


@pytest.mark.parametrize(
    ("german", "english"),
    [
        ("Er ist müde.", "He is tired."),
        ("Er sagt, sie ist müde.", "It says she is tired."),
        ("Er ist müde.", "It knows that you are tired."),
        ("Ich sehe es.", "I see it."),
        ("Er rennt.", "It runs because it can."),
        ("Du weißt, dass du müde bist.", "You know that you are tired."),
        ("Du rennst.", "You run."),
        ("Sie haben recht.", "You are right."),
        ("Ich kenne dich.", "I know you."),
        ("Was wollt ihr?", "What do you want?"),
        ("Bist du müde?", "Is he tired?"),
    ],
)
def test_what_the_rules_can_not_decide_is_left_out(german: str, english: str) -> None:
    assert not found(german, english)


def test_an_example_has_the_sentences_before_it() -> None:
    pairs = [("Eins.", "One."), BEFORE, ("Er ist müde.", "It is tired."), ("Ist er müde?", "Is it tired?")]
    examples = list(find_examples(pairs, 2))
    assert [example.before for example in examples] == [tuple(pairs[:2]), tuple(pairs[1:3])]
    assert examples[0].source == "It is tired." and examples[0].target == "Er ist müde."


def test_only_a_memory_makes_the_context_count(tiny_tokenizer: Path) -> None:
    tokenizer = Tokenizer(tiny_tokenizer, tiny_tokenizer)
    examples = [
        Example(
            "er" if n % 2 else "du",
            (BEFORE, (f"Zug {n}.", f"Train {n}.")),
            f"dog {n}",
            f"Hund {n}",
            (f"Hund {n + 1}",),
        )
        for n in range(40)
    ]
    alone, *_ = measure(random_model(), tokenizer, examples)
    assert (alone.kind, alone.examples) == ("er", 20)
    assert alone.margin[0] == alone.margin[1] and alone.accuracy[0] == alone.accuracy[1]
    model: Transformer = random_model(memory_length=16)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    round_weights(model)
    changed = measure(model, tokenizer, examples)
    assert [one.kind for one in changed] == ["er", "du"]
    assert all(one.margin[0] != one.margin[1] for one in changed)
