"""Sessions on both engines: found by their key, ended one by one, by age and by account."""

from trackyard.base.ids import new_id
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.sessions import Session
from trackyard.store.engine.database import Database
from trackyard.store.people import sessions

ANN, BOB = Account(AccountKind.AFFILIATE, "7"), Account(AccountKind.AFFILIATE, "8")


def opened(account: Account, at: int, *, idle_until: int = 5_000, expires_at: int = 9_000) -> Session:
    return Session(
        id=new_id(at * 1000), account=account, created_at=at, last_used_at=at, idle_until=idle_until,
        expires_at=expires_at, address="192.0.2.1", user_agent="agent", second_factor=True,
    )  # fmt: skip


def test_session_is_found_by_its_key_until_the_first_of_its_ends(database: Database) -> None:
    new = opened(ANN, 1_000)
    with database.write() as conn:
        sessions.add_session(conn, new, "a" * 40)
        assert sessions.find_session(conn, "a" * 40, 4_999) == new
        assert sessions.find_session(conn, "b" * 40, 4_999) is None
        assert sessions.find_session(conn, "a" * 40, 5_000) is None
        sessions.record_use(conn, new.id, 4_999, 20_000)
        used = sessions.find_session(conn, "a" * 40, 8_999)
        assert used is not None
        assert (used.last_used_at, used.idle_until) == (4_999, 20_000)
        assert sessions.find_session(conn, "a" * 40, 9_000) is None
        sessions.record_use(conn, new.id, 4_000, 1)
        assert sessions.find_session(conn, "a" * 40, 8_999) == used, "a late write takes nothing back"


def test_sessions_of_an_account_end_without_those_of_others(database: Database) -> None:
    own, theirs = [opened(ANN, at) for at in (1_000, 2_000, 3_000, 4_000)], opened(BOB, 500)
    with database.write() as conn:
        for number, new in enumerate([*own, theirs]):
            sessions.add_session(conn, new, f"{number:040x}")
        assert not sessions.remove_session(conn, ANN, theirs.id)
        sessions.remove_oldest(conn, ANN, keep=3)
        assert [each.id for each in sessions.list_sessions(conn, ANN, 4_500)] == [each.id for each in own[:0:-1]]
        assert sessions.remove_session(conn, ANN, own[2].id)
        assert sessions.remove_sessions(conn, ANN, keep=own[1].id) == 1
        assert [each.id for each in sessions.list_sessions(conn, ANN, 4_500)] == [own[1].id]
        assert [each.id for each in sessions.list_sessions(conn, BOB, 4_500)] == [theirs.id]


def test_sessions_that_ended_are_removed_of_one_or_all(database: Database) -> None:
    with database.write() as conn:
        for number, (account, idle, end) in enumerate([(ANN, 5_000, 9_000), (BOB, 9_000, 5_000), (BOB, 9_000, 9_000)]):
            sessions.add_session(conn, opened(account, 1_000, idle_until=idle, expires_at=end), f"{number:040x}")
        assert not sessions.has_ended(conn, 4_999)
        assert sessions.has_ended(conn, 5_000)
        assert sessions.remove_ended(conn, 5_000, ANN) == 1
        assert sessions.remove_ended(conn, 5_000) == 1
        assert not sessions.has_ended(conn, 5_000)
