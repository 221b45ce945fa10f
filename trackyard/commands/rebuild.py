"""`trackyard rebuild`: build clicks, impressions and conversion events again while the server runs."""

import math
import time
from typing import Any, Final, TextIO

from trackyard.commands.audit import difference_lines
from trackyard.commands.failures import CommandFailed
from trackyard.commands.local_api import ApiClient
from trackyard.commands.progress import ProgressBar

_PATH: Final = "/3.1/admin/rebuild"
_POLL_S: Final = 0.2
_TABLE_TITLES: Final = {
    "click": "clicks",
    "view": "views",
    "click_lookup": "clicks to be looked up",
    "fact": "conversions",
}
_STATUSES: Final = {"1": "confirmed", "2": "pending", "3": "declined", "4": "not found", "5": "hold"}


def rebuild(api: ApiClient, wish: str, out: TextIO) -> dict[str, Any]:
    """Run a rebuild on the server with its progress on `out`; return it as the API shows it at its end.

    wish: as the API takes it.
    Raises CommandFailed when the server dies or rejects it, ServerAway when it does not run.
    """
    number = api.post(_PATH, {"wish": wish})["rebuild"]["number"]
    return _show_progress(api, number, out)


def has_ended_well(ended: dict[str, Any]) -> bool:
    """Return whether nothing differs or the differences were accepted."""
    return bool(ended["stage"] == "swapped" or (ended["stage"] == "kept" and ended["count"] == 0))


def rebuild_lines(ended: dict[str, Any]) -> list[str]:
    """Return the report of a rebuild."""
    return [*_sum_lines(ended), *difference_lines(ended), _outcome_line(ended)]


def _show_progress(api: ApiClient, number: int, out: TextIO) -> dict[str, Any]:
    state = _get_status(api, number)
    while not state["ended"]:
        with ProgressBar(out, state["step"], state["total"]) as bar:
            step = state["step"]
            while not state["ended"] and state["step"] == step:
                bar.to(state["done"])
                time.sleep(_POLL_S)
                state = _get_status(api, number)
            bar.to(state["done"] if state["step"] == step else math.inf)
    return state


def _get_status(api: ApiClient, number: int) -> dict[str, Any]:
    state: dict[str, Any] | None = api.get(_PATH)["rebuild"]
    if state is None or state["number"] != number:
        raise CommandFailed("the server was restarted meanwhile: nothing was swapped by halves; run it again.")
    return state


def _sum_lines(state: dict[str, Any]) -> list[str]:
    lines = [f"{'live':>12} {'rebuilt':>12}"] if state["figures"] else []
    for each in state["figures"]:
        live, made = each["live"], each["made"]
        name = f"{_TABLE_TITLES[each['table']]} {_STATUSES.get(each['group'], each['group'])}".strip()
        if each["table"] == "fact":
            name += f" (charge {live['charge']} | {made['charge']}, payout {live['payout']} | {made['payout']})"
        lines.append(f"{live['rows']:>12,} {made['rows']:>12,} {name}")
    if state["carried"]:
        lines.append(f"{state['carried']:,} clicks and views that no journal here holds were carried over as they are")
    return lines


def _outcome_line(state: dict[str, Any]) -> str:
    count, seconds = state["count"], state["seconds"]
    differs = f"{count:,} difference{'s' * (count > 1)}" if count else "nothing differs"
    if state["stage"] == "failed":
        return f"it failed, and nothing was changed: {state['why']}"
    if state["stage"] == "swapped":
        return f"{differs}; the rebuilt tables are used now ({seconds} s)"
    if state["wish"] == "check" or not count:
        return f"{differs}; nothing was changed ({seconds} s)"
    return f"{differs}; nothing was changed: `trackyard rebuild --accept` puts what is recorded in place ({seconds} s)"
