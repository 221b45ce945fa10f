"""The audit log and the health of the platform on pages."""

from dataclasses import replace

from tests.support.api import Api
from tests.support.pages import staff_visitor
from trackyard.domain.people.roles import Role
from trackyard.domain.platform.findings import CheckFindings
from trackyard.domain.platform.status import MachineStatus

HOSTILE = '"><script>alert(1)</script>'


def test_audit_log_shows_author_object_and_values_before_and_after(api: Api) -> None:
    visitor = staff_visitor(api)
    offer = api.add_offer(title="Shoes")
    api.admin.post(f"/3.0/admin/offer/{offer}", title=HOSTILE)
    page = visitor.get(f"/console/audit-log?what=offer&key={offer}")
    assert HOSTILE not in page.text
    shown = visitor.read(f"/console/audit-log?what=offer&key={offer}")
    assert "First Administrator" in shown.text and f"Shoes → {HOSTILE}" in shown.text and "created" in shown.text
    assert f"/console/offers/{offer}" in shown.links
    assert "created at 2023-11-14 22:13:20" in shown.text
    assert shown.text.count("admin.offer.edit") == 1


def test_audit_log_filters_by_author_and_period_and_names_wrong_values(api: Api) -> None:
    visitor = staff_visitor(api)
    api.add_offer()
    [first] = [each["id"] for each in api.admin.get("/3.0/admin/users")["users"] if each["email"] == "admin@localhost"]
    total = api.admin.get("/3.1/admin/audit", user_id=first)["pagination"]["total_count"]
    assert f"{total} changes of staff, affiliates and jobs." in visitor.read(f"/console/audit-log?user={first}").text
    assert "Nothing meets these filters." in visitor.read("/console/audit-log?to=2001-01-01").text
    wrong = visitor.read("/console/audit-log?user=nobody&from=yesterday&affiliate=-1&what=_0").text
    for label in ("Staff user", "Affiliate", "From", "Object"):
        assert f"A value of {label} does not exist: it is left out." in wrong
    backwards = visitor.read("/console/audit-log?from=2023-11-15&to=2023-11-14", 400).text
    assert "This day must not lie before the first." in backwards
    assert "Nothing meets these filters." in visitor.read("/console/audit-log?what=product_feed").text


def test_system_pages_are_for_administrators(api: Api) -> None:
    visitor = staff_visitor(api, Role.SECTION_DASHBOARD)
    for path in ("/console/audit-log", "/console/health"):
        assert visitor.get(path).status_code == 403
        assert path not in visitor.read("/console/").links


def test_health_shows_state_of_the_api(api: Api) -> None:
    api.add_offer()
    state = api.admin.get("/3.1/admin/status")["platform"]
    text = staff_visitor(api).read("/console/health").text
    assert state["version"] in text and "nothing needs a look" in text


def test_health_says_when_certificates_end(api: Api) -> None:
    found = [
        CheckFindings("tracking_certificate", "certificate of tracking", (), "2024-02-01"),
        CheckFindings("versions", "versions of databases", (), "SQLite 3.45"),
    ]
    checked = replace(api, deps=replace(api.deps, checks=lambda: found))
    text = staff_visitor(checked).read("/console/health").text
    assert "Certificate of tracking Its certificate ends on 2024-02-01. fine" in text
    assert "Versions of databases SQLite 3.45 fine" in text


def test_health_says_what_keeps_the_platform_from_serving(api: Api) -> None:
    machine = replace(
        api.deps.machine(),
        reasons=("the disk is full",),
        warnings=("<b>odd</b>",),
        lags={"mail": 4_000.0, "inbox": 2.0, "new_queue": 90.0},
    )
    broken = replace(api, deps=replace(api.deps, machine=lambda: machine))
    assert isinstance(machine, MachineStatus)
    visitor = staff_visitor(broken)
    text = visitor.read("/console/health").text
    assert "cannot do all of its work" in text and "Make room on the disk" in text
    assert "Mails that are due Minutes: the mail server is away" in text and "stuck 1 h 6 min" in text
    assert "New queue late 1 min 30 s" in text and "on time 2 s" in text
    assert "<b>odd</b>" not in visitor.get("/console/health").text
