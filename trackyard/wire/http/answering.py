"""From parameters to the answer of a method, without bytes.

docs/architecture.md#an-endpoint-is-one-declaration

Requests from outside encode the answer (wire/http/handler_run.py); pages take it as it is (wire/local_calls.py).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, Generic, NamedTuple, TypeVar

from trackyard.base.errors import BadInput
from trackyard.base.logs.origin import RequestOrigin
from trackyard.domain.people.callers import Caller
from trackyard.wire.endpoint import A, ApiRequest, Endpoint, Version
from trackyard.wire.http.key_limits import check_credentials
from trackyard.wire.request.brackets import Tree
from trackyard.wire.request.params import Params
from trackyard.wire.request.parsing import as_sent, read_params
from trackyard.wire.response.guards import hide_figures

MAX_IGNORED: Final = 20
"""Names of ignored parameters that an answer lists."""

D = TypeVar("D")


class ReadRequest(NamedTuple, Generic[D]):
    """A request with its subject and its parameters.

    ignored: a sentence for each sent name that is not a parameter of the method.
    """

    request: ApiRequest[D]
    params: Params
    ignored: dict[str, str]


def request_of(
    endpoint: Endpoint[D, Any],
    deps: D,
    caller: Caller | None,
    origin: RequestOrigin,
    version: Version,
    path: Mapping[str, str],
) -> ApiRequest[D]:
    """Return a request of a caller that `authorize` admitted. path: values of the variables in the path."""
    return ApiRequest(
        deps=deps,
        caller_or_none=caller,
        address=origin.address,
        user_agent=origin.user_agent,
        version=version,
        permission=endpoint.permission,
        path=dict(path),
        max_limit=endpoint.page_max,
    )


def read_request(
    endpoint: Endpoint[D, Any], request: ApiRequest[D], tree: Tree, fault: BadInput | None = None
) -> ReadRequest[D]:
    """Return the request with the subject of its path and its parameters.

    fault: an error in the form of the parameters. It is raised after the subject is found. Raises RequestError.
    """
    if endpoint.find is not None:
        request = replace(request, subject=endpoint.find(request))
    if fault is not None:
        raise fault
    with faults_as_sent(endpoint, tree):
        params, ignored = read_params(endpoint.params, tree, staff=request.staff, version=request.version)
        check_credentials(request.caller_or_none, params)
    return ReadRequest(request, params, ignored)


def answer_request(endpoint: Endpoint[D, A], read: ReadRequest[D], tree: Tree) -> A:
    """Return the answer of the handler with its warnings, in the view of the caller.

    Raises RequestError; TypeError for an answer of another view.
    """
    request = read.request
    if endpoint.method == "GET":  # a filter that is dropped silently would widen the answer
        for name in sorted(read.ignored)[:MAX_IGNORED]:
            request.warn(read.ignored[name])
    with faults_as_sent(endpoint, tree):
        answer = endpoint.handle(request, read.params)
    if request.warnings:
        answer.warnings = request.warnings
    if type(answer) is not endpoint.answer_for(request.caller_or_none):
        raise TypeError(f"{endpoint.id} answered {type(answer).__name__}, which is not its view for this caller")
    hide_figures(answer, request.caller_or_none)
    return answer


@contextmanager
def faults_as_sent(endpoint: Endpoint[D, Any], tree: Tree) -> Iterator[None]:
    """Report each fault under the name by which its value was sent."""
    try:
        yield
    except BadInput as found:
        raise BadInput(as_sent(endpoint.params, tree, found.fields or {})) from found
