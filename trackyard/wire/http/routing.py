"""Finds the endpoint of a path, with or without a slash at its end.

Both prefixes are routed. Fixed segments precede variables.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from trackyard.wire.endpoint import LATER_PREFIXES, VERSIONS, Endpoint, Version
from trackyard.wire.response.errors import MethodNotAllowed, PageNotFound

MAX_PATH = 2048


@dataclass(frozen=True, slots=True)
class Match:
    """An endpoint, the version its path was called under, and the values of the path's variables."""

    endpoint: Endpoint[Any]
    version: Version
    variables: dict[str, str]


class RouteTable:
    """The paths of a catalogue."""

    def __init__(self, endpoints: Iterable[Endpoint[Any]]) -> None:
        self._fixed: dict[tuple[str, ...], list[Endpoint[Any]]] = {}
        self._by_length: dict[int, list[tuple[tuple[str, ...], Endpoint[Any]]]] = {}
        for endpoint in endpoints:
            for path in (endpoint.path, *endpoint.also):
                segments = tuple(path.strip("/").split("/"))
                if "{" in path:
                    self._by_length.setdefault(len(segments), []).append((segments, endpoint))
                else:
                    self._fixed.setdefault(segments, []).append(endpoint)
        for patterns in self._by_length.values():
            patterns.sort(key=lambda pattern: [segment.startswith("{") for segment in pattern[0]])

    def get(self, method: str, path: str) -> Match:
        """Return the endpoint of a call; HEAD is GET. Raises PageNotFound, MethodNotAllowed."""
        method = "GET" if method == "HEAD" else method
        found = self._all(path)
        if not found:
            raise PageNotFound
        for match in found:
            if match.endpoint.method == method:
                return match
        raise MethodNotAllowed(self.allowed(path))

    def allowed(self, path: str) -> list[str]:
        """Return the methods of a path; empty for an unknown one."""
        methods = {match.endpoint.method for match in self._all(path)}
        more = {"HEAD"} if "GET" in methods else set()
        return sorted(methods | more | {"OPTIONS"}) if methods else []

    def _all(self, path: str) -> list[Match]:
        """Return the endpoints of a path. Of two that match, the one with fixed segments is taken."""
        if len(path) > MAX_PATH:
            return []
        prefix, *segments = path.strip("/").split("/")
        version = next((known for known in VERSIONS if known == prefix), None)
        if prefix in LATER_PREFIXES:
            version, segments = VERSIONS[-1], [prefix, *segments]
        if version is None or (segments[:1] and segments[0] in LATER_PREFIXES and prefix not in LATER_PREFIXES):
            return []
        fixed = [(endpoint, dict[str, str]()) for endpoint in self._fixed.get(tuple(segments), ())]
        matches: list[Match] = []
        for endpoint, variables in chain(fixed, self._with_variables(segments)):
            if version in endpoint.versions:
                if matches and matches[0].endpoint.path != endpoint.path:
                    continue
                matches.append(Match(endpoint, version, variables))
        return matches

    def _with_variables(self, segments: list[str]) -> Iterator[tuple[Endpoint[Any], dict[str, str]]]:
        """Yield the endpoints of a path with variables, and the values of the variables."""
        for pattern, endpoint in self._by_length.get(len(segments), []):
            variables = _matched(pattern, segments)
            if variables is not None:
                yield endpoint, variables


def _matched(pattern: tuple[str, ...], segments: list[str]) -> dict[str, str] | None:
    variables: dict[str, str] = {}
    for expected, segment in zip(pattern, segments, strict=True):
        if expected.startswith("{"):
            variables[expected[1:-1]] = segment
        elif expected != segment:
            return None
    return variables
