"""What a person chose for their own pages (docs/spec/console.md#preferences)."""

from typing import Annotated, Final

from pydantic import Field

from trackyard.actions.deps import Deps
from trackyard.actions.people.preferences import edit_preferences, get_preferences
from trackyard.domain.people.preferences import LANGUAGES, Preferences
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, Keyed, NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_OWN: Final = for_callers(Permission.ACCOUNT, advertisers=True)

PageName = Annotated[str, s.BoundedText(minimum=1, maximum=64, pattern=r"[a-z0-9./_-]+")]
PageChoice = Annotated[str, s.BoundedText(maximum=2000)]


class EditPreferences(Params):
    """Changes of one's own preferences; an empty timezone or language takes the usual one."""

    timezone: Annotated[s.Zone | None, Clearable()] = None
    language: Annotated[Annotated[str, s.Choice(LANGUAGES)] | None, Clearable()] = None
    single_keys: s.Flag | None = None
    pages: Keyed[PageName, PageChoice] = Field(default_factory=dict)


class PreferencesView(View):
    """The preferences of the calling account; "" = the usual one."""

    timezone: str
    language: str
    single_keys: bool
    pages: dict[str, str]


class PreferencesAnswer(Answer):
    """The preferences of the calling account."""

    preferences: PreferencesView


@routes.get("/auth/preferences", _OWN, id="auth.preferences.get")
def show(request: ApiRequest[Deps], _params: NoParams) -> PreferencesAnswer:
    """Show the time zone, the language and further choices of the calling account for its pages."""
    return _answer(get_preferences(request.deps, request.caller.signer))


@routes.post("/auth/preferences", _OWN, id="auth.preferences.edit")
def edit(request: ApiRequest[Deps], params: EditPreferences) -> PreferencesAnswer:
    """Change choices of the calling account for its pages. Answers of the API stay in the platform's zone."""
    given = {name: getattr(params, name) for name in params.model_fields_set}
    for name in ("timezone", "language"):
        if name in given:
            given[name] = "" if given[name] is None else str(given[name])
    return _answer(edit_preferences(request.deps, request.caller.signer, given))


def _answer(found: Preferences) -> PreferencesAnswer:
    return PreferencesAnswer(preferences=view_of(PreferencesView, found))
