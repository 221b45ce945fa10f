"""Tables of rules: what they judge, what they found, what they changed.

Times are UTC epoch milliseconds.
"""

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, String, Text, text

from trackyard.domain.statistics.automation.rules import RuleAction, RuleKind
from trackyard.store.engine.types import Document, Id24, MaybeDocument, Moment, Word
from trackyard.store.tables.schema import columns, table

automation_rule = table(  # domain/statistics/automation/rules.py: Rule
    "automation_rule",
    Column("id", Id24, primary_key=True),
    Column("kind", Word(RuleKind, 8), nullable=False),
    Column("title", String(200), nullable=False),
    Column("is_on", Boolean, nullable=False),
    *columns(Document, "each", "offers", "affiliates", "advertisers", "countries", "conditions", nullable=False),
    Column("subs", Document, nullable=False, server_default=text("'[]'")),
    *columns(Integer, "hours", "minimum", nullable=False),
    Column("action", Word(RuleAction, 24), nullable=False),
    Column("new_status", String(16), nullable=False),
    *columns(String(255), "first_goal", "second_goal", nullable=False),
    *columns(Boolean, "notify_author", "notify_manager", nullable=False),
    Column("webhook", Text, nullable=False),
    Column("created_by", Id24, nullable=False),
    *columns(Moment, "created_at", "updated_at", nullable=False),
    Column("removed_at", Moment, nullable=True),  # its firings name it still
    Column("judged_until", Moment, nullable=False),  # the end of the last window that was judged
    Column("failure", Text, nullable=False),  # why it could not run; "" = it could
)

automation_change = table(  # that a rule was added, edited or removed, for the public API's log
    "automation_change",
    Column("id", Id24, primary_key=True),
    Column("rule_id", Id24, nullable=False, index=True),
    Column("kind", Word(RuleKind, 8), nullable=False),
    Column("type", String(8), nullable=False),  # add | update | delete
    Column("by", String(40), nullable=False),
    Column("at", Moment, nullable=False),
    *columns(Text, "offers", "affiliates", nullable=False),  # ids between commas
    Column("rule", Document, nullable=False),  # as it was then
    Index("ix_automation_change_kind_at", "kind", "at"),
)

automation_firing = table(  # what a rule found, and what it changed
    "automation_firing",
    Column("id", Id24, primary_key=True),
    Column("rule_id", Id24, nullable=False),
    Column("fired_at", Moment, nullable=False, index=True),
    Column("element", Document, nullable=False),
    Column("element_key", Text, nullable=False),
    Column("offer_id", Integer, nullable=True),
    Column("affiliate_id", Integer, nullable=True),
    Column("advertiser_id", Id24, nullable=True),
    Column("sub_index", String(4), nullable=False),
    Column("sub_value", Text, nullable=False),
    *columns(Moment, "since", "until", "met_until", nullable=False),
    Column("readings", Document, nullable=False),
    Column("action", Word(RuleAction, 24), nullable=False),
    Column("changed", Document, nullable=False),  # as undoing needs it; {} = nothing
    Column("undone_at", Moment, nullable=True),
    Column("undone_by", String(40), nullable=False),
    Column("webhook_due", Moment, nullable=True, index=True),
    Column("webhook_attempts", Integer, nullable=False),
    Index("ix_automation_firing_rule_id_element_key", "rule_id", "element_key", "met_until"),
)

url_check = table(  # when the URL of an active offer is checked, and what was found
    "url_check",
    Column("offer_id", Integer, ForeignKey("offer.id"), primary_key=True),
    Column("due_at", Moment, nullable=False, index=True),
    Column("result", MaybeDocument, nullable=True),
)

url_host = table(  # when a host was visited last by a check
    "url_host",
    Column("host", String(255), primary_key=True),
    Column("visited_at", Moment, nullable=False, index=True),
)

usual_time = table(  # how long after the click conversions come: a derived table
    "usual_time",
    Column("offer_id", Integer, primary_key=True, autoincrement=False),
    Column("goal", String(255), primary_key=True),
    Column("number", Moment, nullable=False),  # of conversions
    *columns(Moment, "first", "third", nullable=False),  # quartiles in milliseconds
)

sub_block = table(  # values of subs from which an offer takes no clicks of an affiliate, each by one firing
    "sub_block",
    Column("firing_id", Id24, primary_key=True),
    *columns(Integer, "offer_id", "affiliate_id", nullable=False),
    Column("sub", Integer, nullable=False),
    Column("value", Text, nullable=False),
    Index("ix_sub_block_offer_id", "offer_id"),
)
