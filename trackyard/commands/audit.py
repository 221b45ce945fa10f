"""`trackyard audit`: whether everything adds up."""

from trackyard.commands.local_api import ApiError, get_as_administrator
from trackyard.runtime.settings import CannotStart, Config


def audit(config: Config) -> tuple[str, bool]:
    """What was compared and what differs, several lines, and whether nothing does. Raises CannotStart when the server
    does not run or cannot answer."""
    try:
        answer = get_as_administrator(config, "/3.1/admin/reconciliation", seconds=None)
    except ApiError as refused:
        raise CannotStart(f"the API answers {refused.status}: {refused}") from None
    lines = [f"{number:>12,} {what}" for what, number in answer["checked"].items()]
    lines += [
        f"DIFFERENT {item['what']} {item['key']}: expected {item['expected']}, found {item['found']}"
        for item in answer["differences"]
    ]
    hidden = answer["count"] - len(answer["differences"])
    if hidden:
        lines.append(f"… and {hidden:,} more differences")
    lines.append("everything adds up" if answer["count"] == 0 else f"{answer['count']:,} differences")
    return "\n".join(lines), answer["count"] == 0
