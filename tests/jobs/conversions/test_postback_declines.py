"""Declined and rejected postbacks, by reasons that need stored data, with their texts in the log."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select, update

from tests.support.clicks.inbound_postbacks import AT, make_inbound_postback, make_inbox_postback
from tests.support.limited_offer import UTC, LimitedOffer, has_waiting_postbacks, make_limited_offer
from tests.support.stores.outbox_lines import queued_lines
from tests.support.stores.seeds import add_affiliate, add_offer
from trackyard.base.ids import new_click_id
from trackyard.domain.conversions.conversions import DeclineReason
from trackyard.domain.conversions.postbacks import PostbackError
from trackyard.domain.conversions.sessions import DAY_MS, MIN_CLICK_RETENTION_MS
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.statistics.rows import ServerPostbackLog
from trackyard.jobs.conversions.inbox import PostbackProcessor
from trackyard.store.conversions import inbox
from trackyard.store.conversions.decisions import get_click_sessions
from trackyard.store.engine.database import Database
from trackyard.store.platform.settings import HASH_PASSWORD, edit_setting
from trackyard.store.tables import advertiser, affiliate, conversion, offer
from trackyard.store.tracking import edges

DUPLICATE = ("declined", "IP duplicate")
TAKEN = ("confirmed", "")


def responses(database: Database) -> list[str]:
    """Return the responses of the server postback log, in the order of decisions."""
    rows = [msgspec.json.decode(line, type=ServerPostbackLog) for line in queued_lines(database, "server_log")]
    return [row.response for row in rows]


def send(limited: LimitedOffer, click_id: str, time: int = AT, **params: str) -> None:
    """Send a postback without a click."""
    with limited.database.write() as conn:
        call = make_inbound_postback(time, **{"clickid": click_id} | params)
        inbox.add_entries(conn, "001-1", [make_inbox_postback(next(limited.positions), call, None)])


# --- IP duplicate ---------------------------------------------------------------------------------------


def test_unique_ip_conversion_is_accepted_once_per_offer_and_goal(limited: LimitedOffer) -> None:
    goals = [
        {"goal": goal, "total": "10", "revenue": "5", "currency": "USD", "type": "fixed"} for goal in ("1", "2", "3")
    ]
    limited.limit(reject_not_uniq_ip=True, payments=goals)
    assert limited.call() == TAKEN
    assert limited.call() == DUPLICATE
    assert limited.call(goal="2") == TAKEN
    assert limited.call(limited.click(ip="198.51.100.8")) == TAKEN
    with limited.database.write() as conn:
        other = add_affiliate(conn)
        second = add_offer(conn, limited.advertiser, reject_not_uniq_ip=True)
    assert limited.call(limited.click(affiliate=other)) == DUPLICATE, "the affiliate does not matter"
    limited.offer = second
    assert limited.call() == TAKEN
    assert limited.call(limited.click(ip="")) == TAKEN
    assert limited.call(limited.click(ip="")) == TAKEN, "an unknown address is not a duplicate"


def test_unique_ip_check_ignores_declined_conversions(limited: LimitedOffer) -> None:
    limited.limit(reject_not_uniq_ip=True)
    first = limited.click()
    assert limited.call(first, status="3") == ("declined", "")
    second = limited.click()
    assert limited.call(second, status="2") == ("pending", "")
    assert limited.call() == DUPLICATE
    limited.edit(second, status=Status.NOT_FOUND)
    assert limited.call() == TAKEN
    limited.edit(first, status=Status.CONFIRMED)
    assert limited.accepted() == 2, "who edits is never refused"


def test_unique_ip_check_counts_imports_but_accepts_them(limited: LimitedOffer) -> None:
    limited.limit(reject_not_uniq_ip=True)
    limited.imported(ip="198.51.100.7", action_id="a")
    limited.imported(ip="198.51.100.7", action_id="b")
    assert limited.accepted() == 2
    assert limited.call() == DUPLICATE


def test_unique_ip_check_applies_only_when_switched_on(limited: LimitedOffer) -> None:
    assert [limited.call(), limited.call()] == [TAKEN, TAKEN]
    limited.limit(reject_not_uniq_ip=True)
    assert limited.call() == DUPLICATE, "those made before count as well"


def test_unique_ip_check_holds_within_one_batch(limited: LimitedOffer) -> None:
    limited.limit(reject_not_uniq_ip=True)
    first = limited.send(status="2")
    second = limited.send()
    limited.send(first, AT + 1, status="3")  # leaves its place to the next
    third, fourth = limited.send(), limited.send()
    limited.settle()
    states = [limited.state(click) for click in (first, second, third, fourth)]
    assert states == [("declined", ""), DUPLICATE, TAKEN, DUPLICATE]


def test_unique_ip_check_holds_with_two_workers(limited: LimitedOffer) -> None:
    limited.limit(reject_not_uniq_ip=True)
    for _ in range(60):
        limited.send()

    def work(_: int) -> None:
        converter = PostbackProcessor(limited.database, "USD", UTC, limited.clock)
        while converter.step() or has_waiting_postbacks(limited.database):
            pass

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    assert (limited.accepted(), limited.accepted("declined")) == (1, 59)


# --- clicks that are kept no more -----------------------------------------------------------------------


def old_id(age_ms: int, edge: int) -> str:
    return new_click_id(AT - age_ms, edge)


@pytest.fixture
def edge(limited: LimitedOffer) -> int:
    with limited.database.write() as conn:
        return edges.claim_edge(conn, "d" * 24, 0, AT)


def test_postback_for_expired_click_is_rejected(limited: LimitedOffer, edge: int) -> None:
    send(limited, old_id(MIN_CLICK_RETENTION_MS + 60_000, edge))
    send(limited, old_id(MIN_CLICK_RETENTION_MS - 60_000, edge))
    send(limited, old_id(MIN_CLICK_RETENTION_MS + 60_000, edge + 1))
    found = limited.click(id=old_id(MIN_CLICK_RETENTION_MS + 60_000, edge), time=AT - MIN_CLICK_RETENTION_MS - 60_000)
    limited.send(found)  # not removed yet: nothing else is said of it
    limited.settle()
    expired = "Click session lifespan is expired"
    assert responses(limited.database) == [expired, "Broken clickid", "Broken clickid", expired]
    assert limited.accepted() == limited.accepted("declined") == 0


def test_postback_click_retention_exceeds_longest_session_by_35_days(limited: LimitedOffer, edge: int) -> None:
    limited.limit(click_session="400d")
    send(limited, old_id(435 * DAY_MS - 60_000, edge))
    send(limited, old_id(435 * DAY_MS + 60_000, edge))
    limited.settle()
    assert responses(limited.database) == ["Broken clickid", "Click session lifespan is expired"]


def test_offer_sessions_are_listed_once_each(limited: LimitedOffer) -> None:
    with limited.database.write() as conn:
        for session in ("1y", "2y", "10d", "9d", "1y"):
            add_offer(conn, limited.advertiser, click_session=session)
        assert get_click_sessions(conn) == ["10d", "1y", "2y", "9d"]


def test_import_has_no_click_age(limited: LimitedOffer) -> None:
    limited.limit(minimal_click_session="5i", click_session="0s", payments=[])
    limited.imported()
    assert (limited.accepted("confirmed"), limited.payouts()) == (1, [0])


def test_postback_outside_click_session_is_declined(limited: LimitedOffer) -> None:
    limited.limit(click_session="1d")
    assert limited.call(limited.click(time=AT - DAY_MS)) == TAKEN
    old = limited.click(time=AT - DAY_MS - 1)
    assert limited.call(old) == ("declined", "Click session lifespan is expired")
    assert limited.payouts() == [5, 5]
    limited.limit(minimal_click_session="5i")
    assert limited.call() == ("declined", "Min click session lifespan is not reached")


# --- texts ----------------------------------------------------------------------------------------------

TEXTS: list[tuple[str, dict[str, Any], dict[str, str], str]] = [
    # what is set where · parameters of the call · text in the log, "" = it makes a conversion
    ("", {}, {}, ""),
    ("offer", {"status": "stopped"}, {}, "Offer disabled"),
    ("offer", {"status": "suspended"}, {}, ""),
    ("offer", {"removed_at": AT}, {}, "Offer disabled"),
    ("platform", {}, {}, "Access denied"),
    ("platform", {}, {"secure": "platform's"}, ""),
    ("advertiser", {"hash_password": "own"}, {"secure": "platform's"}, "Access denied"),
    ("advertiser", {"hash_password": "own"}, {"secure": "own"}, ""),
    ("offer", {"hash_password": "offer's"}, {"secure": "own"}, "Access denied"),
    ("offer", {"hash_password": "offer's"}, {"secure": "offer's"}, ""),
    ("offer", {"allowed_ip": "10.0.0.1"}, {}, "Current IP-address is denied"),
    ("offer", {"allowed_ip": "10.0.0.1"}, {"ip": "10.0.0.1"}, "Current IP-address is denied"),  # the caller's counts
    ("offer", {"disallowed_ip": "192.0.2.0/24"}, {}, "Current IP-address is denied"),
    ("advertiser", {"allowed_ip": ["10.0.0.1"]}, {}, "Current IP-address is denied"),
    ("advertiser", {"allowed_ip": ["192.0.2.9"]}, {}, ""),
    ("advertiser", {"disallowed_ip": ["192.0.2.9"]}, {}, "Current IP-address is denied"),
    ("", {}, {"status": "confirmed"}, "Wrong status"),
    ("", {}, {"sum": "-1"}, "Wrong sum"),
    ("", {}, {"currency": "XAU"}, "Wrong currency"),
]


@pytest.mark.parametrize(("where", "values", "params", "text"), TEXTS)
def test_postback_error_text_follows_specification(
    limited: LimitedOffer,
    where: str,
    values: dict[str, Any],
    params: dict[str, str],
    text: str,
) -> None:
    with limited.database.write() as conn:
        if where == "platform":
            edit_setting(conn, HASH_PASSWORD, "platform's")
        elif where:
            conn.execute(update({"offer": offer, "advertiser": advertiser}[where]).values(values))
    limited.send(**params)
    limited.settle()
    assert responses(limited.database) == [text]
    assert limited.accepted() == (not text)


def test_postback_error_texts_name_repeats_and_missing_clicks(limited: LimitedOffer) -> None:
    click = limited.send()
    limited.send(click)
    limited.send(click, status="3")
    send(limited, "")
    send(limited, "f" * 24)
    limited.send(limited.click(reason="bot"))
    limited.settle()
    assert responses(limited.database) == [
        *("", "Conversion exists", "Conversion status is not pending"),
        *("Missing mandatory parameter clickid", "Broken clickid", "Broken clickid"),
    ]


# --- every call has an end ------------------------------------------------------------------------------

values_of_any_kind = st.sampled_from([*"0123456", "1.5", "-1", "EUR", "nan", "\x00"]) | st.text(max_size=40)
calls_of_any_kind = st.dictionaries(
    st.sampled_from(["goal", "sum", "status", "action_id", "currency", "ip", "comment", "user_id", "custom_field1"]),
    values_of_any_kind,
    max_size=5,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=st.lists(calls_of_any_kind, max_size=6), banned=st.booleans())
def test_postback_always_leaves_inbox_with_one_outcome(
    sqlite_database: Database, calls: list[dict[str, str]], banned: bool
) -> None:
    yard = make_limited_offer(sqlite_database)
    yard.limit(reject_not_uniq_ip=True)
    with sqlite_database.write() as conn:
        conn.execute(update(affiliate).values(status="banned" if banned else "active"))
        before = _made(conn)
    logged = len(responses(sqlite_database))
    click = yard.click()
    for params in calls:
        yard.send(click, **params)
    yard.settle()
    texts = responses(sqlite_database)[logged:]
    assert len(texts) == len(calls)
    assert set(texts) <= {"", *PostbackError}
    assert not has_waiting_postbacks(sqlite_database), "nothing is quarantined"
    with sqlite_database.read() as conn:
        changed = _made(conn) - before
        comments = set(conn.execute(select(conversion.c.comment).where(conversion.c.offer_id == yard.offer)).scalars())
    assert changed == texts.count("")
    assert not banned or comments <= {DeclineReason.PARTNER_BANNED.value}


def _made(conn: Any) -> int:
    """Return how often conversions were made or changed."""
    return int(conn.execute(select(func.coalesce(func.sum(conversion.c.version), 0))).scalar_one())
