"""Requests for methods of staff users, signing in, settings and currencies."""

from collections.abc import Callable
from typing import Any

from tests.contract.requests.accounts import CHAT, NEW_KEY, SAVED_REPORT
from tests.support.api import Api
from trackyard.base.ids import new_id
from trackyard.domain.money.currencies import NUMBERS
from trackyard.domain.money.held_changes import PAYMENT_SYSTEMS, HeldChange, HeldKind
from trackyard.store.money import held_changes

PRESET_LEVELS = {"permissions[stats][slice-city][level]": "deny"}
SIGN_IN = {"login": "sweep@staff.example", "password": "sesame"}


def good_params(api: Api) -> dict[str, dict[str, Any]]:
    """Parameters with which each of these methods succeeds."""
    named = {"password": SIGN_IN["password"], "first_name": "Sam", "last_name": "Sweep"}
    api.admin.post("/3.0/admin/user", email=SIGN_IN["login"], **named)
    codes = iter(sorted(NUMBERS))
    return {
        "auth": SIGN_IN,
        "admin.notices.chats.set": CHAT,
        "admin.notices.chats.remove": {"channel": CHAT["channel"]},
        "admin.notices.chats.test": {"channel": CHAT["channel"]},
        "auth.keys.add": NEW_KEY,
        "auth.keys.edit": {"name": "import"},
        "stats.saved-report.add": SAVED_REPORT | {"name": "Report {n}"},
        "stats.saved-report.edit": {"name": "Tuesday review"},
        "admin.keys.list": {"affiliate_id": api.add_affiliate()[0]},
        "admin.keys.add": NEW_KEY | {"affiliate_id": lambda: api.add_affiliate()[0]},
        "admin.keys.edit": {"name": "import"},
        "admin.user.add": {"email": "{n}@staff.example"} | named,
        "admin.user.edit": {"first_name": "Sue"},
        "admin.settings.edit": {"hash_password": ""},
        "admin.currency.add": {"code": lambda: next(codes), "rate": "2"},
        "admin.currency.edit": {"rate": "1.5"},
        "preset.add": {"name": "Readers"} | PRESET_LEVELS,
        "preset.edit": {"name": "Writers"} | PRESET_LEVELS,
        "admin.erasure.add": {"subject": "user", "id": "visitor-17"},
    }


def path_subjects(api: Api) -> dict[str, Callable[[], Any]]:
    """Subjects of the paths of these methods."""
    user, _ = api.add_staff()

    def currency(code: str) -> int:
        api.admin.call("POST", "/3.1/admin/currencies", data={"code": code, "rate": "2"})  # 409 when it is there
        return NUMBERS[code]

    def erasure() -> int:
        asked = {"subject": "click", "id": "a" * 24}
        return int(api.admin.post("/3.1/admin/erasures", **asked)["erasure"]["id"])

    def preset() -> str:
        return str(api.admin.post("/3.1/presets", name="Readers", **PRESET_LEVELS)["preset"]["id"])

    def held_change() -> str:
        pid, now = api.add_affiliate()[0], api.clock.now_ms()
        new = HeldChange(
            id=new_id(now), kind=HeldKind.PAYMENT_SYSTEMS, affiliate_id=pid, subject_id=pid,
            asked={PAYMENT_SYSTEMS: []}, before={PAYMENT_SYSTEMS: []}, author_id=user, created_at=now,
        )  # fmt: skip
        with api.deps.database.write() as conn:
            held_changes.add_change(conn, new)
        return new.id

    named = (
        *("admin.user.get", "admin.user.edit", "admin.user.api_key", "admin.user.password"),
        *("admin.user.second_factor.reset", "admin.user.sign_in_link"),
        *("admin.user.access", "admin.user.sessions.end"),
    )

    def key_of_another() -> str:
        pid, _ = api.add_affiliate()
        return str(api.admin.post("/3.1/admin/keys", affiliate_id=pid, **NEW_KEY)["key"]["id"])

    ended = ("admin.user.block", "admin.user.unblock", "admin.user.remove")
    subjects = {method: lambda: user for method in named} | {method: lambda: api.add_staff()[0] for method in ended}
    subjects |= {f"admin.keys.{method}": key_of_another for method in ("edit", "rotate", "remove")}
    return subjects | {
        **dict.fromkeys(("preset.edit", "preset.remove"), preset),
        "admin.erasure.get": erasure,
        "admin.held-change.confirm": held_change,
        "admin.held-change.refuse": held_change,
        "admin.currency.edit": lambda: currency("ZAR"),
        "admin.currency.remove": lambda: currency("VND"),
    }
