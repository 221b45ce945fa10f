"""Test postbacks: one request, as a conversion would cause it (docs/api/postback-trials.md)."""

import secrets
from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.actions.tracking.own_hosts import own_hosts_of
from trackyard.actions.tracking.postbacks import owner_for
from trackyard.base.errors import BadInput
from trackyard.base.ids import new_id
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.callers import Access
from trackyard.domain.platform.hosts import OWN_HOST_ERROR, OwnHosts
from trackyard.domain.platform.own_requests import DELIVERY_HEADER, ORIGIN_HEADER
from trackyard.domain.tracking.postbacks import BY_CREATING, fill_url
from trackyard.domain.tracking.sample_conversion import sample_conversion
from trackyard.outbound.results import HttpResult, signature, wire_url
from trackyard.store.offers import offers
from trackyard.store.people import affiliates


@dataclass(frozen=True, slots=True)
class PostbackTest:
    """A test request and its answer."""

    url: str
    answer: HttpResult


@dataclass(frozen=True, slots=True)
class _TestTarget:
    """The target of a test. secret: signs its requests; offer_title: "" without an offer."""

    affiliate_id: int
    secret: str
    offer_title: str


def send_test_postback(
    deps: Deps, access: Access, *, pid: int | None, offer_id: int | None, url: str, status: str | None, goal: str
) -> PostbackTest:
    """Request `url` once with the macros of a made-up conversion, signed with the affiliate's secret.

    Without an offer: of offer 0. Nothing is stored or repeated. Raises BadInput, and TooManyRequests while a test of
    this affiliate runs or too many others do.
    """
    now = deps.clock.now_ms()
    receiver, own = _receiver(deps, access, pid, offer_id)
    sample = sample_conversion(
        affiliate_id=receiver.affiliate_id,
        offer_id=offer_id or 0,
        status=Status.CONFIRMED if status in (None, BY_CREATING) else Status(status),
        goal=goal,
        currency=deps.currency,
        now_ms=now,
    )
    target = wire_url(fill_url(url, sample, receiver.offer_title, deps.zone, str(secrets.randbelow(10**9))))
    if own.includes(url) or own.includes(target):
        raise BadInput({"url": [OWN_HOST_ERROR]})
    headers = {
        "X-Trackyard-Signature": signature(receiver.secret, now // 1000, target),
        DELIVERY_HEADER: new_id(now),
        ORIGIN_HEADER: deps.origin,
        "X-Trackyard-Test": "1",
    }
    return PostbackTest(target, deps.trials.fetch(receiver.affiliate_id, target, headers))


def _receiver(deps: Deps, access: Access, pid: int | None, offer_id: int | None) -> tuple[_TestTarget, OwnHosts]:
    with deps.database.read() as conn:
        owner = owner_for(conn, access, pid, offer_id)
        found = affiliates.find_affiliate(conn, scope_of(conn, access), owner)
        own = own_hosts_of(deps, conn)
        titles = {} if offer_id is None else offers.existing_titles(conn, [offer_id])
    if found is None:
        raise BadInput({"pid": [f"An affiliate {owner} does not exist."]})
    return _TestTarget(found.id, found.postback_secret, titles.get(offer_id or 0, "")), own
