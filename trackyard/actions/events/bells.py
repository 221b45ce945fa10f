"""The bell of a caller, and what it chose about notices (docs/spec/events.md#the-bell)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.platform.notices import NOTICES
from trackyard.base.errors import BadInput
from trackyard.domain.events.events import line_of, page_of, words_of
from trackyard.domain.events.kinds import BOTH, CHATS, EVENT_RULES, Channel, EventAudience, EventKind, NoticeRule
from trackyard.domain.people.callers import HOMES, AdvertiserCaller, AffiliateCaller, Caller, StaffCaller
from trackyard.store.events import bell, choices
from trackyard.store.events.bell import BellItem
from trackyard.store.events.choices import Choices

_AUDIENCES: Final = {
    StaffCaller: frozenset({EventAudience.STAFF, EventAudience.ALERTED, EventAudience.ACCOUNT}),
    AffiliateCaller: frozenset(
        {EventAudience.AFFILIATE, EventAudience.CONNECTED, EventAudience.PAID, EventAudience.CAPPED}
        | {EventAudience.ACCOUNT, EventAudience.RECEIVERS, EventAudience.READERS}
    ),
    AdvertiserCaller: frozenset({EventAudience.ADVERTISER, EventAudience.ACCOUNT, EventAudience.READERS}),
}
"""The audiences that a caller can be of."""


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """An item of a bell as its reader sees it.

    line: in the language of the moment. words: what a person typed with it, "" = nothing. page: a path, "" = none.
    """

    seq: int
    kind: EventKind
    at: int
    line: str
    words: str
    page: str
    is_read: bool


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """How a caller hears of a kind of event.

    is_required: whether the channels of the matrix stay on.
    channels: what the caller can choose, and whether it is on.
    """

    kind: EventKind
    label: str
    is_required: bool
    channels: Mapping[Channel, bool]


def notice_for(caller: Caller, kind: EventKind) -> NoticeRule | None:
    """Return the notice of a kind that a caller may get; None without one."""
    for rule in EVENT_RULES[kind].notices:
        may = caller.may(rule.permission) if isinstance(caller, StaffCaller) else rule.permission not in caller.withheld
        if rule.audience in _AUDIENCES[type(caller)] and (may or rule.audience is EventAudience.ACCOUNT):
            return rule
    return None


def list_bell(deps: Deps, caller: Caller, *, page: int, limit: int) -> tuple[list[ShownNotice], int, int]:
    """Return a page of the bell of a caller, the newest first, the total, and how many are unread."""
    with deps.database.read() as conn:
        found, total = bell.list_items(conn, caller.account, page=page, limit=limit)
        unread = bell.count_unread(conn, caller.account)
    home = HOMES[caller.company.kind]
    return [_shown(item, home) for item in found], total, unread


def count_unread(deps: Deps, caller: Caller) -> int:
    """Return how many unread events the bell of a caller has."""
    with deps.database.read() as conn:
        return bell.count_unread(conn, caller.account)


def mark_read(deps: Deps, caller: Caller, until_seq: int | None) -> int:
    """Mark the bell of a caller as read; return how many events were unread.

    until_seq: the number of the last one; None = all.
    """
    with deps.database.write() as conn:
        return bell.mark_read(conn, caller.account, until_seq)


def list_choices(deps: Deps, caller: Caller) -> list[ShownChoice]:
    """Return how a caller hears of each kind that it may hear of."""
    with deps.database.read() as conn:
        chosen = choices.find_choices(conn, caller.account)
    return [
        ShownChoice(kind, str(about.label), about.is_required, _channels(caller, kind, rule, chosen))
        for kind, about in EVENT_RULES.items()
        if (rule := notice_for(caller, kind)) is not None
    ]


def edit_choices(deps: Deps, caller: Caller, chosen: Mapping[EventKind, Mapping[Channel, bool]]) -> list[ShownChoice]:
    """Change how a caller hears of kinds. Channels that are not sent stay.

    Raises BadInput for a kind that the caller does not hear of, and for a channel of a required kind that is off.
    """
    with deps.database.write() as conn:
        stored = choices.find_choices(conn, caller.account)
        changed: dict[tuple[EventKind, Channel], bool] = {}
        for kind, channels in chosen.items():
            rule = notice_for(caller, kind)
            if rule is None:
                raise BadInput({f"{next(iter(channels))}[{kind}]": ["You do not hear of this kind."]})
            known = _channels(caller, kind, rule, stored)
            if lacking := [channel for channel, is_on in channels.items() if is_on and channel not in known]:
                raise BadInput({f"{lacking[0]}[{kind}]": ["You cannot get this kind by this channel."]})
            wanted = known | {channel: is_on for channel, is_on in channels.items() if channel in known}
            off = [each for each in rule.channels if not wanted[each]]
            if EVENT_RULES[kind].is_required and off:
                raise BadInput({f"{off[0]}[{kind}]": ["This notice is required: it stays on."]})
            changed |= {(kind, channel): is_on for channel, is_on in wanted.items()}
        choices.edit_choices(conn, caller.account, changed)
    return list_choices(deps, caller)


def _channels(caller: Caller, kind: EventKind, rule: NoticeRule, chosen: Choices) -> dict[Channel, bool]:
    """Return the channels that a caller can choose for a kind, and whether each is on."""
    offered = BOTH | CHATS if isinstance(caller, StaffCaller) else BOTH
    required = rule.channels if EVENT_RULES[kind].is_required else frozenset[Channel]()
    return {
        channel: channel in required or chosen.get((kind, channel), rule.is_on(channel))
        for channel in Channel
        if channel in offered and channel not in rule.without
    }


def _shown(item: BellItem, home: str) -> ShownNotice:
    event = item.event
    assert event.seq is not None
    rule = next(each for each in event.rule.notices if each.audience is item.audience)
    notice = NOTICES[rule.mail]
    line, page = line_of(event, notice.subject), page_of(event, rule, notice.page, home)
    return ShownNotice(event.seq, event.kind, event.at, line, words_of(event), page, item.is_read)
