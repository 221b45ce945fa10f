"""Makes the saved reports that are due by mail (docs/spec/console.md#reports-by-mail)."""

import logging
import threading
from contextlib import ExitStack
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.failures import LoggedFailures, refusal_of
from trackyard.actions.people.callers import find_account_caller
from trackyard.actions.platform.network import get_network
from trackyard.actions.statistics.report_mails import ClaimedMail, claim_due, finish, list_due, stop_mail
from trackyard.api.statistics import reports, saved_reports
from trackyard.base.errors import ReportsBusy, RequestError, TooManyRequests, Unavailable
from trackyard.base.fair_work import LOOKED_AT, FairWork
from trackyard.base.logs.origin import RequestOrigin
from trackyard.base.texts.languages import language, speaking
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.persons import find_person
from trackyard.console.frame.request import PageRequest
from trackyard.console.mailed.letters import letter_of, refused_letter
from trackyard.domain.people.callers import Caller
from trackyard.domain.statistics.report_mails import ReportMail
from trackyard.domain.statistics.saved_reports import SavedReport, zone_of
from trackyard.wire.local_calls import CallContext, LocalCalls

_PAUSE_S: Final = 20.0
_AFTER_FAILURE_S: Final = 60.0
_NEEDED: Final = (reports.custom, saved_reports.list_)
_FEATURE: Final = "stats.view-custom"

log = logging.getLogger("trackyard.api")


class ReportMailer:
    """Makes reports as their recipients see them, some at a time, one of each account.

    Several may run on one database: a mail is queued once.
    """

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._context = CallContext(deps, deps.clock)
        self._work = FairWork(lambda: list_due(deps, LOOKED_AT), lambda due: (due.owner,), self._send_due)

    def run(self, stop: threading.Event) -> None:
        """Send what is due until `stop` is set."""
        self._work.run(stop, "report mails", _PAUSE_S, lambda: LoggedFailures(log, "reports by mail", _AFTER_FAILURE_S))

    def send_one(self) -> bool:
        """Make the report that is due the longest, and queue its mail.

        False without one. For its account none is made now.
        """
        return self._work.do_one()

    def _send_due(self, due: ReportMail) -> None:
        claimed = claim_due(self._deps, due.id)
        if claimed is None:  # another process has it
            return
        caller = find_account_caller(self._deps, claimed.account)
        if claimed.report is None or caller is None or not self._has_permission(caller):
            stop_mail(self._deps, claimed.account, claimed.mail.report_id)
            log.info(
                "report by mail stopped", extra={"account": claimed.account.name, "report": claimed.mail.report_id}
            )
            return
        request = self._request(caller, claimed.report)
        with speaking(language(request.language)):
            self._send(request, claimed, claimed.report)

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

    def _has_permission(self, caller: Caller) -> bool:
        calls = self._calls(caller, "")
        return all(calls.may(method) for method in _NEEDED) and calls.has_features((_FEATURE,))

    def _calls(self, caller: Caller, timezone: str) -> LocalCalls[Deps]:
        return LocalCalls(self._context, caller, RequestOrigin(), ExitStack, timezone=timezone)

    def _request(self, caller: Caller, report: SavedReport) -> PageRequest:
        zone = zone_of(report)
        return PageRequest(
            deps=self._deps,
            address=PageAddress("/"),
            network=get_network(self._deps),
            person_or_none=find_person(self._deps, caller),
            calls_or_none=self._calls(caller, zone if zone != self._deps.zone.key else ""),
        )
