"""Lists of offers: their rows, order and visibility.

See docs/api/offer-lists.md and docs/spec/offers.md#lists-of-offers.
"""

from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import insert, update

from tests.support.api import NOW, Api
from tests.support.client import ApiClient
from tests.support.offers import payment, store_offer
from tests.support.stores import seeds
from tests.support.stores.statements import recorded_statements
from trackyard.domain.offers.offers import (
    AllowDeny,
    AllowDenyGeo,
    Cap,
    Interval,
    Offer,
    OfferSchedule,
    OsVersion,
    RestrictedOs,
    TargetingGroup,
)
from trackyard.domain.people.roles import Role
from trackyard.store.offers import offers as store
from trackyard.store.tables import category, domain, offer, source

DAY = 86_400_000


def ids(client: ApiClient, path: str = "/3.1/offers", /, **params: Any) -> list[int]:
    body = client.get(path, **params)
    assert body["pagination"]["total_count"] >= len(body["offers"])
    return [item["id"] for item in body["offers"]]


def connect(api: Api, item: Offer, pid: int, *, enabled: bool = True) -> None:
    with api.deps.database.write() as conn:
        seeds.add_connection(conn, item.id, pid, enabled=enabled)


FILTERS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"title": "Red 100%_boots"}, {"q": "100%_b"}),
    ({"title": "Red boots"}, {"q": "rED"}),
    ({"countries": ("DE", "FR")}, {"countries[]": ["fr", "IT"]}),
    ({"restriction_os": (RestrictedOs(os="Android"),)}, {"os": "android"}),
    ({"targeting": (TargetingGroup(os=(OsVersion(name="Windows"),)),)}, {"os": "web"}),
    ({"restriction_os": (RestrictedOs(os="iOS"),)}, {"os": "iOS"}),
    ({"restriction_os": (RestrictedOs(os="iOS"),)}, {"os[]": ["ANDROID", "ios"]}),
    ({"restriction_os": (RestrictedOs(os="Tizen"),)}, {"os": "tizen"}),
    ({"targeting": (TargetingGroup(country=AllowDeny(allow=("DE", "FR"))),)}, {"countries[]": ["FR"]}),
    ({"targeting": (TargetingGroup(region=AllowDenyGeo(allow={"DE": (2950157,)})),)}, {"countries": "DE"}),
    ({"categories": ("a" * 24,)}, {"categories[]": ["a" * 24]}),
    ({"categories": ("a" * 24,)}, {"categories[]": ["c" * 24, "a" * 24]}),
    ({"bundle_id": "com.example"}, {"bundle_id[]": ["com.example", "com.other"]}),
    ({"smartlink_categories": ("b" * 24,)}, {"smartlink_categories[]": ["b" * 24]}),
    ({"sources": ("c" * 24,)}, {"sources[]": ["C" * 24]}),
    ({"privacy": "protected"}, {"privacy[]": ["1"]}),
    ({"privacy": "private"}, {"privacy": "2"}),
    ({"is_top": True}, {"is_top": 1}),
    ({"bundle_id": "com.example"}, {"bundle_id": "com.example"}),
    ({"updated_at": NOW + DAY}, {"updated_at": "2023-11-15"}),
    ({"status": "suspended"}, {"status[]": ["suspended"]}),
    ({"status": "stopped"}, {"status": "stopped"}),
]


@pytest.mark.parametrize(("fields", "asked"), FILTERS, ids=[str(asked) for _, asked in FILTERS])
def test_offer_list_filter_selects_matching_offer(api: Api, fields: dict[str, Any], asked: dict[str, Any]) -> None:
    store_offer(api, title="Plain")
    wanted = store_offer(api, **fields)
    assert ids(api.admin, **asked) == [wanted.id]


def test_offer_list_filter_with_unknown_value_selects_nothing(api: Api) -> None:
    store_offer(api, restriction_os=(RestrictedOs(os="Android"),), countries=("DE",))
    for asked in ({"os": "Amiga"}, {"countries": "ZZ"}, {"categories": "games"}, {"smartlink_categories": "none"}):
        assert ids(api.admin, **asked) == []


def test_offer_list_country_filter_respects_targeting(api: Api) -> None:
    group = TargetingGroup(country=AllowDeny(deny=("DE",)))
    made = store_offer(api, countries=("DE", "FR"), targeting=(group,))
    assert (ids(api.admin, countries="DE"), ids(api.admin, countries="FR")) == ([], [made.id])
    open_too = store_offer(api, countries=("DE",), targeting=(group, TargetingGroup(device_type=("tv",))))
    assert ids(api.admin, countries="DE") == [open_too.id]


def test_offer_list_country_filter_uses_edited_targeting(api: Api) -> None:
    number = api.add_offer(countries="AT")
    api.admin.post(f"/3.1/admin/offer/{number}", **{"targeting[0][country][allow][]": ["IT", "AT"]})
    _, affiliate = api.add_affiliate()
    for country, found in (("IT", [number]), ("AT", [number]), ("FR", [])):
        assert ids(api.admin, countries=country) == ids(affiliate, "/3.0/partner/offers", countries=country) == found


def test_offer_list_filters_by_unique_fields(api: Api) -> None:
    first, second = store_offer(api), store_offer(api)
    for asked in (
        {"int_id[]": [second.id, 99]},
        {"ids[]": [second.hash.upper()]},
        {"q": str(second.id)},
        {"q": second.hash},
        {"advertiser": second.advertiser_id},
        {"int_id": second.id, "q": "shoes", "ids": second.hash},
    ):
        assert ids(api.admin, **asked) == [second.id]
    assert ids(api.admin, int_id="99") == ids(api.admin, "/3.0/offers", **{"ids[]": ["nothing"]}) == []
    assert ids(api.admin, "/3.0/offers", **{"status[]": ["active", "stopped"]}) == [first.id, second.id]


def caps_of(value: Decimal) -> tuple[Cap, ...]:
    return tuple(Cap(id=period, period=period, type="conversions", value=value) for period in ("day", "all"))


def test_offer_list_sort_keys_order_rows(api: Api) -> None:
    made = [
        store_offer(
            api,
            title=title,
            is_top=place == 1,
            created_at=NOW + place,
            payments=(payment(revenue=Decimal(pays)),),
            caps=() if cap is None else caps_of(Decimal(cap)),
        )
        for place, (title, pays, cap) in enumerate([("B", 1, 20), ("C", 3, None), ("A", 2, 10)])
    ]  # fmt: skip
    with api.deps.database.write() as conn:
        for item, figure in zip(made, (2, 1, 3), strict=True):
            conn.execute(update(offer).where(offer.c.id == item.id).values(cr=Decimal(figure), epc=Decimal(figure)))
    b, c, a = (item.id for item in made)
    table = {
        "id": [b, c, a], "title": [a, b, c], "cr": [c, b, a], "epc": [c, b, a], "is_top": [b, a, c],
        "created": [b, c, a], "revenue": [b, a, c],
    }  # fmt: skip
    for key, order in table.items():
        assert (key, ids(api.admin, **{f"sort[{key}]": "asc"})) == (key, order)
        if key != "is_top":
            assert (key, ids(api.admin, **{f"sort[{key}]": "DESC"})) == (key, order[::-1])
    assert ids(api.admin, **{"sort[is_top]": "desc"}) == [c, b, a]
    for key in ("daily_cap", "total_cap"):
        assert ids(api.admin, **{f"sort[{key}]": "asc"}) == [a, b, c]
        assert ids(api.admin, **{f"sort[{key}]": "desc"}) == [b, a, c]
    for sort in ({"sort[name]": "asc"}, {"sort[id]": "up"}):
        assert api.admin.call("GET", "/3.1/offers", params=sort).status_code == 400


def test_offer_list_order_of_affiliate_ignores_hidden_payments_and_caps(api: Api) -> None:
    """An offer with a known payment on each side would show the hidden one in between."""
    made = [
        store_offer(
            api,
            title=title,
            payments=(payment(revenue=Decimal(number)),),
            caps=caps_of(Decimal(number)),
            hide_payments=title == "hidden",
            hide_caps=title == "hidden",
        ).id
        for title, number in (("low", 3), ("hidden", 5), ("high", 9))
    ]
    low, hidden, high = made
    _, affiliate = api.add_affiliate()
    for key, order in (("revenue", [hidden, low, high]), ("daily_cap", [low, high, hidden])):
        assert (key, ids(affiliate, **{f"sort[{key}]": "asc"})) == (key, order)
        assert ids(api.admin, **{f"sort[{key}]": "asc"}) == made
    assert ids(affiliate, **{"sort[revenue]": "desc"}) == [high, low, hidden]
    assert ids(affiliate, **{"sort[total_cap]": "desc"}) == [high, low, hidden]


def test_offer_list_pages_are_disjoint(api: Api) -> None:
    made = [store_offer(api, title="Same").id for _ in range(5)]
    pages = [ids(api.admin, limit=2, page=page, **{"sort[title]": "desc"}) for page in (1, 2, 3, 4)]
    assert pages == [made[:2], made[2:4], made[4:], []]
    place = api.admin.get("/3.0/offers", limit=2, page=2)["pagination"]
    assert place == {"per_page": 2, "total_count": 5, "page": 2, "next_page": 3}


def test_offer_list_visibility_depends_on_caller(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    public, protected, private, joined = (
        store_offer(api, privacy=privacy) for privacy in ("public", "protected", "private", "private")
    )
    stopped, joined_stopped = (store_offer(api, status="stopped") for _ in range(2))
    connect(api, joined, pid)
    connect(api, joined_stopped, pid)
    connect(api, private, pid, enabled=False)
    seen = [public.id, protected.id, joined.id]
    for path in ("/3.0/offers", "/3.1/partner/offers"):
        assert ids(affiliate, path) == seen
    ignored = affiliate.call("GET", "/3.1/offers", params={"status": "stopped", "privacy": "2"})
    assert [item["id"] for item in ignored.json()["offers"]] == seen
    assert ignored.headers["x-ignored-parameters"] == "privacy,status"
    assert affiliate.get("/3.0/offers/count")["count"] == 3
    assert api.admin.get("/3.0/offers/count")["count"] == 4
    for item, status in ((private, 404), (stopped, 404), (joined_stopped, 200), (protected, 200), (joined, 200)):
        for reference in (item.id, item.hash):
            assert affiliate.call("GET", f"/3.0/offer/{reference}").status_code == status
        assert api.admin.get(f"/3.0/offer/{item.hash}")["offer"]["id"] == item.id
    for reference in ("99", "x", "f" * 24, "-1"):
        assert api.admin.call("GET", f"/3.0/offer/{reference}").status_code == 404


def test_offer_removed_is_in_no_list(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    gone = store_offer(api)
    connect(api, gone, pid)
    with api.deps.database.write() as conn:
        store.remove_offers(conn, [gone.id], NOW)
    assert ids(api.admin) == ids(affiliate) == ids(affiliate, "/3.1/partner/live-offers") == []
    assert api.admin.call("GET", f"/3.0/offer/{gone.id}").status_code == 404
    assert api.admin.get("/3.0/offers/count")["count"] == 0


CLOSED = OfferSchedule(enabled=True, timezone="UTC", intervals=(Interval(day_of_week=3, start=0, end=23),))
OPEN = OfferSchedule(enabled=True, timezone="UTC", intervals=(Interval(day_of_week=2, start=22, end=3),))
NOT_LIVE: list[dict[str, Any]] = [
    {"privacy": "protected"},
    {"start_at": NOW + 1},
    {"stop_at": NOW},
    {"schedule": CLOSED},
    {"schedule": OfferSchedule(date_start="2023-11-15")},
    {"schedule": OfferSchedule(date_to="2023-11-13")},
    {"status": "suspended"},
]
LIVE: list[dict[str, Any]] = [
    {"start_at": NOW, "stop_at": NOW + 1},
    {"schedule": OPEN},
    {"schedule": OfferSchedule(date_start="2023-11-14", date_to="2023-11-14", intervals=CLOSED.intervals)},
    {"schedule": OfferSchedule(date_start="2023-11-15", timezone="Asia/Kathmandu")},
]


def test_live_offer_list_shows_usable_offers_only(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    for fields in NOT_LIVE:
        store_offer(api, **fields)
    connect(api, store_offer(api), pid, enabled=False)
    connect(api, store_offer(api, schedule=CLOSED), pid)
    live = [store_offer(api, **fields) for fields in LIVE]
    joined = store_offer(api, privacy="private")
    connect(api, joined, pid)
    wanted = [item.id for item in live] + [joined.id]
    assert ids(affiliate, "/3.0/partner/live-offers") == wanted
    assert ids(affiliate, "/3.0/partner/live-offers", limit=2, page=2) == wanted[2:4]


def cap(kind: str, *countries: str) -> Cap:
    named = {"country_type": "exact", "country": countries} if countries else {}
    return Cap(id=f"{kind}{countries}", period="day", type=kind, value=Decimal(5), **named)  # type: ignore[arg-type]


def test_offer_list_cap_filter_overrides_other_filters(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    clicks = store_offer(api, caps=(cap("clicks", "DE"), cap("budget", "FR")), countries=("DE",))
    budget = store_offer(api, caps=(cap("budget", "DE"),))
    everywhere = store_offer(api, caps=(cap("clicks"),))
    store_offer(api, caps=(cap("clicks", "DE"),), hide_caps=True)
    store_offer(api)
    path = "/3.0/partner/offers"
    assert ids(affiliate, path, caps_type="clicks") == [clicks.id, everywhere.id]
    assert ids(affiliate, path, caps_type="clicks,budget", caps_country="de") == [clicks.id, budget.id]
    assert ids(affiliate, path, caps_type="clicks", caps_country="FR") == []
    assert ids(affiliate, path, caps_country="fr", q="nothing", int_id=99, **{"ids[]": ["x"]}) == [clicks.id]
    assert ids(affiliate, path, caps_type="impressions") == []
    assert ids(affiliate, path, caps_type="clicks", limit=1, page=2) == [everywhere.id]
    assert ids(affiliate, path, countries="DE") == [clicks.id]


def test_live_offer_list_for_staff_needs_own_affiliate_id(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    foreign, _ = api.add_affiliate()
    own, _ = api.add_affiliate(manager_id=manager)
    item = store_offer(api, privacy="private")
    connect(api, item, own)
    for path in ("/3.0/partner/offers", "/3.1/partner/live-offers"):
        [shown] = client.get(path, pid=own)["offers"]
        assert f"pid={own}&" in shown["link"]
        assert ids(api.admin, path, pid=foreign) == []
        for params in ({}, {"pid": foreign}, {"pid": 99}):
            assert client.refusal("GET", path, params=params) == (400, ["pid"])


def _many(api: Api, pid: int, count: int) -> None:
    """Make offers with everything that lists load with them."""
    with api.deps.database.write() as conn:
        for number in range(count):
            day = {"created_at": NOW, "updated_at": NOW}
            key = f"{number:024x}"
            conn.execute(insert(category).values(id=key, title=f"C{number}", **day))
            conn.execute(insert(source).values(id=key, title_lang={"en": f"S{number}"}, **day))
            conn.execute(insert(domain).values(id=number + 1, url=f"d{number}.example", use_https=True, **day))
    for number in range(count):
        key = f"{number:024x}"
        made = store_offer(
            api,
            categories=(key,),
            sources=(key,),
            domain_id=number + 1,
            schedule=OfferSchedule(date_to=f"2030-01-{number + 1:02}"),
        )
        connect(api, made, pid)
        with api.deps.database.write() as conn:
            seeds.add_postback(conn, pid, "https://a.example", offer_id=made.id)


@pytest.mark.parametrize("path", ["/3.1/offers", "/3.0/partner/offers", "/3.0/partner/live-offers"])
def test_offer_list_statement_count_is_constant(api: Api, path: str) -> None:
    pid, affiliate = api.add_affiliate()
    _many(api, pid, 12)
    counted: dict[tuple[str, int], int] = {}
    for name, client in (("staff", api.admin), ("affiliate", affiliate)):
        for limit in (1, 11):
            params = {"limit": limit, "sort[title]": "desc", "q": "shoes"} | ({"pid": pid} if "partner" in path else {})
            with recorded_statements() as seen:
                assert len(client.get(path, **params)["offers"]) == limit
            counted[name, limit] = sum(statement.startswith("SELECT") for statement in seen)
    assert counted["staff", 1] == counted["staff", 11] <= 14
    assert counted["affiliate", 1] == counted["affiliate", 11] <= 15  # its open tickets, too
