from collections.abc import Iterator
from itertools import islice

import torch

from tests.support.workplace import Workplace


def test_distilled_sources_teach_what_the_initial_model_knows(workplaces: Iterator[Workplace]) -> None:
    earlier, later = next(workplaces), next(workplaces)
    earlier.write_recipe(updates=4)
    earlier.train()
    trainer = later.trainer(
        head=f'initial = "{earlier.run / "averaged"}"', model="dropout = 0.0", source="distilled = true"
    )
    seen = set()
    for batch in islice(trainer.batches(0), 20):
        result = trainer.objective(trainer.model, batch, 0.1)
        seen.add(batch.distilled)
        assert (abs(result.smoothed.item()) < 1e-3) == batch.distilled, "the model is still the teacher"
        assert result.likelihood.item() > 1
    assert seen == {True, False}
    before = [tensor.clone() for tensor in trainer.teacher.parameters()]  # type: ignore[union-attr]
    batches = trainer.batches(0)
    for _ in range(3):
        trainer.update(batches)
    assert all(map(torch.equal, before, trainer.teacher.parameters()))  # type: ignore[union-attr]
