"""Who issues documents, and what new invoices have (docs/spec/documents.md#billing)."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput
from trackyard.base.zones import local_day
from trackyard.domain.money.billing import Billing, prefix_of
from trackyard.store.money import invoices
from trackyard.store.platform import settings


def get_billing(deps: Deps) -> Billing:
    """Return who issues documents."""
    with deps.database.read() as conn:
        return settings.find_billing(conn)


def edit_billing(deps: Deps, given: Mapping[str, Any], invoice_next: int | None = None) -> Billing:
    """Change the given fields; return all.

    invoice_next: the next number of the series of invoices. Raises BadInput for one that was given before.
    """
    with deps.database.write() as conn:
        after = replace(settings.find_billing(conn), **given)
        if after.tax_percent and not after.tax_name:
            raise BadInput({"tax_name": ["A tax needs a name, such as VAT."]})
        if prefix_of(after.invoice_series, 2000) == prefix_of(after.credit_series, 2000):
            raise BadInput({"credit_series": ["Credit notes need a series of their own."]})
        if invoice_next is not None:
            year = local_day(deps.clock.now_ms(), deps.zone).year
            last = invoices.begin_series(conn, prefix_of(after.invoice_series, year), invoice_next)
            if last is not None:
                raise BadInput({"invoice_next": [f"The series has reached {last}: send a higher number."]})
        set_fields = {name: value for name, value in asdict(after).items() if value != getattr(Billing(), name)}
        settings.edit_setting(conn, settings.BILLING, set_fields | {"tax_percent": str(after.tax_percent)})
        return after
