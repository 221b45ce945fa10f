"""`trackyard rebuild`: clicks, views and facts made again while the server runs."""

import math
import time
from typing import Any, Final, TextIO

from trackyard.commands.local_api import Api, Refused, administrator
from trackyard.commands.progress import Progress
from trackyard.runtime.settings import CannotStart, Config

_PATH: Final = "/3.1/admin/rebuild"
_EVERY_S: Final = 0.2
_KINDS: Final = {
    "click": "clicks",
    "view": "views",
    "click_lookup": "clicks to be looked up",
    "fact": "conversions",
}
_STATUSES: Final = {"1": "confirmed", "2": "pending", "3": "declined", "4": "not found", "5": "hold"}


def rebuild(config: Config, wish: str, out: TextIO) -> tuple[str, bool]:
    """Has the server rebuild, shows on `out` how far it is; what came of it, several lines, and whether it ended well
    with nothing that differs, or what differs was accepted.

    wish: as the API takes it. Raises CannotStart when the server does not run, dies, or refuses.
    """
    api = administrator(config)
    try:
        number = api.post(_PATH, {"wish": wish})["rebuild"]["number"]
        ended = _follow(api, number, out)
    except Refused as refused:
        raise CannotStart(f"the API answers {refused.status}: {refused}") from None
    lines = [*_figures(ended), *_differences(ended), _outcome(ended)]
    fine = ended["stage"] == "swapped" or (ended["stage"] == "kept" and ended["count"] == 0)
    return "\n".join(lines), fine


def _follow(api: Api, number: int, out: TextIO) -> dict[str, Any]:
    seen = _look(api, number)
    while not seen["ended"]:
        with Progress(out, seen["step"], seen["total"]) as bar:
            step = seen["step"]
            while not seen["ended"] and seen["step"] == step:
                bar.to(seen["done"])
                time.sleep(_EVERY_S)
                seen = _look(api, number)
            bar.to(seen["done"] if seen["step"] == step else math.inf)
    return seen


def _look(api: Api, number: int) -> dict[str, Any]:
    seen: dict[str, Any] | None = api.get(_PATH)["rebuild"]
    if seen is None or seen["number"] != number:
        raise CannotStart("the server was started anew meanwhile: nothing was swapped by halves; run it again.")
    return seen


def _figures(seen: dict[str, Any]) -> list[str]:
    lines = [f"{'live':>12} {'made again':>12}"] if seen["figures"] else []
    for each in seen["figures"]:
        live, made = each["live"], each["made"]
        name = f"{_KINDS[each['table']]} {_STATUSES.get(each['group'], each['group'])}".strip()
        if each["table"] == "fact":
            name += f" (charge {live['charge']} | {made['charge']}, payout {live['payout']} | {made['payout']})"
        lines.append(f"{live['rows']:>12,} {made['rows']:>12,} {name}")
    if seen["carried"]:
        lines.append(f"{seen['carried']:,} clicks and views that no journal here holds were carried over as they are")
    return lines


def _differences(seen: dict[str, Any]) -> list[str]:
    lines = [
        f"DIFFERENT {item['what']} {item['key']}: expected {item['expected']}, found {item['found']}"
        for item in seen["differences"]
    ]
    hidden = seen["count"] - len(seen["differences"])
    return [*lines, f"… and {hidden:,} more differences"] if hidden else lines


def _outcome(seen: dict[str, Any]) -> str:
    count, seconds = seen["count"], seen["seconds"]
    differs = f"{count:,} difference{'s' * (count > 1)}" if count else "nothing differs"
    if seen["stage"] == "failed":
        return f"it failed, and nothing was changed: {seen['why']}"
    if seen["stage"] == "swapped":
        return f"{differs}; the tables made again are used now ({seconds} s)"
    if seen["wish"] == "check" or not count:
        return f"{differs}; nothing was changed ({seconds} s)"
    return f"{differs}; nothing was changed: `trackyard rebuild --accept` puts what is recorded in place ({seconds} s)"
