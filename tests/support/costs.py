"""A plugin of pytest that lists what tests cost: `script/test -p tests.support.costs`.

It counts the processor time of the process of a test and of the programs that it started and that ended. The cost of a
fixture contains the cost of the fixtures that it asks for first; the cost of a test contains that of its fixtures.
"""

import json
import resource
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

_SHOWN = 40
"""The number of files, of tests and of fixtures in the list."""
Counts = dict[str, list[float]]
"""The number of times and the seconds, by name."""


def processor_seconds() -> float:
    """Return the processor time of this process and of its ended programs."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


class TestCosts:
    """The costs in one process; in the process that prints the list, those in all."""

    __test__ = False

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._costs: dict[str, Counts] = {
            name: defaultdict(lambda: [0, 0]) for name in ("process", "file", "test", "fixture")
        }

    def _add(self, kind: str, name: str, seconds: float, times: float = 1) -> None:
        counts = self._costs[kind][name]
        counts[0] += times
        counts[1] += seconds

    def pytest_collection_finish(self) -> None:
        """Count the start of a process, its imports and the collection."""
        self._add("process", "to collect the tests", processor_seconds())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Count a test with its set-up and its end."""
        begin = processor_seconds()
        result = yield
        seconds = processor_seconds() - begin
        self._add("test", item.nodeid, seconds)
        self._add("file", item.nodeid.partition("::")[0], seconds)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """Count the set-up of a fixture."""
        begin = processor_seconds()
        result = yield
        self._add("fixture", f"{fixturedef.baseid}::{fixturedef.argname}", processor_seconds() - begin)
        return result

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Send the costs in this process to the one that prints the list."""
        self._add("process", "in all", processor_seconds())
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput["costs"] = json.dumps(self._costs)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the costs in another process."""
        sent = getattr(node, "workeroutput", {}).get("costs", "{}")
        for kind, costs in json.loads(sent).items():
            for name, (times, seconds) in costs.items():
                self._add(kind, name, seconds, times)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the list."""
        for kind, costs in self._costs.items():
            terminalreporter.write_line(f"processor seconds, times, {kind}")
            for name, (times, seconds) in sorted(costs.items(), key=lambda item: -item[1][1])[:_SHOWN]:
                terminalreporter.write_line(f"{seconds:8.2f} {times:6.0f}  {name}")


def pytest_configure(config: pytest.Config) -> None:
    """Count from the start."""
    config.pluginmanager.register(TestCosts(config), "costs")
