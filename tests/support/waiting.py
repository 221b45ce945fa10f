"""Waiting for what another thread or process does, with a limit."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], object], *, seconds: float = 10) -> None:
    """Returns as soon as `condition()` is true; fails the test when it is not after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"still not so after {seconds} s")
        time.sleep(0.02)
