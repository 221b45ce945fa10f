"""Units for systemd and manifests for Kubernetes are valid and name settings that exist."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.files import DEPLOY
from trackyard.runtime import settings
from trackyard.runtime.exit_codes import ExitCode
from trackyard.runtime.setting_sources import FILE_SUFFIX

UNITS = ("trackyard.service", "trackyard-edge@.service")
KUBERNETES = DEPLOY / "kubernetes"
KUSTOMIZATION = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())


def unit(name: str) -> dict[str, dict[str, list[str]]]:
    """Return the sections of a unit: each name with its values, which may repeat."""
    found: dict[str, dict[str, list[str]]] = {}
    for line in (DEPLOY / "systemd" / name).read_text().splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            section.setdefault(key, []).append(value)
    return found


@pytest.mark.parametrize("name", UNITS)
def test_systemd_unit_restarts_but_for_wrong_settings_and_writes_its_directory_alone(name: str, tmp_path: Path) -> None:
    sections = unit(name)
    service = sections["Service"]
    assert sections["Install"] == {"WantedBy": ["multi-user.target"]}, "`systemctl enable` works"
    assert "network-online.target" in sections["Unit"]["After"][0] and sections["Unit"]["Wants"]
    assert int(service["RestartSec"][0]) > 0 and int(service["LimitNOFILE"][0]) >= 65536
    given = dict(each.split("=", 1) for each in service["Environment"])
    assert {variable.removeprefix(settings.PREFIX).lower() for variable in given} - {"config"} == {"data_dir"}
    assert given["TRACKYARD_DATA_DIR"] == f"/var/lib/{service['StateDirectory'][0]}" == service["WorkingDirectory"][0]
    assert service["Restart"] == ["always"]
    assert service["RestartPreventExitStatus"] == [str(ExitCode.CONFIGURATION.value)]
    assert service["Type"] == ["exec"], "the program sends no sd_notify"
    assert service["ProtectSystem"] == ["strict"] and "ReadWritePaths" not in service
    roles = re.search(r"--roles (\S+)", service["ExecStart"][0])
    assert settings.load({"TRACKYARD_ROLES": roles[1] if roles else "all"}).roles
    if checker := shutil.which("systemd-analyze"):
        place = tmp_path / name.replace("@.", "@1.")
        text = (DEPLOY / "systemd" / name).read_text().replace("/opt/trackyard/bin/trackyard", sys.executable)
        place.write_text(re.sub(r"(?m)^(User|Group)=.*\n", "", text))
        done = subprocess.run([checker, "verify", "--man=no", place], capture_output=True, text=True, check=False)
        complaints = [line for line in done.stderr.splitlines() if place.name in line]
        assert complaints == [], complaints


def test_systemd_unit_of_an_edge_differs_from_that_of_all_roles_by_its_number_alone() -> None:
    one, edge = (unit(name)["Service"] for name in UNITS)
    differing = {key for key in one.keys() | edge.keys() if one.get(key) != edge.get(key)}
    assert differing == {"Environment", "ExecStart", "StateDirectory", "WorkingDirectory"}
    assert edge["ExecStart"] == [f"{one['ExecStart'][0]} --roles edge,projector"]


def manifests() -> list[dict[str, Any]]:
    """Return every manifest that the kustomization names."""
    return [each for name in KUSTOMIZATION["resources"] for each in yaml.safe_load_all((KUBERNETES / name).read_text())]


def test_kubernetes_manifests_are_valid_for_its_schemas() -> None:
    files = [KUBERNETES / name for name in KUSTOMIZATION["resources"]]
    assert {file.name for file in files} == {file.name for file in KUBERNETES.iterdir()} - {"kustomization.yaml"}
    command = [Path(sys.executable).with_name("kubernetes-validate"), "--strict", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (done.stdout + done.stderr).count(" passed ") == len(manifests())


def test_kubernetes_roles_have_valid_settings_guards_and_a_service_each() -> None:
    by_kind: dict[str, dict[str, Any]] = {}
    for each in manifests():
        by_kind.setdefault(each["kind"], {})[each["metadata"]["name"]] = each
    assert by_kind["StatefulSet"].keys() == by_kind["Service"].keys() == by_kind["PodDisruptionBudget"].keys()
    shared: dict[str, str] = by_kind["ConfigMap"]["trackyard-settings"]["data"]
    names = {variable.removesuffix(FILE_SUFFIX).removeprefix(settings.PREFIX).lower() for variable in shared}
    assert names <= settings.SETTINGS.keys()
    plain_secrets = [name for name in names if settings.SETTINGS[name].secret and f"TRACKYARD_{name.upper()}" in shared]
    assert plain_secrets == [], "secrets are files"
    [proxy] = settings.load({"TRACKYARD_TRUSTED_PROXIES": shared["TRACKYARD_TRUSTED_PROXIES"]}).trusted_proxies
    assert proxy.prefixlen == 32, "the addresses of the proxy, not those of every pod"
    plain = {variable: value for variable, value in shared.items() if not variable.endswith(FILE_SUFFIX)}
    roles = set[tuple[str, ...]]()
    for name, declared in by_kind["StatefulSet"].items():
        pod = declared["spec"]["template"]["spec"]
        [container] = pod["containers"]
        roles.add(settings.load(plain | {each["name"]: each["value"] for each in container["env"]}).roles)
        ports = {each["name"]: each["containerPort"] for each in container["ports"]}
        assert ports["monitoring"] == 8002
        probes = [container[f"{each}Probe"]["httpGet"] for each in ("startup", "liveness", "readiness")]
        assert {probe["port"] for probe in probes} == {"tracking" if "tracking" in ports else "monitoring"}
        assert [probe["path"] for probe in probes] == ["/healthz", "/healthz", "/readyz"]
        assert pod["securityContext"]["runAsUser"] == 10001 and container["securityContext"]["readOnlyRootFilesystem"]
        assert container["resources"]["limits"]["memory"]
        mounted = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
        assert mounted["data"] == "/var/lib/trackyard" and mounted["temporary"] == "/tmp"  # nosec B108
        assert {str(Path(value).parent) for key, value in shared.items() if key.endswith(FILE_SUFFIX)} == {
            mounted["secrets"]
        }
        served = by_kind["Service"][name]["spec"]
        assert (
            served["selector"]
            == declared["spec"]["selector"]["matchLabels"]
            == (by_kind["PodDisruptionBudget"][name]["spec"]["selector"]["matchLabels"])
        )
        assert {each["name"]: each["port"] for each in served["ports"]} == ports
    assert roles == {("edge", "projector"), ("api",), ("worker",)}


def test_kubernetes_network_policies_leave_monitoring_to_its_namespace() -> None:
    """Each role has one; what visitors and callers use is open, and nothing else."""
    found = [each for each in manifests() if each["kind"] == "NetworkPolicy"]
    sets = {each["metadata"]["name"]: each for each in manifests() if each["kind"] == "StatefulSet"}
    assert {each["metadata"]["name"] for each in found} == sets.keys() and len(found) == 3
    opened = {}
    for each in found:
        name, policy = each["metadata"]["name"], each["spec"]
        pod = sets[name]["spec"]["template"]
        assert policy["podSelector"]["matchLabels"] == pod["metadata"]["labels"]
        assert policy["policyTypes"] == ["Ingress"]
        by_port = {rule["ports"][0]["port"]: rule for rule in policy["ingress"]}
        assert len(by_port) == len(policy["ingress"])
        [container] = pod["spec"]["containers"]
        assert by_port.keys() == {port["name"] for port in container["ports"]}
        assert by_port.pop("monitoring")["from"] == [
            {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}
        ]
        opened[name] = {port for port, rule in by_port.items() if "from" not in rule}
    assert opened == {"trackyard-edge": {"tracking"}, "trackyard-api": {"api"}, "trackyard-worker": set()}
