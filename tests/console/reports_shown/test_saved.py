"""Saved reports on the pages: saved, opened, changed, shared, removed."""

import pytest

from tests.support.api import Api
from tests.support.pages import PageReader, Visitor, affiliate_visitor, console_app, staff_visitor

HOSTILE = '"><script>alert(1)</script>'


def follow(visitor: Visitor, answer: object) -> PageReader:
    """The page that the answer to a form leads to."""
    assert answer.status_code == 303, answer.text[:2000]  # type: ignore[attr-defined]
    return visitor.read(answer.headers["location"])  # type: ignore[attr-defined]


def test_saved_report_is_opened_changed_shared_and_removed_in_pages(api: Api) -> None:
    app = console_app(api)
    ada, mia = staff_visitor(api, app=app), staff_visitor(api, app=app)
    page = ada.read("/console/reports?by=country&period=7d&f.device=mobile&page=2")
    saved = ada.post("/console/reports/saved", do="add", query=page.fields["query"], name=HOSTILE)
    shown = follow(ada, saved)
    assert f"saved as “{HOSTILE}”" in shown.text
    assert "changed" not in shown.text
    link = next(each for each in shown.links if "saved=" in each and "by=country&period=7d&f.device=mobile" in each)
    number = link.rpartition("saved=")[2].partition("&")[0]
    changed = ada.read(f"{link}&by=offer")
    assert "· changed" in changed.text
    replaced = ada.post("/console/reports/saved", do="replace", id=number, query=changed.fields["query"])
    assert "changed" not in follow(ada, replaced).text
    assert "Country × offer" in ada.read("/console/reports/saved").text
    assert HOSTILE not in mia.read("/console/reports/saved").text
    follow(ada, ada.post("/console/reports/saved", do="edit", id=number, name="Monday", shared="1"))
    theirs = mia.read("/console/reports/saved")
    assert "Monday shared by another person Country × offer · Last 7 days · 1 filter" in theirs.text
    assert "Remove the report" not in theirs.text
    assert mia.post("/console/reports/saved", do="remove", id=number).status_code == 404
    follow(ada, ada.post("/console/reports/saved", do="remove", id=number))
    assert "No report is saved yet." in mia.read("/console/reports/saved").text


@pytest.mark.parametrize("name", ["", "taken"])
def test_refused_name_of_saved_report_keeps_what_was_typed(api: Api, name: str) -> None:
    _, visitor = affiliate_visitor(api)
    follow(visitor, visitor.post("/portal/reports/saved", do="add", query="by=sub1", name="taken"))
    refused = visitor.post("/portal/reports/saved", do="add", query="by=day&f.sub1=x", name=name)
    assert refused.status_code == (409 if name else 400)
    assert PageReader(refused.text).fields["query"] == "by=day&f.sub1=x"
    assert "Share with all staff" not in refused.text


def test_report_is_sent_by_mail_from_the_page_until_it_is_stopped_there(api: Api) -> None:
    visitor = staff_visitor(api)
    follow(visitor, visitor.post("/console/reports/saved", do="add", query="by=day", name="Monday"))
    number = visitor.read("/console/reports/saved").fields["id"]
    sent = visitor.post(
        "/console/reports/saved", do="mail", id=number, every="week", weekday="0", hour="8", files="both"
    )
    assert "You get the report Monday by mail: sent weekly, Monday 08:00." in follow(visitor, sent).text
    assert "sent weekly, Monday 08:00" in visitor.read(f"/console/reports?by=day&saved={number}").text
    assert '<option value="both" selected>' in visitor.get("/console/reports/saved").text
    stopped = follow(visitor, visitor.post("/console/reports/saved", do="stop", id=number))
    assert "You get the report Monday by mail no more." in stopped.text
    assert "sent weekly" not in stopped.text
