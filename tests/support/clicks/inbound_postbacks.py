"""Clicks and inbound calls as the edge records them, for tests that begin behind the journal."""

from typing import Any

from trackyard.base.ids import new_id
from trackyard.domain.statistics.click_columns import EMPTY_CLICK
from trackyard.journal.records import Click, InboundPostback, encode
from trackyard.store.conversions.inbox import NewInboxEntry

AT = 1_790_000_000_000
"""The time of the clicks and calls that tests make: a moment in September 2026."""


def make_click(offer: int, affiliate: int, advertiser: str, **fields: Any) -> Click:
    """An accepted click of one minute before `AT`."""
    values: dict[str, Any] = dict(EMPTY_CLICK)
    values |= {
        "time": AT - 60_000,
        "id": new_id(AT - 60_000),
        "offer": offer,
        "affiliate": affiliate,
        "advertiser": advertiser,
        "uniq": 1,
        "ip": "198.51.100.7",
        "country": "DE",
        "device": "mobile",
        "os": "Android",
        "ua": "Mozilla/5.0",
    }
    return Click(**(values | fields))


def make_inbound_postback(time: int = AT, caller: str = "192.0.2.9", **params: str) -> InboundPostback:
    """An inbound call with these parameters."""
    query = "&".join(f"{name}={value}" for name, value in params.items())
    return InboundPostback(time, new_id(time), "postback", "GET", caller, "curl/8", query, "", dict(params))


def make_inbox_postback(position: int, call: InboundPostback, click: Click | None) -> NewInboxEntry:
    """A call as the projector puts it into the inbox, its click already looked up."""
    return NewInboxEntry(
        position=position,
        call=encode(call),
        click=None if click is None else encode(click),
        click_id=call.params.get("clickid", ""),
        received_at=call.time,
        offer_id=0 if click is None else click.offer,
    )
