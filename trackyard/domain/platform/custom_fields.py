"""Custom fields: further questions to affiliates (docs/api/custom-fields.md)."""

from dataclasses import dataclass
from enum import StrEnum


class CustomFieldType(StrEnum):
    """The type of a custom field; a select has values to choose from."""

    TEXT = "text"
    TEXTAREA = "textarea"
    SELECT = "select"


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomField:
    """A question to affiliates.

    id: given when it is stored.
    field_values: the values of a select, otherwise None.
    created_at, updated_at: UTC milliseconds.
    """

    id: int = 0
    name: str
    required: bool
    field_type: CustomFieldType
    field_values: list[str] | None
    created_at: int
    updated_at: int
