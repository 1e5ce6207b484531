"""Tokens of an OpenID Connect issuer, sent as keys: whose limits they have, and which of them are refused."""

import asyncio
import base64
import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from app.api.oidc import FRESH_S, PAUSE_S, USABLE_S, Issuer
from app.errors import ConfigurationError, InvalidKey, IssuerUnavailable
from app.priority import Priority
from app.settings import Settings
from tests.support.issuer import TestIssuer, issuing

TEXT = {"q": "Guten Morgen!", "source": "de", "target": "en"}
DEEPL_TEXT = {"text": ["Guten Morgen!"], "source_lang": "DE", "target_lang": "EN-US"}


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now_s = 1_000_000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def issuer() -> Iterator[TestIssuer]:
    with issuing() as found:
        yield found


@pytest.fixture
def settings(tmp_path, issuer) -> Settings:
    return Settings(data=tmp_path, keys="required", oidc_issuer=issuer.url, oidc_audience="dragoman")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def verifier(settings, clock) -> AsyncIterator[Issuer]:
    verifier = Issuer(settings, clock)
    yield verifier
    await verifier.close()


async def status(client: httpx.AsyncClient, token: str, path: str = "/translate") -> tuple[int, str]:
    response = await client.post(path, json=TEXT, headers={"Authorization": f"Bearer {token}"})
    return response.status_code, "" if response.is_success else response.json()["code"]


async def refusal(verifier: Issuer, token: str) -> str:
    with pytest.raises(InvalidKey) as caught:
        await verifier.names(token)
    return str(caught.value).removeprefix("Invalid token: ")


@pytest.mark.usefixtures("still_clock")
async def test_a_group_has_the_limits_of_the_key_with_its_name(client, issuer, store):
    store.add("groups:editors", requests_per_minute=2)
    store.add("groups:readers", features=["detect"], priority=Priority.BULK)
    editor, reader = issuer.token(groups=["others", "editors"]), issuer.token(groups="readers")
    deepl = {"Authorization": f"DeepL-Auth-Key {editor}"}
    assert (await client.post("/v2/translate", json=DEEPL_TEXT, headers=deepl)).status_code == 200
    assert (await client.post("/translate", json=TEXT | {"api_key": editor})).status_code == 200
    assert await status(client, editor) == (429, "rate_limited")
    assert await status(client, reader) == (403, "feature_disabled")
    assert await status(client, reader, "/detect") == (200, "")
    usage = (await client.get("/v2/usage", headers=deepl)).json()
    assert usage["character_count"] == 26  # the team's


async def test_keys_are_still_keys(client, issuer, store):
    assert await status(client, store.add("test")) == (200, "")
    assert await status(client, store.add("test", key="eyJ" + "x" * 16)) == (200, "")
    assert issuer.asked == []


@pytest.mark.parametrize(("verified", "accepted"), [(True, True), (None, True), (False, False), ("false", False)])
async def test_an_address_that_is_not_verified_stands_for_no_key(tmp_path, issuer, verified, accepted):
    settings = Settings(
        data=tmp_path, keys="required", oidc_issuer=issuer.url, oidc_audience="dragoman", oidc_claim="email"
    )
    verifier = Issuer(settings)
    token = issuer.token(email="anna@example.org", email_verified=verified)
    if accepted:
        assert await verifier.names(token) == ["email:anna@example.org"]
    else:
        assert await refusal(verifier, token) == "its email address is not verified"
    await verifier.close()


async def test_a_token_without_a_key_of_its_group_is_refused(client, issuer, store):
    store.add("editors")  # a name that happens to be the same is not the group's
    store.add("sub:anna")  # nor is another claim's
    for groups in (["editors"], [], None, 7, ["\ud800", "\0", {}], "anna"):
        assert await status(client, issuer.token(groups=groups)) == (403, "invalid_key")


async def test_of_several_groups_the_oldest_key_counts(client, issuer, store):
    store.add("groups:a", features=["detect"])
    store.add("groups:b", features=["translate"])
    assert await status(client, issuer.token(groups=["b", "a"])) == (403, "feature_disabled")


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"aud": "another"}, "it is for another audience"),
        ({"aud": ["another", "dragoman"]}, ""),
        ({"iss": "https://issuer.example"}, "it is of another issuer"),
        ({"exp": -3_600}, "it has expired"),
        ({"exp": -20}, ""),  # by a clock that is wrong by less than a minute
        ({"nbf": 3_600}, "it is not valid yet"),
        ({"exp": None}, "it lacks one of exp, iss and aud"),
        ({"aud": None}, "it lacks one of exp, iss and aud"),
        ({"iss": None}, "it lacks one of exp, iss and aud"),
    ],
)
async def test_claims(verifier, issuer, claims, reason):
    now_s = int(time.time())
    claims = {name: now_s + value if isinstance(value, int) else value for name, value in claims.items()}
    token = issuer.token(groups=["editors"], **claims)
    if reason:
        assert await refusal(verifier, token) == reason
    else:
        assert await verifier.names(token) == ["groups:editors"]


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256", "ES384", "EdDSA"])
async def test_algorithms(verifier, issuer, algorithm):
    makers: dict[str, Any] = {
        "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
        "ES384": lambda: ec.generate_private_key(ec.SECP384R1()),
        "EdDSA": ed25519.Ed25519PrivateKey.generate,
    }
    make = makers.get(algorithm, lambda: rsa.generate_private_key(65_537, 2_048))
    issuer.keys = {"one": (algorithm, make())}
    assert await verifier.names(issuer.token(groups=["editors"])) == ["groups:editors"]


def base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def forged(issuer: TestIssuer, header: dict[str, Any], secret: bytes | None) -> str:
    """A token that nobody with the private key has signed."""
    claims = {"iss": issuer.url, "aud": "dragoman", "exp": int(time.time()) + 300, "groups": ["editors"]}
    signed = f"{base64url(json.dumps(header).encode())}.{base64url(json.dumps(claims).encode())}"
    return f"{signed}.{base64url(hmac.digest(secret, signed.encode(), hashlib.sha256)) if secret else ''}"


async def test_forged_tokens_are_refused(verifier, issuer):
    _, key = issuer.keys["first"]
    public = key.public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    issuer.more = [{"kty": "oct", "kid": "shared", "k": base64url(b"s" * 32), "alg": "HS256"}]
    signature = "it is malformed, or its signature is wrong"
    for secret in (pem, der, json.dumps(issuer.public("first")).encode()):
        assert await refusal(verifier, forged(issuer, {"alg": "HS256", "kid": "first"}, secret)) == signature
    for name in ("none", "None", "nOnE", ""):
        assert await refusal(verifier, forged(issuer, {"alg": name, "kid": "first"}, None)) == signature
    # A symmetric key that an issuer shows by mistake is known to everybody.
    unknown = "its issuer has no such key"
    assert await refusal(verifier, forged(issuer, {"alg": "HS256", "kid": "shared"}, b"s" * 32)) == unknown
    own = issuer.keys["first"]
    issuer.rotate("first")
    other = issuer.token(groups=["editors"])
    issuer.keys = {"first": own}
    assert await refusal(verifier, other) == signature
    own_key = {"jwk": issuer.public("first"), "jku": f"{issuer.url}/mine", "x5u": f"{issuer.url}/mine"}
    issuer.rotate("theirs")
    assert await refusal(verifier, issuer.token(headers=own_key | {"kid": "x"})) == unknown
    assert set(issuer.asked) == {"/.well-known/openid-configuration", "/keys"}


async def test_weak_and_foreign_keys_of_an_issuer_do_not_count(verifier, issuer):
    issuer.keys = {"weak": ("RS256", rsa.generate_private_key(65_537, 1_024)), **issuer.keys}
    issuer.more = [7, {}, {"kty": "new"}, {"kty": "EC", "crv": "P-256", "x": 1}, {**issuer.public("first"), "kid": "e"}]
    issuer.more[-1]["use"] = "enc"
    with pytest.warns(UserWarning, match="RSA key is 1024 bits"):
        weak = issuer.token("weak")
    assert await refusal(verifier, weak) == "it is malformed, or its signature is wrong"
    assert await refusal(verifier, issuer.token("first", {"kid": "e"})) == "its issuer has no such key"
    assert await verifier.names(issuer.token("first", groups=["a"])) == ["groups:a"]


async def test_garbage_is_refused(client):
    for header in (b"{", b"[]", b"[" * 9_000, b'{"alg":"ES256","kid":[]}', b"\xff", b""):
        for start in ("eyJ" + base64url(header), base64url(b'{"a": ' + header), base64url(header)):
            assert await status(client, f"{start}.e30.e30") == (403, "invalid_key")
    assert await status(client, "eyJ." + "x" * 20_000 + ".") == (403, "invalid_key")


async def test_keys_rotate(verifier, issuer, clock):
    old = issuer.token(groups=["a"])
    assert await verifier.names(old) == ["groups:a"]
    issuer.rotate("second")
    clock.now_s += PAUSE_S
    assert await verifier.names(issuer.token(groups=["a"])) == ["groups:a"]
    assert await refusal(verifier, old) == "its issuer has no such key"


async def test_unknown_keys_do_not_hammer_the_issuer(verifier, issuer, clock):
    good = issuer.token(groups=["a"])
    unknown = [issuer.token(headers={"kid": f"unknown{number}"}) for number in range(50)]
    results = await asyncio.gather(*map(verifier.names, [good, *unknown]), return_exceptions=True)
    assert results[0] == ["groups:a"] and all(isinstance(each, InvalidKey) for each in results[1:])
    for token in unknown[:5]:
        assert await refusal(verifier, token) == "its issuer has no such key"
    assert len(issuer.asked) == 2  # where the keys are, and the keys
    clock.now_s += PAUSE_S
    await asyncio.gather(*map(verifier.names, unknown), return_exceptions=True)
    assert len(issuer.asked) == 4


async def test_known_keys_count_for_an_hour_while_the_issuer_is_down(verifier, issuer, clock):
    token = issuer.token(groups=["a"])
    await verifier.names(token)
    issuer.is_down = True
    for _ in range(3):
        clock.now_s += FRESH_S
        assert await verifier.names(token) == ["groups:a"]
    issuer.rotate("second")
    with pytest.raises(IssuerUnavailable):
        await verifier.names(issuer.token())
    clock.now_s += USABLE_S
    with pytest.raises(IssuerUnavailable):
        await verifier.names(token)
    issuer.is_down = False
    clock.now_s += PAUSE_S
    assert await verifier.names(issuer.token(groups=["a"])) == ["groups:a"]


async def test_without_its_issuer_a_token_gets_503(client, issuer, store):
    store.add("groups:editors")
    issuer.is_down = True
    response = await client.post("/translate", json=TEXT | {"api_key": issuer.token(groups=["editors"])})
    assert (response.status_code, response.json()["code"]) == (503, "issuer_unavailable")
    assert "Retry-After" in response.headers
    assert await status(client, store.add("test")) == (200, "")


async def test_an_issuer_that_says_it_is_another_one_is_not_believed(verifier, issuer):
    issuer.said_issuer = "https://issuer.example"
    with pytest.raises(IssuerUnavailable):
        await verifier.names(issuer.token())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"oidc_audience": "dragoman"}, "need each other"),
        ({"oidc_issuer": "https://issuer.example"}, "need each other"),
        ({"oidc_issuer": "http://issuer.example", "oidc_audience": "dragoman"}, "must begin with https"),
        ({"oidc_issuer": "https://issuer.example", "oidc_audience": "dragoman", "keys": "off"}, "keys optional"),
    ],
)
def test_settings_that_would_believe_anybody_are_refused(tmp_path, settings, message):
    with pytest.raises(ConfigurationError, match=message):
        Settings.load(**{"data": tmp_path, "keys": "required"} | settings)
