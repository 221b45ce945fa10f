"""The API as one ASGI application."""

from collections.abc import Callable, Mapping
from functools import cache, partial
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
from trackyard.wire.probes import Page, Readiness, health, metrics, ready
from trackyard.wire.rates import Limits


def build(deps: Deps, readiness: Callable[[], Readiness] = Readiness, limits: Limits | None = None) -> Dispatch[Deps]:
    """The application. `readiness` is asked by each /readyz: why requests cannot be served, and the queues' lags ·
    limits: of each key; None = those of behaviour.md §2."""
    pages = {"/healthz": health, "/readyz": ready(readiness), "/metrics": metrics, **_described()}
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


@cache
def _described() -> Mapping[str, Page]:
    """The pages that describe the API. They follow from the program alone, and take longer to write than the rest."""
    described = document(CATALOGUE, version=_version())
    return {"/openapi.json": openapi_page(described), "/docs": docs_page(described)}


def _version() -> str:
    try:
        return version("trackyard")
    except PackageNotFoundError:  # run from a checkout that was not installed
        return "0"
