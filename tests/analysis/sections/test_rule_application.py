"""The reading by the protocol, against the protocol's own arithmetic, and in which tables it
shows."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from django.urls import reverse

from analysis import frames
from analysis.models import Run
from analysis.reports import making
from analysis.reports.rows import encode
from analysis.runs.actions import runs
from analysis.runs.forms.runs import RunForm
from analysis.sections import rule_application
from analysis.sections.agreement.dependability import DependabilityOfSystems
from analysis.sections.metrics.ceiling import Ceiling
from analysis.sections.section import Found
from analysis.sections.systems import protocol_aggregates as protocol
from analysis.sections.systems.aggregates import _arranged
from analysis.sections.systems.systems import Systems
from tests import factories, shared_data
from tests.analysis import studies
from tests.analysis.golden import conclusions, material, second
from tests.analysis.runs.actions.test_runs import carried_out, found
from tests.analysis.sections.computing import chance, inputs_of, picked, records

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def qgstec(lasting):
    file = shared_data.path("qgstec2010/EvaluatedSubmissions.xml")
    return studies.campaign_of(
        file.read_bytes(), name=file.name, protocol=factories.protocol("qgstec2010-b")
    )


def by_the_protocol(read):
    """Return the means over returned questions that the protocol's arithmetic gives, by system and
    criterion."""
    scored = protocol.scores(
        _arranged(read), read.protocol.rules, read.protocol.worst(), reading="by_protocol"
    )
    return {
        (system, key): scored.means_returned[row, column]
        for row, system in enumerate(scored.systems)
        for column, key in enumerate(scored.criteria)
    }


def test_means_by_protocol_equal_the_protocols_own(qgstec):
    read = frames.read_campaign(qgstec)
    counted = rule_application.read_as(read, "by_protocol")
    means = {(row["system"], row["criterion"]): row["value"] for row in records(Systems, counted)}
    expected = by_the_protocol(read)
    assert means.keys() == expected.keys()
    assert np.allclose(
        [means[key] for key in expected], list(expected.values()), rtol=1e-11, atol=0
    )
    released = {(row["system"], row["criterion"]): row["value"] for row in records(Systems, read)}
    assert (round(means["a", "variety"], 4), round(released["a", "variety"], 4)) == (1.7042, 1.7811)
    assert counted.slots is read.slots


def test_as_released_is_what_was_read(qgstec):
    read = frames.read_campaign(qgstec)
    assert rule_application.read_as(read, "as_released") is read


@pytest.mark.long
def test_run_by_protocol_says_so_and_leaves_agreement_alone(client):
    pairs = material.imported(material.QGSTEC_B)
    further = ["annotators"]
    wanted = {"resamples": 100, "mixed_model": "never", "metrics": [], "further": further}
    start = {"campaign": pairs, "by": pairs.created_by, "seed": 1}
    released = carried_out(runs.start_run(**start, parameters=wanted))
    asked = {**wanted, "reading": "by_protocol", "slices": ["target_type", "day"]}
    run = runs.start_run(**start, parameters=asked)
    tables = carried_out(run)
    for same in (
        "agreement",
        "pairwise_kappa",
        "annotators",
        "aggregates",
        "violations",
        "coverage",
    ):
        assert tables[same] == released[same], same
    for other in ("systems", "distributions", "system_comparisons"):
        assert tables[other] != released[other], other
    [mean] = found(tables["systems"], system="Brisa", criterion="variety")
    [own] = found(
        tables["aggregates"],
        system="Brisa",
        criterion="variety",
        reading="by_protocol",
        fatal_applied="",
    )
    assert mean["value"] == pytest.approx(own["mean_returned"], rel=1e-11)
    assert {row["reading"] for row in tables["systems"]} == {"by_protocol"}
    sliced = {(row["measure"], row["reading"]) for row in tables["slices"]}
    assert sliced == {
        ("krippendorff_alpha", "as_released"),
        ("mean", "by_protocol"),
        ("spearman", "by_protocol"),
        ("metric_mean", "by_protocol"),
    }
    assert (tables["about"][0]["reading"], released["about"][0]["reading"]) == (
        "by_protocol",
        "as_released",
    )
    assert {row["reading"] for row in released["systems"]} == {"as_released"}
    assert any("protocol-adjusted scores" in row["text"] for row in tables["sentences"])
    told = dict(making.settings_facts(run.parameters, {}, seed=1))[
        "Ratings that contradict a rule of the protocol"
    ]
    assert told.startswith("by the protocol for systems and metrics, as released for agreement")
    client.force_login(pairs.created_by)
    html = client.get(reverse("analysis:run", args=[pairs.uuid, run.number])).text
    assert "Systems and metrics use protocol-adjusted scores" in html
    assert "for systems and metrics the rule stands in their place" in html
    assert 'name="reading"' in html
    answer = client.get(reverse("analysis:everything", args=[pairs.uuid, run.number]))
    downloaded = json.loads(answer.getvalue())
    assert downloaded["tables"]["systems"][0]["reading"] == "by_protocol"


def small(texts, variety):
    """Return a set of the pair protocol with two annotators' values of variety; None where one did
    not judge."""
    campaign = factories.campaign(protocol=factories.protocol("qgstec2010-b"))
    read = frames.read_campaign(campaign)
    slots = pd.DataFrame(
        {"unit": range(1, len(texts) + 1), "question_set": 1, "text": texts, "system": "s"}
    )
    rows = [
        {
            "unit": unit,
            "criterion": "variety",
            "annotator": annotator,
            "value": float(value),
            "origin": "annotator",
        }
        for unit, values in enumerate(variety, 1)
        for annotator, value in zip("AB", values, strict=True)
        if value is not None
    ]
    judgments = (
        pd.DataFrame(rows)
        .assign(missing="f")
        .astype({"criterion": "string", "annotator": "string"})
    )
    return replace(read, slots=slots.assign(position=slots["unit"]), judgments=judgments)


def values(read):
    rows = rule_application.read_as(read, "by_protocol").judgments
    return [(row.unit, row.annotator, row.value, row.origin) for row in rows.itertuples()]


def test_identical_second_question_drops_out_and_the_first_takes_the_worst():
    assert values(small(["Who?", " Who? "], [(1, 2), (1, None)])) == [
        (1, "A", 3, "rule"),
        (1, "B", 3, "rule"),
    ]


def test_lone_question_takes_the_rules_value_for_those_who_judged_it():
    assert values(small(["Who?", None], [(1, None), (None, None)])) == [(1, "A", 3, "rule")]


def test_two_different_questions_stay_as_they_were_said():
    assert values(small(["Who?", "What?"], [(1, 2), (2, None)])) == [
        (1, "A", 1, "annotator"),
        (1, "B", 2, "annotator"),
        (2, "A", 2, "annotator"),
    ]


def test_values_that_rules_settle_say_nothing_of_how_annotators_differ():
    """The lone question of a pair has variety 3 by rule, whatever A said of it; the first of two
    that are the same has it, too, and its second is missing."""
    lone = small(["Who?", None], [(1, None), (None, None)])
    alike = small(["Who?", "Who?"], [(1, 2), (2, 2)])
    both = small(["Who?", "What?"], [(1, 2), (2, None)])
    for read, left in ((lone, 0), (alike, 0), (both, 3)):
        own = rule_application.without_rule_values(read, "by_protocol").judgments
        assert len(own[own["criterion"] == "variety"]) == left
        assert rule_application.without_rule_values(read, "as_released") is read


def test_reading_is_offered_only_where_the_protocol_has_two(client):
    plain, pairs = (
        studies.imported(),
        factories.opened(protocol=factories.protocol("qgstec2010-b")),
    )
    assert "reading" not in RunForm(campaign=plain).fields
    assert RunForm(campaign=pairs).fields["reading"].initial == "as_released"
    client.force_login(pairs.created_by)
    start = reverse("analysis:start", args=[pairs.uuid])
    form = {"prepare_hypothesis": "raw", "prepare_reference": "raw", "resamples": 100, "seed": 1}
    assert client.post(start, {**form, "reading": "by_taste"}).status_code == 422
    assert client.post(start, {**form, "reading": "by_protocol"}).status_code == 302
    assert Run.objects.get().parameters["reading"] == "by_protocol"
    Run.objects.all().delete()
    assert client.post(start, form).status_code == 302
    assert Run.objects.get().parameters["reading"] == "as_released"


@pytest.mark.parametrize("section", [Ceiling, DependabilityOfSystems])
def test_settled_values_say_nothing_of_how_annotators_differ(section) -> None:
    """Every value that differs is adjudicated by the lower one: a person then reaches 1, and more
    annotators add nothing."""
    read = frames.read_campaign(studies.imported())
    lower = read.judgments.groupby(["unit", "criterion"])["value"].transform("min")
    adjudicated = replace(read, judgments=read.judgments.assign(value=lower))
    inputs = replace(inputs_of(read, adjudicated=True), counted=adjudicated)
    by_said, with_adjudicated, by_values = (
        [encode(row) for row in section().compute(each, Found({}), chance())]
        for each in (inputs_of(read), inputs, inputs_of(adjudicated))
    )
    assert with_adjudicated == by_said
    assert by_values != by_said


def test_ceiling_by_protocol_skips_values_that_rules_set() -> None:
    """The second program knows which values of variety rules set: they would change its ceiling."""
    golden = material.QGSTEC_B
    read = frames.read_campaign(material.imported(golden))
    counted = rule_application.read_as(read, "by_protocol")
    inputs = replace(inputs_of(read, reading="by_protocol"), counted=counted)

    rows = Ceiling().records(inputs, Found({}), chance())

    said, ruled = (
        conclusions.ceiling(golden, second.by_protocol(golden, golden.slots(), ruled=ruled))
        for ruled in (False, True)
    )
    assert len(rows) == len(said)
    for expected in said:
        where = {name: expected[name] for name in ("criterion", "level", "coefficient")}
        (row,) = picked(rows, **where)
        for name in ("value", "low", "high"):
            assert row[name] == pytest.approx(expected[name]), (where, name)
    pooled = [
        [row["value"] for row in picked(found, criterion="variety", level="pooled")]
        for found in (said, ruled)
    ]
    assert pooled[0] != pytest.approx(pooled[1])
