"""Small faults that can be put into a module of statistics, section or report: found in its syntax
tree.

A fault is one change of one node: two arguments swapped, a sign or a side flipped, a mean for a
median, a key or a name of another row, an index or a range off by one. `faults_of` lists every
place of a file; `broken` returns the function's code with one of them in it.
"""

import ast
import copy
import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

Change: TypeAlias = Callable[[Any], None]

SIDES: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.Gt, ast.LtE),
    ast.LtE: (ast.GtE, ast.Lt),
    ast.Gt: (ast.Lt, ast.GtE),
    ast.GtE: (ast.LtE, ast.Gt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
TWINS = (
    ("min", "max"),
    ("nanmin", "nanmax"),
    ("minimum", "maximum"),
    ("argmin", "argmax"),
    ("any", "all"),
    ("mean", "median"),
    ("nanmean", "nanmedian"),
    ("low", "high"),
    ("left", "right"),
    ("less", "greater"),
    ("lowest", "highest"),
    ("floor", "ceil"),
    ("expected", "returned"),
    ("mean_expected", "mean_returned"),
    ("as_released", "by_protocol"),
    ("said", "counted"),
    ("unit_means", "unit_medians"),
    ("z_scores", "min_max"),
    ("min_max", "rank_scores"),
)
TWIN = {one: two for pair in TWINS for one, two in (pair, pair[::-1])}
# The order of their arguments changes nothing. The built-in `min` and `max` are not among them:
# with "not a number" their order decides.
SYMMETRIC = (
    "np.maximum",
    "np.minimum",
    "np.hypot",
    "np.array_equal",
    "math.isclose",
    "math.hypot",
    "lcm",
)
# Another one, not the same one counted from the end: arrays have up to three.
ANOTHER_AXIS = {0: 1, 1: 0, 2: 1, -1: 0, -2: -1}
SHARED = ("campaign", "protocol", "slots", "questions", "metrics")  # of `said` and `counted`
WITHOUT_EFFECT = (
    "strict",
    "kind",
    "ignore_index",
    "drop",
    "method",
    "reason",
    "words",
    "name",
    "title",
    "key",
)


@dataclass(frozen=True)
class Fault:
    """One fault: its place, its kind, and the line before and after."""

    path: Path
    line: int
    function: str  # dotted name inside the module; empty at module level
    kind: str
    before: str
    after: str
    node: int  # number of the node in the order of `ast.walk`
    change: Change

    def __str__(self) -> str:
        where = f"{self.path}:{self.line} {self.function or '(module)'}"
        return f"{where} [{self.kind}] {self.before}  ->  {self.after}"


def faults_of(path: Path, root: Path) -> list[Fault]:
    """Return every fault that can be put into a file."""
    tree = ast.parse((root / path).read_text())
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    found = []
    for node, function, own in _changeable(tree):
        for kind, change in _changes(node, own):
            before, twin = ast.unparse(node), copy.deepcopy(node)
            change(twin)
            after = ast.unparse(twin)
            if after != before:
                number = numbers[id(node)]
                found.append(
                    Fault(path, node.lineno, function, kind, before, after, number, change)
                )
    return found


def chosen(faults: Sequence[Fault], number: int, seed: int) -> list[Fault]:
    """Draw faults at random, as many of each kind as there are, at most one of a kind on a line.

    They come kind by kind in turn, so that the first of them are a fair draw too.
    """
    order = list(faults)
    random.Random(seed).shuffle(order)
    once = {(fault.path, fault.line, fault.kind): fault for fault in order}
    kinds: dict[str, list[Fault]] = {}
    for fault in once.values():
        kinds.setdefault(fault.kind, []).append(fault)
    turns = itertools.zip_longest(*(kinds[kind] for kind in sorted(kinds)))
    return [fault for turn in turns for fault in turn if fault is not None][:number]


def broken(fault: Fault, root: Path) -> ast.Module:
    """Return the module's tree with the fault in it."""
    tree = ast.parse((root / fault.path).read_text())
    fault.change(tree if fault.node < 0 else _node(tree, fault.node))
    return ast.fix_missing_locations(tree)


def _node(tree: ast.Module, number: int) -> ast.AST:
    return next(node for place, node in enumerate(ast.walk(tree)) if place == number)


@dataclass
class _Own:
    """Names that a function uses, for faults that replace one by another."""

    keys: list[str]  # constants by which it looks things up
    attributes: dict[str, list[str]]  # attributes read of each name
    arguments: list[str]
    module: bool = False


def _changeable(tree: ast.Module) -> Iterator[tuple[Any, str, _Own]]:
    """Yield the nodes that a fault may change, with their function."""

    def inside(node: ast.AST, function: str, own: _Own) -> Iterator[tuple[Any, str, _Own]]:
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_comment", "exc", "bases"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or _mute(child):
                    continue
                if isinstance(child, ast.FunctionDef):
                    dotted = f"{function}.{child.name}".lstrip(".")
                    yield from inside(child, dotted, _own(child))
                elif isinstance(child, ast.ClassDef):
                    yield from inside(child, f"{function}.{child.name}".lstrip("."), own)
                else:
                    if hasattr(child, "lineno") and not _cannot_matter(node, child):
                        yield child, function, own
                    yield from inside(child, function, own)

    yield from inside(tree, "", _Own([], {}, [], module=True))


def _cannot_matter(node: ast.AST, child: ast.AST) -> bool:
    """Return whether no fault of a part of a node can change a result.

    The order of a tuple or list that is only tested for membership does not matter, nor that of the
    axes of a sum. `inputs.said` and `inputs.counted` differ only in their judgments.
    """
    if isinstance(node, ast.keyword) and node.arg == "axis":
        return isinstance(child, ast.Tuple)
    if isinstance(node, ast.Compare):
        sought = isinstance(node.ops[-1], ast.In | ast.NotIn) and child is node.comparators[-1]
        return sought and isinstance(child, ast.Tuple | ast.List)
    shared = isinstance(node, ast.Attribute) and node.attr in SHARED
    return shared and ast.unparse(child) in ("inputs.said", "inputs.counted")


def _mute(node: ast.AST) -> bool:
    """Return whether a node holds only words: docstrings, imports, errors, type aliases, formatted
    text."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.AnnAssign) and "TypeAlias" in ast.unparse(node.annotation):
        return True
    if isinstance(node, ast.keyword) and node.arg in WITHOUT_EFFECT:
        return True
    return isinstance(node, ast.Import | ast.ImportFrom | ast.Raise | ast.arguments)


def _own(function: ast.FunctionDef) -> _Own:
    keys, attributes = [], {}
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            if isinstance(node.slice.value, str) and node.slice.value not in keys:
                keys.append(node.slice.value)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            seen = attributes.setdefault(node.value.id, [])
            if node.attr not in seen:
                seen.append(node.attr)
    arguments = [
        each.arg for each in (*function.args.args, *function.args.kwonlyargs) if each.arg != "self"
    ]
    return _Own(keys, attributes, arguments)


def _changes(node: Any, own: _Own) -> Iterator[tuple[str, Change]]:
    """Yield the faults of one node."""
    if own.module:
        yield from _of_tables(node)
        return
    yield from _of_operators(node)
    yield from _of_order(node)
    yield from _of_names(node, own)
    yield from _of_places(node)


def _set(field: str, value: Any) -> Change:
    return lambda node: setattr(node, field, value)


def _swap(field: str, one: int, two: int, inner: str = "") -> Change:
    def change(node: Any) -> None:
        held = getattr(node, field)
        if inner:
            first, second = getattr(held[one], inner), getattr(held[two], inner)
            setattr(held[one], inner, second)
            setattr(held[two], inner, first)
        else:
            held[one], held[two] = held[two], held[one]

    return change


def _swap_fields(one: str, two: str) -> Change:
    def change(node: Any) -> None:
        first, second = getattr(node, one), getattr(node, two)
        setattr(node, one, second)
        setattr(node, two, first)

    return change


def _of_operators(node: Any) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.Compare):
        for place, old in enumerate(node.ops):
            for new in SIDES.get(type(old), ()):
                yield "comparison", lambda n, place=place, new=new: n.ops.__setitem__(place, new())
    if isinstance(node, ast.BinOp) and not _is_text(node.left) and not _is_text(node.right):
        if new := OPERATORS.get(type(node.op)):
            yield "sign", _set("op", new())
        if isinstance(node.op, ast.Sub | ast.Div):
            yield "order", _swap_fields("left", "right")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", _set("op", ast.UAdd())
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "logic", lambda n: setattr(n, "operand", ast.UnaryOp(ast.Not(), n.operand))
    if isinstance(node, ast.BoolOp):
        yield "logic", _set("op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
    if isinstance(node, ast.IfExp):
        yield "logic", _swap_fields("body", "orelse")
    if isinstance(node, ast.If | ast.comprehension) and not isinstance(node, ast.comprehension):
        yield "logic", lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))


def _of_order(node: Any) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.Call):
        plain = [each for each in node.args if not isinstance(each, ast.Starred)]
        if len(plain) == len(node.args) and not _is_symmetric(node):
            for place in range(len(plain) - 1):
                yield "arguments", _swap("args", place, place + 1)
        named = [
            place
            for place, each in enumerate(node.keywords)
            if each.arg and each.arg not in WITHOUT_EFFECT
        ]
        for one, two in itertools.pairwise(named):
            if not _is_equal(node.keywords[one].value, node.keywords[two].value):
                yield "keywords", _swap("keywords", one, two, inner="value")
    if isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load):
        for place in range(len(node.elts) - 1):
            yield "order", _swap("elts", place, place + 1)
    if isinstance(node, ast.Dict) and all(node.keys):
        for place in range(len(node.keys) - 1):
            yield "entries", _swap("values", place, place + 1)


def _of_names(node: Any, own: _Own) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.Name) and node.id in TWIN and isinstance(node.ctx, ast.Load):
        if node.id not in (
            "low",
            "high",
            "left",
            "right",
            "said",
            "counted",
            "expected",
            "returned",
        ):
            yield "twin", _set("id", TWIN[node.id])
    if isinstance(node, ast.Attribute):
        if node.attr in TWIN:
            yield "twin", _set("attr", TWIN[node.attr])
        if isinstance(node.value, ast.Name):
            others = own.attributes.get(node.value.id, [])
            if (
                node.value.id not in ("np", "pd", "self", "stats", "special", "linalg")
                and len(others) > 1
            ):
                other = others[(others.index(node.attr) + 1) % len(others)]
                yield "attribute", _set("attr", other)
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in TWIN:
        yield "twin", _set("value", TWIN[node.value])
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        if node.slice.value in own.keys and len(own.keys) > 1:
            other = own.keys[(own.keys.index(node.slice.value) + 1) % len(own.keys)]
            yield "key", lambda n, other=other: setattr(n.slice, "value", other)
    if isinstance(node, ast.Call):
        for place, each in enumerate(node.args):
            if isinstance(each, ast.Name) and each.id in own.arguments and len(own.arguments) > 1:
                other = own.arguments[(own.arguments.index(each.id) + 1) % len(own.arguments)]
                yield (
                    "name",
                    lambda n, place=place, other=other: setattr(n.args[place], "id", other),
                )


def _of_places(node: Any) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        yield (
            "range",
            lambda n: n.args.__setitem__(-1, ast.BinOp(n.args[-1], ast.Sub(), ast.Constant(1))),
        )
    if isinstance(node, ast.Slice):
        for side in ("lower", "upper"):
            if isinstance(getattr(node, side), ast.Constant):
                value = getattr(node, side).value
                yield "index", _set(side, ast.Constant(value + 1))
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant | ast.UnaryOp):
        if isinstance(node.slice, ast.UnaryOp):
            yield "index", lambda n: setattr(n, "slice", ast.Constant(0))
        elif type(node.slice.value) is int:
            yield "index", lambda n: setattr(n, "slice", ast.Constant(n.slice.value + 1))
    if isinstance(node, ast.keyword) and isinstance(node.value, ast.Constant):
        value = node.value.value
        if node.arg == "axis" and type(value) is int:
            yield "axis", lambda n: setattr(n.value, "value", ANOTHER_AXIS[n.value.value])
        elif isinstance(value, bool):
            yield "constant", lambda n: setattr(n.value, "value", not n.value.value)
    if isinstance(node, ast.BinOp | ast.Compare):
        for field in ("left", "right"):
            each = getattr(node, field, None)
            if isinstance(each, ast.Constant) and type(each.value) in (int, float):
                yield (
                    "constant",
                    lambda n, field=field: setattr(
                        getattr(n, field), "value", getattr(n, field).value + 1
                    ),
                )


def _of_tables(node: Any) -> Iterator[tuple[str, Change]]:
    """Yield faults of module-level tables: entries of a dict swapped."""
    if isinstance(node, ast.Dict) and all(node.keys):
        for place in range(len(node.keys) - 1):
            yield "entries", _swap("values", place, place + 1)


def _is_symmetric(call: ast.Call) -> bool:
    """Return whether the order of a call's arguments does not matter, as for whole numbers in
    `max`."""
    name = ast.unparse(call.func)
    return name in SYMMETRIC or (name in ("min", "max") and all(map(_is_whole, call.args)))


def _is_whole(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in ("int", "len")
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)


def _is_equal(one: ast.expr, other: ast.expr) -> bool:
    """Return whether two constants are the same number, as 1 and True are."""
    both = isinstance(one, ast.Constant) and isinstance(other, ast.Constant)
    return both and bool(one.value == other.value)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr | ast.List | ast.ListComp) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
