"""How much training and qualification may hold: counted for a campaign as a whole, whichever way it
comes in, and before a page or the protocol would hold it."""

import pytest
from django.db import transaction
from django.urls import reverse

from judging.actions import campaigns, clones, dry_runs, exercises, rounds
from judging.actions.campaigns import NotAllowedNow
from judging.actions.exercises import CannotChangeExercises
from judging.models import Campaign, Exercise
from judging.protocols import documents
from tests import factories
from tests.judging.actions.test_enrollments import waiting_for_us
from tests.judging.actions.test_qualifications import item
from tests.judging.trials import NOW

pytestmark = pytest.mark.django_db
HELD = len("Who built it?" + "Ada built it." + "Ada" + "It asks for her." + "[3]" + "[2, 3]")


def add_again(client, first: Exercise):
    url = reverse("judging:exercise_add", args=[first.campaign.uuid, first.kind])
    return client.post(url, {"again": first.pk}, follow=True).text


def test_a_long_passage_is_refused_where_it_is_written(client) -> None:
    draft = factories.campaign()
    client.force_login(draft.created_by)
    url = reverse("judging:exercise_add", args=[draft.uuid, "qualification"])
    sent = {"question": "Who?", "accepted_correctness": ["3"]}
    assert client.post(url, sent | {"passage": "a" * 50_001}).status_code == 422
    assert client.post(url, sent | {"passage": "a" * 50_000}).status_code == 302
    [made] = Exercise.objects.all()
    for _ in range(18):
        exercises.add(
            campaign=draft,
            kind="qualification",
            texts={},
            keys={},
            by=draft.created_by,
            repeats=made,
        )
    assert "would hold 1,000,140 characters, and 1,000,000 can be" in add_again(client, made)
    assert "Take items away" in add_again(client, made)
    assert Exercise.objects.count() == 19


def test_every_text_counts_and_what_is_asked_again_counts_again(monkeypatch, client) -> None:
    draft = factories.campaign()
    client.force_login(draft.created_by)
    monkeypatch.setattr(exercises, "MOST_CHARACTERS", 2 * HELD)
    first = item(draft)
    assert "would hold" not in add_again(client, first)
    with pytest.raises(CannotChangeExercises, match=f"would hold {3 * HELD} characters"):
        item(draft, "training")
    key = first.keys.get(criterion__key="correctness")
    longer = {"accepted": [3], "explanation": "It asks for her." + "x"}
    with pytest.raises(CannotChangeExercises, match=f"{2 * HELD + 2} characters"):
        exercises.mend(key=key, by=draft.created_by, now=NOW, **longer)
    exercises.remove(exercise=first.repetitions.get(), by=draft.created_by)
    exercises.mend(key=key, by=draft.created_by, now=NOW, **longer)


def test_items_of_a_kind_have_an_end(monkeypatch, client) -> None:
    draft = factories.campaign()
    client.force_login(draft.created_by)
    monkeypatch.setattr(exercises, "MOST_ITEMS", 2)
    for kind in ("training", "qualification"):
        first = item(draft, kind)
        item(draft, kind)
        assert f"3 items of the {kind} are too many: 2 can be" in add_again(client, first)
        assert draft.exercises.filter(kind=kind).count() == 2


def test_the_page_of_the_qualification_has_no_more_points_than_other_pages(monkeypatch) -> None:
    draft = factories.campaign()  # two criteria with three points each
    monkeypatch.setattr(rounds, "MOST_CHOICES", 12)
    item(draft)
    item(draft)
    for _ in range(3):
        item(draft, "training")  # one on a page
    with pytest.raises(CannotChangeExercises, match="18 points to choose from, and 12 can be"):
        item(draft)


def test_the_page_of_the_qualification_repeats_no_more_of_the_protocol_than_other_pages(
    monkeypatch,
) -> None:
    draft = factories.campaign()
    words = documents.longest_words(factories.small())
    monkeypatch.setattr(rounds, "MOST_WORDS", 2 * words)
    for kind in ("qualification", "training", "training", "training", "qualification"):
        item(draft, kind)
    with pytest.raises(CannotChangeExercises, match=f"would show {3 * words} characters"):
        item(draft)


def test_a_right_value_that_is_sent_often_is_kept_once() -> None:
    draft = factories.campaign()
    made = item(draft, accepted=(3,) * 1_000)
    key = made.keys.get(criterion__key="correctness")
    assert key.accepted == [3]
    exercises.mend(key=key, accepted=(2, 1, 2), explanation="", by=draft.created_by, now=NOW)
    key.refresh_from_db()
    assert key.accepted == [1, 2]


def filled_before_there_were_limits(draft: Campaign) -> None:
    first = item(draft)
    Exercise.objects.filter(pk=first.pk).update(passage="a" * 600_000)
    Exercise.objects.create(
        campaign=draft,
        kind=first.kind,
        number=2,
        question="Who?",
        passage="a" * 600_000,
        repeats=first,
    )


def test_a_plan_that_holds_more_is_neither_locked_nor_copied_and_says_what_to_do(client) -> None:
    draft = factories.campaign()
    filled_before_there_were_limits(draft)
    client.force_login(draft.created_by)
    refused = "would hold 1,200,0[0-9]+ characters.*Take items away"
    with pytest.raises(NotAllowedNow, match=refused):
        campaigns.lock(campaign=draft, now=NOW)
    for name in ("lock", "duplicate"):
        told = client.post(reverse(f"judging:{name}", args=[draft.uuid]), follow=True)
        assert told.status_code == 200
        assert "Take items away" in told.text
    with pytest.raises(NotAllowedNow, match=refused):
        dry_runs.copy(draft=draft, by=draft.created_by, now=NOW, settings={})
    assert Campaign.objects.count() == 1

    exercises.remove(exercise=draft.exercises.get(number=2), by=draft.created_by)
    campaigns.lock(campaign=draft, now=NOW)
    assert campaigns.duplicate(campaign=draft, by=draft.created_by).exercises.count() == 1


def test_a_closed_study_that_holds_more_is_not_reproduced_but_its_keys_are_mended() -> None:
    study = factories.opened()
    campaigns.close(campaign=study, now=NOW)
    first = Exercise.objects.create(
        campaign=study, kind="qualification", number=1, question="Who?", passage="a" * 1_000_001
    )
    key = first.keys.create(criterion=study.rubric.criteria.get(key="correctness"), accepted=[3])
    with pytest.raises(NotAllowedNow, match="Take items away"):
        clones.clone(campaign=study, by=study.created_by)
    exercises.mend(key=key, accepted=[2, 3], explanation="", by=study.created_by, now=NOW)
    with pytest.raises(CannotChangeExercises, match="would hold"):
        exercises.mend(key=key, accepted=[3], explanation="Why", by=study.created_by, now=NOW)
    key.refresh_from_db()
    assert (key.accepted, Campaign.objects.count()) == ([2, 3], 1)


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_two_who_add_the_last_item_at_the_same_moment_add_one(monkeypatch) -> None:
    monkeypatch.setattr(exercises, "MOST_ITEMS", 2)
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
