"""Permissions of affiliates: each feature at deny refuses a call, or its denial is refused."""

from typing import Any

import pytest

from tests.api.people.test_own_account import CALLS, DAY, SPAN, slices, tree_param
from tests.support.api import PASSWORD, Api
from trackyard.domain.people.permissions import FEATURES, UNENFORCED
from trackyard.store.platform import settings

Call = tuple[str, str, dict[str, Any]]

BY_REPORT: dict[str, list[Call]] = {
    "stats.slice-affiliate_id": [("GET", "stats/getbypartner", DAY)],
    "stats.slice-browser": [("GET", "stats/getbybrowsers", DAY), ("GET", "stats/custom", slices("browser"))],
    "stats.slice-city": [("GET", "stats/getbycities", DAY), ("GET", "stats/custom", slices("city"))],
    "stats.slice-device": [("GET", "stats/getbydevices", DAY), ("GET", "stats/custom", slices("device_model"))],
    "stats.conversions-import": [
        ("POST", "affiliate/conversion/import", {"offer": 1}),
        ("POST", "affiliate/conversions/import", {"list[0][offer]": 1}),
    ],
    "stats.slice-landing": [("GET", "stats/getbylanding", DAY), ("GET", "stats/custom", slices("landing"))],
    "stats.slice-prelanding": [("GET", "stats/getbyprelanding", DAY), ("GET", "stats/custom", slices("prelanding"))],
    "stats.slice-trafficback_reason": [("GET", "stats/getbytrafficback", DAY)],
    "general.billing": [
        ("GET", "balance", {}),
        ("GET", "balance/statement", {}),
        ("GET", "partner/payments", {}),
        ("GET", "partner/payments/requests", {}),
        ("POST", "partner/payments/request", {"currency": "USD"}),
    ],
    "general.marketplace": [("GET", "offers", {}), ("GET", "offers/count", {}), ("GET", "partner/offers", {})],
    "general.settings": [
        ("POST", "partner/api_key", {}),
        ("POST", "partner/email", {"email": "new@affiliate.example", "password": PASSWORD}),
    ],
    "stats.conversions-export": [
        ("GET", f"stats/{name}", SPAN | {"format": form})
        for name in ("conversions", "clicks")
        for form in ("csv", "parquet")
    ],
    "stats.stats-export": [("GET", "stats/custom", slices("day") | {"format": form}) for form in ("csv", "parquet")],
}
BY_FEATURE = BY_REPORT | {
    feature: [("GET", f"stats/{path}", params) for path, params in calls] for feature, calls in CALLS.items()
}
"""Feature → calls that need it."""


def level_path(pid: int) -> str:
    return f"/3.1/user/{pid}/permissions"


@pytest.mark.parametrize("feature", FEATURES)
def test_feature_at_deny_refuses_calls_or_is_refused(api: Api, feature: str) -> None:
    pid, client = api.add_affiliate()
    area, _, name = feature.partition(".")
    if feature in UNENFORCED:
        expected = (200, None) if FEATURES[feature] == "deny" else (400, [f"permissions[{area}][{name}]"])
        for path in (level_path(pid), "/3.1/user/permissions"):
            assert api.admin.refusal("POST", path, data=tree_param(feature, "deny")) == expected
        return
    api.admin.post(level_path(pid), **tree_param(feature, "deny"))
    for method, path, params in BY_FEATURE[feature]:
        sent = {"data" if method == "POST" else "params": params}
        assert client.refusal(method, f"/3.1/{path}", **sent) == (403, feature)


@pytest.mark.parametrize("feature", ["stats.conversions-export", "stats.stats-export", "general.marketplace"])
def test_feature_of_files_and_marketplace_leaves_other_calls(api: Api, feature: str) -> None:
    pid, client = api.add_affiliate()
    api.admin.post(level_path(pid), **tree_param(feature, "deny"))
    calls = (("conversions", SPAN), ("clicks", SPAN), ("custom", slices("day")))
    assert [client.call("GET", f"/3.1/stats/{path}", params=params).status_code for path, params in calls] == [200] * 3
    assert client.call("GET", "/3.1/partner/live-offers").status_code == 200
    assert api.admin.call("GET", "/3.0/offers").status_code == 200, "staff are not affiliates"


def test_feature_that_only_writes_is_refused_at_read(api: Api) -> None:
    pid, client = api.add_affiliate()
    calls = [(f"/3.1/{path}", sent) for _, path, sent in reversed(BY_REPORT["general.settings"])]  # the key at last
    api.admin.post(level_path(pid), **tree_param("general.settings", "read"))
    assert [client.refusal("POST", path, data=sent) for path, sent in calls] == [(403, "general.settings")] * 2
    api.admin.post(level_path(pid), **tree_param("general.settings", "write"))
    assert [client.call("POST", path, data=sent).status_code for path, sent in calls] == [200] * 2


def test_feature_tree_sent_back_whole_is_accepted(api: Api) -> None:
    """Programs read the tree, change one level and send all of it, with denials that are refused today."""
    pid, client = api.add_affiliate()
    with api.deps.database.write() as conn:
        settings.edit_setting(conn, settings.AFFILIATE_PERMISSIONS, {"stats.view-kpi": "deny"})
    shown = client.get("/3.1/partner/me")["user"]["permissions"]
    assert shown["stats"]["view-kpi"]["level"] == "deny"
    sent = {
        f"permissions[{area}][{name}][level]": node["level"]
        for area, features in shown.items()
        for name, node in features.items()
    }
    changed = sent | tree_param("stats.slice-day", "deny")
    after = api.admin.post(level_path(pid), **changed)["permissions"]["permissions"]
    assert (after["stats"]["slice-day"]["level"], after["stats"]["view-kpi"]["level"]) == ("deny", "deny")
    again = api.admin.post("/3.1/user/permissions", **sent)["permissions"]
    assert again["stats"]["view-kpi"]["level"] == "deny"
