"""The end of a run of chaos fails for whatever is lost or doubled."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.chaos.__main__ import conclude
from tests.chaos.verdict import Arrivals, Conversion, RunEvidence

FIGURES = {"seed": 7, "clicks_s": 2000, "faults": {"kill core": 2}}
PAID, PENDING = ("conversion-1", "confirmed"), ("conversion-1", "pending")


def whole() -> RunEvidence:
    """The evidence of a run that lost nothing: an unanswered click, and a replaced report."""
    return RunEvidence(
        clicks_acknowledged=["a", "b"],
        clicks_unsure=1,
        clicks_recorded={"a": 1, "b": 1, "unanswered": 1},
        clicks_counted={"a": 1, "b": 1, "unanswered": 1},
        clicks_reported=3,
        actions_sent={"order-1", "order-2"},
        actions_acknowledged={"order-1"},
        conversions=[Conversion("conversion-1", "order-1", "a", "confirmed")],
        conversions_counted={"conversion-1": 1, "gone": 0},
        reports={PAID, PENDING},
        superseded={PENDING},
        arrivals={PAID: Arrivals({"delivery-1"}, 2, 1)},
        balances={5: ("7", "7", "7")},
        left={"inbox": 0},
        audits={"machine": ""},
        stops=[("machine", 3.0, 0)],
    )


def test_evidence_of_whole_run_ends_with_0_and_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert conclude(whole(), FIGURES, as_json=True) == 0
    printed = capsys.readouterr().out
    assert "nothing lost, nothing twice" in printed
    assert json.loads(printed.splitlines()[-1]) == FIGURES | {"problems": []}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"clicks_recorded": {"a": 1, "unanswered": 1}}, "clicks acknowledged and not recorded: 1, such as b"),
        ({"clicks_counted": {"a": 1, "b": 1}, "clicks_reported": 2}, "clicks recorded and not counted"),
        ({"clicks_counted": {"a": 2, "b": 1, "unanswered": 1}}, "clicks counted twice: 1, such as a"),
        ({"clicks_recorded": {"a": 1, "b": 2, "unanswered": 1}}, "clicks recorded twice"),
        ({"clicks_unsure": 0}, "clicks: 1 recorded beyond what was sent"),
        ({"clicks_reported": 2}, "the daily report has 2"),
        ({"actions_acknowledged": {"order-1", "order-2"}}, "postbacks acknowledged without a conversion"),
        ({"conversions_counted": {"conversion-1": 2}}, "conversions not counted once"),
        ({"conversions_counted": {"conversion-1": 1, "gone": 1}}, "conversions counted that do not exist"),
        ({"arrivals": {}}, "deliveries that did not arrive: 1"),
        ({"arrivals": {PAID: Arrivals({"delivery-1"}, 3, 0)}}, "deliveries that did not arrive: 1"),
        ({"arrivals": {PAID: Arrivals({"delivery-1", "delivery-2"}, 2, 2)}}, "deliveries with a changed id"),
        ({"superseded": set()}, "deliveries that did not arrive: 1"),
        ({"balances": {5: ("14", "14", "7")}}, "balance of affiliate 5"),
        ({"balances": {5: ("7", "0", "7")}}, "balance of affiliate 5"),
        ({"left": {"inbox": 1}}, "queue inbox: 1 rows are left"),
        ({"audits": {"machine": "exit status 1"}}, "audit of machine"),
        ({"stops": [("machine", 46.0, 0)]}, "stop of machine: it took 46 s"),
        ({"stops": [("machine", 1.0, -15)]}, "stop of machine: exit status -15"),
        ({"failures": ["kill all: not ready"]}, "kill all: not ready"),
    ],
)
def test_evidence_of_loss_or_double_ends_with_1(
    change: dict[str, Any], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert conclude(replace(whole(), **change), FIGURES, as_json=False) == 1
    assert problem in capsys.readouterr().out


@pytest.mark.parametrize(
    "second",
    [
        lambda first: replace(first, id="conversion-2"),
        lambda first: replace(first, id="conversion-2", action="order-2"),
    ],
)
def test_evidence_of_doubled_conversion_ends_with_1(
    second: Callable[[Conversion], Conversion], capsys: pytest.CaptureFixture[str]
) -> None:
    evidence = whole()
    [first] = evidence.conversions
    evidence = replace(
        evidence,
        conversions=[first, second(first)],
        conversions_counted={"conversion-1": 1, "conversion-2": 1},
    )
    assert conclude(evidence, FIGURES, as_json=False) == 1
    assert "conversions twice" in capsys.readouterr().out
