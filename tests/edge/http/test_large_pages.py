"""Large pages: which memory is asked for them, and that it stays what it was."""

from trackyard.edge.memory import _page_ranges, use_large_pages

MAPS = """\
555555554000-555555a00000 r-xp 00000000 fe:00 1234 /usr/bin/python3
555555a00000-555556000000 rw-p 00000000 00:00 0 [heap]
7f0000100000-7f0000900000 rw-p 00000000 00:00 0
7f0001000000-7f0001100000 rw-p 00000000 00:00 0
7f0002000000-7f0002800000 rw-s 00000000 fe:00 99 /data/state/visitors.map
7f0003000000-7f0003800000 rw-p 00000000 fe:00 98 /usr/lib/libc.so
7f0004000000-7f0004800000 r--p 00000000 00:00 0
7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0 [stack]
"""


def test_large_pages_are_requested_for_private_memory() -> None:
    assert list(_page_ranges(MAPS)) == [(0x555555A00000, 0x555556000000), (0x7F0000200000, 0x7F0000800000)]


def test_large_pages_keep_memory_contents() -> None:
    kept = [f"{number:064}" for number in range(200_000)]
    assert use_large_pages() >= 0
    assert kept == [f"{number:064}" for number in range(200_000)]
