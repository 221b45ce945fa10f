"""Take out of an environment what the program never loads, for a smaller image: python slim.py SITE_PACKAGES.

Distributions that the program does not require (those that compiled it), parts of pyarrow and chDB that it does not
import, tests, headers, sources in C, and symbols for debuggers. Prints what weighs afterwards.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final

UNUSED: Final = (
    "datastore",
    "pyarrow/_flight*",
    "pyarrow/_s3fs*",
    "pyarrow/include",
    "pyarrow/libarrow_flight*",
    "pyarrow/libarrow_python_flight*",
    "pyarrow/libarrow_s3*",
    "pyarrow/src",
    "**/tests",
    "**/*.pxd",
    "**/*.pxi",
    "**/*.pyx",
    "**/*.c",
    "**/*.h",
)
ROOT: Final = "trackyard"
SHOWN: Final = 8


def required(found: dict[str, Distribution]) -> set[str]:
    """Return the names of the program's distribution and of all that it requires."""
    seen, waiting = set[str](), [ROOT]
    while waiting:
        name = waiting.pop()
        if name not in seen and name in found:
            seen.add(name)
            texts = [each for each in found[name].requires or () if "extra ==" not in each]
            extras = [each for each in found[name].requires or () if re.search(r"extra == .(binary|regex)\b", each)]
            waiting += [normal(re.split(r"[^\w.-]", each)[0]) for each in (*texts, *extras)]
    return seen


def normal(name: str) -> str:
    """Return a name of a distribution in its usual form."""
    return re.sub(r"[-_.]+", "-", name).lower()


def remove(path: Path) -> None:
    """Remove a file or folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def files_of(distribution: Distribution, place: Path) -> Iterator[Path]:
    """Yield the files of a distribution inside the folder of packages."""
    for each in distribution.files or ():
        file = Path(str(distribution.locate_file(each))).resolve()
        if file.is_relative_to(place):
            yield file


def strip(file: Path, strips: str) -> None:
    """Replace a library by itself without symbols for debuggers."""
    smaller = file.with_name(file.name + ".stripped")
    done = subprocess.run([strips, "--strip-unneeded", "-o", smaller, file], capture_output=True, check=False)
    if done.returncode == 0:
        shutil.copymode(file, smaller)
        smaller.replace(file)
    else:
        smaller.unlink(missing_ok=True)


def size(path: Path) -> int:
    """Return the bytes of a file or folder."""
    if path.is_dir():
        return sum(each.lstat().st_size for each in path.rglob("*") if each.is_file())
    return path.lstat().st_size


def remove_unrequired(place: Path) -> None:
    """Remove the distributions that the program does not require."""
    found = {normal(each.metadata["Name"]): each for each in distributions(path=[str(place)])}
    wanted = required(found)
    assert ROOT in wanted, f"{ROOT} is not installed in {place}"
    for name in found.keys() - wanted:
        for file in list(files_of(found[name], place)):
            remove(file)


def remove_unused(place: Path) -> None:
    """Remove what no module of the program imports."""
    for pattern in UNUSED:
        for path in list(place.glob(pattern)):
            if path.exists() and not path.is_relative_to(place / ROOT):
                remove(path)


def strip_libraries(place: Path) -> None:
    """Strip every library but that of chDB, which comes stripped and is large."""
    strips = shutil.which("strip")
    for file in sorted(place.glob("**/*.so*")) if strips else ():
        if file.is_file() and not file.is_symlink() and not file.is_relative_to(place / "chdb"):
            strip(file, str(strips))


def main(place: Path) -> None:
    """Make the environment smaller."""
    remove_unrequired(place)
    remove_unused(place)
    strip_libraries(place)
    for folder in sorted(place.rglob("*"), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    sizes = sorted(((size(path), path.name) for path in place.iterdir()), reverse=True)
    for weight, name in [*sizes[:SHOWN], (sum(weight for weight, _ in sizes), "all")]:
        print(f"{weight / 1e6:7.1f} MB  {name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
