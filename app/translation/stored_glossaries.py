"""The stored glossaries of a server, as translations use them."""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from app.errors import GlossaryNotFound, InvalidRequest
from app.storage.identifiers import checked_id
from app.text.terms.glossary import Glossary

if TYPE_CHECKING:
    from app.storage.database import Database
    from app.storage.glossaries import GlossaryStore

_COMPILED_ENTRIES = 100_000  # of all glossaries that are kept ready together: some 50 MB


class Glossaries:
    """The stored glossaries; those used most recently stay in memory.

    Args:
        database: Where they are; None if nothing is kept.
    """

    def __init__(self, database: "Database | None") -> None:
        self._database = database
        self._store: GlossaryStore | None = None
        self._ready: OrderedDict[tuple[str, str], tuple[Glossary, int]] = OrderedDict()

    @property
    def store(self) -> "GlossaryStore | None":
        """Returns the glossaries; None if the server stores nothing."""
        if self._store is None and self._database:
            from app.storage.glossaries import GlossaryStore

            self._store = GlossaryStore(self._database)
        return self._store

    async def find(
        self, owner: int | None, glossary_id: str, pair: tuple[str, str] | None
    ) -> Callable[[str, str], Glossary]:
        """Returns a function that compiles the glossary for a pair of languages.

        Args:
            owner: Number of the owner's API key; None without one.
            glossary_id: A UUID.
            pair: The languages, if they are known; otherwise those without a dictionary have no terms.

        Raises:
            InvalidRequest: It is not a UUID, or this server keeps no glossaries.
            GlossaryNotFound: There is no such glossary, or it has no dictionary for the pair.
            StorageFailure: The database can't be used.
        """
        if self.store is None or self._database is None:
            raise InvalidRequest("Glossaries are not available on this server; leave out 'glossary_id'.")
        found = await self._database.run(self.store.find, owner, checked_id(glossary_id, "glossary_id"))
        if pair and pair not in [(one.source, one.target) for one in found.dictionaries]:
            raise GlossaryNotFound("The glossary has no dictionary for this pair of languages.")
        versions = {(one.source, one.target): one.version for one in found.dictionaries}
        return partial(self._compiled, owner, found.id, versions)

    def _compiled(
        self, owner: int | None, glossary_id: str, versions: dict[tuple[str, str], str], source: str, target: str
    ) -> Glossary:
        """Compiles a glossary. Runs in the pool, because it may take half a second."""
        version = versions.get((source, target))
        if version is None or self.store is None:
            return Glossary({}, source, target)
        ready = self._ready.pop((glossary_id, version), None)
        if ready is None:
            entries = self.store.entries(owner, glossary_id, source, target)
            ready = Glossary(entries, source, target), len(entries)
        self._ready[glossary_id, version] = ready
        while len(self._ready) > 1 and sum(size for _, size in self._ready.values()) > _COMPILED_ENTRIES:
            self._ready.popitem(last=False)
        return ready[0]
