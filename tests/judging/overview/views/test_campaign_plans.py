"""New campaigns, their plans, and what is changed after the lock."""

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset
from tests import factories
from tests.judging.campaign_pages import address, design, pages

pytestmark = pytest.mark.django_db


def new(dataset, protocol, **changes):
    """Return what the form of a new campaign sends."""
    sent = {
        "dataset": dataset.pk,
        "protocol": protocol.pk,
        "title": "Weirs",
        "annotators_per_task": 2,
    }
    return sent | changes


def test_new_campaign_is_a_draft_with_its_manager(page, owner):
    dataset, protocol = factories.dataset(owner=owner), factories.protocol()
    form = new(dataset, protocol)
    answer = page.post(reverse("judging:campaign_new"), form)
    made = Campaign.objects.get()
    assert answer.url == address("plan", made)
    assert (made.title, made.state, made.annotators_per_task) == ("Weirs", "draft", 2)
    assert made.memberships.get().user == owner


def test_new_campaign_sent_twice_is_one(page, owner):
    dataset, protocol = factories.dataset(owner=owner), factories.protocol()
    form = new(dataset, protocol)
    first = page.post(reverse("judging:campaign_new"), form)
    assert page.post(reverse("judging:campaign_new"), form).url == first.url
    assert (
        page.post(reverse("judging:campaign_new"), form | {"annotators_per_task": 3}).url
        != first.url
    )
    Campaign.objects.update(created_at=timezone.now() - campaigns.DOUBLE_CLICK)
    assert page.post(reverse("judging:campaign_new"), form).url != first.url
    assert Campaign.objects.count() == 3


def test_new_campaign_about_somebody_elses_material_is_refused(page, owner):
    factories.dataset(owner=owner)
    theirs, protocol = factories.dataset(), factories.protocol()
    answer = page.post(reverse("judging:campaign_new"), new(theirs, protocol))
    assert answer.status_code == 422
    assert not Campaign.objects.exists()


def test_plan_of_a_draft_can_be_changed(page, draft):
    answer = page.post(address("plan_part", draft, "design"), design(draft))
    assert answer.url == address("plan", draft)
    page.post(address("plan_part", draft, "pages"), pages(fixed_view="focus"))
    draft.refresh_from_db()
    assert (draft.title, draft.order, draft.annotators_per_task) == ("Weirs", "breadth", 2)
    assert (draft.lease_minutes, draft.time_zone, draft.fixed_view) == (
        30,
        "Europe/Berlin",
        "focus",
    )


def test_part_of_a_plan_leaves_the_others_as_they_are(page, draft):
    page.post(address("plan_part", draft, "consent"), {"consent": "I agree.", "consent_de": "Ja."})
    page.post(address("plan_part", draft, "pay"), {"pay": "9 euros", "pay_de": "9 Euro"})
    page.post(address("plan_part", draft, "ethics"), {"ethics": "none", "title": "Other"})
    draft.refresh_from_db()
    assert (draft.title, draft.consent, draft.pay) == ("Canal towns", "I agree.", "9 euros")
    assert draft.translated_texts["de"] == {"consent": "Ja.", "pay": "9 Euro"}
    assert page.post(address("plan_part", draft, "secret"), {}).status_code == 404


def test_checklist_names_what_is_missing_and_what_is_none(page, draft):
    lines = {line.key: line for line in page.get(address("plan", draft)).context["lines"]}
    assert [key for key, line in lines.items() if line.state == "missing"] == [
        "consent",
        "contact",
        "ethics",
    ]
    assert lines["hypotheses"].status == "none, so every test is exploratory"
    assert {lines[key].status for key in ("pay", "training", "checks", "exit_form")} == {"none"}
    page.post(address("plan_part", draft, "consent"), {"consent": "I agree " * 50})
    text = page.get(address("plan", draft)).text
    assert "I agree I agree" in text and "…" in text


def test_campaign_opened_without_consent_asks_once_and_lists_it_as_a_deviation(page, draft):
    asked = page.get(address("launch", draft)).text
    assert "There is no consent text" in asked and "Open anyway" in asked
    assert page.post(address("launch", draft)).url == address("campaign", draft)
    draft.refresh_from_db()
    [deviation] = draft.deviations.all()
    assert (draft.state, deviation.after) == ("open", "consent, contact, ethics")
    assert "the campaign was opened without" in page.get(address("plan", draft)).text


def test_campaign_with_everything_opens_without_a_deviation(page, draft):
    for part, text in (("consent", "I agree."), ("contact", "Ana"), ("ethics", "none")):
        page.post(address("plan_part", draft, part), {part: text})
    assert "Open anyway" not in page.get(address("launch", draft)).text
    page.post(address("launch", draft))
    draft.refresh_from_db()
    assert (draft.state, draft.deviations.count()) == ("open", 0)
    assert page.get(address("launch", draft)).url == address("campaign", draft)


def test_campaign_that_cannot_be_locked_stays_a_draft(page, draft):
    draft.dataset.sources.all().delete()
    answer = page.post(address("launch", draft), follow=True)
    draft.refresh_from_db()
    assert (draft.state, draft.deviations.count()) == ("draft", 0)
    assert [message.level_tag for message in answer.context["messages"]] == ["error"]


def test_plan_malformed_names_the_field(page, draft):
    for part, wrong in (
        ("design", {"title": ""}),
        ("design", {"annotators_per_task": 0}),
        ("design", {"protocol": 10**9}),
        ("pages", {"time_zone": "Mars"}),
        ("pages", {"lease_minutes": "x"}),
    ):
        sent = design(draft) if part == "design" else pages()
        answer = page.post(address("plan_part", draft, part), sent | wrong)
        assert answer.status_code == 422, wrong
        assert list(refused_of(answer).errors) == list(wrong)
        draft.refresh_from_db()
        assert (draft.title, draft.lease_minutes) == ("Canal towns", 120)


def refused_of(answer):
    """Return the form of a plan's page that was refused."""
    return next(line.form for line in answer.context["lines"] if line.form and line.form.errors)


def test_limit_of_tasks_for_each_annotator(page, draft):
    part = address("plan_part", draft, "design")
    page.post(part, design(draft, tasks_per_annotator=4))
    draft.refresh_from_db()
    assert draft.tasks_per_annotator == 4
    refused = page.post(part, design(draft, tasks_per_annotator=0))
    assert refused_of(refused).errors["tasks_per_annotator"]
    panel = design(
        draft, tasks_per_annotator=4, order="panel", protocol=factories.protocol("qgstec2010-b").pk
    )
    refused = page.post(part, panel)
    assert refused_of(refused).has_error("tasks_per_annotator")


def test_new_campaign_with_several_datasets_shows_the_newest_and_keeps_entries(page, owner):
    factories.protocol("qgbench")
    first, second = factories.dataset(owner=owner), factories.dataset(owner=owner)
    Dataset.objects.create(name="Empty", owner=owner)
    protocol = factories.protocol("nema-khapra")
    answer = page.get(reverse("judging:campaign_new"), {"protocol": protocol.pk})
    form = answer.context["form"]
    assert {first.pk, second.pk} <= {value for value, _name in form["dataset"].field.choices}
    assert (form["dataset"].value(), form["protocol"].value()) == (second.pk, str(protocol.pk))
    look = {"dataset": first.pk, "title": "Weirs", "look": "1"}
    shown = page.post(reverse("judging:campaign_new"), look)
    assert (shown.status_code, shown.context["about"]) == (200, first)
    assert shown.context["form"]["title"].value() == "Weirs"
    assert not Campaign.objects.exists()


def test_dataset_that_cannot_be_used_any_more_is_chosen_again_with_the_plan_kept(page, owner):
    factories.protocol("qgbench")
    factories.dataset(owner=owner)
    theirs = factories.dataset()
    Dataset.objects.filter(pk=theirs.pk).update(name="Not for others")
    answer = page.post(
        reverse("judging:campaign_new"), {"dataset": theirs.pk, "title": "Weirs in spring"}
    )
    assert answer.context["form"].errors["dataset"]
    assert "Weirs in spring" in answer.text
    assert "Not for others" not in answer.text


def test_new_campaign_takes_the_protocols_own_number_of_annotators_where_none_is_named(page, owner):
    dataset, protocol = factories.dataset(owner=owner), factories.protocol("qgbench")
    form = new(dataset, protocol, annotators_per_task="")
    page.post(reverse("judging:campaign_new"), form)
    assert Campaign.objects.get().annotators_per_task == 5


def test_draft_says_how_much_judging_it_is(page, owner):
    campaign = factories.campaign(
        manager=owner, protocol=factories.protocol("qgstec2010-b"), annotators_per_task=2
    )
    for name in ("campaign", "plan"):
        text = page.get(address(name, campaign)).text
        assert "4 tasks, 2 annotators each: about 0.2 hours of judging in all" in text


def test_duplicate_is_a_draft_with_the_same_plan_and_nobody_in_it(page, owner):
    campaign = factories.opened(
        manager=owner, annotators_per_task=2, consent="I agree.", order="breadth"
    )
    factories.enrollment(campaign)
    answer = page.post(address("duplicate", campaign))
    made = Campaign.objects.exclude(pk=campaign.pk).get()
    assert answer.url == address("plan", made)
    assert (made.title, made.state, made.consent) == ("Copy of Canal towns", "draft", "I agree.")
    assert (made.dataset, made.protocol, made.annotators_per_task) == (
        campaign.dataset,
        campaign.protocol,
        2,
    )
    assert (made.order, made.enrollments.count(), made.memberships.get().user) == (
        "breadth",
        0,
        owner,
    )


def test_duplicate_needs_a_right_on_the_material_itself(page, owner):
    campaign = factories.opened()
    campaigns.add_member(campaign=campaign, user=owner, role="manager")
    assert page.post(address("duplicate", campaign)).status_code == 404


def test_pay_is_planned_locked_and_amended_with_a_reason(page, draft):
    page.post(address("plan_part", draft, "pay"), {"pay": "9 euros an hour"})
    campaigns.lock_plan(campaign=draft, now=timezone.now())
    draft.refresh_from_db()
    assert draft.locked_plan["texts"]["pay"] == "9 euros an hour"

    page.post(
        address("amend", draft), {"what": "pay", "value": "10 euros an hour", "reason": "inflation"}
    )
    draft.refresh_from_db()
    assert draft.pay == "10 euros an hour"
    assert draft.deviations.get().before == "9 euros an hour"


def test_plan_without_pay_has_the_hash_it_always_had(draft):
    assert set(campaigns.plan_document(draft)["texts"]) == {"introduction", "consent", "contact"}


DECLARED = {
    "hypotheses.level": "0.01",
    "hypotheses.multiplicity": "in_order",
    "hypotheses.corrected_together": ["correctness", "grammaticality"],
    "hypotheses.primary.0.criterion": "correctness",
    "hypotheses.primary.0.first": "Alba",
    "hypotheses.primary.0.second": "Brisa",
    "hypotheses.primary.0.direction": "non_inferior",
    "hypotheses.primary.0.metric_level": "",
    "hypotheses.primary.1.criterion": "grammaticality",
    "hypotheses.primary.1.first": "BLEU-4",
    "hypotheses.primary.1.second": "",
    "hypotheses.primary.1.direction": "greater",
    "hypotheses.primary.1.metric_level": "pooled",
    "hypotheses.margins.correctness.points": "0.25",
    "hypotheses.margins.correctness.reason": "Nobody notices less.",
}
NOTHING = {"hypotheses.level": "0.05", "hypotheses.multiplicity": "holm"}


def test_declarations_entered_are_stored_and_shown_again(page, draft):
    answer = page.post(address("declarations", draft), DECLARED)
    assert answer.status_code == 302
    assert Campaign.objects.get().hypotheses == {
        "primary": [
            {
                "criterion": "correctness",
                "first": "Alba",
                "second": "Brisa",
                "direction": "non_inferior",
                "metric_level": "",
            },
            {
                "criterion": "grammaticality",
                "first": "BLEU-4",
                "second": "",
                "direction": "greater",
                "metric_level": "pooled",
            },
        ],
        "level": 0.01,
        "multiplicity": "in_order",
        "margins": {"correctness": {"points": 0.25, "reason": "Nobody notices less."}},
        "corrected_together": ["correctness", "grammaticality"],
    }
    shown = page.get(address("declarations", draft)).context["form"]
    assert {name: shown[name].value() for name in DECLARED} == DECLARED | {
        "hypotheses.level": 0.01,
        "hypotheses.corrected_together": ("correctness", "grammaticality"),
        "hypotheses.margins.correctness.points": 0.25,
    }
    plan_page = page.get(address("plan", draft)).text
    assert "“Alba” is not worse than “Brisa” by the margin on Correctness" in plan_page
    page.post(address("plan_part", draft, "design"), design(draft))
    assert Campaign.objects.get().hypotheses["level"] == 0.01  # the plan's own form keeps them
    page.post(address("declarations", draft), NOTHING)
    assert Campaign.objects.get().hypotheses == {}


def test_declarations_locked_plan_lead_to_the_plan(page, draft):
    campaigns.lock_plan(campaign=draft, now=timezone.now())
    answer = page.post(address("declarations", draft), DECLARED)
    assert answer.url == address("plan", draft)
    assert Campaign.objects.get().hypotheses == {}


def test_draft_copied_keeps_hypotheses(draft, owner):
    campaigns.change_plan(campaign=draft, plan={"hypotheses": {"level": 0.01}})
    draft.refresh_from_db()
    assert campaigns.duplicate_campaign(campaign=draft, by=owner).hypotheses == {"level": 0.01}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"primary.0.criterion": "beauty"}, "primary.0.criterion"),
        ({"primary.0.criterion": ""}, "primary.0.criterion"),
        ({"primary.0.second": "Corvo"}, "primary.0.second"),
        ({"primary.0.second": "Alba"}, "primary.0.second"),
        ({"primary.1.first": ""}, "primary.1.first"),
        ({"level": "2"}, "level"),
        ({"margins.correctness.points": "-1"}, "margins.correctness.points"),
        ({"margins.correctness.reason": ""}, "margins.correctness.reason"),
    ],
)
def test_declarations_that_do_not_fit_are_refused_at_their_field(page, draft, changes, field):
    sent = DECLARED | {f"hypotheses.{name}": value for name, value in changes.items()}
    answer = page.post(address("declarations", draft), sent)
    assert answer.status_code == 422
    assert f"hypotheses.{field}" in answer.context["form"].errors
    assert Campaign.objects.get().hypotheses == {}


def test_plan_lets_annotators_switch_the_review_off_only_if_it_says_so() -> None:
    draft = factories.campaign()
    page = factories.logged_in(draft.created_by)
    assert not draft.review_is_optional
    sent = pages(review_before_submit="on", review_is_optional="on")
    page.post(address("plan_part", draft, "pages"), sent)
    draft.refresh_from_db()
    assert draft.review_is_optional
    campaigns.lock_plan(campaign=draft, now=timezone.now(), by=draft.created_by)
    assert draft.locked_plan["design"]["review_is_optional"] is True
