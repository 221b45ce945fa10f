"""`trackyard status`: whether the server works, and what it holds."""

from collections.abc import Iterator
from typing import Any

from trackyard.commands.frame.output import duration_text, size_text, styled
from trackyard.commands.local_api import ApiClient

_STORED = {
    "clicks": "clicks",
    "impressions": "impressions",
    "conversions": "conversions",
    "inbound_postbacks": "inbound postbacks in the log",
    "deliveries": "outbound postbacks in the log",
}


def get_status(api: ApiClient) -> dict[str, Any]:
    """Return the status as the API has it, with the URL. Raises ServerAway, ApiError."""
    found: dict[str, Any] = api.get("/3.1/admin/status")["platform"]
    return {"url": api.url, **found}


def status_lines(found: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a status."""
    state = styled("ready", fg="green") if found["ready"] else styled("not ready", fg="red", bold=True)
    yield f"Trackyard {found['version']} at {found['url']}: {state}"
    yield from (f"  {styled('!', fg='red')} {sentence}" for sentence in found["reasons"])
    yield from (f"  {styled('?', fg='yellow')} {sentence}" for sentence in found["warnings"])
    yield f"  started          {found['started_at']} ({duration_text(found['uptime_seconds'])} ago)"
    yield f"  roles            {', '.join(found['roles'])}"
    disk = found["disk"]
    if disk["total"]:
        share = disk["free"] / disk["total"]
        yield f"  disk             {size_text(disk['free'])} free of {size_text(disk['total'])} ({share:.0%})"
    yield f"  last click       {found['last_click_at'] or 'none yet'}"
    yield f"  last postback    {found['last_postback_at'] or 'none yet'}"
    yield f"  clock            {found['now']} {found['timezone']}"
    yield f"  behind by        {_lags(found['lag_seconds'])}"
    yield "Stored"
    yield from (f"  {found['rows'][name]:>14,} {label}" for name, label in _STORED.items())


def _lags(lags: dict[str, float]) -> str:
    late = {name: seconds for name, seconds in lags.items() if seconds >= 1}
    if not late:
        return "less than a second in every queue"
    return ", ".join(f"{name} {duration_text(seconds)}" for name, seconds in sorted(late.items()))
