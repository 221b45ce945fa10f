"""Use cases of a person's own preferences (docs/spec/console.md#preferences)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput
from trackyard.domain.people.callers import Account
from trackyard.domain.people.preferences import MAX_PAGES, Preferences
from trackyard.store.people import preferences


def get_preferences(deps: Deps, account: Account) -> Preferences:
    """Return the preferences of an account."""
    with deps.database.read() as conn:
        return preferences.find_preferences(conn, account)


def edit_preferences(deps: Deps, account: Account, given: Mapping[str, Any]) -> Preferences:
    """Change the given preferences; return all. Raises BadInput.

    given: new values by field of Preferences. Pages that are not given stay, an empty text removes one.
    """
    with deps.database.write() as conn:
        before = preferences.find_preferences(conn, account)
        pages = {name: text for name, text in {**before.pages, **given.get("pages", {})}.items() if text}
        if len(pages) > MAX_PAGES:
            raise BadInput({"pages": [f"At most {MAX_PAGES} pages are kept."]})
        after = replace(before, **{**given, "pages": pages})
        if after != before:
            preferences.edit_preferences(conn, account, after)
        return after
