"""What edges recorded and staff asked for, as the model of conversions reads it."""

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.models.model import ModelConversion


@dataclass
class ModelClick:
    """A click as it was recorded. at: UTC ms."""

    id: str
    edge: int
    at: int
    affiliate: int
    country: str
    ip: str
    reason: str = ""


@dataclass
class ModelPostback:
    """An inbound call as it was recorded."""

    id: str
    at: int
    params: dict[str, str]


@dataclass
class ModelTask:
    """An edit (of `made`) or an import, as staff asked for it."""

    at: int
    fields: dict[str, Any]
    made: "ModelConversion | None" = None


@dataclass
class ModelPaymentItem:
    """A payment item of the offer. affiliate: its owner, None = a general one."""

    goal: str
    kind: str
    total: Decimal
    revenue: Decimal
    currency: str
    country: str = ""
    affiliate: int | None = None
