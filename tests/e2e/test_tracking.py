"""Every tracking address of the running program leads to conversions, impressions and statistics."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.offer_scenario import SHOP, OfferScenario, create_offer_scenario, period_around_today
from tests.support.processes.program import KEY, RunningProgram, poll_until, request


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OfferScenario]:
    program = RunningProgram(tmp_path_factory.mktemp("tracking"))
    program.start()
    made = create_offer_scenario(program)
    more = {"allow_deeplink": 1, "allow_impressions": 1}
    program.api("POST", f"/3.0/admin/offer/{made.offer}", more)
    made.await_rules()
    # The offer may be known before its edit is.
    poll_until(
        lambda: "inside" in made.click(path="inside").headers["location"], seconds=10, what="the edit at the edge"
    )
    yield made
    assert program.stop() == 0


def click(story: OfferScenario, path: str, **headers: str) -> dict[str, Any]:
    """Return the click and its target."""
    answer = story.program.track(f"{path}&format=json", **headers)
    assert answer.status == 200, answer
    found: dict[str, Any] = answer.json
    return found


def conversions(story: OfferScenario) -> dict[str, tuple[str, str, float]]:
    """Return the click, status and payout of conversions, by action_id."""
    found = story.program.api("GET", "/3.0/stats/conversions", period_around_today())["conversions"]
    return {each["action_id"]: (each["clickid"], each["status"], each["payouts"]) for each in found}


def test_pixels_become_conversions_end_to_end(story: OfferScenario) -> None:
    offer = story.offer
    made = click(story, f"/click?pid={story.affiliate}&offer_id={offer}", Origin="https://page.example")["clickid"]
    cookie = f"afclick_{offer}={made}; afpid_{offer}={story.affiliate}"
    sent = {
        "image": (f"/success.jpg?offer_id={offer}&afid=image", {"Cookie": cookie}),
        "page": (f"/success.php?offer_id={offer}&afid=page&afstatus=2", {"Cookie": cookie}),
        "script": (f"/track.js?afclick={made}&afid=script&afstatus=3", {}),
    }
    for path, headers in sent.values():
        assert story.program.track(path, **headers).status == 200
    found = poll_until(
        lambda: sent.keys() <= (known := conversions(story)).keys() and known, seconds=15, what="conversions"
    )
    assert {action_id: found[action_id] for action_id in sent} == {
        "image": (made, "confirmed", 7),
        "page": (made, "pending", 7),
        "script": (made, "declined", 7),
    }


def test_accepted_pixel_is_shown_on_success_page(story: OfferScenario) -> None:
    code = "<img src='https://t.example/?c={clickid}'>"
    new = {"pid": story.affiliate, "offer_id": story.offer, "name": "P", "code": code, "code_type": "image"}
    story.program.api("POST", "/3.0/partner/pixel", new)
    made = "a" * 24
    cookie = f"afclick_{story.offer}={made}; afpid_{story.offer}={story.affiliate}"
    shown = f"https://t.example/?c={made}".encode()
    path = f"/success.php?offer_id={story.offer}"
    poll_until(lambda: shown in story.program.track(path, Cookie=cookie).body, seconds=10, what="the pixel at the edge")


def test_impressions_are_counted_in_statistics(story: OfferScenario) -> None:
    for number in range(3):
        answer = story.program.track(f"/imp?aid={story.affiliate}&oid={story.offer}&sub1={number}")
        assert answer.body.startswith(b"GIF89a")
    assert story.program.track(f"/imp?aid=424242&oid={story.offer}").status == 200
    row = poll_until(lambda: (day := story.figures(KEY)).get("views", 0) >= 3 and day, seconds=10, what="views")
    assert row["views"] == 3
    assert story.figures(story.affiliate_key)["views"] == 3


def test_postback_of_rejected_click_is_broken_clickid(story: OfferScenario) -> None:
    refused = click(story, f"/click?pid=424242&offer_id={story.offer}")
    assert refused["url"].startswith("https://elsewhere.example/")
    story.call(refused["clickid"], action_id="refused")

    def responses() -> list[str]:
        records = story.program.api("GET", "/3.0/stats/serverpostbacks", period_around_today())["postbacks"]
        return [each["response"] for each in records if "refused" in str(each)]

    assert poll_until(responses, seconds=15, what="the call in the log") == ["Broken clickid"]


def test_smartlink_and_deep_link_redirect_to_offer(story: OfferScenario) -> None:
    category = story.program.api("POST", "/3.0/admin/smartlink/category", {"name": "Best"})["category"]["_id"]
    story.program.api("POST", f"/3.0/admin/offer/{story.offer}", {"smartlink_categories[]": category})
    link = f"/sl?id={category}&pid={story.affiliate}&sub1=x"

    def location() -> str:
        return story.program.track(link).headers.get("location", "")

    poll_until(lambda: location().startswith(SHOP), seconds=10, what="the SmartLink at the edge")
    inside = f"{SHOP}shoes?size=9"
    assert story.program.track(f"{link}&redirect={inside}").headers["location"] == inside
    poll_until(lambda: _has_smart_traffic(story, category), seconds=10, what="statistics of the SmartLink")


def _has_smart_traffic(story: OfferScenario, category: str) -> bool:
    filters = {"slice[]": "smart_id", "filter[date_from]": period_around_today()["date_from"]}
    filters["filter[date_to]"] = period_around_today()["date_to"]
    rows = story.program.api("GET", "/3.0/stats/custom", filters)["stats"]
    return any(category in str(row["slice"]) for row in rows)


def test_api_address_answers_postbacks_and_pixels(story: OfferScenario) -> None:
    port, offer = story.program.api_port, story.offer
    made = click(story, f"/click?pid={story.affiliate}&offer_id={offer}")["clickid"]
    from_page = {"Origin": "https://page.example", "X-Forwarded-For": "203.0.113.77"}
    answer = request(port, "POST", f"/postback?clickid={made}", body=b"action_id=forwarded", headers=from_page)
    assert (answer.status, answer.json) == (200, {"status": 1})
    assert answer.headers["access-control-allow-origin"] == "https://page.example"
    image = request(port, "GET", f"/success.jpg?offer_id={offer}&afclick={made}&afid=pixel&afcomment=well")
    assert (image.status, image.body[:6]) == (200, b"GIF89a")
    found = poll_until(
        lambda: {"forwarded", "pixel"} <= (known := conversions(story)).keys() and known, seconds=15, what="both"
    )
    assert found["forwarded"] == found["pixel"] == (made, "confirmed", 7)
    listed = story.program.api("GET", "/3.0/stats/conversions", period_around_today() | {"action_id": "pixel"})[
        "conversions"
    ]
    assert [each["comment"] for each in listed] == ["well"]

    def logged() -> bool:
        found = story.program.api("GET", "/3.0/stats/serverpostbacks", period_around_today())["postbacks"]
        return any("203.0.113.77" in str(each) and "forwarded" in str(each) for each in found)

    poll_until(logged, seconds=15, what="the caller's address in the log")


def test_page_without_cookies_shows_the_pixel_of_its_click(story: OfferScenario) -> None:
    code = "<img src='https://t.example/?c={clickid}&s={sub1}&f={custom_field_2}&p={sum}'>"
    new = {"pid": story.affiliate, "offer_id": story.offer, "name": "Q", "code": code, "code_type": "image"}
    story.program.api("POST", "/3.0/partner/pixel", new)
    made = click(story, f"/click?pid={story.affiliate}&offer_id={story.offer}&sub1=first")["clickid"]
    path = f"/success.php?afclick={made}&custom_field2=two"
    shown = f"https://t.example/?c={made}&s=first&f=two&p='".encode()
    poll_until(lambda: shown in story.program.track(path).body, seconds=20, what="the pixel of the click")


def test_click_through_transit_page_has_prelanding(story: OfferScenario) -> None:
    page = {"title": "T", "url": f"{SHOP}transit?c={{clickid}}", "url_preview": SHOP, "type": "transit"}
    edit = {f"landings[0][{name}]": value for name, value in page.items()} | {"macro_url": "&aff={pid}"}
    offer = story.program.api("POST", f"/3.0/admin/offer/{story.offer}", edit)["offer"]
    landing = offer["landings"][0]["id"]
    path = f"/click?pid={story.affiliate}&offer_id={story.offer}&l={landing}"
    poll_until(lambda: "transit" in click(story, path)["url"], seconds=10, what="the transit page at the edge")
    made = click(story, path)
    assert made["url"] == f"{SHOP}transit?c={made['clickid']}&aff={story.affiliate}"
    story.call(made["clickid"], action_id="transit")
    poll_until(lambda: "transit" in conversions(story), seconds=15, what="the conversion")
    listed = story.program.api("GET", "/3.1/stats/conversions", period_around_today() | {"action_id": "transit"})[
        "conversions"
    ]
    one = story.program.api("GET", "/3.1/stats/conversionsbyid", {"id": listed[0]["id"]})["conversion"]
    assert (one["prelanding_id"], one["landing_id"] or 0) == (landing, 0)
    story.program.api("POST", f"/3.0/admin/offer/{story.offer}", {"macro_url": ""})
    poll_until(lambda: "aff=" not in click(story, path)["url"], seconds=10, what="the offer as it was")
