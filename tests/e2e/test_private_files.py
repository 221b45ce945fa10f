"""What is on disk and on standard output is small, and for the owner of the installation alone."""

from pathlib import Path

from tests.support.processes.program import KEY, RunningProgram, poll_until


def open_to_others(directory: Path) -> list[str]:
    """Everything below a directory that its group or others may read, write or enter."""
    return [str(each) for each in directory.rglob("*") if each.lstat().st_mode & 0o077 and not each.is_symlink()]


def check_size_of_empty(data: Path) -> None:
    """A data directory without records takes less than 20 MB."""
    found = [each.lstat() for each in data.rglob("*")]
    assert sum(each.st_blocks * 512 for each in found) < 20e6
    assert sum(each.st_size for each in found) < 20e6, "a copy that fills holes is no larger"


def test_program_in_open_directory_keeps_files_and_key_private(tmp_path: Path) -> None:
    """A directory made by hand is open to others: the files in it hold hashes, keys and mails."""
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o755)
    program = RunningProgram(tmp_path, unique_mb="256")
    program.start()
    check_size_of_empty(data)
    assert KEY in poll_until(program.out_file.read_text, seconds=10, what="the greeting")
    made = program.api("POST", "/3.0/admin/advertiser", {"title": "Shop", "email": "shop@shop.example"})
    program.api("POST", f"/3.1/admin/advertiser/{made['advertiser']['id']}/sendpass")
    poll_until(lambda: list((data / "mail").glob("*.eml")), seconds=15, what="the mail with a password")
    warned = [line for line in program.log_lines() if line.get("message") == "data directory open to others"]
    assert warned and (warned[0]["level"], warned[0]["mode"]) == ("WARNING", "755") and "chmod" in warned[0]["advice"]
    assert open_to_others(data) == []
    assert program.stop() == 0

    program.out_file.unlink()
    program.start()
    greeting = poll_until(program.out_file.read_text, seconds=10, what="the greeting")
    assert KEY not in greeting and "trackyard key" in greeting
    assert program.command("key").stdout.strip() == KEY
    assert program.stop() == 0
