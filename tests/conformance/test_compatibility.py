"""Compatibility: switches of statistics by platform, staff user and affiliate (docs/compatibility.md)."""

from collections.abc import Mapping

from tests.conformance.predicates import having
from tests.conformance.sentence import (
    Caller,
    SpecRequest,
    SpecSentence,
    Step,
    absent,
    body_has,
    body_lacks,
    each_row,
    equal,
    every,
    is_,
    present,
    refused,
    sentence,
    table,
)
from tests.conformance.shared_steps import imported, offer
from tests.conformance.world import FilledProgram

SECTION = "Compatibility"
admin, pay, plain, una = Caller("admin"), Caller("pay"), Caller("plain"), Caller("una")
SETTINGS, PARTNER, USER = "/3.1/admin/settings", "/3.0/admin/partner", "/3.0/admin/user"
PERIOD = {"filter[date_from]": "<yesterday>", "filter[date_to]": "<tomorrow>"}
DAYS = {**PERIOD, "filter[partner][]": ["<ann>", "<bob>"], "filter[offer]": "<shoes>"}
BY_OFFER, CUSTOM = "/3.0/stats/getbyprogram", "/3.1/stats/custom"
MORE = ("views", "ctr", "cr", "epc", "ecpm", "ratio")
DEFAULTS = admin.post(SETTINGS, {"statistics_revenue": "", "statistics_rows": ""})
KINDS = ("total", "confirmed", "pending", "declined", "hold")


def export(caller: Caller) -> SpecRequest:
    """The report of shoes by sub1, as CSV."""
    return caller.get(CUSTOM, {**DAYS, "slice[]": "sub1", "format": "csv"})


def affiliate(params: Mapping[str, str]) -> tuple[Step, ...]:
    """An affiliate of the row with switches and a conversion that pays 1, who reads its statistics."""
    given = {"email": "<unique>@a.example", "password": "<password>", **params}
    return (
        offer(),
        admin.post(PARTNER, given).saving(own="partner.id", own_key="partner.api_key"),
        imported("", {"pid": "<own>"}),
        Caller("own").get(BY_OFFER, PERIOD).eventually(),
        equal("stats[0].actions.total.count", 1),
    )


ROWS = table(
    sentence(
        "the switches of the platform are the defaults until they are set",
        admin.get(SETTINGS),
        equal("settings.statistics_revenue", "advertiser"),
        equal("settings.statistics_rows", "full"),
    ),
    [
        sentence(
            f"statistics_revenue=payout of a staff user: {name} is {amount}",
            pay.get(BY_OFFER, DAYS),
            equal(f"stats[0].actions.total.{name}", amount),
        )
        for name, amount in {"revenue": 24, "charge": 34, "earning": 10}.items()
    ],
    sentence(
        "statistics_revenue=payout leaves the fields of rows as they are",
        pay.get(BY_OFFER, DAYS),
        present(*[f"stats[].{name}" for name in MORE]),
    ),
    [
        sentence(
            f"statistics_rows=plain of a staff user: rows have no {name}",
            plain.get(BY_OFFER, DAYS),
            absent(f"stats[].{name}"),
            equal("stats[0].traffic.raw", "4"),
        )
        for name in MORE
    ],
    sentence(
        "statistics_rows=plain leaves amounts as they are",
        plain.get(BY_OFFER, DAYS),
        equal("stats[0].actions.total.revenue", 34),
        absent("stats[].actions.total.payouts"),
    ),
    sentence(
        "statistics_rows=plain: rows by type of connection have epc and ratio",
        plain.get("/3.1/stats/getbyconnectiontype", DAYS),
        present("stats[].epc", "stats[].ratio"),
        absent("stats[].cr"),
    ),
    sentence(
        "statistics_rows=plain: trafficback rows have views, ctr and trafficback",
        plain.get("/3.0/stats/getbytrafficback", PERIOD),
        present("stats[].views", "stats[].ctr", "stats[].trafficback"),
        absent("stats[].cr"),
    ),
    sentence(
        "statistics_rows=plain: offers have no url and managers no title",
        plain.get(BY_OFFER, DAYS),
        absent("stats[].slice.offer.url"),
        plain.get("/3.0/stats/getbyaffiliatemanager", DAYS),
        absent("stats[].slice.affiliate_manager_id.title"),
    ),
    sentence(
        "order by total_revenue orders by the figures that are shown",
        pay.get(CUSTOM, {**DAYS, "slice[]": "sub1", "order[]": "total_revenue", "orderType": "desc"}),
        equal("stats[0].actions.total.revenue", 7),
        equal("stats[-1].actions.total.revenue", 0),
    ),
    [sentence(f"exports have cr_{kind} in place of cr", export(admin), body_has(f"cr_{kind}")) for kind in KINDS],
    sentence(
        "exports under /3.0 have cr_not_found",
        admin.get("/3.0/stats/custom", {**DAYS, "slice[]": "sub1", "format": "csv"}),
        body_has("cr_not_found"),
    ),
    sentence(
        "exports follow statistics_rows of the caller", export(plain), body_lacks("cr_total"), body_has("total.revenue")
    ),
    sentence(
        "exports follow statistics_revenue of the caller",
        pay.get(CUSTOM, {**DAYS, "slice[]": "sub1", "format": "csv", "filter[sub1]": "red"}),
        body_has("cr_total"),
        body_has(",7,10,3,"),
    ),
    sentence(
        "the record of a staff user shows its overrides",
        admin.get(f"{USER}/<pay>"),
        equal("user.statistics_revenue", "payout"),
        equal("user.statistics_rows", ""),
    ),
    sentence(
        "an empty value removes the override of a staff user",
        admin.post(f"{USER}/<switched>", {"statistics_rows": "plain"}),
        equal("user.statistics_rows", "plain"),
        Caller("switched").get(BY_OFFER, DAYS),
        absent("stats[].cr"),
        admin.post(f"{USER}/<switched>", {"statistics_rows": ""}),
        equal("user.statistics_rows", ""),
        Caller("switched").get(BY_OFFER, DAYS),
        present("stats[].cr"),
    ),
    sentence(
        "statistics_rows=plain of an affiliate holds for its statistics alone",
        *affiliate({"statistics_rows": "plain"}),
        absent("stats[].cr"),
        una.get(BY_OFFER, PERIOD),
        present("stats[].cr"),
        admin.post(f"{PARTNER}/<own>", {"statistics_rows": ""}),
        Caller("own").get(BY_OFFER, PERIOD),
        present("stats[].cr"),
    ),
    sentence(
        "statistics_revenue of an affiliate never shows it a charge or an earning",
        *affiliate({"statistics_revenue": "payout"}),
        equal("stats[0].actions.total.revenue", 1),
        equal("stats[0].actions.total.charge", 0),
        equal("stats[0].actions.total.earning", 0),
        admin.post(f"{PARTNER}/<own>", {"statistics_revenue": "advertiser"}),
        Caller("own").get(BY_OFFER, PERIOD),
        equal("stats[0].actions.total.revenue", 1),
        equal("stats[0].actions.total.charge", 0),
    ),
    sentence(
        "the record of an affiliate shows its overrides to staff alone",
        admin.post(
            PARTNER, {"email": "<unique>@a.example", "password": "<password>", "statistics_rows": "plain"}
        ).saving(own="partner.id", own_key="partner.api_key"),
        equal("partner.statistics_rows", "plain"),
        admin.get(f"{PARTNER}/<own>"),
        equal("partner.statistics_revenue", ""),
        Caller("own").get("/3.1/partner/me"),
        absent("user.statistics_rows"),
    ),
    sentence(
        "statistics_rows=plain of the platform holds without an override, and an empty value restores the default",
        admin.post(SETTINGS, {"statistics_rows": "plain"}),
        equal("settings.statistics_rows", "plain"),
        admin.get(BY_OFFER, {**DAYS, "limit": 9}),
        absent("stats[].cr"),
        Caller("ann").get(BY_OFFER, {**PERIOD, "limit": 9}),
        absent("stats[].cr"),
        export(admin),
        body_lacks("cr_total"),
        Caller("full").get(BY_OFFER, DAYS),
        present("stats[].cr"),
        admin.post(SETTINGS, {"statistics_rows": ""}),
        equal("settings.statistics_rows", "full"),
        admin.get(BY_OFFER, {**DAYS, "limit": 9}),
        present("stats[].cr"),
        after=(DEFAULTS,),
    ),
    sentence(
        "statistics_revenue=payout of the platform holds for staff without an override",
        admin.post(SETTINGS, {"statistics_revenue": "payout"}),
        admin.get(BY_OFFER, {**DAYS, "limit": 8}),
        equal("stats[0].actions.total.revenue", 24),
        equal("stats[0].actions.total.charge", 34),
        equal("stats[0].actions.total.earning", 10),
        Caller("full").get(BY_OFFER, DAYS),
        equal("stats[0].actions.total.revenue", 34),
        Caller("ann").get(BY_OFFER, {**PERIOD, "filter[offer]": "<shoes>", "limit": 8}),
        equal("stats[0].actions.total.revenue", 10),
        equal("stats[0].actions.total.charge", 0),
        after=(DEFAULTS,),
    ),
    [
        sentence(f"{what} refuses another value of {name}", admin.post(path, {name: "other"}), refused(400, name))
        for what, path in (
            ("the platform", SETTINGS),
            ("a staff user", f"{USER}/<switched>"),
            ("an affiliate", f"{PARTNER}/<una>"),
        )
        for name in ("statistics_revenue", "statistics_rows")
    ],
    sentence("both switches are read by those who may write settings alone", Caller("mia").get(SETTINGS), refused(403)),
    sentence(
        "statistics_rows=plain: a row has slice, traffic and actions",
        plain.get(BY_OFFER, DAYS),
        every("stats[]", having("slice", "traffic", "actions")),
        is_("stats", lambda rows: all(set(row) == {"slice", "traffic", "actions"} for row in rows)),
    ),
)


@each_row(ROWS)
def test_compatibility_switches_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
