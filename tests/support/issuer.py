"""A small OpenID Connect issuer on this machine: it signs tokens, shows its public keys, and counts who asks."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


class TestIssuer(ThreadingHTTPServer):
    """Listens on a free port of this machine.

    Attributes:
        keys: Its private keys with their algorithms, by their identifiers.
        more: Entries of the JWK Set beside the public keys.
        asked: Paths that were asked for.
        is_down: Whether it answers 503.
    """

    __test__ = False
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.keys: dict[str, tuple[str, PrivateKey]] = {"first": ("ES256", ec.generate_private_key(ec.SECP256R1()))}
        self.more: list[Any] = []
        self.asked: list[str] = []
        self.is_down = False
        self.said_issuer = self.url

    def rotate(self, identifier: str) -> None:
        """Forgets its keys, and makes a new one."""
        self.keys = {identifier: ("ES256", ec.generate_private_key(ec.SECP256R1()))}

    def token(self, identifier: str | None = None, headers: dict[str, Any] | None = None, **claims: Any) -> str:
        """A token for the audience ``dragoman`` that ends in five minutes; claims that are None are left out."""
        identifier = identifier or next(iter(self.keys))
        algorithm, key = self.keys[identifier]
        claims = {"iss": self.url, "aud": "dragoman", "sub": "anna", "exp": int(time.time()) + 300} | claims
        claims = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(claims, key, algorithm, headers={"kid": identifier} | (headers or {}))

    def public(self, identifier: str) -> dict[str, Any]:
        """A public key as an entry of a JWK Set (RFC 7517)."""
        algorithm, key = self.keys[identifier]
        kinds: dict[str, Any] = {"E": ECAlgorithm, "R": RSAAlgorithm, "P": RSAAlgorithm}
        kind = OKPAlgorithm if algorithm == "EdDSA" else kinds[algorithm[0]]
        entry = json.loads(kind.to_jwk(key.public_key()))
        return {**entry, "kid": identifier, "alg": algorithm, "use": "sig"}

    def answer(self, path: str) -> dict[str, Any]:
        """What it says at a path."""
        if path == "/.well-known/openid-configuration":
            return {"issuer": self.said_issuer, "jwks_uri": f"{self.url}/keys"}
        return {"keys": [*self.more, *(self.public(identifier) for identifier in self.keys)]}


class _Handler(BaseHTTPRequestHandler):
    server: TestIssuer

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        body = json.dumps(self.server.answer(self.path)).encode()
        self.send_response(503 if self.server.is_down else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@contextmanager
def issuing() -> Iterator[TestIssuer]:
    with TestIssuer() as issuer:
        thread = threading.Thread(target=issuer.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield issuer
        finally:
            issuer.shutdown()
            thread.join()
