from tests.support.api import shared_api  # noqa: F401
