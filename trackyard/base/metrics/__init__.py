"""Every metric that processes count, as declarations (docs/metrics.md).

Processes of a machine share values through files (PROMETHEUS_MULTIPROC_DIR, set before this module is imported).
"""

from typing import Final

from trackyard.base.metrics.declarations import MetricLabel, MetricSection, OldName
from trackyard.base.metrics.labels import API_BUCKETS, DELIVERY_BUCKETS, EDGE, LOAD_BUCKETS, TABLE
from trackyard.base.metrics.labels import CLICK_BUCKETS as CLICK_BUCKETS

ACCEPTED: Final = "accepted"
"""The value of a label that otherwise says why something was not accepted."""

EDGE_FAULTS: Final = {"journal": "the journal is not writable", "rules": "no rules were read yet"}
"""The faults of an edge, in words."""
_tracking: Final = MetricSection("Clicks, impressions and inbound postbacks")
_api: Final = MetricSection("API")
_loading: Final = MetricSection("Loading")
_deliveries: Final = MetricSection("Conversions, deliveries and mail")
_upkeep: Final = MetricSection("Outages, rebuilds, retention and erasure")
CLICKS = _tracking.counter(
    "trackyard_clicks_total",
    "clicks",
    "Clicks decided and recorded, by what was decided",
    "A fall to 0 means that no traffic arrives, or that it is not recorded: look at `trackyard_edge_requests_total` by "
    "status, then at the proxy. When one reason grows, `trackyard explain` shows why a click was rejected.",
    MetricLabel("reason", "`accepted`, or the [reason of the rejection](spec/tracking.md#the-decision-on-a-click)"),
)
CLICK_SECONDS = _tracking.histogram(
    "trackyard_click_duration_seconds",
    "Time from the last byte of a click or impression until the answers to all that came with it were written",
    "Above 10 ms the edge has too little of the processor or the journal's disk is slow: look at "
    "`process_cpu_seconds_total` of the edges, then give them a core or add `TRACKYARD_EDGES`.",
    buckets=CLICK_BUCKETS,
)
POSTBACKS = _tracking.counter(
    "trackyard_inbound_postbacks_total",
    "postbacks",
    "Inbound postbacks and pixels recorded",
    "What became of them is in `trackyard_inbound_postbacks_decided_total`.",
    alias=OldName("trackyard_calls_total"),
)
UNRECORDED = _tracking.counter(
    "trackyard_unrecorded_total",
    "requests",
    "Requests of strangers that were answered and not recorded",
    "Someone sends rejected clicks or postbacks of unknown clicks by the thousand, or the disk is nearly full: see "
    "[limits of records](spec/tracking.md#limits-of-records) and `trackyard_disk_free_bytes`.",
    MetricLabel(
        "kind",
        "what came",
        {"click": "a rejected click", "impression": "a rejected impression", "postback": "of an unknown click"},
    ),
)
EDGE_REQUESTS = _tracking.counter(
    "trackyard_edge_requests_total",
    "requests",
    "Requests that the tracking listener answered",
    "Status 503: see `trackyard_edge_fault`. Status 500: a defect, which the log shows as `request failed`. Status 404 "
    "or 405: links are wrong, or someone looks for holes.",
    MetricLabel("path", "one of the [paths](spec/tracking.md#paths), `/{hash}` for short links, `other`"),
    MetricLabel("status", "status of HTTP"),
)
REFUSED_REQUESTS = _tracking.counter(
    "trackyard_refused_requests_total",
    "requests",
    "Requests that a listener could not read, so that nothing answered them",
    "The log has the reason and the begin of one a second as `request not read`. Status 400: a program sends URLs "
    "that can mean several things ([what is forgiven](spec/tracking.md#what-is-forgiven)), or it does not speak HTTP.",
    MetricLabel("listener", "which listener", {"tracking": "the listener of clicks", "api": "the listener of the API"}),
    MetricLabel("status", "status of HTTP"),
)
EDGE_FAULT = _tracking.gauge(
    "trackyard_edge_fault",
    "1 or 0",
    "1 while an edge answers 503",
    "`rules`: an edge that just started waits for its ruleset; if it stays, look for errors of the projector. "
    "`journal`: the disk is full or not writable: free it, the edge recovers by itself.",
    EDGE,
    MetricLabel("fault", "the reason", EDGE_FAULTS),
)
REDIS_UP = _tracking.gauge(
    "trackyard_redis_up",
    "1 or 0",
    "1 while Redis answers an edge; only with `TRACKYARD_REDIS_URL`",
    "At 0 the edges decide by what they know: a click cap may be exceeded by what other machines count meanwhile, "
    "and a visitor may be new on each machine once. Start Redis; the edges write what they counted.",
    EDGE,
)
REDIS_SECONDS = _tracking.histogram(
    "trackyard_redis_duration_seconds",
    "Time from a question to Redis to its answer, for all clicks of a turn together",
    "Above 5 ms Redis is busy or far away: clicks of offers with click caps or unique visitors wait so much longer.",
    buckets=CLICK_BUCKETS,
)
RULESET_VERSION = _tracking.gauge(
    "trackyard_ruleset_version",
    "version",
    "Version of the ruleset by which an edge decides",
    "It rises with every change of offers, affiliates and the like. Edges that differ for more than a second: see "
    "`trackyard_ruleset_age_seconds`.",
    EDGE,
    alias=OldName("trackyard_rule_version"),
)
RULESET_AGE = _tracking.gauge(
    "trackyard_ruleset_age_seconds",
    "seconds",
    "Time since the projector last confirmed that the ruleset of an edge is the newest",
    "Above 10 s changes in the console do not reach clicks, which are decided by the last ruleset: look at "
    "`trackyard_projector_success_timestamp_seconds` of the task `rules`, and whether the core runs.",
    EDGE,
    alias=OldName("trackyard_rules_age_seconds"),
)
UNIQUE_VISITORS_BYTES = _tracking.gauge(
    "trackyard_unique_visitors_bytes",
    "bytes",
    "Size of the file of unique visitors that an edge looks through",
    "It begins with 4 MB (at most 8 with another `TRACKYARD_UNIQUE_MB`) and grows eightfold up to "
    "`TRACKYARD_UNIQUE_MB`; for a day after it grew it has a seventh more. All edges of a machine share one file.",
    EDGE,
)
UNIQUE_VISITORS_DROPPED = _tracking.counter(
    "trackyard_unique_visitors_dropped_total",
    "visitors",
    "Entries of unique visitors that made room for newer ones within their 24 hours",
    "Such a visitor is counted as new again. With 40,000 visitors a MB in 24 hours 3 of 10,000 are dropped; when there "
    "are more, raise `TRACKYARD_UNIQUE_MB`, or free the disk where the log has `unique visitors file not grown`.",
)
CONNECTIONS_DROPPED = _tracking.counter(
    "trackyard_connections_dropped_total",
    "connections",
    "Connections that were closed at once, over a limit of connections",
    "One network opens too many connections, or a proxy is missing in `TRACKYARD_TRUSTED_PROXIES`: see "
    "[connections](spec/tracking.md#connections).",
    MetricLabel("listener", "which listener", {"tracking": "the listener of clicks", "api": "the listener of the API"}),
)
API_REDIS_UP = _api.gauge(
    "trackyard_api_redis_up",
    "1 or 0",
    "1 while Redis answers the API; only with `TRACKYARD_REDIS_URL`",
    "At 0 each API counts rates and report turns by itself: a caller may do as much on each machine. Start Redis.",
)
API_REQUESTS = _api.counter(
    "trackyard_api_requests_total",
    "requests",
    "Requests that the API answered",
    "Status 5xx: the log has the request with its error. Status 401 and 403: a program has a wrong key. Status 429: a "
    "caller is over its rate, `TRACKYARD_API_RATE`.",
    MetricLabel("method", "method of HTTP, `other` for unusual ones"),
    MetricLabel(
        "path",
        "path of the method as in docs/api, `console` for the console, `unrouted` for other pages and unknown paths",
    ),
    MetricLabel("status", "status of HTTP"),
)
API_SECONDS = _api.histogram(
    "trackyard_api_request_duration_seconds",
    "Time from the head of an API request to its answer, without sending a file",
    "`report`: narrow the reports that are asked for, or raise `TRACKYARD_HEAVY_REPORTS` where cores are idle. `read` "
    "and `write`: the SQL database or its disk is slow. Which path it is: `trackyard_api_request_seconds_total` "
    "divided by `trackyard_api_requests_total`.",
    MetricLabel(
        "kind",
        "what was asked for",
        {
            "read": "a GET of SQL",
            "write": "a change",
            "report": "of the analytic store",
            "public": "a method without a key, such as sign-in, which hashes passwords",
            "forwarded": "a postback or pixel that is passed on to an edge",
            "console": "a page of the console",
            "page": "documents, files, health, and what has no path",
        },
    ),
    buckets=API_BUCKETS,
    alias=OldName("trackyard_api_seconds"),
)
API_PATH_SECONDS = _api.counter(
    "trackyard_api_request_seconds_total",
    "seconds",
    "Time that API requests took, summed by path",
    "Divide its rate by the rate of `trackyard_api_requests_total` for the mean of a path.",
    MetricLabel("path", "as in `trackyard_api_requests_total`"),
)
SIGN_INS = _api.counter(
    "trackyard_sign_ins_total",
    "attempts",
    "Attempts to sign in, by outcome",
    "Many `wrong` and `throttled`: someone tries passwords. The log has the accounts, their owners get a mail; see "
    "[sign-in](spec/callers.md#sign-in).",
    MetricLabel(
        "outcome",
        "how it ended",
        {
            "accepted": "a session was opened",
            "second_factor": "the password was right, the code was missing or wrong",
            "wrong": "login or password was wrong",
            "throttled": "refused without a look at the password, after too many failures",
        },
    ),
)
JOURNAL_LAG = _loading.gauge(
    "trackyard_journal_lag_seconds",
    "seconds",
    "Age of the oldest record of an edge's journal that is not loaded yet",
    "Reports and conversions are late by as much; nothing is lost. Look at `trackyard_store_up`, at "
    "`trackyard_task_failures_total` of the task `journals`, and at the processor: a load that catches up after a "
    "pause takes 100,000 clicks at a time.",
    EDGE,
)
JOURNAL_COPY_LAG = _loading.gauge(
    "trackyard_journal_copy_lag_seconds",
    "seconds",
    "Time since the last complete copy of the journals to the bucket; 0 without `TRACKYARD_JOURNAL_COPY_URL`",
    "More than 10 s: if the machine were lost now, so much would be lost with it. The log has the bucket's answer "
    "(`job failed`, task `journal copies`).",
)
JOURNAL_COPIED_BYTES = _loading.counter(
    "trackyard_journal_copied_bytes_total",
    "bytes",
    "Bytes of journals that were copied to the bucket",
    "Without an increase while clicks come, look at `trackyard_journal_copy_lag_seconds`.",
)
QUEUE_DEPTH = _loading.gauge(
    "trackyard_queue_depth",
    "rows",
    "Rows that wait in a queue, as the projector counted them at most 5 s ago",
    "`inbox_quarantined` and `edits_quarantined` need a person: see the log (`postback quarantined`). `inbox`, "
    "`edits`, `deliveries`, `mail` and `events` are the worker's: does it run? `outbox` is the projector's.",
    MetricLabel(
        "queue",
        "which queue",
        {
            "inbox": "inbound postbacks to decide",
            "waiting": "postbacks that wait for their click",
            "inbox_quarantined": "quarantined postbacks",
            "edits": "edits and imports of conversions",
            "edits_quarantined": "quarantined edits and imports",
            "outbox": "conversion events and logs to load",
            "deliveries": "outbound postbacks that are due",
            "mail": "mails that are due",
            "events": "events of which people have not heard",
            "fetches": "creatives to download",
        },
    ),
)
QUEUE_LAG = _loading.gauge(
    "trackyard_queue_lag_seconds",
    "seconds",
    "Time for which the oldest row of a queue has been due",
    "As for `trackyard_queue_depth`. Minutes in `deliveries`: many hosts of affiliates are slow or away.",
    MetricLabel("queue", "as in `trackyard_queue_depth`"),
)
PROJECTOR_SUCCESS = _loading.gauge(
    "trackyard_projector_success_timestamp_seconds",
    "Unix seconds",
    "When a task of the projector last succeeded",
    "Subtract it from `time()`. Above 60 s the task hangs or fails: the log has `job failed` or `component lost`.",
    MetricLabel(
        "task",
        "what it does",
        {
            "rules": "publishes the ruleset to edges",
            "journals": "loads journals",
            "waiting": "finds clicks of waiting postbacks",
            "outbox": "loads conversion events and logs",
            "figures": "counts clicks and conversions of offers for lists",
            "notices": "finds reached click caps",
            "automation": "runs rules that watch the statistics",
            "times": "counts how long conversions usually take from their click",
            "parts": "repairs parts of a full disk",
            "queues": "measures queues",
        },
    ),
)
ALERTS = _upkeep.counter(
    "trackyard_alerts_total",
    "alerts",
    "Alerts that opened, closed and were mailed",
    "`trackyard alerts` describes each.",
    MetricLabel("kind", "[kind of alert](spec/alerts.md#kinds)"),
    MetricLabel("event", "opened, closed, or mailed to a person"),
)
LOADED_ROWS = _loading.counter(
    "trackyard_loaded_rows_total",
    "rows",
    "Rows loaded into the analytic store",
    "It follows traffic. When clicks come and it does not rise, see `trackyard_journal_lag_seconds`.",
    TABLE,
)
LOAD_SECONDS = _loading.histogram(
    "trackyard_load_duration_seconds",
    "Time of one load into the analytic store",
    "Loads of more than a second while the journal's lag grows: the store has too little of the processor or the disk.",
    TABLE,
    buckets=LOAD_BUCKETS,
    alias=OldName("trackyard_load_seconds"),
)
JOURNAL_GAPS = _loading.counter(
    "trackyard_journal_gaps_total",
    "places",
    "Damaged places found in journals",
    "A disk or a copy damaged a journal: its bytes are in `journal/damaged`. Check the disk, then `trackyard audit`.",
)
RECORDS_QUARANTINED = _loading.counter(
    "trackyard_quarantined_records_total",
    "records",
    "Records that cannot be loaded, kept in `journal/damaged`",
    "The log has `record quarantined` with the error: usually a defect, please report it. Others are loaded.",
    MetricLabel("queue", "where it came from", {"journal": "from a journal", "outbox": "from the outbox"}),
    alias=OldName("trackyard_records_aside_total"),
)
TASK_FAILURES = _loading.counter(
    "trackyard_task_failures_total",
    "failures",
    "Rounds of the projector, of the worker and of scheduled jobs that failed and are repeated",
    "The log has `job failed` with the error, once in 10 minutes. Usually a store is away (`trackyard_store_up`) or "
    "the disk is full; nothing is lost, and work continues when it is back.",
    MetricLabel(
        "part",
        "what runs the task",
        {
            "alerts": "`looks`, and what they look at: `lags`, `checks`, `books`, `statistics`",
            "machine": "the heartbeat, by which other machines know that this one runs",
            "projector": "see `trackyard_projector_success_timestamp_seconds`",
            "retention": "removes and compresses what is old",
            "schedule": "the jobs of the worker, such as `holds`",
            "worker": "its queues: `conversions`, `edits`, `deliveries`, `parallel`, `mail`, `fetches`, `quotes`",
        },
    ),
    MetricLabel("task", "name of the task, as in the log"),
)
POSTBACKS_DECIDED = _deliveries.counter(
    "trackyard_inbound_postbacks_decided_total",
    "postbacks",
    "Inbound postbacks that were decided, by outcome",
    "`Access denied` and `Wrong signature`: an advertiser has a wrong code, or someone invents conversions. `Missing "
    "mandatory parameter clickid` and `Broken clickid`: a wrong postback. The server postback log has them.",
    MetricLabel(
        "outcome", "`accepted` (it made or changed a conversion), or the fault as the server postback log has it"
    ),
    alias=OldName("trackyard_calls_decided_total", {"outcome": "response"}, {ACCEPTED: ""}),
)
CONVERSIONS_FROM_CLICK_ADDRESS = _deliveries.counter(
    "trackyard_conversions_from_click_address_total",
    "conversions",
    "Conversions made by the postback of a server that came from the IP address of the click",
    "More than a few: someone reports conversions of own clicks. The conversion shows staff `from_click_address` "
    "([conversions](spec/conversions.md#conversions-from-the-clicks-own-ip-address)).",
)
DELIVERIES = _deliveries.counter(
    "trackyard_deliveries_total",
    "attempts",
    "Attempts of outbound postbacks, by outcome",
    "Many `failed` and `dead`: hosts of affiliates do not answer. The affiliate postback log shows them; dead ones can "
    "be sent again ([resends](api/resends.md)).",
    MetricLabel(
        "outcome",
        "how it ended",
        {
            "sent": "the host answered 2xx",
            "failed": "tried again later",
            "dead": "failed for the last time",
            "superseded": "a newer status of the conversion is sent instead",
            "dropped": "its postback was removed, or paused for a week",
            "parked": "waits, as its postback is paused",
        },
    ),
)
DELIVERY_SECONDS = _deliveries.histogram(
    "trackyard_delivery_duration_seconds",
    "Time of one attempt of an outbound postback",
    "Hosts of affiliates are slow, or the network is. A request ends after 10 s, and a slow host delays no other.",
    buckets=DELIVERY_BUCKETS,
    alias=OldName("trackyard_delivery_seconds"),
)
DELIVERY_HOSTS = _deliveries.gauge(
    "trackyard_delivery_hosts",
    "hosts",
    "Hosts of outbound postbacks, counted for each affiliate, that do not answer",
    "Their deliveries wait and delay no others; the log has each when it begins and ends (`delivery host hangs`, "
    "`delivery host paused`, `delivery host answers`). See [postbacks](spec/postbacks.md#hosts-that-do-not-answer).",
    MetricLabel(
        "state",
        "how it fails",
        {"hanging": "does not answer in time", "paused": "failed, and is left alone for a while"},
    ),
)
PARALLEL_REQUESTS = _deliveries.counter(
    "trackyard_parallel_tracking_requests_total",
    "requests",
    "Requests to `parallel_tracking_url` of offers, by outcome",
    "Many `failed` or `dropped`: the advertiser's host does not keep up, and does not hear of all clicks.",
    MetricLabel(
        "outcome",
        "how it ended",
        {
            "sent": "the host answered 2xx",
            "failed": "it did not; there is no second attempt",
            "dropped": "not made: too many wait, or the offer has no such URL by now",
        },
    ),
    alias=OldName("trackyard_parallel_calls_total"),
)
MAILS = _deliveries.counter(
    "trackyard_mails_total",
    "attempts",
    "Attempts to send a mail, by outcome",
    "The mail server refuses: the log has `mail rejected` or `mail abandoned` with its reason. Check "
    "`TRACKYARD_SMTP_URL` and the mail settings of staff.",
    MetricLabel(
        "outcome",
        "how it ended",
        {"sent": "the server took it", "failed": "tried again later", "dead": "refused for good, or failed for 3 days"},
    ),
)
CHAT_MESSAGES = _deliveries.counter(
    "trackyard_chat_messages_total",
    "attempts",
    "Attempts to write a message to a chat of a staff user, by outcome",
    "The chat refuses: the log has `chat message failed` or `chat message abandoned` with the reason.",
    MetricLabel(
        "outcome",
        "how it ended",
        {"sent": "it was taken", "failed": "tried again later", "dead": "given up", "dropped": "the chat is gone"},
    ),
)
DOCUMENTS = _deliveries.counter(
    "trackyard_documents_total",
    "attempts",
    "Attempts to draw the PDF file of a document, by outcome",
    "Drawing fails: the log has `document not drawn` with the reason. Mails wait ten minutes for the file.",
    MetricLabel("outcome", "how it ended", {"drawn": "the file is stored", "failed": "tried again a minute later"}),
)
OUTAGES = _upkeep.counter(
    "trackyard_outages_total",
    "outages",
    "Times that a process lost something that it needs, until it was back",
    "The log has `component lost` with the error and `component back` with the seconds. Several in an hour: the "
    "network to it, or it restarts again and again.",
    MetricLabel(
        "component",
        "what was lost",
        {
            "SQL database": "SQLite or PostgreSQL",
            "analytic store": "chDB or ClickHouse",
            "mail server": "the SMTP server",
        },
    ),
)
REBUILDS = _upkeep.counter(
    "trackyard_rebuilds_total",
    "rebuilds",
    "Rebuilds of the analytic tables, by how they ended",
    "`failed`: see the log, and the tables are as before. `kept` after `trackyard rebuild`: what was rebuilt "
    "differs, run `trackyard rebuild --check`.",
    MetricLabel(
        "stage",
        "how it ended",
        {"swapped": "new tables are in use", "kept": "old tables stay in use", "failed": "it broke off"},
    ),
)
REBUILT_ROWS = _upkeep.counter(
    "trackyard_rebuilt_rows_total", "rows", "Rows written by rebuilds", "It rises while a rebuild runs.", TABLE
)
ROWS_EMPTIED = _upkeep.counter(
    "trackyard_rows_emptied_total",
    "rows",
    "Rows from which personal data was emptied",
    "It rises with erasures, and daily with what is older than `TRACKYARD_PERSONAL_DATA_DAYS`.",
    MetricLabel("table", "table of SQL or of the analytic store"),
)
ROWS_DROPPED = _upkeep.counter(
    "trackyard_rows_dropped_total",
    "rows",
    "Rows of the analytic store that were dropped, as they were too old",
    "It rises once a month. When it does so at another time, someone shortened a [retention](retention.md).",
    TABLE,
)
JOURNALS_COMPRESSED = _upkeep.counter(
    "trackyard_journals_compressed_total",
    "files",
    "Finished journals that were compressed",
    "It follows traffic. When journals fill the disk and it does not rise, see `trackyard_journal_lag_seconds`: only "
    "loaded journals are compressed.",
    alias=OldName("trackyard_journals_packed_total"),
)
JOURNALS_REWRITTEN = _upkeep.counter(
    "trackyard_journals_rewritten_total",
    "files",
    "Compressed journals from which erased data was removed",
    "It rises with erasures.",
)
JOURNALS_REMOVED = _upkeep.counter(
    "trackyard_journals_removed_total",
    "files",
    "Compressed journals that were removed, as they were too old",
    "It rises daily once the program runs for `TRACKYARD_JOURNAL_DAYS`.",
)
