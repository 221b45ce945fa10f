from tests.support.databases import *  # noqa: F403
