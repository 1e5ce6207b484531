"""Translates documents in the background: a few at a time, for as long as they take, through restarts.

Documents wait in the database (``app.storage.documents``), which several processes may share.
"""

import asyncio
import logging
import os
import secrets
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from app import tracing
from app.documents.reading.readers import Readers
from app.documents.translation import DocumentTranslation, translate_document
from app.documents.upload import Outcome, Upload
from app.errors import (
    BundleError,
    ConfigurationError,
    DeadlineExceeded,
    DragomanError,
    EngineUnavailable,
    ModelFailure,
    Overloaded,
    QuotaExceeded,
    StorageFailure,
)
from app.fairness.pool import Account, account
from app.logs import request_id
from app.settings import Settings
from app.storage.database import Database
from app.storage.document_files import DocumentFiles
from app.storage.document_rows import StoredDocument
from app.storage.documents import AGAIN_S, DocumentStore
from app.storage.keys import Key, KeyStore
from app.translation.pipeline import Translator
from app.translation.references import References
from app.translation.request import TranslationRequest, Wish

# Three, so that a short document needn't wait for a book. More would not be faster: the engine is shared.
_WORKERS = 3
_WORKERS_OF_CLIENT = 2  # a client with many documents leaves one to others
_REPORT_S = 2.0
_POLL_S = 5.0  # how often other processes' documents are looked for
_PATIENCE_S = 60.0  # how long what is done waits for a database that is away
_SWEEP_S = 3600.0  # how often files are looked for that no document has
_ID_SHOWN = 8  # characters of its id that the log has: too few to find it with
_FAILED = "The server could not translate the document."

logger = logging.getLogger(__name__)


@dataclass
class _Progress:
    """The progress of a document, in characters."""

    translated: int = 0

    def report(self, translated: int) -> None:
        self.translated = translated


class DocumentJobs:
    """All documents of a server.

    Args:
        settings: How many there may be, how large, and for how long.
        translator: What translates them.
        database: Where they are kept.
        references: The stored glossaries and translation memories.
        readers: The processes that read and write them.
        observe: Called with how each document ended.
    """

    def __init__(
        self,
        settings: Settings,
        translator: Translator,
        database: Database,
        references: References,
        readers: Readers,
        observe: Callable[[Outcome], None] = lambda outcome: None,
    ) -> None:
        self._settings, self._translator, self._readers = settings, translator, readers
        self._observe = observe
        self._references = references
        # Another storage can be slow, and is not to delay those who use the database.
        self._run = asyncio.to_thread if settings.document_files else database.run
        self._keys = KeyStore(database)
        self._store = DocumentStore(
            database,
            DocumentFiles(settings.document_files),
            max_documents=settings.max_documents,
            max_bytes=settings.max_documents_bytes,
            lifetime_s=settings.document_lifetime_s,
        )
        self._tasks: list[asyncio.Task[None]] = []
        self._added = asyncio.Event()
        self._ended: dict[str, asyncio.Event] = {}
        self._in_progress: Counter[str] = Counter()  # by client
        self._claiming = asyncio.Lock()  # what one worker takes counts when another chooses

    def start(self) -> None:
        """Begins to translate."""
        self._tasks = [asyncio.create_task(self._serve()) for _ in range(_WORKERS)]
        if self._settings.document_files:
            self._tasks.append(asyncio.create_task(self._sweep()))

    async def stop(self) -> None:
        """Puts unfinished documents back into the queue."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def add(self, upload: Upload, key: Key | None, *, client: str, secret: bool) -> tuple[str, str]:
        """Adds a document; returns its id and, if ``secret``, the key that is needed to find it.

        Args:
            upload: The document.
            key: The API key that pays for it.
            client: Who shares the room with others: a key, or an address without one.
            secret: Whether it is found with a key only.

        Raises:
            QuotaExceeded: The API key has no characters left this month.
            Overloaded: There is no room for it.
            StorageFailure: The database can't be used.
        """
        if key and key.monthly_characters is not None:
            used = await self._run(self._keys.used, key)
            if used >= key.monthly_characters:
                raise QuotaExceeded("Quota for this billing period has been exceeded.")
        wanted = {"input": upload.input, "output": upload.output, "wish": upload.wish.to_json()}
        key_id = key.id if key else None
        added = await self._run(
            lambda: self._store.add(
                upload.content, name=upload.name, wanted=wanted, secret=secret, key_id=key_id, client=client
            )
        )
        self._added.set()
        return added

    async def find(self, document_id: str, secret: str | None = None) -> StoredDocument:
        """Finds a document by its id, and by its key if it has one.

        Raises:
            DocumentNotFound: There is none.
            StorageFailure: The database can't be used.
        """
        return await self._run(self._store.find, document_id, secret)

    async def download(self, document: StoredDocument, *, delete_it: bool) -> bytes:
        """Returns the translated file; ``delete_it`` deletes it afterwards.

        Raises:
            DocumentNotReady: It is not translated yet.
            DocumentNotFound: It was downloaded, or failed.
            StorageFailure: The database can't be used.
        """
        return await self._run(lambda: self._store.translation(document, delete_it=delete_it))

    async def sentences(self, document: StoredDocument) -> bytes:
        """Returns the sentences of a document that was translated for review, as JSON.

        Raises:
            DocumentNotReady: It is not translated yet.
            DocumentNotFound: It was downloaded, or failed, or nobody wanted to review it.
            StorageFailure: The database can't be used.
        """
        return await self._run(self._store.sentences, document)

    async def wait(self, document_id: str) -> StoredDocument:
        """Waits until a document without a key is finished. If the caller is cancelled, deletes the document.

        Raises:
            DocumentNotFound: It was deleted.
            StorageFailure: The database can't be used.
        """
        ended = self._ended.setdefault(document_id, asyncio.Event())
        try:
            while True:
                document = await self.find(document_id)
                if document.status not in ("queued", "translating"):
                    return document
                with suppress(TimeoutError):  # another process may be the one that ends it
                    async with asyncio.timeout(_REPORT_S):
                        await ended.wait()
        except asyncio.CancelledError:
            await asyncio.shield(self._run(self._store.delete, document_id))
            raise
        finally:
            del self._ended[document_id]

    async def _sweep(self) -> None:
        while True:
            with _kept_going():
                await self._run(self._store.sweep)
            await asyncio.sleep(_SWEEP_S)

    async def _serve(self) -> None:
        """Translates one document after another until the server stops."""
        while True:
            self._added.clear()
            # Another name for each lease: not even this worker can mistake it for an earlier one.
            worker = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"
            claimed = None
            with _kept_going():
                claimed = await self._claim(worker)
            if claimed is None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_POLL_S):
                        await self._added.wait()
                continue
            document, content = claimed
            try:
                with _kept_going():
                    await self._carry_out(document, content, worker)
            finally:
                self._in_progress[document.client] -= 1
                self._in_progress += Counter()  # removes clients with no document
            self._added.set()  # it may be the turn of one that was left out
            if ended := self._ended.get(document.id):
                ended.set()

    async def _claim(self, worker: str) -> tuple[StoredDocument, bytes] | None:
        """Leases a document of a client that doesn't have its share of workers."""
        async with self._claiming:
            busy = [client for client, number in self._in_progress.items() if number >= _WORKERS_OF_CLIENT]
            claimed = await self._run(self._store.claim, worker, busy)
            if claimed:
                self._in_progress[claimed[0].client] += 1
        return claimed

    async def _carry_out(self, document: StoredDocument, content: bytes, worker: str) -> None:
        reported = _Progress()
        request_id.set(f"document-{document.id[:_ID_SHOWN]}")
        account.set(Account())
        work = asyncio.create_task(self._translate_in_time(document, content, worker, reported))
        try:
            if await self._is_done(work, document.id, worker, reported):
                await self._until_stored(self._store.finish, document.id, worker, *work.result())
                self._observe("done")
        except asyncio.CancelledError:
            await asyncio.shield(self._run(self._store.release, document.id, worker))
            raise
        except (StorageFailure, EngineUnavailable, Overloaded) as error:
            # It is not the document's fault: the database or all replicas of the model are away, or there is no room
            # for a process to read it.
            with suppress(StorageFailure):  # then its lease ends, and it is tried again
                if document.waited_s < self._settings.request_timeout_s:
                    await self._run(self._store.release, document.id, worker, AGAIN_S)
                else:
                    await self._run(self._store.fail, document.id, worker, *_message_and_code(error))
        except Exception as error:
            message, code = _message_and_code(error)
            self._observe("failed" if message == _FAILED else "refused")
            with suppress(StorageFailure):
                await self._until_stored(self._store.fail, document.id, worker, message, code)
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    async def _is_done(
        self, work: asyncio.Task[DocumentTranslation], document_id: str, worker: str, reported: _Progress
    ) -> bool:
        """Waits for the work and reports its progress; False if another process took the document or it was deleted."""
        while not work.done():
            await asyncio.wait((work,), timeout=_REPORT_S)
            with suppress(StorageFailure):
                if not await self._run(self._store.report, document_id, worker, reported.translated):
                    return False
        return True

    async def _until_stored(self, function: Callable[..., None], *arguments: object) -> None:
        """Calls a function of the store until the database answers. It is safe to call twice: it ends the lease.

        Raises:
            StorageFailure: The database was away for too long.
        """
        deadline = asyncio.get_running_loop().time() + _PATIENCE_S
        while True:
            try:
                return await self._run(function, *arguments)
            except StorageFailure:
                if asyncio.get_running_loop().time() > deadline:
                    raise
                await asyncio.sleep(_REPORT_S / 2)

    async def _translate_in_time(
        self, document: StoredDocument, content: bytes, worker: str, reported: _Progress
    ) -> DocumentTranslation:
        try:
            async with asyncio.timeout(self._settings.request_timeout_s):
                with tracing.entered("document"):
                    return await self._translate(document, content, worker, reported)
        except TimeoutError:
            raise DeadlineExceeded("The time limit passed before the document was translated.") from None

    async def _translate(
        self, document: StoredDocument, content: bytes, worker: str, reported: _Progress
    ) -> DocumentTranslation:
        wanted = document.wanted
        request = TranslationRequest(**vars(Wish.from_json(wanted["wish"])))
        request = await self._references.resolved(request, document.key_id)
        formats, most, target = (wanted["input"], wanted["output"]), self._settings.max_text_chars, request.locale
        opened = self._readers.document(content, *formats, most, target=target or request.target)
        async with opened as read:
            await self._until_stored(self._store.charge, document.id, worker, read.characters)
            return await translate_document(self._translator, read, request, reported.report)


@contextmanager
def _kept_going() -> Iterator[None]:
    """Logs an error of the work inside. The task goes on, since nobody would start it again."""
    try:
        yield
    except StorageFailure:
        pass  # it is in the log
    except Exception:
        logger.exception("the work on documents failed; it goes on with the next")


def _message_and_code(error: Exception) -> tuple[str, str]:
    """Returns the message and the stable code that the client gets. Internal errors are logged instead."""
    if isinstance(error, DragomanError) and not isinstance(error, ModelFailure | BundleError | ConfigurationError):
        return str(error), error.code
    logger.error("a document could not be translated", exc_info=error)
    return _FAILED, error.code if isinstance(error, DragomanError) else DragomanError.code
