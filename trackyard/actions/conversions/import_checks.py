"""A dry run of imports of conversions (docs/spec/conversions.md#edits-and-imports).

It decides as the worker does, and writes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import msgspec

from trackyard.actions.conversions.decisions import DecisionBatch
from trackyard.actions.conversions.edits import Faults, ImportItem, find_import_clicks, find_import_faults
from trackyard.actions.conversions.identities import PostbackRequest
from trackyard.actions.conversions.imported_clicks import imported_click
from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.base.ids import new_id
from trackyard.domain.conversions.conversions import Conversion
from trackyard.domain.conversions.edits import ConversionImport, ZeroCause, apply_import, find_zero_cause
from trackyard.domain.conversions.postbacks import PostbackError
from trackyard.domain.offers.caps import CapFill, filled_by
from trackyard.domain.people.callers import Access


class ImportVerdict(StrEnum):
    """What an import does with a conversion."""

    MADE = "made"
    DUPLICATE = "duplicate"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ImportCheck:
    """The result of one import.

    conversion: that it would make, or that exists already; None when it is refused.
    faults: sentences by parameter.
    zero: why it counts with 0, None = it does not.
    fills: the caps that are full with it.
    """

    verdict: ImportVerdict
    conversion: Conversion | None = None
    faults: Faults = field(default_factory=dict)
    zero: ZeroCause | None = None
    fills: Sequence[CapFill] = ()


def check_imports(deps: Deps, access: Access, items: Mapping[str, ImportItem]) -> list[ImportCheck]:
    """Return the expected result of each import, in their order. Nothing is written.

    items: the imports by the prefix of their parameters in the request, `list[0]`.
    """
    now, visitors = deps.clock.now_ms(), deps.visitors()
    with deps.database.read() as conn:
        clicks = find_import_clicks(deps, conn, items)
        faults = find_import_faults(conn, scope_of(conn, access), clicks, items)
        requests = {
            prefix: _request(each, clicks.get(each.click_id) or imported_click(visitors, each.item, now), now)
            for prefix, each in items.items()
            if not any(name.startswith(f"{prefix}[") for name in faults)
        }
        batch = DecisionBatch(
            conn, list(requests.values()), deps.currency, deps.zone, cipher=deps.cipher, read_only=True
        )
        return [
            _check(batch, each.item, requests[prefix], now)
            if prefix in requests
            else ImportCheck(ImportVerdict.REFUSED, faults=_faults_of(prefix, faults))
            for prefix, each in items.items()
        ]


def _request(each: ImportItem, click: Mapping[str, Any], now: int) -> PostbackRequest:
    return PostbackRequest(each.item.as_postback(new_id(now), now, click["id"]), click)


def _check(batch: DecisionBatch, item: ConversionImport, request: PostbackRequest, now: int) -> ImportCheck:
    terms, existing = batch.find_terms(request), batch.known.find(request)
    request = batch.known.settled(request)
    if terms is None:
        return ImportCheck(ImportVerdict.REFUSED, faults={"offer": [f"An offer {item.offer_id} does not exist."]})
    with_zero = msgspec.structs.replace(item, takes_zero=True)
    outcome = apply_import(with_zero, request.postback, request.click, terms, existing, new_id(now), "")
    if outcome is PostbackError.EXISTS:
        return ImportCheck(ImportVerdict.DUPLICATE, existing)
    if isinstance(outcome, PostbackError):
        return ImportCheck(ImportVerdict.REFUSED, faults={_FIELDS.get(outcome, ""): [f"{outcome.value}."]})
    made, caps = outcome.after, terms.offer.caps
    cause = find_zero_cause(item, made.payment)
    if cause is not None and not item.takes_zero:
        return ImportCheck(ImportVerdict.REFUSED, faults={cause.value: [f"{cause.sentence().capitalize()}."]})
    batch.apply(outcome)
    fills = filled_by(caps, made.traits, batch.counts) if made.counts_in(caps.statuses) else ()
    return ImportCheck(ImportVerdict.MADE, made, zero=cause, fills=fills)


_FIELDS: Mapping[PostbackError, str] = {PostbackError.WRONG_SUM: "sum", PostbackError.WRONG_STATUS: "status"}
"""The parameter that a fault is about; others are about the whole conversion."""


def _faults_of(prefix: str, faults: Faults) -> Faults:
    start = f"{prefix}["
    return {name[len(start) : -1]: sentences for name, sentences in faults.items() if name.startswith(start)}
