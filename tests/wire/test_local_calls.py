"""Calls of methods from within the process."""

from contextlib import ExitStack
from dataclasses import fields
from typing import Any
from unittest import mock

from trackyard.base.logs.origin import RequestOrigin
from trackyard.wire.local_calls import LocalCalls


def full_calls() -> LocalCalls[Any]:
    """Calls with a value of its own in each field; a new field without one here fails the test below."""
    return LocalCalls(
        context=mock.Mock(),
        caller=mock.Mock(),
        origin=RequestOrigin(id="7"),
        reserve_report=mock.Mock(return_value=ExitStack()),
        reserve_file=mock.Mock(),
        looks=True,
        timezone="Pacific/Kiritimati",
        warnings=["There is no macro {clickidd}."],
    )


def test_calls_with_one_place_keep_every_field_but_that_place() -> None:
    calls = full_calls()
    usual: LocalCalls[Any] = LocalCalls(mock.Mock(), None, RequestOrigin(), mock.Mock())
    names = [each.name for each in fields(calls)]
    assert len(names) == 8
    assert [name for name in names if getattr(calls, name) == getattr(usual, name)] == []
    with calls.one_place() as own:
        kept = [name for name in names if getattr(own, name) is getattr(calls, name)]
    assert [name for name in names if name not in kept] == ["reserve_report"]
    assert isinstance(calls.reserve_report, mock.Mock)
    calls.reserve_report.assert_called_once_with()
