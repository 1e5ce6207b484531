"""Who may use the service, and how much: keys, quotas and rates."""

import asyncio
import ipaddress
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import Request

from app.api.middleware.trusted_proxies import signed_in
from app.errors import FeatureDisabled, InvalidKey, InvalidRequest, KeyRequired, StorageFailure
from app.priority import Priority, priority
from app.settings import Settings
from app.translation.request import Answer, Progress
from app.translation.sentence import SentenceEvent

if TYPE_CHECKING:
    from app.api.oidc import Issuer
    from app.storage.database import Database
    from app.storage.keys import Key, KeyStore

PRIORITY_HEADER = "X-Dragoman-Priority"
# An Internet provider gives each customer such a network.
_IPV6_PREFIX = 64
_FREE = nullcontext()


@dataclass
class Bill:
    """What a request pays.

    Attributes:
        unused: Characters that it gives back if it ends now.
    """

    unused: int

    def note(self, event: Progress) -> None:
        """Uses the characters of what is reported."""
        if isinstance(event, SentenceEvent):
            self.unused -= len(event.sentence.source)
        elif isinstance(event, Answer):
            self.unused = 0


class Access:
    """Checks the key of each request, and counts what it uses.

    Args:
        settings: Whether keys are used, how many requests those without may make, and where requests are counted.
        database: Where the keys are; needed if there are keys or limits.

    Raises:
        ConfigurationError: Valkey's address is malformed, or its client is not installed.

    Attributes:
        store: The keys; None if there are neither keys nor limits.
        run: Calls a function of the store in a thread of the database.
        read: The same for a function that only reads.
    """

    store: "KeyStore | None" = None
    _issuer: "Issuer | None" = None

    def __init__(self, settings: Settings, database: "Database | None") -> None:
        self._mode, self._limits = settings.keys, settings.request_limits
        if self._mode != "off" or self._limits:
            from app.storage.keys import KeyStore
            from app.storage.request_counts import open_request_counts

            assert database
            self.store, self.run, self.read = KeyStore(database), database.run, database.read
            self._counts = open_request_counts(settings, database)
        if settings.oidc_issuer:
            from app.api.oidc import Issuer

            self._issuer = Issuer(settings)

    async def close(self) -> None:
        """Closes the connections to Valkey and to the issuer of tokens."""
        if self.store:
            await self._counts.close()
        if self._issuer:
            await self._issuer.close()

    async def check(
        self, request: Request, offered: object, feature: str | None = None, *, counts: bool = True
    ) -> "Key | None":
        """Admits or refuses a request; returns its key, or None if it needs no key.

        Args:
            request: The request; its client's address counts where it has no key.
            offered: The key that came with it, or a token that stands for one; if any.
            feature: What it wants, one of ``FEATURES``; None for what every key may do.
            counts: Whether a request for a feature counts as one of the requests in a minute, an hour or a day.

        Raises:
            KeyRequired: It has no key.
            InvalidKey: There is no such key, or none for whoever has signed in.
            FeatureDisabled: The key may not use the feature.
            RateLimited: Too many requests in a minute, an hour or a day.
            InvalidRequest: The header names a priority that doesn't exist.
            StorageFailure: The database can't be used.
            IssuerUnavailable: A token can't be checked now.
        """
        wanted = wanted_priority(request.headers.get(PRIORITY_HEADER))
        priority.set((wanted or Priority.NORMAL).at_most(Priority.NORMAL))
        store = self.store
        if store is None:
            return None
        key = None
        if self._mode != "off" and offered not in (None, ""):
            key = await self._find(store, offered)
        elif self._mode != "off" and (names := signed_in(request)):
            key = await self.read(store.oldest_named, names)
            if key is None and self._mode == "required":
                raise InvalidKey("You have signed in, but this server has no key for you")
        elif self._mode == "required":
            raise KeyRequired("Please contact the server operator to get an API key")
        if key and feature and feature not in key.features:
            raise FeatureDisabled(f"This API key may not use the feature {feature}.")
        limits = self._limits
        if key:
            priority.set((wanted or key.priority).at_most(key.priority))
            limits = {"minute": key.requests_per_minute} if key.requests_per_minute else {}
        if feature and counts and limits:
            await self._counts.count(client_of(request, key), limits)
        return key

    async def needs_key(self, request: Request) -> bool:
        """Tells whether a request has to come with a key. Whoever has signed in needs none if a key has such a name."""
        store = self.store
        if self._mode != "required" or store is None:
            return False
        names = signed_in(request)
        try:
            return not names or await self.read(store.oldest_named, names) is None
        except StorageFailure:
            return False  # a key would not help

    async def _find(self, store: "KeyStore", offered: object) -> "Key":
        if self._issuer and isinstance(offered, str) and self._issuer.is_token(offered):
            key = await self.read(store.oldest_named, await self._issuer.names(offered))
            if key is None:
                raise InvalidKey("The token is valid, but this server has no key for its holder")
            return key
        key = await self.read(store.find, offered) if isinstance(offered, str) else None
        if key is None:
            raise InvalidKey("Invalid API key")
        return key

    def spending(self, key: "Key | None", characters: int) -> AbstractAsyncContextManager[object]:
        """Counts the characters of a request; they are given back if it fails.

        Raises:
            QuotaExceeded: The key has no more of them this month.
            InvalidKey: The key was removed a moment ago.
            StorageFailure: The database can't be used.
        """
        return self._counting(self.store, key, Bill(characters), is_whole=True) if self.store and key else _FREE

    def spending_on(self, key: "Key | None", characters: int) -> AbstractAsyncContextManager[Bill]:
        """Counts characters; gives back those of sentences that the bill knows no events of.

        Raises:
            QuotaExceeded: The key has no more of them this month.
            InvalidKey: The key was removed a moment ago.
            StorageFailure: The database can't be used.
        """
        bill = Bill(characters)
        return self._counting(self.store, key, bill) if self.store and key else nullcontext(bill)

    @asynccontextmanager
    async def _counting(
        self, store: "KeyStore", key: "Key", bill: Bill, *, is_whole: bool = False
    ) -> AsyncIterator[Bill]:
        spending = asyncio.create_task(self.run(store.spend, key, bill.unused))
        try:
            await asyncio.shield(spending)  # whose thread goes on if this task is cancelled
            yield bill
            if is_whole:
                bill.unused = 0
        finally:
            if bill.unused > 0:
                await asyncio.shield(self._give_back(spending, key, bill.unused))

    async def _give_back(self, spending: asyncio.Task[None], key: "Key", characters: int) -> None:
        """Gives back characters as soon as they are counted, if they are."""
        assert self.store
        await asyncio.wait((spending,))
        if not (spending.cancelled() or spending.exception()):
            with suppress(StorageFailure):  # the request has an error of its own to tell
                await self.run(self.store.give_back, key, characters)

    async def used(self, key: "Key") -> int:
        """Returns the characters that a key has used this month."""
        assert self.store
        return await self.read(self.store.used, key)


def wanted_priority(text: str | None) -> Priority | None:
    """Reads the header ``PRIORITY_HEADER``; None if it is absent.

    Raises:
        InvalidRequest: There is no such priority.
    """
    if text is None:
        return None
    try:
        return Priority(text.strip().lower())
    except ValueError:
        names = ", ".join(each.value for each in Priority)
        raise InvalidRequest(f"{PRIORITY_HEADER} must be one of {names}.") from None


def header_key(request: Request, scheme: str) -> str | None:
    """Returns the key in the header ``Authorization`` if the header has this scheme."""
    name, _, value = request.headers.get("Authorization", "").partition(" ")
    return value.strip() if name.lower() == scheme.lower() else None


def client_of(request: Request, key: "Key | None") -> str:
    """Returns who makes a request, as far as limits go: a key, or an address without one."""
    return f"key {key.id}" if key else _address(request)


def _address(request: Request) -> str:
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 4:
        return host
    return str(ipaddress.ip_network((address, _IPV6_PREFIX), strict=False))
