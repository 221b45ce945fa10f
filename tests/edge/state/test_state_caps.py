"""Which counts a click takes a place of."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.decision.clicks import make_hit
from tests.support.clicks.edge import publish
from tests.support.clicks.rules import entry_of, make_offer, make_ruleset
from tests.support.clicks.state import OFFER, StatefulEdge, rows
from trackyard.decision.click.caps import NEVER, CurrentPeriods, OfferClickCaps
from trackyard.domain.tracking.ruleset import ClickCap, RulesetPlatform


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


NOW = ms("2026-03-28T10:20:00")
CAP = ClickCap(id="c1", period="day", value=5)


def keys(cap: ClickCap, affiliate: int = 7, country: str = "EE", now: int = NOW, **offer: object) -> list[bytes]:
    counts_for = OfferClickCaps(make_offer(click_caps=(cap,), **offer), "UTC").counts_for(affiliate, country, now)
    return [capped_counts.key for capped_counts in counts_for.capped_counts]


def test_click_cap_offer_without_caps_needs_no_reservation() -> None:
    assert OfferClickCaps(make_offer(), "UTC").counts_for(7, "EE", NOW).capped_counts == ()


def test_click_cap_reservation_has_limit_end_and_cap() -> None:
    ever = ClickCap(id="c2", period="all", value=9)
    counts_for = OfferClickCaps(make_offer(click_caps=(CAP, ever)), "UTC").counts_for(7, "EE", NOW)
    assert [(capped_counts.limit, capped_counts.end) for capped_counts in counts_for.capped_counts] == [
        (5, ms("2026-03-29T00:00:00") // 1000),
        (9, NEVER),
    ]
    assert counts_for.caps == ("c1", "c2")


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
def test_click_cap_key_depends_on_cap_types(changed: dict[str, object], affiliates: int, countries: int) -> None:
    cap = ClickCap(id="c1", period="day", value=5, **changed)  # type: ignore[arg-type]
    assert len({key for affiliate in (7, 8, 9) for key in keys(cap, affiliate)}) == affiliates
    assert len({key for country in ("EE", "LV", "") for key in keys(cap, country=country)}) == countries


def test_click_cap_exact_list_excludes_unlisted_values() -> None:
    assert keys(ClickCap(id="c1", period="day", value=5, affiliate_type="exact", affiliates=(8,))) == []
    assert keys(ClickCap(id="c1", period="day", value=5, country_type="exact", countries=("LV",))) == []
    assert keys(ClickCap(id="c1", period="day", value=5, country_type="exact", countries=("LV",)), country="") == []


def test_click_cap_keys_are_distinct() -> None:
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


def test_click_cap_key_is_independent_of_value() -> None:
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
def test_click_cap_days_follow_zone_of_cap(zone: dict[str, object], same: str, other: str) -> None:
    assert keys(CAP, **zone) == keys(CAP, now=ms(same), **zone)
    assert keys(CAP, **zone) != keys(CAP, now=ms(other), **zone)


@pytest.mark.parametrize("country_type", ["all", "each"])
def test_click_cap_reservations_follow_time(country_type: str) -> None:
    cap = ClickCap(id="c1", period="day", value=5, country_type=country_type)
    made = OfferClickCaps(make_offer(click_caps=(cap,)), "UTC")
    first = made.counts_for(7, "EE", NOW)
    assert made.counts_for(7, "EE", NOW + 1) is first, "worked out once"
    assert made.counts_for(7, "EE", ms("2026-03-29T00:00:00")).capped_counts[0].key != first.capped_counts[0].key
    assert made.counts_for(7, "EE", NOW).capped_counts[0].key == first.capped_counts[0].key, "the clock went back"


def test_click_cap_reservations_follow_rules_and_platform_zone() -> None:
    click = make_hit(offer={"click_caps": (CAP,)})
    found = [click.route.capped_counts(click.hit)]
    for changed in (RulesetPlatform(timezone="Asia/Tokyo"), make_offer(click_caps=(replace(CAP, value=6),))):
        click.ruleset.apply(*entry_of(changed))
        found.append(click.on("3").route.capped_counts(click.hit))
    assert len({(each.capped_counts[0].end, each.capped_counts[0].limit) for each in found if each is not None}) == 3


def test_click_cap_periods_are_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    from trackyard.decision.click import caps

    computed: list[int] = []
    real = caps.period_at
    monkeypatch.setattr(caps, "period_at", lambda name, at, zone: (computed.append(at), real(name, at, zone))[1])
    periods = CurrentPeriods()
    for minute in range(0, 180, 20):
        periods.at("UTC", "hour", NOW + minute * 60_000)
    assert computed == [NOW, NOW + 2_400_000, NOW + 6_000_000, NOW + 9_600_000]


def test_period_of_clicks_with_unknown_name_raises() -> None:
    with pytest.raises(ValueError, match="decade"):
        CurrentPeriods().at("UTC", "decade", 0)


def test_clicks_of_a_visitor_are_counted_again_after_a_death(tmp_path: Path) -> None:
    offered = [make_offer(OFFER, duplicate_clicks=2), *rows()[1:]]
    publish(tmp_path / "rules", offered)
    full = []
    for visitors in ([1, 1, 2], [1, 2, 2]):
        edge = StatefulEdge(tmp_path)
        edge.ruleset = make_ruleset(offered)
        full += [edge.click(visitor) for visitor in visitors]
        edge.flush()
        edge.abandon()
    assert full == ["", "", "", "duplicates", "", "duplicates"]
