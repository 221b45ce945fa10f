"""From a tree of what was sent to a parameter model, with what was ignored on the way
(docs/spec/api-conventions.md#parameters)."""

from typing import TypeVar

from pydantic import ValidationError

from trackyard.base.errors import BadInput
from trackyard.wire.request.brackets import Tree
from trackyard.wire.request.params import Params, each_ignored, fields_of, without_admin_only
from trackyard.wire.response.errors import REQUIRED, faults_of

P = TypeVar("P", bound=Params)


def read_params(model: type[P], tree: Tree, *, staff: bool, version: str) -> tuple[P, dict[str, str]]:
    """Return the parameters, and the ignored ones: wire name to a sentence. Raises BadInput with every fault."""
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
