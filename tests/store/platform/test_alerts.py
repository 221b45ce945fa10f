"""Alerts, their mails and choices, on both engines."""

from dataclasses import replace

from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.alerts.causes import Alert, cause_key
from trackyard.domain.platform.alerts.choices import AlertChoices, DigestRhythm
from trackyard.domain.platform.alerts.kinds import AlertKind
from trackyard.domain.platform.findings import FindingKind
from trackyard.store.engine.database import Database
from trackyard.store.platform.alerts import alerts, choices, notices

ADA = Account(AccountKind.STAFF, "a" * 24)


def alert(number: int, **fields: object) -> Alert:
    made = Alert(
        id=f"{number:024x}", kind=AlertKind.DISK, finding=FindingKind.DISK_FULL, subject="one: /data",
        open_key=cause_key(FindingKind.DISK_FULL, "one: /data"), source="checks of one",
        evidence={"free_percent": 4}, opened_at=number, seen_at=number,
    )  # fmt: skip
    return replace(made, **fields)  # type: ignore[arg-type]


def test_cause_has_one_open_alert_and_another_after_it_closed(database: Database) -> None:
    with database.write() as conn:
        assert alerts.add_if_new(conn, alert(1))
        assert not alerts.add_if_new(conn, alert(2))
        assert alerts.close_alert(conn, alert(1).id, 10)
        assert not alerts.close_alert(conn, alert(1).id, 11)
        assert alerts.add_if_new(conn, alert(3))
    with database.read() as conn:
        assert alerts.list_open(conn) == [alert(3)]
        place = {"page": 1, "limit": 10}
        everything, total = alerts.list_alerts(conn, Scope.everything(), of_platform=True, **place)
        assert ([each.id for each in everything], total) == ([alert(3).id, alert(1).id], 2)
        kinds = [AlertKind.CAP]
        assert alerts.list_alerts(conn, Scope.everything(), of_platform=True, kinds=kinds, **place) == ([], 0)
        assert alerts.list_alerts(conn, Scope.everything(), of_platform=False, **place) == ([], 0)
    with database.write() as conn:
        assert alerts.remove_closed(conn, 11) == 1


def test_mail_of_an_alert_is_taken_once_when_it_is_due(database: Database) -> None:
    with database.write() as conn:
        notices.add_notice(conn, ADA, alert(1).id, 100)
        notices.add_notice(conn, ADA, alert(2).id, 900)
        assert notices.find_due_owner(conn, 99) is None
        assert notices.find_due_owner(conn, 100) == ADA.name
        assert notices.take_due(conn, ADA.name, 100) == [alert(1).id]
        assert notices.take_due(conn, ADA.name, 100) == []
        notices.remove_notices(conn, ADA)
        assert not notices.has_due(conn, 900)


def test_digest_is_claimed_once_for_its_lease(database: Database) -> None:
    chosen = AlertChoices(
        ways={"cap": "mail"}, quiet_from="22:00", quiet_until="07:00", digest=DigestRhythm.DAY, digest_at=5
    )
    with database.write() as conn:
        choices.edit_choices(conn, ADA, chosen)
        assert choices.find_choices(conn, ADA) == chosen
        claimed = choices.claim_digest(conn, 5, 100)
        assert claimed == (ADA.name, replace(chosen, digest_at=105))
        assert choices.claim_digest(conn, 6, 100) is None
        assert not choices.finish_digest(conn, ADA, chosen, 500), "it is not this claim"
        assert choices.finish_digest(conn, ADA, claimed[1], 500)
        assert not choices.has_due_digest(conn, 499)
        choices.remove_choices(conn, ADA)
        assert choices.find_choices(conn, ADA) == AlertChoices()
