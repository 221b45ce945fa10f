"""Column types that mean the same on SQLite and PostgreSQL."""

from decimal import Decimal
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, BigInteger, Integer, String
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.types import TypeDecorator


class Scaled(TypeDecorator[Decimal]):
    """A Decimal stored as a whole number of its last place; both engines sum it exactly."""

    impl = BigInteger
    cache_ok = True
    places = 4

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> int | None:
        if value is None:
            return None
        scaled = value.scaleb(self.places)
        whole = int(scaled)
        if whole != scaled:
            raise ValueError(f"{value} has more than {self.places} places")
        return whole

    def process_result_value(self, value: int | None, dialect: Dialect) -> Decimal | None:
        return None if value is None else Decimal(int(value)).scaleb(-self.places)


class Amount(Scaled):
    """An amount of money with four places."""

    cache_ok = True
    places = 4


class Rate(Scaled):
    """Units of a currency for one unit of the platform currency, with ten places."""

    cache_ok = True
    places = 10


class Word(TypeDecorator[StrEnum]):
    """A member of an enum, stored as its text."""

    impl = String
    cache_ok = True

    def __init__(self, values: type[StrEnum], length: int = 16) -> None:
        super().__init__(length)
        self.values, self.length = values, length

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> StrEnum | None:
        return None if value is None else self.values(value)


Moment = BigInteger
"""UTC epoch milliseconds."""

Serial: Any = BigInteger().with_variant(Integer, "sqlite")
"""A number that the database gives: 64 bits on both engines."""

Id24 = String(24)
"""24 lower-case hex digits."""

Document: Any = JSON().with_variant(JSONB(), "postgresql")
"""A JSON value."""

MaybeDocument: Any = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
"""A JSON value, or NULL: None is not stored as the JSON null."""
