"""The reference page of the client, its README, and the notebook from a CSV file to a PDF."""

import ast
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.utils import timezone

from config.data_folder import ROOT
from judging.people.actions import tokens
from quaestor_client.study_files import PARTS
from tests import factories
from tests.client.clients import module_at

EXAMPLES = ROOT / "docs" / "examples"
HERE = Path(__file__).resolve().parent
PACKAGE = ROOT / "packages" / "quaestor-client"


def test_reference_is_that_of_the_docstrings() -> None:
    module = module_at(HERE / "generate_reference.py")
    command = "python tests/client/generate_reference.py"
    assert module.page() == module.PAGE.read_text(), command


def test_readme_describes_every_part_of_a_study() -> None:
    readme = (PACKAGE / "README.md").read_text()
    [study] = re.findall(r"```yaml\n(.*?)```", readme, re.S)
    assert tuple(yaml.safe_load(study)) == PARTS


def run_cell(source: str, namespace: dict[str, Any]) -> Any:
    """Run a cell, and return the value of its last line if that is an expression."""
    *statements, last = ast.parse(source).body
    exec(compile(ast.Module(statements, []), "cell", "exec"), namespace)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
    return exec(compile(ast.Module([last], []), "cell", "exec"), namespace)


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_notebook_goes_from_a_csv_file_to_a_pdf(
    live_server: Any, worker: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    factories.protocol("qgeval")
    token = tokens.make_token(user=factories.researcher(), now=timezone.now(), scope="manage")
    monkeypatch.setenv("QUAESTOR_URL", live_server.url)
    monkeypatch.setenv("QUAESTOR_TOKEN", token)
    shutil.copy(EXAMPLES / "ratings.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    cells = json.loads((EXAMPLES / "report_from_csv.ipynb").read_text())["cells"]
    namespace: dict[str, Any] = {}
    shown = [
        run_cell("".join(cell["source"]), namespace)
        for cell in cells
        if cell["cell_type"] == "code"
    ]
    namespace["client"].connection.close()
    _head, columns, means, run, correlations, report = shown
    assert columns["overlap"] == "metric, higher is better"
    assert columns["fluency"] == "ratings on fluency"
    assert means.loc["fluency"].idxmax() == "Alba"
    assert run.state == "done"
    assert set(correlations["metric"]) == {"overlap"}
    assert report.read_bytes().startswith(b"%PDF")
