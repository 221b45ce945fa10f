"""Sends a file to the API, and prints what differs and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from trackyard.commands.failures import WrongUse
from trackyard.commands.frame.output import TableColumn, table
from trackyard.commands.local_api import ApiClient

_CLASSES: Final = (
    TableColumn("currency"),
    TableColumn("class"),
    TableColumn("number", right=True),
    TableColumn("ours", right=True),
    TableColumn("theirs", right=True),
    TableColumn("difference", right=True),
)
_DIFFERENCES: Final = (
    TableColumn("row", right=True),
    TableColumn("class"),
    TableColumn("why"),
    TableColumn("ours", right=True),
    TableColumn("theirs", right=True),
    TableColumn("id"),
)
_MOST_SHOWN: Final = 500
"""Differences of a table; --json has all pages."""


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What to compare. path: of the advertiser or affiliate in the API. params: as the API has them.

    accept: classes of differences to accept. apply: whether to make the edits.
    """

    file: Path
    path: str
    params: Mapping[str, str]
    accept: Sequence[str] = ()
    apply: bool = False


@dataclass(slots=True)
class CompareResult:
    """The answers of the API. accepted: None = nothing was to be accepted."""

    comparison: dict[str, Any]
    differences: list[dict[str, Any]] = field(default_factory=list)
    accepted: dict[str, Any] | None = None


def run(api: ApiClient, request: CompareRequest) -> CompareResult:
    """Compare a file, and accept the differences in the request. Raises WrongUse, ApiError, ServerAway."""
    try:
        content = request.file.read_bytes()
    except OSError as fault:
        raise WrongUse(f"{request.file} cannot be read: {fault.strerror}.") from None
    made = api.upload(f"/3.1{request.path}/comparisons", dict(request.params), request.file.name, content)
    result = CompareResult(made["comparison"])
    place = f"/3.1/admin/comparison/{made['comparison']['id']}"
    page = 1
    while True:
        answer = api.get(place, {"page": page, "limit": 500})
        result.differences += answer["differences"]
        if "next_page" not in answer["pagination"]:
            break
        page += 1
    if request.accept:
        sent = {"classes": list(request.accept), "apply": "1" if request.apply else "0"}
        result.accepted = api.post(f"{place}/accept", sent)
    return result


def result_lines(result: CompareResult) -> list[str]:
    """Return the sums by class, what differs, and the edits."""
    sums = [
        (each["currency"], part["name"], str(part["number"]), *_amounts(part))
        for each in result.comparison["sums"]
        for part in each["classes"]
    ]
    totals = [
        f"{each['currency']}: ours {each['ours']}, theirs {each['theirs']}, difference {each['difference']}"
        for each in result.comparison["sums"]
    ]
    lines = [*table(_CLASSES, sums), "", *totals]
    if result.differences:
        shown = result.differences[:_MOST_SHOWN]
        lines += ["", *table(_DIFFERENCES, [_difference_row(each) for each in shown])]
        lines += [f"{len(result.differences) - len(shown)} more"] if len(result.differences) > len(shown) else []
    return lines + _accepted_lines(result.accepted)


def _accepted_lines(accepted: dict[str, Any] | None) -> list[str]:
    if accepted is None:
        return []
    count, skipped = accepted["number"], len(accepted["skipped"])
    done = "queued" if accepted["applied"] else "would be made; add --apply to make them"
    after = [f"{each['currency']}: difference {each['before']} becomes {each['after']}" for each in accepted["totals"]]
    return ["", f"{count} edits {done}; {skipped} differences have none", *after]


def _difference_row(each: dict[str, Any]) -> tuple[str, ...]:
    why = each["why"] + (f": {each['text']}" if each["text"] else "")
    ours = "" if each["our_sum"] is None else f"{each['our_status']} {each['our_sum']} {each['our_currency']}"
    theirs = "" if each["their_sum"] is None else f"{each['their_status']} {each['their_sum']} {each['their_currency']}"
    key = each["conversion_id"] or each["click_id"] or each["action_id"]
    return str(each["row"] or ""), each["difference"], why, ours, theirs.strip(), key


def _amounts(part: dict[str, Any]) -> tuple[str, str, str]:
    return str(part["ours"]), str(part["theirs"]), str(part["difference"])
