"""What an explanation means, in sentences: why a conversion is missing or not paid.

The texts of reasons come from the tracking reference (docs/tracking/conversions.md).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.actions.tracking.explain import (
    WAITING,
    ExplainedConversion,
    ExplainedDelivery,
    ExplainedPostback,
    Explanation,
    InboundState,
)
from trackyard.base.ids import is_hex24
from trackyard.base.money import plain_amount
from trackyard.base.zones import datetime_text
from trackyard.domain.conversions.lists import ListedConversion
from trackyard.domain.conversions.postbacks import PostbackError
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.platform.retention import RetentionPolicy
from trackyard.domain.tracking.outbound_calls import DeliveryOutcome
from trackyard.domain.tracking.reference.results import UNKNOWN, results
from trackyard.domain.tracking.rejections import NOT_COUNTED, is_rejected
from trackyard.journal.records import Click

_NOT_SENT: Final = (
    "Look for the request in the logs of the sender, try it with curl, and check host, port and certificate. "
    "A postback of the last seconds may not be loaded yet."
)
_STATE_TEXTS: Final[Mapping[InboundState, tuple[str, str]]] = {
    InboundState.QUEUED: ("is in the inbox and not decided yet.", "Ask again in some seconds."),
    InboundState.WAITING: (
        "waits in the inbox: the click that it names is not loaded yet.",
        "Ask again later: `/readyz` of the monitoring listener shows how far loading is behind.",
    ),
    InboundState.QUARANTINED: (
        "is in quarantine: its decision failed.",
        "`postback quarantined` in the log has the reason. Report it, with the log line.",
    ),
}
_OUTCOME_VERBS: Final[Mapping[str, str]] = {
    DeliveryOutcome.SENT: "was sent",
    DeliveryOutcome.FAILED: "failed",
    DeliveryOutcome.DEAD: "ended",
    DeliveryOutcome.SUPERSEDED: "was superseded",
    DeliveryOutcome.DROPPED: "was dropped",
    DeliveryOutcome.PARKED: "is parked; its last attempt was",
}


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A sentence about what happened, and what to do; advice is "" when there is nothing to do."""

    code: str
    sentence: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class _Terms:
    """What sentences need. log_since: the time from which the logs hold records, UTC ms."""

    zone: ZoneInfo
    log_since: int
    log_days: int

    def at(self, time_ms: int) -> str:
        """Return a time in words."""
        return datetime_text(time_ms, self.zone)


def conclusions_of(found: Explanation, zone: ZoneInfo, now_ms: int, kept: RetentionPolicy) -> list[Conclusion]:
    """Return the conclusions from an explanation, in the order of events. now_ms: UTC milliseconds."""
    terms = _Terms(zone, kept.log_cutoff_ms(now_ms), kept.logs)
    if found.candidates:
        return [_ambiguous(found.candidates)]
    return [
        *_of_click(found, terms),
        *_of_postbacks(found.postbacks, terms),
        *(each for explained in found.conversions for each in _of_conversion(explained, found.deliveries, terms)),
    ]


def _ambiguous(candidates: Sequence[ListedConversion]) -> Conclusion:
    clicks = len({each.click_id for each in candidates})
    return Conclusion(
        "action-ambiguous",
        f"{len(candidates)} conversions of {clicks} clicks have this id of an action.",
        "Name the advertiser or the offer too, or explain one of the conversions.",
    )


def _of_click(found: Explanation, terms: _Terms) -> Iterator[Conclusion]:
    click = found.click
    if click is None:
        if found.click_id and not found.conversions:
            yield Conclusion(
                "click-missing",
                f"No click {found.click_id} is recorded: it never was, is not loaded yet, or has passed its retention.",
                "Compare the id with a click's id in the offer's URL.",
            )
        return
    if click.reason == NOT_COUNTED:
        yield Conclusion("click-not-counted", _LEFT_OUT.format(at=terms.at(click.time)))
    if is_rejected(click.reason):
        yield _rejected(click, terms)
    elif not found.postbacks and not found.conversions:
        yield from _without_postback(found, click, terms)


_LEFT_OUT: Final = (
    "The click of {at} was accepted. Statistics leave it out: the visitor was seen, and the offer counts unique "
    "visitors only."
)


def _rejected(click: Click, terms: _Terms) -> Conclusion:
    texts = results().rejections.get(click.reason, UNKNOWN)
    detail = f", {click.detail}" if click.detail else ""
    return Conclusion(
        "click-rejected",
        f"The click of {terms.at(click.time)} was rejected: {click.reason}{detail}.{_sentence(texts.text)} "
        "A postback that names a rejected click changes nothing.",
        texts.advice,
    )


def _without_postback(found: Explanation, click: Click, terms: _Terms) -> Iterator[Conclusion]:
    if click.time < terms.log_since:
        yield Conclusion(
            "postback-unknown",
            f"The click was accepted, and no postback in the log names it. The log holds {terms.log_days} days.",
        )
        return
    yield Conclusion("postback-missing", "The click was accepted, and no postback has named it.", _NOT_SENT)
    if found.without_click:
        last = found.without_click[-1]
        sent = f"with clickid={last.sent_click_id}" if last.sent_click_id else "without a clickid"
        yield Conclusion(
            "postback-without-click",
            f"Since the click, postbacks came that name no click, the last at {terms.at(last.time)} {sent}.",
            results().faults.get(last.response, UNKNOWN).advice,
        )


def _of_postbacks(postbacks: Sequence[ExplainedPostback], terms: _Terms) -> Iterator[Conclusion]:
    """Yield a conclusion for each kind of postback that made or changed no conversion."""
    failed = [each for each in postbacks if each.response or each.state is not InboundState.DECIDED]
    ordered = sorted(failed, key=lambda each: (each.state.value, each.response))
    for _, group in groupby(ordered, key=lambda each: (each.state.value, each.response)):
        alike = sorted(group, key=lambda each: each.time)
        yield _of_postback(alike[-1], len(alike), terms)


def _of_postback(last: ExplainedPostback, count: int, terms: _Terms) -> Conclusion:
    one = f"The postback of {terms.at(last.time)}"
    subject = one if count == 1 else f"{one}, the last of {count},"
    if last.state is not InboundState.DECIDED:
        text, advice = _STATE_TEXTS[last.state]
        return Conclusion(f"postback-{last.state.value}", f"{subject} {text}", advice)
    fault = results().faults.get(last.response, UNKNOWN)
    sent = last.sent_click_id
    if last.response == PostbackError.BROKEN_CLICKID and not is_hex24(sent):
        return Conclusion(
            "postback-macro",
            f"{subject} changed nothing: it has clickid={sent}, which is not an id of a click.",
            fault.advice,
        )
    return Conclusion(
        "postback-failed", f"{subject} changed nothing: {last.response}.{_sentence(fault.text)}", fault.advice
    )


def _of_conversion(
    explained: ExplainedConversion, deliveries: Sequence[ExplainedDelivery], terms: _Terms
) -> Iterator[Conclusion]:
    listed = explained.conversion
    yield _status(explained, terms)
    own = [each for each in deliveries if each.conversion_id == listed.id]
    if own:
        yield from (_of_delivery(each, terms) for each in own)
    elif listed.updated_at < terms.log_since:
        yield Conclusion(
            "delivery-unknown",
            f"Deliveries of conversion {listed.id} are no longer in the log, which holds {terms.log_days} days.",
        )
    else:
        yield Conclusion(
            "delivery-none",
            f"No postback to affiliate {listed.affiliate_id} followed from conversion {listed.id}.",
            "Compare offer, status and goal of its postbacks with the conversion: "
            f"`GET /admin/postbacks?partner_id[]={listed.affiliate_id}`.",
        )


def _status(explained: ExplainedConversion, terms: _Terms) -> Conclusion:
    listed = explained.conversion
    subject = f"Conversion {listed.id} of {terms.at(listed.created_at)}, goal {listed.goal},"
    amounts = f"charge {plain_amount(listed.charge)}, payout {plain_amount(listed.payout)} {listed.currency}"
    status = Status(listed.status)
    if status in (Status.DECLINED, Status.NOT_FOUND):
        return _declined(explained, subject)
    if status is Status.CONFIRMED:
        return Conclusion("conversion-confirmed", f"{subject} is confirmed: {amounts}.")
    if status is Status.HOLD:
        until = "a person decides" if listed.hold_until is None else terms.at(listed.hold_until)
        return Conclusion("conversion-hold", f"{subject} is on hold until {until}: {amounts}.")
    return Conclusion(
        "conversion-pending",
        f"{subject} is pending: {amounts}.",
        "A postback of the advertiser with status 1, or staff, confirms it. Pixels only announce.",
    )


def _declined(explained: ExplainedConversion, subject: str) -> Conclusion:
    comment = explained.conversion.comment
    reason = results().declines.get(comment)
    if reason is not None:
        return Conclusion("conversion-declined", f"{subject} is declined: {comment}. {reason.text}", reason.advice)
    author = f" by {explained.history[-1].actor}" if explained.history else ""
    remark = f": {comment.removesuffix('.')}" if comment else ""
    return Conclusion("conversion-declined", f"{subject} was declined{author}{remark}.")


def _of_delivery(delivery: ExplainedDelivery, terms: _Terms) -> Conclusion:
    outcome = delivery.outcome
    name = f"postback {delivery.postback_id}" if delivery.postback_id else "the offer's cross_postback_url"
    code = f"delivery-{outcome}"
    if outcome == WAITING:
        return Conclusion(code, f"The delivery to {name} is queued.", "Ask again in some seconds.")
    text = results().deliveries[outcome].text
    if not delivery.attempts:
        return Conclusion(code, f"The delivery to {name} {_OUTCOME_VERBS[outcome].partition(';')[0]}. {text}")
    last = delivery.attempts[-1]
    answer = f"HTTP {last.http_code} after {last.milliseconds} ms" if last.http_code else last.error or "no answer"
    again = f" The next attempt is at {terms.at(delivery.next_at)}." if delivery.next_at is not None else ""
    sentence = f"The delivery to {name} {_OUTCOME_VERBS[outcome]} at {terms.at(last.time)} ({answer}). {text}{again}"
    return Conclusion(code, sentence)


def _sentence(text: str) -> str:
    return f" {text}" if text else ""
