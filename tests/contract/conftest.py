"""One installation for all tests of every endpoint."""

from collections.abc import Iterator

import pytest

from tests.contract.test_every_endpoint import EndpointSetup, make_endpoint_setup
from tests.support.api import Api
from tests.support.api import shared_api as api

__all__ = ["api"]


@pytest.fixture(scope="session")
def world(api: Api) -> Iterator[EndpointSetup]:
    """The installation, made once for all files here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trackyard.actions.people.own_account.SIGN_UPS_PER_ADDRESS", 10**6)
        yield make_endpoint_setup(api)
