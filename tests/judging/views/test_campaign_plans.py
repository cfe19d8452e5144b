"""New campaigns, their plans, and what is changed after the lock."""

from dataclasses import replace

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.actions import campaigns, rubrics
from judging.forms import campaigns as forms
from judging.models import AnalysedAgreement, Campaign, Collection, Deviation
from judging.protocols import documents
from tests import factories
from tests.judging.views.campaign_pages import address, plan

pytestmark = pytest.mark.django_db


def test_new_campaign_is_a_draft_with_its_manager(page, owner):
    collection, rubric = factories.collection(owner=owner), factories.rubric()
    form = {
        "collection": collection.pk,
        "rubric": rubric.pk,
        "title": "Weirs",
        "annotators_per_task": 2,
        "order": "depth",
        "lease_minutes": 60,
        "time_zone": "UTC",
    }
    answer = page.post(reverse("judging:campaign_new"), form)
    made = Campaign.objects.get()
    assert answer.url == address("campaign", made)
    assert (made.title, made.state, made.annotators_per_task) == ("Weirs", "draft", 2)
    assert made.memberships.get().user == owner


def test_new_campaign_sent_twice_is_one(page, owner):
    collection, rubric = factories.collection(owner=owner), factories.rubric()
    form = {
        "collection": collection.pk,
        "rubric": rubric.pk,
        "title": "Weirs",
        "annotators_per_task": 2,
        "order": "depth",
        "lease_minutes": 60,
        "time_zone": "UTC",
    }
    first = page.post(reverse("judging:campaign_new"), form)
    assert page.post(reverse("judging:campaign_new"), form).url == first.url
    assert page.post(reverse("judging:campaign_new"), form | {"lease_minutes": 61}).url != first.url
    Campaign.objects.update(created_at=timezone.now() - campaigns.DOUBLE_CLICK)
    assert page.post(reverse("judging:campaign_new"), form).url != first.url
    assert Campaign.objects.count() == 3


def test_new_campaign_offers_protocols_with_what_they_ask(page, owner):
    factories.collection(owner=owner)
    rubric = factories.rubric()
    answer = page.get(reverse("judging:campaign_new"), {"rubric": rubric.pk})
    assert "Two criteria for tests." in answer.text
    assert answer.text.count("checked") == 3


@pytest.mark.parametrize("name", ["collection", "rubric"])
@pytest.mark.parametrize("asked", ["x", "9" * 18, "9" * 5_000], ids=["word", "many", "too many"])
def test_address_that_names_no_material_or_protocol_has_the_page_all_the_same(page, name, asked):
    new = reverse("judging:campaign_new")
    assert page.get(new, {name: asked}).status_code == 200
    assert page.post(new, {name: asked}).status_code == 422


def test_new_campaign_without_material_leads_to_the_import(page):
    assert reverse("judging:collection_new") in page.get(reverse("judging:campaign_new")).text


def test_new_campaign_about_somebody_elses_material_is_refused(page, owner):
    factories.collection(owner=owner)
    theirs, rubric = factories.collection(), factories.rubric()
    form = {
        "collection": theirs.pk,
        "rubric": rubric.pk,
        "title": "x",
        "annotators_per_task": 1,
        "order": "depth",
    }
    answer = page.post(
        reverse("judging:campaign_new"), form | {"lease_minutes": 1, "time_zone": "UTC"}
    )
    assert answer.status_code == 422
    assert not Campaign.objects.exists()


def test_new_campaign_is_for_those_who_may_create(client):
    client.force_login(factories.user())
    assert client.get(reverse("judging:campaign_new")).status_code == 403
    client.logout()
    assert client.get(reverse("judging:campaign_new")).url.startswith(reverse("login"))


def test_plan_of_a_draft_can_be_changed(page, draft):
    answer = page.post(address("plan", draft), plan(draft))
    assert answer.url == address("campaign", draft)
    draft.refresh_from_db()
    assert (draft.title, draft.lease_minutes, draft.order, draft.time_zone) == (
        "Weirs",
        30,
        "breadth",
        "Europe/Berlin",
    )


def test_plan_malformed_names_the_field(page, draft):
    for wrong in (
        {"title": ""},
        {"annotators_per_task": 0},
        {"annotators_per_task": 32_768},
        {"time_zone": "Mars"},
        {"time_zone": "localtime"},
        {"time_zone": "Factory"},
        {"rubric": 10**9},
        {"lease_minutes": "x"},
    ):
        answer = page.post(address("plan", draft), plan(draft, **wrong))
        assert answer.status_code == 422, wrong
        assert f'id="id_{next(iter(wrong))}' in answer.text
        assert "errorlist" in answer.text
        draft.refresh_from_db()
        assert draft.title == "Canal towns"


def test_plan_with_a_wrong_detail_unfolds_the_details(page, draft):
    assert (
        '<details class="more" open>'
        in page.post(address("plan", draft), plan(draft, time_zone="Mars")).text
    )


def test_plan_that_is_locked_is_read_and_not_changed(page, open_campaign):
    assert "Locked protocol" in page.get(address("plan", open_campaign)).text
    page.post(address("plan", open_campaign), plan(open_campaign))
    open_campaign.refresh_from_db()
    assert open_campaign.title == "Canal towns"


def test_amendment_is_listed_with_its_reason(page, open_campaign):
    change = {"what": "lease_minutes", "value": "45", "reason": "People take breaks"}
    assert page.post(address("amend", open_campaign), change).status_code == 302
    open_campaign.refresh_from_db()
    assert open_campaign.lease_minutes == 45
    assert "People take breaks" in page.get(address("plan", open_campaign)).text


def test_amendment_malformed_changes_nothing(page, open_campaign):
    for change in (
        {},
        {"what": "order", "value": "1", "reason": "x"},
        {"what": "lease_minutes", "value": "x", "reason": "x"},
        {"what": "lease_minutes", "value": "0", "reason": "x"},
        {"what": "lease_minutes", "value": "99999999999", "reason": "x"},
        {"what": "lease_minutes", "value": "9" * 5000, "reason": "x"},
        {"what": "contact", "value": "x" * 201, "reason": "x"},
        {"what": "introduction", "value": "zero \x00 byte", "reason": "x"},
        {"what": "consent", "value": "x" * 50_001, "reason": "x"},
    ):
        answer = page.post(address("amend", open_campaign), change)
        assert answer.status_code == 422, change
        assert not open_campaign.deviations.exists()


@pytest.mark.parametrize(
    "name",
    [
        "introduction",
        pytest.param("consent", marks=pytest.mark.long),
        pytest.param("analysis_plan", marks=pytest.mark.long),
        pytest.param("sample_reason", marks=pytest.mark.long),
    ],
)
def test_a_text_that_is_too_long_is_refused_where_it_is_written(page, draft, name):
    url = address("plan", draft)
    assert page.post(url, plan(draft, **{name: "x" * 50_001})).status_code == 422
    assert page.post(url, plan(draft, **{name: "x" * 50_000})).status_code == 302


def test_amendment_of_a_draft_is_no_deviation(page, draft):
    page.post(address("amend", draft), {"what": "contact", "value": "Ada", "reason": "x"})
    draft.refresh_from_db()
    assert (draft.contact, draft.deviations.count()) == ("", 0)


def test_limit_of_tasks_for_each_annotator(page, draft):
    page.post(address("plan", draft), plan(draft, tasks_per_annotator=4))
    draft.refresh_from_db()
    assert draft.tasks_per_annotator == 4
    refused = page.post(address("plan", draft), plan(draft, tasks_per_annotator=0))
    assert refused.context["form"].errors["tasks_per_annotator"]
    panel = plan(
        draft, tasks_per_annotator=4, order="panel", rubric=factories.rubric("qgstec2010-b").pk
    )
    assert "leave this empty" in page.post(address("plan", draft), panel).text


def test_new_campaign_names_what_does_not_fit_and_puts_the_best_fit_first(page, owner):
    factories.collection(owner=owner)
    pairs, single = factories.rubric("qgstec2010-b"), factories.rubric("nema-khapra")
    text = page.get(reverse("judging:campaign_new")).text
    assert text.index(single.title) < text.index(pairs.title)
    assert "It judges sets of questions; here each system has one question to a source." in text
    assert "fits this dataset" in text


def unfit(page, dataset, **asked) -> set[str]:
    """Return the protocols that the page of a new campaign about a dataset calls unfit."""
    answer = page.get(reverse("judging:campaign_new"), {"collection": dataset.pk} | asked)
    assert answer.context["form"]["collection"].value() == dataset.pk
    return {
        rubric.key for _button, rubric, misfits in answer.context["form"].protocols() if misfits
    }


def test_new_campaign_with_several_datasets_asks_for_the_dataset_first(page, owner):
    factories.rubric("qgbench")
    first, second = factories.collection(owner=owner), factories.collection(owner=owner)
    rubric = factories.rubric("nema-khapra")
    answer = page.get(reverse("judging:campaign_new"), {"rubric": rubric.pk})
    offered = [str(value) for value, _name in answer.context["form"]["collection"].field.choices]
    assert {str(first.pk), str(second.pk)} <= set(offered)
    assert "this dataset" not in answer.text
    assert f'name="rubric" value="{rubric.pk}"' in answer.text
    assert "rubric" not in answer.context["form"].fields


def test_protocols_fit_follows_the_chosen_dataset_and_not_the_first(page, owner):
    rubric = factories.rubric("qgbench")  # one question from each system on each source
    datasets = [factories.collection(owner=owner, expected=expected) for expected in (1, 2, 1)]
    assert [unfit(page, each) for each in datasets] == [set(), {rubric.key}, set()]
    assert unfit(page, datasets[1], rubric=rubric.pk) == {rubric.key}


def test_plan_with_an_error_keeps_the_chosen_dataset_and_its_fit(page, owner):
    factories.rubric("qgbench")
    factories.collection(owner=owner)
    chosen = factories.collection(owner=owner, expected=2)
    answer = page.post(reverse("judging:campaign_new"), {"collection": chosen.pk, "title": "x"})
    assert answer.status_code == 422
    assert answer.context["form"]["collection"].value() == str(chosen.pk)
    assert [bool(misfits) for *_button, misfits in answer.context["form"].protocols()] == [True]


def test_dataset_that_cannot_be_used_any_more_is_chosen_again_with_the_plan_kept(page, owner):
    factories.rubric("qgbench")
    factories.collection(owner=owner)
    theirs = factories.collection()
    Collection.objects.filter(pk=theirs.pk).update(name="Not for others")
    answer = page.post(
        reverse("judging:campaign_new"), {"collection": theirs.pk, "title": "Weirs in spring"}
    )
    assert answer.context["form"].errors["collection"]
    assert "Weirs in spring" in answer.text
    assert not answer.context["form"]["collection"].is_hidden
    assert "this dataset" not in answer.text
    assert "Not for others" not in answer.text


def test_new_campaign_about_a_dataset_of_somebody_else_asks_for_ones_own(page, owner):
    factories.rubric("qgbench")
    factories.collection(owner=owner)
    theirs = factories.collection()
    answer = page.get(reverse("judging:campaign_new"), {"collection": theirs.pk})
    assert "rubric" not in answer.context["form"].fields
    assert "this dataset" not in answer.text


def test_new_campaign_takes_the_protocols_own_number_of_annotators_where_none_is_named(page, owner):
    collection, rubric = factories.collection(owner=owner), factories.rubric("qgbench")
    form = {
        "collection": collection.pk,
        "rubric": rubric.pk,
        "title": "Weirs",
        "annotators_per_task": "",
        "order": "depth",
        "lease_minutes": 60,
        "time_zone": "UTC",
    }
    page.post(reverse("judging:campaign_new"), form)
    assert Campaign.objects.get().annotators_per_task == 5


def test_draft_says_what_does_not_fit_and_how_much_judging_it_is(page, owner):
    campaign = factories.campaign(
        manager=owner, rubric=factories.rubric("qgstec2010-b"), annotators_per_task=2
    )
    for name in ("campaign", "plan"):
        text = page.get(address(name, campaign)).text
        assert "does not fit this dataset" in text
        assert "4 tasks, 2 annotators each: about 0.2 hours of judging in all" in text
    campaigns.lock(campaign=campaign, now=timezone.now())
    assert "does not fit this dataset" not in page.get(address("campaign", campaign)).text


def test_duplicate_is_a_draft_with_the_same_plan_and_nobody_in_it(page, owner):
    campaign = factories.opened(
        manager=owner, annotators_per_task=2, consent="I agree.", order="breadth"
    )
    factories.enrollment(campaign)
    answer = page.post(address("duplicate", campaign))
    made = Campaign.objects.exclude(pk=campaign.pk).get()
    assert answer.url == address("plan", made)
    assert (made.title, made.state, made.consent) == ("Copy of Canal towns", "draft", "I agree.")
    assert (made.collection, made.rubric, made.annotators_per_task) == (
        campaign.collection,
        campaign.rubric,
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


def test_every_tab_says_where_the_campaign_stands_and_what_is_next(page, owner):
    campaign = factories.campaign(manager=owner)
    assert "Next: lock the protocol" in page.get(address("plan", campaign)).text
    campaigns.lock(campaign=campaign, now=timezone.now())
    assert "Next: open it" in page.get(address("tasks", campaign)).text
    campaigns.open_(campaign=campaign, now=timezone.now())
    overview = page.get(address("campaign", campaign)).text
    assert "At work now" in overview
    assert "Next: invite annotators" in overview
    factories.enrollment(campaign)
    assert "Next: close it once all assignments are submitted." in (
        page.get(address("campaign", campaign)).text
    )
    campaigns.close(campaign=campaign, now=timezone.now())
    assert "Next: the report" in page.get(address("annotators", campaign)).text
    AnalysedAgreement.objects.create(campaign=campaign, run=1, found_at=timezone.now())
    assert "Read the report" in page.get(address("annotators", campaign)).text
    assert "At work now" not in page.get(address("campaign", campaign)).text


def test_links_of_a_closed_campaign_are_not_shown_as_living(page, owner):
    campaign = factories.opened(manager=owner)
    link = campaigns.invite(campaign=campaign, by=owner)
    assert link.token in page.get(address("annotators", campaign)).text
    campaigns.close(campaign=campaign, now=timezone.now())
    text = page.get(address("annotators", campaign)).text
    assert link.token not in text
    assert "its links no longer work" in text


def test_pay_is_planned_locked_and_amended_with_a_reason(page, draft):
    page.post(address("plan", draft), plan(draft, pay="9 euros an hour"))
    campaigns.lock(campaign=draft, now=timezone.now())
    draft.refresh_from_db()
    assert draft.protocol["texts"]["pay"] == "9 euros an hour"
    assert "9 euros an hour" in page.get(address("plan", draft)).text

    page.post(
        address("amend", draft), {"what": "pay", "value": "10 euros an hour", "reason": "inflation"}
    )
    draft.refresh_from_db()
    assert draft.pay == "10 euros an hour"
    assert draft.deviations.get().before == "9 euros an hour"


def test_plan_without_pay_has_the_hash_it_always_had(draft):
    assert set(campaigns.protocol_of(draft)["texts"]) == {"introduction", "consent", "contact"}


def test_new_campaign_offers_the_newest_version_of_a_protocol_and_the_one_asked_for(page, owner):
    factories.collection(owner=owner)
    first = documents.shipped("qgbench")
    old, new = (rubrics.install(document=replace(first, version=version)) for version in ("8", "9"))
    mine = rubrics.install(document=replace(first, version="7"), owner=owner)

    def offered(**asked):
        html = page.get(reverse("judging:campaign_new"), asked).text
        return {each.pk for each in (old, new, mine) if f'name="rubric" value="{each.pk}"' in html}

    assert offered() == {new.pk, mine.pk}
    assert offered(rubric=old.pk) == {old.pk, new.pk, mine.pk}
    assert offered(rubric="x") == {new.pk, mine.pk}


def test_new_campaign_offers_ones_newest_protocols_and_any_that_is_asked_for(
    page, owner, monkeypatch
):
    monkeypatch.setattr(forms, "MAX_PAGE_ROWS", 2)
    factories.collection(owner=owner)
    small = factories.small()
    made = [rubrics.install(document=replace(small, key=f"mine{n}"), owner=owner) for n in range(3)]

    def offered(**asked):
        html = page.get(reverse("judging:campaign_new"), asked).text
        return {each.pk for each in made if f'name="rubric" value="{each.pk}"' in html}

    assert offered() == {each.pk for each in made[1:]}
    assert offered(rubric=made[0].pk) == {each.pk for each in made}


def test_long_changes_are_shortened_on_the_page_and_whole_in_the_download(page, open_campaign):
    """A hundred amended consents were a page of sixteen megabytes, and a refused one as well."""
    text = "I take part. " * 3_000
    Deviation.objects.bulk_create(
        Deviation(
            campaign=open_campaign,
            what="consent",
            before=f"{n} {text}",
            after=text,
            reason="Clearer.",
            made_by=open_campaign.created_by,
            made_at=timezone.now(),
        )
        for n in range(60)
    )
    url = reverse("judging:plan", args=[open_campaign.uuid])
    refused = page.post(reverse("judging:amend", args=[open_campaign.uuid]), {})
    assert refused.status_code == 422
    for shown in (page.get(url).text, refused.text):
        assert len(shown) < 200_000
        assert shown.count("Clearer.") == 50
        assert f'href="{url}?page=2"' in shown
    assert page.get(url, {"page": 2}).text.count("Clearer.") == 10
    whole = page.get(reverse("judging:preregistration", args=[open_campaign.uuid])).text
    assert whole.count(text.strip()) == 120


PRIMARY = {
    "primary_criterion": "Correctness",
    "primary_first": "Alba",
    "primary_second": "Brisa",
    "primary_direction": "greater",
    "primary_level": "0.01",
    "equivalence_margin": "0.25",
}


def test_plan_hypotheses_entered_are_stored_and_shown_again(page, draft):
    page.post(address("plan", draft), plan(draft, **PRIMARY))
    assert Campaign.objects.get().hypotheses == {
        "primary": {
            "criterion": "correctness",
            "direction": "greater",
            "level": 0.01,
            "first": "Alba",
            "second": "Brisa",
        },
        "margin": 0.25,
    }
    shown = page.get(address("plan", draft)).context["form"]
    assert {name: str(shown[name].value()) for name in PRIMARY} == PRIMARY | {
        "primary_criterion": "correctness"
    }
    page.post(address("plan", draft), plan(draft))
    assert Campaign.objects.get().hypotheses == {}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"primary_criterion": "beauty"}, "primary_criterion"),
        ({"primary_criterion": ""}, "primary_criterion"),
        ({"primary_second": "Corvo"}, "primary_second"),
        ({"primary_second": "Alba"}, "primary_second"),
        ({"primary_metric": "BLEU-4"}, "primary_metric"),
        ({"primary_first": "", "primary_second": ""}, "primary_metric"),
        ({"primary_level": "2"}, "primary_level"),
        ({"equivalence_margin": "-1"}, "equivalence_margin"),
    ],
)
def test_plan_hypothesis_does_not_fit_is_refused(page, draft, changes, field):
    answer = page.post(address("plan", draft), plan(draft, **PRIMARY | changes))
    assert answer.status_code == 422 and field in answer.context["form"].errors
    assert Campaign.objects.get().hypotheses == {}


def test_plan_metric_hypothesis_needs_no_systems(page, draft):
    metric = PRIMARY | {"primary_first": "", "primary_second": "", "primary_metric": "BLEU-4"}
    page.post(address("plan", draft), plan(draft, **metric))
    assert Campaign.objects.get().hypotheses["primary"]["metric"] == "BLEU-4"


def test_draft_copied_keeps_hypotheses(draft, owner):
    campaigns.change_plan(campaign=draft, plan={"hypotheses": {"margin": 0.3}})
    draft.refresh_from_db()
    assert campaigns.duplicate(campaign=draft, by=owner).hypotheses == {"margin": 0.3}
