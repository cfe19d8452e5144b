"""What a campaign's plan may hold: each part that cannot be used is refused with its field."""

from dataclasses import fields, replace

import pytest

from judging.base.refusals import InvalidInput
from judging.campaigns.actions import plans
from judging.campaigns.actions.plans import CampaignPlan
from judging.campaigns.hypotheses import NON_INFERIOR, Hypotheses, Margin, PrimaryHypothesis
from judging.campaigns.models.campaign import Campaign
from tests import factories

pytestmark = pytest.mark.django_db
PRIMARY = PrimaryHypothesis(criterion="correctness", first="Alba", second="Brisa")


@pytest.fixture
def dataset():
    return factories.dataset(systems=("Alba", "Brisa"))


def plan(**changes: object) -> CampaignPlan:
    return replace(CampaignPlan(title="Canals", protocol=factories.protocol()), **changes)


def primary(**changes: object) -> dict[str, Hypotheses]:
    return {"hypotheses": Hypotheses((replace(PRIMARY, **changes),))}


def margin(points: float, reason: str = "One step is noticed.") -> dict[str, Hypotheses]:
    return {"hypotheses": Hypotheses(margins={"correctness": Margin(points, reason)})}


def test_plan_defaults_are_those_of_a_campaign() -> None:
    blank = Campaign()
    made_otherwise = {"title", "protocol", "annotators_per_task", "hypotheses"}

    for each in fields(CampaignPlan):
        if each.name not in made_otherwise:
            assert getattr(plan(), each.name) == getattr(blank, each.name), each.name


def test_create_without_annotators_takes_as_many_as_the_protocol_says(dataset) -> None:
    made = plans.create_draft(by=dataset.owner, dataset=dataset, plan=plan())

    assert made.annotators_per_task == made.protocol.document["annotators"]


def test_create_hypothesis_by_the_criterions_name_keeps_its_key(dataset) -> None:
    wanted = plan(**primary(criterion="CORRECTNESS"))

    made = plans.create_draft(by=dataset.owner, dataset=dataset, plan=wanted)

    assert made.hypotheses["primary"][0]["criterion"] == "correctness"
    assert plans.plan_of(made).hypotheses.primary == (PRIMARY,)


def test_create_margins_by_the_criterions_name_keep_its_key(dataset) -> None:
    reason = "One step is noticed."
    declared = Hypotheses(
        (replace(PRIMARY, direction=NON_INFERIOR),),
        margins={"Correctness": Margin(0.5, reason)},
        corrected_together=("Correctness", "grammaticality"),
    )

    made = plans.create_draft(by=dataset.owner, dataset=dataset, plan=plan(hypotheses=declared))

    assert made.hypotheses["margins"] == {"correctness": {"points": 0.5, "reason": reason}}
    assert made.hypotheses["corrected_together"] == ["correctness", "grammaticality"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"title": ""}, "title"),
        ({"title": "a" * 201}, "title"),
        ({"annotators_per_task": 0}, "annotators_per_task"),
        ({"order": "sideways"}, "order"),
        ({"lease_minutes": 10_081}, "lease_minutes"),
        ({"fixed_language": "xx"}, "fixed_language"),
        ({"time_zone": "Mars"}, "time_zone"),
        ({"consent": "a" * 50_001}, "consent"),
        ({"translated_texts": {"xx": {"consent": "?"}}}, "translated_texts"),
        ({"translated_texts": {"de": {"pay": "a" * 301}}}, "translated_texts"),
        ({"order": "panel", "tasks_per_annotator": 3}, "tasks_per_annotator"),
        (margin(-1.0), "hypotheses.margins.correctness.points"),
        (margin(2.0), "hypotheses.margins.correctness.points"),  # the whole scale
        (margin(0.5, " "), "hypotheses.margins.correctness.reason"),
        ({"hypotheses": Hypotheses(level=0.6)}, "hypotheses.level"),
        ({"hypotheses": Hypotheses(multiplicity="none")}, "hypotheses.multiplicity"),
        (
            {"hypotheses": Hypotheses(corrected_together=("beauty",))},
            "hypotheses.corrected_together",
        ),
        (primary(criterion=""), "hypotheses.primary.0.criterion"),
        (primary(criterion="beauty"), "hypotheses.primary.0.criterion"),
        (primary(direction="up"), "hypotheses.primary.0.direction"),
        (primary(direction=NON_INFERIOR), "hypotheses.primary.0.direction"),  # without a margin
        (primary(second="Alba"), "hypotheses.primary.0.second"),
        (primary(first="Corvo"), "hypotheses.primary.0.first"),
        (primary(metric_level="whole"), "hypotheses.primary.0.metric_level"),
        (primary(metric_level="pooled", first=""), "hypotheses.primary.0.first"),
        (primary(metric_level="pooled", direction=NON_INFERIOR), "hypotheses.primary.0.direction"),
    ],
)
def test_create_part_that_cannot_be_used_is_refused_with_its_field(dataset, changes, field) -> None:
    with pytest.raises(InvalidInput) as refused:
        plans.create_draft(by=dataset.owner, dataset=dataset, plan=plan(**changes))

    assert refused.value.field == field
    assert not Campaign.objects.exists()


def test_create_panel_of_a_protocol_that_shows_several_systems_is_refused(dataset) -> None:
    wanted = plan(order="panel", protocol=factories.protocol(task="unit", page_size=2))

    with pytest.raises(InvalidInput) as refused:
        plans.create_draft(by=dataset.owner, dataset=dataset, plan=wanted)

    assert refused.value.field == "order"
