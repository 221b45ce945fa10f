"""One conversion of a click and goal (docs/spec/conversions.md#decline-reasons)."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

from sqlalchemy import delete, select

from tests.support.clicks.inbound_postbacks import AT
from tests.support.limited_offer import UTC, LimitedOffer, has_waiting_postbacks
from trackyard.domain.conversions.edits import ConversionEdit
from trackyard.domain.conversions.statuses import Status
from trackyard.jobs.conversions.inbox import PostbackProcessor
from trackyard.journal.records import Click
from trackyard.store.tables import conversion, counter

TAKEN = ("confirmed", "")
REPEATED = ("declined", "Repeated conversion")
GOALS = [{"goal": goal, "total": "10", "revenue": "5", "currency": "USD", "type": "fixed"} for goal in ("1", "2")]


def states(limited: LimitedOffer, click: Click) -> dict[str, tuple[str, str]]:
    """Return status and comment of the conversions of a click by action id and goal."""
    columns = conversion.c
    query = select(columns.action_id, columns.goal, columns.status, columns.comment)
    with limited.database.read() as conn:
        rows = conn.execute(query.where(columns.click_id == click.id))
        return {f"{row.action_id}/{row.goal}": (row.status, row.comment) for row in rows}


def report(limited: LimitedOffer, click: Click, *action_ids: str, **params: str) -> None:
    """Report conversions of a click in one batch."""
    for action_id in action_ids:
        limited.send(click, action_id=action_id, **params)
    limited.settle()


def set_status(limited: LimitedOffer, action_id: str, status: Status) -> None:
    with limited.database.read() as conn:
        found = conn.execute(select(conversion.c.id).where(conversion.c.action_id == action_id)).scalar_one()
    limited.order(ConversionEdit(conversion_id=found, status=status))


def test_repeated_conversion_with_invented_action_id_is_declined_with_its_amounts(limited: LimitedOffer) -> None:
    limited.limit(one_conversion_per_click=True, payments=GOALS)
    click = limited.click()
    report(limited, click, "", "a1", "a2")
    report(limited, click, "a3")
    report(limited, click, "a4", goal="2")
    assert states(limited, click) == {
        "/1": TAKEN, "a1/1": REPEATED, "a2/1": REPEATED, "a3/1": REPEATED, "a4/2": TAKEN,
    }  # fmt: skip
    assert limited.payouts() == [5] * 5
    assert limited.call(limited.click()) == TAKEN, "another click converts"


def test_repeated_conversion_is_accepted_where_the_offer_does_not_ask(limited: LimitedOffer) -> None:
    click = limited.click()
    report(limited, click, "", "a1")
    assert set(states(limited, click).values()) == {TAKEN}


def test_repeated_conversion_follows_a_declined_one_only(limited: LimitedOffer) -> None:
    limited.limit(one_conversion_per_click=True)
    click = limited.click()
    report(limited, click, "a1", status="2")
    report(limited, click, "a2")
    report(limited, click, "a1", status="3")
    report(limited, click, "a3")
    expected = {"a1/1": ("declined", ""), "a2/1": REPEATED, "a3/1": TAKEN}
    assert states(limited, click) == expected
    report(limited, click, "a2", status="2")
    assert states(limited, click) == expected, "a postback does not revive one"
    set_status(limited, "a2", Status.CONFIRMED)
    assert states(limited, click)["a2/1"][0] == "confirmed", "staff may"


def test_repeated_conversion_is_in_no_counter_until_staff_confirm_it(limited: LimitedOffer) -> None:
    limited.limit({"value": "9"}, one_conversion_per_click=True, caps_status=["confirmed", "declined"])
    click = limited.click()
    report(limited, click, "a1", "a2", "a3")
    assert list(limited.held().values()) == [(1, 5)]
    set_status(limited, "a2", Status.CONFIRMED)
    assert list(limited.held().values()) == [(2, 10)]
    set_status(limited, "a2", Status.DECLINED)
    set_status(limited, "a1", Status.DECLINED)
    assert list(limited.held().values()) == [(1, 5)], "one that was declined by staff counts, a repeat does not"
    with limited.database.write() as conn:
        conn.execute(delete(counter))
    report(limited, limited.click(), "b1")
    assert list(limited.held().values()) == [(2, Decimal(10))], "counted again from stored conversions"


def test_repeated_conversion_is_declined_with_two_workers(limited: LimitedOffer) -> None:
    limited.limit(one_conversion_per_click=True)
    clicks = [limited.click() for _ in range(3)]
    for place in range(40):
        for click in clicks:
            limited.send(click, AT + place, action_id=f"order-{click.id}-{place}")

    def work(_: int) -> None:
        converter = PostbackProcessor(limited.database, "USD", UTC, limited.clock)
        while converter.step() or has_waiting_postbacks(limited.database):
            pass

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    assert (limited.accepted(), limited.accepted("declined")) == (3, 117)
    for click in clicks:
        assert states(limited, click)[f"order-{click.id}-0/1"] == TAKEN
