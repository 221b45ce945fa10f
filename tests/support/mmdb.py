"""Writes address databases (MMDB, format 2.0) for tests: a few networks and what is known of each."""

from ipaddress import ip_network
from pathlib import Path
from typing import Any

_UINT16, _UINT32, _UINT64 = 5, 6, 9
_MARK = b"\xab\xcd\xefMaxMind.com"


def write_mmdb(path: Path, networks: dict[str, Any], kind: str = "Test") -> Path:
    """An IPv6 database with records of 32 bits; IPv4 networks stand under ::/96. Networks must not overlap."""
    data, offsets = bytearray(), {}
    for text, record in networks.items():
        offsets[text] = len(data)
        data += _encoded(record)
    tree: list[list[Any]] = [[None, None]]
    for text in networks:
        network = ip_network(text)
        bits = (96 if network.version == 4 else 0) + network.prefixlen
        address = int(network.network_address)
        node = 0
        for depth in range(bits):
            side = address >> (127 - depth) & 1
            if depth == bits - 1:
                tree[node][side] = text
            elif tree[node][side] is None:
                tree.append([None, None])
                tree[node][side] = len(tree) - 1
                node = len(tree) - 1
            else:
                node = tree[node][side]
    count = len(tree)
    records = (count if side is None else side if isinstance(side, int) else count + 16 + offsets[side]
               for node_sides in tree for side in node_sides)  # fmt: skip
    numbers = {
        "node_count": (count, _UINT32), "record_size": (32, _UINT16), "ip_version": (6, _UINT16),
        "binary_format_major_version": (2, _UINT16), "binary_format_minor_version": (0, _UINT16),
        "build_epoch": (1_700_000_000, _UINT64),
    }  # fmt: skip
    words = {"database_type": kind, "languages": ["en"], "description": {"en": kind}}
    about = [_encoded(name) + _number(*number) for name, number in numbers.items()]
    about += [_encoded(name) + _encoded(value) for name, value in words.items()]
    tree_bytes = b"".join(record.to_bytes(4, "big") for record in records)
    path.write_bytes(tree_bytes + bytes(16) + data + _MARK + _head(7, len(about)) + b"".join(about))
    return path


def _encoded(value: Any) -> bytes:
    if isinstance(value, str):
        content = value.encode()
        return _head(2, len(content)) + content
    if isinstance(value, bool):
        return _head(14, int(value))
    if isinstance(value, int):
        return _number(value, _UINT32)
    if isinstance(value, list):
        return _head(11, len(value)) + b"".join(map(_encoded, value))
    assert isinstance(value, dict)
    return _head(7, len(value)) + b"".join(_encoded(key) + _encoded(inner) for key, inner in value.items())


def _number(value: int, kind: int) -> bytes:
    content = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return _head(kind, len(content)) + content


def _head(kind: int, size: int) -> bytes:
    extended = b"" if kind < 8 else bytes([kind - 7])
    first = (kind if kind < 8 else 0) << 5
    if size < 29:
        return bytes([first | size]) + extended
    assert size < 29 + 256
    return bytes([first | 29]) + extended + bytes([size - 29])
