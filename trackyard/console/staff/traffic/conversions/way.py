"""The way of one conversion: click, postbacks, decisions, and what was sent to the affiliate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from trackyard.api.conversions.by_id import SingleConversionForStaff
from trackyard.api.tracking.explain import ExplainedPostbackView, ExplanationView
from trackyard.api.tracking.logs import HistoryEntry
from trackyard.base.ids import names_no_click
from trackyard.base.texts.marks import gettext
from trackyard.console.conversions.listing import STATUSES
from trackyard.console.frame import shown
from trackyard.console.staff.traffic.reasons import decline_sentence
from trackyard.console.staff.traffic.words import author, forgiven_words
from trackyard.domain.conversions.statuses import SENT_STATUSES

_LONGEST: Final = 90
BY_HAND: Final = ("EDIT", "IMPORT")
"""The methods of records in the log of postbacks that no advertiser sent."""
_TONES: Final = {"confirmed": "done", "pending": "waits", "hold": "waits", "declined": "bad"}


@dataclass(frozen=True, slots=True)
class WayStep:
    """An event of a conversion.

    tone: the tone of its dot: done, waits, bad or "". link, link_text: the page about it.
    resend: the attempt to send again.
    """

    at: str
    tone: str
    title: str
    detail: str
    link: str = ""
    link_text: str = ""
    resend: str = ""


def steps_of(
    conversion: SingleConversionForStaff,
    explanation: ExplanationView | None,
    history: Sequence[HistoryEntry],
    names: dict[str, str],
) -> list[WayStep]:
    """Return the events of a conversion in the order of time.

    explanation: the API's explanation, None where the person may not see it. history: the conversion's states.
    names: the names of staff users, by author.
    """
    found = [*_click(conversion, explanation)]
    if explanation is not None:
        found += _postbacks(conversion, explanation)
    found += _states(conversion, history, names)
    if explanation is not None:
        found += _deliveries(conversion, explanation)
    return sorted(found, key=lambda step: step.at)


def _click(conversion: SingleConversionForStaff, explanation: ExplanationView | None) -> Iterator[WayStep]:
    """Yield the click; nothing for a conversion without one."""
    if names_no_click(conversion.click_id):
        return
    place = ", ".join(each for each in (conversion.city, conversion.country_name) if each)
    device = " ".join(each for each in (conversion.os, conversion.device_type) if each)
    parts = [
        gettext("from %(place)s", place=place) if place else "",
        gettext("on %(device)s", device=device) if device else "",
    ]
    sub = gettext(", sub 1 “%(value)s”", value=shown.shorten(conversion.sub1, 40)) if conversion.sub1 else ""
    click = None if explanation is None else explanation.click
    link = f"/console/clicks/{conversion.click_id}" if click is not None else ""
    detail = gettext("accepted by every check") if click is not None and click.passed else ""
    title = " ".join([gettext("Click"), *(part for part in parts if part)]) + sub
    yield WayStep(conversion.click_time, "done", title, detail, link, conversion.click_id if link else "")


def _postbacks(conversion: SingleConversionForStaff, explanation: ExplanationView) -> Iterator[WayStep]:
    sender = conversion.advertiser.title or gettext("The advertiser")
    for each in explanation.postbacks:
        own = each.conversion_id == conversion.id
        if each.conversion_id and not own:
            continue
        if each.method in BY_HAND:
            yield from _by_hand(each)
            continue
        goal = gettext("goal %(goal)s", goal=each.goal) if each.goal else gettext("a conversion")
        action = gettext(", action ID %(value)s", value=shown.shorten(each.action_id, 40)) if each.action_id else ""
        as_status = _sent_status(each.get, each.post)
        result = gettext("changed nothing: %(response)s", response=each.response) if each.response else ""
        origin = gettext("%(method)s from %(ip)s", method=each.method, ip=each.ip) if each.ip else str(each.method)
        forgiven = gettext("forgiven: %(what)s", what=forgiven_words(each.forgiven)) if each.forgiven else ""
        detail = " · ".join(part for part in (origin, result, forgiven) if part)
        tone = "bad" if each.response else "done"
        link = f"/console/postbacks/received/{each.id}"
        yield WayStep(
            each.created_at,
            tone,
            gettext(
                "%(sender)s reported %(goal)s%(as_status)s%(action)s",
                sender=sender,
                goal=goal,
                as_status=as_status,
                action=action,
            ),
            detail,
            link,
            gettext("show the postback"),
        )


def _by_hand(record: ExplainedPostbackView) -> Iterator[WayStep]:
    """Yield an import, or an edit that changed nothing: the history shows what other edits did."""
    if record.method == "EDIT" and not record.response:
        return
    titles = {
        ("EDIT", False): gettext("An edit changed nothing"),
        ("IMPORT", False): gettext("An import changed nothing"),
        ("IMPORT", True): gettext("Made by an import"),
    }
    done = not record.response
    link = f"/console/postbacks/received/{record.id}"
    title = titles[str(record.method), done]
    yield WayStep(
        record.created_at, "done" if done else "bad", title, record.response, link, gettext("show the record")
    )


def _sent_status(query: str, body: str) -> str:
    """Return the status in a postback, in words; "" without one, which confirms the conversion."""
    sent = [value for text in (query, body) for name, value in parse_qsl(text) if name == "status"]
    status = SENT_STATUSES.get(sent[0]) if sent else None
    return "" if status is None else gettext(" as %(value)s", value=status.value)


def _states(
    conversion: SingleConversionForStaff, history: Sequence[HistoryEntry], names: dict[str, str]
) -> Iterator[WayStep]:
    before: HistoryEntry | None = None
    for each in history:
        yield _state(conversion, each, before, names)
        before = each


def _state(
    conversion: SingleConversionForStaff, state: HistoryEntry, before: HistoryEntry | None, names: dict[str, str]
) -> WayStep:
    status = state.status
    label = STATUSES.get(status, status)
    charge, payout = (shown.money(amount, state.currency) for amount in (state.revenue, state.payouts))
    taken = _taken(before, state)
    money = (
        gettext("charge was %(charge)s, payout was %(payout)s", charge=charge, payout=payout)
        if status == "declined"
        else gettext("charge %(charge)s, payout %(payout)s", charge=charge, payout=payout)
    )
    by = author(state.by, names)
    changed = before is None or before.status != status
    title = (
        (gettext("%(label)s by %(by)s", label=label, by=by) if state.by.startswith("staff:") else label)
        if before is None
        else (gettext("%(label)s by %(by)s", label=label, by=by))
        if changed
        else gettext("Changed by %(by)s", by=by)
    )
    reason = decline_sentence(state.comment, "") if status == "declined" else None
    if before is None and reason:
        title = gettext("Declined: %(comment)s", comment=state.comment)
    remark = f" · “{shown.shorten(state.comment, _LONGEST)}”" if state.comment and not reason else ""
    return WayStep(state.created_at, _TONES.get(status, ""), title, f"{money}{taken}{remark}")


def _taken(before: HistoryEntry | None, after: HistoryEntry) -> str:
    """Return the amount that a change took from the affiliate's balance, in words; "" = nothing."""
    if before is None or before.currency != after.currency:
        return ""
    booked, left = (each.payouts if each.status in ("confirmed", "hold") else Decimal(0) for each in (before, after))
    if booked <= left:
        return ""
    return " · " + gettext(
        "took %(amount)s from the balance of the affiliate", amount=shown.money(booked - left, after.currency)
    )


def _deliveries(conversion: SingleConversionForStaff, explanation: ExplanationView) -> Iterator[WayStep]:
    name = conversion.partner.name or conversion.partner.login or gettext("the affiliate")
    for delivery in explanation.deliveries:
        if delivery.conversion_id != conversion.id:
            continue
        receiver = (
            gettext("to %(name)s", name=name) if delivery.postback_id else gettext("to the offer's cross-postback URL")
        )
        for each in delivery.attempts:
            sent = each.outcome == "sent"
            answer = (
                gettext("answered %(http_code)s", http_code=each.http_code)
                if each.http_code
                else each.error or gettext("no answer")
            )
            title = (
                gettext("Postback sent %(receiver)s", receiver=receiver)
                if sent
                else gettext("Postback %(receiver)s failed", receiver=receiver)
            )
            again = gettext(" · sent by hand") if each.forced else ""
            detail = gettext(
                "%(url)s · %(answer)s in %(time)s ms%(again)s",
                url=_address(delivery.url),
                answer=answer,
                time=shown.number(each.milliseconds),
                again=again,
            )
            link = f"/console/postbacks/sent/{each.id}"
            yield WayStep(
                each.created_at,
                "done" if sent else "bad",
                title,
                detail,
                link,
                gettext("show the delivery"),
                each.id,
            )
        if delivery.next_at:
            yield WayStep(
                delivery.next_at,
                "",
                gettext("Next attempt %(receiver)s", receiver=receiver),
                _address(delivery.url),
            )


def _address(url: str) -> str:
    """Return a URL without its query, which is long."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return shown.shorten(url, _LONGEST)
    return shown.shorten(f"{parts.scheme}://{parts.netloc}{parts.path}", _LONGEST)
