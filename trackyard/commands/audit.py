"""`trackyard audit`: compare all books with each other."""

from typing import Any

from trackyard.commands.local_api import administrator_client
from trackyard.runtime.settings import Config


def audit(config: Config) -> tuple[str, bool]:
    """Return the report, several lines, and whether nothing differs.

    Raises CannotStart when the server does not run or cannot answer.
    """
    answer = administrator_client(config).get("/3.1/admin/reconciliation", seconds=None)
    lines = [f"{number:>12,} {what}" for what, number in answer["checked"].items()]
    lines += difference_lines(answer)
    lines += [f"WARNING {sentence}" for sentence in answer.get("warnings", ())]
    lines.append("everything adds up" if answer["count"] == 0 else f"{answer['count']:,} differences")
    return "\n".join(lines), answer["count"] == 0


def difference_lines(answer: dict[str, Any]) -> list[str]:
    """Return a line for each difference of an answer, and one for those it leaves out."""
    lines = [
        f"DIFFERENT {item['what']} {item['key']}: expected {item['expected']}, found {item['found']}"
        for item in answer["differences"]
    ]
    hidden = answer["count"] - len(answer["differences"])
    return [*lines, f"… and {hidden:,} more differences"] if hidden else lines
