"""One installation for all tests of every endpoint."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.contract.test_every_endpoint import EndpointSetup, make_endpoint_setup
from tests.support.api import Api
from tests.support.api import shared_api as api

__all__ = ["api"]


@contextmanager
def _high_limits() -> Iterator[None]:
    """Limits that the calls of one installation for all tests would reach."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trackyard.actions.people.sign_up.sign_ups.SIGN_UPS_PER_NETWORK", 10**6)
        patch.setattr("trackyard.actions.tracking.pixels.MAX_PIXELS", 10**6)
        for name in ("TRIES_PER_ACCOUNT", "TRIES_PER_NETWORK"):
            patch.setattr(f"trackyard.actions.people.credentials.{name}", 10**6)
        yield


@pytest.fixture(scope="session")
def world(api: Api) -> EndpointSetup:
    """The installation, made once for all files here."""
    with _high_limits():
        return make_endpoint_setup(api)


@pytest.fixture(autouse=True)
def high_limits() -> Iterator[None]:
    """Limits for one test alone: tests of other folders run in the same process in between."""
    with _high_limits():
        yield
