"""The names of faults as they were sent: a list may come under any numbers (`list[1]`, `list[5]`), and is read as one.

Faults are found in what was read, where items are counted from 0; whoever sent them looks for the numbers they sent.
"""

import re
from collections.abc import Iterator
from typing import Any

from trackyard.base.errors import Fields
from trackyard.wire.request.brackets import Tree, wire_name
from trackyard.wire.request.params import Params, fields_of

_KEY = re.compile(r"\[([^\[\]]*)\]")


def as_sent(model: type[Params], tree: Tree, fields: Fields) -> Fields:
    """Faults by the names under which their values stand in `tree`; what is not among the parameters stays."""
    return {_sent_name(model, tree, name): sentences for name, sentences in fields.items()}


def _sent_name(model: type[Params], tree: Tree, name: str) -> str:
    first, bracket, rest = name.partition("[")
    keys = [first, *_KEY.findall(bracket + rest)]
    return wire_name(_sent_keys(model, tree, keys)) if wire_name(keys) == name else name


def _sent_keys(model: type[Params] | None, tree: Any, keys: list[str]) -> Iterator[str]:
    """The keys from outside in. forms: the containers that are still to be entered."""
    forms: list[str] = []
    for place, key in enumerate(keys):
        if forms:
            form = forms.pop(0)
            if form == "any" and not isinstance(tree, dict | list):
                return  # one value was sent: it has the name of the parameter
            sent = _sent_index(tree, key) if form in ("seq", "any") else key  # of a comma list the place is all
        else:
            field = next((field for field in fields_of(model) if field.name == key), None) if model else None
            if field is None:
                yield from keys[place:]
                return
            sent, forms, model = key, list(field.forms), field.model
        yield sent
        tree = _inside(tree, sent)


def _sent_index(tree: Any, index: str) -> str:
    """The number under which the item of an index was sent."""
    if not index.isdecimal() or not isinstance(tree, dict) or any(isinstance(item, list) for item in tree.values()):
        return index
    sent = sorted(tree, key=lambda key: (len(key), key))
    return sent[int(index)] if int(index) < len(sent) else index


def _inside(tree: Any, key: str) -> Any:
    if isinstance(tree, dict):
        return tree.get(key)
    return tree[int(key)] if isinstance(tree, list) and key.isdecimal() and int(key) < len(tree) else None
