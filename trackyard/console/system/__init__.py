"""The pages of the system: settings, health, audit log, alerts (docs/spec/console.md#health)."""

from typing import Final

from trackyard.console.frame.pages import Pages
from trackyard.console.system import (
    alert_choices,
    alerts,
    audit_log,
    domain_test,
    health,
    mail_log,
    mail_texts,
    network,
    news_mails,
    platform_settings,
    settings_lists,
    thing_health,
)

PARTS: Final[tuple[Pages, ...]] = (
    platform_settings.pages,
    network.pages,
    mail_log.pages,
    mail_texts.pages,
    news_mails.pages,
    settings_lists.pages,
    domain_test.pages,
    health.pages,
    audit_log.pages,
    thing_health.pages,
    alerts.pages,
    alert_choices.pages,
)
"""All pages of the system."""
