"""The settings of the platform, and the way to its lists (docs/spec/console.md#settings)."""

from typing import Final

from trackyard.api.money import exchange_rates
from trackyard.api.platform import settings
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.forms import open_form
from trackyard.console.forms.declared import FormField, FormGroup, FormPlan
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.system.settings_lists import LISTS
from trackyard.wire.response.envelope import values_by_name

pages = Pages()

PATH: Final = "/console/settings"
PLAN: Final = FormPlan(
    settings.edit,
    (
        FormGroup(
            lazy_gettext("Clicks"),
            (
                FormField("trafficback_url", label=lazy_gettext("Target of rejected clicks"), wide=True),
                FormField("refuse_bots", label=lazy_gettext("Reject bots and prefetches"), widget="switch"),
            ),
        ),
        FormGroup(
            lazy_gettext("Reports of conversions"),
            (
                FormField("hash_password", label=lazy_gettext("Code of the platform"), wide=True),
                FormField("affiliate_imports", label=lazy_gettext("Imports of affiliates")),
                FormField(
                    "show_decline_reasons",
                    label=lazy_gettext("Show affiliates why conversions are declined"),
                    widget="switch",
                ),
            ),
        ),
        FormGroup(
            lazy_gettext("Mail"),
            (
                FormField("mail_from", label=lazy_gettext("Sender"), wide=True),
                FormField("smtp_url", label=lazy_gettext("Server"), wide=True),
                FormField(
                    "password",
                    lazy_gettext("Your password"),
                    widget="password",
                    help=lazy_gettext("For another sender or server. The other administrators get a mail about it."),
                ),
            ),
            help=lazy_gettext("Empty: as the settings of the server say."),
        ),
        FormGroup(
            lazy_gettext("Statistics of the API"),
            (
                FormField("statistics_revenue", label=lazy_gettext("Revenue")),
                FormField("statistics_rows", label=lazy_gettext("Rows")),
            ),
            help=lazy_gettext(
                "For programs that read statistics. Pages of the console show the same figures with each."
            ),
            folded=True,
        ),
    ),
)


@pages.get(PATH, needs=(settings.show, settings.edit))
@pages.post(PATH, needs=(settings.show, settings.edit))
def platform_settings(request: PageRequest) -> PageAnswer:
    """Show and change the settings of the platform."""
    answer = request.calls.ask(settings.show)
    form = open_form(request, PLAN, {**values_by_name(answer.settings), "password": ""})
    if form.save() is not None:
        return Redirect(PATH, gettext("The settings are saved. They are in force within a second."))
    return form.page(
        request,
        gettext("Settings"),
        back=PATH,
        line=gettext("A change is in force within a second."),
        template="staff/settings/platform.html",
        lists=[each for each in LISTS if request.may_open(each.path)],
        quotes=answer.quotes,
        rates_read_at=request.time_of(answer.quotes.read_at) if answer.quotes.read_at else gettext("never"),
        may_refresh_rates=request.may_use((exchange_rates.refresh,)),
        retention=_retention(request),
    )


def _retention(request: PageRequest) -> list[tuple[str, str, str]]:
    """Return the kinds of data, how long each is kept, and the setting for it."""
    kept = request.deps.retention_policy
    days = (
        (gettext("Journals, after they are loaded"), kept.journals, "TRACKYARD_JOURNAL_DAYS"),
        (gettext("Clicks and impressions"), kept.clicks, "TRACKYARD_CLICK_DAYS"),
        (gettext("Logs of postbacks"), kept.logs, "TRACKYARD_LOG_DAYS"),
        (gettext("Personal data"), kept.personal, "TRACKYARD_PERSONAL_DATA_DAYS"),
    )
    return [(what, ngettext("%(num)d day", "%(num)d days", count), name) for what, count, name in days]


@pages.post(f"{PATH}/test-mail", needs=(settings.test_mail,))
def send_test_mail(request: PageRequest) -> PageAnswer:
    """Send a mail to the signed-in person, to test the saved settings of mail."""
    done = request.calls.ask(settings.test_mail)
    if not done.server:
        text = gettext("No mail server is set: the mail to %(address)s is written to a file.", address=done.email)
    elif done.is_sent:
        text = gettext(
            "The mail server %(server)s took the mail to %(address)s.", server=done.server, address=done.email
        )
    else:
        text = gettext(
            "The mail to %(address)s was not sent. The mail server %(server)s says: %(answer)s",
            address=done.email,
            server=done.server,
            answer=done.answer,
        )
    return Redirect(PATH, text)


@pages.post(f"{PATH}/refresh-rates", needs=(exchange_rates.refresh,))
def refresh_rates(request: PageRequest) -> PageAnswer:
    """Read the rates of the bank now."""
    if not request.calls.ask(exchange_rates.refresh).quotes.is_requested:
        return Redirect(PATH, gettext("The rates were read less than a minute ago."))
    return Redirect(PATH, gettext("The rates are being read. Open this page again in a few seconds to see the result."))
