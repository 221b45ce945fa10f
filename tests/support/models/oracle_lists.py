"""Lists, cohorts and shares in plain Python, from what tests/support/models/oracle.py has read.

(docs/spec/statistics.md).

Each function takes the parameters as they are sent and gives the body that the API must give.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from tests.support.models.oracle import PAGES, Oracle, Viewer
from tests.support.models.oracle_records import Record, is_clickless, rounded

Params = dict[str, Any]
Body = Any

NUMBERS = {"USD": 840, "EUR": 978, "JPY": 392}
STATUSES = {"confirmed": 1, "pending": 2, "declined": 3, "not_found": 4, "hold": 5}
OPEN = ("pending", "pending_cap", "hold")
CUSTOM = [f"custom_field_{number}" for number in range(1, 8)]
HIDDEN = dict.fromkeys(("revenue", "earnings", "price", "supplier_id", "advertiser"))
"""What an affiliate does not see of a conversion."""
ALIKE = (
    *("ip", "ua", "country", "city", "city_id", "device", "os", "browser", "referrer", "ref_id", "user_id"),
    *("ios_idfa", "android_id", *(f"sub{number}" for number in range(1, 9))),
)


def shown_status(status: str, version: str) -> str:
    """pending_cap is pending; under 3.1 not_found is declined."""
    return {"pending_cap": "pending"}.get(status, "declined" if (status, version) == ("not_found", "3.1") else status)


def text(at: int | None, zone: str) -> str | None:
    """A moment as answers show it."""
    return None if at is None else _local(at, zone).strftime("%Y-%m-%d %H:%M:%S")


def page_of(rows: list[Any], params: Params, name: str, **more: Any) -> Body:
    """A page in its envelope."""
    page, limit = params.get("page", 1), params.get("limit", 100)
    pages = {"per_page": limit, "total_count": len(rows), "page": page}
    pages |= {"next_page": page + 1} if page * limit < len(rows) else {}
    return {"status": 1, name: rows[(page - 1) * limit : page * limit], "pagination": pages} | more


def newest(records: Iterable[Record]) -> list[Record]:
    """The newest first."""
    return sorted(records, key=lambda each: (each["time"], each["id"]), reverse=True)


# --- clicks and conversions -----------------------------------------------------------------------------------


def clicks(oracle: Oracle, viewer: Viewer, params: Params) -> Body:
    """GET stats/clicks."""
    zone = params["timezone"]
    of_click: dict[str, list[Record]] = {}
    for made in reversed(newest(oracle.conversions)):
        of_click.setdefault(made["stored"].click_id, []).append(made)
    chosen = {"offer": "offer", "partner": "affiliate", "country": "country"}
    chosen |= {} if viewer.is_affiliate else {"advertiser": "advertiser"}
    found = [
        each
        for each in oracle.clicks
        if not each["reason"]
        and viewer.sees(each)
        and _in_period(each["time"], params)
        and _is_among(each, chosen, params)
    ]
    return page_of(
        [_click(oracle, viewer, each, of_click.get(each["id"], []), zone) for each in newest(found)], params, "clicks"
    )


def _page(oracle: Oracle, click: Record, name: str) -> dict[str, Any] | None:
    """The landing or transit page of a click, while its offer has it."""
    pages = oracle.known.offers[click["offer"]].landings
    found = next((page for page in pages if page["id"] == click[name]), None)
    return None if found is None else {key: found[key] for key in ("id", "title", "url")}


def _signals(bits: int) -> str:
    names = ("hosting", "vpn", "tor", "bot", "relay", "proxy", "prefetch", "headless")
    return ", ".join(name for place, name in enumerate(names) if bits >> place & 1)


def _click(oracle: Oracle, viewer: Viewer, click: Record, made: list[Record], zone: str) -> dict[str, Any]:
    url = {} if viewer.is_affiliate else {"url": oracle.known.offers[click["offer"]].url}
    more = ("id", "device_model", "os_version", "browser_version", "os_id", "ext1", "ext2", "ext3", "smart_id", "uniq")
    return {name: click[name] for name in (*ALIKE, *more)} | {
        "click_id": click["id"],
        "cbid": click["id"],
        "forgiven": "",  # no click of the model was damaged
        "device_type": click["device"],
        "connection_type": click["connection"],
        "isp_code": click["isp"],
        "offer": oracle.named("offer", click["offer"]) | url,
        **{name: _page(oracle, click, name) for name in PAGES},
        "conversion_id": made[0]["id"] if made else "",
        "has_conversions": bool(made),
        "created_at": text(click["time"], zone),
        "partner_id": str(click["affiliate"]),
        "partner": oracle.named("affiliate", click["affiliate"]),
        **({} if viewer.is_affiliate else {"reason": click["reason"], "detail": click["detail"]}),
        **({} if viewer.is_affiliate else {"origin": _signals(click["origin"])}),
    }


def conversions(oracle: Oracle, viewer: Viewer, params: Params, version: str) -> Body:
    """GET stats/conversions."""
    found = [each for each in oracle.conversions if viewer.sees(each) and _is_listed(viewer, each, params, version)]
    is_raw = bool(params.get("raw_export"))
    rows = [_listed(oracle, viewer, each, params["timezone"], version, is_raw) for each in newest(found)]
    return page_of(rows, params, "conversions")


def _is_listed(viewer: Viewer, made: Record, params: Params, version: str) -> bool:
    among = {"offer": "offer", "country": "country", "browser": "browser", "os": "os", "device": "device"}
    among |= {"goal": "goal", "goal_id": "goal"}
    among |= {} if viewer.is_affiliate else {"partner": "affiliate", "advertiser": "advertiser"}
    amounts = {"payouts": "payout"} | ({} if viewer.is_affiliate else {"revenue": "charge"})
    status = STATUSES[shown_status(made["status"], version)]
    stored = made["stored"]
    own = {"action_id": stored.action_id, "clickid": stored.click_id, "currency": NUMBERS[made["currency"]]}
    own |= {f"subid{number}": made[f"sub{number}"] for number in range(1, 9)}
    own |= {"smart_id": made["click"]["smart_id"]}
    own |= dict(zip(CUSTOM, _custom(stored), strict=True))
    return (
        _in_period(made["time"], params)
        and _is_changed(made, params)
        and status in params.get("status", [status])
        and _is_among(made, among, params)
        and all(_is_amount(made[column], name, params) for name, column in amounts.items())
        and all(value in _each(params.get(name, value)) for name, value in own.items())
        and (status in (3, 4) or "decline_reason" not in params)
        and made["comment"].lower() in [each.lower() for each in _each(params.get("decline_reason", made["comment"]))]
        and any(each.lower() in made["comment"].lower() for each in _each(params.get("comment", "")))
        and made["payment_status"] in _each(params.get("payment_status", made["payment_status"]))
    )


def _each(value: Any) -> list[Any]:
    """The values of a filter, which is one or a list."""
    return value if isinstance(value, list) else [value]


def _is_amount(amount: Decimal, name: str, params: Params) -> bool:
    least, most = (Decimal(params.get(f"{name}_{bound}", amount)) for bound in ("from", "to"))
    return amount in map(Decimal, _each(params.get(name, amount))) and least <= amount <= most


def _is_changed(made: Record, params: Params) -> bool:
    now = _local(made["changed_at"], params["timezone"])
    at = (now.date(), now.hour)
    since = date.fromisoformat(params.get("update_from_date", "1970-01-01"))
    until = date.fromisoformat(params.get("update_to_date", "9998-12-31"))
    return (since, params.get("update_from_hour", 0)) <= at <= (until, params.get("update_to_hour", 23))


def _custom(stored: Any) -> list[str]:
    return [stored.custom_fields.get(str(number), "") for number in range(1, 8)]


def _plain(made: Record, zone: str) -> dict[str, Any]:
    """What every form of a conversion has."""
    stored, click = made["stored"], made["click"]
    return {
        **{name: click[name] for name in ALIKE if name != "user_id"},
        **dict(zip(CUSTOM, _custom(stored), strict=True)),
        "id": made["id"],
        "conversion_id": made["id"],
        "action_id": stored.action_id,
        "cbid": stored.click_id,
        "clickid": stored.click_id,
        "currency": made["currency"],
        "goal": stored.goal_title,
        "goal_value": made["goal"],
        "district": None,
        "isp_code": click["isp"],
        "device_type": click["device"],
        "offer_id": made["offer"],
        "comment": made["comment"],
        "created_at": text(made["time"], zone),
        "click_time": text(click["time"], zone),
        "payouts": made["payout"],
        "partner_id": made["affiliate"],
        "sum": stored.sum,
        "user_id": stored.user_id,
        "payment_status": made["payment_status"],
        "is_paid": {"opened": "1", "closed": "2", "pending": "3"}[made["payment_status"]],
        "paid": made["paid"],
        "forensiq": None,
        "payment_type": stored.payment_type,
        "hold_date_expire": text(stored.hold_until, zone),
    }


def _of_staff(made: Record) -> dict[str, Any]:
    margin = made["charge"] - made["payout"]
    return {"revenue": made["charge"], "earnings": margin, "price": None, "supplier_id": made["advertiser"]}


def _signals_of(made: Record) -> dict[str, str]:
    """The signals of a conversion and of its click, which staff see."""
    bits = {"quick": 1, "late": 2, "repeated_address": 4}
    own = ", ".join(name for name, bit in bits.items() if made["stored"].signals & bit)
    return {"origin": _signals(made["click"].get("origin", 0)), "signals": own}


def _listed(oracle: Oracle, viewer: Viewer, made: Record, zone: str, version: str, is_raw: bool) -> dict[str, Any]:
    offer = oracle.known.offers[made["offer"]]
    shown = {"id": offer.id, "offer_id": offer.hash, "title": offer.title, "preview_url": offer.url_preview}
    shown |= {} if viewer.is_affiliate else {"url": offer.url}
    found = _plain(made, zone) | {
        "landing_id": made["click"]["landing"],
        "status": shown_status(made["status"], version),
        "offer": None if is_raw else shown,
        "partner": None if is_raw else oracle.named("affiliate", made["affiliate"]),
    }
    if viewer.is_affiliate:
        return found | HIDDEN | dict.fromkeys(("origin", "signals"))
    advertiser = None if is_raw else oracle.named("advertiser", made["advertiser"])
    return found | _of_staff(made) | _signals_of(made) | {"advertiser": advertiser}


def by_id(oracle: Oracle, viewer: Viewer, made: Record, version: str) -> dict[str, Any]:
    """GET stats/conversionsbyid, without the manager of the affiliate."""
    offer = oracle.known.offers[made["offer"]]
    shown = {"id": offer.id, "offer_id": offer.hash, "title": offer.title, "preview_url": offer.url_preview}
    countries = {"DE": "Germany", "NP": "Nepal", "US": "United States", "": ""}
    found = _plain(made, "UTC") | {
        "status": STATUSES[shown_status(made["status"], version)],
        "partner": oracle.named("affiliate", made["affiliate"]),
        "country_name": countries[made["click"]["country"]],
        "landing_id": made["click"]["landing"] or None,
        "prelanding_id": made["click"]["prelanding"] or None,
        "createdAt": text(made["time"], "UTC"),
        "updatedAt": text(made["changed_at"], "UTC"),
        "currency_id": str(NUMBERS[made["currency"]]),
        "click_id": made["stored"].click_id,
        "promo_code": made["stored"].promo_code,
        "offer": shown | ({} if viewer.is_affiliate else {"url": offer.url}),
    }
    if viewer.is_affiliate:
        return found | HIDDEN | dict.fromkeys(("charge", "earning", "from_click_address", "origin", "signals"))
    again = {"charge": made["charge"], "earning": made["charge"] - made["payout"], "from_click_address": False}
    again |= _signals_of(made)
    return found | _of_staff(made) | again | {"advertiser": oracle.named("advertiser", made["advertiser"])}


# --- subs, cohorts, times -------------------------------------------------------------------------------------


def find_subs(oracle: Oracle, viewer: Viewer, params: Params, now: int) -> Body:
    """GET stats/find-subs for the requested subs; empty ones only when all are empty."""
    asked = {name: _each(value) for name, value in sorted(params.items()) if name.startswith("sub")}
    asked = {name: prefixes for name, prefixes in asked.items() if any(prefixes)} or dict([*asked.items()][:1])
    since = now - 90 * 86_400_000
    seen = [each for each in oracle.clicks if not each["reason"] and viewer.sees(each) and each["time"] >= since]
    found = {
        tuple(each[name] for name in asked)
        for each in seen
        if all(each[name] and each[name].startswith(tuple(prefixes)) for name, prefixes in asked.items())
    }
    return page_of([dict(zip(asked, values, strict=True)) for values in sorted(found)], params, "subs")


def retention(oracle: Oracle, viewer: Viewer, params: Params) -> Body:
    """GET stats/retentionrate."""
    zone, base, events = params["timezone"], params["base_event"], params["events"].split(",")
    happened: dict[str, list[Record]] = {}
    for made in reversed(newest(oracle.conversions)):
        is_asked = made["affiliate"] == params.get("affiliate_id", made["affiliate"])
        if viewer.sees(made) and is_asked and made["offer"] == params["offer"]:
            happened.setdefault(made["stored"].click_id, []).append(made)
    cohorts: dict[tuple[str, int], list[set[str]]] = {}
    for each in happened.values():
        days: dict[str, Record] = {}
        for made in each:
            if made["goal"] == base and _in_period(made["time"], params):
                days.setdefault(str(_local(made["time"], zone).date()), made)
        for day, first in days.items():
            later = {made["goal"] for made in each if made["time"] >= first["time"] and made is not first}
            cohorts.setdefault((day, first["affiliate"]), []).append(later)
    rows = []
    for (day, who), had in sorted(cohorts.items()):
        rates = {
            f"rr_{event}": rounded(Decimal(100 * sum(event in (*each, base) for each in had)) / len(had))
            for event in events
        }
        rows.append({"affiliate_id": who, "date": day, "install_count": len(had)} | rates)
    return rows


def timing(oracle: Oracle, viewer: Viewer, params: Params) -> Body:
    """GET stats/time-to-action."""
    named = [int(each) for each in params["affiliate_ids"].split(",")] if "affiliate_ids" in params else None

    def is_meant(each: Record) -> bool:
        is_named = named is None or each["affiliate"] in named
        return (
            viewer.sees(each) and is_named and each["offer"] == params["offer_id"] and _in_period(each["time"], params)
        )

    seen = [each["affiliate"] for each in oracle.clicks if not each["reason"] and is_meant(each)]
    goal = params.get("goal")
    of_clicks = [each for each in oracle.conversions if not is_clickless(each)]
    made = [each for each in of_clicks if is_meant(each) and goal in (None, each["goal"])]
    rows = []
    for who in sorted({*seen, *(each["affiliate"] for each in made)}):
        waits = [each["time"] - each["click"]["time"] for each in made if each["affiliate"] == who]
        spans = (
            sum(wait <= 30_000 for wait in waits),
            sum(30_000 < wait <= 600_000 for wait in waits),
            sum(wait > 600_000 for wait in waits),
        )
        counts = {"clicks": seen.count(who), "total_conversions": len(waits)}
        rows.append({"affiliate_id": who} | counts | dict(zip(("tta_30", "tta_600", "tta_inf"), spans, strict=True)))
    return page_of(rows, params, "data") | {"status": 200}


# --- shares of referrers --------------------------------------------------------------------------------------


Taken = Mapping[str, tuple[str, Decimal]]
"""By conversion: in what state the payment is that took its share ("1" paid, "2" not yet), and how much that was."""


def referrals(oracle: Oracle, viewer: Viewer, params: Params, taken: Taken = MappingProxyType({})) -> Body:
    """GET stats/getreferralpayments."""
    first, last = (datetime.strptime(params[name], "%d-%m-%Y").date() for name in ("date_from", "date_to"))  # noqa: DTZ007
    groups: dict[tuple[int, str, bool, str, int], list[tuple[Record, Decimal]]] = {}
    for made in oracle.conversions:
        stored = made["stored"]
        if stored.referrer_id is None or not first <= _local(made["time"], "UTC").date() <= last:
            continue
        sees = viewer.affiliates is None or stored.referrer_id in viewer.affiliates
        if sees and (viewer.advertisers is None or made["advertiser"] in viewer.advertisers):
            for state, amount in _shares(made, taken):
                key = (made["affiliate"], made["currency"], made["status"] == "confirmed", state, stored.referrer_id)
                groups.setdefault(key, []).append((made, amount))
    return page_of(list(_share_rows(oracle, groups, params)), params, "ref_payments")


def share_of(made: Record) -> Decimal:
    """The referrer's share of a conversion's payout, whatever its status."""
    return rounded(made["payout"] * made["stored"].referral_percent / 100)


def _shares(made: Record, taken: Taken) -> Iterator[tuple[str, Decimal]]:
    """The share of a referrer: paid, what is left or too much, and what may come."""
    state, amount = taken.get(made["id"], ("", Decimal(0)))
    if amount:
        yield state, amount
    rest = (share_of(made) if made["status"] == "confirmed" else Decimal(0)) - amount
    if rest:
        yield "0", rest
    if made["status"] in OPEN and made["payout"] > 0:
        yield "2", share_of(made)


def _share_rows(
    oracle: Oracle, groups: Mapping[tuple[int, str, bool, str, int], list[tuple[Record, Decimal]]], params: Params
) -> Iterator[dict[str, str]]:
    for (who, currency, is_confirmed, state, referrer), each in sorted(groups.items()):
        wanted = params.get("currency", NUMBERS[currency])
        row = {"pid": str(who), "ref": str(referrer), "status": str(int(is_confirmed))}
        row |= {"is_paid": state, "currency": currency, "count": str(len(each))}
        row["max_created_at"] = str(text(max(made["time"] for made, _ in each), "UTC"))
        row["date_registration_partner"] = str(text(oracle.known.affiliates[who].created_at, "UTC"))
        total = sum((share for _, share in each), Decimal(0))
        row["sum_revenue"] = f"{total:f}".rstrip("0").rstrip(".") if "." in f"{total:f}" else f"{total:f}"
        if all(str(params.get(name, row[name])) == row[name] for name in ("pid", "ref", "is_paid", "status")) and (
            NUMBERS[currency] in (wanted if isinstance(wanted, list) else [wanted])
        ):
            yield row


# --- time -----------------------------------------------------------------------------------------------------


def _local(at: int, zone: str) -> datetime:
    return datetime.fromtimestamp(at // 1000, UTC).astimezone(ZoneInfo(zone))


def _in_period(at: int, params: Params) -> bool:
    """Within the days that are asked for, and within the hour.

    Without a beginning only changes are looked at.
    """
    now = _local(at, params["timezone"])
    first = params.get("date_from", str(now.date() - timedelta(1)))
    return bool(first <= str(now.date()) <= params["date_to"] and now.hour == params.get("hour", now.hour))


def _is_among(record: Record, columns: dict[str, str], params: Params) -> bool:
    return all(record[column] in _each(params.get(name, record[column])) for name, column in columns.items())
