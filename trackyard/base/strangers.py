"""Acts of strangers and their places (docs/spec/callers.md#strangers).

An act is to check a password, to use or send a link, or to sign up. Each costs a hash, a mail or a write. PLACES of
them run at a time, whatever the door through which they came. A listener lets strangers wait for a place in threads of
their own (wire/limits/strangers.py). An act that came through another door does not wait: it is refused when no place
is free.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from functools import wraps
from threading import BoundedSemaphore, Lock
from typing import Final, ParamSpec, TypeVar

from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import Unavailable
from trackyard.base.metrics.turns import STRANGERS_REFUSED

PLACES: Final = 3
"""Fewer than passwords are hashed at a time (base/secrets.py), so that people who signed in always find a place."""
RETRY_S: Final = 5
_PLACE_WAIT_S: Final = 2.0
_LOG_PAUSE_S: Final = 60.0
"""Refusals of one kind are logged once in this time; the metric counts all of them."""
_BUSY: Final = f"Too many people sign in or sign up now: try again in {RETRY_S} seconds"

log = logging.getLogger("trackyard.api")

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R", bound=Exception)


class StrangerAct(StrEnum):
    """What a stranger may do that costs something."""

    CHECK_PASSWORD = "check_password"  # noqa: S105 (a name)
    USE_LINK = "use_link"
    SEND_LINK = "send_link"
    SIGN_UP = "sign_up"


class StrangersBusy(Unavailable):
    """As many strangers as may wait are waiting."""

    def __init__(self) -> None:
        super().__init__(_BUSY, code=ErrorCode.BUSY, retry_after=RETRY_S)


_places: Final = BoundedSemaphore(PLACES)
_act: Final = ContextVar[StrangerAct | None]("act of a stranger", default=None)
_door: Final = ContextVar[str]("door of a stranger", default="")
_logged_at: Final[dict[tuple[str, str, str], float]] = {}
_log_lock: Final = Lock()


@contextmanager
def at_door(path: str) -> Iterator[None]:
    """Run the block in threads for strangers.

    path: the declared path of the method or page through which the stranger came.
    """
    token = _door.set(path)
    try:
        yield
    finally:
        _door.reset(token)


def act_of_strangers(act: StrangerAct) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function hold a place while it runs.

    An act within an act needs no place of its own. The function raises StrangersBusy when no place is free.
    """

    def declare(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def act_in_place(*args: P.args, **options: P.kwargs) -> T:
            if _act.get() is not None:
                return function(*args, **options)
            if not _places.acquire(timeout=_PLACE_WAIT_S if _door.get() else 0):
                raise refused(act, _door.get(), "busy", StrangersBusy())
            token = _act.set(act)
            try:
                return function(*args, **options)
            finally:
                _act.reset(token)
                _places.release()

        return act_in_place

    return declare


def too_many_tries(refusal: R) -> R:
    """Count a refusal of the act that runs, and return it.

    Outside of an act of a stranger nothing is counted.
    """
    act = _act.get()
    return refusal if act is None else refused(act, _door.get(), "tries", refusal)


def refused(act: StrangerAct | None, door: str, reason: str, refusal: R) -> R:
    """Count the refusal of an act, and return it.

    It is logged at most once a minute.
    """
    labels = (act.value if act is not None else "other", door or "other", reason)
    STRANGERS_REFUSED.labels(*labels).inc()
    now = time.monotonic()
    with _log_lock:
        is_new = now - _logged_at.get(labels, -_LOG_PAUSE_S) >= _LOG_PAUSE_S
        if is_new:
            _logged_at[labels] = now
    if is_new:
        log.warning("strangers refused", extra=dict(zip(("act", "door", "reason"), labels, strict=True)))
    return refusal
