"""Plain ASGI middleware that bounds the memory of all bodies and unread answers; long bodies are read in turns."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import Overloaded
from app.fairness import arrivals
from app.fairness.turns import Turns

# Of each body, this much is not counted: nearly all are shorter, and are never refused for the sake of long ones.
_FREE_BYTES = 64 * 1024
_PIECE_BYTES = 64 * 1024


class BodyBudget:
    """Counts the bytes of bodies from arrival until their requests are answered; refuses bytes beyond the limit.

    Of bodies longer than 64 KiB, one goes on in an iteration of the event loop: beside twenty at once, a short request
    would wait for a piece of each at every step.

    Long answers are handed to the server in pieces, each when the client has read most of the one before. So a request
    whose answer nobody reads is not over, and what it holds stays counted.

    Args:
        app: The application inside.
        most_bytes: Bytes of all bodies at a time, apart from the first 64 KiB of each.
    """

    def __init__(self, app: ASGIApp, most_bytes: int) -> None:
        self.app, self._most_bytes = app, most_bytes
        self.held_bytes = 0
        self._turns = Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        received = held = 0

        async def receive_counting() -> Message:
            nonlocal received, held
            message = await receive()
            if not message.get("more_body"):
                arrivals.begin()
            received += len(message.get("body", b""))
            if received > _FREE_BYTES + held:
                more = received - _FREE_BYTES - held
                if self.held_bytes + more > self._most_bytes:
                    raise Overloaded("The server is busy with large requests; try again in a moment.")
                held += more
                self.held_bytes += more
                await self._turns.take()
            return message

        async def send_in_pieces(message: Message) -> None:
            body = message.get("body", b"")
            if len(body) <= _PIECE_BYTES:
                await send(message)
                return
            *firsts, last = range(0, len(body), _PIECE_BYTES)
            for begin in firsts:
                # Bytes, not a view of them: Ray's proxies can't pickle that.
                piece = body[begin : begin + _PIECE_BYTES]
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({**message, "body": body[last:]})

        try:
            await self.app(scope, receive_counting, send_in_pieces)
        finally:
            self.held_bytes -= held
