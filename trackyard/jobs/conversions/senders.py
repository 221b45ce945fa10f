"""Finds who sent a postback without a click (docs/spec/conversions.md#postbacks-without-a-click)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.journal.records import InboundPostback
from trackyard.store.conversions.senders import find_owners, get_advertisers_of
from trackyard.store.engine.database import Connection

_OFFER: Final = re.compile(r'(?:^|[&?;"])offer_id(?:=|"\s{0,9}:\s{0,9}"?)([0-9]{1,9})(?![0-9])')
"""The number of an offer in a query, a form or a JSON text."""


@dataclass(frozen=True, slots=True)
class Sender:
    """The offer and advertiser that a postback without a click shows. offer: 0, advertiser: "" = none."""

    offer: int = 0
    advertiser: str = ""


NO_SENDER: Final = Sender()


def find_senders(conn: Connection, records: Sequence[InboundPostback]) -> list[Sender]:
    """Return the offer and advertiser of each of these postbacks, in their order."""
    offers = [_named_offer(each) for each in records]
    codes = [each.params.get("secure", "") for each in records]
    advertisers = get_advertisers_of(conn, {offer for offer in offers if offer})
    owners = find_owners(conn, {code for code in codes if code})
    return [_sender(offer, advertisers, owners.get(code, set())) for offer, code in zip(offers, codes, strict=True)]


def _sender(offer: int, advertisers: Mapping[int, str], owners: set[tuple[int, str]]) -> Sender:
    """Return the offer and advertiser of a postback.

    owners: the owners of its code. A code is a secret, so it takes precedence over the number of the offer.
    """
    named = Sender(offer, advertisers[offer]) if offer in advertisers else NO_SENDER
    found = {advertiser for _, advertiser in owners}
    if len(found) != 1:  # no code, an unknown one, or one that several advertisers have
        return named if not found or named.advertiser in found else NO_SENDER
    [advertiser] = found
    if named.advertiser == advertiser:
        return named
    return Sender(next(iter(owners))[0] if len(owners) == 1 else 0, advertiser)


def _named_offer(record: InboundPostback) -> int:
    found = _OFFER.search(record.query) or _OFFER.search(record.body)
    return int(found[1]) if found else 0
