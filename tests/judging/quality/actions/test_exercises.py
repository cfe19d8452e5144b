"""How many items the page of the qualification may show, and which right values are kept."""

import pytest
from django.db import transaction
from django.urls import reverse

from judging.quality.actions import exercises
from judging.quality.actions.exercises import CannotChangeExercises
from judging.quality.models.exercise import Exercise
from tests import factories
from tests.judging.enrolments.actions.test_enrollments import waiting_for_us
from tests.judging.quality.actions.test_qualifications import item
from tests.judging.trials import NOW
from tests.refusing import refused

pytestmark = pytest.mark.django_db


def add_again(client, first: Exercise):
    url = reverse("judging:exercise_add", args=[first.campaign.uuid, first.kind])
    return client.post(url, {"again": first.pk}, follow=True).text


@pytest.mark.long
def test_a_long_passage_is_refused_where_it_is_written(client) -> None:
    draft = factories.campaign()
    client.force_login(draft.created_by)
    url = reverse("judging:exercise_add", args=[draft.uuid, "qualification"])
    sent = {"question": "Who?", "accepted_correctness": ["3"]}
    assert client.post(url, sent | {"passage": "a" * 50_001}).status_code == 422
    assert client.post(url, sent | {"passage": "a" * 50_000}).status_code == 302
    assert Exercise.objects.count() == 1


def test_page_of_the_qualification_with_too_many_items_is_refused(monkeypatch, client) -> None:
    draft = factories.campaign()
    client.force_login(draft.created_by)
    monkeypatch.setattr(exercises, "MAX_PAGE_QUESTIONS", 2)
    first = item(draft)
    item(draft)
    add_again(client, first)
    assert draft.exercises.count() == 2


def test_the_page_of_the_qualification_has_no_more_points_than_other_pages(monkeypatch) -> None:
    draft = factories.campaign()  # two criteria with three points each
    monkeypatch.setattr(exercises, "MAX_PAGE_CHOICES", 12)
    item(draft)
    item(draft)
    for _ in range(3):
        item(draft, "training")  # one on a page
    with refused("page_too_large"):
        item(draft)


def test_a_right_value_that_is_sent_often_is_kept_once() -> None:
    draft = factories.campaign()
    made = item(draft, accepted=(3,) * 1_000)
    key = made.keys.get(criterion__key="correctness")
    assert key.accepted == [3]
    exercises.correct_key(key=key, accepted=(2, 1, 2), explanation="", by=draft.created_by, now=NOW)
    key.refresh_from_db()
    assert key.accepted == [1, 2]


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_two_who_add_the_last_item_at_the_same_moment_add_one(monkeypatch) -> None:
    monkeypatch.setattr(exercises, "MAX_PAGE_QUESTIONS", 2)
    draft, refused = factories.campaign(), []
    first = item(draft)

    def add() -> None:
        try:
            item(draft, again=first)
        except CannotChangeExercises as error:
            refused.append(error)

    with transaction.atomic():
        item(draft, again=first)
        adding = waiting_for_us(add)
    adding.join()
    assert (len(refused), draft.exercises.count()) == (1, 2)
