"""The form of answers: `status` 1, pagination, numbers (docs/spec/api-conventions.md#answers)."""

from decimal import Decimal
from typing import Annotated, Any, Final, get_type_hints

import msgspec
from msgspec import UNSET, UnsetType

Money = Decimal
"""An amount or rate; a JSON number, written exactly."""

MOMENT: Final = msgspec.Meta(extra={"moment": True})
Moment = Annotated[str, MOMENT]
"""A time, `YYYY-MM-DD HH:MM:SS` in the zone of the answer. In a row of a file it is UTC milliseconds."""


class View(msgspec.Struct, kw_only=True):
    """The base of every record in an answer. Each field has its wire name."""


class Answer(msgspec.Struct, kw_only=True):
    """The base of every answer.

    status: 1 means success.
    warnings: sentences for the caller; absent when there are none.
    """

    status: int = 1
    warnings: list[str] | UnsetType = UNSET


class BareAnswer(Answer):
    """The base of an answer that is a bare list, the `rows` (docs/api/cohorts.md#get-statsretentionrate)."""

    rows: list[Any]


def sent_type(view: type[Answer]) -> Any:
    """Return the type that is sent of an answer."""
    return get_type_hints(view)["rows"] if issubclass(view, BareAnswer) else view


class Pagination(View):
    """The position of a page. `next_page` is sent only when there is one."""

    per_page: int
    total_count: int
    page: int
    next_page: int | UnsetType = UNSET


_encoder = msgspec.json.Encoder(decimal_format="number")


def encoded(answer: Any) -> bytes:
    """Return the JSON of an answer."""
    return _encoder.encode(answer.rows if isinstance(answer, BareAnswer) else answer)


def values_by_name(view: View) -> dict[str, Any]:
    """Return the fields of a view by name, as a program reads them.

    Numbers with a point are decimals, and lists may be tuples. UNSET fields are left out.
    """
    found: dict[str, Any] = msgspec.to_builtins(view, builtin_types=(Decimal,), str_keys=True)
    return found


def number(amount: Decimal) -> Decimal:
    """Return an amount without trailing zeros, so that a whole amount is a whole number on the wire."""
    whole = amount.to_integral_value()
    return whole if whole == amount else amount.normalize()


def pagination(*, page: int, per_page: int, total: int) -> Pagination:
    """Return the pagination of a page, counted from 1."""
    more = page * per_page < total
    return Pagination(per_page=per_page, total_count=total, page=page, next_page=page + 1 if more else UNSET)
