"""Shares room for documents among clients: places in the queue, and bytes for all files.

No client can take everything: it may have as much as is still free. So a single client gets half of the places, and n
clients that want all of them leave one part in n + 1 to others (Choudhury & Hahne, Dynamic Queue Length Thresholds for
Shared-Memory Packet Switches, 1998, with a factor of 1). A finished document takes no place. Its bytes are taken from
it where they are needed: the client with the most of them loses its oldest.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import func, select

from app.errors import Overloaded
from app.storage.document_files import FILES
from app.storage.document_rows import DOCUMENTS, IS_FINISHED

_FULL = "The server can't keep more documents now; try again later."
_FULL_S = 30.0  # a document is translated or deleted at any moment
_MOST_FINISHED = 10_000  # documents that failed have no bytes


class _Waiting(NamedTuple):
    """What waits or is being translated."""

    documents: int = 0
    size: int = 0


class DocumentRoom:
    """The room of a server, or of all servers that share a database.

    Args:
        max_documents: How many may wait or be translated at a time.
        max_bytes: Maximum size of the files of all documents together.
    """

    def __init__(self, max_documents: int, max_bytes: int) -> None:
        self._max_documents, self._max_bytes = max_documents, max_bytes

    def make(self, connection: Any, client: str, size: int) -> list[str]:
        """Makes room for another document.

        Args:
            connection: A transaction.
            client: Whose document it is.
            size: Of its file, in bytes.

        Returns:
            The ids of finished documents that are to be deleted for it.

        Raises:
            Overloaded: There is no room, or the client has as much as it may have.
        """
        waiting = _waiting(connection)
        own = waiting.get(client, _Waiting())
        documents = self._max_documents - sum(each.documents for each in waiting.values())
        free = self._max_bytes - sum(each.size for each in waiting.values())
        if own.documents >= documents or size > free or (own.documents and own.size + size > free):
            raise Overloaded(_FULL, retry_after_s=_FULL_S)
        return _to_delete(connection, free - size)


def _waiting(connection: Any) -> dict[str, _Waiting]:
    owner = DOCUMENTS.c.client
    columns = owner, func.count(DOCUMENTS.c.id.distinct()), func.coalesce(func.sum(FILES.c.size), 0)
    query = select(*columns).outerjoin(FILES, FILES.c.document_id == DOCUMENTS.c.id).where(~IS_FINISHED).group_by(owner)
    return {client or "": _Waiting(documents, size) for client, documents, size in connection.execute(query)}


def _to_delete(connection: Any, free: int) -> list[str]:
    """Returns the finished documents that have to go, so that their files are no larger together than ``free``."""
    query = (
        select(func.count(DOCUMENTS.c.id), func.coalesce(func.sum(FILES.c.size), 0))
        .outerjoin(FILES, FILES.c.document_id == DOCUMENTS.c.id)
        .where(IS_FINISHED)
    )
    number, used = connection.execute(query).one()
    chosen: list[str] = []
    for document_id, size in _of_the_largest(connection) if number > _MOST_FINISHED or used > free else ():
        if number - len(chosen) <= _MOST_FINISHED and used <= free:
            break
        chosen.append(document_id)
        used -= size
    return chosen


def _of_the_largest(connection: Any) -> Iterator[tuple[str, int]]:
    """Yields finished documents and their bytes: always the oldest of the client that has the most."""
    query = (
        select(DOCUMENTS.c.id, DOCUMENTS.c.client, func.coalesce(FILES.c.size, 0))
        .outerjoin(FILES, FILES.c.document_id == DOCUMENTS.c.id)
        .where(IS_FINISHED)
        .order_by(DOCUMENTS.c.finished_at.desc())
    )
    theirs: dict[str | None, list[tuple[str, int]]] = defaultdict(list)
    for document_id, client, size in connection.execute(query):
        theirs[client].append((document_id, size))
    largest = [(-sum(size for _, size in each), -len(each), number) for number, each in enumerate(theirs.values())]
    clients = list(theirs.values())
    heapq.heapify(largest)
    while largest:
        size, length, number = largest[0]
        document_id, freed = clients[number].pop()
        yield document_id, freed
        heapq.heapreplace(largest, (size + freed, length + 1, number)) if clients[number] else heapq.heappop(largest)
