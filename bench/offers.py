"""`script/bench offers`: how long a page of offers takes among 100,000.

Fills a SQLite database, then asks the API (the whole of it but the socket) for pages of 100: every sort, filters,
deep pages, as staff and as an affiliate that is connected to a tenth of them. Each kind of page is asked again and
again for its share of the seconds. Keys: NAME_p50_ms, NAME_p95_ms, NAME_cpu_ms (median of the processor's time: what a
busy machine does not change), and worst_p95_ms, worst_cpu_ms of all.
"""

import asyncio
import random
import statistics
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

import msgspec
from sqlalchemy import insert

from bench.common import ask_body, data_directory, open_analytics, open_sqlite, options_of, print_figures
from tests.support.api import NOW, Api, installed
from tests.support.offers import payment
from trackyard.base.ids import new_id
from trackyard.domain.offers.choices import OfferStatus, Privacy
from trackyard.domain.offers.counters import CapType
from trackyard.domain.offers.offers import (
    AllowDeny,
    Cap,
    Interval,
    Landing,
    Offer,
    OfferSchedule,
    RestrictedOs,
    TargetingGroup,
    labels_of,
    sort_columns_of,
    stored_columns,
)
from trackyard.domain.offers.periods import CapPeriod
from trackyard.store.tables import category, connection, offer, offer_label, source

OFFERS = 100_000
_CHUNK = 1000
_COUNTRIES = ("DE", "FR", "US", "BR", "IN", "JP", "GB", "ES", "IT", "PL", "UA", "TR", "VN", "TH", "MX", "CA", "AU")
_SYSTEMS = ("Android", "iOS", "Windows", "Linux")
_KEYS = [f"{number:024x}" for number in range(50)]

STAFF: dict[str, dict[str, Any]] = {
    "first": {},
    "deep": {"page": 1000},
    **{
        f"sort_{key}": {f"sort[{key}]": "desc"}
        for key in ("id", "title", "cr", "epc", "is_top", "created", "revenue", "daily_cap", "total_cap")
    },
    "title_deep": {"sort[title]": "asc", "page": 500},
    "text": {"q": "shoes 77"},
    "text_of_most": {"q": "shoes", "sort[epc]": "desc"},
    "country": {"countries[]": "DE", "sort[cr]": "desc"},
    "countries": {"countries[]": list(_COUNTRIES[:8])},
    "os": {"os": "android", "sort[revenue]": "desc"},
    "category": {"categories[]": _KEYS[3]},
    "smartlink": {"smartlink_categories[]": _KEYS[4], "sort[epc]": "desc"},
    "stopped": {"status[]": ["active", "stopped", "suspended"], "sort[created]": "desc"},
    "privacy": {"privacy[]": ["1", "2"], "sort[title]": "asc"},
    "updated": {"updated_at": "2023-11-10"},
    "top": {"is_top": 1, "sort[cr]": "desc"},
    "bundle": {"bundle_id": "com.example.7"},
    "ids": {"int_id[]": list(range(1, 2000, 20))},
    "many": {"countries[]": ["DE", "US"], "os": "ios", "categories[]": _KEYS[:9], "q": "s", "sort[daily_cap]": "asc"},
}
OWN: dict[str, dict[str, Any]] = {
    "first": {},
    "deep": {"page": 500},
    "epc": {"sort[epc]": "desc"},
    "title": {"sort[title]": "asc"},
    "text": {"q": "shoes 5"},
    "country": {"countries[]": "FR"},
    "caps": {"caps_type": "clicks", "caps_country": "DE"},
}


def an_offer(number: int, dice: random.Random, advertisers: list[str]) -> Offer:
    """Return a typical offer, with countries, payments, a landing, caps and targeting."""
    countries = tuple(sorted(dice.sample(_COUNTRIES, dice.randint(0, 4))))
    schedule = OfferSchedule(
        enabled=True,
        timezone=dice.choice(("UTC", "Asia/Kathmandu")),
        intervals=(Interval(day_of_week=2, start=0, end=20),),
    )
    kind = dice.choice((CapType.CLICKS, CapType.CONVERSIONS, CapType.BUDGET))
    return Offer(
        id=number,
        hash=new_id(NOW),
        advertiser_id=dice.choice(advertisers),
        title=f"Shoes {dice.randint(0, 999)} of shop {number}",
        url="https://shop.example/?c={clickid}&pid={pid}",
        url_preview="https://shop.example/",
        status=dice.choices((*OfferStatus,), (8, 1, 1))[0],
        privacy=dice.choices((*Privacy,), (6, 3, 1))[0],
        payments=tuple(payment(goal=str(goal), title=f"Goal {goal}") for goal in range(1, dice.randint(2, 4))),
        landings=(Landing(id=1, title="Landing", url="https://land.example/", url_preview="https://land.example/"),),
        caps=(Cap(id="a", period=CapPeriod.DAY, type=kind, value=Decimal(dice.randint(1, 99)), country=countries[:1]),),
        targeting=(TargetingGroup(country=AllowDeny(allow=countries)),) if countries else (),
        countries=countries,
        restriction_os=(RestrictedOs(os=dice.choice(_SYSTEMS)),) if number % 3 == 0 else (),
        categories=(dice.choice(_KEYS),),
        sources=(dice.choice(_KEYS),),
        smartlink_categories=(dice.choice(_KEYS),),
        schedule=schedule if number % 20 == 0 else None,
        description_lang={"en": "What one should know before one sends traffic. " * 5},
        bundle_id=f"com.example.{number % 500}",
        is_top=number % 50 == 0,
        created_at=NOW - dice.randrange(10**10),
        updated_at=NOW - dice.randrange(10**9),
    )


def offer_rows(
    count: int, dice: random.Random, advertisers: list[str]
) -> Iterator[tuple[list[Offer], list[dict[str, Any]]]]:
    """Yield chunks of offers with their rows of the table."""
    for start in range(1, count + 1, _CHUNK):
        made = [an_offer(number, dice, advertisers) for number in range(start, min(start + _CHUNK, count + 1))]
        yield made, [stored_columns(msgspec.structs.asdict(item)) | sort_columns_of(item) for item in made]


def fill(api: Api, count: int) -> str:
    """Add offers; return the key of an affiliate connected to a tenth of them."""
    dice = random.Random(7)
    advertisers = [api.add_advertiser(title=f"A{number}") for number in range(20)]
    body = api.admin.post("/3.0/admin/partner", email="bench@affiliate.example", password="long-enough")
    day = {"created_at": NOW, "updated_at": NOW}
    with api.deps.database.write() as conn:
        conn.execute(insert(category), [{"id": key, "title": f"C{key[-2:]}", **day} for key in _KEYS])
        conn.execute(insert(source), [{"id": key, "title_lang": {"en": f"S{key[-2:]}"}, **day} for key in _KEYS])
    for made, rows in offer_rows(count, dice, advertisers):
        for row in rows:
            row |= {"cr": payment().total, "epc": payment().revenue}
        labels = [
            {"kind": kind, "value": value, "offer_id": item.id} for item in made for kind, value in labels_of(item)
        ]
        links = [
            {"offer_id": item.id, "affiliate_id": body["partner"]["id"], "enabled": True, "changed_at": NOW}
            for item in made[::10]
        ]
        with api.deps.database.write() as conn:
            conn.execute(insert(offer), rows)
            conn.execute(insert(offer_label), labels)
            conn.execute(insert(connection), links)
    return str(body["partner"]["api_key"])


async def _times(app: Any, path: str, params: dict[str, Any], key: str, seconds: float) -> list[tuple[float, float]]:
    """Return elapsed and processor milliseconds of each request after the first."""
    taken: list[tuple[float, float]] = []
    query = urlencode(params, doseq=True)
    until = time.monotonic() + seconds
    while len(taken) < 6 or time.monotonic() < until:
        begun, spent = time.perf_counter(), time.process_time()
        await ask_body(app, path, query, key)
        taken.append(((time.perf_counter() - begun) * 1000, (time.process_time() - spent) * 1000))
    return taken[1:]


def measure(seconds: float, count: int = OFFERS) -> dict[str, float]:
    """Return the figures, without the fill and the first page of each kind."""
    with data_directory() as home, open_sqlite(home) as database, open_analytics(home) as analytics:
        api = installed(database, analytics)
        begun = time.monotonic()
        key = fill(api, count)
        figures = {"offers": float(count), "fill_s": round(time.monotonic() - begun, 1)}
        admin = api.admin._key or ""
        kinds = [(f"offers_{name}", "/3.1/offers", asked, admin) for name, asked in STAFF.items()]
        kinds += [("offers_of_affiliate", "/3.1/offers", {"sort[epc]": "desc"}, key)]
        kinds += [(f"partner_{name}", "/3.0/partner/offers", asked, key) for name, asked in OWN.items()]
        kinds += [(f"live_{name}", "/3.0/partner/live-offers", asked, key) for name, asked in OWN.items()]
        kinds += [("count", "/3.0/offers/count", {}, key), ("one", "/3.0/offer/500", {}, admin)]
        worst: dict[str, float] = {"worst_p95_ms": 0.0, "worst_cpu_ms": 0.0}
        for name, path, asked, who in kinds:
            taken = asyncio.run(_times(api.app, path, asked, who, seconds / len(kinds)))
            clock, processor = ([item[place] for item in taken] for place in (0, 1))
            p95 = statistics.quantiles(clock, n=20, method="inclusive")[-1]
            cpu = statistics.median(processor)
            figures |= {f"{name}_p50_ms": round(statistics.median(clock), 1), f"{name}_p95_ms": round(p95, 1)}
            figures[f"{name}_cpu_ms"] = round(cpu, 1)
            worst = {"worst_p95_ms": max(worst["worst_p95_ms"], p95), "worst_cpu_ms": max(worst["worst_cpu_ms"], cpu)}
        return figures | {name: round(value, 1) for name, value in worst.items()}


if __name__ == "__main__":
    options = options_of("offers", __doc__, seconds=40, of="in all", offers={"type": int, "default": OFFERS})
    print_figures(measure(options.seconds, options.offers), options)
