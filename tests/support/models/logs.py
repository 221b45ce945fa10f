"""Rows of the logs of postbacks."""

from typing import Any, Final

from tests.support.api import NOW
from trackyard.domain.statistics.rows import ServerPostbackLog

HOUR_MS: Final = 3_600_000


def server_row(number: int, **fields: Any) -> ServerPostbackLog:
    values: dict[str, Any] = dict.fromkeys(ServerPostbackLog.__struct_fields__, "")
    values |= dict.fromkeys(("revision", "time", "offer", "affiliate", "status", "position"), 0)
    return ServerPostbackLog(**(values | {"id": f"{number:024x}", "time": NOW - HOUR_MS, "method": "GET"} | fields))
