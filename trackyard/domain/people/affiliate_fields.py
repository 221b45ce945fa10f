"""The plain fields of an affiliate, declared once (docs/adding-a-field.md)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Final

from trackyard.base.plain_fields import DeclaredField, PlainField, declared_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class AffiliateField(PlainField):
    """The declaration of a plain field of an affiliate.

    is_own: whether the affiliate states it itself when it signs up.
    """

    is_own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainAffiliateFields:
    """The plain fields of an affiliate, in the order of documents where `after` does not say otherwise.

    Their parameters, the fields of answers, the columns and their place in the form derive from it.
    """

    company: Annotated[
        str | None, AffiliateField(is_own=True, is_null=True, after="contact_person_too", answer_after="name")
    ] = None
    address_1: Annotated[
        str | None, AffiliateField(is_own=True, is_null=True, after="company", answer_after="tags")
    ] = None
    address_2: Annotated[str | None, AffiliateField(is_own=True, is_null=True, after="address_1")] = None
    city: Annotated[str | None, AffiliateField(is_own=True, is_null=True, after="address_2")] = None
    zip_code: Annotated[str | None, AffiliateField(is_own=True, is_null=True, longest=32, after="country")] = None
    phone: Annotated[str | None, AffiliateField(is_own=True, is_null=True, longest=64, after="zip_code")] = None
    notes: Annotated[
        str,
        AffiliateField(
            longest=20_000,
            after="ref_percent",
            answer_after="company",
        ),
    ] = ""
    server_clicks: Annotated[bool, AffiliateField(after="tags", answer_after="ref")] = False
    payment_terms: Annotated[
        int,
        AffiliateField(
            text="Days from a confirmation until a payment run pays the conversion, such as 7, 15 or 30; 0 pays it at "
            "once.",
            label="Payment terms in days",
            most=365,
            after="server_clicks",
        ),
    ] = 0


AFFILIATE_FIELDS: Final[Mapping[str, DeclaredField[AffiliateField]]] = MappingProxyType(
    declared_fields(PlainAffiliateFields, AffiliateField)
)
"""The plain fields by name, in the order in which they are declared."""
OWN_AFFILIATE_FIELDS: Final = MappingProxyType(
    {name: field for name, field in AFFILIATE_FIELDS.items() if field.options.is_own}
)
"""The plain fields that an affiliate states itself."""
