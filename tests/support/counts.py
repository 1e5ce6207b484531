"""How many examples a property is tested with: few in every run, all that was promised with DRAGOMAN_FULL_COUNTS=1."""

import os


def examples(full: int) -> int:
    return full if os.environ.get("DRAGOMAN_FULL_COUNTS") == "1" else min(full, 150)
