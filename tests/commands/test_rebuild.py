"""The output and the exit status of `trackyard rebuild`."""

import io
from typing import Any

import pytest

from trackyard.commands import rebuild as command
from trackyard.commands.local_api import ApiError
from trackyard.runtime.settings import CannotStart

HELD = {"rows": 4, "charge": 0, "payout": 0}
DIFFERENCE = {"what": "click", "key": "001-1 at 7", "expected": "once", "found": "nowhere"}
ENDED: dict[str, Any] = {
    "number": 3, "wish": "swap", "stage": "swapped", "ended": True, "step": "swap", "done": 1, "total": 1,
    "seconds": 1.5, "carried": 0, "why": "", "count": 0, "differences": [],
    "figures": [
        {"table": "click", "group": "", "live": HELD, "made": {**HELD, "rows": 5}},
        {"table": "fact", "group": "1", "live": {"rows": 1, "charge": 10, "payout": 7}, "made": HELD},
    ],
}  # fmt: skip


class FakeRebuildApi:
    """A fake API that repeats its last answer."""

    def __init__(self, *answers: dict[str, Any] | None) -> None:
        self._answers = list(answers)
        self.asked: list[Any] = []

    def post(self, _path: str, params: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(params)
        return {"rebuild": {"number": 3}}

    def get(self, _path: str) -> dict[str, Any]:
        return {"rebuild": self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]}


def _run(monkeypatch: pytest.MonkeyPatch, api: FakeRebuildApi, wish: str = "swap") -> tuple[list[str], bool, str]:
    monkeypatch.setattr(command, "_POLL_S", 0.0)
    out = io.StringIO()
    ended = command.rebuild(api, wish, out)
    assert api.asked == [{"wish": wish}]
    return command.rebuild_lines(ended), command.has_ended_well(ended), out.getvalue()


def test_rebuild_command_prints_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    running = ENDED | {"ended": False, "stage": "doubling", "step": "journals", "done": 1, "total": 9}
    api = FakeRebuildApi(running, running | {"done": 5}, running | {"step": "comparison"}, ENDED)
    lines, fine, shown = _run(monkeypatch, api)
    assert fine
    assert [line.split(":")[0] for line in shown.splitlines()] == ["journals", "comparison"]
    assert lines[1].split() == ["4", "5", "clicks"]
    assert "conversions confirmed (charge 10 | 0, payout 7 | 0)" in lines[2]
    assert lines[-1] == "nothing differs; the rebuilt tables are used now (1.5 s)"


@pytest.mark.parametrize(
    ("seen", "fine", "last"),
    [
        ({"stage": "kept", "wish": "check"}, True, "nothing differs; nothing was changed (1.5 s)"),
        ({"stage": "failed", "why": "the disk is full"}, False, "it failed, and nothing was changed: the disk is full"),
        (
            {"stage": "kept", "count": 7, "differences": [DIFFERENCE]},
            False,
            "7 differences; nothing was changed: `trackyard rebuild --accept` puts what is recorded in place (1.5 s)",
        ),
        (
            {"stage": "kept", "wish": "check", "count": 1, "differences": [DIFFERENCE]},
            False,
            "1 difference; nothing was changed (1.5 s)",
        ),
        (
            {"stage": "swapped", "wish": "accept", "count": 1, "differences": [DIFFERENCE]},
            True,
            "1 difference; the rebuilt tables are used now (1.5 s)",
        ),
    ],
)
def test_rebuild_command_prints_result_and_findings(
    monkeypatch: pytest.MonkeyPatch, seen: dict[str, Any], fine: bool, last: str
) -> None:
    lines, ended_well, _ = _run(monkeypatch, FakeRebuildApi(ENDED | seen), str(seen.get("wish", "swap")))
    assert (lines[-1], ended_well) == (last, fine)
    named = [line for line in lines if line.startswith("DIFFERENT")]
    assert named == ["DIFFERENT click 001-1 at 7: expected once, found nowhere"] * len(seen.get("differences", []))
    assert ("… and 6 more differences" in lines) == (seen.get("count") == 7)


def test_rebuild_command_on_restarted_server_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CannotStart, match="restarted"):
        _run(monkeypatch, FakeRebuildApi(None))


def test_rebuild_command_rejected_by_server_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class RejectingRebuildApi(FakeRebuildApi):
        def post(self, _path: str, params: dict[str, Any]) -> dict[str, Any]:
            raise ApiError(409, "Conflict")

    with pytest.raises(CannotStart, match="409: Conflict"):
        _run(monkeypatch, RejectingRebuildApi(None))
