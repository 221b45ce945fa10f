"""Pages over many clicks, and the memory that the console adds: `script/bench pages --clicks N`.

Runs in a process of its own on the data of bench/stats_data.py. The memory is the process's PSS after methods of the
API were asked, against that after the console was imported and its pages were asked as well (`console_memory_mb`).
`_cpu_ms` is the time of the processor that a hot page takes, which a busy machine stretches less than the clock.
"""

import argparse
import asyncio
import gc
import json
import statistics
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any, Final

from starlette.types import Message

from bench.stats import Bench, fill
from bench.stats_data import Size

_HOT: Final = 3
_METHODS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("/3.1/offers", {}),
    ("/3.1/admin/partners", {}),
    ("/3.1/stats/custom", {"slice[]": "day"}),
    ("/3.1/stats/custom", {"slice[]": "offer"}),
    ("/3.1/stats/getbytrafficback", {}),
    ("/3.1/stats/conversions", {}),
    ("/3.1/stats/clicks", {}),
)
"""What is asked before the console is loaded, so that the stores and the API have their memory."""
PAGES: Final = {
    "overview": "/console/",
    "overview_week": "/console/?period=7d",
    "reports_day": "/console/reports?by=day",
    "reports_offer": "/console/reports?by=offer",
    "reports_affiliate": "/console/reports?by=affiliate",
    "reports_country_offer": "/console/reports?by=country&by=offer",
    "reports_pivot": "/console/reports?by=country&by=os&view=pivot",
    "reports_heat": "/console/reports?view=heat",
    "reports_funnel": "/console/reports?view=funnel",
    "offers": "/console/offers",
    "offer": "/console/offers/1",
    "affiliates": "/console/affiliates",
    "affiliate": "/console/affiliates/1",
    "offer_health": "/console/offers/1/health",
    "affiliate_health": "/console/affiliates/1/health",
    "conversions": "/console/conversions",
    "clicks": "/console/clicks",
}
"""Pages by the names of their figures; `_pages` adds those of things with ids."""

_RULES: Final = {"look_back": ["country"], "look_back_too_wide": ["offer", "affiliate"]}
"""What rules judge that are looked back at, by the names of their figures; the second is too wide for many clicks."""
_CONDITION: Final = {"conditions[0][metric]": "cr", "conditions[0][value]": "1", "action": "notify"}


def pss_mb() -> float:
    """Return the memory of this process in megabytes; pages that several share are divided among them."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


async def _page(app: Any, address: str, cookie: str) -> tuple[float, float, int]:
    """Return the milliseconds until the frame and until the end of a page, and its bytes."""
    path, _, query = address.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "path": path,
        "raw_path": path.encode(), "root_path": "", "query_string": query.encode(), "scheme": "http", "state": {},
        "headers": [(b"cookie", cookie.encode()), (b"host", b"console.example")], "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }  # fmt: skip
    begun, frame_at, size, status = time.perf_counter(), 0.0, 0, 0
    requests: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if not requests:  # the client waits for the answer
            await asyncio.Event().wait()
        return requests.pop()

    async def send(message: Message) -> None:
        nonlocal frame_at, size, status
        status = message.get("status", status)
        if message.get("body"):
            frame_at = frame_at or time.perf_counter()
            size += len(message["body"])

    await app(scope, receive, send)
    if status != 200:
        raise RuntimeError(f"{address}: {status}")
    return (frame_at - begun) * 1000, (time.perf_counter() - begun) * 1000, size


def _signed_in(bench: Bench) -> tuple[Any, str]:
    """Return the API with its pages, and the cookie of an administrator."""
    from tests.support.api import UNBOUNDED
    from tests.support.pages import Visitor, staff_visitor
    from trackyard.actions.people.callers import find_caller
    from trackyard.api.app import build
    from trackyard.api.texts import texts
    from trackyard.console.app import Console

    deps = bench.api.deps
    authenticate = partial(find_caller, deps.database, bench.api.clock, policy=deps.sessions)
    app = build(deps, limits=UNBOUNDED, site=Console(deps, authenticate, reports=100, texts=texts()))
    visitor: Visitor = staff_visitor(bench.api, app=app)
    return app, "; ".join(f"{each.name}={each.value}" for each in visitor.client.cookies.jar)


def _pages(bench: Bench) -> dict[str, str]:
    rules = {
        name: bench.api.admin.post("/3.1/admin/rules", **{"title": name, "each[]": each, **_CONDITION})["rule"]["id"]
        for name, each in _RULES.items()
    }
    advertiser = bench.call("/3.1/admin/advertisers", {})["advertisers"][0]["id"]
    return {
        **PAGES,
        "advertiser_health": f"/console/advertisers/{advertiser}/health",
        **{name: f"/console/rules/{rule}/look-back" for name, rule in rules.items()},
    }


def measure(directory: Path, size: Size) -> dict[str, float]:
    """Return the figures of all pages, and of the memory."""
    fill(directory, size, lookup_days=1)
    bench = Bench(directory, size, seconds=0)
    figures: dict[str, float] = {"clicks": size.clicks, "conversions": size.conversions}
    try:
        days = {"date_from": "2023-10-16", "date_to": "2023-11-14", "limit": 100}
        spans = days | {"filter[date_from]": days["date_from"], "filter[date_to]": days["date_to"]}
        for path, params in _METHODS * 2:
            named = spans if "stats/" in path and "conversions" not in path and "clicks" not in path else days
            bench.call(path, {**named, **params} if "stats" in path else {"limit": 100})
        gc.collect()
        before = pss_mb()
        app, cookie = _signed_in(bench)
        for name, address in _pages(bench).items():
            cold = asyncio.run(_page(app, address, cookie))
            used = time.process_time()
            hot = [asyncio.run(_page(app, address, cookie)) for _ in range(_HOT)]
            used = (time.process_time() - used) / _HOT
            figures |= {
                f"{name}_cpu_ms": round(used * 1000, 1),
                f"{name}_cold_ms": round(cold[1], 1),
                f"{name}_frame_ms": round(statistics.median(each[0] for each in hot), 1),
                f"{name}_ms": round(statistics.median(each[1] for each in hot), 1),
                f"{name}_bytes": hot[-1][2],
            }
            print(*(f"{key} {value}" for key, value in figures.items() if key.startswith(f"{name}_")), file=sys.stderr)
        gc.collect()
        figures |= {"api_memory_mb": round(before, 1), "console_memory_mb": round(pss_mb() - before, 1)}
    finally:
        bench.close()
    return figures


def main() -> None:
    """Print the figures as one JSON object."""
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("clicks", type=int)
    parser.add_argument("days", type=int)
    options = parser.parse_args()
    size = Size(options.clicks, max(options.clicks // 50, 1), options.days)
    print(json.dumps(measure(options.directory, size)))


if __name__ == "__main__":
    main()
