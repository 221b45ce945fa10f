"""Makes the saved reports that are due by mail (docs/spec/console.md#reports-by-mail)."""

import logging
import threading
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.failures import refusal_of
from trackyard.actions.people.callers import find_account_caller
from trackyard.actions.platform.network import get_network
from trackyard.actions.statistics.report_mails import ClaimedMail, claim_due, finish, has_due, stop_mail
from trackyard.base.errors import ReportsBusy, RequestError, TooManyRequests, Unavailable
from trackyard.base.logs.origin import RequestOrigin
from trackyard.base.texts.languages import language, speaking
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.request import PageRequest
from trackyard.console.mailed.letters import letter_of, refused_letter
from trackyard.console.people import find_person
from trackyard.domain.people.callers import Caller
from trackyard.domain.statistics.saved_reports import SavedReport, zone_of
from trackyard.wire.endpoint import Endpoint
from trackyard.wire.local_calls import LocalCalls, Methods

_PAUSE_S: Final = 20.0
_AFTER_FAILURE_S: Final = 60.0
_NEEDED: Final = ("stats.custom", "stats.saved-reports.list")
_FEATURE: Final = "stats.view-custom"

log = logging.getLogger("trackyard.api")


class ReportMailer:
    """Makes reports as their recipients see them. Several may run on one database: a mail is queued once."""

    def __init__(self, deps: Deps, endpoints: Iterable[Endpoint[Deps]]) -> None:
        self._deps = deps
        self._methods = Methods(endpoints, deps, deps.clock)

    def run(self, stop: threading.Event) -> None:
        """Send what is due until `stop` is set."""
        while not stop.is_set():
            pause = _PAUSE_S
            try:
                while not stop.is_set() and self.send_one():
                    pass
            except Exception as fault:
                pause = _AFTER_FAILURE_S
                level = logging.ERROR if refusal_of(fault) is None else logging.DEBUG
                log.log(level, "reports by mail failed", exc_info=fault)
            stop.wait(pause)

    def send_one(self) -> bool:
        """Make the report that is due the longest, and queue its mail; False when none is due."""
        if not has_due(self._deps) or (claimed := claim_due(self._deps)) is None:
            return False
        caller = find_account_caller(self._deps, claimed.account)
        if claimed.report is None or caller is None or not self._may(caller):
            stop_mail(self._deps, claimed.account, claimed.mail.report_id)
            log.info(
                "report by mail stopped", extra={"account": claimed.account.name, "report": claimed.mail.report_id}
            )
            return True
        request = self._request(caller, claimed.report)
        with speaking(language(request.language)):
            self._send(request, claimed, claimed.report)
        return True

    def _send(self, request: PageRequest, claimed: ClaimedMail, report: SavedReport) -> None:
        """Queue the mail of a report. A report that cannot be made now is tried again for two hours."""
        try:
            letter = letter_of(request, report, claimed.mail.files)
        except Exception as fault:
            refusal = fault if isinstance(fault, RequestError) else refusal_of(fault)
            if refusal is None:
                log.error("report by mail failed", exc_info=fault)
            if isinstance(refusal, Unavailable | ReportsBusy | TooManyRequests | None) and not claimed.late:
                return
            letter = refused_letter(request, report, refusal)
        finish(self._deps, claimed, request.person.email, letter)

    def _may(self, caller: Caller) -> bool:
        calls = self._calls(caller, "")
        return all(calls.may(method) for method in _NEEDED) and calls.has_features((_FEATURE,))

    def _calls(self, caller: Caller, timezone: str) -> LocalCalls[Deps]:
        return LocalCalls(self._methods, caller, RequestOrigin(), ExitStack, timezone=timezone)

    def _request(self, caller: Caller, report: SavedReport) -> PageRequest:
        zone = zone_of(report)
        return PageRequest(
            deps=self._deps,
            address=PageAddress("/"),
            network=get_network(self._deps),
            person_or_none=find_person(self._deps, caller),
            calls_or_none=self._calls(caller, zone if zone != self._deps.zone.key else ""),
        )
