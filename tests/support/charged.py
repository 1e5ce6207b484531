"""Copies of the modules of texts and documents that count their work: statements, and what C code goes through.

A search with ``in``, a slice or ``str.replace`` is one statement however long the text is, and may make a loop
quadratic. The copies count by themselves: ``sys.settrace`` would take a third more time.
"""

import ast
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
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


@dataclass(slots=True)
class Counts:
    """What the copies have done. These are floats, since each new large int would be an allocation for tracemalloc.

    Attributes:
        lines: Statements of functions, and items of comprehensions.
        charges: Characters and items that C code has gone through.
    """

    lines: float = 0.0
    charges: float = 0.0


COUNTS = Counts()
"""Of all copies."""


def _charged(value: Value) -> Value:
    if isinstance(value, (str, bytes, list, tuple)):
        COUNTS.charges += len(value)
    return value


def _item(value: Value) -> Value:
    COUNTS.lines += 1.0
    return value


class _Charging(ast.NodeTransformer):
    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [self.visit(each) for each in node.body]
        return node

    def visit_Module(self, node: ast.Module) -> ast.AST:
        node.body = [self.visit(each) for each in node.body]
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            # What its innermost loop looks at.
            innermost = node.generators[-1]
            if innermost.ifs:
                innermost.ifs[0] = _call(innermost.ifs[0], "__item__")
            elif isinstance(node, ast.DictComp):
                node.key = _call(node.key, "__item__")
            else:
                node.elt = _call(node.elt, "__item__")
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                setattr(node, name, [_counting(len(block), block[0]), *block])
        return node

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


def _call(node: ast.expr, name: str = "__charged__") -> ast.expr:
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [node], []), node)


def _counting(number: int, first: ast.stmt) -> ast.stmt:
    [statement] = ast.parse(f"__counts__.lines += {number}.0").body
    return ast.copy_location(statement, first)


COUNTERS = {"__charged__": _charged, "__item__": _item, "__counts__": COUNTS}
"""The names that a copy needs."""


@cache  # both files of growth tests copy the same modules
def charged_code(source: str | bytes, path: str) -> CodeType:
    """The code of a copy."""
    return compile(ast.fix_missing_locations(_Charging().visit(ast.parse(source))), path, "exec")


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        return charged_code(self.get_data(self.path), self.path)

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(COUNTERS)
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
