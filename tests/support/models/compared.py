"""The forms in which random histories compare the model with what is stored."""

from decimal import Decimal
from typing import Any

from tests.support.models.model import ModelConversion
from tests.support.models.model_records import ModelPaymentItem


def key_of(made: ModelConversion) -> tuple[str, str]:
    """Return what identifies a conversion of the model within its offer and click."""
    return made.goal, made.identity


def stored_columns(row: Any) -> tuple[Any, ...]:
    """Return the columns of a stored conversion that the model has too."""
    amounts = row.currency, row.sum, row.charge, row.payout, row.charge_base, row.payout_base
    return row.status, row.comment, row.hold_until, row.created_at, row.affiliate_id, *amounts


def model_columns(made: ModelConversion) -> tuple[Any, ...]:
    """Return the columns of a conversion of the model, in the order of `stored_columns`."""
    amounts = made.currency, made.sum, made.charge, made.payout, *made.base
    return made.status, made.comment, made.hold_until, made.at, made.click.affiliate, *amounts


def totals_by_type(row: Any) -> dict[str, tuple[int, Decimal, Decimal]]:
    """Return count, charge and payouts of a row of a report, by conversion type."""
    return {kind: (each.count, each.charge, each.payouts) for kind, each in row.actions.items()}


def payment_params(item: ModelPaymentItem) -> dict[str, Any]:
    """Return the parameters of a payment of an offer."""
    plain = {"goal": item.goal, "type": item.kind, "currency": item.currency}
    plain |= {"total": str(item.total), "revenue": str(item.revenue)}
    return plain | ({"countries": [item.country]} if item.country else {})
