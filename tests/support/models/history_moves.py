"""The moves that Hypothesis draws for tests/jobs/conversions/test_random_histories.py."""

from decimal import Decimal

from hypothesis import strategies as st

from tests.support.models.model import DAY, HOUR
from tests.support.models.model_records import ModelPaymentItem
from tests.support.processes.crashes import CrashPoint, SimulatedFailure, SimulatedKill

PAYMENTS = [
    ModelPaymentItem("1", "fixed", Decimal(10), Decimal(7), "USD"),
    ModelPaymentItem("1", "fixed", Decimal("12.5"), Decimal("9.0005"), "USD", country="DE"),
    ModelPaymentItem("2", "percent", Decimal("12.5"), Decimal("3.3333"), "EUR"),
    ModelPaymentItem("3", "mixed", Decimal(20), Decimal("2.5"), "USD"),
    ModelPaymentItem("1", "fixed", Decimal(4), Decimal(3), "EUR", country="FR", affiliate=2),
]
OFFERS: list[list[ModelPaymentItem]] = [PAYMENTS, PAYMENTS[:1], [*PAYMENTS[2:], PAYMENTS[0]]]
SESSIONS = {"1y": 365 * DAY, "2h": 2 * HOUR, "0s": 0, "1i": 60_000}

kinds = st.sampled_from(["all", "all", "each", "exact"])
caps = st.fixed_dictionaries(
    {
        "period": st.sampled_from(["hour", "day", "month", "all"]),
        "type": st.sampled_from(["conversions", "budget"]),
        "value": st.sampled_from(["0", "1", "2", "9", "20"]),
        "goal_type": kinds,
        "affiliate_type": kinds,
        "country_type": kinds,
    }
)
tiers = st.fixed_dictionaries(
    {
        "timeframe": st.sampled_from(["day", "week", "month", "all"]),
        "type": st.sampled_from(["conversions", "budget"]),
        "value": st.sampled_from(["0", "1", "2", "8"]),
        "modifier_type": st.sampled_from(["by_fix", "by_percent", "to_fix", "to_percent"]),
        "modifier_value": st.sampled_from(["1", "2.5", "33.3333"]),
        "modifier_payment_type": st.sampled_from(["payout", "total", "payout_and_total"]),
        "goals": st.sampled_from([[], ["1"], ["1", "2"]]),
        "target_goals": st.sampled_from([[], ["2"]]),
        "affiliate_type": st.sampled_from(["all", "each"]),
        "conversion_status": st.sampled_from([[], ["confirmed"], ["declined", "pending"]]),
    }
)
counted = st.sampled_from([("confirmed", "pending", "hold"), ("confirmed",), ("confirmed", "declined")])
offers = st.one_of(
    st.fixed_dictionaries({"caps": st.lists(caps, max_size=2), "counted": counted}),
    st.fixed_dictionaries({"tiers": st.lists(tiers, max_size=3)}),
    st.fixed_dictionaries({"limit": st.sampled_from([None, 0, 1, 3])}),
    st.fixed_dictionaries({"hold": st.sampled_from([0, 1, 2])}),
    st.fixed_dictionaries({"status": st.sampled_from(["active", "active", "active", "stopped", "suspended"])}),
    st.fixed_dictionaries(
        {"session": st.sampled_from(["1y", "1y", "2h"]), "min_session": st.sampled_from(["0s", "0s", "1i"])}
    ),
    st.fixed_dictionaries(
        {"one_address": st.sampled_from([False, False, True]), "secure": st.sampled_from(["", "", "s3"])}
    ),
    st.fixed_dictionaries({"one_conversion": st.booleans()}),
    st.fixed_dictionaries({"payments": st.sampled_from([0, 1, 2])}),
)
some = st.integers(0, 30)
statuses = st.sampled_from(["1", "1", "2", "2", "2", "3", "4", "5"])
amounts = {"sum": st.sampled_from(["10", "33.33335", "0", "1000.01"]), "currency": st.sampled_from(["EUR", "USD"])}
comments = {"comment": st.sampled_from(["first", "second"])}
calls = st.fixed_dictionaries(
    {"goal": st.sampled_from(["1", "1", "2", "2", "3", "4"])},
    optional={"status": statuses, "action_id": st.sampled_from(["A1", "A2", "A3"])} | amounts | comments,
)
repeats = st.fixed_dictionaries({"status": statuses}, optional=amounts | comments)
faults = st.one_of(
    st.fixed_dictionaries({"sum": st.sampled_from(["-1", "x", "1e12"])}),
    st.fixed_dictionaries({"currency": st.just("XXX")}),
    st.fixed_dictionaries({"status": st.sampled_from(["7", "x"])}),
    st.fixed_dictionaries({"secure": st.sampled_from(["", "wrong"])}),
)
visitors = st.tuples(st.integers(0, 2), st.sampled_from(["DE", "FR", ""]), st.sampled_from(["10.0.0.1", "10.0.0.2"]))
names = st.sampled_from(["", "x", "never", "unknown edge", "future", "refused"])
people = st.one_of(
    st.tuples(st.just("status"), st.integers(0, 2), st.sampled_from(["active", "active", "banned", "not active"])),
    st.tuples(st.just("percent"), st.just(0), st.sampled_from(["0", "5", "33.33"])),
    st.tuples(st.just("rate"), st.just(0), st.sampled_from(["0.5", "1.25", "0.3333"])),
)
edits = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from(["confirmed", "pending", "declined", "not_found", "hold"]),
        "currency": st.sampled_from(["EUR", "USD"]),
        "payouts": st.sampled_from(["0", "3.5", "11.1111"]),
        "revenue": st.sampled_from(["0", "20", "7.7777"]),
        "comment": st.sampled_from(["by hand", ""]),
    },
)
imports = st.fixed_dictionaries(
    {"goal": st.sampled_from(["1", "2", "3", "4"]), "action_id": st.sampled_from(["A1", "A2", "I1", "I2", "I3"])},
    optional={
        "status": st.sampled_from(["confirmed", "pending", "declined", "not_found", "hold", "pending_cap"]),
        "sum": st.sampled_from(["10", "99.9999"]),
        "ip": st.just("10.0.0.1"),
    },
)
crashes = st.none() | st.builds(CrashPoint, st.integers(0, 120), st.sampled_from([SimulatedKill, SimulatedFailure]))
marked = st.sampled_from([(1,), (2,), (1, 2), (1, 2), (1, 2)])
