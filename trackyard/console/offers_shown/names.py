"""Names of the things that offers refer to, as far as the person may see them."""

from collections.abc import Collection, Iterable, Mapping

from trackyard.actions.deps import Deps
from trackyard.base.errors import RequestError
from trackyard.console.offers_shown.choices import MOST_CHOICES, Choices, listed
from trackyard.wire.local_calls import LocalCalls


def advertisers(calls: LocalCalls[Deps]) -> Choices:
    """Return advertisers by title; nothing where there are too many, or the person may not list them."""
    return listed(calls, "admin.advertisers.list", "advertisers", "title", (("order", "title"),))


def affiliates(calls: LocalCalls[Deps]) -> Choices:
    """Return active affiliates by number; as `advertisers`."""
    found = listed(calls, "admin.partners.list", "partners", "name", (("status[]", "active"),))
    return tuple((number, f"{name} (#{number})") for number, name in found)


def sources(calls: LocalCalls[Deps], named: Collection[str] = ()) -> Choices:
    """Return the first traffic sources, and those of the ids that are named.

    There are none where the person may not list them.
    """
    if not calls.may("admin.offer.sources.list"):
        return ()
    found = calls.call("admin.offer.sources.list")["sources"]
    return _chosen(((each["id"], each["title"]) for each in found), named)


def smartlinks(calls: LocalCalls[Deps], named: Collection[str] = ()) -> Choices:
    """Return the first SmartLinks, and those of the ids that are named; as `sources`."""
    if not calls.may("admin.smartlink.categories.list"):
        return ()
    found = calls.call("admin.smartlink.categories.list")["data"]
    return _chosen(((each["_id"], each["name"]) for each in found), named)


def product_feeds(calls: LocalCalls[Deps]) -> Choices:
    """Return product feeds; as `advertisers`."""
    if not calls.may("admin.product-feeds.list"):
        return ()
    found = calls.call("admin.product-feeds.list", [("limit", str(MOST_CHOICES))])["product_feeds"]
    return tuple((each["id"], each["name"]) for each in found)


def currencies(calls: LocalCalls[Deps], platform: str) -> Choices:
    """Return the currencies of payments, that of the platform first."""
    known = calls.call("admin.currency.list")["quotes"] if calls.may("admin.currency.list") else {}
    return tuple((code, code) for code in dict.fromkeys((platform, *sorted(known))))


def advertiser_names(calls: LocalCalls[Deps], ids: Iterable[str], known: Choices = ()) -> Mapping[str, str]:
    """Return titles of advertisers by id, of those that the person may see.

    known: titles that were read already.
    """
    found = dict(known)
    if calls.may("admin.advertiser.get"):
        for id_ in set(ids) - found.keys():
            try:
                found[id_] = calls.call("admin.advertiser.get", path={"id": id_})["advertiser"]["title"]
            except RequestError:  # removed, or out of the person's scope
                continue
    return found


def _chosen(found: Iterable[tuple[str, str]], named: Collection[str]) -> Choices:
    """Return the first values, and those that are named."""
    return tuple(each for number, each in enumerate(found) if number < MOST_CHOICES or each[0] in named)
