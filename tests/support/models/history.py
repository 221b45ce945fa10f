"""Clicks and conversions put behind the API, as the projector and the worker would."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from tests.support.models.events import new_click, new_fact
from trackyard.actions.deps import Deps
from trackyard.analytics.load import click_item, load, lookup_item
from trackyard.domain.conversions.conversions import Conversion, ConversionChange
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.statistics.rows import encode_row
from trackyard.domain.tracking.subs import SUBS
from trackyard.journal.records import Click, encode
from trackyard.store.conversions import conversions


def load_clicks(deps: Deps, clicks: Sequence[Click]) -> None:
    """Puts clicks into the analytic store."""
    items = [click_item("001-0000000000001", place, encode(click)) for place, click in enumerate(clicks)]
    load(deps.analytics, "click", items, f"clicks-{clicks[0].id}")
    load(deps.analytics, "click_lookup", [lookup_item(encode(click)) for click in clicks], f"lookup-{clicks[0].id}")


def load_views(deps: Deps, views: Sequence[Click]) -> None:
    """Puts views into the analytic store."""
    items = [click_item("001-0000000000002", place, encode(view)) for place, view in enumerate(views)]
    load(deps.analytics, "view", items, f"views-{views[0].id}")


def conversion_of(click: Click, number: int, **fields: Any) -> Conversion:
    """A confirmed conversion of a click (charge 10, payout 7 USD), a second later; `fields` by name."""
    values: dict[str, Any] = {
        "id": f"{number:024x}", "goal": "1", "identity": f"c:{click.id}:{number}", "version": 1, "action_id": "",
        "advertiser_id": "", "offer_id": click.offer, "affiliate_id": click.affiliate, "goal_title": "Sale",
        "status": Status.CONFIRMED, "sent_status": Status.CONFIRMED,
        "comment": "", "payment": None, "modifiers": (), "payment_type": "fixed", "currency": "USD", "rate": Decimal(1),
        "sum": Decimal(0), "charge": Decimal(10), "payout": Decimal(7), "custom_fields": {}, "click_id": click.id,
        "click_time": click.time, "click": msgspec.structs.asdict(click), "call_ip": "192.0.2.1", "user_id": "",
        "journal": "", "position": 0, "hold_until": None, "created_at": click.time + 1000,
    }  # fmt: skip
    values |= fields
    values |= {"charge_base": values["charge"], "payout_base": values["payout"]}
    values.setdefault("updated_at", values["created_at"])
    return Conversion(**values)


def add_conversion(deps: Deps, number: int, **fields: Any) -> Conversion:
    """A confirmed conversion (charge 10, payout 7 USD) in SQL and, as a fact, in the analytic store.

    Fields of the conversion by name; those of its click in `click`.
    """
    made, fact = _recorded(deps, number, **fields)
    load(deps.analytics, "fact", [fact], f"fact-{number}")
    return made


def add_conversions(deps: Deps, each: Mapping[int, Mapping[str, Any]], **fields: Any) -> None:
    """Add conversions by number, with their own fields and those of all.

    Their facts are loaded together: each load takes longer than the rest.
    """
    facts = [_recorded(deps, number, **fields, **own)[1] for number, own in each.items()]
    load(deps.analytics, "fact", facts, f"facts-{'-'.join(map(str, each))}")


def _recorded(deps: Deps, number: int, **fields: Any) -> tuple[Conversion, bytes]:
    """Put a conversion into SQL; return it and its fact."""
    click = new_click(number, offer=fields["offer_id"], affiliate=fields["affiliate_id"], **fields.pop("click", {}))
    made = conversion_of(click, number, **fields)
    with deps.database.write() as conn:
        conversions.record_changes(conn, [ConversionChange(None, made, "test")])
    fact = new_fact(
        number, time=made.created_at, click_time=click.time, click_id=click.id, status=made.status.number,
        goal=made.goal, offer=made.offer_id, affiliate=made.affiliate_id, advertiser=made.advertiser_id,
        currency=made.currency, charge=made.charge, payout=made.payout, charge_base=made.charge,
        payout_base=made.payout, country=click.country, landing=click.landing,
        prelanding=click.prelanding, origin=click.origin, **{name: getattr(click, name) for name in SUBS},
    )  # fmt: skip
    return made, encode_row(fact)
