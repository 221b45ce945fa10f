"""Memory of the embedded analytic store: code that only its start ran is given back."""

from pathlib import Path

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.memory import code_spans, release_start_code

_MAPS = """\
7f0000000000-7f0000100000 r--p 00000000 fd:00 11 /opt/a b/_chdb.abi3.so
7f0000100000-7f0000300000 r-xp 00100000 fd:00 11 /opt/a b/_chdb.abi3.so
7f0000300000-7f0000400000 r--p 00300000 fd:00 11 /opt/a b/_chdb.abi3.so
7f0000400000-7f0000500000 rw-p 00400000 fd:00 11 /opt/a b/_chdb.abi3.so
7f0000600000-7f0000700000 r-xp 00000000 fd:00 12 /usr/lib/libc.so.6
7f0000800000-7f0000900000 rw-p 00000000 00:00 0
"""


def test_code_of_the_store_alone_is_given_back() -> None:
    assert list(code_spans(_MAPS)) == [(0x7F0000100000, 0x7F0000300000)]


def test_code_given_back_leaves_the_store_at_work(analytics: Analytics) -> None:
    analytics.ping()
    before = code_kb()
    assert release_start_code() >= before * 1024
    assert code_kb() < before
    analytics.ping()


def code_kb() -> int:
    """Return the code of the store that is in memory."""
    found, is_code = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, *fields = line.split()
        if "-" in name and not name.endswith(":"):
            is_code = bool(list(code_spans(line)))
        elif is_code and name == "Rss:":
            found += int(fields[0])
    return found
