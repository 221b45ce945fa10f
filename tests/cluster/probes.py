"""What `deploy` asks of a machine to learn whether it lives and whether it takes requests.

Everything is read from the files of `deploy`: probes of Kubernetes, the health check of the image, and the checks of
the balancers.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import yaml

from tests.deploy.files import DEPLOY
from tests.support.processes.cluster import ClusterMachine
from tests.support.processes.program import request

KINDS: Final = ("edge", "api", "worker")
_HEALTH_CHECK: Final = DEPLOY / "image" / "healthcheck.py"
_UPSTREAM: Final = re.compile(r"reverse_proxy ([^{\n]+)\{([^}]+)\}")
_BALANCER_CHECKS: Final = re.compile(r"health_uri\s|health_check\s|httpchk|healthCheck", re.IGNORECASE)
"""How Caddy, nginx, HAProxy and Traefik write a check of their own."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A question of `deploy` to a kind of machine.

    is_of_life: whether a wrong answer restarts the machine; the others take it from its balancer.
    port: tracking, monitoring or api; "" = the health check of the image finds it.
    seconds: how long it waits for the answer.
    """

    source: str
    kind: str
    name: str
    port: str
    path: str
    is_of_life: bool
    seconds: float = 5.0

    def passes(self, machine: ClusterMachine) -> bool:
        """Ask a machine."""
        if not self.port:
            given = {"TRACKYARD_DATA_DIR": machine.environment["TRACKYARD_DATA_DIR"]}
            command = [sys.executable, "-I", str(_HEALTH_CHECK)]
            done = subprocess.run(command, env=given, capture_output=True, check=False, timeout=20)
            return done.returncode == 0
        ports = {"tracking": machine.tracking_port, "monitoring": machine.monitoring_port, "api": machine.api_port}
        return request(ports[self.port], "GET", self.path, seconds=self.seconds).status == 200


def each_probe() -> Iterator[Probe]:
    """Yield every question that the files of `deploy` ask."""
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            yield from _of_kubernetes(path.name, document)
    for kind in KINDS:
        yield Probe("healthcheck.py", kind, "health", "", "", is_of_life=False)
    for path in sorted(each for each in DEPLOY.rglob("*") if each.is_file() and each.suffix not in (".py", ".yaml")):
        yield from _of_balancer(path.name, path.read_text())


def _of_kubernetes(source: str, document: dict[str, Any]) -> Iterator[Probe]:
    for container in document.get("spec", {}).get("template", {}).get("spec", {}).get("containers", ()):
        ports = {each["name"] for each in container["ports"]}
        for name in sorted(each for each in container if each.endswith("Probe")):
            asked = container[name]["httpGet"]
            assert asked["port"] in ports, (source, name)
            kind, is_of_life = source.removesuffix(".yaml"), name != "readinessProbe"
            yield Probe(
                source, kind, name, asked["port"], asked["path"], is_of_life, container[name].get("timeoutSeconds", 5)
            )


def _of_balancer(source: str, text: str) -> Iterator[Probe]:
    checks = len(_BALANCER_CHECKS.findall(text))
    found = [
        Probe(source, "edge", f"health_uri of {upstream.strip()}", "tracking", checked[1], is_of_life=False)
        for upstream, options in _UPSTREAM.findall(text)
        if (checked := re.search(r"health_uri (\S+)", options)) and "edge" in upstream
    ]
    assert len(found) == checks, f"{source} has a check of another form"
    yield from found
