"""Names of the things that offers refer to, as far as the person may see them."""

from collections.abc import Collection, Iterable, Mapping

from trackyard.actions.deps import Deps
from trackyard.api.money import currencies as currencies_api
from trackyard.api.offers import smartlinks as smartlinks_api
from trackyard.api.offers import sources as sources_api
from trackyard.api.offers.feeds import product_feeds as product_feeds_api
from trackyard.api.people import advertisers as advertisers_api
from trackyard.api.people import affiliates as affiliates_api
from trackyard.base.errors import RequestError
from trackyard.console.offers_shown.choices import MOST_CHOICES, Choices, listed
from trackyard.wire.local_calls import LocalCalls


def advertisers(calls: LocalCalls[Deps]) -> Choices:
    """Return advertisers by title; nothing where there are too many, or the person may not list them."""
    return listed(
        calls,
        advertisers_api.list_,
        lambda answer: ((each.id, each.title) for each in answer.advertisers),
        (("order", "title"),),
    )


def affiliates(calls: LocalCalls[Deps]) -> Choices:
    """Return active affiliates by number; as `advertisers`."""
    found = listed(
        calls,
        affiliates_api.list_,
        lambda answer: ((each.id, each.name or each.login) for each in answer.partners),
        (("status[]", "active"),),
    )
    return tuple((number, f"{name} (#{number})") for number, name in found)


def sources(calls: LocalCalls[Deps], named: Collection[str] = ()) -> Choices:
    """Return the first traffic sources, and those of the ids that are named.

    There are none where the person may not list them.
    """
    if not calls.may(sources_api.list_all):
        return ()
    found = calls.call(sources_api.list_all)["sources"]
    return _chosen(((each["id"], each["title"]) for each in found), named)


def smartlinks(calls: LocalCalls[Deps], named: Collection[str] = ()) -> Choices:
    """Return the first SmartLinks, and those of the ids that are named; as `sources`."""
    if not calls.may(smartlinks_api.list_all):
        return ()
    found = calls.call(smartlinks_api.list_all)["data"]
    return _chosen(((each["_id"], each["name"]) for each in found), named)


def product_feeds(calls: LocalCalls[Deps]) -> Choices:
    """Return product feeds; as `advertisers`."""
    if not calls.may(product_feeds_api.list_):
        return ()
    found = calls.call(product_feeds_api.list_, [("limit", str(MOST_CHOICES))])["product_feeds"]
    return tuple((each["id"], each["name"]) for each in found)


def currencies(calls: LocalCalls[Deps], platform: str) -> Choices:
    """Return the currencies of payments, that of the platform first."""
    known = calls.call(currencies_api.list_all)["quotes"] if calls.may(currencies_api.list_all) else {}
    return tuple((code, code) for code in dict.fromkeys((platform, *sorted(known))))


def advertiser_names(calls: LocalCalls[Deps], ids: Iterable[str], known: Choices = ()) -> Mapping[str, str]:
    """Return titles of advertisers by id, of those that the person may see.

    known: titles that were read already.
    """
    found = dict(known)
    if calls.may(advertisers_api.show):
        for id_ in set(ids) - found.keys():
            try:
                found[id_] = calls.call(advertisers_api.show, path={"id": id_})["advertiser"]["title"]
            except RequestError:  # removed, or out of the person's scope
                continue
    return found


def _chosen(found: Iterable[tuple[str, str]], named: Collection[str]) -> Choices:
    """Return the first values, and those that are named."""
    return tuple(each for number, each in enumerate(found) if number < MOST_CHOICES or each[0] in named)
