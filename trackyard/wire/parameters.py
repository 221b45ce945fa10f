"""What forms show of the parameters of a method, from its declaration (docs/spec/console.md#forms)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from trackyard.wire.openapi.texts import Texts
from trackyard.wire.request.params import Field, MayBeEmpty, Params, fields_of
from trackyard.wire.request.scalars import BoundedText, Choice, FileUpload, Scalar, WholeNumber

ParameterKind = Literal[
    "text", "long", "number", "amount", "flag", "choice", "day", "moment", "email", "url", "file", "rows"
]
"""What one value is; rows: a list of records."""

_BY_CONTRACT: Final[Mapping[str, ParameterKind]] = {
    "flag": "flag", "truefalse": "flag", "float": "amount", "date": "day", "datetime": "moment", "email": "email",
    "url": "url",
}  # fmt: skip
_EXAMPLES: Final = {"duration": "30d", "zone": "Europe/Berlin", "url": "https://", "currency": "USD"}
_LONG: Final = 1000
"""Characters from which a text is written in several lines."""
_KEYS: Final = re.compile(r"\[([^\[\]]+)\]")


@dataclass(frozen=True, slots=True)
class MethodParameter:
    """A parameter as forms show it.

    name: as it is sent, without the keys around it.
    many: whether it takes a list; comma: the list is sent as one text.
    choices: the values that the caller may send; () where any fits.
    required: whether it must hold something. may_be_empty: whether it is a list that must be sent, empty or not.
    clears: whether an empty value empties the stored one. Otherwise an empty value counts as not sent.
    default: what counts when it is not sent.
    parts: the parameters of each record of a list.
    """

    name: str
    label: str
    help: str
    unit: str
    group: str
    kind: ParameterKind
    example: str = ""
    many: bool = False
    comma: bool = False
    required: bool = False
    may_be_empty: bool = False
    clears: bool = False
    choices: tuple[str, ...] = ()
    default: Any = None
    parts: "tuple[MethodParameter, ...]" = ()


def parameter_at(model: type[Params], name: str, texts: Texts, context: Mapping[str, Any]) -> MethodParameter:
    """Return the parameter of a wire name.

    name: such as `title`, `schedule[enabled]`, `kpi[en]` or `payments[0][total]`.
    context: the caller's facts that types read. Raises KeyError for a name that the model does not have.
    """
    first, *keys = name.partition("[")[0], *_KEYS.findall(name)
    field = _field(model, first)
    while keys:
        if field.form == "keyed" and len(field.forms) == len(keys) and field.model is None:
            break
        if field.model is None or len(field.forms) >= len(keys):
            raise KeyError(name)
        del keys[: len(field.forms)]  # the places of records in lists
        field = _field(field.model, keys.pop(0))
    return _parameter(field, texts, context, within_map=bool(keys))


def _field(model: type[Params], name: str) -> Field:
    found = next((field for field in fields_of(model) if field.name == name), None)
    if found is None:
        raise KeyError(f"{model.__name__} has no parameter {name}")
    return found


def _parameter(field: Field, texts: Texts, context: Mapping[str, Any], *, within_map: bool = False) -> MethodParameter:
    shown = texts.form_keys(field.owner, field.name)
    scalar = field.scalar
    is_many = field.form in ("seq", "any", "comma") and not within_map
    may_be_empty = any(isinstance(marker, MayBeEmpty) for marker in field.markers)
    parts = () if field.model is None else fields_of(field.model)
    return MethodParameter(
        name=field.name,
        label=shown["x-label"],
        help=texts.text_of(field.owner, field.name),
        unit=shown.get("x-unit", ""),
        group=shown.get("x-group", ""),
        kind="rows" if scalar is None else _kind(scalar),
        example="" if scalar is None else _EXAMPLES.get(scalar.contract, ""),
        many=is_many,
        comma=field.form == "comma",
        required=(field.required and not may_be_empty and not within_map)
        or field.is_required_for(staff=bool(context["staff"]), version=context["version"]),
        may_be_empty=may_be_empty,
        clears=is_many or within_map or field.clearable or not field.drops_empty,
        choices=tuple(map(str, scalar.allowed(context))) if isinstance(scalar, Choice) else (),
        default=None if within_map else field.default,
        parts=tuple(_parameter(part, texts, context) for part in parts),
    )


def _kind(scalar: Scalar) -> ParameterKind:
    if isinstance(scalar, Choice):
        return "choice"
    if isinstance(scalar, FileUpload):
        return "file"
    if isinstance(scalar, WholeNumber):
        return "number"
    if isinstance(scalar, BoundedText) and scalar.maximum > _LONG and scalar.contract == "string":
        return "long"
    return _BY_CONTRACT.get(scalar.contract, "text")
