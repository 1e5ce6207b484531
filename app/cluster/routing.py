"""Which replica takes a call: the less busy of the two that equal texts go to.

A replica translates a sentence only once for all calls that wait for it, and keeps features of recent sentences.
"""

import hashlib
from typing import Any

from ray.serve.request_router import PendingRequest, RequestRouter, RunningReplica

from app.engine.interface import TranslationCall

_KEY_CHARS = 500


class AffinityRouter(RequestRouter):
    """Power of two choices (Mitzenmacher, 2001), except that the two are the highest in rendezvous hashing.

    With replicas that come and go, the other replicas keep their texts.

    Args:
        by_bundle: The replicas share bundles that they load when needed: equal pairs go together, not equal texts.
    """

    def initialize_state(self, **kwargs: Any) -> None:
        """Ray Serve passes the arguments in the deployment's configuration."""
        self._by_bundle = bool(kwargs["by_bundle"])

    async def choose_replicas(
        self, candidate_replicas: list[RunningReplica], pending_request: PendingRequest | None = None
    ) -> list[list[RunningReplica]]:
        """Returns two replicas, of which Ray Serve takes the less busy one, and then all others."""
        key = _key(pending_request, self._by_bundle)
        ranked = sorted(candidate_replicas, key=lambda replica: _rank(key, replica), reverse=True)
        return [ranked[:2], ranked[2:]] if ranked[2:] else [ranked]


def _key(request: PendingRequest | None, by_bundle: bool) -> str:
    call = request.args[0] if request and request.args else None
    if not isinstance(call, TranslationCall):
        return ""
    text = "" if by_bundle else "".join(call.texts[:1])[:_KEY_CHARS]
    return f"{call.source}\0{call.target}\0{text}"


def _rank(key: str, replica: RunningReplica) -> bytes:
    # Not Python's hash, which differs between processes.
    return hashlib.blake2b(f"{key}\0{replica.replica_id.unique_id}".encode("utf-8", "replace"), digest_size=8).digest()
