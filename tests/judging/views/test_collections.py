import csv

import pytest
from django.test import Client
from django.urls import reverse

from judging.actions import imports
from judging.models import Collection, Membership, Quarantine, User
from tests import factories
from tests.judging.studies import NOW, study

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return factories.researcher()


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def imported(owner: User, **options) -> Collection:
    return imports.import_study(study=study(), name="Canal towns", by=owner, now=NOW, **options).collection


def test_list_of_nothing_says_what_to_do_next(page):
    answer = page.get(reverse("judging:collections"))

    assert answer.status_code == 200
    assert "No collections yet" in answer.text
    assert reverse("judging:import") in answer.text


def test_list_of_nothing_offers_no_import_to_whom_may_not(client):
    client.force_login(factories.user())

    answer = client.get(reverse("judging:collections"))

    assert "No collections yet" in answer.text
    assert reverse("judging:import") not in answer.text


def test_list_counts_what_each_collection_holds(page, owner):
    made = imported(owner)

    answer = page.get(reverse("judging:collections"))

    assert reverse("judging:collection", args=[made.pk]) in answer.text
    row = answer.context["page"].object_list[0]
    assert (row.source_count, row.system_count, row.question_count) == (2, 2, 3)


def test_list_takes_the_same_queries_for_one_row_and_three(page, owner, django_assert_num_queries):
    imported(owner)
    page.get(reverse("judging:collections"))
    with django_assert_num_queries(4):
        page.get(reverse("judging:collections"))
    for _ in range(2):
        imported(owner)
    with django_assert_num_queries(4):
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


def test_collection_takes_the_same_queries_for_one_row_and_three(page, owner, django_assert_num_queries):
    made = factories.collection(owner=owner, systems=["Alba"])
    factories.campaign(collection=made, manager=owner)
    Quarantine.objects.create(collection=made, row=1, reason="Bad.")
    url = reverse("judging:collection", args=[made.pk])
    page.get(url)
    with django_assert_num_queries(9):
        page.get(url)
    for number in range(2):
        made.systems.create(name=f"System {number}")
        factories.campaign(collection=made, manager=owner)
        Quarantine.objects.create(collection=made, row=1, reason="Bad.")
    with django_assert_num_queries(9):
        page.get(url)


def test_collection_lists_quarantine_and_hands_it_out_as_csv(page, owner):
    made = imported(owner)
    Quarantine.objects.create(collection=made, row=7, column="correctness", value="31", reason="Not on the scale.")
    Quarantine.objects.create(collection=made, row=8, column="note", value='=HYPERLINK("x")', reason="Lost.")

    answer = page.get(reverse("judging:collection", args=[made.pk]))
    assert "Not on the scale." in answer.text

    file = page.get(reverse("judging:quarantine", args=[made.pk]))
    assert file["Content-Type"] == "text/csv; charset=utf-8"
    assert list(csv.reader(file.getvalue().decode().splitlines())) == [
        ["row", "column", "value", "reason"],
        ["7", "correctness", "31", "Not on the scale."],
        ["8", "note", '\'=HYPERLINK("x")', "Lost."],
    ]


def test_html_in_a_collection_renders_as_text(page, owner):
    made = factories.collection(owner=owner, systems=["<script>alert(1)</script>"])
    Quarantine.objects.create(collection=made, row=1, column="<b>", value="<img src=x>", reason="<i>")

    answer = page.get(reverse("judging:collection", args=[made.pk]))

    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in answer.text
    assert "<img src=x>" not in answer.text


def test_campaigns_of_others_on_a_collection_are_not_listed(page, owner):
    made = factories.collection(owner=owner)
    factories.campaign(collection=made, title="Somebody else's")

    assert "Somebody else" not in page.get(reverse("judging:collection", args=[made.pk])).text


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


@pytest.mark.parametrize("name", ["judging:collections", "judging:collection", "judging:quarantine"])
def test_strangers_are_sent_to_log_in_and_wrong_verbs_are_refused(client, owner, name):
    made = factories.collection(owner=owner)
    url = reverse(name, args=[] if name == "judging:collections" else [made.pk])

    assert client.get(url).url.startswith(reverse("login"))
    client.force_login(owner)
    assert client.post(url).status_code == 405
