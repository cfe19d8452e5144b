"""Faults put into statistics, sections and the writing of tables, one at a time, and the tests that
notice them.

    .venv/bin/python bench/mutants.py --named              the kinds of faults that tests must notice
    .venv/bin/python bench/mutants.py --number 250         faults drawn at random from all that can be made
    .venv/bin/python bench/mutants.py --wiring --number 60 --seed 2
                                                           ... on lines that pass a result to a page
    .venv/bin/python bench/mutants.py --files 'packages/quaestor-stats/src/quaestor_stats/_c*.py' --number 40 --seed 2

One process imports everything, prepares PostgreSQL and runs the tests once without a fault, noting
which functions each test goes through. For every fault it forks a child that puts the broken code
in place of the function's (`__code__`, so that it does not matter who imported it how), and runs
the tests that go through it until one fails, the quick ones first. A fault that no test notices
survives, and is listed.
"""

import argparse
import ast
import contextlib
import functools
import gc
import json
import os
import re
import resource
import select
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import pytest  # noqa: E402
from scipy.stats import binomtest  # noqa: E402

from bench.mutations import Change, Fault, broken, chosen, faults_of  # noqa: E402

PAGES = (
    "analysis/sections/*.py",
    "analysis/sections/*/*.py",
    "analysis/planning/reports/heds.py",
    *(
        f"analysis/reports/{name}.py"
        for name in (
            "cells",
            "charts",
            "latex",
            "layout",
            "numerals",
            "rows",
            "table_engine",
            "tables",
            "text_tables",
        )
    ),
)
MUTATED = (*PAGES, "packages/quaestor-stats/src/quaestor_stats/*.py")
# Names by which a p, an interval, an estimate or a unit is passed on
OF_RESULTS = re.compile(
    r"\b(p|pvalue|p_\w+|low|high|ci|\w*intervals?|df|n|value|values|estimate|floor|margin"
    r"|units?|cluster_unit|clusters?|sources?|systems?|annotators?)\b"
)
OF_WHOLE_NODE = ("arguments", "keywords", "order", "entries")  # kinds that swap parts of a node
TESTS = (
    "packages/quaestor-stats/tests",
    "tests/analysis/sections",
    "tests/analysis/golden",
    "tests/analysis/reports",
    "tests/analysis/management",
    "tests/analysis/runs/test_adjudication.py",
    "tests/analysis/runs/test_checks.py",
    "tests/analysis/runs/test_erasures.py",
    "tests/analysis/runs/test_erasures_at_once.py",
    "tests/analysis/runs/views/test_further.py",
    "tests/analysis/published/views/test_repeatability.py",
    "tests/analysis/runs/views/test_reports.py",
    "tests/analysis/runs/views/test_side_by_side.py",
    "tests/published/test_protocol_qgstec2010.py",
)
GOLDEN = "tests/analysis/golden/"
LEFT_OUT = (
    "test_package_runs_without_django",
    "test_script_runs_in_r",
    "test_faults_in_statistics_are_noticed",
)
MOST_BROKEN = 40  # figures and PDFs are drawn empty, so their own tests fail
LONGEST = 8.0  # seconds of the processor that a test may take to be run for faults
ENDLESS = 240  # seconds of the processor after which a fault counts as noticed: it never ends
PATIENCE = 1800  # seconds on the clock after which a fault counts as not tried: it hangs


@dataclass
class Plan:
    """Settings and results of a run of this bench."""

    faults: list[Fault]
    workers: int
    tests: dict[str, str] = field(default_factory=dict)  # the test that a named fault must fail
    killed: dict[str, str] = field(default_factory=dict)  # the test that noticed each fault
    survived: list[Fault] = field(default_factory=list)
    undefined: list[Fault] = field(default_factory=list)
    # the bench failed, not a test: counted as neither
    invalid: list[Fault] = field(default_factory=list)
    broken_tests: list[str] = field(default_factory=list)


class Mutants:
    """A plugin that runs the tests once, and then again for each fault, in children."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.hits: dict[str, set[str]] = {}  # functions that a test goes through
        self.seconds: dict[str, float] = {}
        # what a module's lasting fixtures go through
        self.shared: dict[str, set[str]] = defaultdict(set)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.name not in LEFT_OUT]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = [item for item in session.items if not any(item.iter_markers("browser"))]
        self._baseline(items)
        self.database = ""
        if any(item.get_closest_marker("django_db") for item in items):
            self._databases()
        self._all(items)
        return True

    def _baseline(self, items: Sequence[pytest.Item]) -> None:
        """Run every test without a fault, noting time and functions."""
        hits: set[str] = set()
        cached = _cached(MUTATED)
        with instrumented(hits):
            for item, following in zip(items, [*items[1:], items[0]], strict=True):
                hits.clear()
                for each in cached:  # what an earlier test left there would hide a function
                    each.cache_clear()
                begun = time.process_time()
                reports = _reports(item, following)
                self.seconds[item.nodeid] = time.process_time() - begun
                self.hits[item.nodeid] = set(hits)
                if any(report.failed for report in reports):
                    self.plan.broken_tests.append(item.nodeid)
                    print(
                        f"fails without a fault: {item.nodeid}",
                        *[str(each.longrepr)[-400:] for each in reports if each.failed],
                    )
                if len(self.plan.broken_tests) > MOST_BROKEN:
                    sys.exit(
                        "Too many tests fail without a fault: a share of faults noticed would say nothing."
                    )
                if _is_lasting(item):
                    self.shared[item.nodeid.partition("::")[0]] |= hits
        for item in items:
            if _is_lasting(item):
                self.hits[item.nodeid] |= self.shared[item.nodeid.partition("::")[0]]
        total = sum(self.seconds.values())
        print(f"{len(items)} tests without a fault: {total:.0f} s", flush=True)

    def _databases(self) -> None:
        """Copy the tests' database for each worker."""
        import psycopg2
        from django.db import connection, connections

        connections.close_all()
        self.database = str(connection.settings_dict["NAME"])
        server = psycopg2.connect(_cluster().url("postgres"))
        server.autocommit = True
        with server.cursor() as cursor:
            for worker in range(self.plan.workers):
                cursor.execute(
                    f'CREATE DATABASE "{self.database}_{worker}" TEMPLATE "{self.database}"'
                )
        server.close()

    def _all(self, items: Sequence[pytest.Item]) -> None:
        tests = _Tests(items, self.hits, self.seconds, set(self.plan.broken_tests))
        waiting, running = list(reversed(self.plan.faults)), {}
        free = list(range(self.plan.workers))
        while waiting or running:
            while waiting and free:
                fault = waiting.pop()
                wanted = self.plan.tests.get(str(fault))
                chosen_tests = (
                    [i for i in tests.items if i.nodeid == wanted] if wanted else tests.of(fault)
                )
                if not chosen_tests:
                    self.plan.undefined.append(fault)
                    print(f"no test goes through {fault}", flush=True)
                    continue
                worker = free.pop()
                child, pipe = self._forked(fault, chosen_tests, worker)
                running[pipe] = (fault, child, worker, time.monotonic())
            ready, _, _ = select.select(list(running), [], [], 1) if running else ([], [], [])
            late = [
                pipe for pipe, (*_, since) in running.items() if time.monotonic() - since > PATIENCE
            ]
            for pipe in {*ready, *late}:
                fault, child, worker, _ = running.pop(pipe)
                told = "" if pipe not in ready else os.read(pipe, 100_000).decode()
                os.close(pipe)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
                status = os.waitpid(child, 0)[1]
                if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
                    told = "computes without end"
                elif pipe not in ready:
                    told = "invalid: it stands still"
                free.append(worker)
                self._note(fault, told)

    def _note(self, fault: Fault, told: str) -> None:
        if told.startswith("survived"):
            self.plan.survived.append(fault)
            print(f"SURVIVED {fault}  ({told})", flush=True)
        elif told.startswith("invalid"):
            self.plan.invalid.append(fault)
            print(f"{told} {fault}", flush=True)
        else:
            self.plan.killed[str(fault)] = told or "the process ended"
        done = len(self.plan.killed) + len(self.plan.survived) + len(self.plan.invalid)
        if done % 25 == 0:
            print(
                f"{done} of {len(self.plan.faults)}, {len(self.plan.survived)} survived",
                flush=True,
            )

    def _forked(self, fault: Fault, items: Sequence[pytest.Item], worker: int) -> tuple[int, int]:
        reading, writing = os.pipe()
        sys.stdout.flush()
        child = os.fork()
        if child:
            os.close(writing)
            return child, reading
        os.close(reading)
        told = "the process ended"
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (ENDLESS, ENDLESS + 5))
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            told = self._verdict(fault, items, worker)
        except BaseException as error:
            told = f"invalid: {error!r}"
        finally:
            os.write(writing, told.encode()[:60_000])
            os._exit(0)

    def _verdict(self, fault: Fault, items: Sequence[pytest.Item], worker: int) -> str:
        """Put the fault in place and return the test that notices it; called in a child."""
        from django.db import connection

        if self.database:
            connection.settings_dict["NAME"] = f"{self.database}_{worker}"
        inject(fault)
        begun = time.monotonic()
        for item, following in zip(items, [*items[1:], None], strict=True):
            if following is not None and not _is_lasting(item):
                item.session._setupstate.teardown_exact(item)
            if any(report.failed for report in _reports(item, following or item)):
                return item.nodeid
        return f"survived {len(items)} tests in {time.monotonic() - begun:.0f} s"


class _Tests:
    """The tests that execute each function, quick ones first."""

    def __init__(
        self,
        items: Sequence[pytest.Item],
        hits: dict[str, set[str]],
        seconds: dict[str, float],
        broken_tests: set[str],
    ) -> None:
        self.items = [item for item in items if item.nodeid not in broken_tests]
        self.hits, self.seconds = hits, seconds
        self.modules: dict[str, float] = defaultdict(float)
        for item in self.items:
            self.modules[item.nodeid.partition("::")[0]] += seconds[item.nodeid]

    def of(self, fault: Fault) -> list[pytest.Item]:
        """Return the tests that go through a fault's function; those that use the module for a
        table at its head."""
        wanted = {f"{fault.path}:{fault.function}"} if fault.function else users_of(fault)
        found = [
            item
            for item in self.items
            if self.hits[item.nodeid] & wanted
            and (self.seconds[item.nodeid] < LONGEST or _is_lasting(item))
        ]
        plain = [item for item in found if not _is_lasting(item)]
        lasting = [item for item in found if _is_lasting(item)]
        plain.sort(key=lambda item: self.seconds[item.nodeid])
        lasting.sort(
            key=lambda item: (
                self.modules[item.nodeid.partition("::")[0]],
                item.nodeid.partition("::")[0],
            )
        )
        return [*plain, *_about(fault, lasting)]


def _about(fault: Fault, items: list[pytest.Item]) -> list[pytest.Item]:
    """Return tests with those of the section that a fault is in before the other tests of golden
    studies."""

    def elsewhere(item: pytest.Item) -> bool:
        about = getattr(item.module, "ABOUT", {}).get(item.originalname, ())
        return item.nodeid.startswith(GOLDEN) and fault.path.stem not in about

    return sorted(items, key=elsewhere)


def _is_lasting(item: pytest.Item) -> bool:
    return "lasting" in getattr(item, "fixturenames", ())


def _reports(item: pytest.Item, following: pytest.Item | None) -> list[pytest.TestReport]:
    from _pytest.runner import runtestprotocol

    return runtestprotocol(item, nextitem=following, log=False)


def _cluster() -> Any:
    from tests import conftest

    return conftest.CLUSTER


@functools.cache
def files(patterns: tuple[str, ...] = MUTATED) -> tuple[Path, ...]:
    """Return the files that faults are put into."""
    every = sorted({path.relative_to(ROOT) for pattern in MUTATED for path in ROOT.glob(pattern)})
    return tuple(path for path in every if any(fnmatch(str(path), pattern) for pattern in patterns))


def passes_result(fault: Fault) -> bool:
    """Return whether a fault is on a line that passes a p, an interval, an estimate or a unit on."""
    line = (ROOT / fault.path).read_text().splitlines()[fault.line - 1]
    text = fault.before if fault.kind in OF_WHOLE_NODE else line
    return bool(OF_RESULTS.search(text))


@functools.cache
def _functions() -> dict[tuple[str, int, str], list[FunctionType]]:
    """Return all living functions of the mutated files, by file, line and name."""
    own = {str(ROOT / path): str(path) for path in files()}
    found: dict[tuple[str, int, str], list[FunctionType]] = defaultdict(list)
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename in own:
            code = each.__code__
            found[own[code.co_filename], code.co_firstlineno, code.co_qualname].append(each)
    return found


def _codes(tree: ast.Module, path: Path) -> dict[tuple[str, int, str], CodeType]:
    module = compile(tree, str(ROOT / path), "exec")
    return {(str(path), code.co_firstlineno, code.co_qualname): code for code in _every(module)}


def _every(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _every(each)


@contextlib.contextmanager
def instrumented(hits: set[str]) -> Iterator[None]:
    """Have every function note in `hits` that it was called, while the block runs."""
    before: list[tuple[FunctionType, CodeType]] = []
    for path in files():
        tree = _Noting(str(path)).visit(ast.parse((ROOT / path).read_text()))
        for where, code in _codes(ast.fix_missing_locations(tree), path).items():
            for function in _functions().get(where, ()):
                if function.__code__.co_freevars == code.co_freevars:
                    before.append((function, function.__code__))
                    function.__globals__["__noted__"] = hits.add
                    function.__code__ = code
    try:
        yield
    finally:
        for function, code in before:
            function.__code__ = code


class _Noting(ast.NodeTransformer):
    """Puts a call at the head of every function and method; what is inside a function counts as the
    function."""

    def __init__(self, path: str) -> None:
        self.path, self.names = path, []

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.names.append(node.name)
        self.generic_visit(node)
        self.names.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.names.append(node.name)
        self.generic_visit(node)
        dotted = f"{self.path}:{'.'.join(self.names)}"
        self.names.pop()
        node.body.insert(
            0, ast.Expr(ast.Call(ast.Name("__noted__", ast.Load()), [ast.Constant(dotted)], []))
        )
        for inner in ast.walk(node.body[0]):
            ast.copy_location(inner, node)
        return node


def inject(fault: Fault) -> None:
    """Put a fault in place in this process."""
    for each in _cached():
        each.cache_clear()
    tree = broken(fault, ROOT)
    if not fault.function:
        _inject_table(fault, tree)
        return
    changed = 0
    for where, code in _codes(tree, fault.path).items():
        for function in _functions().get(where, ()):
            if function.__code__ != code:
                function.__code__ = code
                changed += 1
    if not changed:
        raise LookupError("no living function was changed")


def _inject_table(fault: Fault, tree: ast.Module) -> None:
    """Change a module-level table in place, so that modules that imported it see the change."""
    in_library = str(fault.path.with_suffix("")).rpartition("/src/")[2]
    module = sys.modules[in_library.replace("/", ".").removesuffix(".__init__")]
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.lineno <= fault.line <= (
            statement.end_lineno or statement.lineno
        ):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            held = getattr(module, ast.unparse(target))
            code = compile(ast.Expression(statement.value), "<fault>", "eval")  # type: ignore[arg-type]
            value = eval(code, dict(vars(module)))
            if isinstance(held, dict):
                held.clear()
                held.update(value)
                return
    raise LookupError("no table at the head of the module was changed")


def users_of(fault: Fault) -> set[str]:
    """Return the functions that name the table that a fault is in."""
    source = ast.parse((ROOT / fault.path).read_text())
    names = {
        ast.unparse(statement.targets[0] if isinstance(statement, ast.Assign) else statement.target)
        for statement in source.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        and statement.lineno <= fault.line <= (statement.end_lineno or statement.lineno)
    }
    found = set()
    for (path, _, qualname), functions in _functions().items():
        for code in (functions[0].__code__, *_every(functions[0].__code__)):
            if names & set(code.co_names):
                found.add(f"{path}:{qualname.partition('.<locals>')[0]}")
    return found


def _cached(patterns: Sequence[str] = ("analysis/*", "packages/*")) -> list[Any]:
    """Return the caches of functions in these files."""
    wanted = tuple(f"{ROOT}/{pattern}" for pattern in patterns)
    return [
        each
        for each in gc.get_objects()
        if type(each) is functools._lru_cache_wrapper
        and any(fnmatch(_file_of(each.__wrapped__), path) for path in wanted)
    ]


def _file_of(function: Any) -> str:
    code = getattr(function, "__code__", None)  # what is cached may be a class
    return code.co_filename if code else ""


def run(plan: Plan, tests: Sequence[str]) -> None:
    """Run the tests for every fault of the plan."""
    os.chdir(ROOT)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import hypothesis

    from tests import conftest  # noqa: F401  sets the environment of the tests

    # a found fault needs no smaller example
    phases = (
        hypothesis.Phase.explicit,
        hypothesis.Phase.generate,
    )
    hypothesis.settings.register_profile(
        "mutants", deadline=None, database=None, derandomize=True, phases=phases
    )
    hypothesis.settings.load_profile("mutants")
    _draw_nothing()
    present = [test for test in tests if (ROOT / test.partition("::")[0]).exists()]
    pytest.main(
        [
            "-q",
            "-s",
            "-c",  # the libraries have settings of their own, which would make their folder the root
            str(ROOT / "pyproject.toml"),
            "-p",
            "no:cacheprovider",
            "--no-header",
            "-W",
            "ignore::pytest.PytestAssertRewriteWarning",
            *present,
        ],
        plugins=[Mutants(plan)],
    )


def _draw_nothing() -> None:
    """Make charts and PDFs empty: the threads of the drawing libraries do not exist in a forked
    child.

    A call that waited for such a thread would hang, and no test would end, whatever the fault.
    """
    from analysis.reports import charts, typeset

    empty = b"<svg xmlns='http://www.w3.org/2000/svg'></svg>"
    charts.svg = lambda draw, title: {"light": empty, "dark": empty}
    typeset.typeset_report = lambda *given, **options: b"%PDF"
    typeset.print_figures = lambda figures: {}


def named(*, without_database: bool = False) -> Plan:
    """Return the named faults, each a change of a file's text, as faults like the
    others."""
    from bench.named_faults import NAMED

    faults, tests = [], {}
    for each in NAMED:
        if without_database and not each.test.startswith("packages/quaestor-stats/tests/"):
            continue
        path, source = Path(each.path), (ROOT / each.path).read_text()
        if source.count(each.before) != 1:
            raise LookupError(
                f"{each.kind}: {each.before!r} stands {source.count(each.before)} times in {each.path}"
            )
        line = source[: source.index(each.before)].count("\n") + 1
        text = source.replace(each.before, each.after)
        fault = Fault(
            path,
            line,
            _function_at(source, line),
            each.kind,
            each.before,
            each.after,
            -1,
            _whole(text),
        )
        faults.append(fault)
        tests[str(fault)] = each.test
    return Plan(faults, 1, tests)


def _whole(text: str) -> Change:
    """Return a change of a whole module into that of another text."""
    return lambda tree: setattr(tree, "body", ast.parse(text).body)


def _function_at(source: str, line: int) -> str:
    """Return the dotted name of the function around a line; empty at the head of a module."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.lineno <= line <= (
            node.end_lineno or 0
        ):
            names.append(node.name)
    return ".".join(names)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--files", nargs="*", default=list(MUTATED), help="patterns of files to put faults into"
    )
    parser.add_argument(
        "--wiring",
        action="store_true",
        help="of sections and reports, only lines that pass a p, an interval or a unit on",
    )
    parser.add_argument("--tests", nargs="*", default=list(TESTS), help="tests to run")
    parser.add_argument("--number", type=int, default=250, help="how many faults to draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument(
        "--write", type=Path, help="where to write what became of each fault, as JSON"
    )
    parser.add_argument(
        "--named",
        action="store_true",
        help="the kinds that tests must notice, each with its test",
    )
    parser.add_argument(
        "--without-database", action="store_true", help="of those, the ones whose test needs none"
    )
    options = parser.parse_args()
    begun = time.monotonic()
    if options.named:
        plan = named(without_database=options.without_database)
        run(plan, sorted(set(plan.tests.values())))
        report(plan, time.monotonic() - begun)
        return (
            0 if not (plan.survived or plan.undefined or plan.invalid or plan.broken_tests) else 1
        )
    patterns = PAGES if options.wiring else tuple(options.files)
    every = [fault for path in files(patterns) for fault in faults_of(path, ROOT)]
    if options.wiring:
        every = list(filter(passes_result, every))
    drawn = chosen(every, options.number, options.seed)
    print(f"{len(drawn)} of {len(every)} faults, seed {options.seed}", flush=True)
    plan = Plan(drawn, options.workers)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended early, it still reports
    run(plan, options.tests)
    report(plan, time.monotonic() - begun)
    if options.write:
        found = {
            "noticed": plan.killed,
            "survived": [str(fault) for fault in plan.survived],
            "no test goes through": [str(fault) for fault in plan.undefined],
            "could not be tried": [str(fault) for fault in plan.invalid],
        }
        options.write.write_text(json.dumps(found, indent=1))
    return 0 if not (plan.survived or plan.undefined or plan.invalid) else 1


def report(plan: Plan, seconds: float) -> None:
    """Print what became of the faults."""
    if plan.broken_tests:
        print(f"\nnot counted, as they fail without a fault: {plan.broken_tests}")
    print("\nSurvivors")
    for fault in plan.survived:
        print(f"  {fault}")
    print("No test goes through")
    for fault in plan.undefined:
        print(f"  {fault}")
    alive = len(plan.survived) + len(plan.undefined)
    total = len(plan.killed) + alive
    kinds = Counter(fault.kind for fault in (*plan.survived, *plan.undefined))
    low, high = binomtest(len(plan.killed), max(total, 1)).proportion_ci(method="wilson")
    print(
        f"\n{len(plan.killed)} of {total} faults noticed ({len(plan.killed) / max(total, 1):.1%},"
        f" 95 % interval {low:.1%} to {high:.1%}) in {seconds:.0f} s"
    )
    print("survivors by kind:", dict(kinds))
    if plan.invalid:
        print(f"{len(plan.invalid)} more could not be tried")


if __name__ == "__main__":
    sys.exit(main())
