"""Pages about how annotators work: the thresholds of the plan, the flags on the lists, one
annotator's evidence."""

import pytest

from judging.base.percentages import percent
from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.people.models.user import User
from tests import factories
from tests.annotation.studies import opened
from tests.judging.campaign_pages import address
from tests.judging.workers import varied, work

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(lasting) -> Enrollment:
    campaign = opened(sources=5)
    for label in ("A01", "A02"):
        work(factories.enrollment(campaign, label=label), tasks=5, choose=varied, seconds=12.4)
    hasty = factories.enrollment(campaign, label="A03")
    work(hasty, tasks=5, choose=varied, seconds=0.8)
    return hasty


@pytest.fixture
def flagged(judged) -> tuple[Campaign, Enrollment]:
    hasty = Enrollment.objects.get(pk=judged.pk)
    return hasty.campaign, hasty


@pytest.fixture
def owner(flagged) -> User:
    return flagged[0].created_by


def test_overview_says_whom_to_look_at_and_why_in_place_of_counts(page, flagged):
    campaign, hasty = flagged
    html = page.get(address("campaign", campaign)).text

    assert "0.2 s a value (others 3.1 s)" in html
    assert html.count("chip good") - html.count("chip good open") >= 2
    assert f'href="/campaigns/{campaign.uuid}/annotators/{hasty.pk}/"' in html


def test_annotators_without_a_flag_count_and_those_without_a_task_have_nothing_yet(page, flagged):
    campaign, _hasty = flagged
    factories.enrollment(campaign, label="A04")
    rows = page.get(address("annotators", campaign)).context["annotators"]
    assert [(row["each"].label, len(row["flags"]), row["standing"] is None) for row in rows] == [
        ("A03", 1, False),
        ("A01", 0, False),
        ("A02", 0, False),
        ("A04", 0, True),
    ]


def test_page_of_a_flag_names_the_evidence_and_leads_to_the_questions(page, flagged):
    campaign, hasty = flagged
    html = page.get(f"/campaigns/{campaign.uuid}/annotators/{hasty.pk}/").text

    assert "A03 worked 0.2 seconds for each of 20 values" in html
    assert "median of the others is 3.1 seconds" in html.replace("\n", " ")
    listed = f"/campaigns/{campaign.uuid}/items/?annotator=A03&amp;sort=outlier"
    assert listed in html
    assert page.get(listed.replace("&amp;", "&")).status_code == 200


def test_page_of_another_campaigns_annotator_is_not_found(page, flagged, open_campaign):
    _campaign, hasty = flagged
    assert page.get(f"/campaigns/{open_campaign.uuid}/annotators/{hasty.pk}/").status_code == 404


def test_thresholds_are_saved_with_the_plan_and_fixed_by_the_lock(page, draft):
    form = page.get(address("quality", draft)).context["form"]
    sent = {
        name: form[name].value()
        for name in form.fields
        if form[name].value() not in (None, "") and form[name].value() is not False
    }
    assert (
        page.post(
            address("quality", draft), sent | {"fastest": "1.5", "exclude_speed": "on"}
        ).status_code
        == 302
    )
    draft.refresh_from_db()
    assert (draft.quality["fastest"], draft.quality["exclude_speed"]) == (1.5, True)

    page.post(address("lock", draft))
    draft.refresh_from_db()
    assert draft.locked_plan["quality"]["fastest"] == 1.5
    before = draft.locked_digest
    page.post(address("quality", draft), sent | {"fastest": "0.1"})
    draft.refresh_from_db()
    assert (draft.quality["fastest"], draft.locked_digest) == (1.5, before)
    assert campaigns.hash_plan(draft.locked_plan) == before


def test_protocol_names_every_threshold_also_where_none_was_chosen(page, draft):
    page.post(address("lock", draft))
    draft.refresh_from_db()
    assert draft.locked_plan["quality"]["same_share"] == 0.95


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (0.0, "0%"),
        (1 / 1000, "< 1%"),
        (0.126, "13%"),
        (999 / 1000, "> 99%"),
        (1.0, "100%"),
    ],
)
def test_share_is_none_or_all_only_where_it_is(share, written):
    assert percent(share) == written
