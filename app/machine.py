"""What this process may use of the machine, which in a container is less than the machine has."""

import math
import os
from contextlib import suppress
from pathlib import Path

CONTROL_GROUP = Path("/sys/fs/cgroup")


def available_cores() -> int:
    """The number of cores that this process may use, which in a container is less than the machine has."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # A control group's quota of time and the period that it is for; without one "max", or -1 in the older version.
    for names in (["cpu.max"], ["cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us"]):
        with suppress(OSError, ValueError):
            text = " ".join((CONTROL_GROUP / name).read_text(encoding="ascii") for name in names)
            quota, period = map(int, text.split())
            return min(cores, math.ceil(quota / period)) if quota > 0 else cores
    return cores


def available_memory_bytes() -> int:
    """The main memory that this process may use, which in a container is less than the machine has."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    # A control group's limit, in either version; without one it reads "max", or a number beyond any machine.
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            return min(machine, int((CONTROL_GROUP / name).read_text(encoding="ascii")))
    return machine
