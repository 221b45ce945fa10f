"""End to end: an advertiser refuses an affiliate, and admits it again."""

from pathlib import Path

from tests.support.program import Program, until
from tests.support.story import SHOP, Story, begin


def test_the_clicks_of_a_blacklisted_affiliate_go_elsewhere(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.start()
    story = begin(program)
    story.await_rules()
    pair = {"advertisers_id": story.advertiser, "pid": story.affiliate}
    program.api("POST", "/3.0/admin/advertiser/disable-affiliate", pair)
    await_target(story, "https://elsewhere.example/")
    program.api("POST", "/3.0/admin/advertiser/enable-affiliate", pair)
    await_target(story, SHOP)
    assert program.stop() == 0


def await_target(story: Story, address: str) -> None:
    def leads_there() -> bool:
        return story.click().headers.get("location", "").startswith(address)

    until(leads_there, seconds=10, what=f"clicks to lead to {address}")
