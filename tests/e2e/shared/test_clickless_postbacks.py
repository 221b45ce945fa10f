"""Postbacks without a click reach the health of their sender."""

from typing import Any

from tests.support.offer_scenario import create_offer_scenario
from tests.support.processes.program import RunningProgram, poll_until

UNKNOWN = "f" * 24


def test_health_counts_inbound_postbacks_with_no_click_and_an_unknown_click(program: RunningProgram) -> None:
    story = create_offer_scenario(program)
    assert story.call("").status == 200
    assert story.call("{clickid}").status == 200
    assert story.call(UNKNOWN, secure="", offer_id=str(story.offer)).status == 200

    def health(of: str, key: Any) -> dict[str, Any]:
        found: dict[str, Any] = program.api("GET", f"/3.1/admin/{of}/{key}/health")["health"]
        return found

    def counted(of: str, key: Any) -> dict[str, int]:
        return {each["response"]: each["number"] for each in health(of, key)["postbacks_without_click"]}

    of_all = {"Broken clickid": 2, "Missing mandatory parameter clickid": 1}
    poll_until(
        lambda: counted("advertiser", story.advertiser) == of_all,
        seconds=40,  # an unknown click is waited for
        what="the postbacks in the health of the advertiser",
    )
    assert counted("offer", story.offer) == {"Broken clickid": 1}
    found = health("advertiser", story.advertiser)
    assert found["literal_macros"] == ["clickid"]
    assert {"macros", "postbacks_without_click"} <= {each["kind"] for each in found["findings"]}
