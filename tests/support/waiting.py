"""Waiting for what another thread or process does, with a limit."""

import time
from collections.abc import Callable
from typing import Final

PATIENCE: Final = 3
"""How many times slower than a quiet machine a shared one may be: a limit ends a test that would never end."""


def wait_until(condition: Callable[[], object], *, seconds: float = 10) -> None:
    """Wait until `condition()` is true; fail the test after `seconds` of a quiet machine."""
    end = time.monotonic() + seconds * PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"still not so after {seconds} s")
        time.sleep(0.02)
