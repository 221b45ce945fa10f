"""A test click on a SmartLink: which offer gets it, and why the others do not. It records nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.api.offers import lists, smartlinks
from trackyard.api.tracking import click_check
from trackyard.base.errors import NotFound, RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import AFFILIATES, OFFERS
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.offers.click_test import DEVICES, ClickTest, ClickVerdict, verdict_of
from trackyard.console.staff.traffic.reasons import REJECTIONS, rejection_sentence

pages = Pages()

_LIST: Final = smartlinks.list_all


@dataclass(frozen=True, slots=True)
class TriedOffer:
    """An offer of a SmartLink, as a test click found it.

    sentence: what the click finds. advice: what mends a rejection. tone: of the sentence, "" = none.
    """

    id: int
    title: str
    sentence: str
    advice: str
    tone: str


@pages.get("/console/smartlinks/{id}/test", needs=(_LIST, click_check.check))
def test_click(request: PageRequest) -> PageAnswer:
    """Show the form of a test click, and its result once the address has one."""
    smartlink = _find(request)
    address = request.address
    affiliate, ip = address.get("affiliate").strip(), address.get("ip").strip()
    device, agent = address.get("device"), address.get("agent").strip()
    verdict, fault, tried = None, "", []
    if address.get("test"):
        link = f"http{'s' if smartlink.use_https else ''}://{smartlink.domain}/sl?id={smartlink._id}"
        sent = [("url", link), ("params[pid]", affiliate), ("ip", ip), ("ua", agent or device)]
        try:
            check = request.calls.ask(click_check.check, [pair for pair in sent if pair[1]]).check
            tried = _tried(check, OFFERS.names(request.calls, (each.offer_id for each in check.smart_offers)))
            verdict = _verdict(check, tried)
        except RequestError as refusal:
            fault = fault_of(refusal)
    return request.page(
        "staff/programs/smartlink_test.html",
        400 if fault else 200,
        smartlink=smartlink,
        click_test=ClickTest(affiliate, ip, device, agent, verdict, fault),
        tried=tried,
        devices=DEVICES,
        affiliates=AFFILIATES.choices(request.calls),
        may_open_offers=request.calls.may(lists.get),
    )


def _find(request: PageRequest) -> smartlinks.SmartLinkView:
    """Return the SmartLink of the path. Raises NotFound."""
    found = request.calls.ask(_LIST, [("id[]", request.key)]).data
    if not found:
        raise NotFound
    return found[0]


def _tried(check: click_check.ClickCheckView, titles: Mapping[str, str]) -> list[TriedOffer]:
    """Return the offers of the SmartLink, in the order in which they are tried."""
    tried = []
    for each in check.smart_offers:
        number, reason = each.offer_id, each.reason
        advice, tone = "", ""
        if reason:
            sentence, tone = rejection_sentence(reason, each.detail), "declined"
            advice = gettext(REJECTIONS[reason].advice) if reason in REJECTIONS else ""
        elif number == check.offer_id:
            sentence, tone = gettext("It gets the click."), "confirmed"
        else:
            sentence = gettext("It would take the click, and comes later.")
        tried.append(TriedOffer(number, titles.get(str(number), ""), sentence, advice, tone))
    return tried


def _verdict(check: click_check.ClickCheckView, tried: Sequence[TriedOffer]) -> ClickVerdict:
    plain = verdict_of(check)
    if check.reason == "unknown-offer":
        advice = gettext("Choose the SmartLink in the form of at least one offer.")
        return ClickVerdict(False, gettext("The SmartLink has no offer."), advice, plain.visitor, plain.steps)
    if not check.passes:
        if not tried or any(each.tone != "declined" for each in tried):
            return plain
        return ClickVerdict(
            False,
            gettext("No offer of the SmartLink takes the click."),
            _goes_to(check.target),
            plain.visitor,
            plain.steps,
        )
    chosen = next((each.title for each in tried if each.tone == "confirmed"), "") or f"#{check.offer_id}"
    sentence = gettext("%(offer)s gets the click.", offer=chosen)
    return ClickVerdict(True, sentence, plain.more, plain.visitor, plain.steps)


def _goes_to(target: str | None) -> str:
    if target is None:
        return gettext("The visitor sees the page of an offer that is not available.")
    return gettext("It goes to %(target)s", target=target)
