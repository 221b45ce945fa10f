"""The image and the compose files: linted, and what they run tried piece by piece without a container."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from compose_spec import PyCompose

from tests.deploy.files import DEPLOY
from tests.deploy.test_proxies import caddy
from tests.support.processes.program import KEY
from tests.support.processes.receiver import Receiver, Reply
from trackyard.runtime import settings
from trackyard.runtime.settings import Config

ROOT = DEPLOY.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text()
INSTRUCTIONS = [line.split(maxsplit=1) for line in re.sub(r"\\\n", "", DOCKERFILE).splitlines() if line[:1].isupper()]
PINNED = re.compile(r"[\w./-]+:\d+\.\d+\.?[\d.]*(-[\w.]+)*")
COMPOSE_FILES = ("compose.yaml", "compose.cluster.yaml")
GIVEN = re.compile(r"\$\{(\w+)(?::-([^}]*)|:\?)\}")
IMAGE_MB = 900
TO_ANOTHER_USER = {"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"}
ADDED_CAPABILITIES = {
    "postgres": TO_ANOTHER_USER,
    "clickhouse": TO_ANOTHER_USER,
    "valkey": TO_ANOTHER_USER,
    "proxy": {"NET_BIND_SERVICE"},
}
"""What the images of others need: to give their volume to a user and go on as that user, or to bind a low port."""
LOADED = """
import pkgutil, sys
sys.path[:0] = sys.argv[1:]
import pyarrow, pyarrow.compute, pyarrow.csv, pyarrow.parquet, psycopg, obstore, trackyard
from chdb.session import Session
assert all(module.__file__.startswith(sys.argv[1]) for module in (pyarrow, psycopg, obstore))
for module in pkgutil.walk_packages(trackyard.__path__, "trackyard."):
    if not module.name.endswith(("__main__", "migrations.env", "click_path__mypyc")):
        __import__(module.name)
pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), sys.argv[1] + "/a.parquet")
with Session() as session:
    print(session.query("SELECT sum(number) FROM numbers(10)", "CSV"))
"""


def of(name: str) -> list[str]:
    """Return the arguments of every instruction of a name in the recipe of the image."""
    return [instruction[1] for instruction in INSTRUCTIONS if instruction[0] == name]


def test_image_recipe_has_no_finding_of_its_linter() -> None:
    command = [Path(sys.executable).with_name("hadolint"), "--no-color", ROOT / "Dockerfile"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_image_recipe_pins_its_bases_and_runs_without_root() -> None:
    bases = [each.split()[0] for each in of("FROM")]
    assert len(bases) == 2 and all(PINNED.fullmatch(base) for base in bases)
    assert len({re.sub("-slim", "", base) for base in bases}) == 1, "both stages have one Python"
    assert of("USER") == ["10001:10001"] and len(of("HEALTHCHECK")) == 1
    minor = re.search(r":(\d+\.\d+)", bases[0])
    assert minor and set(re.findall(r"lib/python([\d.]+)/", DOCKERFILE)) == {minor[1]}
    given = dict(re.findall(r"(TRACKYARD_\w+)=(\S+)", " ".join(of("ENV"))))
    config = settings.load(given)
    listeners = (config.api_listen, config.tracking_listen, config.monitoring_listen)
    assert of("EXPOSE") == [" ".join(str(each.port) for each in listeners if each)]
    assert of("VOLUME") == [str(config.data_dir)]


def test_image_recipe_copies_tracked_files_that_reach_the_builder() -> None:
    """And nothing else of the folder reaches it: .dockerignore names what does."""
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    reach = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    copied = {name for each in of("COPY") if not each.startswith("--") for name in each.split()[:-1]}
    assert "*" in ignored and copied == reach - {"deploy"}
    listed = subprocess.run(["git", "ls-files", *copied], cwd=ROOT, capture_output=True, text=True, check=True)
    tracked = listed.stdout.split()
    assert all(any(file == name or file.startswith(f"{name}/") for file in tracked) for name in copied)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages installed here, by hard links where the file system allows them."""
    place = tmp_path_factory.mktemp("image") / "site-packages"
    shutil.copytree(sysconfig.get_path("purelib"), place, copy_function=_link, symlinks=True)
    return place


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


@pytest.mark.long
def test_image_without_what_nothing_loads_still_runs_the_program(packages: Path) -> None:
    """The packages for the build and for tests are gone, and the rest weighs less than the image may."""
    slim = subprocess.run(
        [sys.executable, DEPLOY / "image" / "slim.py", packages], capture_output=True, text=True, check=False
    )
    assert slim.returncode == 0, slim.stderr
    assert not any((packages / name).exists() for name in ("mypy", "pytest", "setuptools", "pyarrow/include"))
    weight = re.search(r"([\d.]+) MB  all", slim.stdout)
    assert weight and float(weight[1]) < (770 if shutil.which("strip") else 840), slim.stdout
    others = sum(
        weight_mb for part, weight_mb in image_parts().items() if not part.startswith(("packages", "together"))
    )
    assert not shutil.which("strip") or float(weight[1]) + others < IMAGE_MB, "what the packages leave for the base"
    command = [sys.executable, "-I", "-S", "-c", LOADED, packages, ROOT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "45"), done.stderr


def image_parts() -> dict[str, float]:
    """The megabytes of each part of the image, as docs/install.md has them."""
    page = (ROOT / "docs" / "install.md").read_text().partition("## Size")[2]
    return {
        part: float(weight) for part, weight in re.findall(r"^\| (.+?) \| ([\d.]+) \| ?[^|]*\|$", page, re.MULTILINE)
    }


def test_image_parts_in_documents_add_up_and_stay_under_the_limit() -> None:
    parts = image_parts()
    together = parts.pop("together")
    assert round(sum(parts.values()), 1) == together < IMAGE_MB and len(parts) == 5
    page = (ROOT / "docs" / "install.md").read_text().partition("What weighs among the packages")[2]
    packages = {name: float(weight) for name, weight in re.findall(r"^\| ([^|]+?) \| ([\d.]+) \|$", page, re.MULTILINE)}
    weight = packages.pop("all packages")
    assert round(sum(packages.values()), 1) == weight == parts["packages and Trackyard with its click path"]


@pytest.mark.parametrize(
    ("listening", "asked"),
    [
        ({"tracking_listener", "monitoring", "api"}, "tracking_listener"),
        ({"monitoring", "api"}, "monitoring"),
        ({"api"}, "api"),
        (set(), ""),
    ],
)
def test_image_health_is_readiness_of_the_tracking_listener_first(
    listening: set[str], asked: str, tmp_path: Path
) -> None:
    statuses = iter((200, 503))
    program = [sys.executable, "-I", DEPLOY / "image" / "healthcheck.py"]

    def health() -> int:
        environment = {"TRACKYARD_DATA_DIR": str(tmp_path), "http_proxy": "http://127.0.0.1:1"}
        return subprocess.run(program, env=environment, capture_output=True, check=False).returncode

    assert health() == 1, "the server has not started"
    (tmp_path / "run").mkdir()
    with Receiver(lambda _: Reply(status=next(statuses))) as receiver:
        written = {
            name: receiver.url("") if name == asked else "http://127.0.0.1:1" if name in listening else ""
            for name in ("tracking_listener", "monitoring", "api")
        }
        (tmp_path / "run" / "server.json").write_text(json.dumps(written))
        assert [health(), health()] == [0 if asked else 1, 1]
        assert {each.path for each in receiver.requests()} == ({"/readyz"} if asked else set())
    assert health() == 1, "nothing listens there"


def composed(name: str) -> dict[str, Any]:
    """Return a compose file with its merges done."""
    read: dict[str, Any] = yaml.safe_load((ROOT / name).read_text())
    return read


def configs(name: str) -> Iterator[tuple[str, Config]]:
    """Yield the settings of each service that runs the program."""
    for service, declared in composed(name)["services"].items():
        if declared["image"].startswith("trackyard:"):
            given = {
                variable: GIVEN.sub(lambda match: match[2] or KEY, text)
                for variable, text in declared["environment"].items()
            }
            assert {variable.removeprefix(settings.PREFIX).lower() for variable in given} <= settings.SETTINGS.keys()
            image = dict(re.findall(r"(TRACKYARD_\w+)=(\S+)", " ".join(of("ENV"))))
            yield service, settings.load(image | given)


@pytest.mark.parametrize("name", COMPOSE_FILES)
def test_compose_file_is_of_the_language_and_pins_guarded_services(name: str) -> None:
    read = composed(name)
    assert set(PyCompose.from_yaml(yaml.safe_dump(read)).service_names()) == read["services"].keys()
    mounted = set()
    for service, declared in read["services"].items():
        assert PINNED.fullmatch(declared["image"]), service
        assert declared["restart"] == "unless-stopped"
        mounted |= {volume.partition(":")[0] for volume in declared["volumes"] if not volume.startswith(".")}
        assert declared["cap_drop"] == ["ALL"], service
        assert declared["security_opt"] == ["no-new-privileges:true"], service
        added = ADDED_CAPABILITIES.get(service, set())
        assert set(declared.get("cap_add", ())) == added, service
        if declared["image"].startswith("trackyard:"):
            assert declared["read_only"] and not added
        else:
            assert declared["healthcheck"]["test"][0] == "CMD"
        for variable, text in declared["environment"].items():
            is_secret = re.search("PASSWORD|SECRET|KEY|AUTH|_URL$", variable) is not None
            defaults = [match[2] for match in GIVEN.finditer(str(text))]
            assert not is_secret or defaults, f"{variable} is in the file"
            assert not any(defaults) or variable in ("TRACKYARD_API_URL", "TRACKYARD_TRACKING_URL")
    assert mounted == read["volumes"].keys()
    assert len(read["services"]) == {"compose.yaml": 1, "compose.cluster.yaml": 8}[name]


@pytest.mark.parametrize("name", COMPOSE_FILES)
def test_compose_file_has_valid_settings_and_ports(name: str) -> None:
    read = composed(name)
    [subnet] = read["networks"]["default"]["ipam"]["config"]
    proxy = read["services"].get("proxy", {}).get("networks", {}).get("default", {}).get("ipv4_address")
    for service, config in configs(name):
        assert [str(network) for network in config.trusted_proxies] == [f"{proxy or subnet['gateway']}/32"]
        published = [each.split(":") for each in read["services"][service].get("ports", ())]
        assert all(host == "127.0.0.1" and outer == inner for host, outer, inner in published)
        assert {int(each[2]) for each in published} <= {8000, 8001, 8002}


def test_compose_cluster_has_every_role_and_one_address_of_each_store(tmp_path: Path) -> None:
    found = dict(configs("compose.cluster.yaml"))
    assert {name: config.roles for name, config in found.items()} == {
        "edge1": ("edge", "projector"),
        "edge2": ("edge", "projector"),
        "api": ("api",),
        "worker": ("worker",),
    }
    stores = {(config.database_url, config.analytics_url, config.redis_url) for config in found.values()}
    assert len(stores) == 1
    services = composed("compose.cluster.yaml")["services"]
    for url, port in zip(*stores, (5432, 8123, 6379), strict=True):
        host = re.search(r"@(\w+):(\d+)/", url)
        assert host and host[1] in services and int(host[2]) == port
    (tmp_path / "Caddyfile").write_text((DEPLOY / "caddy" / "cluster.Caddyfile").read_text())
    names = {"API_NAME": "api.example.com", "TRACKING_NAME": "go.example.com"}
    adapted, complaint = caddy(tmp_path, "adapt", "--validate", **names).communicate(timeout=60)
    assert adapted and b"not formatted" not in complaint, complaint.decode()
    dialled = set(re.findall(r'"dial": ?"(\w+):(\d+)"', adapted.decode()))
    assert dialled == {("api", "8000"), ("edge1", "8001"), ("edge2", "8001")}
