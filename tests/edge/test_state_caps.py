"""Which counts a click takes a place of."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from tests.decision.clicks import a_hit
from tests.support.rules import an_offer, entry_of
from trackyard.domain.tracking.ruleset import ClickCap, Platform
from trackyard.edge.state.caps import CurrentPeriods, OfferCaps, places_of
from trackyard.edge.state.counts_file import NEVER


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


NOW = ms("2026-03-28T10:20:00")
CAP = ClickCap(id="c1", period="day", value=5)


def keys(cap: ClickCap, affiliate: int = 7, country: str = "EE", now: int = NOW, **offer: object) -> list[bytes]:
    places = OfferCaps(an_offer(click_caps=(cap,), **offer), "UTC").places(affiliate, country, now)
    return [wanted.key for wanted in places.wanted]


def test_an_offer_without_caps_needs_no_place() -> None:
    assert OfferCaps(an_offer(), "UTC").places(7, "EE", NOW).wanted == ()


def test_a_place_tells_its_limit_its_end_and_its_cap() -> None:
    ever = ClickCap(id="c2", period="all", value=9)
    places = OfferCaps(an_offer(click_caps=(CAP, ever)), "UTC").places(7, "EE", NOW)
    assert [(wanted.limit, wanted.end) for wanted in places.wanted] == [
        (5, ms("2026-03-29T00:00:00") // 1000),
        (9, NEVER),
    ]
    assert places.caps == ("c1", "c2")


@pytest.mark.parametrize(
    ("changed", "affiliates", "countries"),
    [
        ({}, 1, 1),
        ({"affiliate_type": "each"}, 3, 1),
        ({"country_type": "each"}, 1, 3),
        ({"affiliate_type": "each", "country_type": "each"}, 3, 3),
        ({"affiliate_type": "exact", "affiliates": (7, 8)}, 1, 1),
        ({"country_type": "exact", "countries": ("EE", "LV")}, 1, 1),
    ],
)
def test_all_is_one_count_each_one_a_value_exact_the_listed_together(
    changed: dict[str, object], affiliates: int, countries: int
) -> None:
    cap = ClickCap(id="c1", period="day", value=5, **changed)  # type: ignore[arg-type]
    assert len({key for affiliate in (7, 8, 9) for key in keys(cap, affiliate)}) == affiliates
    assert len({key for country in ("EE", "LV", "") for key in keys(cap, country=country)}) == countries


def test_who_is_not_listed_is_not_counted() -> None:
    assert keys(ClickCap(id="c1", period="day", value=5, affiliate_type="exact", affiliates=(8,))) == []
    assert keys(ClickCap(id="c1", period="day", value=5, country_type="exact", countries=("LV",))) == []
    assert keys(ClickCap(id="c1", period="day", value=5, country_type="exact", countries=("LV",)), country="") == []


def test_no_two_counts_are_one() -> None:
    day = ms("2026-03-29T10:00:00")
    each = ClickCap(id="c1", period="day", value=5, affiliate_type="each", country_type="each")
    found = [
        *keys(CAP),
        *keys(CAP, now=day),
        *keys(ClickCap(id="c2", period="day", value=5)),
        *keys(ClickCap(id="c1", period="month", value=5)),
        *keys(CAP, offer_id=4),
        *keys(each),
        *keys(each, country=""),
    ]
    assert len(set(found)) == len(found)


def test_an_edited_value_goes_on_counting() -> None:
    assert keys(CAP) == keys(ClickCap(id="c1", period="day", value=500))


@pytest.mark.parametrize(
    ("zone", "same", "other"),
    [
        # Two hours east of Greenwich: the day begins at 22:00.
        ({"caps_timezone": "Europe/Tallinn"}, "2026-03-28T21:59:59.999", "2026-03-28T22:00:00"),
        # The platform's.
        ({}, "2026-03-28T23:59:59.999", "2026-03-29T00:00:00"),
        # The day on which clocks go forward there has 23 hours.
        ({"caps_timezone": "Asia/Beirut"}, "2026-03-28T21:59:59.999", "2026-03-28T22:00:00"),
    ],
)
def test_days_are_those_of_the_caps_zone(zone: dict[str, object], same: str, other: str) -> None:
    assert keys(CAP, **zone) == keys(CAP, now=ms(same), **zone)
    assert keys(CAP, **zone) != keys(CAP, now=ms(other), **zone)


@pytest.mark.parametrize("country_type", ["all", "each"])
def test_the_places_of_an_offer_follow_time(country_type: str) -> None:
    cap = ClickCap(id="c1", period="day", value=5, country_type=country_type)
    made = OfferCaps(an_offer(click_caps=(cap,)), "UTC")
    first = made.places(7, "EE", NOW)
    assert made.places(7, "EE", NOW + 1) is first, "worked out once"
    assert made.places(7, "EE", ms("2026-03-29T00:00:00")).wanted[0].key != first.wanted[0].key
    assert made.places(7, "EE", NOW).wanted[0].key == first.wanted[0].key, "the clock went back"


def test_the_places_of_a_click_follow_the_rows_and_the_platforms_zone() -> None:
    hit = a_hit(offer={"click_caps": (CAP,)})
    first = places_of(hit).wanted[0]
    for changed in (Platform(timezone="Asia/Tokyo"), an_offer(click_caps=(replace(CAP, value=6),))):
        hit.rules.apply(*entry_of(changed))
        offer = hit.rules.find_offer("3")
        assert offer is not None
        hit.aim(offer)
        now = places_of(hit).wanted[0]
        assert (now.end, now.limit) != (first.end, first.limit)
        first = now


def test_periods_are_computed_once_while_they_last(monkeypatch: pytest.MonkeyPatch) -> None:
    from trackyard.edge.state import caps

    computed: list[int] = []
    real = caps.period_at
    monkeypatch.setattr(caps, "period_at", lambda name, at, zone: (computed.append(at), real(name, at, zone))[1])
    periods = CurrentPeriods()
    for minute in range(0, 180, 20):
        periods.at("UTC", "hour", NOW + minute * 60_000)
    assert computed == [NOW, NOW + 2_400_000, NOW + 6_000_000, NOW + 9_600_000]
