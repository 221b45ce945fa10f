"""docs/tracking: the tracking reference as pages, and docs/error-codes.md. `script/docs` writes them."""

from pathlib import Path
from typing import Final

from trackyard.api.tracking.reference import tracking_guides
from trackyard.wire.openapi.conventions import ERROR_CODES

DIRECTORY: Final = Path(__file__).parents[2] / "docs" / "tracking"
ERROR_CODES_PAGE: Final = DIRECTORY.parent / "error-codes.md"


def render_guides() -> dict[str, str]:
    """Return every page as it must be, by file name."""
    return {f"{guide.name}.md": guide.markdown for guide in tracking_guides()}


def main() -> None:
    """Write the pages, and remove former ones."""
    pages = render_guides()
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    for stale in DIRECTORY.glob("*.md"):
        if stale.name not in pages:
            stale.unlink()
    for name, text in pages.items():
        (DIRECTORY / name).write_text(text)
    ERROR_CODES_PAGE.write_text(ERROR_CODES.markdown)


if __name__ == "__main__":
    main()
