"""The types of the client: those of the schema, and what mypy finds by them."""

import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from config.data_folder import ROOT
from quaestor_client import types
from quaestor_client.dates import read_dates
from tests.client.clients import module_at

HERE = Path(__file__).resolve().parent
PACKAGE = ROOT / "packages" / "quaestor-client"
USE = """
from quaestor_client import Quaestor

client = Quaestor()
campaign = client.campaigns.create("Locks", 1, "qgeval", annotators_per_task=3)
print(campaign.data["submitted"] + 1, campaign.created)
client.campaigns.create("Locks", 1, "qgeval", annotator_per_task=3)
campaign.run(resample=100)
client.campaigns.list(stat="open")
print(campaign.data["submited"])
campaign.amend(what="consent", value="", reson="")
campaign.select({"system": ["Alba"]})
client.datasets.create_from_file("locks.csv", name="Locks", columns={"score": "metrc"})
client.datasets.create_from_file("locks.csv", name="Locks", columns={"score": "metric", "x": ""})
"""


def generator() -> Any:
    return module_at(HERE / "generate_types.py")


def test_types_are_those_of_the_schema() -> None:
    module = generator()
    command = "python tests/client/generate_types.py"
    assert module.generate() == module.TYPES.read_text(), command


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": ["string", "null"]}, "str | None"),
        ({"type": "string", "nullable": True, "format": "date-time"}, "datetime | None"),
        ({"oneOf": [{"$ref": "#/components/schemas/Run"}, {"type": "null"}]}, "Run | None"),
        ({"allOf": [{"$ref": "#/components/schemas/Run"}], "readOnly": True}, "Run"),
        ({"enum": ["a", None], "type": ["string", "null"]}, "Literal['a'] | None"),
        ({"anyOf": [{"const": "a"}, {"enum": ["b"]}]}, "Literal['a', 'b']"),
        ({"type": "array", "items": {"type": "integer"}}, "list[int]"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "dict[str, float]"),
        ({"type": "object", "additionalProperties": False}, "dict[str, Any]"),
        ({"description": "Anything."}, "Any"),
    ],
)
def test_type_of_a_schema(schema: dict[str, Any], expected: str) -> None:
    assert generator().expression(schema) == expected


def test_type_of_a_schema_that_extends_another_has_the_fields_of_both() -> None:
    base = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    more = {
        "allOf": [
            {"$ref": "#/components/schemas/Base"},
            {"properties": {"name": {"type": "string"}}, "required": ["name"]},
        ]
    }
    text = generator().definition("More", {"Base": base, "More": more})
    assert text.endswith("id: NotRequired[int]\n    name: str")


def test_mypy_finds_every_misspelt_name(tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(USE)
    alone = ["--config-file", os.devnull, "--no-site-packages", "--ignore-missing-imports"]
    command = [sys.executable, "-m", "mypy", *alone, "use.py"]
    environment = os.environ | {"MYPYPATH": str(PACKAGE / "src")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    found = re.findall(r"^use\.py:(\d+): error:", done.stdout, re.M)
    assert found == ["6", "7", "8", "9", "10", "11", "12", "13"], done.stdout


def test_dates_are_read_where_a_type_has_them() -> None:
    row: Any = {"id": 1, "at": "2026-11-30T10:00:00Z", "who": None, "about": "2026-11-30T10:00:00Z"}
    event = read_dates(row, types.Event)
    assert event["at"] == datetime(2026, 11, 30, 10, tzinfo=UTC)
    assert event["about"] == row["about"]
    assert read_dates({"latest": None}, types.Forecast)["latest"] is None
    overview: Any = {"criteria": [{"alpha_over_time": [{"at": "2026-11-30T10:00:00Z"}]}]}
    [criterion] = read_dates(overview, types.Overview)["criteria"]
    assert criterion["alpha_over_time"][0]["at"] == event["at"]
