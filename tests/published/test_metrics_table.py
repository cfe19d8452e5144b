"""Every row of docs/metrics.md, "Published beside ours", names a recipe that there is."""

import re

import pytest

from config.data_folder import ROOT
from quaestor_metrics import _registry as registry
from quaestor_metrics._preparation import STEPS

DOCS = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
TABLE = DOCS[DOCS.index("| item | published |") :].split("\n\n")[0].splitlines()[2:]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.split("|")[1].strip())
def test_a_published_row_has_its_recipe(row: str) -> None:
    _, item, _, ours, recipe, same, _ = row.split("|")
    named = re.findall(r"`([^`]+)`", recipe)
    steps = {each for each in named if each in STEPS}
    settings = {each for each in named if "=" in each}
    ids = [each for each in named if each not in steps | settings]
    assert ids, f"{item}: no metric is named"
    known = {}
    for id in ids:
        spec = registry.get(id).spec
        known |= {each.name: each.choices for each in spec.parameters}
    for setting in settings:
        name, _, value = setting.partition("=")
        assert value in known[name]
    assert steps or "as above" in recipe or "q_bleu_1" in recipe  # Q-metrics prepare their base
    assert same.strip() in ("yes", "near", "no", "explained")
    assert ours.strip()
