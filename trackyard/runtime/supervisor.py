"""The parent process: prepares the data directory, runs the roles, stops them in order.

It imports nothing heavy. The children share its lock of the data directory, so a start after `kill -9` waits for the
orphans, which end when their lifeline closes.
"""

import fcntl
import http.client
import json
import logging
import os
import shutil
import signal
import ssl
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from trackyard.base.logs import log_to_stderr
from trackyard.domain.conversions.codes import CodeMode, postback_address
from trackyard.runtime.data_directory import make_data_directory
from trackyard.runtime.setting_types import Address
from trackyard.runtime.settings import CANNOT_START, CannotStart, Config, bind, unusable_directory

log = logging.getLogger("trackyard.runtime.supervisor")

LOCK_SECONDS = 15.0
READY_SECONDS = 60.0
STOP_SECONDS = 15.0
STEADY_SECONDS = 10.0
"""A role that ran this long before it ended is restarted at once."""


@dataclass(slots=True)
class _Child:
    """The process of one role. stage: lower stages are stopped first."""

    name: str
    arguments: list[str]
    stage: int
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    start_at: float = 0.0
    failures: int = 0


def warn_of_root() -> None:
    """Log that the program runs as root, which it needs not."""
    if os.geteuid() == 0:
        log.warning("running as root", extra={"advice": "start it as a user of its own (docs/operating.md)"})


class Supervisor:
    """Runs the roles of `settings` until SIGTERM or SIGINT. `run` raises CannotStart."""

    def __init__(self, settings: Config) -> None:
        self._settings = settings
        self._wake = threading.Event()
        self._stopping = False
        self._was_ready = False
        self._failing_roles: list[str] = []
        self._children = _children(settings)

    def run(self) -> None:
        """Run until a signal to stop. It returns when every role is stopped."""
        log_to_stderr("supervisor", self._settings.log_level)
        warn_of_root()
        signal.signal(signal.SIGTERM, self._on_stop)
        signal.signal(signal.SIGINT, self._on_stop)
        signal.signal(signal.SIGCHLD, lambda *_: self._wake.set())
        lock = self._lock()
        self._check_addresses()
        lifeline, self._lifeline_end = os.pipe()
        prepared = self._prepare()
        self._inherited = (lock, lifeline)
        self._environment = _environment(self._settings)
        try:
            for child in self._children:
                self._start(child)
            self._wait_until_ready(prepared)
            self._was_ready = True
            while not self._stopping:
                waiting = any(c.process is None for c in self._children)
                self._wake.wait(0.2 if waiting else 1.0 if self._failing_roles else 60.0)
                self._wake.clear()
                self._restart_dead()
                self._write_failing_roles()
        finally:
            self._stop()
            os.close(lock)

    def _on_stop(self, _number: int, _frame: object) -> None:
        self._stopping = True
        self._wake.set()

    def _lock(self) -> int:
        """Lock the data directory; wait for the orphans of a killed parent."""
        path = self._settings.data_dir / "trackyard.lock"
        try:
            make_data_directory(self._settings.data_dir)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as fault:
            raise unusable_directory(self._settings.data_dir, fault.strerror) from None
        deadline = time.monotonic() + LOCK_SECONDS
        while not self._stopping:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return handle
            except BlockingIOError:
                holder = os.pread(handle, 32, 0).decode() or "another process"
                # A living parent keeps its lock; only orphans release it soon.
                if _is_alive(holder) or time.monotonic() > deadline:
                    os.close(handle)
                    raise CannotStart(
                        f"TRACKYARD_DATA_DIR {self._settings.data_dir} is in use by process {holder}: stop it, or set "
                        "another directory."
                    ) from None
                time.sleep(0.05)
        raise CannotStart("stopped before it started.")

    def _check_addresses(self) -> None:
        """Raise CannotStart for a taken address, before anything is made.

        So the answer of another program is never taken for one of the roles.
        """
        settings = self._settings
        for role, variable, address in (
            ("api", "TRACKYARD_API_LISTEN", settings.api_listen),
            ("edge", "TRACKYARD_TRACKING_LISTEN", settings.tracking_listen),
        ):
            if role in settings.roles:
                bind(address, variable).close()
        if settings.monitoring_listen is not None:
            bind(settings.monitoring_listen, "TRACKYARD_MONITORING_LISTEN").close()

    def _prepare(self) -> dict[str, str]:
        handle = os.open(self._settings.data_dir / "trackyard.lock", os.O_WRONLY)
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        os.close(handle)
        command = [sys.executable, "-m", "trackyard", "prepare"]
        # In its own session, so that Ctrl-C reaches the parent only.
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False, start_new_session=True)  # nosec B603 # its own command
        if done.returncode != 0:
            raise CannotStart
        prepared: dict[str, str] = json.loads(done.stdout)
        return prepared

    def _start(self, child: _Child) -> None:
        child.process = subprocess.Popen(  # nosec B603 # its own command
            [sys.executable, "-m", "trackyard", "role", *child.arguments, "--lifeline", str(self._inherited[1])],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            pass_fds=self._inherited,
            start_new_session=True,  # Ctrl-C reaches the parent only, which stops the roles in order
        )
        child.started_at = time.monotonic()
        log.info("started", extra={"child": child.name, "child_pid": child.process.pid})

    def _restart_dead(self) -> None:
        now = time.monotonic()
        for child in self._children:
            if child.process is not None and child.process.poll() is not None:
                status = child.process.returncode
                if status == CANNOT_START and not self._was_ready:
                    raise CannotStart
                child.failures = 0 if now - child.started_at > STEADY_SECONDS else child.failures + 1
                child.start_at = now + (0.1 * 2 ** min(child.failures - 1, 6) if child.failures else 0.0)
                child.process = None
                log.error("died", extra={"child": child.name, "exit_status": status})
            if child.process is None and now >= child.start_at and not self._stopping:
                self._start(child)

    def _write_failing_roles(self) -> None:
        """Write the roles that cannot be kept running to a file that /readyz reads."""
        now = time.monotonic()
        failing = [c.name for c in self._children if c.failures > 1 and now - c.started_at <= STEADY_SECONDS]
        if failing != self._failing_roles:
            partial = self._settings.failing_roles_file.with_suffix(".partial")
            partial.write_text(json.dumps(failing))
            partial.rename(self._settings.failing_roles_file)
            self._failing_roles = failing

    def _wait_until_ready(self, prepared: dict[str, str]) -> None:
        settings, deadline = self._settings, time.monotonic() + READY_SECONDS
        probes = []
        if "api" in settings.roles:
            probes.append((settings.api_listen, False))
        if "edge" in settings.roles:
            probes.append((settings.tracking_listen, settings.tracking_tls_cert is not None))
        while probes and not self._stopping:
            answer = _probe(*probes[0])
            if answer == "":
                probes.pop(0)
                continue
            self._restart_dead()
            if time.monotonic() > deadline:
                log.error("not ready", extra={"listener": probes[0][0].url(), "answer": answer})
                return
            self._wake.clear()
            self._wake.wait(0.05)
        if not self._stopping:
            print(_ready_message(settings, prepared), flush=True)

    def _stop(self) -> None:
        """Stop stage by stage: edges first close their journals, then the others finish their work."""
        self._stopping = True
        for stage in sorted({child.stage for child in self._children}):
            processes = [c.process for c in self._children if c.stage == stage and c.process is not None]
            for process in processes:
                process.terminate()
            deadline = time.monotonic() + STOP_SECONDS
            for process in processes:
                try:
                    process.wait(max(0.0, deadline - time.monotonic()))
                except subprocess.TimeoutExpired:
                    log.error("killed after stop timeout", extra={"child_pid": process.pid})
                    process.kill()
                    process.wait()
        log.info("stopped")


def _children(settings: Config) -> list[_Child]:
    children = []
    if "edge" in settings.roles:
        children += [_Child(f"edge {n}", ["edge", "--slot", str(n)], stage=0) for n in range(settings.edges)]
    if "projector" in settings.roles or "api" in settings.roles:
        children.append(_Child("core", ["core"], stage=1))
    if "worker" in settings.roles:
        children.append(_Child("worker", ["worker"], stage=1))
    return children


def _environment(settings: Config) -> dict[str, str]:
    """Return the environment of the roles: UTC, and an empty directory for shared metrics."""
    metrics = settings.data_dir / "run" / "metrics"
    try:
        shutil.rmtree(metrics.parent, ignore_errors=True)
        metrics.mkdir(parents=True)
    except OSError as fault:
        raise unusable_directory(settings.data_dir, f"{fault.filename}: {fault.strerror}") from None
    return {**os.environ, "TZ": "UTC", "PROMETHEUS_MULTIPROC_DIR": str(metrics), "PYTHONUNBUFFERED": "1"}


def _is_alive(holder: str) -> bool:
    try:
        os.kill(int(holder), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


def _probe(listener: Address, tls: bool) -> str:
    """Return the answer of `/readyz`; "" when ready."""
    parts = urlsplit(listener.url())
    host, port = parts.hostname or "", parts.port or 0
    try:
        if tls:
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(host, port, timeout=2, context=context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=2)
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
        body = answer.read(4096).decode(errors="replace")
        connection.close()
        return "" if answer.status == 200 else body
    except (OSError, http.client.HTTPException) as fault:
        return str(fault) or type(fault).__name__


def _ready_message(settings: Config, prepared: dict[str, str]) -> str:
    """Return what this machine runs and first steps with the key, where it has the API."""
    lines = ["", "Trackyard is ready."]
    has_api = "api" in settings.roles
    if has_api:
        api = settings.api_listen.url()
        lines.append(f"  API                      {api}     (documentation: {api}/docs)")
    if "edge" in settings.roles:
        lines.append(f"  Clicks and postbacks     {settings.tracking_url}")
    if settings.monitoring_listen is not None:
        monitoring = settings.monitoring_listen.url()
        lines.append(f"  Monitoring               {monitoring}/readyz, {monitoring}/metrics")
    if has_api:
        lines.append(_postback_line(settings, prepared["postback_code"]))
        lines += _first_steps(settings, _shown_key(prepared))
    lines.append("Ctrl-C stops it.")
    return "\n".join(lines) + "\n"


def _postback_line(settings: Config, mode: str) -> str:
    """Return the form of the addresses of advertisers' postbacks."""
    if mode == CodeMode.NONE:
        address, source = postback_address(settings.tracking_url, ""), "no code is asked: see TRACKYARD_POSTBACK_CODE"
    else:
        address, source = postback_address(settings.tracking_url, "CODE"), "CODE is hash_password of the advertiser"
    return f"  Postbacks of advertisers {address}     ({source})"


def _shown_key(prepared: dict[str, str]) -> str:
    """Return the key to print, "" for none.

    Files and journals collect what is printed, and must not have it from every start.
    """
    return prepared["admin_api_key"] if sys.stdout.isatty() else prepared["new_admin_api_key"]


def _first_steps(settings: Config, key: str) -> list[str]:
    shown = key or "printed by `trackyard key`; in the commands below it is $KEY"
    header = f'-H "API-Key: {key or "$KEY"}"'
    api = settings.api_listen.url()
    today = datetime.now(ZoneInfo(settings.timezone)).date().isoformat()
    period = f"filter[date_from]={today}&filter[date_to]={today}"
    return [
        f"  Administrator's API key  {shown}",
        "Try:",
        f"  curl {header} {api}/3.0/admin/advertiser -d 'title=First advertiser'",
        f"  curl {header} {api}/3.0/admin/partner -d 'email=first@example.org&password=long-enough'",
        f"  curl -g {header} '{api}/3.0/stats/getbydate?{period}'",
    ]
