"""What waits for a person: the list "Needs you" of the overview."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Generic

from trackyard.actions.deps import Deps
from trackyard.api.money import billed_invoices, held_changes, payment_requests
from trackyard.api.offers import tickets
from trackyard.api.people import advertisers, affiliates
from trackyard.api.platform import settings, status
from trackyard.api.platform.alerts import alerts
from trackyard.api.platform.status import FindingView
from trackyard.api.tracking import pixels
from trackyard.base.errors import ReportTooHeavy, Unavailable
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.frame.address import Pair
from trackyard.console.frame.navigation import RailNumber
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import money
from trackyard.console.list_files import total_of
from trackyard.console.staff.translations import advice_text, translated_sentence
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.platform.findings import FindingKind
from trackyard.wire.endpoint import A, Endpoint
from trackyard.wire.local_calls import LocalCalls


@dataclass(frozen=True, slots=True)
class WorkItem:
    """One line of work.

    verb: the text of its link. link: "" while no page shows it. count: how many things wait.
    """

    sentence: str
    detail: str
    verb: str
    link: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class _Source(Generic[A]):
    """A method of the API that counts what waits. kinds: the events that say that something new waits."""

    kinds: tuple[EventKind, ...]
    method: Endpoint[Deps, A]
    sent: tuple[Pair, ...]
    item: Callable[[int, A], WorkItem]

    def find(self, request: PageRequest) -> WorkItem | None:
        """Return the line about what waits; None for nothing, or without the right to see it."""
        if not request.calls.may(self.method):
            return None
        answer = request.calls.ask(self.method, self.sent)
        count = total_of(answer)
        return replace(self.item(count, answer), count=count) if count else None


@dataclass(frozen=True, slots=True)
class _UncountedSource:
    """What waits, of a method that does not count it.

    kinds: as of _Source; () = they are mailed by the act.
    """

    kinds: tuple[EventKind, ...]
    find: Callable[[PageRequest], WorkItem | None]


def _affiliates_wait(count: int) -> str:
    return ngettext("%(num)d affiliate waits for approval", "%(num)d affiliates wait for approval", count)


def _advertisers_wait(count: int) -> str:
    return ngettext("%(num)d advertiser waits for approval", "%(num)d advertisers wait for approval", count)


def _tickets_wait(count: int) -> str:
    return ngettext("%(num)d request of affiliates", "%(num)d requests of affiliates", count)


def _affiliates(count: int, answer: affiliates.AffiliatesAnswer) -> WorkItem:
    names = ", ".join(each.name or each.login for each in answer.partners[:3])
    return WorkItem(_affiliates_wait(count), names, gettext("Decide"), "/console/affiliates?status=on+moderation")


def _advertisers(count: int, answer: advertisers.AdvertisersAnswer) -> WorkItem:
    names = ", ".join(each.title for each in answer.advertisers[:3])
    return WorkItem(_advertisers_wait(count), names, gettext("Decide"), "/console/advertisers?status=on+moderation")


def _tickets(count: int, answer: tickets.TicketsAnswer) -> WorkItem:
    first = answer.tickets[0]
    return WorkItem(
        _tickets_wait(count),
        f"{first.title}, {first.partner.name}",
        gettext("Decide"),
        "/console/requests",
    )


def _payment_requests(count: int, answer: payment_requests.PaymentRequestsAnswer) -> WorkItem:
    first = answer.payment_requests[0]
    sentence = ngettext("%(num)d affiliate asks to be paid", "%(num)d affiliates ask to be paid", count)
    detail = f"{first.name}, {money(first.amount, first.currency)}"
    return WorkItem(sentence, detail, gettext("Decide"), "/console/payments/requests")


def _overdue_invoices(count: int, answer: billed_invoices.BilledInvoicesAnswer) -> WorkItem:
    first = answer.invoices[0]
    sentence = ngettext("%(num)d invoice is overdue", "%(num)d invoices are overdue", count)
    detail = f"{first.document_number}, {money(first.total, first.currency)}"
    return WorkItem(sentence, detail, gettext("See them"), "/console/invoices?overdue=1")


_NEW_ONE: Final = (("status[]", "on moderation"), ("limit", "1"))
_MOST_HELD: Final = 100
_ALERTS: Final = "/console/alerts"
_HEALTH: Final = "/console/health"
_OF_TRAFFIC: Final = frozenset(
    {FindingKind.DELIVERIES_FAIL, FindingKind.OFFER_REJECTS, FindingKind.OFFER_CONVERTS_NO_MORE}
    | {FindingKind.RULE_FAILS, FindingKind.RULE_FIRED, FindingKind.OFFER_URL_FAILS, FindingKind.OFFER_URL_LOSES_CLICK}
    | {FindingKind.MARKED_CLICKS, FindingKind.MARKED_SUB, FindingKind.FEW_CONVERSIONS, FindingKind.QUICK_CONVERSIONS}
    | {FindingKind.LATE_CONVERSIONS, FindingKind.OTHER_DEVICES, FindingKind.REPEATED_ADDRESSES}
    | {FindingKind.POSTBACKS_WITHOUT_CLICK, FindingKind.ROBOTS_JUMP}
    | {FindingKind.CAP_NEARLY_FULL, FindingKind.CAP_FULL, FindingKind.ADVERTISER_SILENT}
    | {FindingKind.OFFER_CLICKS_RISE, FindingKind.OFFER_CLICKS_FALL}
    | {FindingKind.AFFILIATE_CLICKS_RISE, FindingKind.AFFILIATE_CLICKS_FALL}
)
"""Findings about offers, affiliates and advertisers. The others are about the machine."""
_FAILING: Final = "deliveries_fail"


@dataclass(frozen=True, slots=True)
class _Counter(Generic[A]):
    """A method of the API that counts what waits, without the records.

    text: returns the sentence about a number.
    """

    method: Endpoint[Deps, A]
    sent: tuple[Pair, ...]
    number: Callable[[A], int]
    text: Callable[[int], str]

    def find(self, calls: LocalCalls[Deps]) -> RailNumber | None:
        """Return how much waits; None for nothing, or without the right to see it."""
        if not calls.may(self.method):
            return None
        number = self.number(calls.ask(self.method, self.sent))
        return RailNumber(number, self.text(number)) if number else None


_OPEN: Final = (("status", "open"),)
_COUNTED: Final[Mapping[str, Callable[[LocalCalls[Deps]], RailNumber | None]]] = {
    "/console/affiliates": _Counter(affiliates.list_names, _NEW_ONE, total_of, _affiliates_wait).find,
    "/console/requests": _Counter(tickets.count, _OPEN, lambda answer: answer.count, _tickets_wait).find,
    "/console/advertisers": _Counter(advertisers.list_names, _NEW_ONE, total_of, _advertisers_wait).find,
}
"""What the rail counts, by the path of its page."""


def count_waiting(request: PageRequest) -> Mapping[str, RailNumber]:
    """Return how many things wait on a page of the rail, by its path.

    Affiliates and requests are counted now; findings are from the last page that read them. Without the database
    the result is empty, so that the page can show that it is unavailable.
    """
    found = dict[str, RailNumber]()
    for path, find in _COUNTED.items():
        try:
            waiting = find(request.calls)
        except Unavailable:
            return {}
        if waiting is not None:
            found[path] = waiting
    found |= _open_alerts(request)
    if request.calls.may(status.list_findings):
        findings = request.seen_findings.known()
        failing = [each for each in findings if each.kind == _FAILING]
        if findings:
            text = ngettext("%(num)d finding", "%(num)d findings", len(findings))
            found["/console/health"] = RailNumber(len(findings), text, is_bad=True)
        if failing:
            text = ngettext("%(num)d host does not take postbacks", "%(num)d hosts do not take postbacks", len(failing))
            found["/console/postbacks"] = RailNumber(len(failing), text, is_bad=True)
    return found


def _open_alerts(request: PageRequest) -> dict[str, RailNumber]:
    """Return how many alerts the person has open, by the path of their page."""
    if not request.calls.may(alerts.list_):
        return {}
    number = request.calls.ask(alerts.list_, [("limit", "1")]).pagination.total_count
    text = ngettext("%(num)d open alert", "%(num)d open alerts", number)
    return {_ALERTS: RailNumber(number, text, is_bad=True)} if number else {}


def find_mail_fault(request: PageRequest, waiting: Mapping[str, RailNumber]) -> str:
    """Return why mail is not sent, for people who may change its server; "" while it is sent.

    waiting: the numbers of the rail. Without an open alert nothing is asked for.
    """
    if _ALERTS not in waiting or not request.calls.may(settings.edit):
        return ""
    found = request.calls.ask(alerts.list_, [("kind[]", "mail"), ("limit", "1")]).alerts
    return found[0].sentence if found else ""


def read_findings(request: PageRequest) -> list[FindingView]:
    """Return the findings of the checks. Raises ReportTooHeavy, Unavailable."""

    def ask() -> list[FindingView]:
        return [finding for check in request.calls.ask(status.list_findings).checks for finding in check.findings]

    return request.seen_findings.read(request.language, ask)


def find_work(request: PageRequest) -> list[WorkItem]:
    """Return the work that waits for the person: people and money first, then traffic, then the machine."""
    found = [item for source in SOURCES if (item := source.find(request)) is not None]
    found += _findings(request)
    return [each if request.may_open(each.link.partition("?")[0]) else replace(each, link="") for each in found]


def _pixels(request: PageRequest) -> WorkItem | None:
    """Return the pixels of affiliates that wait for a check."""
    if not request.calls.may(pixels.list_own):
        return None
    waiting = request.calls.ask(pixels.list_own, [("moderation_status[]", "0")]).pixel
    if not waiting:
        return None
    sentence = ngettext("%(num)d pixel waits for a check", "%(num)d pixels wait for a check", len(waiting))
    first = next(iter(waiting.values()))
    return WorkItem(sentence, first.name, gettext("Decide"), "/console/pixels?state=0", len(waiting))


def _held_changes(request: PageRequest) -> WorkItem | None:
    """Return other people's changes that wait for a second person."""
    if not request.calls.may(held_changes.confirm):
        return None
    answer = request.calls.ask(held_changes.list_, [("state[]", "waiting"), ("limit", str(_MOST_HELD))])
    own = request.person.caller.account.id
    waiting = [each for each in answer.held_changes if each.author.id != own]
    if not waiting:
        return None
    first = waiting[-1]
    detail = (
        gettext("first: payment %(id)s", id=first.payment_id)
        if first.payment_id
        else gettext("first: payment systems of affiliate %(id)s", id=first.pid)
    )
    sentence = ngettext(
        "%(num)d change waits for a second person", "%(num)d changes wait for a second person", len(waiting)
    )
    return WorkItem(sentence, detail, gettext("Confirm"), "/console/payments/held", len(waiting))


_AnySource = _Source[Any]
SOURCES: Final[tuple[_AnySource | _UncountedSource, ...]] = (
    _Source(
        (EventKind.AFFILIATE_SIGNED_UP,),
        affiliates.list_,
        (("status[]", "on moderation"), ("limit", "3")),
        _affiliates,
    ),
    _Source(
        (EventKind.ADVERTISER_SIGNED_UP,),
        advertisers.list_,
        (("status[]", "on moderation"), ("limit", "3")),
        _advertisers,
    ),
    _Source(
        (EventKind.REQUEST_OPENED, EventKind.QUESTION_OPENED),
        tickets.list_all,
        (("status", "open"), ("limit", "1")),
        _tickets,
    ),
    _Source(
        (EventKind.PAYMENT_REQUEST_OPENED,),
        payment_requests.list_,
        (("status[]", "open"), ("limit", "1")),
        _payment_requests,
    ),
    _Source(
        (EventKind.INVOICE_OVERDUE,),
        billed_invoices.list_,
        (("overdue", "1"), ("limit", "1")),
        _overdue_invoices,
    ),
    _UncountedSource((), _held_changes),
    _UncountedSource((EventKind.PIXEL_OPENED,), _pixels),
)
"""What waits for a decision, in the order of the list: the open ones of what staff hear of as events."""


def _findings(request: PageRequest) -> list[WorkItem]:
    """Return the problems of traffic, errors first, and one line about the problems of the machine."""
    if not request.calls.may(status.list_findings):
        return []
    try:
        found = sorted(read_findings(request), key=lambda each: each.severity != "error")
    except (ReportTooHeavy, Unavailable) as refusal:
        unread = gettext("The state of the platform cannot be read now")
        return [WorkItem(unread, refusal.text, gettext("Look"), _HEALTH)]
    of_traffic = [work_of(each) for each in found if each.kind in _OF_TRAFFIC]
    of_machine = [each for each in found if each.kind not in _OF_TRAFFIC]
    if not of_machine:
        return of_traffic
    number, worst = len(of_machine), work_of(of_machine[0])
    sentence = ngettext("The machine has %(num)d problem", "The machine has %(num)d problems", number)
    return [*of_traffic, WorkItem(sentence, worst.sentence, gettext("Look"), _HEALTH, number)]


def work_of(finding: FindingView) -> WorkItem:
    """Return a finding as work, with the page that shows why."""
    match finding.kind:
        case "deliveries_fail":
            verb, link = gettext("See deliveries"), "/console/postbacks?tab=sent"
        case "offer_rejects":
            verb, link = gettext("Why?"), f"/console/clicks?offer={finding.subject}&verdict=rejected"
        case "postbacks_without_click":
            verb, link = gettext("Look"), f"/console/find?q={finding.subject}"
        case "rule_fails" | "rule_fired":
            verb, link = gettext("Look"), "/console/rules"
        case "offer_converts_no_more" | "cap_nearly_full" | "cap_full":
            verb, link = gettext("Open the offer"), f"/console/offers/{finding.subject}"
        case _ if finding.evidence.get("affiliate"):
            verb, link = gettext("Look"), f"/console/affiliates/{finding.evidence['affiliate']}/health"
        case _:
            verb, link = gettext("Look"), _HEALTH
    sentence = translated_sentence(finding.sentence)
    return WorkItem(f"{sentence[:1].upper()}{sentence[1:]}", advice_text(finding), verb, link)
