"""End to end: an advertiser blocks an affiliate and unblocks it."""

from tests.support.offer_scenario import SHOP, OfferScenario, create_offer_scenario
from tests.support.processes.program import RunningProgram, poll_until


def test_blacklisted_affiliate_clicks_go_to_trafficback(program: RunningProgram) -> None:
    story = create_offer_scenario(program)
    story.await_rules()
    pair = {"advertisers_id": story.advertiser, "pid": story.affiliate}
    program.api("POST", "/3.0/admin/advertiser/disable-affiliate", pair)
    await_target(story, "https://elsewhere.example/")
    program.api("POST", "/3.0/admin/advertiser/enable-affiliate", pair)
    await_target(story, SHOP)


def await_target(story: OfferScenario, address: str) -> None:
    def leads_there() -> bool:
        return story.click().headers.get("location", "").startswith(address)

    poll_until(leads_there, seconds=10, what=f"clicks to lead to {address}")
