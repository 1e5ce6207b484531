"""Sign-in for teams: tokens of an OpenID Connect issuer, each of which stands for an API key of this server.

A token is a JWT (RFC 7519) that the issuer has signed with a private key. Its public keys (a JWK Set, RFC 7517) are
where OpenID Connect Discovery 1.0 says. The rules for algorithms are those of RFC 8725, Best Current Practices.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable
from typing import Any

from app.contradictions import is_secure_url
from app.errors import ConfigurationError, InvalidKey, IssuerUnavailable
from app.installation import how_to_install
from app.settings import Settings

try:
    import httpx
    import jwt
    from jwt.types import Options
except ImportError:
    raise ConfigurationError(f"DRAGOMAN_OIDC_ISSUER needs its libraries: {how_to_install('oidc')}") from None

ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA".split()
"""Signatures by a private key. With HMAC, whoever knows the public key could sign; ``none`` is no signature at all."""
FRESH_S, USABLE_S = 300, 3_600
"""Age at which public keys are fetched again, and at which they no longer count if the issuer can't be reached."""
PAUSE_S = 10
"""Time between two fetches, however many tokens name a key that nobody knows."""
LEEWAY_S = 60
"""Difference between the issuer's clock and this one."""
_TIMEOUT_S = 5
_MAX_TOKEN_CHARS = 16_384
_MAX_ANSWER_BYTES = 1024 * 1024
_CHECKS: Options = {"require": ["exp", "iss", "aud"], "enforce_minimum_key_length": True}
_REASONS = {
    jwt.ExpiredSignatureError: "it has expired",
    jwt.ImmatureSignatureError: "it is not valid yet",
    jwt.InvalidAudienceError: "it is for another audience",
    jwt.InvalidIssuerError: "it is of another issuer",
    jwt.MissingRequiredClaimError: "it lacks one of exp, iss and aud",
}

logger = logging.getLogger(__name__)


class Issuer:
    """Verifies the tokens of the issuer that the settings name. It connects on first use.

    Args:
        settings: ``oidc_issuer``, ``oidc_audience`` and ``oidc_claim``.
        clock: Seconds that never go back, by which the age of public keys counts.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._url, self._audience, self._claim = settings.oidc_issuer, settings.oidc_audience, settings.oidc_claim
        self._clock = clock
        # Many networks reach an issuer by a proxy alone. It sees no token, and TLS ends at the issuer.
        self._client = httpx.AsyncClient(timeout=_TIMEOUT_S, trust_env=True)
        self._keys: dict[str | None, jwt.PyJWK] = {}
        self._fetched_at = self._tried_at = float("-inf")
        self._fetching: asyncio.Task[None] | None = None
        self._is_away = False

    @staticmethod
    def is_token(offered: str) -> bool:
        """Whether what came as a key has the form of a signed JWT: JSON, JSON and a signature in base64."""
        return offered.startswith("eyJ") and offered.count(".") == 2

    async def names(self, token: str) -> list[str]:
        """Returns the names of the API keys that a token may stand for, as ``CLAIM:VALUE``.

        Raises:
            InvalidKey: It is malformed, forged, expired, or meant for somebody else.
            IssuerUnavailable: The issuer's public keys are needed, and it can't be reached.
        """
        if len(token) > _MAX_TOKEN_CHARS:
            raise InvalidKey("Invalid token: it is too long")
        try:
            key = await self._key(jwt.get_unverified_header(token).get("kid"))
            claims = jwt.decode(
                token,
                key,
                algorithms=[key.algorithm_name],
                audience=self._audience,
                issuer=self._url,
                leeway=LEEWAY_S,
                options=_CHECKS,
            )
        except (jwt.PyJWTError, ValueError, RecursionError) as error:
            reason = _REASONS.get(type(error), "it is malformed, or its signature is wrong")
            raise InvalidKey(f"Invalid token: {reason}") from None
        if self._claim == "email" and claims.get("email_verified") in (False, "false"):  # some issuers write strings
            raise InvalidKey("Invalid token: its email address is not verified")
        values = claims.get(self._claim)
        # No key's name has what can't be printed, and no database takes half of a character.
        found = [value for value in (values if isinstance(values, list) else [values]) if isinstance(value, str)]
        return [f"{self._claim}:{value}" for value in found if value.isprintable()]

    async def close(self) -> None:
        """Closes the connections."""
        if self._fetching:
            self._fetching.cancel()
        await self._client.aclose()

    async def _key(self, identifier: str | None) -> jwt.PyJWK:
        key, age_s = self._keys.get(identifier), self._age_s()
        if key and age_s < FRESH_S:
            return key
        fetching = self._fetch_unless_tried_just_now()
        if key and age_s < USABLE_S:  # good enough until the others are here
            return key
        if fetching:
            await asyncio.shield(fetching)  # which others wait for, too
        key = self._keys.get(identifier)
        if key and self._age_s() < USABLE_S:
            return key
        if self._is_away:
            raise IssuerUnavailable("The issuer of the token can't be reached, so the token can't be checked")
        raise InvalidKey("Invalid token: its issuer has no such key")

    def _age_s(self) -> float:
        return self._clock() - self._fetched_at

    def _fetch_unless_tried_just_now(self) -> asyncio.Task[None] | None:
        if self._fetching is None and self._clock() - self._tried_at >= PAUSE_S:
            self._tried_at = self._clock()
            self._fetching = asyncio.create_task(self._fetch())
        return self._fetching

    async def _fetch(self) -> None:
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                address = f"{str(self._url).rstrip('/')}/.well-known/openid-configuration"
                found = await self._read(address)
                if found.get("issuer") != self._url or not is_secure_url(str(found.get("jwks_uri"))):
                    raise ValueError("a wrong issuer, or an address without TLS")
                self._keys = _public_keys(await self._read(str(found["jwks_uri"])))
            self._fetched_at, self._is_away = self._clock(), False
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL, ValueError, RecursionError) as error:
            logger.warning("the issuer of tokens can't be used", extra={"reason": type(error).__name__})
            self._is_away = True
        finally:
            self._fetching = None

    async def _read(self, address: str) -> dict[str, Any]:
        async with self._client.stream("GET", address, headers={"Accept": "application/json"}) as response:
            response.raise_for_status()
            body = bytearray()
            async for part in response.aiter_bytes():
                body += part
                if len(body) > _MAX_ANSWER_BYTES:
                    raise ValueError("an answer that is too long")
        found = json.loads(body)
        if not isinstance(found, dict):
            raise ValueError("not an object")
        return found


def _public_keys(found: dict[str, Any]) -> dict[str | None, jwt.PyJWK]:
    """The keys of a JWK Set that sign, by their identifier.

    Raises:
        ValueError: It has none.
    """
    keys = {}
    entries = found.get("keys")
    for entry in entries if isinstance(entries, list) else ():
        try:
            key = jwt.PyJWK(entry)
        except (jwt.PyJWTError, AttributeError, KeyError, TypeError, ValueError):
            continue  # of a kind that a later standard may have
        if key.algorithm_name in ALGORITHMS and key.public_key_use in (None, "sig"):
            keys[key.key_id] = key
    if not keys:
        raise ValueError("no key")
    if len(keys) == 1:
        keys[None] = next(iter(keys.values()))  # tokens need not say which
    return keys
