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
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from trackyard.base.disks import is_full_disk
from trackyard.base.logs.file import log_to_file
from trackyard.base.logs.output import log_to_stderr
from trackyard.runtime.data_directory import make_data_directory
from trackyard.runtime.effective_settings import setting_warnings
from trackyard.runtime.greeting import greeting
from trackyard.runtime.machines.host_files import TOUCH_S, Host, HostFiles
from trackyard.runtime.processes.stop_watchdog import StopWatchdog, stop_with_parent
from trackyard.runtime.server_file import is_process_alive, remove_server_file, server_file
from trackyard.runtime.setting_types import Address
from trackyard.runtime.settings import CANNOT_START, CannotStart, Config, DatabaseAway, bind, unusable_directory
from trackyard.runtime.state_files import StateFiles

log = logging.getLogger("trackyard.runtime.supervisor")

LOCK_SECONDS = 15.0
READY_SECONDS = 60.0
STOP_SECONDS = 15.0
WORKER_SECONDS = 10.0
"""The worker starts when the other roles are ready, and at the latest after this time: they answer requests sooner."""
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
    """Runs the roles of `settings` until SIGTERM or SIGINT. `run` raises CannotStart.

    lifeline: a pipe at the end of which it stops, where another program started it; None = it runs by itself.
    """

    def __init__(self, settings: Config, lifeline: int | None = None) -> None:
        self._settings = settings
        self._own_lifeline = lifeline
        self._wake = threading.Event()
        self._stopping = False
        self._was_ready = False
        self._failing_roles: list[str] = []
        self._children = _children(settings)
        self._preparing: subprocess.Popen[bytes] | None = None
        self._state_files = StateFiles()
        self._host_files = HostFiles(settings, Host.here())
        self._watchdog = StopWatchdog(before_exit=self._kill_children)

    def run(self) -> None:
        """Run until a signal to stop. It returns when every role is stopped."""
        log_to_stderr("supervisor", self._settings.log_level, self._settings.log_format)
        signal.signal(signal.SIGTERM, self._on_stop)
        signal.signal(signal.SIGINT, self._on_stop)
        signal.signal(signal.SIGCHLD, lambda *_: self._wake.set())
        if self._own_lifeline is not None:
            stop_with_parent(self._own_lifeline, self._watchdog)
        lock = self._lock()
        self._claim_host()
        log_to_file("supervisor", self._settings.log_file)
        warn_of_root()
        for sentence in setting_warnings(os.environ, self._settings):
            log.warning("setting probably not meant", extra={"advice": sentence})
        self._check_addresses()
        lifeline, self._lifeline_end = os.pipe()
        self._inherited = (lock, lifeline)
        self._environment = _environment(self._settings)
        prepared = self._prepare_with_core(lifeline)
        if prepared is None:
            self._host_files.remove()
            os.close(lock)
            log.info("stopped")
            return
        try:
            self._state_files.set(*server_file(self._settings))
            self._start_roles()
            self._wait_until_ready(prepared)
            self._was_ready = True
            while not self._stopping:
                waiting = any(c.process is None for c in self._children)
                self._wake.wait(0.2 if waiting else 1.0 if self._failing_roles else TOUCH_S)
                self._wake.clear()
                self._host_files.touch()
                self._state_files.write()
                self._restart_dead()
                self._write_failing_roles()
        finally:
            self._stop()
            remove_server_file(self._settings)
            self._host_files.remove()
            os.close(lock)

    def _on_stop(self, _number: int, _frame: object) -> None:
        self._watchdog.arm()
        self._stopping = True
        self._wake.set()

    def _lock(self) -> int:
        """Lock the data directory; wait for the orphans of a killed parent."""
        path = self._settings.data_dir / "trackyard.lock"
        try:
            make_data_directory(self._settings.data_dir)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as fault:
            raise unusable_directory(self._settings.data_dir, fault) from None
        deadline = time.monotonic() + LOCK_SECONDS
        while not self._stopping:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return handle
            except BlockingIOError:
                holder = os.pread(handle, 32, 0).decode() or "another process"
                # A living parent keeps its lock; only orphans release it soon.
                if is_process_alive(holder) or time.monotonic() > deadline:
                    os.close(handle)
                    raise CannotStart(
                        f"TRACKYARD_DATA_DIR {self._settings.data_dir} is in use by process {holder}: stop it, or set "
                        "another directory."
                    ) from None
                time.sleep(0.05)
        raise CannotStart("stopped before it started.")

    def _claim_host(self) -> None:
        """Raise CannotStart while another host uses the data directory or the SQLite file."""
        try:
            self._host_files.claim(self._wake)
        except OSError as fault:
            raise unusable_directory(self._settings.data_dir, fault) from None

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

    def _prepare_with_core(self, lifeline: int) -> dict[str, str] | None:
        """Prepare, while the core imports what it needs, which takes as long. As `_prepare`."""
        core = next((child for child in self._children if child.name == "core"), None)
        if core is None:
            return self._prepare(lifeline)
        wait_end, go_end = os.pipe()
        prepared = None
        try:
            self._start(core, wait_end)
            prepared = self._prepare(lifeline)
            if prepared is not None:
                os.write(go_end, b"1")
            return prepared
        finally:
            os.close(wait_end)
            os.close(go_end)
            if prepared is None and core.process is not None:
                core.process.kill()  # it has not begun yet
                core.process.wait()

    def _prepare(self, lifeline: int) -> dict[str, str] | None:
        """Prepare the start in its own process; return the facts that it prints, None after a signal."""
        handle = os.open(self._settings.data_dir / "trackyard.lock", os.O_WRONLY)
        try:
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
        except OSError as fault:
            raise unusable_directory(self._settings.data_dir, fault) from None
        finally:
            os.close(handle)
        command = [sys.executable, "-m", "trackyard", "prepare", "--lifeline", str(lifeline)]
        # In its own session, so that Ctrl-C reaches the parent only.
        process = subprocess.Popen(  # noqa: S603 (its own command)
            command, stdout=subprocess.PIPE, pass_fds=(lifeline,), start_new_session=True
        )
        self._preparing = process
        printed = self._read(process)
        if self._stopping:
            return None
        if process.returncode != 0:
            raise CannotStart if process.returncode == CANNOT_START else DatabaseAway
        prepared: dict[str, str] = json.loads(printed)
        return prepared

    def _read(self, process: "subprocess.Popen[bytes]") -> bytes:
        """Return the output of a process after it ends; a signal to stop is passed on to it."""
        while True:
            try:
                return process.communicate(timeout=0.2)[0]
            except subprocess.TimeoutExpired:
                self._host_files.touch()
                if self._stopping:
                    process.terminate()

    def _start_roles(self) -> None:
        """Start all but the worker, which waits."""
        for child in self._children:
            if child.name == "worker":
                child.start_at = time.monotonic() + WORKER_SECONDS
            elif child.process is None:
                self._start(child)
        self._log_started(self._children)

    def _start(self, child: _Child, after: int | None = None) -> None:
        """Start a role. after: a pipe that it reads a byte from before it begins."""
        command = [sys.executable, "-m", "trackyard", "role", *child.arguments, "--lifeline", str(self._inherited[1])]
        child.process = subprocess.Popen(  # noqa: S603 (its own command)
            command if after is None else [*command, "--after", str(after)],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            pass_fds=self._inherited if after is None else (*self._inherited, after),
            start_new_session=True,  # Ctrl-C reaches the parent only, which stops the roles in order
        )
        child.started_at = time.monotonic()
        running = {each.name: each.process.pid for each in self._children if each.process is not None}
        self._state_files.set(self._settings.processes_file, json.dumps({"supervisor": os.getpid()} | running))

    @staticmethod
    def _log_started(children: Sequence[_Child]) -> None:
        started = {each.name: each.process.pid for each in children if each.process is not None}
        log.info("started", extra={"processes": started})

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
                _log_death(child.name, status)
            if child.process is None and now >= child.start_at and not self._stopping:
                self._start(child)
                self._log_started([child])

    def _write_failing_roles(self) -> None:
        """Write the roles that cannot be kept running to a file that /readyz reads."""
        now = time.monotonic()
        failing = [c.name for c in self._children if c.failures > 1 and now - c.started_at <= STEADY_SECONDS]
        if failing != self._failing_roles:
            self._failing_roles = failing
            self._state_files.set(self._settings.failing_roles_file, json.dumps(failing))

    def _wait_until_ready(self, prepared: dict[str, str]) -> None:
        """Wait until each listener answers, start what waits for that, and print the greeting."""
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
        for child in self._children:
            if child.process is None and not child.failures:  # the worker
                child.start_at = 0.0
        self._restart_dead()
        if not self._stopping:
            shown = (prepared[name] for name in ("new_admin_api_key", "postback_code", "sign_in_link"))
            print(greeting(settings, *shown), flush=True)

    def _stop(self) -> None:
        """Stop stage by stage: edges first close their journals, then the others finish their work."""
        self._watchdog.arm()
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

    def _kill_children(self) -> None:
        """Kill what still runs, when this process must end at once."""
        for process in [self._preparing, *(child.process for child in self._children)]:
            if process is not None and process.poll() is None:
                process.kill()


def _log_death(name: str, status: int) -> None:
    """Log that a role ended: as an error only where the role could not log the reason itself."""
    fields = {"child": name, "exit_status": status}
    if status == -signal.SIGKILL:
        fields["advice"] = "it was killed: if no person did that, the machine has too little memory (dmesg says so)"
    log.log(logging.ERROR if status not in (0, 1) else logging.WARNING, "died", extra=fields)


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
        reason = fault if is_full_disk(fault) else f"{fault.filename}: {fault.strerror}"
        raise unusable_directory(settings.data_dir, reason) from None
    return {**os.environ, "TZ": "UTC", "PROMETHEUS_MULTIPROC_DIR": str(metrics), "PYTHONUNBUFFERED": "1"}


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
