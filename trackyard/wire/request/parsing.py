"""Reads a tree of sent values into a parameter model (docs/spec/api-conventions.md#parameters)."""

import re
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import ValidationError

from trackyard.base.errors import BadInput, Fields
from trackyard.base.ids import is_number
from trackyard.wire.request.brackets import Tree, wire_name
from trackyard.wire.request.params import Params, each_ignored, fields_of, without_admin_only
from trackyard.wire.response.errors import REQUIRED, faults_of

P = TypeVar("P", bound=Params)

_KEY = re.compile(r"\[([^\[\]]*)\]")


def read_params(model: type[P], tree: Tree, *, staff: bool, version: str) -> tuple[P, dict[str, str]]:
    """Return the parameters, and a sentence for each ignored wire name. Raises BadInput with every fault."""
    ignored = dict(each_ignored(model, tree, "", staff=staff))
    if not staff:
        tree = without_admin_only(model, tree)
    faults: dict[str, list[str]] = {}
    for field in fields_of(model):
        if field.is_required_for(staff=staff, version=version) and tree.get(field.name) in (None, "", [], {}):
            faults[field.name] = [REQUIRED]
    try:
        params = model.model_validate(tree, context={"staff": staff, "version": version})
    except ValidationError as error:
        raise BadInput(faults | faults_of(error)) from None
    if faults:
        raise BadInput(faults)
    return params, ignored


def as_sent(model: type[Params], tree: Tree, fields: Fields) -> Fields:
    """Return each fault by the name under which its value was sent.

    A list may be sent with any numbers (`list[1]`, `list[5]`), while faults count its items from 0. A name that is not
    a parameter stays.
    """
    return {_sent_name(model, tree, name): sentences for name, sentences in fields.items()}


def _sent_name(model: type[Params], tree: Tree, name: str) -> str:
    first, bracket, rest = name.partition("[")
    keys = [first, *_KEY.findall(bracket + rest)]
    return wire_name(_sent_keys(model, tree, keys)) if wire_name(keys) == name else name


def _sent_keys(model: type[Params] | None, tree: Any, keys: list[str]) -> Iterator[str]:
    """Yield the sent keys of a name, outermost first. forms: the containers that are not entered yet."""
    forms: list[str] = []
    for place, key in enumerate(keys):
        if forms:
            form = forms.pop(0)
            if form == "any" and not isinstance(tree, dict | list):
                return  # one value was sent, which has the name of the parameter
            sent = _sent_index(tree, key) if form in ("seq", "any") else key  # items of a comma list have no numbers
        else:
            field = next((field for field in fields_of(model) if field.name == key), None) if model else None
            if field is None:
                yield from keys[place:]
                return
            sent, forms, model = field.sent_name(tree), list(field.forms), field.model
        yield sent
        tree = _inside(tree, sent)


def _sent_index(tree: Any, index: str) -> str:
    """Return the number under which the item at an index was sent."""
    if not is_number(index) or not isinstance(tree, dict) or any(isinstance(item, list) for item in tree.values()):
        return index
    sent = sorted(tree, key=lambda key: (len(key), key))
    return sent[int(index)] if int(index) < len(sent) else index


def _inside(tree: Any, key: str) -> Any:
    if isinstance(tree, dict):
        return tree.get(key)
    return tree[int(key)] if isinstance(tree, list) and is_number(key) and int(key) < len(tree) else None
