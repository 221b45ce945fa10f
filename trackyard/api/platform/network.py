"""The face of the network, and whether it takes sign-ups (docs/spec/platform.md#the-network)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.platform.files import NewFile
from trackyard.actions.platform.network import edit_network, get_network, replace_logo
from trackyard.api.platform.files import file_url
from trackyard.base.colours import COLOUR
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.files import JPEG, PNG
from trackyard.domain.platform.network import Network, SignUpState
from trackyard.wire.endpoint import FOR_ANYONE, ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.brackets import File
from trackyard.wire.request.params import Clearable, NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()

NetworkName = Annotated[str, s.BoundedText(maximum=60, strips=True, pattern=r"[^<>\r\n]*")]
Colour = Annotated[str, s.BoundedText(maximum=7, strips=True, pattern=COLOUR)]


class EditNetwork(Params):
    """Changes of the network's face; an empty value removes one."""

    name: Annotated[NetworkName | None, Clearable()] = None
    accent: Annotated[Colour | None, Clearable()] = None
    accent_dark: Annotated[Colour | None, Clearable()] = None
    terms: Annotated[s.LongText | None, Clearable()] = None
    terms_url: Annotated[s.Url | None, Clearable()] = None
    contact: Annotated[s.Text | None, Clearable()] = None
    sign_up: Annotated[SignUpState, s.Choice(SignUpState)] | None = None
    advertiser_sign_up: Annotated[SignUpState, s.Choice(SignUpState)] | None = None


class NetworkLogo(Params):
    """A new logo; none removes it."""

    logo: Annotated[File, s.FileUpload((JPEG, "image/pjpeg", PNG))] | None = None


class NetworkView(View):
    """The face of the network; "" = none.

    logo: the URL of the picture. terms_version: changes with the terms.
    """

    name: str
    logo: str
    accent: str
    accent_dark: str
    terms: str
    terms_url: str
    terms_version: str
    contact: str
    sign_up: str
    advertiser_sign_up: str


class NetworkAnswer(Answer):
    """The face of the network."""

    network: NetworkView


@routes.get("/network", FOR_ANYONE, id="network.get")
def show(request: ApiRequest[Deps], _params: NoParams) -> NetworkAnswer:
    """Show the name, logo, colours and terms of the network, and who may sign up."""
    return _answer(request.deps, get_network(request.deps))


@routes.post("/admin/network", for_staff(Permission.SETTINGS_WRITE), id="admin.network.edit")
def edit(request: ApiRequest[Deps], params: EditNetwork) -> NetworkAnswer:
    """Change the face of the network. The contrast of a colour is checked."""
    given = {name: getattr(params, name) for name in params.model_fields_set}
    return _answer(request.deps, edit_network(request.deps, {name: value or "" for name, value in given.items()}))


@routes.post("/admin/network/logo", for_staff(Permission.SETTINGS_WRITE), id="admin.network.logo")
def edit_logo(request: ApiRequest[Deps], params: NetworkLogo) -> NetworkAnswer:
    """Replace the logo by a PNG or JPEG picture of at most 256 KB, 1,024 pixels a side, or remove it."""
    upload = None if params.logo is None else NewFile(params.logo.name, params.logo.handle)
    return _answer(request.deps, replace_logo(request.deps, upload))


def _answer(deps: Deps, found: Network) -> NetworkAnswer:
    logo = file_url(deps.api_url, found.logo or None) or ""
    view = view_of(
        NetworkView,
        found,
        logo=logo,
        terms_version=found.terms_version,
        advertiser_sign_up=found.shown_advertiser_sign_up,
    )
    return NetworkAnswer(network=view)
