"""Addresses that the server itself calls for users (docs/spec/postbacks.md#ip-addresses-of-servers)."""

from collections.abc import Callable, Mapping
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput

_REFUSED: Final = (
    "{host} is a private IP address, which this server does not call. Use a public host, or ask the operator to allow "
    "the network (OUTBOUND_ALLOW)."
)
_STORED: Final = "[{name}] {host} is a private IP address: it stays as it was, and this server does not call it."


def check_called(
    deps: Deps, sent: Mapping[str, str | None], before: Mapping[str, str | None], warn: Callable[[str], None]
) -> None:
    """Raise BadInput for a URL that leads to an address which may not be called.

    sent, before: URLs by the name of their parameter. One that is stored already stays, with a warning.
    """
    faults = {}
    for name, url in sent.items():
        host = deps.trials.refused_host(url) if url else ""
        if not host:
            continue
        if url == before.get(name):
            warn(_STORED.format(name=name, host=host))
        else:
            faults[name] = [_REFUSED.format(host=host)]
    if faults:
        raise BadInput(faults)
