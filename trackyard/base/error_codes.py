"""The codes of errors: each with its statuses, when it is sent, and what to do (docs/error-codes.md)."""

from enum import StrEnum


class ErrorCode(StrEnum):
    """The field `code` of an error.

    An AccessDenied may have another one: the name of the permission, feature or scope that is missing.
    statuses: the HTTP statuses of its answers. when: the cause. remedy: what the caller can do.
    """

    statuses: tuple[int, ...]
    when: str
    remedy: str

    def __new__(cls, code: str, statuses: tuple[int, ...], when: str, remedy: str) -> "ErrorCode":
        """Return the member of a code."""
        made = str.__new__(cls, code)
        made._value_ = code
        made.statuses, made.when, made.remedy = statuses, when, remedy
        return made

    BAD_REQUEST = (
        "bad_request",
        (400,),
        "The request is not valid HTTP, or its body cannot be read",
        "Send what the method describes. The log has the reason",
    )
    BAD_PARAMETERS = (
        "bad_parameters",
        (400,),
        "A parameter is missing, malformed or out of range, or names an object that does not exist",
        "Correct the parameters in `fields`: each has its sentences",
    )
    REQUEST_ENDED = ("request_ended", (400,), "The client disconnected before the answer", "Nothing: it is not read")
    TOKEN_NECESSARY = (
        "token_necessary",
        (401,),
        "The request has no API key, or the key is unknown, has ended, or belongs to a person who is not active",
        "Send the key in the header `API-Key`; make a new one where the old one has ended",
    )
    WRONG_CREDENTIALS = (
        "wrong_credentials",
        (401,),
        "The login or the password is wrong, or the account may not sign in",
        'Correct them, or choose another password with "Forgot your password?" of the sign-in page',
    )
    ACCOUNT_NOT_ACTIVE = (
        "account_not_active",
        (401,),
        "The password is right, and the account is not active; the text has the reason",
        "Ask the people who run the network",
    )
    COMPANY_ROLE = (
        "company_role",
        (403,),
        "The person acts for an affiliate or an advertiser, in a role that may not call the method",
        "Ask the owner of the company for another role",
    )
    PASSWORD_ENDED = (
        "password_ended",
        (401,),
        "The password was given for 24 hours, which are over",
        'Choose another one with "Forgot your password?" of the sign-in page',
    )
    SECOND_FACTOR_REQUIRED = (
        "second_factor_required",
        (401, 403),
        "The account has, or must have, a second factor",
        "On a 401 send `otp`, too. On a 403 set a second factor up first",
    )
    WRONG_SECOND_FACTOR = (
        "wrong_second_factor",
        (401,),
        "`otp` is wrong or was used before",
        "Send the next code of the authenticator app, or a recovery code",
    )
    AUTH_DENIED = (
        "auth_denied",
        (403,),
        "Keys of this kind of caller may not call the method",
        "Call with a key of the kind that the method names: staff, affiliate or advertiser",
    )
    ACCESS_DENIED = (
        "access_denied",
        (403,),
        "The caller may not do this; the text has the reason, if any",
        "Ask an administrator for the right",
    )
    SECOND_PERSON = (
        "second_person",
        (403,),
        "People may not decide on changes that they asked for",
        "Ask another person with the permission to decide",
    )
    LEVELS = (
        "levels",
        (403,),
        "The levels of permissions of the staff user do not reach this",
        "Ask an administrator for a higher level",
    )
    SIGN_UP_CLOSED = (
        "sign_up_closed",
        (403,),
        "The network takes no sign-ups",
        "Ask the people who run the network for an account",
    )
    AFFILIATES_HIDDEN = (
        "affiliates_hidden",
        (403,),
        "The network does not show affiliates to this advertiser",
        "Leave affiliates out of the slices and filters",
    )
    KEY_ADDRESS = (
        "key_address",
        (403,),
        "The key has a list of networks, and the request came from another one",
        "Call from a listed network, or change the list of the key",
    )
    PASSWORD_CHANGE_REQUIRED = (
        "password_change_required",
        (403,),
        "The password of this session was given by others",
        "Choose a password of your own first",
    )
    LOOK_AS = (
        "look_as",
        (403,),
        "A look at the pages of another person changes nothing",
        "End the look, and act in your own name",
    )
    NO_PAGE = ("no_page", (403,), "The roles of the staff user open no page", "Ask an administrator for a role")
    FORM = ("form", (403,), "The form is of another session, or too old", "Load the page again and send its form")
    OWN_REQUEST = (
        "own_request",
        (403,),
        "A postback of this platform leads to the platform itself",
        "Correct the URL of the postback",
    )
    NOT_FOUND = (
        "not_found",
        (404,),
        "The object in the path does not exist, or the caller may not see it",
        "Correct the id; a second removal ends so, too",
    )
    PAGE_NOT_FOUND = ("page_not_found", (404,), "No method has this path", "Correct the path: /docs lists all")
    NOT_AVAILABLE = (
        "not_available",
        (404,),
        "No offer belongs to the tracking link, and no trafficback URL is set",
        "Check the link; `trackyard explain` shows why a click was rejected",
    )
    METHOD_NOT_ALLOWED = (
        "method_not_allowed",
        (405,),
        "The path exists with other HTTP methods",
        "Use a method of the header `Allow`",
    )
    REQUEST_TIMEOUT = (
        "request_timeout",
        (408,),
        "The request did not arrive in time",
        "Send it again, over a faster connection or in smaller parts",
    )
    CONFLICT = (
        "conflict",
        (409,),
        "A unique value is taken, it was decided before, or the Idempotency-Key came with other parameters",
        "Read the object again, and correct what `fields` names",
    )
    TOO_LARGE = ("too_large", (413,), "The body is over the limit", "Send less: several requests, or a smaller file")
    URI_TOO_LONG = ("uri_too_long", (414,), "The URL is over the limit", "Send the parameters in a body")
    UNSUPPORTED_MEDIA_TYPE = (
        "unsupported_media_type",
        (415,),
        "Files of this type are not accepted",
        "Send a type that the method lists",
    )
    TOO_MANY_REQUESTS = (
        "too_many_requests",
        (429,),
        "The caller or its network is over its rate",
        "Wait for the seconds of `Retry-After`",
    )
    TOO_MANY_REPORTS = (
        "too_many_reports",
        (429,),
        "The caller has as many reports at once as it may",
        "Wait for one of them, then send the request again",
    )
    TOO_MANY_WRONG_KEYS = (
        "too_many_wrong_keys",
        (429,),
        "Many wrong keys came from this network",
        "Wait for the seconds of `Retry-After`, and correct the key",
    )
    TOO_MANY_EXPORTS = (
        "too_many_exports",
        (429,),
        "The caller reads as many files at once as it may",
        "Wait for one of them, then send the request again",
    )
    TOO_MANY_PAGES = (
        "too_many_pages",
        (429,),
        "The person loads as many slow pages at once as one may",
        "Wait for one of them, then load the page again",
    )
    HEADERS_TOO_LARGE = ("headers_too_large", (431,), "The headers are over the limit", "Send fewer or shorter headers")
    SERVER_ERROR = (
        "server_error",
        (500,),
        "A defect of the program; the traceback is in its log, under `request_id`",
        "Report it with the request's id. Repeat a write only with an Idempotency-Key",
    )
    UNAVAILABLE = (
        "unavailable",
        (503,),
        "A store cannot be read or written now",
        "Send the request again after the seconds of `Retry-After`",
    )
    FILES_UNREACHABLE = (
        "files_unreachable",
        (503,),
        "The store of files cannot be reached",
        "Send the request again after the seconds of `Retry-After`",
    )
    DISK_FULL = (
        "disk_full",
        (503,),
        "A disk of the installation is full",
        "Free space; requests succeed again by themselves",
    )
    REPORT_TOO_HEAVY = (
        "report_too_heavy",
        (503,),
        "The report needs more time or memory than it may have",
        "Narrow it: a shorter period, a filter such as `filter[offer]`, fewer slices",
    )
    REPORTS_BUSY = (
        "reports_busy",
        (503,),
        "Other reports run, and this one found no place in time",
        "Send the request again after the seconds of `Retry-After`",
    )
    EXPORTS_BUSY = (
        "exports_busy",
        (503,),
        "As many files are being read as may be at once",
        "Send the request again when one has ended",
    )
    BUSY = (
        "busy",
        (503,),
        "Too many requests without a key, or slow pages, wait",
        "Send the request again after the seconds of `Retry-After`",
    )
    NO_TRACKING_ADDRESS = (
        "no_tracking_address",
        (503,),
        "The API hands tracking requests on, and the tracking URL does not answer",
        "Check `TRACKYARD_TRACKING_URL` and that an edge runs there",
    )
    STARTING = ("starting", (503,), "The server starts", "Send the request again in some seconds")
    NOT_READY = (
        "not_ready",
        (503,),
        "An edge has no rules yet",
        "Send the request again after the seconds of `Retry-After`",
    )
    JOURNAL_UNWRITABLE = (
        "journal_unwritable",
        (503,),
        "The edge could not write its journal: nothing was recorded",
        "Send the request again after the seconds of `Retry-After`; free space where the disk is full",
    )
