"""The page of one conversion (docs/spec/console.md#traffic)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.api.conversions import by_id, conversions, edits
from trackyard.api.conversions.by_id import SingleConversionForStaff, SingleConversionForStaffAnswer
from trackyard.api.conversions.conversions import ConversionsForStaff
from trackyard.api.tracking import explain, logs, resends
from trackyard.api.tracking.logs import HistoryEntry
from trackyard.base.errors import RequestError
from trackyard.base.ids import names_no_click
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.conversions.listing import PATH, STATUSES, signals_of
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.people.threads import threads_card
from trackyard.console.staff.traffic.conversions.way import steps_of
from trackyard.console.staff.traffic.reasons import DECLINES, decline_sentence
from trackyard.console.staff.traffic.words import author, lasting, seconds_between, staff_names
from trackyard.domain.people.threads import ThreadSubject
from trackyard.domain.tracking.subs import SUBS

pages = Pages()

_PAID_BY: Final[Mapping[str, str]] = {
    "fixed": lazy_gettext("fixed amount"),
    "percent": lazy_gettext("share of the sum"),
    "mixed": lazy_gettext("share and amount"),
}
_STATUS_OF_NUMBER: Final[Mapping[int, str]] = {1: "confirmed", 2: "pending", 3: "declined", 5: "hold"}
_MOST_STATES: Final = 100
_MOST_ALIKE: Final = 500


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of a card. more: small print behind the value. link: where the value leads.

    is_gone: whether the value counted once and does not any more.
    """

    label: str
    value: str
    more: str = ""
    link: str = ""
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class DeclineVerdict:
    """Why a conversion is declined.

    more: what mends it. alike: how many conversions of the offer were declined for the same in the last 30 days, and
    what confirming them would pay. see: the list of them.
    """

    sentence: str
    more: str
    alike: str
    see: PageAddress | None


@pages.get(f"{PATH}/{{id}}", needs=(by_id.get,))
def conversion_page(request: PageRequest) -> PageAnswer:
    """Show one conversion."""
    conversion, status = find_conversion(request)
    calls, path = request.calls, {"id": conversion.id}
    history = calls.ask(logs.list_history, [("limit", str(_MOST_STATES))], path).history
    staff = staff_names(calls, (each.by for each in history))
    explanation = None
    if calls.may(explain.explain):
        explanation = calls.ask(explain.explain, [("id", conversion.id)]).explanation
    return request.page(
        "staff/traffic/conversion.html",
        conversion=conversion,
        state=status,
        status_label=STATUSES[status],
        statuses=STATUSES,
        verdict=_verdict(request, conversion, history, staff) if status == "declined" else None,
        steps=steps_of(conversion, explanation, history, staff),
        is_complete=explanation is not None,
        money=_money(request, conversion, status),
        facts=_facts(request, conversion),
        written=threads_card(request, ThreadSubject.CONVERSION, conversion.id),
        may_change=calls.may(edits.edit),
        may_resend=calls.may(resends.resend),
        api_request_path=calls.address(by_id.get, [("id", conversion.id)]),
    )


def find_conversion(request: PageRequest) -> tuple[SingleConversionForStaff, str]:
    """Return the conversion of the path and its status. Raises NotFound."""
    found = request.calls.ask_as(SingleConversionForStaffAnswer, by_id.get, [("id", request.key)]).conversion
    return found, _STATUS_OF_NUMBER[found.status]


def _last_author(history: Sequence[HistoryEntry], what: Callable[[HistoryEntry], str], staff: dict[str, str]) -> str:
    """Return who gave a conversion its present value of something, in words."""
    changes = [
        each
        for each, before in zip(history, [None, *history], strict=False)
        if before is None or what(before) != what(each)
    ]
    actor = changes[-1].by if changes else ""
    return gettext("the advertiser") if actor.startswith("call:") else author(actor, staff)


def _verdict(
    request: PageRequest,
    conversion: SingleConversionForStaff,
    history: Sequence[HistoryEntry],
    staff: dict[str, str],
) -> DeclineVerdict:
    comment = conversion.comment
    decliner = _last_author(history, lambda each: each.status, staff)
    writer = _last_author(history, lambda each: each.comment, staff)
    lasted = seconds_between(conversion.click_time, conversion.created_at)
    sentence = decline_sentence(comment, "" if lasted is None else lasting(lasted))
    if sentence is None:
        by = gettext(" by %(decliner)s", decliner=decliner) if decliner else ""
        if comment and writer != decliner:
            given = gettext("Declined%(by)s. Comment by %(writer)s: %(comment)s", by=by, writer=writer, comment=comment)
            return DeclineVerdict(given, "", "", None)
        given = (
            gettext("Declined%(by)s: %(comment)s", by=by, comment=comment)
            if comment
            else gettext("Declined%(by)s, without a reason.", by=by)
        )
        return DeclineVerdict(given, "", "", None)
    alike, see = _alike(request, conversion)
    return DeclineVerdict(sentence, gettext(DECLINES[comment].advice), alike, see)


def _alike(request: PageRequest, conversion: SingleConversionForStaff) -> tuple[str, PageAddress | None]:
    """Return how many conversions of the offer were declined for the same reason, and the list of them."""
    if not request.calls.may(conversions.list_conversions):
        return "", None
    period, _ = read_period(PageAddress(""), request.deps.clock.now_ms(), request.day_zone)
    offer, comment = str(conversion.offer_id), conversion.comment
    days = [("date_from", period.first.isoformat()), ("date_to", period.last.isoformat())]
    chosen = [("offer[]", offer), ("status[]", "3"), ("decline_reason[]", comment), ("limit", str(_MOST_ALIKE))]
    try:
        answer = request.calls.ask_as(ConversionsForStaff, conversions.list_conversions, [*days, *chosen])
    except RequestError:  # too many at once: the page is complete without it
        return "", None
    total, found = answer.pagination.total_count, answer.conversions
    if total < 2:
        return "", None
    text = ngettext(
        "%(num)d conversion of this offer was declined for the same reason in the last 30 days.",
        "%(num)d conversions of this offer were declined for the same reason in the last 30 days.",
        total,
    )
    currencies = {each.currency for each in found}
    if len(found) == total and len(currencies) == 1:
        owed = shown.money(sum((each.payouts for each in found), Decimal(0)), currencies.pop())
        text += gettext(" Confirming all of them would pay %(owed)s.", owed=owed)
    pairs = (("status", "declined"), ("offer", offer), ("reason", comment))
    return text, PageAddress(PATH, pairs)


def _money(request: PageRequest, conversion: SingleConversionForStaff, status: str) -> list[Fact]:
    currency = conversion.currency
    charge, payout = conversion.charge, conversion.payouts
    share, is_gone = shown.percent(conversion.earning / charge) if charge else "", status == "declined"
    facts = (
        [Fact(gettext("Sum"), shown.number(conversion.sum), gettext("as the advertiser sent it"))]
        if conversion.sum
        else []
    )
    return [
        *facts,
        Fact(
            gettext("Charge"),
            shown.money(charge, currency),
            str(_PAID_BY.get(conversion.payment_type, "")),
            is_gone=is_gone,
        ),
        Fact(gettext("Payout"), shown.money(payout, currency), is_gone=is_gone),
        Fact(gettext("Margin"), shown.together((charge, -payout), currency), share, is_gone=is_gone),
        Fact(gettext("Balance"), _booked(request, conversion, status)),
    ]


def _booked(request: PageRequest, conversion: SingleConversionForStaff, status: str) -> str:
    """Return a sentence about the conversion's payout in the affiliate's balance."""
    if status == "declined":
        if conversion.paid > 0:
            return gettext(
                "%(amount)s was paid, and is taken back: the next payment settles it.",
                amount=shown.money(conversion.paid, conversion.currency),
            )
        return gettext("Nothing: declined conversions are not paid.")
    if status == "pending":
        return gettext("Nothing yet: the advertiser has not confirmed it.")
    if status == "hold":
        until = request.time_of(conversion.hold_date_expire)
        return gettext("On hold until %(until)s.", until=until) if until else gettext("On hold until a person decides.")
    paid = {
        "opened": gettext("Owed to the affiliate."),
        "pending": gettext("In a payment that is not executed."),
        "closed": gettext("Paid."),
    }
    return paid[conversion.payment_status]


def _time_to_action(conversion: SingleConversionForStaff) -> str:
    if names_no_click(conversion.click_id):
        return ""
    lasted = seconds_between(conversion.click_time, conversion.created_at)
    return "" if lasted is None else lasting(lasted)


def _facts(request: PageRequest, conversion: SingleConversionForStaff) -> list[Fact]:
    subs = enumerate((getattr(conversion, name) for name in SUBS), 1)
    custom = [
        (gettext("Custom %(number)s", number=number), str(getattr(conversion, f"custom_field_{number}")))
        for number in range(1, 8)
    ]
    rows = [
        Fact(gettext("Time to action"), _time_to_action(conversion), gettext("from click to conversion")),
        Fact(gettext("Action ID"), conversion.action_id),
        Fact(gettext("Goal"), conversion.goal_value, conversion.goal),
        Fact(gettext("Subs"), " · ".join(f"{number} {value}" for number, value in subs if value)),
        *(Fact(label, value) for label, value in custom if value),
        Fact(
            gettext("Visitor"),
            conversion.ip,
            ", ".join(each for each in (conversion.city, conversion.country_name) if each),
        ),
        Fact(
            gettext("Device"),
            ", ".join(each for each in (conversion.os, conversion.browser, conversion.device_type) if each),
        ),
        Fact(gettext("Came from"), conversion.referrer),
        Fact(gettext("Signals"), signals_of(conversion)),
        Fact(gettext("Comment"), conversion.comment),
        Fact(gettext("Changed"), request.time_of(conversion.updatedAt, seconds=True)),
    ]
    return [row for row in rows if row.value]
