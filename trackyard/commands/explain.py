"""`trackyard explain CLICK_ID`: show what was decided on a recorded click and why."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from trackyard.base.ids import is_hex24
from trackyard.commands.local_api import ApiError, administrator_client
from trackyard.runtime.settings import CannotStart, Config


def explain(config: Config, click_id: str) -> str:
    """Return the explanation, several lines.

    Raises CannotStart for text that is no id or names no click, and when the server does not run.
    """
    if not is_hex24(click_id.lower()):
        raise CannotStart(f"{click_id} is no click id: 24 hex digits.")
    try:
        answer = administrator_client(config).get(f"/3.1/admin/click/{click_id.lower()}/explain")
    except ApiError as refused:
        if refused.status != HTTPStatus.NOT_FOUND:
            raise
        raise CannotStart(
            f"click {click_id} was not found: it was never recorded, is not loaded yet, or has passed its retention."
        ) from None
    return "\n".join(
        (*_recorded_lines(answer["click"], answer["today"]["visitor"]), "", *_today_lines(answer["today"]))
    )


def _recorded_lines(click: dict[str, Any], visitor: dict[str, Any]) -> Iterator[str]:
    yield f"Click {click['id']} of {click['created_at']}"
    yield f"  offer {click['offer_id']} · affiliate {click['pid']} · advertiser {click['advertiser_id'] or 'none'}"
    known = {
        "address": visitor["ip"],
        "country": visitor["country"],
        "city": visitor["city"],
        "provider": visitor["isp"],
        "system": f"{visitor['os']} {visitor['os_version']}".strip(),
        "browser": f"{visitor['browser']} {visitor['browser_version']}".strip(),
        "device": visitor["device"],
    }
    yield "  " + " · ".join(f"{name} {value}" for name, value in known.items() if value)
    if click["passed"]:
        yield f"Decided then: passed, {'a visitor new to the offer' if click['uniq'] else 'a visitor seen before'}"
    else:
        yield f"Decided then: refused, {click['reason']}" + (f": {click['detail']}" if click["detail"] else "")
    if click["flags"]:
        yield f"  noted: {', '.join(flag.replace('_', ' ') for flag in click['flags'])}"


def _today_lines(today: dict[str, Any]) -> Iterator[str]:
    if today["passes"]:
        yield "By the rules of today: passes"
    else:
        yield f"By the rules of today: refused, {today['reason']}"
    yield f"  goes to {today['target'] or 'a page that says that the offer is not available'}"
    width = max(len(step["name"]) for step in today["steps"])
    for step in today["steps"]:
        detail = f"  {step['detail']}" if step["detail"] else ""
        yield f"  {step['name']:{width}}  {step['verdict']}{detail}"
