"""Values and names of the selects by which lists of offers are filtered."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.offers import categories as categories_api
from trackyard.api.offers import smartlinks, sources
from trackyard.base.texts.languages import spoken
from trackyard.console.list_files import total_of
from trackyard.domain.platform.geo import countries
from trackyard.wire.endpoint import A, Endpoint
from trackyard.wire.local_calls import LocalCalls

Choices = tuple[tuple[str, str], ...]
"""Values and their names, as a select lists them."""

MOST_CHOICES: Final = 300
"""Values of a select. Where there are more, people write the value."""


def categories(calls: LocalCalls[Deps], named: Sequence[str] = ()) -> Choices:
    """Return categories of offers; nothing where there are too many, or the person may not list them.

    named: ids of categories that are in it even where there are too many.
    """
    found = listed(calls, categories_api.list_all, _titles, (("order", "title"),))
    if found or not named:
        return found
    ids = [("ids[]", each) for each in named[:MOST_CHOICES]]
    return listed(calls, categories_api.list_all, _titles, ids)


def _titles(answer: categories_api.CategoriesAnswer) -> Iterable[tuple[str, str]]:
    return ((each.id, each.title) for each in answer.categories)


def source_choices(calls: LocalCalls[Deps], named: Collection[str] = ()) -> Choices:
    """Return the first traffic sources, and the sources of the given ids.

    There are none where the person may not list them.
    """
    if not calls.may(sources.list_all):
        return ()
    return _first(((each.id, each.title) for each in calls.ask(sources.list_all).sources), named)


def smartlink_choices(calls: LocalCalls[Deps], named: Collection[str] = ()) -> Choices:
    """Return the first SmartLinks, and the SmartLinks of the given ids; as `source_choices`."""
    if not calls.may(smartlinks.list_all):
        return ()
    return _first(((each._id, each.name) for each in calls.ask(smartlinks.list_all).data), named)


def _first(found: Iterable[tuple[str, str]], named: Collection[str]) -> Choices:
    return tuple(each for number, each in enumerate(found) if number < MOST_CHOICES or each[0] in named)


def country_names() -> Choices:
    """Return every country."""
    return tuple((country.code, country.name) for country in countries(spoken().code))


def listed(
    calls: LocalCalls[Deps],
    method: Endpoint[Deps, A],
    named: Callable[[A], Iterable[tuple[object, str]]],
    sent: Iterable[tuple[str, str]] = (),
) -> Choices:
    """Return the ids and names in a list of the API; () where there are more than MOST_CHOICES.

    named: returns the ids and names of an answer; an id without a name is its own name.
    """
    if not calls.may(method):
        return ()
    answer = calls.ask(method, [*sent, ("limit", str(MOST_CHOICES))])
    if total_of(answer) > MOST_CHOICES:
        return ()
    return tuple((str(number), name or str(number)) for number, name in named(answer))
