"""The stored glossaries of a server, as translations use them."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from app.errors import GlossaryNotFound, InvalidRequest
from app.text.terms.glossary import Glossary

if TYPE_CHECKING:
    from app.storage.database import Database
    from app.storage.glossaries import GlossaryStore

_Versions = dict[tuple[str, str], str]  # of a glossary's dictionaries
_COMPILED_ENTRIES = 100_000  # of all glossaries that are kept ready together: some 50 MB


class Glossaries:
    """The stored glossaries; those used most recently stay in memory.

    Args:
        database: Where they are; None if nothing is kept.
    """

    def __init__(self, database: "Database | None") -> None:
        self._database = database
        self._store: GlossaryStore | None = None
        self._ready: OrderedDict[tuple[tuple[str, str], ...], tuple[Glossary, int]] = OrderedDict()

    @property
    def store(self) -> "GlossaryStore | None":
        """Returns the glossaries; None if the server stores nothing."""
        if self._store is None and self._database:
            from app.storage.glossaries import GlossaryStore

            self._store = GlossaryStore(self._database)
        return self._store

    async def find(
        self, owner: int | None, glossary_ids: Sequence[str], pair: tuple[str, str] | None
    ) -> Callable[[str, str], Glossary]:
        """Returns a function that compiles the glossaries for a pair of languages.

        Args:
            owner: Number of the owner's API key; None without one.
            glossary_ids: UUIDs; the first glossary that has a term decides.
            pair: The languages, if they are known; otherwise those without a dictionary have no terms.

        Raises:
            InvalidRequest: This server keeps no glossaries.
            GlossaryNotFound: There is no such glossary, or it has no dictionary for the pair.
            StorageFailure: The database can't be used.
        """
        if self.store is None or self._database is None:
            raise InvalidRequest("Glossaries are not available on this server; leave out 'glossary_id'.")
        versions: list[tuple[str, _Versions]] = []
        for glossary_id in glossary_ids:
            found = await self._database.read(self.store.find, owner, glossary_id)
            versions.append((found.id, {(one.source, one.target): one.version for one in found.dictionaries}))
            if pair and pair not in versions[-1][1]:
                name = "The glossary" if len(glossary_ids) == 1 else f"The glossary {glossary_id}"
                raise GlossaryNotFound(f"{name} has no dictionary for this pair of languages.")
        return partial(self._compiled, owner, versions)

    def _compiled(
        self, owner: int | None, versions: Sequence[tuple[str, _Versions]], source: str, target: str
    ) -> Glossary:
        """Compiles glossaries. Runs in the pool, because it may take half a second."""
        pair = source, target
        used = tuple((glossary_id, version[pair]) for glossary_id, version in versions if pair in version)
        if not used or self.store is None:
            return Glossary({}, source, target)
        ready = self._ready.pop(used, None)
        if ready is None:
            entries: dict[str, str] = {}
            for glossary_id, _ in used:
                entries = self.store.entries(owner, glossary_id, source, target) | entries
            ready = Glossary(entries, source, target), len(entries)
        self._ready[used] = ready
        while len(self._ready) > 1 and sum(size for _, size in self._ready.values()) > _COMPILED_ENTRIES:
            self._ready.popitem(last=False)
        return ready[0]
