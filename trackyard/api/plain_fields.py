"""Parameters and answer fields of the plain fields of a record (base/plain_fields.py).

A class that declares one of them itself keeps its own declaration.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from inspect import get_annotations
from itertools import chain
from types import new_class
from typing import Annotated, Any, Final, TypeVar, cast, get_type_hints

import msgspec
from pydantic import create_model

from trackyard.base.plain_fields import DeclaredField, PlainField
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, Described, Params
from trackyard.wire.response.envelope import View

P = TypeVar("P", bound=Params)
V = TypeVar("V", bound=View)
Declared = Mapping[str, DeclaredField[PlainField]]

_KEPT: Final = ("__module__", "__doc__", "guarded")
"""Attributes of a class that the class with more fields has too."""


def add_parameters(model: type[P], fields: Declared) -> type[P]:
    """Return a model of parameters with the plain fields that it lacks, each in its place."""
    added = {name: field for name, field in fields.items() if name not in model.model_fields}
    given = {name: (_parameter_type(field), field.default) for name, field in added.items()}
    return insert_parameters(model, given, {name: field.options.after for name, field in added.items()})


def insert_parameters(model: type[P], added: Mapping[str, Any], anchors: Mapping[str, str]) -> type[P]:
    """Return a model with more parameters.

    added: the type and the default of each. anchors: the parameter that each follows.
    """
    if not added:
        return model
    own = {name: (info.annotation, info) for name, info in model.model_fields.items() if name in get_annotations(model)}
    given: Any = {**own, **added}
    placed: Any = {name: given[name] for name in _in_order(own, {name: anchors[name] for name in added})}
    base: Any = create_model(model.__name__, __base__=model.__bases__, __module__=model.__module__, **placed)
    made: type[P] = new_class(model.__name__, (model, base), exec_body=lambda names: names.update(_kept(model)))
    return made


def add_answer_fields(view: type[V], fields: Declared, *, is_placed: bool) -> type[V]:
    """Return a view with the plain fields that it lacks, and with the texts of the fields that it states.

    is_placed: whether each is after the field that its declaration states; otherwise they are at the end.
    """
    stated = get_annotations(view)
    own = {name: _with_texts(stated[name], fields[name].options) if name in fields else stated[name] for name in stated}
    added = {name: field for name, field in fields.items() if name not in view.__struct_fields__}
    if not added and own == stated:
        return view
    options = {name: field.options for name, field in added.items()}
    anchors = {name: (each.answer_after or each.after) if is_placed else "" for name, each in options.items()}
    order = _in_order(own, anchors)
    types = own | {name: _answer_type(field) for name, field in added.items()}
    defaults = {each.name: each.default for each in msgspec.structs.fields(view) if not each.required}
    made: Any = msgspec.defstruct(
        view.__name__,
        [(name, types[name]) for name in order if name not in defaults]
        + [(name, types[name], defaults[name]) for name in order if name in defaults],
        bases=view.__bases__,
        namespace=_kept(view),
        module=view.__module__,
        rename=_renamed(view),
    )
    return cast("type[V]", made)


def with_fields_of(views: Iterable[type[View]], *names: Iterable[str]) -> Callable[[type[V]], type[V]]:
    """Return a decorator that adds fields of other views to a view, with their types and texts.

    views: the first that has a field gives its type. names: of the fields, in their order.
    """
    types: dict[str, Any] = {}
    for each in views:
        types = get_type_hints(each, include_extras=True) | types

    def decorate(view: type[V]) -> type[V]:
        fields = [(name, types[name]) for name in chain.from_iterable(names)]
        bases, kept = view.__bases__, _kept(view)
        made: Any = msgspec.defstruct(view.__name__, fields, bases=bases, namespace=kept, module=view.__module__)
        return cast("type[V]", made)

    return decorate


def _kept(declaring: type[Any]) -> dict[str, Any]:
    return {name: value for name, value in vars(declaring).items() if name in _KEPT}


def _renamed(view: type[View]) -> dict[str, str]:
    """Return the names of fields that answers have under another name."""
    return {
        name: sent
        for name, sent in zip(view.__struct_fields__, view.__struct_encode_fields__, strict=True)
        if name != sent
    }


def _in_order(own: Iterable[str], anchors: Mapping[str, str]) -> list[str]:
    """Return all names, each added one after its anchor, or at the end where its anchor is missing."""
    order = list(own)
    waiting = list(anchors.items())
    while placed := [(name, anchor) for name, anchor in waiting if anchor in order]:
        for name, anchor in placed:
            order.insert(order.index(anchor) + 1, name)
        waiting = [each for each in waiting if each not in placed]
    return order + [name for name, _ in waiting]


def _parameter_type(field: DeclaredField[PlainField]) -> Any:
    options = field.options
    kind: Any = field.kind
    scalar: Any
    if kind is bool:
        scalar = s.ZERO_ONE
    elif issubclass(kind, Enum):
        scalar = s.Choice(kind)
    else:
        scalar = s.WholeNumber(options.least, options.most) if kind is int else s.BoundedText(options.longest)
    plain = Annotated[kind, scalar]
    given: Any = plain | None if field.is_optional else plain
    return _with_texts(Annotated[given, Clearable()] if field.is_optional and options.clears else given, options)


def _answer_type(field: DeclaredField[PlainField]) -> Any:
    """Return the type in answers. A text that is not set is "" or with `is_null` null, a number null or 0."""
    options = field.options
    kind: Any = str if issubclass(field.kind, Enum) else int if options.is_number else field.kind
    has_null = options.is_null if kind is str else kind is int and not options.is_number
    return _with_texts(kind | None if field.is_optional and has_null else kind, options)


def _with_texts(given: Any, options: PlainField) -> Any:
    texts = Described(options.text, options.label)
    return Annotated[given, texts] if texts != Described() else given
