"""The state of the platform (docs/spec/platform.md#status)."""

from dataclasses import replace

from tests.support.api import NOW, UNBOUNDED, Api
from tests.support.models.events import new_click
from tests.support.models.history import load_clicks
from trackyard.api.app import build
from trackyard.domain.people.roles import Role
from trackyard.domain.platform.status import MachineStatus

MACHINE = MachineStatus("1.2.3", NOW - 90_500, ("api",), (), ("look",), {"inbox": 2.5}, 10, 20)


def test_status_shows_machine_last_traffic_and_rows(api: Api) -> None:
    offer, (affiliate, _) = api.add_offer(), api.add_affiliate()
    clicks = [new_click(number, offer=offer, affiliate=affiliate, time=NOW - number * 1000) for number in (1, 2)]
    load_clicks(api.deps, clicks)
    client = api.admin.of(build(replace(api.deps, machine=lambda: MACHINE), limits=UNBOUNDED))
    found = client.get("/3.1/admin/status")["platform"]
    assert found.pop("rows") == {
        "clicks": 2, "impressions": 0, "conversions": 0, "inbound_postbacks": 0, "deliveries": 0,
    }  # fmt: skip
    assert found == {
        "version": "1.2.3", "started_at": "2023-11-14 22:11:49", "uptime_seconds": 90, "roles": ["api"], "ready": True,
        "reasons": [], "warnings": ["look"], "lag_seconds": {"inbox": 2.5}, "disk": {"free": 10, "total": 20},
        "now": "2023-11-14 22:13:20", "timezone": "UTC", "currency": "USD", "last_click_at": "2023-11-14 22:13:19",
        "last_postback_at": None,
    }  # fmt: skip


def test_status_of_machine_with_reasons_is_not_ready(api: Api) -> None:
    stopped = replace(MACHINE, reasons=("the journal is not writable",))
    client = api.admin.of(build(replace(api.deps, machine=lambda: stopped), limits=UNBOUNDED))
    found = client.get("/3.1/admin/status")["platform"]
    assert (found["ready"], found["reasons"], found["last_click_at"]) == (False, ["the journal is not writable"], None)


def test_status_is_for_administrators(api: Api) -> None:
    _, manager = api.add_staff(Role.MANAGER_SALES)
    assert manager.refusal("GET", "/3.1/admin/status")[0] == 403
