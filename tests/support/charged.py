"""Copies of the modules of texts and documents that also count what C code does in one call, by what it goes through.

A search with ``in``, a slice or ``str.replace`` is one line however long the text is, and may make a loop quadratic.
"""

import ast
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any, TypeVar

import app.documents
import app.documents.formats
import app.text
import app.translation.rules
import languages.english
import languages.german

Value = TypeVar("Value")

_PREFIXES = ("app.text.", "app.documents.", "app.translation.rules.", "languages.english.", "languages.german.")
_PACKAGES = (app.text, app.documents, app.documents.formats, app.translation.rules, languages.english, languages.german)
# They go through the whole object, save searches that find something early.
_SEARCHES = frozenset("count find index rfind rindex".split())
_METHODS = frozenset(
    "casefold copy count encode find index insert join lower remove replace rfind rindex split splitlines strip lstrip "
    "rstrip translate upper".split()
)


class Charges:
    """Characters and items that C code has gone through."""

    total = 0


def _charged(value: Value) -> Value:
    if isinstance(value, (str, bytes, list, tuple)):
        Charges.total += len(value)
    return value


class _Charging(ast.NodeTransformer):
    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        kinds = zip(node.ops, node.comparators, strict=True)
        node.comparators = [_call(each) if isinstance(op, (ast.In, ast.NotIn)) else each for op, each in kinds]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        return _call(node) if isinstance(node.slice, ast.Slice) and isinstance(node.ctx, ast.Load) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        # With a second argument, "find" begins there, and mostly ends soon.
        is_partial = (
            node.func.attr in _SEARCHES and len(node.args) > 1 if isinstance(node.func, ast.Attribute) else True
        )
        if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS and not is_partial:
            node.func.value = _call(node.func.value)
        return node


def _call(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Call(ast.Name("__charged__", ast.Load()), [node], []), node)


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        tree = _Charging().visit(ast.parse(self.get_data(self.path)))
        return compile(ast.fix_missing_locations(tree), self.path, "exec")

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__charged__"] = _charged
        super().exec_module(module)


class _Finder(MetaPathFinder):
    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path) if fullname.startswith(_PREFIXES) else None
        if spec and spec.origin and spec.loader:
            spec.loader = _Loader(fullname, spec.origin)
        return spec


@contextmanager
def charged_copies() -> Iterator[None]:
    """Imports inside give copies of these modules; everybody else keeps the modules as they are."""
    own = {name: sys.modules.pop(name) for name in [*sys.modules] if name.startswith(_PREFIXES)}
    attributes = [dict(vars(package)) for package in _PACKAGES]
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [*sys.modules]:
            if name.startswith(_PREFIXES):
                del sys.modules[name]
        sys.modules.update(own)
        for package, before in zip(_PACKAGES, attributes, strict=True):
            vars(package).update(before)
