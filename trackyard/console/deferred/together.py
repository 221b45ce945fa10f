"""Reports of one page that run at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.wire.local_calls import LocalCalls

_AT_ONCE: Final = 2
"""As many as the analytic store runs for one caller (analytics/scheduler.py)."""

Question = Callable[[LocalCalls[Deps]], Any]


def ask_together(calls: LocalCalls[Deps], *questions: Question) -> list[Any]:
    """Return the answers to questions in their order. They take one place among the reports of the caller.

    After a failure, questions that have not begun are left out, and the failure is raised.
    """
    with calls.one_place() as own, ThreadPoolExecutor(_AT_ONCE, "together") as threads:
        asked = [threads.submit(copy_context().run, question, own) for question in questions]
        try:
            return [each.result() for each in asked]
        except BaseException:
            threads.shutdown(cancel_futures=True)
            raise
