"""The API as one ASGI application."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version

from trackyard.actions.deps import Deps
from trackyard.actions.failures import refusal_of
from trackyard.actions.people.callers import find_caller
from trackyard.actions.platform.idempotency import run_once
from trackyard.api.catalogue import CATALOGUE, TOPICS
from trackyard.api.platform.files import FILES, file_pages
from trackyard.api.texts import texts
from trackyard.wire.endpoint import VERSIONS
from trackyard.wire.http.dispatch import Dispatch, Forward
from trackyard.wire.http.health import Page, Readiness, health, metrics_moved, ready
from trackyard.wire.http.rate_limits import ApiLimits
from trackyard.wire.openapi.docs_page import docs_page, document_path, openapi_page
from trackyard.wire.openapi.document import document, document_of_version


def build(
    deps: Deps,
    readiness: Callable[[], Readiness] = Readiness,
    limits: ApiLimits | None = None,
    forward: Forward | None = None,
    hsts_seconds: int = 0,
) -> Dispatch[Deps]:
    """Return the application.

    readiness: asked by each /readyz: why requests cannot be served.
    limits: of each caller; None = those of docs/spec/api-conventions.md#rate-limits.
    hsts_seconds: see Dispatch.
    forward: answers the tracking addresses that the API has too; None = they do not exist.
    """
    pages = {"/healthz": health, "/readyz": ready(readiness), "/metrics": metrics_moved, **_described(deps.api_url)}
    branches = {FILES: file_pages(deps)}
    authenticate = partial(find_caller, deps.database, deps.clock, policy=deps.sessions)
    run_idempotently = partial(run_once, deps)
    return Dispatch(
        CATALOGUE,
        deps,
        authenticate,
        pages,
        branches,
        clock=deps.clock,
        limits=limits,
        run_idempotently=run_idempotently,
        refusal_of=refusal_of,
        forward=forward,
        hsts_seconds=hsts_seconds,
    )


@cache
def _described(address: str) -> Mapping[str, Page]:
    """Return the pages that describe the API at an address.

    They are cached: they take longer to write than everything else here.
    """
    whole = document(CATALOGUE, version=_version(), servers=(address,), topics=TOPICS, texts=texts())
    pages = {"/openapi.json": openapi_page(whole), "/docs": docs_page(whole)}
    return pages | {document_path(prefix): openapi_page(document_of_version(whole, prefix)) for prefix in VERSIONS}


def _version() -> str:
    try:
        return version("trackyard")
    except PackageNotFoundError:  # run from a checkout that was not installed
        return "0"
