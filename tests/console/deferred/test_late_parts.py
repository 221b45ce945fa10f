"""Pages with reports that are slow, too heavy, or have no store."""

import asyncio
import re
import threading
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.pages import Visitor, affiliate_visitor, console_app, staff_visitor
from tests.support.transport import event_loop
from trackyard.actions.statistics import reports
from trackyard.analytics.cancellation import CancellationToken
from trackyard.analytics.engine.connection import Analytics, StoreUnavailable
from trackyard.base.errors import ReportsBusy, ReportTooHeavy, RequestError
from trackyard.console import app as app_of_pages
from trackyard.console.lists import page
from trackyard.console.reports_shown import pages
from trackyard.console.staff import results
from trackyard.wire.response import parted

PATH = "/console/reports"
WITHOUT_STATISTICS = (
    "/console/offers", "/console/affiliates", "/console/advertisers", "/console/payments", "/console/requests",
    "/console/settings", "/console/audit-log", "/console/staff", "/console/conversions",
)  # fmt: skip

OF_AFFILIATES = ("/portal/", "/portal/offers", "/portal/payments", "/portal/postbacks", "/portal/conversions")


def refuse(monkeypatch: pytest.MonkeyPatch, refusal: RequestError) -> None:
    """Make every statement on the analytic store fail."""

    def fail(*_given: Any) -> bytes:
        raise refusal

    monkeypatch.setattr(Analytics, "_query", fail)


def test_report_that_is_too_heavy_says_in_place_how_to_narrow_it(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = staff_visitor(api)
    refuse(monkeypatch, ReportTooHeavy())
    query = "by=offer&by=country&period=30d"
    page = visitor.read(f"{PATH}?{query}", 503)
    assert "This report takes too long" in page.text
    assert "Share link" in page.text and "Show the last 7 days of the period" in page.text
    assert "Leave out the slice Country" in page.text
    smaller = {f"{PATH}?by=offer&period=30d", f"{PATH}?{query}&compare=none"}
    smaller.add(f"{PATH}?by=offer&by=country&from=2023-11-14&to=2023-11-14")
    assert smaller <= set(page.links)
    overview = visitor.read("/console/", 503)
    assert (
        "This report takes too long" in overview.text
        and "The state of the platform cannot be read now" in overview.text
    )
    assert any(link.startswith("/console/?from=") for link in overview.links)


def test_report_without_a_place_offers_another_try(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = staff_visitor(api)
    refuse(monkeypatch, ReportsBusy(10))
    page = visitor.read(f"{PATH}?by=offer&period=7d", 503)
    assert "Other reports are running" in page.text
    assert "Show the last day alone" not in page.text
    assert f"{PATH}?by=offer&period=7d" in page.links


def test_analytic_store_that_is_away_leaves_other_pages_working(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    api.add_offer(title="Boots")
    pid, own = affiliate_visitor(api)
    visitor: Visitor = staff_visitor(api)
    refuse(monkeypatch, StoreUnavailable("no answer"))
    found = {path: visitor.get(path).status_code for path in (*WITHOUT_STATISTICS, f"/console/affiliates/{pid}")}
    found |= {path: own.get(path).status_code for path in OF_AFFILIATES}
    assert {path: status for path, status in found.items() if status != 200} == {}
    for reader, path in ((visitor, PATH), (visitor, "/console/"), (own, "/portal/reports")):
        page = reader.read(path, 503)
        assert "Statistics cannot be read now" in page.text
        assert any(link.endswith("/reports") for link in page.links)


def test_report_that_fails_names_the_request_in_place(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = staff_visitor(api)
    monkeypatch.setattr(pages, "read_rows", lambda *_given: 1 / 0)
    answer = visitor.get(PATH)
    assert answer.status_code == 500
    assert answer.headers["X-Request-Id"] in answer.text and "Share link" in answer.text


def test_overview_asks_the_store_nine_times_in_one_place(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person may have four reports at a time; those of one page count as one."""
    asked = []
    run = reports.run_report

    def counted(*given: Any) -> Any:
        asked.append(given)
        return run(*given)

    monkeypatch.setattr(reports, "run_report", counted)
    staff_visitor(api).read("/console/?period=30d")
    assert len(asked) == 9


def test_slow_report_is_sent_after_its_page(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    app = console_app(api, grace_s=0.0)
    visitor = staff_visitor(api, app=app)
    go, read = threading.Event(), pages.read_rows

    def slow(*given: Any) -> Any:
        assert go.wait(60)
        return read(*given)

    monkeypatch.setattr(pages, "read_rows", slow)
    first, rest = asyncio.run_coroutine_threadsafe(pieces(app, visitor, go), event_loop()).result()
    assert "Share link" in first and "The figures are being counted." in first
    assert "Nothing was counted in these days." in rest and rest.rstrip().endswith("</html>")


def test_slow_report_says_meanwhile_how_far_it_is(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parted, "PROGRESS_S", 0.01)
    monkeypatch.setattr(app_of_pages, "rows_read", lambda _deps: (1_500, 6_000))
    app = console_app(api, grace_s=0.0)
    visitor = staff_visitor(api, app=app)
    go, read = threading.Event(), pages.read_rows

    def slow(*given: Any) -> Any:
        assert go.wait(60)
        return read(*given)

    monkeypatch.setattr(pages, "read_rows", slow)
    found = asyncio.run_coroutine_threadsafe(pieces(app, visitor, go, after=2), event_loop()).result()
    assert re.search(r"\d s so far\. This step has read 25\s% of its rows: 1,500 of about 6,000\.", found[1])
    assert "role=" not in found[1] and found[-1].rstrip().endswith("</html>")


async def pieces(app: Any, visitor: Visitor, go: threading.Event, path: str = PATH, after: int = 1) -> list[str]:
    """The pieces of the body of a page; its report runs on once `after` of them were sent."""
    found, ended = [], asyncio.Event()
    requests = [{"type": "http.request", "body": b"", "more_body": False}]
    cookies = "; ".join(f"{name}={value}" for name, value in visitor.client.cookies.items())
    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"", "scheme": "http",
        "headers": [(b"cookie", cookies.encode()), (b"host", b"console.example")], "client": ("127.0.0.1", 1),
        "server": ("console.example", 80), "root_path": "", "http_version": "1.1",
    }  # fmt: skip

    async def receive() -> dict[str, Any]:
        if requests:
            return requests.pop()
        await ended.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            found.append(message["body"].decode())
            if len(found) == after:
                go.set()
            if not message.get("more_body"):
                ended.set()

    await app(scope, receive, send)
    return found


def test_cancellation_token_ends_all_statements_that_run_at_once() -> None:
    token, ended = CancellationToken("pages"), list[str]()
    with token.on_cancel(lambda: ended.append("first")), token.on_cancel(lambda: ended.append("second")):
        token.cancel()
    token.cancel()
    assert ended == ["first", "second"]


@pytest.mark.parametrize(
    "path", ["/console/offers/{offer}", "/console/affiliates/{affiliate}", "/console/advertisers/{advertiser}"]
)
def test_page_of_an_object_is_sent_whole_before_its_figures(
    api: Api, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    advertiser = api.add_advertiser(title="Blue Harbor")
    pid, _ = api.add_affiliate()
    offer = api.add_offer(title="Boots", advertiser=advertiser)
    app = console_app(api, grace_s=0.0)
    visitor = staff_visitor(api, app=app)
    go, read = threading.Event(), results.figures.by_day_of_both

    def slow(*given: Any) -> Any:
        assert go.wait(60)
        return read(*given)

    monkeypatch.setattr(results.figures, "by_day_of_both", slow)
    page = path.format(offer=offer, affiliate=pid, advertiser=advertiser)
    first, rest = asyncio.run_coroutine_threadsafe(pieces(app, visitor, go, page), event_loop()).result()
    last_card = "Test a click" if "offers" in page else "Notes"
    assert "The figures are being counted." in first and last_card in first
    assert rest.startswith('<div class="late">') and "against the" in rest and rest.rstrip().endswith("</html>")


def test_clicks_follow_the_frame_of_their_page(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    app = console_app(api, grace_s=0.0)
    visitor = staff_visitor(api, app=app)
    go, make_table = threading.Event(), page.make_table

    def slow(*given: Any) -> Any:
        assert go.wait(60)
        return make_table(*given)

    monkeypatch.setattr(page, "make_table", slow)
    first, rest = asyncio.run_coroutine_threadsafe(pieces(app, visitor, go, "/console/clicks"), event_loop()).result()
    assert "Accepted" in first and "The figures are being counted." in first
    assert "No click in these days." in rest


def test_figures_that_cannot_be_read_leave_the_page_of_an_object_working(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer = api.add_offer(title="Boots")
    visitor = staff_visitor(api)
    refuse(monkeypatch, ReportTooHeavy())
    page = visitor.read(f"/console/offers/{offer}")
    assert "This report takes too long" in page.text and "Show the last 7 days of the period" in page.text
    assert "Who gets through" in page.text


def test_refused_form_keeps_its_status_on_a_page_with_a_late_part(api: Api) -> None:
    pid, _ = api.add_affiliate(notes="x" * 19_990)
    app = console_app(api, grace_s=0.0)
    assert staff_visitor(api, app=app).post(f"/console/affiliates/{pid}/note", note="One more").status_code == 400
