"""Check that the records an offer refers to exist in scope (docs/spec/api-conventions.md#errors)."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.actions.tracking.own_hosts import own_hosts_of
from trackyard.domain.offers import edits as offer_edits
from trackyard.domain.offers.edits import WrittenFields
from trackyard.domain.offers.offers import Offer
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.hosts import OWN_HOST_ERROR
from trackyard.store.engine.database import Connection
from trackyard.store.money import exchange_rates
from trackyard.store.offers import offers as offer_store
from trackyard.store.offers.feeds import product_feeds
from trackyard.store.people import advertisers, affiliates, staff
from trackyard.store.platform import domains

NamedAffiliate = tuple[str, int]
"""(wire name, affiliate id)."""


def faults_of(
    deps: Deps, conn: Connection, scope: Scope, before: Offer, written: WrittenFields
) -> dict[str, list[str]]:
    """Return the errors of fields written to `before`, by wire name."""
    faults: dict[str, list[str]] = defaultdict(list)
    for name, sentence in (
        *offer_edits.field_errors(before, written),
        *_advertiser(conn, scope, written),
        *_currencies(deps, conn, written),
        *_affiliates(conn, scope, written),
        *_categories(conn, written),
        *_managers(conn, before, written),
        *_tracking_domain(conn, written),
        *_product_feed(conn, before, written),
        *_called_urls(deps, conn, before, written),
    ):
        faults[name].append(sentence)
    return faults


def _advertiser(conn: Connection, scope: Scope, written: WrittenFields) -> Iterator[offer_edits.FieldError]:
    number = written.get("advertiser_id")
    if number is not None and advertisers.find_advertiser(conn, scope, number) is None:
        yield "advertiser", f"An advertiser {number} does not exist."


def _currencies(deps: Deps, conn: Connection, written: WrittenFields) -> Iterator[offer_edits.FieldError]:
    named = [
        (f"{name}[{place}][currency]", item["currency"])
        for name in ("payments", "partner_payments")
        for place, item in enumerate(written.get(name, ()))
        if "currency" in item
    ]
    now = deps.clock.now_ms()
    known = exchange_rates.get_rates(conn, deps.currency, {currency for _, currency in named}, now, now).at(now)
    for place, currency in named:
        if currency not in known:
            yield place, f"There is no rate for {currency}."


def _affiliates(conn: Connection, scope: Scope, written: WrittenFields) -> Iterator[offer_edits.FieldError]:
    named = list(_named_affiliates(written))
    present = affiliates.names_of(conn, {number for _, number in named}) if named else {}
    for place, number in named:
        if number not in present or not scope.has_affiliate(number):
            yield place, f"An affiliate {number} does not exist."


def _named_affiliates(written: WrittenFields) -> Iterator[NamedAffiliate]:
    for place, item in enumerate(written.get("personal_limits", ())):
        yield f"personal_limits[{place}][partner]", item.partner
    lists: dict[str, tuple[str, Callable[[Any], Iterable[int]]]] = {
        "partner_payments": ("partners", lambda item: item.get("partners", ())),
        "caps": ("affiliates", lambda item: item.affiliates),
        "commission_tiers": ("affiliates", lambda item: item.affiliates),
        "targeting": ("affiliate_id", lambda item: item.affiliate_id),
    }
    for name, (inner, numbers_of) in lists.items():
        for place, item in enumerate(written.get(name, ())):
            for index, number in enumerate(numbers_of(item)):
                yield f"{name}[{place}][{inner}][{index}]", number


def _categories(conn: Connection, written: WrittenFields) -> Iterator[offer_edits.FieldError]:
    for name in ("sources", "categories", "smartlink_categories"):
        values = written.get(name, ())
        missing = offer_store.missing_ids(conn, name, values)
        for place, value in enumerate(values):
            if value in missing:
                yield f"{name}[{place}]", f"{_NOUNS[name]} {value} does not exist."
    domain = written.get("domain_id")
    if domain is not None and offer_store.missing_ids(conn, "domain_id", [domain]):
        yield "domain_url", f"A domain {domain} does not exist."


def _managers(conn: Connection, before: Offer, written: WrittenFields) -> Iterator[offer_edits.FieldError]:
    named = written.get("managers", ())
    known = {*before.managers, *staff.staff_of(conn, named)} if named else ()
    for place, number in enumerate(named):
        if number not in known:
            yield f"managers[{place}]", f"A staff user {number} does not exist."


def _tracking_domain(conn: Connection, written: WrittenFields) -> Iterator[offer_edits.FieldError]:
    host = written.get("tracking_domain")
    if host and find_domain_id(conn, host) is None:
        yield "tracking_domain", f"A domain {host} does not exist: GET /3.0/admin/domains lists them."
    elif host and written.get("domain_id") is not None and find_domain_id(conn, host) != written["domain_id"]:
        yield "tracking_domain", "This value must be the domain that domain_url names, or be left out."


def _product_feed(conn: Connection, before: Offer, written: WrittenFields) -> Iterator[offer_edits.FieldError]:
    number = written.get("product_feed_id")
    if number and number != before.product_feed_id and product_feeds.find_feed(conn, number) is None:
        yield "product_feed_id", f"A product feed {number} does not exist: GET /3.1/admin/product-feeds lists them."


def find_domain_id(conn: Connection, host: str) -> int | None:
    """Return the number of the domain with this host; None = there is none."""
    return next((each.id for each in domains.list_domains(conn) if each.url.rpartition("://")[2] == host), None)


def _called_urls(
    deps: Deps, conn: Connection, before: Offer, written: WrittenFields
) -> Iterator[offer_edits.FieldError]:
    for name in ("cross_postback_url", "parallel_tracking_url"):
        url = written.get(name)
        if url and url != getattr(before, name) and own_hosts_of(deps, conn).includes(url):
            yield name, OWN_HOST_ERROR


_NOUNS = {"sources": "A source", "categories": "A category", "smartlink_categories": "A SmartLink category"}
