"""The account of an advertiser, for itself (docs/spec/callers.md#advertisers-as-callers)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.people.advertiser_side.account import OwnAdvertiser, edit_own_advertiser, get_own_advertiser
from trackyard.api.people.views import own_code
from trackyard.base.zones import datetime_text
from trackyard.domain.conversions.codes import postback_address
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_advertisers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()


class EditOwnAdvertiser(Params):
    """How people reach the calling advertiser. An empty value clears."""

    contact: s.Text | None = None
    skype: s.Text | None = None
    url: Annotated[s.Url | None, Clearable()] = None


class OwnAdvertiserRecordView(View):
    """The calling advertiser. Unknown values are "".

    sees_affiliates: whether staff let it see which affiliates its conversions come from.
    postback_url: the URL of its postbacks, with its own code; *** in the place of the platform's code.
    signs_postbacks: whether its postbacks need a signature.
    """

    id: str
    title: str
    email: str
    contact: str
    skype: str
    url: str
    status: str
    sees_affiliates: bool
    postback_url: str
    signs_postbacks: bool
    allowed_ip: list[str]
    disallowed_ip: list[str]
    created_at: str
    updated_at: str


class OwnAdvertiserRecordAnswer(Answer):
    """The calling advertiser."""

    advertiser: OwnAdvertiserRecordView


@routes.get("/advertiser/me", for_advertisers(Permission.ACCOUNT), id="advertiser.me.get")
def show(request: ApiRequest[Deps], _params: NoParams) -> OwnAdvertiserRecordAnswer:
    """Show the calling advertiser, with the URL of its postbacks."""
    return _answer(request, get_own_advertiser(request.deps, request.caller.company.id))


@routes.post("/advertiser/me", for_advertisers(Permission.COMPANY), id="advertiser.me.edit")
def edit(request: ApiRequest[Deps], params: EditOwnAdvertiser) -> OwnAdvertiserRecordAnswer:
    """Change the contact person, the messenger and the site of the calling advertiser.

    Staff change the rest.
    """
    given = {name: getattr(params, name) for name in params.model_fields_set}
    return _answer(request, edit_own_advertiser(request.deps, request.caller.company.id, given))


def _answer(request: ApiRequest[Deps], found: OwnAdvertiser) -> OwnAdvertiserRecordAnswer:
    row, deps = found.advertiser, request.deps
    view = view_of(
        OwnAdvertiserRecordView,
        row,
        postback_url=postback_address(deps.tracking_url, own_code(request.caller, found)),
        signs_postbacks=row.signing_secret is not None,
        created_at=datetime_text(row.created_at, deps.zone),
        updated_at=datetime_text(row.updated_at, deps.zone),
    )
    return OwnAdvertiserRecordAnswer(advertiser=view)
