"""Statistics in plain Python, from the journal and the conversions (docs/spec/statistics.md).

It knows nothing of facts, of SQL over them, or of spans of time: an hour, a day or a month is what a clock of the asked
zone shows. An answer is the body that the API must give, cell by cell.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from sqlalchemy import and_, select

from tests.support.models.oracle_records import (
    CITIES,
    DATABASES,
    ZERO,
    Record,
    conversion_record,
    cost_record,
    divide_rounded,
    each_record,
    is_clickless,
    rounded,
)
from tests.support.models.paid_books import PaidBooks
from trackyard.domain.money.ledger import REFERRAL_KINDS
from trackyard.journal.records import RecordKind, decode_click, decode_impression, decode_postback
from trackyard.store.engine.database import Database
from trackyard.store.tables import (
    ad_cost,
    advertiser,
    affiliate,
    connection,
    conversion,
    conversion_event,
    currency_rate,
    ledger,
    offer,
    payment,
    payment_entry,
    staff,
)

Row = dict[str, Any]

_PAID_ENTRIES = (
    select(payment_entry.c.source_id, payment.c.currency, payment.c.status, ledger.c.available)
    .join(payment, payment.c.id == payment_entry.c.payment_id)
    .join(
        ledger,
        and_(*(ledger.c[name] == payment_entry.c[name] for name in ("kind", "source_id", "version"))),
    )
    .where(payment_entry.c.kind.not_in(REFERRAL_KINDS))
)
_CONNECTED = select(connection.c.offer_id, connection.c.affiliate_id).where(connection.c.enabled)
TIMES: dict[str, tuple[str, ...]] = {
    "hour": ("year", "month", "day", "hour"),
    "day": ("year", "month", "day"),
    "month": ("year", "month"),
    "quarter": ("year", "quarter"),
    "year": ("year",),
}
NAMED = {"manager": "affiliate_manager_id", "advertiser_manager": "advertiser_manager_id", "carrier": "isp"}
"""Slices that have another key on the wire."""
FIGURES = ("views", "ctr", "cr", "epc", "ecpm", "ratio")
"""What rows show besides traffic and actions, unless the caller names some."""
PAGES = ("landing", "prelanding")
"""Slices by the pages of an offer; the keys of their rows have the offer, too."""
FROM_RECORD = {"trafficback_reason": "reason", "conn_type": "connection"}
GROUPS = {"confirmed": ["confirmed"], "pending": ["pending", "pending_cap"], "declined": ["declined"], "hold": ["hold"]}
NOT = {
    "not_offer_id": "offer", "not_advertiser_id": "advertiser", "not_affiliate_id": "partner",
    "not_country": "country", "not_affiliate_manager_id": "manager",
    "not_advertiser_manager_id": "advertiser_manager_id", "not_smartlink_id": "smart_id",
    "not_advertiser_tag": "advertiser_tag", "not_affiliate_tag": "affiliate_tag", "not_offer_tag": "offer_tag",
}  # fmt: skip
"""Filters that leave out, and those that choose the same."""
OF_CONVERSIONS = ("goal", "currency", "payment_status")
"""Filters that leave traffic whole."""
STAFF_FILTERS = (
    "partner", "advertiser", "advertiser_manager_id", "advertiser_tag", "affiliate_tag",
    "not_affiliate_id", "not_advertiser_id", "not_advertiser_manager_id", "not_advertiser_tag", "not_affiliate_tag",
)  # fmt: skip
"""Filters that are ignored from an affiliate."""
COSTED = {"day", "month", "quarter", "year", "offer", "affiliate", "advertiser", "manager", "advertiser_manager"}
"""Slices that costs of advertising have."""
COST_FILTERS = {
    "offer", "partner", "advertiser", "manager", "advertiser_manager_id", "sub8", "offer_tag", "affiliate_tag",
    "advertiser_tag",
}  # fmt: skip
"""Filters that costs have, also where they leave out."""


@dataclass(frozen=True)
class Viewer:
    """A caller.

    affiliates, advertisers: those it sees, None = all · by_payout, plain: its compatibility switches.
    """

    affiliates: frozenset[int] | None = None
    advertisers: frozenset[str] | None = None
    is_affiliate: bool = False
    by_payout: bool = False
    plain: bool = False

    def sees(self, record: Record) -> bool:
        """Whether a click or conversion is its to see."""
        return (self.affiliates is None or record["affiliate"] in self.affiliates) and (
            self.advertisers is None or record["advertiser"] in self.advertisers
        )


@dataclass(frozen=True)
class ReportRequest:
    """A question.

    first, last: days · filters: by the names of the specification · types, fields: shown; () = all, those of the
    switches · by_request: whether slices answer under the names that were requested, too.
    """

    slices: tuple[str, ...]
    first: date
    last: date
    zone: str = "UTC"
    version: str = "3.1"
    filters: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    order: tuple[str, ...] = ()
    descending: bool = False
    nonzero: bool = False
    types: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    page: int = 1
    limit: int = 100
    locale: str = "en"
    by_request: bool = False
    in_currency: str = ""

    def local(self, at: int) -> datetime:
        """What a clock shows at a moment."""
        return datetime.fromtimestamp(at // 1000, UTC).astimezone(ZoneInfo(self.zone))


@dataclass
class KnownRecords:
    """What is known of people and offers today, by id."""

    offers: dict[int, Any] = field(default_factory=dict)
    affiliates: dict[int, Any] = field(default_factory=dict)
    advertisers: dict[str, Any] = field(default_factory=dict)
    staff: dict[str, Any] = field(default_factory=dict)
    connected: set[tuple[int, int]] = field(default_factory=set)
    costs: list[Record] = field(default_factory=list)
    rates: dict[str, dict[date, Decimal]] = field(default_factory=dict)


@dataclass
class Oracle:
    """Everything that happened, and the answers."""

    clicks: Sequence[Record]
    views: Sequence[Record]
    conversions: Sequence[Record]
    known: KnownRecords

    # --- rows -----------------------------------------------------------------------------------------------

    def answer(self, viewer: Viewer, asked: ReportRequest) -> dict[str, Any]:
        """The whole body of a report."""
        rows = self.ordered(asked, list(self.rows(viewer, asked)))
        start = (asked.page - 1) * asked.limit
        shown = [self._shown(viewer, asked, row) for row in rows[start : start + asked.limit]]
        pages = {"per_page": asked.limit, "total_count": len(rows), "page": asked.page}
        pages |= {"next_page": asked.page + 1} if start + asked.limit < len(rows) else {}
        body = {"status": 1, "stats": shown, "pagination": pages, "currency": self.currency(asked)}
        warnings = list(self.warnings(viewer, asked))
        return body | ({"warnings": warnings} if warnings else {})

    @staticmethod
    def warnings(viewer: Viewer, asked: ReportRequest) -> Iterator[str]:
        """The sentences about ignored parameters, and about slices with a database that is not configured."""
        ignored = [name for name, _ in asked.filters if name in STAFF_FILTERS] if viewer.is_affiliate else []
        for name in sorted(f"filter[{name}]" for name in ignored):
            yield f"{name} is a parameter for staff only. It was ignored."
        for name in asked.slices:
            if name in DATABASES:
                kind, what = DATABASES[name]
                shown = "ISP" if kind == "isp" else kind
                yield f"No {shown} database is configured (TRACKYARD_{kind.upper()}_DATABASE): {what} are not known."

    @staticmethod
    def currency(asked: ReportRequest) -> str:
        """The currency of the amounts."""
        chosen = (asked.in_currency,) if asked.in_currency else dict(asked.filters).get("currency", ())
        return str(chosen[0]) if len(chosen) == 1 else "USD"

    def rate(self, asked: ReportRequest, day: date) -> Decimal:
        """What the amounts of a day of the platform, which is in UTC, are multiplied by."""
        if asked.in_currency in ("", "USD"):
            return Decimal(1)
        known = self.known.rates[asked.in_currency]
        return known[max((each for each in known if each <= day), default=min(known))]

    def rows(self, viewer: Viewer, asked: ReportRequest) -> Iterator[Row]:
        """All rows, in any order; the values of keys as they are stored."""
        of_reasons, of_goals = "trafficback_reason" in asked.slices, "goal" in asked.slices
        clicks, views, made = (
            [each for each in records if self.passes(viewer, asked, each)]
            for records in (self.clicks, self.views, self.conversions)
        )
        accepted = [each for each in clicks if not each["reason"]]
        views = [each for each in views if not each["reason"]]
        rejected = [each for each in clicks if each["reason"] not in ("", "not-counted")]
        kinds = {"raw": accepted, "refused": [], "views": views, "made": made}
        if of_reasons:
            kinds = {"raw": [], "refused": rejected, "views": [], "made": []}
        if "trafficback" in asked.fields and not of_reasons:
            kinds["refused"] = rejected
        if of_goals:
            kinds |= {"raw": [], "refused": [], "views": []}
        costs = self.costs(viewer, asked)
        kinds["costs"] = [each for each in costs or () if each["cost"] > 0]
        found: dict[tuple[Any, ...], dict[str, list[Record]]] = {}
        for kind, records in kinds.items():
            for each in records:
                key = tuple(self.keys(asked, each).items())
                found.setdefault(key, {name: [] for name in kinds})[kind].append(each)
        for key, mine in found.items():
            if mine["made"] or not asked.nonzero:
                row = self._row(viewer, asked, dict(key), mine)
                yield row if costs is None else row | self._profit(row, mine["costs"])

    def costs(self, viewer: Viewer, asked: ReportRequest) -> list[Record] | None:
        """The costs that count; None where the rows or filters are not those of costs."""
        filtered = {NOT.get(name, name) for name, _ in asked.filters}
        if viewer.is_affiliate or not COSTED.issuperset(asked.slices) or not COST_FILTERS.issuperset(filtered):
            return None
        return [
            {**each, "cost": each["cost"] * self.rate(asked, each["on"].date())}
            for each in self.known.costs
            if asked.first <= each["on"].date() <= asked.last
            and viewer.sees(each)
            and self.is_chosen(viewer, asked, each)
        ]

    @staticmethod
    def _profit(row: Row, costs: list[Record]) -> Row:
        cost = rounded(sum((each["cost"] for each in costs), ZERO))
        profit = row["actions"]["confirmed"]["earning"] - cost
        return {"cost": cost, "profit": profit, "roi": rounded(100 * profit / cost) if cost else ZERO}

    def passes(self, viewer: Viewer, asked: ReportRequest, record: Record) -> bool:
        """Whether a record counts."""
        day = asked.local(record["time"]).date()
        return asked.first <= day <= asked.last and viewer.sees(record) and self.is_chosen(viewer, asked, record)

    def is_chosen(self, viewer: Viewer, asked: ReportRequest, record: Record) -> bool:
        """Whether the filters let a record pass. What staff alone may filter by is nothing to an affiliate."""
        hidden = STAFF_FILTERS if viewer.is_affiliate else ()
        return all(
            bool(self.traits(viewer, record, NOT.get(name, name)) & {str(value) for value in values})
            is (name not in NOT)
            for name, values in asked.filters
            if name not in hidden and not (name in OF_CONVERSIONS and "status" not in record)
        )

    def traits(self, viewer: Viewer, record: Record, name: str) -> set[str]:
        """What a record has of what can be filtered by; an affiliate knows tags of offers that it sees."""
        owner, seller = self.known.affiliates[record["affiliate"]], self.known.advertisers[record["advertiser"]]
        other: dict[str, Callable[[], Iterable[Any]]] = {
            "partner": lambda: [record["affiliate"]],
            "manager": lambda: [owner.manager_id],
            "advertiser_manager_id": lambda: [seller.manager_id],
            "affiliate_tag": lambda: owner.tags,
            "advertiser_tag": lambda: seller.tags,
            "offer_tag": lambda: self._offer_tags(viewer, record),
        }
        return {str(value) for value in (other[name]() if name in other else [record[name]])}

    def _offer_tags(self, viewer: Viewer, record: Record) -> list[str]:
        about = self.known.offers[record["offer"]]
        is_open = about.privacy != "private" and about.status == "active"
        is_connected = (about.id, record["affiliate"]) in self.known.connected
        is_shown = about.removed_at is None and (is_open or is_connected)
        return list(about.tags) if is_shown or not viewer.is_affiliate else []

    def keys(self, asked: ReportRequest, record: Record) -> dict[str, Any]:
        """The values of the slices."""
        now = record["on"] if "on" in record else asked.local(record["time"])
        clock = {"year": now.year, "month": now.month, "day": now.day, "hour": now.hour}
        clock["quarter"] = {1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 2, 7: 3, 8: 3, 9: 3}.get(now.month, 4)
        found: dict[str, Any] = {}
        for name in asked.slices:
            if name in TIMES:
                found |= {key: clock[key] for key in TIMES[name]}
            elif name == "manager":
                found[NAMED[name]] = self.known.affiliates[record["affiliate"]].manager_id or "0"
            elif name == "advertiser_manager":
                found[NAMED[name]] = self.known.advertisers[record["advertiser"]].manager_id or "0"
            else:
                found[NAMED.get(name, name)] = record[FROM_RECORD.get(name, NAMED.get(name, name))]
            found |= {"offer": record["offer"]} if name in PAGES else {}
        return found

    def _row(self, viewer: Viewer, asked: ReportRequest, keys: dict[str, Any], mine: dict[str, list[Record]]) -> Row:
        groups = {name: list(statuses) for name, statuses in GROUPS.items()}
        if asked.version == "3.0":
            groups["not_found"] = ["not_found"]
        else:
            groups["declined"].append("not_found")
        made = mine["made"]
        actions = {"total": self._action(viewer, asked, made)}
        for name, statuses in groups.items():
            actions[name] = self._action(viewer, asked, [each for each in made if each["status"] in statuses])
        raw, views, total = len(mine["raw"]), len(mine["views"]), actions["total"]["count"]
        earned = actions["confirmed"]["payouts"]
        return {
            "keys": keys,
            "raw": raw,
            "uniq": sum(each["uniq"] for each in mine["raw"]),
            "views": views,
            "trafficback": len(mine["refused"]),
            "actions": actions,
            "cr": {kind: divide_rounded(Decimal(100 * each["count"]), raw) for kind, each in actions.items()},
            "epc": divide_rounded(earned, raw),
            "ecpm": divide_rounded(1000 * earned, views),
            "ctr": divide_rounded(Decimal(100 * raw), views),
            "ratio": f"1:{(Decimal(raw) / total).quantize(Decimal(1), ROUND_HALF_EVEN) if total else 0}",
        }

    def _action(self, viewer: Viewer, asked: ReportRequest, made: list[Record]) -> dict[str, Any]:
        is_own = len(dict(asked.filters).get("currency", ())) == 1 and not asked.in_currency
        own = "" if is_own else "_base"
        rated = [(each, self.rate(asked, datetime.fromtimestamp(each["time"] // 1000, UTC).date())) for each in made]
        charges = sum((each[f"charge{own}"] * rate for each, rate in rated), ZERO)
        payouts = sum((each[f"payout{own}"] * rate for each, rate in rated), ZERO)
        clickless = [(each, rate) for each, rate in rated if is_clickless(each)]
        hides = viewer.is_affiliate
        return {
            "revenue": rounded(payouts if hides or viewer.by_payout else charges),
            "charge": ZERO if hides else rounded(charges),
            "earning": ZERO if hides else rounded(charges - payouts),
            "payouts": rounded(payouts),
            "null": len([each for each in made if each["payout"] == 0]),
            "count": len(made),
            "without_click": len(clickless),
            "payouts_without_click": rounded(sum((each[f"payout{own}"] * rate for each, rate in clickless), ZERO)),
        }

    # --- form -----------------------------------------------------------------------------------------------

    def ordered(self, asked: ReportRequest, rows: list[Row]) -> list[Row]:
        """By what is asked for, then by the keys; by the keys alone in the direction that is asked for."""
        by = [name for name in asked.order if name != "currency"]
        rows = sorted(rows, key=lambda row: tuple(row["keys"].values()), reverse=asked.descending and not by)
        for name in reversed(by):
            rows.sort(key=lambda row: self._sorted_by(row, name), reverse=asked.descending)
        return rows

    def _shown(self, viewer: Viewer, asked: ReportRequest, row: Row) -> dict[str, Any]:
        is_refused = "trafficback_reason" in row["keys"]
        names: tuple[str, ...] = FIGURES
        hidden = {"payouts"} if viewer.plain else set()
        if viewer.plain:
            is_rated = row["keys"].keys() & {"conn_type", *PAGES}
            names = ("views", "ctr") if is_refused else ("epc", "ratio") if is_rated else ()
        fields = tuple(name for name in asked.fields if name != "without_click")
        if fields:
            names = tuple(name for name in (*FIGURES, "affiliate_epc", "trafficback") if name in fields)
            row = row | {"affiliate_epc": row["epc"]}
            hidden = {"payouts"} - {*fields}
        hidden |= {"without_click", "payouts_without_click"} if "without_click" not in asked.fields else set()
        actions = {
            kind: {name: each[name] for name in each if name not in hidden}
            for kind, each in row["actions"].items()
            if not asked.types or kind in asked.types
        }
        shown = {name: row[name] for name in names}
        if "cr" in shown:
            shown["cr"] = {kind: rate for kind, rate in row["cr"].items() if kind in actions}
        shown |= {"trafficback": row["trafficback"]} if is_refused else {}
        if "cost" in row and (row["cost"] or not viewer.plain or fields):
            costs = ("cost", "profit", "roi")
            shown |= {name: row[name] for name in costs if not fields or name in fields}
        if row["keys"].keys() & set(PAGES):
            shown["landings_info"] = self._pages(row["keys"])
        keys = {key: self.named(key, value, asked.locale, viewer) for key, value in row["keys"].items()}
        if asked.by_request and "affiliate_manager_id" in keys:
            keys["manager"] = keys["affiliate_manager_id"]
        return shown | {
            "slice": keys,
            "traffic": {"raw": str(row["raw"]), "uniq": str(row["uniq"])},
            "actions": [] if is_refused else actions,
        }

    def _pages(self, keys: Mapping[str, Any]) -> dict[str, Any]:
        """What a row says of the pages that it names, as far as the offer has them."""
        of_offer = {page["id"]: page for page in self.known.offers[keys["offer"]].landings}
        named = (of_offer.get(keys.get(name)) for name in PAGES)
        return {
            str(page["id"]): {"url": page["url"], "preview_url": page["url_preview"], "title": page["title"]}
            for page in named
            if page
        }

    def title(self, name: str, value: Any) -> str:
        """What a value of a slice is ordered by, as far as it has a title."""
        if name == "affiliate":
            return str(self.known.affiliates[value].name or self.known.affiliates[value].login)
        shown = self.named(NAMED.get(name, name), value)
        return str(shown["title"])

    def _sorted_by(self, row: Row, name: str) -> Any:
        if name in ("offer", "affiliate", "advertiser", "manager"):
            return self.title(name, row["keys"][NAMED.get(name, name)]).casefold()
        return _sorted_by(row, name)

    def named(self, key: str, value: Any, locale: str = "en", viewer: Viewer | None = None) -> Any:
        """A value of a slice with what it is called; viewer: of statistics rows, None = in a list."""
        known = self.known
        if key == "landing":
            return str(value)
        if key == "city":
            return CITIES.get((value, locale), value)
        if key == "offer":
            about = known.offers[value]
            shown = {"id": value, "offer_id": about.hash, "title": about.title}
            is_bare = viewer is None or viewer.is_affiliate or viewer.plain
            return shown if is_bare else shown | {"url": about.url}
        if key == "affiliate":
            who = known.affiliates[value]
            return {"id": value, "email": who.email, "login": who.login, "name": who.name}
        if key == "advertiser":
            return {"id": value, "title": known.advertisers[value].title}
        if key not in ("affiliate_manager_id", "advertiser_manager_id"):
            return value
        first, last = "Undefined", "Undefined"
        if value != "0":
            first, last = known.staff[value].first_name, known.staff[value].last_name
        shown = {"id": value, "first_name": first, "last_name": last}
        title = first if value == "0" else f"{first} {last}"
        return shown if viewer and viewer.plain else shown | {"title": title}


def _sorted_by(row: Row, name: str) -> Any:
    if name in TIMES:
        return tuple(row["keys"][key] for key in TIMES[name])
    if name in PAGES:
        return (row["keys"][name], row["keys"]["offer"])
    if name in ("raw", "uniq", "cost", "profit"):
        return row[name]
    if NAMED.get(name, name) in row["keys"]:
        return row["keys"][NAMED.get(name, name)]
    kind, _, measure = name.rpartition("_")
    return row["actions"][kind][measure]


# --- what happened --------------------------------------------------------------------------------------------


def read_oracle(journals: Path, database: Database) -> Oracle:
    """Reads the journals and the histories."""
    records = list(each_record(journals))
    clicks = [msgspec.structs.asdict(decode_click(payload)) for _, kind, payload in records if kind is RecordKind.CLICK]
    views = [
        msgspec.structs.asdict(decode_impression(payload))
        for _, kind, payload in records
        if kind is RecordKind.IMPRESSION
    ]
    calls = {place: decode_postback(payload) for place, kind, payload in records if kind is RecordKind.POSTBACK}
    of_id = {each["id"]: each for each in clicks}
    known, made = KnownRecords(), []
    with database.read() as conn:
        tables = {"offers": offer, "affiliates": affiliate, "advertisers": advertiser, "staff": staff}
        for name, table in tables.items():
            setattr(known, name, {row.id: row for row in conn.execute(select(table))})
        known.connected = {(row.offer_id, row.affiliate_id) for row in conn.execute(_CONNECTED)}
        for row in conn.execute(select(currency_rate).order_by(currency_rate.c.from_at)):
            day = datetime.fromtimestamp(row.from_at // 1000, UTC).date()
            known.rates.setdefault(row.currency, {})[day] = row.rate
        known.costs = [cost_record(row, known.offers[row.offer_id]) for row in conn.execute(select(ad_cost))]
        events: dict[str, list[Any]] = {}
        for event in conn.execute(select(conversion_event).order_by(conversion_event.c.version)):
            events.setdefault(event.conversion_id, []).append(event)
        books = PaidBooks()
        for row in conn.execute(_PAID_ENTRIES):
            books.add(row.source_id, row.currency, row.available, is_executed=row.status == "paid")
        for row in conn.execute(select(conversion)):
            call = calls.get((row.journal, row.position))
            # what is made by hand has no record of a call, nor one of a click
            about = row.click if call is None else of_id[row.click_id]
            at = row.created_at if call is None else call.time
            paid = books.shown(row.id, row.currency, row.payout)
            made.append({**conversion_record(row, events[row.id], about, at), **paid})
    return Oracle(clicks, views, made, known)
