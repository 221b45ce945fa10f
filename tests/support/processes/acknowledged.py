"""Traffic that remembers what was acknowledged, for tests that kill processes meanwhile."""

import http.client
import threading
from contextlib import suppress
from typing import Any

from tests.support.offer_scenario import OfferScenario, click_id_of, period_around_today
from tests.support.processes.program import poll_until


class AcknowledgedTraffic:
    """Send clicks, and a postback for each third one, until stopped; keep what was acknowledged.

    At most 100 requests a second, so that the machine works on what a test is about.

    calls_to: where postbacks go, if not where the clicks go.
    """

    def __init__(self, story: OfferScenario, calls_to: OfferScenario | None = None) -> None:
        self.story = story
        self.clicks: list[str] = []
        self.calls: list[str] = []
        self._calls_to = calls_to or story
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "AcknowledgedTraffic":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def grow(self, count: int) -> None:
        """Wait until this many more postbacks are acknowledged."""
        goal = len(self.calls) + count
        poll_until(lambda: len(self.calls) >= goal, seconds=40, what=f"{goal} calls")

    def _run(self) -> None:
        number = 0
        while not self._stop.wait(0.01):
            number += 1
            with suppress(OSError, http.client.HTTPException):
                click_id = click_id_of(self.story.click(sub1=str(number)))
                self.clicks.append(click_id)
                if number % 3 == 0 and self._calls_to.call(click_id).status == 200:
                    self.calls.append(click_id)


def every_row(story: OfferScenario, name: str) -> list[dict[str, Any]]:
    """Every row of a list of statistics for the offer: `clicks` or `conversions`."""
    asked = {**period_around_today(), "limit": 5000, "offer[]": story.offer}
    rows: list[dict[str, Any]] = []
    page = 1
    while True:
        answer = story.program.api("GET", f"/3.0/stats/{name}", {**asked, "page": page})
        rows += answer[name]
        if "next_page" not in answer["pagination"]:
            return rows
        page += 1
