import threading
import time

import pytest

from app.errors import Cancelled, DeadlineExceeded
from app.fairness.budget import Budget, checkpoint


def test_a_checkpoint_without_a_budget_does_nothing() -> None:
    checkpoint()


def test_work_within_its_budget_gives_its_result() -> None:
    def work(number: int, *, times: int) -> int:
        checkpoint()
        return number * times

    assert Budget(deadline=time.monotonic() + 60).run(work, 3, times=2) == 6


def test_work_ends_at_the_first_checkpoint_after_its_deadline() -> None:
    def work() -> None:
        budget.deadline = time.monotonic() - 1
        checkpoint()
        pytest.fail("the work went on")

    budget = Budget()
    with pytest.raises(DeadlineExceeded):
        budget.run(work)


def test_work_whose_deadline_has_passed_is_not_begun() -> None:
    with pytest.raises(DeadlineExceeded):
        Budget(deadline=time.monotonic() - 1).run(pytest.fail, "the work was begun")


def test_a_thread_that_is_cancelled_ends() -> None:
    began, ended = threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        while True:
            checkpoint()

    def run() -> None:
        with pytest.raises(Cancelled):
            budget.run(work)
        ended.set()

    budget = Budget()
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert began.wait(timeout=60)
    budget.cancel()
    assert ended.wait(timeout=60)


def test_a_budget_is_that_of_the_innermost_run_and_of_its_own_thread() -> None:
    spent = Budget(cancelled=True)

    def inner() -> None:
        checkpoint()

    def outer() -> None:
        with pytest.raises(Cancelled):
            spent.run(inner)
        thread = threading.Thread(target=checkpoint)  # a new thread has no budget
        thread.start()
        thread.join()
        checkpoint()

    Budget().run(outer)
