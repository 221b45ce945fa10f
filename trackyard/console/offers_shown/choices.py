"""Values and names of the selects by which lists of offers are filtered."""

from collections.abc import Iterable, Sequence
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.base.texts.languages import spoken
from trackyard.domain.platform.geo import countries
from trackyard.wire.local_calls import LocalCalls

Choices = tuple[tuple[str, str], ...]
"""Values and their names, as a select lists them."""

MOST_CHOICES: Final = 300
"""Values of a select. Where there are more, people write the value."""


def categories(calls: LocalCalls[Deps], named: Sequence[str] = ()) -> Choices:
    """Return categories of offers; nothing where there are too many, or the person may not list them.

    named: ids of categories that are in it even where there are too many.
    """
    found = listed(calls, "offer.categories.list", "categories", "title", (("order", "title"),))
    if found or not named:
        return found
    ids = [("ids[]", each) for each in named[:MOST_CHOICES]]
    return listed(calls, "offer.categories.list", "categories", "title", ids)


def country_names() -> Choices:
    """Return every country."""
    return tuple((country.code, country.name) for country in countries(spoken().code))


def listed(
    calls: LocalCalls[Deps],
    method: str,
    key: str,
    name: str,
    sent: Iterable[tuple[str, str]] = (),
    most: int = MOST_CHOICES,
) -> Choices:
    """Return the ids and names that a list of the API has; () where there are more than `most`.

    key: of the list in the answer. name: of the field with the name.
    """
    if not calls.may(method):
        return ()
    answer = calls.call(method, [*sent, ("limit", str(most))])
    if answer["pagination"]["total_count"] > most:
        return ()
    return tuple((str(each["id"]), each[name] or each.get("login") or str(each["id"])) for each in answer[key])
