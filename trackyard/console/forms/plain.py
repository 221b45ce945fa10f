"""The fields of a form that derive from declarations (base/plain_fields.py)."""

from collections.abc import Iterable, Iterator, Mapping

from trackyard.base.plain_fields import DeclaredField, PlainField
from trackyard.console.forms.declared import FormField, FormGroup


def names_in(groups: Iterable[FormGroup]) -> frozenset[str]:
    """Return the names of the fields of groups."""
    return frozenset(part.name for group in groups for part in group.parts)


def plain_form_fields(fields: Mapping[str, DeclaredField[PlainField]], placed: frozenset[str]) -> Iterator[FormField]:
    """Yield the plain fields that no group holds. placed: the names of fields that one holds."""
    for name, field in fields.items():
        if name not in placed:
            yield FormField(name, wide=field.options.longest > 500)
