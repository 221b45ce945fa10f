"""Fuzzed readers of requests to the API: brackets, JSON, multipart, and parameters."""

from io import BytesIO
from typing import Any

from trackyard.api.catalogue import CATALOGUE
from trackyard.base.errors import BadInput, BodyTooLarge, UnsupportedMediaType
from trackyard.wire.endpoint import Endpoint
from trackyard.wire.request.brackets import (
    FOR_CALLERS,
    FOR_STRANGERS,
    FormLimits,
    Tree,
    body_tree,
    close_files,
    query_pairs,
    tree_of,
)
from trackyard.wire.request.parsing import as_sent, read_params

METHODS = {endpoint.id.encode(): endpoint for endpoint in CATALOGUE}
QUERY = b"query"
MOST_ANSWER = 256 * 1024
"""Bytes of the errors of one request."""


def read_request(data: bytes) -> None:
    """Read a request.

    Its first line names the method of the API and the content type, "query" for a query.
    Only errors that callers see may be raised, and what they say is bounded.
    """
    first, _, body = data.partition(b"\n")
    method, _, content_type = first.partition(b" ")
    endpoint = METHODS.get(method, METHODS[b"admin.offer.add"])
    limits = FOR_STRANGERS if endpoint.is_public else FOR_CALLERS
    try:
        tree = _tree(content_type, body, limits)
    except BodyTooLarge:
        return
    except BadInput as fault:
        _check_fault(fault)
        return
    try:
        _check_tree(tree, limits)
        _read_params(endpoint, tree)
    finally:
        close_files(tree)


def _tree(content_type: bytes, body: bytes, limits: FormLimits) -> Tree:
    if content_type == QUERY:
        return tree_of(query_pairs(body, limits), limits)
    return body_tree(content_type.decode("latin-1"), BytesIO(body), limits)


def _read_params(endpoint: Endpoint[Any], tree: Tree) -> None:
    for version in endpoint.versions:
        try:
            read_params(endpoint.params, tree, staff=endpoint.audience != "affiliate", version=version)
        except BadInput as fault:
            _check_fault(BadInput(as_sent(endpoint.params, tree, fault.fields or {})))
        except UnsupportedMediaType:
            return


def _check_tree(tree: Tree, limits: FormLimits) -> None:
    """No tree is deeper or larger than its limits allow."""
    waiting: list[tuple[int, Any]] = [(1, tree)]
    seen = 0
    while waiting:
        depth, node = waiting.pop()
        seen += 1
        children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        assert depth <= limits.depth + 3 or not children, "a tree is deeper than names may be"
        waiting.extend((depth + 1, child) for child in children)
    assert seen <= max(limits.values, limits.parameters * (limits.depth + 2)) + 1, "a tree is larger than its request"


def _check_fault(fault: BadInput) -> None:
    size = sum(len(name) + sum(map(len, texts)) for name, texts in (fault.fields or {}).items())
    assert size <= MOST_ANSWER, f"the errors of a request have {size} characters"
