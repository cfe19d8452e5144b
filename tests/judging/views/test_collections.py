import csv

import pytest
from django.urls import reverse

from judging import tasks
from judging.actions import collection_counts, jobs
from judging.imports.actions import datasets
from judging.models import Campaign, Collection, Job, Membership, Quarantine, User
from tests import factories
from tests.judging.studies import NOW, study

pytestmark = pytest.mark.django_db


def imported(owner: User, **options) -> Collection:
    return datasets.import_study(
        study=study(), name="Canal towns", by=owner, now=NOW, **options
    ).collection


def test_list_of_nothing_says_what_to_do_next(page):
    answer = page.get(reverse("judging:collections"))

    assert answer.status_code == 200
    assert "No datasets yet" in answer.text
    assert reverse("judging:collection_new") in answer.text


def test_list_of_nothing_offers_no_import_to_whom_may_not(client):
    client.force_login(factories.user())

    answer = client.get(reverse("judging:collections"))

    assert "No datasets yet" in answer.text
    assert reverse("judging:collection_new") not in answer.text


def test_list_counts_what_each_collection_holds(page, owner):
    made = imported(owner)

    answer = page.get(reverse("judging:collections"))

    assert reverse("judging:collection", args=[made.pk]) in answer.text
    [(_row, held)] = answer.context["listed"]
    assert (held.sources, held.systems, held.questions) == (2, 2, 3)


def test_list_passes_over_a_collection_that_is_deleted_at_this_moment(page, owner, monkeypatch):
    stays, goes = imported(owner), Collection.objects.create(name="Gone soon", owner=owner)
    totals = collection_counts.totals

    def after_it_was_deleted(listed):
        listed = list(listed)
        Collection.objects.filter(pk=goes.pk).delete()
        return totals(listed)

    monkeypatch.setattr(collection_counts, "totals", after_it_was_deleted)
    answer = page.get(reverse("judging:collections"))

    assert [each for each, _held in answer.context["listed"]] == [stays]


def test_list_takes_the_same_queries_for_one_row_and_three(page, owner, django_assert_num_queries):
    imported(owner)
    page.get(reverse("judging:collections"))
    with django_assert_num_queries(5):
        page.get(reverse("judging:collections"))
    for _ in range(2):
        imported(owner)
    with django_assert_num_queries(5):
        page.get(reverse("judging:collections"))


def test_collection_shows_systems_scores_origin_and_the_way_to_a_campaign(page, owner):
    made = imported(owner, licence="CC BY 4.0")

    answer = page.get(reverse("judging:collection", args=[made.pk]))

    assert [(each.name, each.returned, each.missing) for each in answer.context["systems"]] == [
        ("Alba", 2, 0),
        ("Brisa", 1, 1),
    ]
    assert "Bleu_4" in answer.text
    assert "CC BY 4.0" in answer.text
    assert f"{reverse('judging:campaign_new')}?collection={made.pk}" in answer.text


def test_collection_takes_the_same_queries_for_one_row_and_three(
    page, owner, django_assert_num_queries
):
    made = factories.collection(owner=owner, systems=["Alba"])
    factories.campaign(collection=made, manager=owner)
    Quarantine.objects.create(collection=made, row=1, reason="Bad.")
    url = reverse("judging:collection", args=[made.pk])
    page.get(url)
    with django_assert_num_queries(21):
        page.get(url)
    for number in range(2):
        made.systems.create(name=f"System {number}")
        factories.campaign(collection=made, manager=owner)
        Quarantine.objects.create(collection=made, row=1, reason="Bad.")
    with django_assert_num_queries(21):
        page.get(url)


def test_collection_lists_quarantine_and_hands_it_out_as_csv(page, owner):
    made = imported(owner)
    Quarantine.objects.create(
        collection=made, row=7, column="correctness", value="31", reason="Not on the scale."
    )
    Quarantine.objects.create(
        collection=made, row=8, column="note", value='=HYPERLINK("x")', reason="Lost."
    )

    answer = page.get(reverse("judging:collection", args=[made.pk]))
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
    made = campaign.collection
    Quarantine.objects.create(  # as degrading excludes a question that has no such word
        collection=made, row=1, column="Alba, no entities", value="Who?", reason="No such word."
    )
    for role in ("analyst", "annotator"):
        Membership.objects.create(user=analyst, campaign=campaign, role=role)
    client.force_login(analyst)
    own = reverse("judging:collection", args=[made.pk])
    table = reverse("judging:quarantine", args=[made.pk])

    blind = client.get(own)
    assert (blind.status_code, "Alba, no entities" in blind.text) == (200, False)
    assert "its rows are shown once the campaign has ended" in blind.text
    assert client.get(table).status_code == 403

    done = {"locked_at": NOW, "protocol": {}, "protocol_digest": "x"}
    Campaign.objects.filter(pk=campaign.pk).update(state="closed", **done)
    assert "Alba, no entities" in client.get(own).text
    assert client.get(table).status_code == 200


def test_html_in_a_collection_renders_as_text(page, owner):
    made = factories.collection(owner=owner, systems=["<script>alert(1)</script>"])
    Quarantine.objects.create(
        collection=made, row=1, column="<b>", value="<img src=x>", reason="<i>"
    )

    answer = page.get(reverse("judging:collection", args=[made.pk]))

    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in answer.text
    assert "<img src=x>" not in answer.text


def test_campaigns_of_others_on_a_collection_are_listed_for_its_owner_only(page, owner, client):
    made, reader = factories.collection(owner=owner), factories.researcher()
    factories.campaign(collection=made, title="Somebody else's")
    own = factories.campaign(collection=made, manager=owner)
    own.memberships.create(user=reader, role="analyst")

    assert "Somebody else" in page.get(reverse("judging:collection", args=[made.pk])).text
    client.force_login(reader)
    answer = client.get(reverse("judging:collection", args=[made.pk]))
    assert answer.status_code == 200
    assert "Somebody else" not in answer.text


@pytest.mark.parametrize("name", ["judging:collection", "judging:quarantine"])
def test_collection_of_somebody_else_is_not_found(page, name):
    assert page.get(reverse(name, args=[factories.collection().pk])).status_code == 404


@pytest.mark.parametrize("name", ["judging:collection", "judging:quarantine"])
def test_unknown_collection_is_not_found(page, name):
    assert page.get(reverse(name, args=[999_999])).status_code == 404


def test_members_see_a_collection_through_their_campaign_and_annotators_do_not(client):
    campaign = factories.campaign()
    url = reverse("judging:collection", args=[campaign.collection.pk])
    analyst, annotator = factories.user(), factories.user()
    Membership.objects.create(user=analyst, campaign=campaign, role="analyst")
    Membership.objects.create(user=annotator, campaign=campaign, role="annotator")

    client.force_login(analyst)
    assert client.get(url).status_code == 200
    client.force_login(annotator)
    assert client.get(url).status_code == 404


@pytest.mark.parametrize(
    "name", ["judging:collections", "judging:collection", "judging:quarantine"]
)
def test_strangers_are_sent_to_log_in_and_wrong_verbs_are_refused(client, owner, name):
    made = factories.collection(owner=owner)
    url = reverse(name, args=[] if name == "judging:collections" else [made.pk])

    assert client.get(url).url.startswith(reverse("login"))
    client.force_login(owner)
    assert client.post(url).status_code == 405


def test_delete_counts_what_would_go_and_removes_it_on_a_second_word(page, owner):
    made = imported(owner)
    address = reverse("judging:collection_delete", args=[made.pk])

    assert address in page.get(reverse("judging:collection", args=[made.pk])).text
    asked = page.get(address)
    assert (asked.context["held"].questions, asked.context["score_count"]) == (3, 3)
    assert Collection.objects.exists()
    answer = page.post(address, follow=True)

    assert "“Canal towns” is deleted." in answer.text
    assert not Collection.objects.exists()


def test_delete_names_the_campaigns_in_its_way(page, owner):
    made = imported(owner)
    factories.campaign(collection=made, manager=owner, title="Spring")
    factories.campaign(collection=made, title="Of others")

    for answer in (
        page.get(address := reverse("judging:collection_delete", args=[made.pk])),
        page.post(address),
    ):
        assert "Spring" in answer.text
        assert "Of others" not in answer.text
        assert "1 campaign in which you have no role" in answer.text
    assert answer.status_code == 409
    assert Collection.objects.exists()


def test_delete_of_a_large_collection_is_a_job(page, owner, monkeypatch):
    made = imported(owner)
    monkeypatch.setattr("judging.actions.collections.LARGE", 2)

    page.post(reverse("judging:collection_delete", args=[made.pk]))
    answer = page.post(reverse("judging:collection_delete", args=[made.pk]))

    job = Job.objects.get()
    assert (job.kind, job.collection, job.state) == ("judging.delete_collection", made, "queued")
    assert answer.url == reverse("judging:job", args=[job.pk])
    tasks.delete_collection(jobs.Work(jobs.claim(job_id=job.pk), worker="test"))
    assert not Collection.objects.exists()


def test_delete_is_the_owners(client, owner):
    made = imported(owner)
    address = reverse("judging:collection_delete", args=[made.pk])
    campaign = factories.campaign(collection=made)
    assert client.post(address).url.startswith(reverse("login"))
    client.force_login(campaign.created_by)
    assert client.post(address).status_code == 403
    client.force_login(factories.researcher())
    assert client.post(address).status_code == 404
    assert Collection.objects.exists()
