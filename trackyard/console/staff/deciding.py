"""The form of a row that decides about a sign-up (docs/spec/console.md#decisions-about-sign-ups)."""

from dataclasses import replace

from trackyard.console.lists.cells import ListCell, Part
from trackyard.console.lists.declared import On


def with_decision(shown: ListCell, on: On, path: str, name: str) -> ListCell:
    """Return the cell of a status with the form that decides, with words. path: the account's page."""
    values = {"path": f"{path}/status", "name": name, "back": str(on.request.address)}
    return replace(shown, part=Part("staff/decision_row.html", values))
