"""Sentences of the API in the language of the page (docs/spec/console.md#languages).

The API keeps its words. A sentence is found by its English pattern; what no pattern fits stays as it is.
"""

import re
from functools import cache
from typing import Final

from trackyard.api.platform.status import FindingView
from trackyard.base.texts.marks import gettext, lazy_gettext, source_of
from trackyard.domain.tracking.reference.texts import reference_texts

_LINK: Final = re.compile(r"\[([^]]+)\]\([^)]*\)")

PATTERNS: Final = (
    # health
    lazy_gettext("the source of the rules is silent for %(seconds)s s: what changed is not in force"),
    lazy_gettext("Redis does not answer: click caps and unique visitors hold on each machine by itself"),
    lazy_gettext("Redis does not answer the API: rates and report turns hold on each machine by itself"),
    lazy_gettext("the analytic store does not answer: reports are refused, and clicks are loaded later"),
    lazy_gettext("the journal is not writable"),
    lazy_gettext("statistics lack the clicks of the last %(seconds)s s: %(megabytes)s MB of journals are being loaded"),
    lazy_gettext("no rules were read yet"),
    lazy_gettext("the role %(role)s dies again and again"),
    lazy_gettext("the SQL database cannot be read: %(fault)s"),
    lazy_gettext("the projector has been stalled for %(seconds)s s"),
    lazy_gettext("the projector's duty %(duty)s fails again and again"),
    lazy_gettext(
        "postbacks count without a code, so that everyone who sees a click id can report a conversion: give each "
        "advertiser a code, then set TRACKYARD_POSTBACK_CODE=generate (docs/operating.md, Before the first real offer)"
    ),
    lazy_gettext(
        "the machine %(host)s (%(directory)s) has its statistics in its own data directory (chDB): set "
        "TRACKYARD_ANALYTICS_URL to one ClickHouse server on all machines"
    ),
    lazy_gettext(
        "another data directory is in use on this SQL database (%(named)s), and its clicks are missing in the "
        "statistics of this machine, which are in its own data directory (chDB): set TRACKYARD_ANALYTICS_URL to one "
        "ClickHouse server on all machines"
    ),
    lazy_gettext(
        "another data directory takes clicks on this SQL database (edge %(edge)s), and click caps and unique visitors "
        "would hold on each machine by itself: set TRACKYARD_REDIS_URL to one Redis or Valkey on all machines"
    ),
    lazy_gettext(
        "another data directory takes clicks on this SQL database (edge %(edge)s), and click caps and unique visitors "
        "would hold on each machine by itself, because the other one has no TRACKYARD_REDIS_URL: set it there as "
        "here, and start it again"
    ),
    # why a rule cannot run
    lazy_gettext(
        "The window has %(rows)s rows that could meet the conditions, more than %(most)s: raise the minimum, name "
        "offers, affiliates, advertisers, countries or values of subs, or judge by fewer slices."
    ),
    lazy_gettext("It would fire for %(count)s things at once, more than %(most)s: narrow it, or set other bounds."),
    lazy_gettext(
        "%(count)s conversions of %(element)s would change at once, more than %(most)s: narrow the rule, or change "
        "them by hand."
    ),
    lazy_gettext("Its report is too heavy: %(fault)s. Judge fewer offers or affiliates, or a shorter window."),
    lazy_gettext(
        "The report took longer than %(seconds)s seconds: narrow it by a shorter period, a filter such as "
        "filter[offer], or fewer slices"
    ),
    lazy_gettext(
        "The report needs more than %(megabytes)s MB of memory: narrow it by a shorter period, a filter such as "
        "filter[offer], or fewer slices"
    ),
    lazy_gettext(
        "The report took too long: narrow it by a shorter period, a filter such as filter[offer], or fewer slices"
    ),
    # what an explanation concludes
    lazy_gettext("The click was accepted, and no postback in the log names it. The log holds %(days)s days."),
    lazy_gettext("The click was accepted, and no postback has named it."),
    lazy_gettext(
        "Look for the request in the logs of the sender, try it with curl, and check host, port and certificate. "
        "A postback of the last seconds may not be loaded yet."
    ),
    lazy_gettext("Since the click, postbacks came that name no click, the last at %(time)s with clickid=%(click_id)s."),
    lazy_gettext("Since the click, postbacks came that name no click, the last at %(time)s without a clickid."),
    lazy_gettext("%(subject)s is in the inbox and not decided yet."),
    lazy_gettext("Ask again in some seconds."),
    lazy_gettext("%(subject)s waits in the inbox: the click that it names is not loaded yet."),
    lazy_gettext("Ask again later: /readyz of the monitoring listener shows how far loading is behind."),
    lazy_gettext("%(subject)s is in quarantine: its decision failed."),
    lazy_gettext("postback quarantined in the log has the reason. Report it, with the log line."),
    lazy_gettext("%(subject)s changed nothing: it has clickid=%(click_id)s, which is not an id of a click."),
    lazy_gettext("%(subject)s changed nothing: %(response)s. %(text)s"),
    lazy_gettext("%(subject)s changed nothing: %(response)s."),
    lazy_gettext("The postback of %(time)s, the last of %(count)s,"),
    lazy_gettext("The postback of %(time)s"),
    lazy_gettext("%(subject)s is confirmed: charge %(charge)s, payout %(payout)s."),
    lazy_gettext("%(subject)s is on hold until a person decides: charge %(charge)s, payout %(payout)s."),
    lazy_gettext("%(subject)s is on hold until %(time)s: charge %(charge)s, payout %(payout)s."),
    lazy_gettext("%(subject)s is pending: charge %(charge)s, payout %(payout)s."),
    lazy_gettext("A postback of the advertiser with status 1, or staff, confirms it. Pixels only announce."),
    lazy_gettext("%(subject)s is declined: %(comment)s. %(text)s"),
    lazy_gettext("%(subject)s was declined by %(author)s: %(remark)s."),
    lazy_gettext("%(subject)s was declined by %(author)s."),
    lazy_gettext("%(subject)s was declined: %(remark)s."),
    lazy_gettext("%(subject)s was declined."),
    lazy_gettext("Conversion %(number)s of %(time)s, goal %(goal)s,"),
    lazy_gettext("Deliveries of conversion %(number)s are no longer in the log, which holds %(days)s days."),
    lazy_gettext("No postback to affiliate %(affiliate)s followed from conversion %(number)s."),
    lazy_gettext("Compare offer, status and goal of its postbacks with the conversion: %(request)s."),
    lazy_gettext("The delivery to %(place)s is queued."),
    lazy_gettext("The delivery to %(place)s was sent at %(time)s (%(answer)s). %(text)s"),
    lazy_gettext("The delivery to %(place)s failed at %(time)s (%(answer)s). %(text)s"),
    lazy_gettext("The delivery to %(place)s ended at %(time)s (%(answer)s). %(text)s"),
    lazy_gettext("The delivery to %(place)s was superseded at %(time)s (%(answer)s). %(text)s"),
    lazy_gettext("The delivery to %(place)s was dropped at %(time)s (%(answer)s). %(text)s"),
    lazy_gettext("The delivery to %(place)s is parked; its last attempt was at %(time)s (%(answer)s). %(text)s"),
    lazy_gettext("The delivery to %(place)s was superseded. %(text)s"),
    lazy_gettext("The delivery to %(place)s was dropped. %(text)s"),
    lazy_gettext("The delivery to %(place)s is parked. %(text)s"),
    lazy_gettext("postback %(number)s"),
    lazy_gettext("the offer's cross_postback_url"),
    lazy_gettext("%(text)s The next attempt is at %(time)s."),
)
"""The English sentences. Names in them are data, or sentences in turn; the first one that fits is meant."""


def translated_sentence(sentence: str) -> str:
    """Return a sentence of the API in the language of the page, without marks of code."""
    plain = plain_text(sentence)
    if plain in _reference():
        return gettext(plain)
    for pattern, text in _compiled():
        if found := pattern.fullmatch(plain):
            values = {name: translated_sentence(value) for name, value in found.groupdict().items()}
            return gettext(text, **values)
    return plain


def advice_text(finding: FindingView) -> str:
    """Return the advice for a finding. The API translates all of it except the reason."""
    reason = str(finding.evidence.get("reason", ""))
    return finding.advice.replace(reason, translated_sentence(reason)) if reason else finding.advice


def plain_text(text: str) -> str:
    """Return a text of the reference without its marks of code and links."""
    return _LINK.sub(r"\1", text.replace("`", ""))


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((_pattern_of(source_of(each)), source_of(each)) for each in PATTERNS)


def _pattern_of(text: str) -> re.Pattern[str]:
    """Return a pattern that matches the sentences of a text with placeholders."""
    parts = re.split(r"%\((\w+)\)s", text)
    sources = (re.escape(part) if number % 2 == 0 else f"(?P<{part}>.+?)" for number, part in enumerate(parts))
    return re.compile("".join(sources), re.DOTALL)


@cache
def _reference() -> frozenset[str]:
    """Return the texts of the reference that are translated."""
    results = reference_texts("results")
    found = (each for subject in ("faults", "deliveries", "declines") for each in results[subject].values())
    return frozenset(plain_text(text) for each in found for text in (each.get("text"), each.get("advice")) if text)
