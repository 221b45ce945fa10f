"""docs/conformance.md: how many sentences of the specification have a row. `script/docs` writes it."""

from importlib import import_module
from pathlib import Path

FILE = Path(__file__).parents[2] / "docs" / "conformance.md"
_INTRODUCTION = """\
# Conformance

`tests/conformance` reads the specification of the API (versions 3.0 and 3.1) sentence by sentence. Each row is one
sentence, or one part of it, called over HTTP against a running program. tests/conformance/README.md explains their
form. `script/docs` writes this page.
"""


def sections() -> list[tuple[str, str, int]]:
    """Heading of the specification, file and number of rows of each section, by file name."""
    found = []
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        module = import_module(f"tests.conformance.{path.stem}")
        if hasattr(module, "ROWS"):
            found.append((module.SECTION, path.name, len(module.ROWS)))
    return found


def render_page() -> str:
    """The page, as it has to be."""
    rows = sections()
    lines = [f"| {section} | `{file}` | {count} |" for section, file, count in rows]
    total = sum(count for _, _, count in rows)
    head = ["| section | file | sentences |", "|---|---|---|"]
    return "\n".join([_INTRODUCTION, *head, *lines, f"| **all** | | **{total}** |", ""])


if __name__ == "__main__":
    FILE.write_text(render_page())
