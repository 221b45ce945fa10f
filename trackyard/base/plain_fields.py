"""Plain fields of records, declared once each (docs/adding-a-field.md).

A plain field has one value, which is stored, sent and shown as it is. Its parameter, the field of answers, the column
and its place in a form derive from its declaration.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainField:
    """The declaration of a plain field.

    text: its meaning, for documents, errors and the form; "" = it is in a table of texts.
    label: its name on pages; "" = it is in a table of texts, else the name in words.
    longest: the longest text.
    least, most: the bounds of a number.
    clears: whether an empty value of an optional field takes the stored value away, and is not kept as a text.
    is_number: whether answers have 0 or 1 instead of false or true, or 0 for a number that is not set.
    is_null: whether answers have null instead of "" for a text that is not set.
    after, answer_after: the field that it follows in parameters and in answers of staff; "" = it is the last one, and
    has the same place in answers as in parameters.
    """

    text: str = ""
    label: str = ""
    longest: int = 200
    least: int = 0
    most: int = 2**31 - 1
    clears: bool = True
    is_number: bool = False
    is_null: bool = False
    after: str = ""
    answer_after: str = ""


O_co = TypeVar("O_co", bound=PlainField, covariant=True)
"""The declaration that the fields of a record have."""


@dataclass(frozen=True, slots=True)
class DeclaredField(Generic[O_co]):
    """A plain field as it is declared.

    kind: bool, int, str or an enumeration.
    is_optional: whether None is a value: not set.
    """

    name: str
    kind: type[Any]
    is_optional: bool
    default: Any
    options: O_co


def declared_fields(record: type[Any], kind: type[O_co]) -> Mapping[str, DeclaredField[O_co]]:
    """Return the fields of a struct or a dataclass of plain fields by name, in order.

    kind: the declaration that each has. Raises TypeError for a field without it, and for a type that is not plain.
    """
    hints = get_type_hints(record, include_extras=True)
    return {name: _declared(name, default, hints[name], kind) for name, default in _defaults(record)}


def _defaults(record: type[Any]) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(record):
        yield from ((each.name, each.default) for each in dataclasses.fields(record))
    else:
        yield from ((each.name, each.default) for each in msgspec.structs.fields(record))


def _declared(name: str, default: Any, annotation: Any, kind: type[O_co]) -> DeclaredField[O_co]:
    if get_origin(annotation) is not Annotated:
        raise TypeError(f"{name} has no declaration")
    plain, *options = get_args(annotation)
    types = get_args(plain) if get_origin(plain) in (Union, UnionType) else (plain,)
    value, *others = [each for each in types if each is not NoneType]
    is_plain = isinstance(value, type) and issubclass(value, bool | int | str) and not others
    if not is_plain or len(options) != 1 or not isinstance(options[0], kind):
        raise TypeError(f"{name} is not a plain field")
    return DeclaredField(name, value, NoneType in types, default, options[0])
