"""`trackyard alerts`: what needs a person, with the page that shows it."""

import json

from tests.support.api import Api
from tests.support.command import run_command
from trackyard.actions.platform.alerts.keeping import keep_alerts
from trackyard.domain.platform.alerts.causes import SeenCause
from trackyard.domain.platform.findings import Finding, FindingKind

LATE = SeenCause(Finding(FindingKind.QUEUE_STUCK, "inbox", {"seconds": 900}))


def test_alerts_command_shows_open_alerts_with_their_pages(api: Api) -> None:
    assert run_command("alerts", api=api).stdout == "no alerts\n"
    keep_alerts(api.deps, "books", [LATE])
    shown = run_command("alerts", api=api)
    assert shown.exit_code == 0
    assert "The queue inbox does not move" in shown.stdout
    assert f"{api.deps.api_url}/console/health" in shown.stdout
    assert [each["kind"] for each in json.loads(run_command("alerts", "--json", api=api).stdout)] == ["lag"]
    assert run_command("alerts", "--state", "closed", api=api).stdout == "no alerts\n"


def test_alerts_command_with_an_unknown_kind_says_which_there_are(api: Api) -> None:
    refused = run_command("alerts", "--kind", "weather", api=api)
    assert refused.exit_code == 2
    assert "certificate" in refused.output
