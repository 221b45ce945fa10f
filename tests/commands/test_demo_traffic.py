"""The traffic of the demonstration and its network, without a server."""

from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from trackyard.commands.demo.network import BUILD_STEPS, DemoNetwork, NetworkBuilder
from trackyard.commands.demo.offers import OFFERS
from trackyard.commands.demo.traffic import TrackingRequest, TrafficGenerator
from trackyard.commands.local_api import ApiClient

DAY_MS = 86_400_000
END = 1_700_000_000_000
BEGIN = END - 10 * DAY_MS
TODAY = END - END % DAY_MS
NETWORK = DemoNetwork(
    offers={plan.key: number for number, plan in enumerate(OFFERS, 1)},
    affiliates={
        key: number for number, key in enumerate(("harbour", "meadow", "north", "lantern", "quiet", "gone"), 1)
    },
    advertisers={},
    keys={},
    codes={plan.key: f"code of {plan.key}" if plan.signs else "" for plan in OFFERS},
    pixel_codes={plan.key: f"pixels of {plan.key}" for plan in OFFERS},
    smartlink="5" * 24,
)


def shop(ask: TrackingRequest) -> str:
    """Return the target of a click at an edge that rejects nothing, with an id made of the click."""
    if ask.path != "/click" or not ask.query["offer_id"].isdigit() or ask.query["offer_id"] == "999999":
        return ""
    params = {"click": f"{ask.at:024x}", "offer": ask.query["offer_id"]}
    return f"https://shop.example/x?{urlencode(params)}"


def played(seed: str, count: int, send: Callable[[TrackingRequest], str] = shop) -> list[TrackingRequest]:
    """Return the requests of ten days."""
    sent: list[TrackingRequest] = []

    def record(ask: TrackingRequest) -> str:
        sent.append(ask)
        return send(ask)

    crowd = TrafficGenerator(NETWORK, seed, count, lambda seconds: seconds)
    times = list(crowd.send_visits(crowd.past(BEGIN, TODAY, END), END, record))
    assert times == [ask.at for ask in sent] == sorted(times)
    return sent


def test_demo_traffic_is_deterministic_by_seed() -> None:
    assert played("1", 400) == played("1", 400)
    assert played("1", 400) != played("2", 400)


def test_demo_history_has_each_request_kind_within_period() -> None:
    sent = played("1", 3000)
    assert sent[0].at >= BEGIN
    assert sent[-1].at <= END
    kinds = Counter(ask.path for ask in sent)
    assert set(kinds) == {"/click", "/sl", "/imp", "/postback", "/success.jpg"}
    clicks = {f"{ask.at:024x}" for ask in sent if ask.path == "/click"}
    named = [ask.query["clickid"] for ask in sent if ask.path == "/postback" and "clickid" in ask.query]
    assert set(named) - clicks == {"0" * 24}
    assert {ask.query.get("secure") for ask in sent if ask.path == "/postback"} >= {None, "code of private"}
    limited = {str(NETWORK.offers[plan.key]) for plan in OFFERS if plan.rests_today}
    counted = [ask.at for ask in sent if ask.path == "/click" and ask.query["offer_id"] in limited]
    assert counted
    assert max(counted) < TODAY + DAY_MS // 4  # who clicks twice, or looked before, may come after midnight


def test_demo_offers_with_banners_are_seen_far_more_often_than_clicked() -> None:
    sent = played("1", 1000)
    seen = Counter(ask.query["oid"] for ask in sent if ask.path == "/imp")
    clicked = Counter(ask.query["offer_id"] for ask in sent if ask.path == "/click")
    assert len(seen) == 2 and all(0.01 < clicked[offer] / views < 0.15 for offer, views in seen.items())


def test_demo_visitors_not_redirected_to_shop_do_not_convert() -> None:
    sent = played("1", 500, lambda _: "https://elsewhere.example/?click=1&offer=1")
    assert {ask.path for ask in sent} == {"/click", "/sl", "/imp"}


@pytest.mark.parametrize(("arrives", "postbacks"), [(True, 4), (False, 0)])
def test_demo_creates_postbacks_where_they_may_arrive(
    arrives: bool, postbacks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    posts: list[tuple[str, dict[str, Any]]] = []
    done: list[None] = []

    def post(_api: ApiClient, path: str, params: dict[str, Any]) -> dict[str, Any]:
        posts.append((path, params))
        record = {
            "id": len(posts),
            "_id": f"{len(posts):024x}",
            "api_key": f"{len(posts):040x}",
            "hash_password": None,
            "pixel_code": "p" * 40,
        }
        return dict.fromkeys(("user", "advertiser", "category", "source", "partner", "offer"), record)

    monkeypatch.setattr(ApiClient, "post", post)
    making = NetworkBuilder(ApiClient("http://127.0.0.1:1", "k"), lambda: done.append(None))
    network = making.make("http://127.0.0.1:9", lambda _: arrives)
    assert len(done) == BUILD_STEPS
    assert len(network.offers) == len(OFFERS)
    assert sum(path == "/3.1/partner/postback" for path, _ in posts) == postbacks
    params = [form for _, form in posts if "parallel_tracking_url" in form or "cross_postback_url" in form]
    assert bool(params) == arrives
