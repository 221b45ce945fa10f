"""An offer with hosts_only: each visitor counts once, from the request to the report."""

from typing import Any

from tests.support.offer_scenario import click_id_of, create_offer_scenario, period_around_today
from tests.support.processes.program import RunningProgram, poll_until


def test_clicks_of_a_seen_visitor_convert_and_are_not_counted(program: RunningProgram) -> None:
    story = create_offer_scenario(program)

    def switch(on: int) -> None:
        """Switch the offer and wait until the edge has it, by clicks without sub1."""
        url = f"https://shop.example/?click={{clickid}}&counts={on}"
        program.api("POST", f"/3.0/admin/offer/{story.offer}", {"hosts_only": on, "url": url})
        there = f"counts={on}"
        poll_until(
            lambda: there in story.click().headers.get("location", ""), seconds=10, what="the switch at the edge"
        )

    def click() -> str:
        return click_id_of(story.click(ip="192.0.2.71", sub1="seen"))

    def row() -> dict[str, Any]:
        filters = {f"filter[{name}]": day for name, day in period_around_today().items()}
        rows = program.api("GET", "/3.0/stats/getbyprogram", filters | {"filter[sub1]": "seen"})["stats"]
        return rows[0] if rows else {}

    def listed(**params: str) -> list[str]:
        asked = {**period_around_today(), "offer[]": str(story.offer), "sub1[]": "seen", **params}
        return sorted(each["id"] for each in program.api("GET", "/3.1/stats/clicks", asked)["clicks"])

    switch(1)
    first, second = click(), click()
    assert story.call(second).status == 200
    poll_until(lambda: row() and row()["actions"]["total"]["count"] == 1, seconds=20, what="the conversion")
    assert row()["traffic"] == {"raw": "1", "uniq": "1"}
    switch(0)
    third = click()
    poll_until(lambda: row()["traffic"] == {"raw": "2", "uniq": "1"}, seconds=20, what="the click after the switch")
    assert listed() == sorted([first, third]) and listed(verdict="all") == sorted([first, second, third])
    assert "passed, a visitor seen before, which statistics leave out" in program.command("explain", second).stdout
