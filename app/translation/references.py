"""What a wish names, made ready: the glossary in the request or stored ones, and the stored translation memory."""

from dataclasses import replace
from functools import partial

from app.text.terms.glossary import Glossary
from app.translation.request import TranslationRequest
from app.translation.stored_glossaries import Glossaries
from app.translation.stored_memories import Memories


class References:
    """The stored glossaries and translation memories of a server.

    Args:
        glossaries: The glossaries.
        memories: The memories.
    """

    def __init__(self, glossaries: Glossaries, memories: Memories) -> None:
        self.glossaries, self.memories = glossaries, memories

    async def resolved(self, request: TranslationRequest, owner: int | None) -> TranslationRequest:
        """Returns the request with the glossary and the translation memory that it names.

        Args:
            request: The request.
            owner: Number of the API key whose glossaries and memories it may name; None without one.

        Raises:
            InvalidRequest: This server keeps nothing, or the memory is for other languages.
            GlossaryNotFound: There is no such glossary.
            MemoryNotFound: There is no such memory.
            StorageFailure: The database can't be used.
        """
        if not (request.terms or request.glossary_ids or request.stored_memory):
            return request
        glossary, memory = request.glossary, request.memory
        if request.terms:
            glossary = partial(Glossary, request.terms)
        elif request.glossary_ids:
            glossary = await self.glossaries.find(owner, request.glossary_ids, request.pair)
        if request.stored_memory:
            memory = await self.memories.find(owner, *request.stored_memory, request.pair)
        return replace(request, glossary=glossary, memory=memory)
