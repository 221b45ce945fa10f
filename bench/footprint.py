"""What an installation takes: time to set up, processor, memory, disk."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.support.processes.program import RunningProgram

ROOT = Path(__file__).parents[1]
_TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(program: RunningProgram) -> dict[str, float]:
    """Return the processor's seconds of each process so far; `ended` = of those that have ended."""
    found: dict[str, float] = {}
    for name, pid in _processes(program).items():
        times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
        user, system, *of_children = (int(each) / _TICKS for each in times)
        found[name] = user + system
        if name == "parent":
            found["ended"] = sum(of_children)
    return found


def pss_mb(program: RunningProgram) -> dict[str, float]:
    """Return the megabytes of each process; pages that several share are divided among them."""
    return {name: _pss_kb(pid) / 1024 for name, pid in _processes(program).items()}


def idle_percent(program: RunningProgram, seconds: float) -> dict[str, float]:
    """Return the percent of a core that each process takes in the next seconds."""
    before = processor_seconds(program)
    time.sleep(seconds)  # idle is what is measured
    after = processor_seconds(program)
    return {name: 100 * (after[name] - before[name]) / seconds for name in before}


def disk_mb(directory: Path) -> tuple[float, float]:
    """Return the megabytes that a directory takes on the disk, and those of a copy of its files."""
    found = {(each.st_dev, each.st_ino): each for path in directory.rglob("*") for each in [path.lstat()]}
    return sum(each.st_blocks for each in found.values()) / 2048, sum(each.st_size for each in found.values()) / 2**20


def set_up_figures(directory: Path) -> dict[str, float]:
    """Return seconds from a copy of the program's files to its readiness, and the megabytes of its .venv.

    Packages come from the caches of pip or uv, as they are.
    """
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in files.split("\0"):
        if name and (ROOT / name).is_file():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, directory / name)
    begun = time.monotonic()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHON": sys.executable, "TRACKYARD_PURE": "1"}
    subprocess.run([directory / "script" / "setup"], env=environment, stdout=subprocess.DEVNULL, check=True)
    installed = time.monotonic()
    del environment["TRACKYARD_PURE"]
    subprocess.run([directory / "script" / "compile"], env=environment, check=True)
    compiled = time.monotonic()
    home = directory / "home"
    home.mkdir()
    program = RunningProgram(home, python=str(directory / ".venv" / "bin" / "python"), unique_mb="256")
    started = program.start()
    program.stop()
    return {
        "set_up_s": installed - begun,
        "set_up_compile_s": compiled - installed,
        "set_up_first_start_s": started,
        "set_up_all_s": compiled - begun + started,
        "venv_mb": disk_mb(directory / ".venv")[0],
    }


def _processes(program: RunningProgram) -> dict[str, int]:
    assert program.process is not None
    return {"parent": program.process.pid, **program.children()}


def _pss_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
