"""Threads between staff and the people of a company (docs/spec/messages.md#threads)."""

from typing import Annotated, Final

from trackyard.actions.deps import Deps
from trackyard.actions.people import threads
from trackyard.actions.people.threads import ShownThread
from trackyard.actions.platform.files import NewFile, private_key
from trackyard.api.lookups import path_hex
from trackyard.api.paging import Paging
from trackyard.api.platform.files import FILES
from trackyard.api.table_files import TABLE_KINDS
from trackyard.base.zones import datetime_text
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.threads import LONGEST_MESSAGE, ThreadFile, ThreadMessage, ThreadSubject
from trackyard.domain.platform.files import GIF, JPEG, PDF, PNG, ZIP
from trackyard.wire.endpoint import UPLOAD_MAX, ApiRequest, Routes, for_callers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.brackets import File
from trackyard.wire.request.params import NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, Pagination, View

routes = Routes[Deps]()
_ALL: Final = for_callers(Permission.THREADS, advertisers=True)


def _find(request: ApiRequest[Deps]) -> str:
    return threads.check_readable(request.deps, request.caller, path_hex(request))


MessageText = Annotated[str, s.BoundedText(minimum=1, maximum=LONGEST_MESSAGE)]
SubjectKind = Annotated[ThreadSubject, s.Choice(ThreadSubject)]
SubjectId = Annotated[str, s.BoundedText(minimum=1, maximum=40)]
ThreadUpload = Annotated[File, s.FileUpload((JPEG, PNG, GIF, ZIP, PDF, *TABLE_KINDS))]


class ListThreads(Paging):
    """Which threads are listed. subject, subject_id: about this kind of thing, and this thing."""

    subject: SubjectKind | None = None
    subject_id: SubjectId | None = None


class WriteInThread(Params):
    """A message with files."""

    text: MessageText
    files: Seq[ThreadUpload] = ()

    @property
    def uploads(self) -> list[NewFile]:
        """Return the files to store."""
        return [NewFile(each.name, each.handle) for each in self.files]


class OpenThread(WriteInThread):
    """A message about a thing. company: that staff write to; without it the one that the thing concerns."""

    subject: SubjectKind
    subject_id: SubjectId
    company: Annotated[str, s.BoundedText(maximum=40)] = ""


class ThreadView(View):
    """The messages of staff and one company about one thing."""

    id: str
    subject: str
    subject_id: str
    title: str
    company: str
    company_name: str
    messages: int
    unread: int
    created_at: str
    updated_at: str


class ThreadFileView(View):
    """A file of a message."""

    name: str
    mime: str
    size: int
    url: str


class ThreadMessageView(View):
    """A message of a thread."""

    number: int
    author: str
    is_staff: bool
    is_own: bool
    text: str
    files: list[ThreadFileView]
    created_at: str


class ThreadsAnswer(Answer):
    """Threads, the last written one first."""

    threads: list[ThreadView]
    unread: int
    pagination: Pagination


class ThreadAnswer(Answer):
    """One thread."""

    thread: ThreadView


class ThreadMessagesAnswer(Answer):
    """One thread with its messages, the newest first."""

    thread: ThreadView
    messages: list[ThreadMessageView]
    pagination: Pagination


class UnreadThreadsAnswer(Answer):
    """How many threads have messages that the caller has not read."""

    unread: int


@routes.get("/threads", _ALL, id="threads.list")
def list_(request: ApiRequest[Deps], params: ListThreads) -> ThreadsAnswer:
    """List the threads that the caller may read, the last written one first."""
    found, total, unread = threads.list_threads(
        request.deps, request.caller, params.subject, params.subject_id or "", **params.place(request)
    )
    views = [_view(request.deps, each) for each in found]
    return ThreadsAnswer(threads=views, unread=unread, pagination=params.pagination(request, total))


@routes.get("/threads/unread", _ALL, id="threads.unread")
def unread(request: ApiRequest[Deps], _params: NoParams) -> UnreadThreadsAnswer:
    """Count the threads with messages that the caller has not read."""
    return UnreadThreadsAnswer(unread=threads.count_unread(request.deps, request.caller))


@routes.post("/threads", _ALL, id="threads.open", body_max=UPLOAD_MAX)
def open_(request: ApiRequest[Deps], params: OpenThread) -> ThreadAnswer:
    """Write about a ticket, a conversion, an offer, an affiliate or an advertiser.

    The message goes to the thread that the company has about it, else to a new one.
    """
    shown = threads.open_thread(
        request.deps,
        request.caller,
        params.subject,
        params.subject_id,
        params.company,
        params.text,
        params.uploads,
    )
    return ThreadAnswer(thread=_view(request.deps, shown))


@routes.get("/threads/{id}", _ALL, id="thread.get", find=_find)
def show(request: ApiRequest[Deps], params: Paging) -> ThreadMessagesAnswer:
    """Show a thread with its messages, the newest first. Showing it does not mark it as read."""
    shown, found = threads.get_thread(request.deps, request.caller, request.subject, **params.place(request))
    own = request.caller.account.name
    return ThreadMessagesAnswer(
        thread=_view(request.deps, shown),
        messages=[_message(request.deps, each, own) for each in found],
        pagination=params.pagination(request, shown.thread.messages),
    )


@routes.post("/threads/{id}", _ALL, id="thread.answer", find=_find, body_max=UPLOAD_MAX)
def answer(request: ApiRequest[Deps], params: WriteInThread) -> ThreadAnswer:
    """Write in a thread. The other side gets a mail and an item of the bell."""
    shown = threads.answer_thread(request.deps, request.caller, request.subject, params.text, params.uploads)
    return ThreadAnswer(thread=_view(request.deps, shown))


@routes.post("/threads/{id}/seen", _ALL, id="thread.seen", find=_find)
def seen(request: ApiRequest[Deps], _params: NoParams) -> ThreadAnswer:
    """Mark the messages of a thread as read by the caller. Other people have marks of their own."""
    shown = threads.mark_seen(request.deps, request.caller, request.subject)
    return ThreadAnswer(thread=_view(request.deps, shown))


def _view(deps: Deps, shown: ShownThread) -> ThreadView:
    found = shown.thread
    return ThreadView(
        id=found.id,
        subject=found.subject.value,
        subject_id=found.subject_id,
        title=found.title,
        company=found.company,
        company_name=shown.company,
        messages=found.messages,
        unread=shown.unread,
        created_at=datetime_text(found.created_at, deps.zone),
        updated_at=datetime_text(found.updated_at, deps.zone),
    )


def _message(deps: Deps, each: ThreadMessage, own: str) -> ThreadMessageView:
    return ThreadMessageView(
        number=each.number,
        author=each.author_name,
        is_staff=each.is_staff,
        is_own=each.author == own,
        text=each.text,
        files=[
            ThreadFileView(
                name=file.name,
                mime=file.mime,
                size=file.size,
                url=f"{deps.api_url}{FILES}{file.id}/{private_key(deps, file.id)}",
            )
            for file in each.files
        ],
        created_at=datetime_text(each.at, deps.zone),
    )


def _file(deps: Deps, found: ThreadFile) -> ThreadFileView:
    url = f"{deps.api_url}{FILES}{found.id}/{private_key(deps, found.id)}"
    return ThreadFileView(name=found.name, mime=found.mime, size=found.size, url=url)
