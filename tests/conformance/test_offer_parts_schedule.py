"""Schedule item of an offer."""

from collections.abc import Mapping
from typing import Any

from tests.conformance.predicates import array_of, flag, having, moment, text
from tests.conformance.sentence import (
    Caller,
    SpecRequest,
    SpecSentence,
    answers,
    each_row,
    equal,
    is_,
    refused,
    sentence,
    table,
    typed,
)
from tests.conformance.world import FilledProgram

SECTION = "Schedule item"
admin = Caller("admin")
CAPES = admin.get("/3.0/offer/<capes>")
NEW = {"title": "<unique>", "advertiser": "<shop>", "url": "https://a.example/"}


def add(schedule: Mapping[str, Any]) -> SpecRequest:
    """Create an offer with a schedule."""
    return admin.post("/3.0/admin/offer", {**NEW, **{f"schedule[{name}]": value for name, value in schedule.items()}})


ROWS = table(
    typed(
        "Schedule",
        CAPES,
        "offer.schedule",
        {
            "enabled": flag,
            "date_start": moment,
            "date_to": text,
            "timezone": text,
            "intervals": array_of(having("day_of_week", "from", "to")),
        },
    ),
    sentence(
        "Schedule: date_start is an object of sec and usec in the schedule's zone",
        CAPES,
        equal("offer.schedule.date_start", {"sec": 1577833200, "usec": 0}),
    ),
    sentence("Schedule: date_to is YYYY-MM-DD", CAPES, equal("offer.schedule.date_to", "2090-01-01")),
    sentence("Schedule: timezone is a zone name", CAPES, equal("offer.schedule.timezone", "Europe/Madrid")),
    sentence(
        "Schedule: intervals[weekday][index][From|To] become objects",
        CAPES,
        equal("offer.schedule.intervals", [{"day_of_week": 1, "from": 8, "to": 20}]),
    ),
    sentence(
        "Schedule: a weekday may have several intervals",
        add(
            {"intervals][6][0][From": 1, "intervals][6][0][To": 2, "intervals][6][1][From": 5, "intervals][6][1][To": 6}
        ),
        is_(
            "offer.schedule.intervals",
            lambda found: [(one["day_of_week"], one["from"], one["to"]) for one in found] == [(6, 1, 2), (6, 5, 6)],
        ),
    ),
    [
        sentence(
            f"Schedule: hour {hour} is accepted",
            add({"intervals][0][0][From": hour, "intervals][0][0][To": hour}),
            equal("offer.schedule.intervals[0].from", hour),
        )
        for hour in (0, 23)
    ],
    [
        sentence(
            f"Schedule: hour {hour} is refused",
            add({"intervals][0][0][From": hour, "intervals][0][0][To": 2}),
            answers(400),
        )
        for hour in (-1, 24)
    ],
    sentence(
        "Schedule: weekday 7 is refused", add({"intervals][7][0][From": 1, "intervals][7][0][To": 2}), answers(400)
    ),
    sentence(
        "Schedule: a timezone that is not a zone name is refused",
        add({"timezone": "Madrid"}),
        refused(400, "schedule[timezone]"),
    ),
    sentence(
        "Schedule: a date_start that is not a date is refused",
        add({"date_start": "soon"}),
        refused(400, "schedule[date_start]"),
    ),
    sentence("Schedule: enabled 2 is refused", add({"enabled": 2}), refused(400, "schedule[enabled]")),
    sentence("Schedule: enabled is 0 by default", add({}), equal("offer.schedule.enabled", 0)),
)


@each_row(ROWS)
def test_offer_schedule_item_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
