"""Names of the things that offers refer to, as far as the person may see them."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.money import currencies as currencies_api
from trackyard.api.offers import smartlinks as smartlinks_api
from trackyard.api.offers import sources as sources_api
from trackyard.api.offers.feeds import product_feeds as product_feeds_api
from trackyard.api.people import advertisers as advertisers_api
from trackyard.api.people import affiliates as affiliates_api
from trackyard.console.offers_shown.choices import MOST_CHOICES, Choices, listed
from trackyard.wire.local_calls import LocalCalls

_AT_A_TIME: Final = 100
"""Names that one call asks for."""


def advertisers(calls: LocalCalls[Deps]) -> Choices:
    """Return advertisers by title; nothing where there are too many, or the person may not list them."""
    return listed(
        calls,
        advertisers_api.list_names,
        lambda answer: ((each.id, each.title) for each in answer.advertisers),
    )


def affiliates(calls: LocalCalls[Deps]) -> Choices:
    """Return active affiliates by number; as `advertisers`."""
    found = listed(
        calls,
        affiliates_api.list_names,
        lambda answer: ((each.id, each.name or each.login) for each in answer.partners),
        (("status[]", "active"),),
    )
    return tuple((number, f"{name} (#{number})") for number, name in found)


def sources(calls: LocalCalls[Deps], named: Collection[str] = ()) -> Choices:
    """Return the first traffic sources, and the sources of the given ids.

    There are none where the person may not list them.
    """
    if not calls.may(sources_api.list_all):
        return ()
    return _chosen(((each.id, each.title) for each in calls.ask(sources_api.list_all).sources), named)


def smartlinks(calls: LocalCalls[Deps], named: Collection[str] = ()) -> Choices:
    """Return the first SmartLinks, and the SmartLinks of the given ids; as `sources`."""
    if not calls.may(smartlinks_api.list_all):
        return ()
    return _chosen(((each._id, each.name) for each in calls.ask(smartlinks_api.list_all).data), named)


def product_feeds(calls: LocalCalls[Deps]) -> Choices:
    """Return product feeds; as `advertisers`."""
    if not calls.may(product_feeds_api.list_):
        return ()
    found = calls.ask(product_feeds_api.list_, [("limit", str(MOST_CHOICES))]).product_feeds
    return tuple((each.id, each.name) for each in found)


def currencies(calls: LocalCalls[Deps], platform: str) -> Choices:
    """Return the currencies of payments, that of the platform first."""
    quotes = calls.ask(currencies_api.list_all).quotes if calls.may(currencies_api.list_all) else {}
    known = sorted(each if isinstance(each, str) else each.code for each in quotes)
    return tuple((code, code) for code in dict.fromkeys((platform, *known)))


def advertiser_names(calls: LocalCalls[Deps], ids: Iterable[str], known: Choices = ()) -> Mapping[str, str]:
    """Return titles by id of the advertisers that the person may see, with few calls.

    known: titles that were read already.
    """
    found = dict(known)
    wanted = sorted({each for each in ids if each} - found.keys())
    if not calls.may(advertisers_api.list_names):
        return found
    for start in range(0, len(wanted), _AT_A_TIME):
        sent = [("id[]", each) for each in wanted[start : start + _AT_A_TIME]]
        answer = calls.ask(advertisers_api.list_names, [*sent, ("limit", str(_AT_A_TIME))])
        found |= {each.id: each.title for each in answer.advertisers}
    return found


def _chosen(found: Iterable[tuple[str, str]], named: Collection[str]) -> Choices:
    """Return the first values, and the values of the given ids."""
    return tuple(each for number, each in enumerate(found) if number < MOST_CHOICES or each[0] in named)
