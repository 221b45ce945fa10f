"""The API as one ASGI application."""

from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from trackyard.actions.deps import Deps
from trackyard.actions.failures import refusal_of
from trackyard.actions.people.callers import find_caller
from trackyard.actions.people.email_confirmations import CONFIRM_PAGE
from trackyard.actions.platform.idempotency import run_once
from trackyard.api.catalogue import CATALOGUE, TOPICS
from trackyard.api.documentation import examples, guides
from trackyard.api.people.confirm_page import confirm_page
from trackyard.api.platform.certificate_page import CERTIFICATE, certificate_page
from trackyard.api.platform.files import FILES, file_pages
from trackyard.api.texts import texts
from trackyard.wire.http.dispatch import Dispatch, Forward
from trackyard.wire.http.health import Readiness, Site, health, metrics_moved, ready
from trackyard.wire.http.rate_limits import ApiLimits, SharedLimits
from trackyard.wire.openapi.viewer.site import DOCUMENT, Documented, OpenApiPages, docs_branch


def build(
    deps: Deps,
    readiness: Callable[[], Readiness] = Readiness,
    limits: ApiLimits | None = None,
    forward: Forward | None = None,
    hsts_seconds: int = 0,
    site: Site | None = None,
    shared: SharedLimits | None = None,
) -> Dispatch[Deps]:
    """Return the application.

    readiness: asked by each /readyz: why requests cannot be served.
    limits: the limits of each caller; None = the defaults in docs/spec/api-conventions.md#rate-limits.
    hsts_seconds, site, shared: see Dispatch.
    forward: answers the tracking URLs that the API has too; None = they do not exist.
    """
    pages = {"/healthz": health, "/readyz": ready(readiness), "/metrics": metrics_moved, CONFIRM_PAGE: confirm_page()}
    described = _described(deps.api_url)
    openapi = OpenApiPages(described)
    branches = {
        FILES: file_pages(deps),
        "/docs": docs_branch(described),
        f"{DOCUMENT}?": openapi.by_query,
        "/openapi": openapi.by_path,
        CERTIFICATE: certificate_page(deps),
    }
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
        site=site,
        hsts_seconds=hsts_seconds,
        shared=shared,
    )


def _described(address: str) -> Documented:
    """Return the content of the OpenAPI documents and /docs. Pages are written on the first request."""
    return Documented(
        TOPICS,
        version=_version(),
        address=address,
        texts=texts(),
        guides=guides,
        examples=examples,
    )


def _version() -> str:
    try:
        return version("trackyard")
    except PackageNotFoundError:  # run from a checkout that was not installed
        return "0"
