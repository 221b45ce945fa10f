"""`trackyard rebuild`: build clicks, impressions and conversion events again while the server runs."""

import math
import time
from typing import Any, Final, TextIO

from trackyard.commands.audit import difference_lines
from trackyard.commands.local_api import ApiClient, administrator_client
from trackyard.commands.progress import ProgressBar
from trackyard.runtime.settings import CannotStart, Config

_PATH: Final = "/3.1/admin/rebuild"
_POLL_S: Final = 0.2
_TABLE_TITLES: Final = {
    "click": "clicks",
    "view": "views",
    "click_lookup": "clicks to be looked up",
    "fact": "conversions",
}
_STATUSES: Final = {"1": "confirmed", "2": "pending", "3": "declined", "4": "not found", "5": "hold"}


def rebuild(config: Config, wish: str, out: TextIO) -> tuple[str, bool]:
    """Run a rebuild on the server with its progress on `out`; return its report and whether it ended well.

    It ends well when nothing differs or the differences were accepted.
    wish: as the API takes it.
    Raises CannotStart when the server does not run, dies, or rejects it.
    """
    api = administrator_client(config)
    number = api.post(_PATH, {"wish": wish})["rebuild"]["number"]
    ended = _show_progress(api, number, out)
    lines = [*_sum_lines(ended), *difference_lines(ended), _outcome_line(ended)]
    is_accepted = ended["stage"] == "swapped" or (ended["stage"] == "kept" and ended["count"] == 0)
    return "\n".join(lines), is_accepted


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
        raise CannotStart("the server was restarted meanwhile: nothing was swapped by halves; run it again.")
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
