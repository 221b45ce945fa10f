"""`trackyard alerts`: what needs a person, from the first time it was seen."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from trackyard.commands.frame.output import styled
from trackyard.commands.local_api import ApiClient

_COLOURS: Final = {"error": "red", "warning": "yellow"}


def get_alerts(api: ApiClient, state: str, kinds: Sequence[str], limit: int) -> list[dict[str, Any]]:
    """Return alerts as the API has them, the newest first. Raises ServerAway, ApiError."""
    found: list[dict[str, Any]] = api.get_known(
        "/3.1/admin/alerts", {"state": state, "kind[]": list(kinds), "limit": limit}
    )["alerts"]
    return found


def alert_lines(found: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of alerts for people."""
    if not found:
        yield "no alerts"
    for each in found:
        severity = styled(f"{each['severity']:<7}", fg=_COLOURS.get(each["severity"]))
        until = "" if each["closed_at"] is None else f", closed {each['closed_at']}"
        yield f"{severity}  {each['title']} (since {each['opened_at']}{until})"
        yield f"         {each['sentence']}"
        yield f"         {each['advice']}"
        yield f"         {each['link']}"
