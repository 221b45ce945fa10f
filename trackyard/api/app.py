"""The API as one ASGI application."""

from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from trackyard.actions.callers import find_caller
from trackyard.actions.deps import Deps
from trackyard.actions.repeats import answer_once
from trackyard.actions.troubles import refusal_of
from trackyard.api.catalogue import CATALOGUE
from trackyard.api.creatives import FILES, file_pages
from trackyard.wire.dispatch import Dispatch
from trackyard.wire.docs import docs_page, openapi_page
from trackyard.wire.openapi import document
from trackyard.wire.probes import Readiness, health, metrics, ready
from trackyard.wire.rates import Limits


def build(deps: Deps, readiness: Callable[[], Readiness] = Readiness, limits: Limits | None = None) -> Dispatch[Deps]:
    """The application. `readiness` is asked by each /readyz: why requests cannot be served, and the queues' lags ·
    limits: of each key; None = those of behaviour.md §2."""
    described = document(CATALOGUE, version=_version())
    pages = {
        "/healthz": health,
        "/readyz": ready(readiness),
        "/metrics": metrics,
        "/openapi.json": openapi_page(described),
        "/docs": docs_page(described),
    }
    branches = {FILES: file_pages(deps)}
    authenticate = partial(find_caller, deps.database, deps.clock)
    once = partial(answer_once, deps)
    return Dispatch(
        CATALOGUE,
        deps,
        authenticate,
        pages,
        branches,
        clock=deps.clock,
        limits=limits,
        once=once,
        refusal_of=refusal_of,
    )


def _version() -> str:
    try:
        return version("trackyard")
    except PackageNotFoundError:  # run from a checkout that was not installed
        return "0"
