"""The parameter model of an endpoint: containers, markers and fields.

docs/spec/api-conventions.md#parameters. A model is a class of named types: `class NewThing(Params): title: Title`. The
wire name is the alias, by default the name of the field. Validation, errors, ignored parameters, the OpenAPI document
and the comparison with the contract are derived from `fields_of(model)`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema

from trackyard.base.ids import is_number
from trackyard.wire.request.scalars import EMPTY_ITEM, Scalar

MAX_ITEMS = 1000
"""Values one list may hold; an import of more is several requests."""

MAX_SHOWN_NAME = 200
"""Characters of an ignored parameter's name that an answer repeats."""

T = TypeVar("T")
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Only:
    """A restriction of a parameter. since, until: versions that document it.

    A parameter with `admin` is ignored and named when an affiliate sends it.
    """

    admin: bool = False
    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class RequiredFor:
    """Requires a parameter of staff, or from a version on."""

    staff: bool = False
    since: str | None = None


@dataclass(frozen=True, slots=True)
class Deprecated:
    """A deprecated name; `use` is its successor."""

    use: str


@dataclass(frozen=True, slots=True)
class Clearable:
    """An empty value clears the stored one: it is read as None and is in `model_fields_set`."""


@dataclass(frozen=True, slots=True)
class MayBeEmpty:
    """A required list that may be empty."""


@dataclass(frozen=True, slots=True)
class Credential:
    """It writes a column of `CREDENTIAL_COLUMNS`.

    Keys with limits may not send it (docs/spec/callers.md#credentials).
    """


@dataclass(frozen=True, slots=True)
class Spelled:
    """Other spellings of a parameter's name that programs send. Its own name wins when both are sent."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Described:
    """The meaning and the label of a parameter or an answer field. "" = they are in the tables of texts."""

    text: str = ""
    label: str = ""


_MARKERS = Only | RequiredFor | Deprecated | Clearable | MayBeEmpty | Credential | Spelled | Described


@dataclass(frozen=True, slots=True)
class Container:
    """The form in which several values of one parameter are sent: seq, any, comma or keyed."""

    form: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        splits = self.form == "comma" or (self.form == "any" and _has_no_comma(source))
        read = _keyed if self.form == "keyed" else _comma_sequence if splits else _sequence
        schema = core_schema.no_info_before_validator_function(read, handler(source))
        if self.form == "keyed":
            return schema
        return core_schema.no_info_after_validator_function(_without_empty, schema)


Seq = Annotated[tuple[T, ...], Container("seq")]
"""A list: `k=v`, repeated, `k[]=v`, `k[0]=v`, or a JSON list. A scalar is a list of one, "" an empty list.

Empty items are dropped from lists of types that have no empty value.
"""

AnyOf = Annotated[tuple[T, ...], Container("any")]
"""A filter that the specification shows as one value. A list is accepted; any of its values matches.

`k=a,b` is a list, too, where no value can have a comma.
"""

CommaList = Annotated[tuple[T, ...], Container("comma")]
"""A list that may also come as `k=a,b`."""

Keyed = Annotated[dict[K, T], Container("keyed")]
"""A map; digit keys are keys. A list is a map by its indices."""


class Params(BaseModel):
    """The base of every parameter model. An empty value of a type without one counts as not sent.

    edits: whether it changes a stored thing. Parameters that are not sent then stay as they are, and the defaults,
    shared with the model of a new thing, are not documented.
    """

    edits: ClassVar[bool] = False

    # The first request to an endpoint builds its validator: all of them would take longer than the rest of the module.
    model_config = ConfigDict(
        frozen=True, extra="ignore", validate_default=False, arbitrary_types_allowed=True, defer_build=True
    )

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, tree: Any) -> Any:
        if not isinstance(tree, dict):
            raise ValueError("This value must hold named values.")
        kept = dict(tree)
        for field in fields_of(cls):
            for spelling in field.spellings:
                if spelling in kept:
                    kept.setdefault(field.name, kept.pop(spelling))
            value = kept.get(field.name, "")
            if (field.needs_items and _is_empty(value)) or (field.holds_names and value == []):
                kept.pop(field.name, None)
            if field.name not in kept or not (value is None or value == ""):
                continue
            if field.clearable:
                kept[field.name] = None
            elif field.drops_empty:
                del kept[field.name]
            elif value is None:
                kept[field.name] = ""
        return kept


class NoParams(Params):
    """An endpoint without parameters."""


@dataclass(frozen=True, slots=True)
class Field:
    """The declaration of one parameter.

    owner: the model that has it.
    forms: its containers from outside in, see Container.
    model: the nested model, if the parameter has one.
    listed: whether it is part of a list or map of models.
    """

    owner: type[Params]
    name: str
    attribute: str
    forms: tuple[str, ...]
    scalar: Scalar | None
    model: type[Params] | None
    required: bool
    default: Any
    markers: tuple[Any, ...]
    listed: bool = False

    def within(self, above: "Field") -> "Field":
        """Return it as a parameter of the model that `above` holds: with its `Only`, and whether it is listed."""
        only = tuple(marker for marker in above.markers if isinstance(marker, Only))
        return replace(self, markers=self.markers + only, listed=above.listed or above.form != "one")

    @property
    def form(self) -> str:
        """Return the form in which it is sent: one, or its outermost container."""
        return self.forms[0] if self.forms else "one"

    @property
    def needs_items(self) -> bool:
        """Return whether an empty list counts as not sent."""
        empty = any(isinstance(marker, MayBeEmpty) for marker in self.markers)
        return self.required and not empty and self.form in ("seq", "any", "comma")

    @property
    def holds_names(self) -> bool:
        """Return whether it holds named values, of which an empty JSON list has none."""
        return self.model is not None and self.form == "one"

    @property
    def drops_empty(self) -> bool:
        """Return whether "" means not sent."""
        return self.form == "one" and (self.required or self.scalar is None or self.scalar.drops_empty)

    @property
    def clearable(self) -> bool:
        """Return whether "" clears the stored value."""
        return any(isinstance(marker, Clearable) for marker in self.markers)

    @property
    def is_credential(self) -> bool:
        """Return whether a key with limits may not send it."""
        return any(isinstance(marker, Credential) for marker in self.markers)

    @property
    def admin_only(self) -> bool:
        """Return whether it is ignored when an affiliate sends it."""
        return any(isinstance(marker, Only) and marker.admin for marker in self.markers)

    @property
    def spellings(self) -> tuple[str, ...]:
        """Return the other spellings of its name."""
        return tuple(name for marker in self.markers if isinstance(marker, Spelled) for name in marker.names)

    def sent_name(self, tree: Any) -> str:
        """Return the name under which it was sent."""
        sent = tree if isinstance(tree, dict) else {}
        return next((name for name in (self.name, *self.spellings) if name in sent), self.name)

    def is_required_for(self, *, staff: bool, version: str) -> bool:
        """Return whether a caller must send it under a version, beyond what the model requires."""
        return any(
            (marker.staff and staff) or (marker.since is not None and version >= marker.since)
            for marker in self.markers
            if isinstance(marker, RequiredFor)
        )


@cache
def fields_of(model: type[Params]) -> tuple[Field, ...]:
    """Return the parameters of a model, in order."""
    return tuple(_field(model, attribute, info) for attribute, info in model.model_fields.items())


def credentials_in(params: Params) -> list[str]:
    """Return the sent parameters, by name, that keys with limits may not send."""
    return [
        field.name
        for field in fields_of(type(params))
        if field.is_credential and field.attribute in params.model_fields_set
    ]


def each_ignored(model: type[Params], tree: Any, prefix: str, *, staff: bool) -> Iterator[tuple[str, str]]:
    """Yield each ignored parameter in `tree`: its wire name, and a sentence with the reason."""
    if not isinstance(tree, dict):
        return
    known = {field.sent_name(tree): field for field in fields_of(model)}
    for key, value in tree.items():
        name = f"{prefix}[{key}]" if prefix else key
        field = known.get(key)
        if field is None:
            yield from (
                (place, f"{place[:MAX_SHOWN_NAME]} {_UNKNOWN} It was ignored.") for place in _unknown_names(value, name)
            )
        elif field.admin_only and not staff:
            yield name, f"{name[:MAX_SHOWN_NAME]} {_STAFF_ONLY} It was ignored."
        elif field.model is not None:
            for place, item in _leaves(value, name, len(field.forms)):
                yield from each_ignored(field.model, item, place, staff=staff)


def _unknown_names(value: Any, name: str) -> Iterator[str]:
    """Yield each sent name below an unknown one: `filter[offer]`. A list has one name."""
    if isinstance(value, dict) and value and not all(is_number(key) or key == "" for key in value):
        for key in value:
            yield f"{name}[{key}]"
    else:
        yield name


_UNKNOWN = "is not a parameter of this method."
_STAFF_ONLY = "is a parameter for staff only."


def without_admin_only(model: type[Params], tree: dict[str, Any]) -> dict[str, Any]:
    """Return the tree without parameters for staff only."""
    kept = dict(tree)
    for field in fields_of(model):
        if field.admin_only:
            for name in (field.name, *field.spellings):
                kept.pop(name, None)
        if field.name not in kept:
            continue
        if field.model is not None and field.form == "one" and isinstance(kept[field.name], dict):
            kept[field.name] = without_admin_only(field.model, kept[field.name])
    return kept


def _leaves(value: Any, name: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield each value in `depth` containers, with its wire name."""
    if depth == 0:
        yield name, value
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(inner, f"{name}[{key}]", depth - 1)


def _sequence(value: Any) -> list[Any]:
    if value is None or value == "":
        return []
    if isinstance(value, tuple):  # a default that is validated
        return list(value)
    if isinstance(value, dict):
        if not all(is_number(key) for key in value):
            raise ValueError("This value must be a list.")
        value = [value[key] for key in sorted(value, key=lambda key: (len(key), key))]
    if not isinstance(value, list):
        return [value]
    flat: list[Any] = []
    for item in value:
        flat.extend(item if isinstance(item, list) else [item])
    if len(flat) > MAX_ITEMS:
        raise ValueError(f"This value may hold at most {MAX_ITEMS} values.")
    if flat == [""]:
        return []
    return [EMPTY_ITEM if item == "" else item for item in flat]  # which keeps the places of the others in faults


def _has_no_comma(source: Any) -> bool:
    """Return whether no value of a list's type can have a comma."""
    marked = getattr(get_args(source)[0], "__metadata__", ())
    return any(isinstance(marker, Scalar) and marker.has_no_comma for marker in marked)


def _without_empty(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the values without empty items, which forms send for empty fields."""
    return tuple(value for value in values if value is not EMPTY_ITEM)


def _is_empty(value: Any) -> bool:
    """Return whether a sent list holds no value, or only empty ones."""
    if isinstance(value, dict):
        return all(_is_empty(item) for item in value.values())
    if isinstance(value, list):
        return all(_is_empty(item) for item in value)
    return value is None or value == ""


def _comma_sequence(value: Any) -> list[Any]:
    pieces: list[Any] = []
    for item in _sequence(value):
        pieces.extend(item.split(",") if isinstance(item, str) else [item])
    if len(pieces) > MAX_ITEMS:
        raise ValueError(f"This value may hold at most {MAX_ITEMS} values.")
    stripped = (piece.strip() if isinstance(piece, str) else piece for piece in pieces)
    return [EMPTY_ITEM if piece == "" else piece for piece in stripped]


def _keyed(value: Any) -> dict[str, Any]:
    if value is None or value == "":
        return {}
    if isinstance(value, list):
        return {str(index): item for index, item in enumerate(value)}
    if not isinstance(value, dict):
        raise ValueError("This value must hold named values.")
    return value


def _field(owner: type[Params], attribute: str, info: FieldInfo) -> Field:
    markers = list(info.metadata)
    inner = _without_none(info.annotation)
    forms: list[str] = []
    while True:
        if get_origin(inner) is Annotated:
            inner, *more = get_args(inner)
            markers.extend(more)
            continue
        container = next((marker for marker in markers if isinstance(marker, Container)), None)
        if container is None:
            break
        forms.append(container.form)
        arguments = get_args(inner)
        inner = arguments[-1] if container.form == "keyed" else arguments[0]
        markers.remove(container)
    scalar = next((marker for marker in markers if isinstance(marker, Scalar)), None)
    model = inner if isinstance(inner, type) and issubclass(inner, Params) else None
    if scalar is None and model is None:
        raise TypeError(f"{attribute} is of no named type")
    return Field(
        owner=owner,
        name=info.alias or attribute,
        attribute=attribute,
        forms=tuple(forms),
        scalar=scalar,
        model=model,
        required=info.is_required(),
        default=None if info.is_required() else info.get_default(call_default_factory=True, validated_data={}),
        markers=tuple(marker for marker in markers if isinstance(marker, _MARKERS)),
    )


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) in (Union, UnionType):
        kept = [inner for inner in get_args(annotation) if inner is not type(None)]
        if len(kept) != 1:
            raise TypeError(f"{annotation} is of no named type")
        return kept[0]
    return annotation
