"""What the systems got, by the protocol's own aggregate."""

from dataclasses import replace

import pytest

from analysis import frames
from analysis.actions import systems
from judging.actions import rubrics
from judging.formats import rubric as documents
from judging.formats.rubric_schema import Aggregate
from tests import factories
from tests.analysis import studies

pytestmark = pytest.mark.django_db


def test_what_has_no_best_end_is_not_combined() -> None:
    small = documents.parse(factories.SMALL, "small.yaml")
    form, content = small.criteria
    changed = replace(small, criteria=(replace(form, best="none"), content), aggregate=Aggregate("mean", "mean"))
    campaign = studies.imported(rubric=rubrics.install(document=changed))
    rows = systems.aggregates(frames.material(campaign))
    combined = {row["system"]: row["aggregate"] for row in rows if row["criterion"] == ""}
    assert combined == {row["system"]: row["aggregate"] for row in rows if row["criterion"] == "correctness"}
    assert combined != {row["system"]: row["aggregate"] for row in rows if row["criterion"] == "grammaticality"}
