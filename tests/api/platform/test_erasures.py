"""Erasures over the API: counted, recorded, and reported until they are done."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.processes.mails import mails
from trackyard.actions.platform.notices import FACTOR_ADDED, Recipient, send_notice
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.retention import DEFAULT_RETENTION
from trackyard.jobs.schedule.erasures import Eraser
from trackyard.jobs.schedule.retention import RetentionRunner
from trackyard.store.people import affiliates
from trackyard.store.platform.personal_data import redact_account

PATH = "/3.1/admin/erasures"


def visited(api: Api) -> tuple[int, str]:
    """An affiliate with a click of u-77 and a conversion of it; the click's id."""
    offer = api.add_offer()
    pid, _ = api.add_affiliate()
    person = {"ip": "203.0.113.9", "user_id": "u-77", "time": api.clock.now_ms() - 1000}
    click = new_click(1, offer=offer, affiliate=pid, **person)
    load_clicks(api.deps, [click])
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, click=person)
    return pid, click.id


def test_erasure_dry_run_counts_without_erasing(api: Api) -> None:
    pid, click_id = visited(api)
    for subject, value in (("click", click_id), ("user", "u-77"), ("affiliate", str(pid))):
        answer = api.admin.post(PATH, subject=subject, id=value, dry_run=1)
        assert (answer["named"]["clicks"], answer["named"]["views"], answer["erasure"]) == (1, 0, None)
    assert api.admin.get(f"{PATH}/1", status=404)


def test_erasure_status_is_shown_until_done(api: Api, tmp_path: Any) -> None:
    _, click_id = visited(api)
    made = api.admin.post(PATH, subject="user", id="u-77")["erasure"]
    assert (made["subject"], made["done"]) == ("user", False)
    deps = api.deps
    eraser = Eraser(deps.database, deps.zone, deps.clock, DEFAULT_RETENTION)
    retention = RetentionRunner(deps.database, deps.analytics, tmp_path, deps.clock, DEFAULT_RETENTION)
    for _ in range(20):
        if api.admin.get(f"{PATH}/{made['id']}")["erasure"]["done"]:
            break
        eraser.erase()
        deps.analytics.run("SELECT 1")
        retention.erase()
        with deps.database.write() as conn:  # no loader runs here
            conn.exec_driver_sql("DELETE FROM outbox")
    assert api.admin.get(f"{PATH}/{made['id']}")["erasure"]["done"]
    shown = api.admin.get("/3.0/stats/clicks", date_from="2023-11-14", date_to="2023-11-15")["clicks"]
    assert [(click["id"], click["ip"]) for click in shown] == [(click_id, "")]
    log = api.admin.get("/3.1/admin/audit", what="erasure")["audit"]
    assert [item["changes"]["value"] for item in log if item["method"]] == [{"from": None, "to": "***"}]


@pytest.mark.parametrize(
    ("subject", "value"),
    [("click", "x"), ("affiliate", "x"), ("affiliate", "987654"), ("user", ""), ("user", "x" * 256), ("people", "x")],
)
def test_erasure_of_unknown_subject_is_400(api: Api, subject: str, value: str) -> None:
    assert api.admin.post(PATH, subject=subject, id=value, status=400)["fields"]


def test_no_notice_is_mailed_to_an_erased_affiliate(api: Api) -> None:
    """Its account stays active with an address that leads nowhere."""
    pid, _ = api.add_affiliate(email="ann@example.com")
    with api.deps.database.write() as conn:
        redact_account(conn, pid, "hash", api.clock.now_ms())
        erased = affiliates.find_affiliate(conn, Scope.everything(), pid)
        assert erased is not None
        recipients = [Recipient(each, each) for each in (erased.email, "ben@example.com")]
        assert len(send_notice(conn, FACTOR_ADDED, recipients, api.clock.now_ms())) == 1
    assert [each.recipient for each in mails(api)] == ["ben@example.com"]
