"""How many examples Hypothesis makes up: fewer in every run of the tests, many in ``make test-variations``."""

import os

from hypothesis import settings

FACTOR = int(os.environ.get("EXAMPLES_FACTOR", "1"))


def examples(number: int) -> settings:
    """So many examples in a usual run."""
    return settings(max_examples=FACTOR * number)
