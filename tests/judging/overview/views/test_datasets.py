import csv

import pytest
from django.urls import reverse

from judging.campaigns import tasks
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Membership
from judging.datasets.actions import dataset_counts
from judging.datasets.models.dataset import Dataset, Quarantine
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.people.models.user import User
from tests import factories
from tests.judging import studies
from tests.judging.studies import NOW

pytestmark = pytest.mark.django_db


def imported(owner: User, **options) -> Dataset:
    return studies.imported(name="Canal towns", by=owner, options=options).dataset


def test_list_passes_over_a_dataset_that_is_deleted_at_this_moment(page, owner, monkeypatch):
    stays, goes = imported(owner), Dataset.objects.create(name="Gone soon", owner=owner)
    totals = dataset_counts.totals

    def after_it_was_deleted(listed):
        listed = list(listed)
        Dataset.objects.filter(pk=goes.pk).delete()
        return totals(listed)

    monkeypatch.setattr(dataset_counts, "totals", after_it_was_deleted)
    answer = page.get(reverse("judging:datasets"))

    assert [each for each, _held in answer.context["listed"]] == [stays]


def test_list_takes_the_same_queries_for_one_row_and_three(page, owner, django_assert_num_queries):
    imported(owner)
    page.get(reverse("judging:datasets"))
    with django_assert_num_queries(6):
        page.get(reverse("judging:datasets"))
    for _ in range(2):
        imported(owner)
    with django_assert_num_queries(6):
        page.get(reverse("judging:datasets"))


def test_dataset_shows_systems_scores_origin_and_the_way_to_a_campaign(page, owner):
    made = imported(owner, licence="CC BY 4.0")

    answer = page.get(reverse("judging:dataset", args=[made.pk]))

    assert [(each.name, each.returned, each.missing) for each in answer.context["systems"]] == [
        ("Alba", 2, 0),
        ("Brisa", 1, 1),
    ]
    assert "Bleu_4" in answer.text
    assert "CC BY 4.0" in answer.text
    assert f"{reverse('judging:campaign_new')}?dataset={made.pk}" in answer.text


def test_dataset_takes_the_same_queries_for_one_row_and_three(
    page, owner, django_assert_num_queries
):
    made = factories.dataset(owner=owner, systems=["Alba"])
    factories.campaign(dataset=made, manager=owner)
    Quarantine.objects.create(dataset=made, row=1, reason="Bad.")
    url = reverse("judging:dataset", args=[made.pk])
    page.get(url)
    with django_assert_num_queries(22):
        page.get(url)
    for number in range(2):
        made.systems.create(name=f"System {number}")
        factories.campaign(dataset=made, manager=owner)
        Quarantine.objects.create(dataset=made, row=1, reason="Bad.")
    with django_assert_num_queries(22):
        page.get(url)


def test_dataset_lists_quarantine_and_hands_it_out_as_csv(page, owner):
    made = imported(owner)
    Quarantine.objects.create(
        dataset=made, row=7, column="correctness", value="31", reason="Not on the scale."
    )
    Quarantine.objects.create(
        dataset=made, row=8, column="note", value='=HYPERLINK("x")', reason="Lost."
    )

    answer = page.get(reverse("judging:dataset", args=[made.pk]))
    assert "Not on the scale." in answer.text

    file = page.get(reverse("judging:quarantine", args=[made.pk]))
    assert file["Content-Type"] == "text/csv; charset=utf-8"
    assert list(csv.reader(file.getvalue().decode("utf-8-sig").splitlines())) == [
        ["row", "column", "value", "reason"],
        ["7", "correctness", "31", "Not on the scale."],
        ["8", "note", '\'=HYPERLINK("x")', "Lost."],
    ]


def test_who_judges_the_material_sees_no_row_of_its_quarantine_before_the_end(client):
    campaign, analyst = factories.campaign(), factories.researcher()
    made = campaign.dataset
    Quarantine.objects.create(  # as degrading excludes a question that has no such word
        dataset=made, row=1, column="Alba, no entities", value="Who?", reason="No such word."
    )
    for role in ("analyst", "annotator"):
        Membership.objects.create(user=analyst, campaign=campaign, role=role)
    client.force_login(analyst)
    own = reverse("judging:dataset", args=[made.pk])
    table = reverse("judging:quarantine", args=[made.pk])

    blind = client.get(own)
    assert (blind.status_code, "Alba, no entities" in blind.text) == (200, False)
    assert client.get(table).status_code == 403

    done = {"locked_at": NOW, "locked_plan": {}, "locked_digest": "x"}
    Campaign.objects.filter(pk=campaign.pk).update(state="closed", **done)
    assert "Alba, no entities" in client.get(own).text
    assert client.get(table).status_code == 200


def test_html_in_a_dataset_renders_as_text(page, owner):
    made = factories.dataset(owner=owner, systems=["<script>alert(1)</script>"])
    Quarantine.objects.create(dataset=made, row=1, column="<b>", value="<img src=x>", reason="<i>")

    answer = page.get(reverse("judging:dataset", args=[made.pk]))

    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in answer.text
    assert "<img src=x>" not in answer.text


def test_campaigns_of_others_on_a_dataset_are_listed_for_its_owner_only(page, owner, client):
    made, reader = factories.dataset(owner=owner), factories.researcher()
    factories.campaign(dataset=made, title="Somebody else's")
    own = factories.campaign(dataset=made, manager=owner)
    own.memberships.create(user=reader, role="analyst")

    assert "Somebody else" in page.get(reverse("judging:dataset", args=[made.pk])).text
    client.force_login(reader)
    answer = client.get(reverse("judging:dataset", args=[made.pk]))
    assert answer.status_code == 200
    assert "Somebody else" not in answer.text


def test_delete_counts_what_would_go_and_removes_it_on_a_second_word(page, owner):
    made = imported(owner)
    address = reverse("judging:dataset_delete", args=[made.pk])

    assert address in page.get(reverse("judging:dataset", args=[made.pk])).text
    asked = page.get(address)
    assert (asked.context["held"].questions, asked.context["score_count"]) == (3, 3)
    assert Dataset.objects.exists()
    page.post(address)

    assert not Dataset.objects.exists()


def test_delete_of_a_large_dataset_is_a_job(page, owner, monkeypatch):
    made = imported(owner)
    monkeypatch.setattr("judging.datasets.actions.datasets.LARGE", 2)

    page.post(reverse("judging:dataset_delete", args=[made.pk]))
    answer = page.post(reverse("judging:dataset_delete", args=[made.pk]))

    job = Job.objects.get()
    assert (job.kind, job.dataset, job.state) == ("judging.delete_dataset", made, "queued")
    assert answer.url == reverse("judging:job", args=[job.pk])
    tasks.run_dataset_deletion(jobs.Work(jobs.claim_job(job_id=job.pk), worker="test"))
    assert not Dataset.objects.exists()


def test_list_counts_what_each_dataset_holds(page, owner):
    made = imported(owner)

    answer = page.get(reverse("judging:datasets"))

    assert reverse("judging:dataset", args=[made.pk]) in answer.text
    [(_row, held)] = answer.context["listed"]
    assert (held.sources, held.systems, held.questions) == (2, 2, 3)
