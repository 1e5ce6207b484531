"""A list of modules of one type."""

from collections.abc import Iterator
from typing import Generic, TypeVar, cast

from torch import nn

Layer = TypeVar("Layer", bound=nn.Module)


class Stack(nn.ModuleList, Generic[Layer]):
    """A list of modules of one type, which ``nn.ModuleList`` alone forgets."""

    def __iter__(self) -> Iterator[Layer]:
        return cast(Iterator[Layer], super().__iter__())
