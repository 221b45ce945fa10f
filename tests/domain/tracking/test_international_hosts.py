"""International hosts are sent as the names that browsers look up."""

import pytest
from yarl import URL

from trackyard.domain.tracking.international_hosts import ascii_host

HOSTS = {
    # As it is written: as DNS has it, by IDNA 2008 and UTS 46 as browsers apply them.
    "bücher.example": "xn--bcher-kva.example",
    "BÜCHER.example": "xn--bcher-kva.example",
    "straße.example": "xn--strae-oqa.example",
    "STRAẞE.example": "xn--strae-oqa.example",
    "www.straße。example": "www.xn--strae-oqa.example",
    "fussball.example": "fussball.example",
    "βόλος.example": "xn--nxasmm1c.example",
    "ΒΌΛΟΣ.example": "xn--nxasmq6b.example",
    "{sub1}.straße.example": "{sub1}.xn--strae-oqa.example",
    "نامه\u200cای.example": "xn--mgba3gch31f060k.example",
    "почта.рф": "xn--80a1acny.xn--p1ai",
    "☕.example": "xn--53h.example",
}


@pytest.mark.parametrize("host", HOSTS)
def test_international_host_is_the_name_that_browsers_look_up(host: str) -> None:
    assert ascii_host(host) == HOSTS[host]


def test_hosts_are_those_of_the_library_of_outbound_requests() -> None:
    named = [host for host in HOSTS if not any(sign in host for sign in "{☕\u200c")]
    assert len(named) == 9
    assert [URL(f"https://{host}/").raw_host for host in named] == [HOSTS[host] for host in named]


@pytest.mark.parametrize("host", ["ß" * 64, "ü" * 64, "a..ü"])
def test_host_without_an_ascii_form_is_an_error(host: str) -> None:
    with pytest.raises(UnicodeError):
        ascii_host(host)
