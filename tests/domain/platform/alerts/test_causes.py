"""Alerts open once for a cause, continue while it is seen, and close when it is gone."""

from hypothesis import given
from hypothesis import strategies as st

from trackyard.domain.platform.alerts.causes import LOST_MS, Alert, SeenCause, cause_key, compare_causes
from trackyard.domain.platform.alerts.kinds import KINDS_BY_FINDING, AlertKind
from trackyard.domain.platform.findings import Finding, FindingKind

_DAY_MS = 86_400_000


def _cause(subject: str = "7", kind: FindingKind = FindingKind.CAP_FULL) -> SeenCause:
    return SeenCause(Finding(kind, subject, {"percent": 100, "value": "1", "limit": "1"}), offer_id=7)


def _alert(cause: SeenCause, at: int, source: str = "books") -> Alert:
    return Alert(
        id=f"{at:024x}",
        kind=cause.kind,
        finding=cause.finding.kind,
        subject=cause.finding.subject,
        open_key=cause.key,
        source=source,
        offer_id=cause.offer_id,
        opened_at=at,
        seen_at=at,
    )


def test_alert_of_cause_that_goes_on_is_not_opened_again() -> None:
    found = compare_causes([_alert(_cause(), 0)], [_cause(), _cause()], "books", 60_000)
    assert (found.opened, len(found.continued), found.closed) == ([], 1, [])


def test_alert_closes_when_its_cause_is_gone_for_the_time_of_its_kind() -> None:
    alert = _alert(_cause(), 0)
    waits = AlertKind.CAP.closes_after_ms
    assert compare_causes([alert], [], "books", waits - 1).closed == []
    assert compare_causes([alert], [], "books", waits).closed == [alert]


def test_look_of_another_source_closes_only_what_nothing_looks_at() -> None:
    alert = _alert(_cause(), 0, source="checks of a machine")
    assert compare_causes([alert], [], "books", LOST_MS - 1).closed == []
    assert compare_causes([alert], [], "books", LOST_MS).closed == [alert]


def test_cap_that_is_nearly_full_and_then_full_opens_two_alerts() -> None:
    nearly = _cause(kind=FindingKind.CAP_NEARLY_FULL)
    found = compare_causes([_alert(nearly, 0)], [_cause()], "books", 60_000)
    assert [each.finding.kind for each in found.opened] == [FindingKind.CAP_FULL]


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=3), max_size=30))
def test_open_alerts_are_always_one_a_cause_and_none_is_lost(looks: list[list[str]]) -> None:
    alerts: dict[str, Alert] = {}
    last_seen: dict[str, int] = {}
    for minute, subjects in enumerate(looks):
        now = minute * 240_000
        changes = compare_causes(alerts.values(), map(_cause, subjects), "books", now)
        keys = [each.key for each in changes.opened]
        assert len(set(keys)) == len(keys)
        assert not set(keys) & alerts.keys()
        for cause in changes.opened:
            alerts[cause.key] = _alert(cause, now)
        for alert, cause in changes.continued:
            alerts[cause.key] = _alert(cause, now) if alert.open_key == cause.key else alert
        for alert in changes.closed:
            assert now - last_seen[alert.subject] >= alert.kind.closes_after_ms
            del alerts[alert.open_key or ""]
        last_seen |= dict.fromkeys(subjects, now)
        assert {cause_key(FindingKind.CAP_FULL, each) for each in subjects} <= alerts.keys()


def test_every_finding_of_a_kind_leads_to_a_page_of_its_subject() -> None:
    for finding, kind in KINDS_BY_FINDING.items():
        alert = _alert(SeenCause(Finding(finding, "12")), 0)
        assert alert.kind is kind
        assert alert.page.startswith("/console/")
        assert "{" not in alert.page
