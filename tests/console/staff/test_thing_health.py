"""The health of an offer, an advertiser and an affiliate as pages."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api import NOW, Api
from tests.support.models.events import new_click, new_fact
from tests.support.models.history import load_clicks
from tests.support.models.logs import server_row
from tests.support.pages import staff_visitor
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import load
from trackyard.domain.people.roles import Role
from trackyard.domain.statistics.quality.origins import HOSTING
from trackyard.domain.statistics.rows import encode_row


def test_health_page_names_what_needs_a_look(api: Api) -> None:
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser)
    pid, _ = api.add_affiliate()
    own = {"offer": offer, "affiliate": pid, "advertiser": advertiser, "time": NOW - 1000}
    load_clicks(api.deps, [new_click(n, reason="overcap" if n < 80 else "", **own) for n in range(120)])
    staff = staff_visitor(api)
    for path in (f"/console/offers/{offer}", f"/console/advertisers/{advertiser}", f"/console/affiliates/{pid}"):
        assert f"{path}/health" in staff.read(path).links
        text = staff.read(f"{path}/health").text
        assert "It works, and something needs a look." in text and "66 percent of the clicks were rejected" in text
        assert "No postback came." in text and "Clicks 40" in text
    assert staff.get("/console/offers/999/health").status_code == 404
    assert staff_visitor(api, Role.SECTION_NEWS).get(f"/console/offers/{offer}/health").status_code == 403


def test_health_page_draws_the_times_from_click_to_conversion(api: Api) -> None:
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser)
    staff = staff_visitor(api)
    assert "From click to conversion" not in staff.read(f"/console/offers/{offer}/health").text
    own = {"offer": offer, "advertiser": advertiser, "time": NOW - 1000}
    facts = [new_fact(n, click_time=NOW - 1000 - 1000 * seconds, **own) for n, seconds in enumerate((5, 6, 700))]
    load(api.deps.analytics, "fact", [encode_row(each) for each in facts], "times")
    page = staff.read(f"/console/offers/{offer}/health").text
    assert "conversions of the last five weeks" in page
    assert "3 s to 10 s 2 66.7 %" in page and "10 min to 30 min 1 33.3 %" in page


def test_health_page_counts_postbacks_without_a_click(api: Api) -> None:
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser)
    pid, _ = api.add_affiliate()
    staff = staff_visitor(api)
    pages = [f"/console/offers/{offer}/health", f"/console/advertisers/{advertiser}/health"]
    assert "Postbacks without a click" not in staff.read(f"/console/affiliates/{pid}/health").text
    own = {"offer": offer, "advertiser": advertiser}
    rows = [server_row(n, response="Broken clickid", time=NOW - 2000 + n, **own) for n in range(1, 5)]
    load(api.deps.analytics, "server_log", [encode_row(row) for row in rows], "server")
    for path in pages:
        page = staff.read(path)
        assert "Postbacks without a click of this sender by its code" in page.text
        assert "4 of 4 postbacks named no recorded click, the last with: Broken clickid." in page.text
        assert f"/console/find?q={4:024x}" in page.links
        failed = page.text.partition("Last postback that changed nothing ")[2]
        assert failed.startswith("2023-11-14 ") and failed[11:].split()[1:3] == ["Broken", "clickid"]


def test_health_page_asks_the_analytic_store_at_most_ten_times(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser)
    pid, _ = api.add_affiliate()
    own = {"offer": offer, "affiliate": pid, "advertiser": advertiser, "time": NOW - 1000}
    marked = {"sub1": "bad", "sub2": "push", "origin": HOSTING}
    load_clicks(api.deps, [new_click(n, **own, **({} if n % 8 else marked)) for n in range(2400)])
    load(api.deps.analytics, "fact", [encode_row(new_fact(1, click_time=NOW - 9000, sub1="bad", **own))], "facts")
    load(api.deps.analytics, "server_log", [encode_row(server_row(1, response="Wrong sum", **own))], "server")
    staff = staff_visitor(api)
    asked: list[str] = []

    def counted(ask: Callable[..., Any]) -> Callable[..., Any]:
        def count(self: Analytics, sql: str, *arguments: Any, **named: Any) -> Any:
            asked.append(sql)
            return ask(self, sql, *arguments, **named)

        return count

    for name in ("rows", "page", "stream", "batches"):
        monkeypatch.setattr(Analytics, name, counted(getattr(Analytics, name)))
    for path in (f"/console/offers/{offer}", f"/console/advertisers/{advertiser}", f"/console/affiliates/{pid}"):
        asked.clear()
        assert "Sub bad of affiliate" in staff.read(f"{path}/health").text, "so that every question is asked"
        assert 0 < len(asked) <= 10, asked
