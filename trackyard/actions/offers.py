"""Offers: making them, connecting affiliates to them."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any

import msgspec

from trackyard.actions.deps import Deps
from trackyard.actions.scope import scope_of
from trackyard.base.errors import BadInput
from trackyard.base.ids import new_id
from trackyard.base.zones import day_end_ms
from trackyard.domain.callers import Caller
from trackyard.domain.offers import Landing, Offer, PaymentItem
from trackyard.domain.roles import Permission
from trackyard.domain.scope import Scope
from trackyard.store import advertisers, affiliates, connections, offers, rates, rules
from trackyard.store.engine import Connection

Document = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOffer:
    """What staff say of a new offer. payments: items by their wire names, amounts as text, currency "" = the
    platform's · landings: without ids · start_at: a local time of the platform zone · stop_date: its last day."""

    title: str
    advertiser: str
    url: str
    url_preview: str | None
    trafficback_url: str | None
    macro_url: str | None
    cross_postback_url: str | None
    status: str
    privacy: str
    payments: list[Document]
    partner_payments: list[Document]
    landings: list[Document]
    hold_period: int
    click_session: str
    minimal_click_session: str
    hash_password: str | None
    allowed_ip: str
    disallowed_ip: str
    external_offer_id: str
    bundle_id: str
    notes: str | None
    note_aff: str | None
    note_sales: str | None
    description_lang: dict[str, str]
    tags: list[str]
    is_top: bool
    start_at: datetime | None
    stop_date: date | None


def add_offer(deps: Deps, caller: Caller, new: NewOffer) -> Offer:
    """Makes an offer. Raises BadInput for an advertiser, affiliate or currency that does not exist."""
    with deps.database.write() as conn:
        scope = scope_of(conn, caller, Permission.OFFERS_WRITE)
        faults = _faults(deps, conn, scope, new)
        if faults:
            raise BadInput(faults)
        made = offers.add_offer(conn, _fields(deps, new))
        rules.touch(conn, "offer", made.id)
        return made


def connect_affiliate(deps: Deps, caller: Caller, affiliate_id: int, offer_ids: Iterable[int]) -> None:
    """Connects an affiliate to offers, all or none. Raises BadInput for what does not exist or is out of scope."""
    wanted = sorted(set(offer_ids))
    with deps.database.write() as conn:
        scope = scope_of(conn, caller, Permission.OFFERS_CONNECT)
        faults = {}
        missing = [str(number) for number in wanted if number not in offers.existing(conn, wanted)]
        if missing:
            faults["offer_id"] = [f"An offer {number} does not exist." for number in missing]
        if affiliates.find_affiliate(conn, scope, affiliate_id) is None:
            faults["pid"] = [f"An affiliate {affiliate_id} does not exist."]
        if faults:
            raise BadInput(faults)
        connections.connect(conn, affiliate_id, wanted, deps.clock.now_ms())
        for number in wanted:
            rules.touch(conn, "connections", number)


def _faults(deps: Deps, conn: Connection, scope: Scope, new: NewOffer) -> dict[str, list[str]]:
    faults: dict[str, list[str]] = {}
    if advertisers.find_advertiser(conn, scope, new.advertiser) is None:
        faults["advertiser"] = [f"An advertiser {new.advertiser} does not exist."]
    now = deps.clock.now_ms()
    used = {item["currency"] for item in (*new.payments, *new.partner_payments) if item["currency"]}
    known = rates.find_rates(conn, deps.currency, used, now, now).at(now)
    named = {number for item in new.partner_payments for number in item["partners"]}
    present = affiliates.names_of(conn, named)
    for name, items in (("payments", new.payments), ("partner_payments", new.partner_payments)):
        for index, item in enumerate(items):
            if item["currency"] and item["currency"] not in known:
                faults[f"{name}[{index}][currency]"] = [f"There is no rate for {item['currency']}."]
            for place, number in enumerate(item.get("partners", ())):
                if number not in present:
                    faults[f"{name}[{index}][partners][{place}]"] = [f"An affiliate {number} does not exist."]
    return faults


def _fields(deps: Deps, new: NewOffer) -> dict[str, Any]:
    now = deps.clock.now_ms()
    values = asdict(new)
    for name in ("advertiser", "start_at", "stop_date", "payments", "partner_payments", "landings"):
        del values[name]
    start = None if new.start_at is None else new.start_at.replace(tzinfo=deps.zone)
    return values | {
        "hash": new_id(now),
        "advertiser_id": new.advertiser,
        "tags": tuple(new.tags),
        "payments": _payments(deps, new.payments),
        "partner_payments": _payments(deps, new.partner_payments),
        "landings": tuple(Landing(id=number, **item) for number, item in enumerate(new.landings, start=1)),
        "start_at": None if start is None else int(start.timestamp()) * 1000,
        "stop_at": None if new.stop_date is None else day_end_ms(new.stop_date, deps.zone),
        "created_at": now,
        "updated_at": now,
    }


def _payments(deps: Deps, items: list[Document]) -> tuple[PaymentItem, ...]:
    named = [item | {"currency": item["currency"] or deps.currency} for item in items]
    return tuple(msgspec.convert(item, PaymentItem, strict=False) for item in named)
