"""A plug-in as other people write it: a package of its own, really installed, found by its entry
point."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import quaestor_metrics

ROOT = Path(__file__).resolve().parents[3]
SOURCES = Path(quaestor_metrics.__file__).parents[1]
PACKAGES = (
    Path(__file__).parent / "example_plugin",
    ROOT / "docs" / "examples" / "neural_metrics",
)
ASK = """
import json
from quaestor_metrics import Registry, ScoredQuestion, ScoredSet, score_items
registry = Registry()
entries = {entry.id: [entry.origin, entry.reason] for entry in registry.list_metrics()}
questions = [ScoredQuestion("a b c", ("x", "a b d")), ScoredQuestion("", ("a",)), ScoredQuestion("a")]
one = score_items(registry.get("shared_words"), questions)
pairs = score_items(registry.get("multi_shared_words"), [ScoredSet(("a", "b"), ("a", "b", "c"))])
values = [result.value for result in [*one, *pairs]]
variants = registry.variants("shared_words")
print(json.dumps({"entries": entries, "values": values, "variants": variants}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the two example packages in it, and beside them one whose entry point leads
    nowhere."""
    uv = ROOT / ".environments" / "tools" / "bin" / "uv"
    found = str(uv) if uv.exists() else shutil.which("uv")
    if found is None:
        pytest.skip("uv, which installs the example packages, is not there")
    target = tmp_path_factory.mktemp("installed")
    command = [found, "pip", "install", "--offline", "--no-cache", "--no-deps", "--quiet"]
    subprocess.run(
        [*command, "--python", sys.executable, "--target", str(target), *map(str, PACKAGES)],
        check=True,
        cwd=target,
    )
    broken = target / "broken_words-2.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-words\nVersion: 2.0\n")
    (broken / "entry_points.txt").write_text(
        "[quaestor.metrics]\nbroken_words = no_such_module:Metric\n"
    )
    return target


def run(installed: Path, *arguments: str) -> str:
    environment = os.environ | {
        "PYTHONPATH": f"{SOURCES}{os.pathsep}{installed}",
    }
    ran = subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=installed, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def found(installed: Path) -> dict[str, Any]:
    """What a program sees that has the packages installed."""
    answer: dict[str, Any] = json.loads(run(installed, "-c", ASK))
    return answer


def test_an_installed_package_is_listed_scored_and_composed(found: dict[str, Any]) -> None:
    assert found["entries"]["shared_words"] == ["quaestor-shared-words 1.0", ""]
    assert {"q", "p", "r", "f", "multi"} <= set(found["variants"])
    assert found["values"] == [0.5, 0.0, None, 0.8]


def test_neural_metrics_are_registered_and_say_what_they_lack(found: dict[str, Any]) -> None:
    ids = {"bartscore", "bartscore_source", "qrelscore", "rquge", "unieval", "summac_zs", "qascore"}
    entries = {id: found["entries"][id] for id in ids}
    assert {origin for origin, _ in entries.values()} == {"quaestor-neural-metrics 1.0"}
    for _, reason in entries.values():
        assert "torch and transformers are not installed" in reason or "set QUAESTOR_" in reason


def test_a_broken_package_is_listed_with_its_reason_beside_it(found: dict[str, Any]) -> None:
    origin, reason = found["entries"]["broken_words"]
    assert origin == "broken-words 2.0"
    assert reason.startswith("does not load: ModuleNotFoundError")


def test_the_command_knows_an_installed_metric(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("h,r\na b c,a b d\n")
    out = tmp_path / "out.csv"
    arguments = ["--hypothesis", "h", "--reference", "r", "--metric", "shared_words"]
    module = ["-m", "quaestor_metrics._command", "score"]
    run(installed, *module, str(tmp_path / "in.csv"), *arguments, "--out", str(out))
    assert out.read_text() == "h,r,shared_words\na b c,a b d,0.5\n"
