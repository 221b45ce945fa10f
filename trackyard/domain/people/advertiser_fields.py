"""The plain fields of an advertiser, declared once (docs/adding-a-field.md)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Final

from trackyard.base.plain_fields import DeclaredField, PlainField, declared_fields
from trackyard.domain.tracking.ruleset import MAX_UNIQUE_CLICKS, MAX_UNIQUE_HOURS


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainAdvertiserFields:
    """The plain fields of an advertiser, in the order of documents where `after` does not say otherwise.

    Their parameters, the fields of answers, the columns and their place in the form derive from it.
    """

    contact: Annotated[
        str | None,
        PlainField(text="Person to talk to at the advertiser.", clears=False, after="title"),
    ] = None
    skype: Annotated[str | None, PlainField(clears=False, after="contact")] = None
    note: Annotated[
        str | None,
        PlainField(
            text="Remarks of staff about the advertiser.",
            longest=20_000,
            clears=False,
            is_null=True,
            after="hash_password",
            answer_after="skype",
        ),
    ] = None
    address_1: Annotated[str | None, PlainField(clears=False, after="note", answer_after="has_user")] = None
    address_2: Annotated[str | None, PlainField(clears=False, after="address_1")] = None
    city: Annotated[str | None, PlainField(clears=False, after="address_2")] = None
    sees_affiliates: Annotated[
        bool,
        PlainField(
            text="1 lets the advertiser see which affiliates its conversions come from, with their subs; never what "
            "they earn.",
            is_number=True,
            after="status",
        ),
    ] = False
    hide_conversion_status: Annotated[
        bool,
        PlainField(
            text="1 shows affiliates each conversion on the advertiser's offers as pending and without a comment, in "
            "lists and files.",
            after="sees_affiliates",
            answer_after="hosts_only",
        ),
    ] = False
    subaccounts_encryption: Annotated[
        bool,
        PlainField(
            text="1 gives the advertiser a code of 16 hexadecimal digits instead of each sub, always the same for a "
            "value, in what it reads and in the URLs of its offers.",
            after="hide_conversion_status",
        ),
    ] = False
    host_uniqueness_number_unique_clicks: Annotated[
        int | None,
        PlainField(
            text="How many clicks of a visitor on an offer are unique within the time frame; empty for 1.",
            label="Unique clicks per visitor",
            least=1,
            most=MAX_UNIQUE_CLICKS,
            after="custom_fields",
        ),
    ] = None
    host_uniqueness_time_frame: Annotated[
        int | None,
        PlainField(
            text="Hours in which a visitor of an offer is not new again; empty for 24.",
            label="Hours until new again",
            least=1,
            most=MAX_UNIQUE_HOURS,
            after="host_uniqueness_number_unique_clicks",
        ),
    ] = None


ADVERTISER_FIELDS: Final[Mapping[str, DeclaredField[PlainField]]] = MappingProxyType(
    declared_fields(PlainAdvertiserFields, PlainField)
)
"""The plain fields by name, in the order in which they are declared."""
