"""Requests about the glossaries, translation memories and style rules that clients store under their API keys."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, Generic, Self, TypeVar

from fastapi import Request

from app.api.access import header_key
from app.api.dependencies import CurrentService, Service
from app.api.parameter import Given, Parameters
from app.api.request_body import FilePart, read_parameters
from app.errors import FeatureUnavailable, NotThere
from app.storage.identifiers import checked_id

if TYPE_CHECKING:
    from app.storage.keys import Key

Store = TypeVar("Store")
Result = TypeVar("Result")


async def check_owner(request: Request, service: Service) -> "Key | None":
    """Admits a request about something stored; returns its key, or None if it needs no key.

    They serve translations only, so a key needs that feature. But such requests translate nothing: they don't count as
    requests in a minute.

    Raises:
        FeatureDisabled: The key may not translate.
        KeyRequired, InvalidKey, StorageFailure: As ``Access.check``.
    """
    return await service.access.check(request, header_key(request, "DeepL-Auth-Key"), "translate", counts=False)


class OwnerCall(ABC, Generic[Store]):
    """A request: its owner, its parameters, and the checks that several endpoints share. ``of`` is a dependency.

    Attributes:
        thing: What it is about, as errors call it.
        things: The same in the plural, with a capital letter.
        id_name: What its id is called, in the path and in errors.
        owner: Number of the API key; None without one.
        id: The id in the path; empty if there is none.
        values: The parameters.
        files: The file of a form.
    """

    thing: ClassVar[str]
    things: ClassVar[str]
    id_name: ClassVar[str]

    def __init__(self, request: Request, service: Service, store: Store, owner: int | None) -> None:
        self.service, self._store, self.owner = service, store, owner
        self.values: Mapping[str, object] = {}
        self.files: list[FilePart] = []
        given = request.path_params.get(self.id_name)
        self.id = checked_id(given, self.id_name) if given else ""

    @staticmethod
    @abstractmethod
    def find_store(service: Service) -> Store | None:
        """Returns the store; None if this server stores nothing."""

    @classmethod
    async def of(cls, request: Request, service: CurrentService) -> Self:
        """Admits a request and reads it.

        Raises:
            FeatureUnavailable: This server keeps no such things.
            InvalidRequest: The id is not a UUID.
            FeatureDisabled: The key may not translate.
        """
        key = await check_owner(request, service)
        store = cls.find_store(service)
        if store is None:
            text = f"{cls.things} are not available on this server."
            raise NotThere(text) if request.path_params else FeatureUnavailable(text)
        call = cls(request, service, store, key.id if key else None)
        call.values = await read_parameters(request, service.settings.max_body_bytes, files=call.files)
        return call

    async def run(self, function: Callable[[Store, int | None], Result]) -> Result:
        """Calls a function with the store and the owner, off the event loop."""
        assert self.service.database
        return await self.service.database.run(function, self._store, self.owner)

    async def read(self, function: Callable[[Store, int | None], Result]) -> Result:
        """As ``run``, for a function that only reads."""
        assert self.service.database
        return await self.service.database.read(function, self._store, self.owner)

    async def search(self, function: Callable[[Store, int | None], Result]) -> Result:
        """As ``read``, for a function that may take a second.

        Raises:
            Overloaded: Too many wait already.
        """
        assert self.service.database
        return await self.service.database.search(function, self._store, self.owner)

    def given(self, parameters: Parameters, values: Mapping[str, object] | None = None) -> Given:
        """The parameters, checked: those of the request, or of a part of it.

        Raises:
            InvalidRequest: One is wrong.
        """
        return self.service.given(parameters, self.values if values is None else values)
