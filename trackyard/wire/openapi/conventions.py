"""Guides to what all methods share (docs/spec/api-conventions.md).

They are about keys, parameters, errors, pages, limits and repeats.
"""

from typing import Final

from trackyard.base.error_codes import ErrorCode
from trackyard.wire.openapi.errors import ERRORS
from trackyard.wire.openapi.guides import Guide, GuideCode, GuideSection, GuideTable, GuideText

_AUTHENTICATION: Final = Guide(
    "authentication",
    "Authentication",
    "A call brings an API key in the header `API-Key`. The key says who calls, and so what a method shows and allows.",
    (
        GuideSection(
            "Send a key",
            (
                GuideCode("sh", "curl -H 'API-Key: KEY' 'ADDRESS/3.1/offers?limit=1'"),
                GuideText(
                    "The query takes it too, as `API-Key` or `api-key`, but URLs end up in logs and histories: "
                    "prefer the header. Without a valid key the answer is a 401."
                ),
            ),
        ),
        GuideSection(
            "Kinds of keys",
            (
                GuideTable(
                    ("key", "made by", "ends"),
                    (
                        ("key of the account", "the creation of a staff user or an affiliate", "when it is renewed"),
                        (
                            "further keys, with a name, areas, networks and an end",
                            "`POST /3.1/auth/keys`, shown once",
                            "at their end, or when they are rotated or removed",
                        ),
                        (
                            "session",
                            "`POST /3.1/auth` with `login` and `password`",
                            "after 12 hours, 2 hours without a request, or `DELETE /3.1/auth`",
                        ),
                    ),
                ),
                GuideText(
                    "An account with a second factor signs in with `otp` as well. A key that may read only, or only "
                    "some areas, gets a 403 elsewhere; `code` says why."
                ),
            ),
        ),
        GuideSection(
            "Who may call what",
            (
                GuideText(
                    "Affiliates call methods without /admin, and see what is theirs. Staff users call what the "
                    "permissions of their roles allow; each method names its permission. A 403 says in `code` which "
                    "permission or feature is missing."
                ),
            ),
        ),
    ),
)

_PARAMETERS: Final = Guide(
    "parameters",
    "Versions and parameters",
    "Every path answers under /3.0 and /3.1. Parameters come in the query, a form or a JSON body.",
    (
        GuideSection(
            "Versions",
            (
                GuideText(
                    "The versions differ in `stats/caps`, in what 3.1 requires (payments of a new offer, `pid` of a "
                    "postback) and in the status `not_found`, which exists under /3.0 alone. Parameters that are "
                    "documented since 3.1 are accepted under both."
                ),
            ),
        ),
        GuideSection(
            "Lists and nested values",
            (
                GuideTable(
                    ("value", "sent as"),
                    (
                        ("list", "`k=v`, `k[]=v`, `k[0]=v`, repeated, or a JSON list"),
                        ("record in a record", "`filter[offer]=7`"),
                        ("list of records", "`caps[0][type]=conversions&caps[0][value]=50`"),
                        ("map", "`description_lang[en]=Shoes`"),
                    ),
                ),
                GuideText(
                    "A JSON body has the same names: `caps[0][type]` is `type` of the first item of `caps`. The body "
                    "overrides the query. Only multipart bodies carry files."
                ),
                GuideCode(
                    "sh",
                    "curl -H 'API-Key: KEY' -H 'Content-Type: application/json' 'ADDRESS/3.1/admin/category' \\\n"
                    """  -d '{"title": "Shoes"}'""",
                ),
            ),
        ),
        GuideSection(
            "Unknown parameters",
            (
                GuideText(
                    "An unknown parameter is ignored. The header `X-Ignored-Parameters` names it, and a GET says so in "
                    "`warnings` of its answer: a misspelt filter would show more than was asked for."
                ),
            ),
        ),
        GuideSection(
            "Dates and times",
            (
                GuideText(
                    "Days are sent as YYYY-MM-DD, and the last day of a period is included. Times in answers are "
                    "YYYY-MM-DD HH:MM:SS in the time zone of the platform, or in `timezone` where a method has it."
                ),
            ),
        ),
    ),
)

_ERRORS: Final = Guide(
    "errors",
    "Errors",
    "An error has an HTTP status of 400 or more, and says in its body what is wrong and where.",
    (
        GuideSection(
            "Body",
            (
                GuideCode(
                    "json",
                    '{\n  "status": 2,\n  "error": "[title] This value is required.",\n'
                    '  "message": "[title] This value is required.",\n  "code": "bad_parameters",\n'
                    '  "fields": {"title": ["This value is required."]}\n}',
                ),
                GuideText(
                    "`error` and `message` are the same text, one line for each fault. Programs decide by the HTTP "
                    "status and [`code`](error-codes.md). `fields` comes with 400 and 409: parameter to sentences."
                ),
                GuideText(
                    "The header `Link` of an error leads to the documentation of the method, and of each wrong "
                    'parameter: `</docs/3.1/admin.offer.add#p-title>; rel="help"`. `X-Request-Id` names the request '
                    "in logs."
                ),
            ),
        ),
        GuideSection(
            "Statuses",
            (GuideTable(("status", "when"), tuple((code, text) for code, text in ERRORS.items())),),
        ),
        GuideSection(
            "Which requests to repeat",
            (
                GuideText(
                    "Send a request again after a 429 or a 503, when `Retry-After` says. A 500 is a defect of the "
                    "program: repeat a write only with an [idempotency key](idempotency.md). Other errors stay until "
                    "the request is corrected."
                ),
            ),
        ),
    ),
)

ERROR_CODES: Final = Guide(
    "error-codes",
    "Error codes",
    "The field `code` of an error has its kind, for programs. The schema `ErrorCode` of the OpenAPI document has "
    "the same list.",
    (
        GuideSection(
            "Codes",
            (
                GuideTable(
                    ("code", "status", "when", "what to do"),
                    tuple(
                        (f"`{code}`", ", ".join(map(str, code.statuses)), f"{code.when}.", f"{code.remedy}.")
                        for code in sorted(ErrorCode, key=lambda each: (each.statuses, each))
                    ),
                ),
            ),
        ),
        GuideSection(
            "Codes that are names",
            (
                GuideText(
                    "The code of a 403 with the text `Access denied` is the name of what is missing: a permission such "
                    "as `offers.write`, or a feature such as `stats.slice-country`. `scope.` and a name is a scope "
                    "that the key lacks: `scope.write`. Ask an administrator for the permission or feature, or call "
                    "with a key that has the scope."
                ),
            ),
        ),
        GuideSection(
            "Codes of later releases",
            (
                GuideText(
                    "Releases add codes. A program that meets a code it does not know decides by the HTTP status: it "
                    "repeats after a 429 and a 503, and corrects the request after other errors."
                ),
            ),
        ),
    ),
)

_PAGES: Final = Guide(
    "pages",
    "Pages of lists",
    "A list answers one page at a time, chosen by `page` and `limit`.",
    (
        GuideSection(
            "Read a list",
            (
                GuideCode("sh", "curl -H 'API-Key: KEY' 'ADDRESS/3.1/offers?page=2&limit=50'"),
                GuideText(
                    "`page` begins at 1, `limit` is 100 unless it is sent. `pagination` of the answer has `page`, "
                    "`per_page`, `total_count`, and `next_page` when there is one: read until it is absent."
                ),
                GuideText(
                    "A `limit` above the maximum is reduced to it: 5,000 for conversions and clicks, 10,000 for "
                    "reference lists, 100 for news, 1,000 for others. A stable order keeps pages disjoint."
                ),
            ),
        ),
        GuideSection(
            "Whole lists as files",
            (
                GuideText(
                    "Lists with the parameter `format` answer csv or parquet with all rows, whatever their number. "
                    "Use it for exports rather than many pages."
                ),
            ),
        ),
    ),
)

_LIMITS: Final = Guide(
    "limits",
    "Limits",
    "A caller has a rate of requests, a number of reports at a time, and sizes of what it sends.",
    (
        GuideSection(
            "Rates",
            (
                GuideTable(
                    ("what", "default", "setting"),
                    (
                        ("requests of a caller a second", "50", "`TRACKYARD_API_RATE`"),
                        ("requests of a caller at once after a pause", "100", "`TRACKYARD_API_BURST`"),
                        ("reports of a caller at a time", "4", "`TRACKYARD_API_REPORTS`"),
                        ("requests of a network a second, in methods without a key", "2, 20 at once", ""),
                        ("files of rows at a time", "2 of a staff user, 1 of an affiliate", ""),
                    ),
                ),
                GuideText(
                    "All keys and sessions of an account count together. `X-RateLimit-Limit`, `X-RateLimit-Remaining` "
                    "and `X-RateLimit-Reset` of each answer show the rest. Above a limit the answer is a 429, and "
                    "`Retry-After` says in seconds when to go on."
                ),
            ),
        ),
        GuideSection(
            "Sizes",
            (
                GuideTable(
                    ("what", "limit"),
                    (
                        ("body of a request", "1 MB; with files 50 MB; without a key 16 KB"),
                        ("values of a list in one request", "1,000"),
                        ("parameters of a method without a key", "100"),
                    ),
                ),
            ),
        ),
        GuideSection(
            "Reports that take long",
            (
                GuideText(
                    "A report that needs more time or memory than it may is a 503 that says how to narrow it: a "
                    "shorter period, a filter such as `filter[offer]`, fewer slices. A report ends when its client "
                    "disconnects."
                ),
            ),
        ),
    ),
)

_IDEMPOTENCY: Final = Guide(
    "idempotency",
    "Writes that may be repeated",
    "A write with the header `Idempotency-Key` takes effect once, however often it is sent.",
    (
        GuideSection(
            "Send a write again",
            (
                GuideCode(
                    "sh",
                    "curl -H 'API-Key: KEY' -H 'Idempotency-Key: order-1017' -X POST 'ADDRESS/3.1/admin/category' \\\n"
                    "  -d 'title=Shoes'",
                ),
                GuideText(
                    "Make a new key for each write, such as a UUID: 1 to 255 printable ASCII characters. When the "
                    "connection breaks, send the same request with the same key again. Within 24 hours the first "
                    "answer is returned, with the header `Idempotency-Replayed: true`."
                ),
                GuideText(
                    "- The same key with other parameters is a 409.\n"
                    "- Only success is stored: a request that was an error can be corrected and sent under its key.\n"
                    "- Sign-in, sign-up and dry runs ignore the header."
                ),
            ),
        ),
    ),
)

CONVENTIONS: Final = (_AUTHENTICATION, _PARAMETERS, _ERRORS, ERROR_CODES, _PAGES, _LIMITS, _IDEMPOTENCY)
