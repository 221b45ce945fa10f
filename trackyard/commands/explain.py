"""`trackyard explain ID`: follow an id to all that belongs to it."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from trackyard.commands.failures import CommandFailed
from trackyard.commands.frame.output import styled
from trackyard.commands.local_api import ApiClient

_PATH: Final = "/3.1/admin/explain"
_KINDS: Final = {
    "conversion": "a conversion",
    "action": "an action of the advertiser",
    "inbound_postback": "an inbound postback",
    "delivery": "a delivery to an affiliate",
}
_MAX_QUERY: Final = 300
"""Characters of a query or body that are shown."""


def get_explanation(api: ApiClient, text: str, advertiser: str | None, offer: int | None) -> dict[str, Any]:
    """Return the explanation of an id as the API has it, with its `warnings`.

    advertiser, offer: narrow an id of an action.
    Raises CommandFailed when nothing has the id, ApiError, ServerAway.
    """
    hints = {"advertiser": advertiser, "offer": offer}
    params = {"id": text} | {name: value for name, value in hints.items() if value is not None}
    answer = api.get_known(_PATH, params)
    found: dict[str, Any] | None = answer["explanation"]
    if found is None:
        raise CommandFailed(
            f"{text} was not found: no click, conversion, action, inbound postback or delivery has this id. It was "
            "never recorded, is not loaded yet, has passed its retention, or is out of your scope."
        )
    return found | {"id": text, "warnings": answer.get("warnings", [])}


def is_ambiguous(found: dict[str, Any]) -> bool:
    """Return whether actions of several clicks have the id, so that one must be chosen."""
    return bool(found["candidates"])


def explanation_lines(found: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of an explanation for people."""
    yield from _subject_lines(found)
    if found["click"] is not None:
        yield from _click_lines(found["click"], found["today"]["visitor"])
    sections = (
        ("What happened", _conclusion_lines(found["conclusions"])),
        ("Conversions to choose from", _candidate_lines(found["candidates"])),
        ("Conversions", _conversion_lines(found["conversions"])),
        ("Inbound postbacks", _postback_lines(found["postbacks"])),
        ("Inbound postbacks that name no click", _postback_lines(found["postbacks_without_click"])),
        ("Deliveries to the affiliate", _delivery_lines(found["deliveries"])),
    )
    for title, lines in sections:
        shown = [*lines]
        if shown:
            yield from ("", styled(title, bold=True), *shown)
    if found["today"] is not None:
        yield ""
        yield from _today_lines(found["today"])
    yield from (f"! {sentence}" for sentence in found["warnings"])


def _subject_lines(found: dict[str, Any]) -> Iterator[str]:
    if found["kind"] in _KINDS:
        of_click = f" of click {found['click_id']}" if found["click_id"] else ""
        yield f"{found['id']} is {_KINDS[found['kind']]}{of_click}"
    elif found["click"] is None:
        yield f"Click {found['click_id']} is not recorded"


def _click_lines(click: dict[str, Any], visitor: dict[str, Any]) -> Iterator[str]:
    yield f"Click {click['id']} of {click['created_at']}"
    yield f"  offer {click['offer_id']} · affiliate {click['pid']} · advertiser {click['advertiser_id'] or 'none'}"
    known = {
        "address": visitor["ip"],
        "country": visitor["country"],
        "city": visitor["city"],
        "provider": visitor["isp"],
        "system": f"{visitor['os']} {visitor['os_version']}".strip(),
        "browser": f"{visitor['browser']} {visitor['browser_version']}".strip(),
        "device": visitor["device"],
    }
    yield "  " + " · ".join(f"{name} {value}" for name, value in known.items() if value)
    if click["passed"]:
        left_out = ", which statistics leave out" if click["reason"] else ""
        yield "Decided then: passed, " + (
            "a visitor new to the offer" if click["uniq"] else f"a visitor seen before{left_out}"
        )
    else:
        yield f"Decided then: refused, {click['reason']}" + (f": {click['detail']}" if click["detail"] else "")
    if click["flags"]:
        yield f"  noted: {', '.join(flag.replace('_', ' ') for flag in click['flags'])}"


def _conclusion_lines(conclusions: Sequence[dict[str, Any]]) -> Iterator[str]:
    for each in conclusions:
        yield f"  {each['sentence']}"
        if each["advice"]:
            yield f"    What to do: {each['advice']}"


def _candidate_lines(candidates: Sequence[dict[str, Any]]) -> Iterator[str]:
    for each in candidates:
        yield (
            f"  {each['id']} of {each['created_at']}: offer {each['offer_id']}, advertiser {each['advertiser_id']}, "
            f"affiliate {each['pid']}, goal {each['goal']}, {each['status']}"
        )


def _conversion_lines(conversions: Sequence[dict[str, Any]]) -> Iterator[str]:
    for each in conversions:
        action = f", action {each['action_id']}" if each["action_id"] else ""
        yield f"  Conversion {each['id']} of {each['created_at']}, goal {each['goal']}{action}: {each['status']}"
        for state in each["history"]:
            amounts = f"charge {state['revenue']}, payout {state['payouts']} {state['currency']}"
            reason = f": {state['comment']}" if state["comment"] else ""
            yield f"    {state['created_at']}  {state['status']}, {amounts}, by {state['by']}{reason}"


def _postback_lines(postbacks: Sequence[dict[str, Any]]) -> Iterator[str]:
    for each in postbacks:
        result = each["response"] or each["state"]
        if each["conversion_id"]:
            result = f"made or changed conversion {each['conversion_id']}"
        yield f"  {each['created_at']}  {each['id']}  {result}"
        sent = " ".join(part for part in (each["get"], each["post"]) if part)
        yield f"    {each['method']} from {each['ip'] or 'an unknown address'}: {sent[:_MAX_QUERY]}"


def _delivery_lines(deliveries: Sequence[dict[str, Any]]) -> Iterator[str]:
    for each in deliveries:
        name = f"postback {each['postback_id']}" if each["postback_id"] else "cross_postback_url"
        again = f", next attempt at {each['next_at']}" if each["next_at"] else ""
        yield (
            f"  Delivery {each['job_id']} to {name}: conversion {each['conversion_id']} is {each['status']}: "
            f"{each['outcome']}{again}"
        )
        yield f"    {each['url']}"
        for attempt in each["attempts"]:
            answer = f"HTTP {attempt['http_code']}" if attempt["http_code"] else "no answer"
            error = f": {attempt['error']}" if attempt["error"] else ""
            body = f"  {attempt['answer'][:_MAX_QUERY]!r}" if attempt["answer"] else ""
            forced = ", by hand" if attempt["forced"] else ""
            yield (
                f"    {attempt['created_at']}  {answer}, {attempt['milliseconds']} ms, {attempt['outcome']}{forced}"
                f"{error}{body}"
            )


def _today_lines(today: dict[str, Any]) -> Iterator[str]:
    if today["passes"]:
        yield "By the rules of today: passes"
    else:
        yield f"By the rules of today: refused, {today['reason']}"
    yield f"  goes to {today['target'] or 'a page that says that the offer is not available'}"
    width = max(len(step["name"]) for step in today["steps"])
    for step in today["steps"]:
        detail = f"  {step['detail']}" if step["detail"] else ""
        yield f"  {step['name']:{width}}  {step['verdict']}{detail}"
