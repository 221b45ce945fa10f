"""Compile the modules of the click path (trackyard/runtime/compiled.py) if a C compiler is installed.

pyproject.toml holds the other settings of setuptools. Without a compiler, or with TRACKYARD_PURE set, the same files
are installed as plain Python, and a wheel of them suits every Python and machine.
"""

import os
import runpy
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent
COMPILED = runpy.run_path(str(ROOT / "trackyard" / "runtime" / "compiled.py"))
LIBRARY = "trackyard.click_path"
"""The library that contains all compiled modules. They call each other as C functions."""
DIRECT_CALLS = ["-fvisibility=hidden", "-fno-semantic-interposition", "-fno-plt"]
"""Flags for direct calls: no other library calls or replaces these functions, so the compiler may inline them."""
QUICK = ["-Wno-misleading-indentation"]
"""A warning that takes half of the parser's time, as it compares the columns of lines, which mypyc indents far."""


def extensions(directory: str) -> list[Extension]:
    """Return the extensions, with their C files in `directory`; none if mypyc fails, which prints the reason."""
    from mypyc.build import mypycify

    files = [str(COMPILED["path_of"](module).relative_to(ROOT)) for module in COMPILED["MODULES"]]
    options = ["--config-file=", "--ignore-missing-imports", "--follow-imports=silent", "--no-incremental"]
    try:
        made = mypycify([*options, *files], group_name=LIBRARY, target_dir=directory, opt_level="3", debug_level="0")
    except SystemExit:
        return []
    for extension in made:
        extension.optional = True
        if os.name == "posix":
            extension.extra_compile_args += DIRECT_CALLS + QUICK
    return made


class Compile(build_ext):
    """Compile the modules and write the manifest of their sources.

    mypyc runs in this step only, so that a request for metadata stays quick.
    """

    def finalize_options(self) -> None:
        """Leave the extensions to `run`."""
        super().finalize_options()
        self.extensions = []

    def run(self) -> None:
        """Compile all modules or none."""
        reason = COMPILED["missing_requirement"]()
        self.distribution.ext_modules = made = [] if reason else extensions(str(Path(self.build_temp, "c")))
        inner = build_ext(self.distribution)
        inner.build_lib, inner.build_temp = self.build_lib, self.build_temp
        inner.inplace, inner.editable_mode = self.inplace, self.editable_mode
        inner.ensure_finalized()
        if made:
            inner.run()
        whole = bool(made) and all(Path(inner.get_ext_fullpath(one.name)).is_file() for one in made)
        if not whole:
            print(f"The modules of the edge stay plain Python: {reason or 'they do not compile'}.", file=sys.stderr)
        if not reason:
            package = Path(inner.get_ext_fullpath(LIBRARY)).parent
            package.mkdir(parents=True, exist_ok=True)
            COMPILED["write_manifest"](package, modules=whole)


# The one extension is a placeholder: `Compile.run` finds the real ones. A wheel without it is not of one platform.
placeholder = [] if COMPILED["missing_requirement"]() else [Extension(LIBRARY, sources=[])]
setup(cmdclass={"build_ext": Compile}, ext_modules=placeholder)
