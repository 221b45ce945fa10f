"""The consequences of the status of an account, whichever it is of."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountStatusRule:
    """The consequences of a status. Texts are in English.

    may_sign_in: whether its people may sign in, and its keys work.
    is_undecided: whether staff have to decide about it.
    label, mark: the status on pages: its name, and the name's shape and colour.
    done: the sentence on the page after the change; {name} is the name of the account.
    """

    may_sign_in: bool = False
    is_undecided: bool = False
    label: str
    mark: str
    done: str
