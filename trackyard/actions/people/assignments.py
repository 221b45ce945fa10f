"""Managers, sub accounts and notes of affiliates and advertisers, as writes name them."""

from collections.abc import Mapping
from typing import Any, Final

from trackyard.actions.people.scope import is_confined
from trackyard.base.errors import BadInput
from trackyard.domain.people.callers import Access, StaffCaller
from trackyard.domain.people.staff import Staff
from trackyard.store.engine.database import Connection
from trackyard.store.people import staff

LONGEST_NOTES: Final = 20_000
"""Characters of all notes of one record."""


def resolve_manager(conn: Connection, access: Access, manager_id: str | None, wire_name: str) -> Staff | None:
    """Return the manager of a new record.

    A record made by a manager is its own, so that it can see what it made.
    Raises BadInput under `wire_name` for a manager that is unknown, or that the caller may not name.
    """
    caller = access.caller
    if isinstance(caller, StaffCaller) and is_confined(caller, access.permission):
        if manager_id not in (None, caller.id):
            raise BadInput({wire_name: ["Only yourself can be named here."]})
        manager_id = caller.id
    if manager_id is None:
        return None
    found = staff.find_staff(conn, manager_id)
    if found is None:
        raise BadInput({wire_name: [f"A staff user {manager_id} does not exist."]})
    return found


def merged_sub_accounts(stored: Mapping[str, Any], sent: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return sub accounts after a change.

    sent: the changed parts of each; an account without a value is removed.
    """
    empty = {"value": "", "except": False}
    merged = {number: stored.get(number, empty) | sent.get(number, {}) for number in ("1", "2")}
    return {number: item for number, item in merged.items() if item["value"]}


def with_note_on_top(note: str, notes: str | None) -> str:
    """Return notes with one more on top. Raises BadInput when they become too long."""
    joined = "\n\n".join(part for part in (note, notes) if part)
    if len(joined) > LONGEST_NOTES:
        fault = f"With this note the notes have {len(joined)} characters, of {LONGEST_NOTES} at most."
        raise BadInput({"add_note": [fault]})
    return joined
