"""Who is named in a report as having judged while knowing the systems."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from analysis.runs.actions import runs
from analysis.scoring.actions import degradations
from analysis.scoring.actions.degrading import WantedDegradation
from analysis.sections import about as about_section
from analysis.sections.page import results_in_words
from judging.campaigns.actions import campaigns, dataset_uses
from judging.campaigns.guards import judges_now
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Membership
from judging.crowd.actions import crowd_platforms
from judging.datasets.actions import datasets
from judging.datasets.models.added_file import AddedFile
from judging.datasets.models.dataset import Dataset, DatasetShare
from judging.enrolments.actions import enrollments
from judging.jobs import storage
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.quality.actions import exclusions
from judging.quality.actions.blinding import unblinded
from judging.quality.models.exercise import QualificationTry
from tests import factories
from tests.analysis.sections import stored
from tests.analysis.sections.computing import records
from tests.analysis.studies import analysed
from tests.annotation import studies

pytestmark = pytest.mark.django_db
RATE = {"amount": "0.50", "currency": "EUR", "minutes": "3"}


def begun(campaign: Campaign, person: User) -> Assignment:
    campaigns.add_member(campaign=campaign, user=person, role="annotator")
    return studies.held(enrollments.enroll(campaign=campaign, user=person))


def submitted(task: Assignment) -> tuple[str, str]:
    """Submit a task and return its annotator's label and what became of it."""
    client = factories.logged_in(task.enrollment.user)
    client.post(f"/tasks/{task.pk}/submit/?step=0", studies.filled(task))
    task.refresh_from_db()
    return task.enrollment.label, task.state


def test_unblinded_are_managers_who_judged() -> None:
    campaign, manager = studies.opened(annotators_per_task=3), factories.researcher()
    submitted(begun(campaign, factories.user()))
    campaigns.add_member(campaign=campaign, user=manager, role="manager")
    task = begun(campaign, manager)
    assert unblinded(campaign) == []
    label, state = submitted(task)
    assert state == "submitted"
    assert unblinded(campaign) == [label]


def test_unblinded_are_managers_whose_task_came_too_late() -> None:
    campaign = studies.opened()
    task = begun(campaign, campaign.created_by)
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    label, state = submitted(task)
    assert state == "extra"
    assert unblinded(campaign) == [label]


def test_unblinded_are_former_managers_as_far_as_the_data_can_tell() -> None:
    campaign, other, judge = (
        studies.opened(annotators_per_task=3),
        factories.researcher(),
        factories.user(),
    )
    campaigns.add_member(campaign=campaign, user=other, role="manager")
    maker, excluder = campaign.created_by, factories.researcher()
    labels = [submitted(begun(campaign, person))[0] for person in (maker, excluder, judge)]
    campaigns.remove_member(campaign=campaign, user=maker, role="manager")
    assert unblinded(campaign) == [labels[0]]
    excluded_by_run = campaign.enrollments.get(user=judge)
    exclusions.exclude_annotator(
        enrollment=excluded_by_run, reason="A trial.", by=excluder, now=timezone.now()
    )
    assert unblinded(campaign) == labels[:2]


def test_unblinded_are_those_who_gave_a_role_up_before_they_judged_or_see_the_material() -> None:
    campaign = studies.opened(annotators_per_task=5)
    was_analyst, of_another, user_of_it, nobody = (factories.researcher() for _ in range(4))
    campaigns.add_member(campaign=campaign, user=was_analyst, role="analyst")
    campaigns.remove_member(campaign=campaign, user=was_analyst, role="analyst")
    again = factories.campaign(dataset=campaign.dataset, manager=campaign.created_by)
    campaigns.add_member(campaign=again, user=of_another, role="analyst")
    datasets.share_dataset(dataset=campaign.dataset, user=user_of_it)
    used_it, owner = factories.researcher(), campaign.dataset.owner
    datasets.share_dataset(dataset=campaign.dataset, user=used_it)
    dataset_uses.end_use(dataset=campaign.dataset, user=used_it, now=timezone.now())
    dataset_uses.transfer_dataset(dataset=campaign.dataset, to=user_of_it)
    dataset_uses.end_use(dataset=campaign.dataset, user=owner, now=timezone.now())
    people = (was_analyst, of_another, user_of_it, used_it, nobody)
    labels = [submitted(begun(campaign, person))[0] for person in people]
    assert unblinded(campaign) == labels[:4]


def test_unblinded_are_those_who_declined_and_joined_by_a_link_after_they_could_look() -> None:
    first = studies.opened()
    campaign = factories.opened(dataset=first.dataset, manager=first.created_by)
    analyst, stranger = factories.researcher(), factories.user()
    campaigns.add_member(campaign=first, user=analyst, role="analyst")
    labels = []
    for person in (analyst, stranger):
        campaigns.add_member(campaign=campaign, user=person, role="annotator")
        enrollments.decline_enrolment(campaign=campaign, user=person)
    campaigns.remove_member(campaign=first, user=analyst, role="analyst")
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by, places=2)
    for person in (analyst, stranger):
        enrollments.join_by_link(invitation=link, user=person, agreed=True, now=timezone.now())
        task = studies.held(campaign.enrollments.select_related("campaign").get(user=person))
        labels.append(submitted(task)[0])
    assert unblinded(campaign) == labels[:1]


def test_unblinded_are_those_who_saw_the_material_through_a_draft_that_is_gone() -> None:
    campaign = studies.opened(annotators_per_task=5)
    owner, reader, maker = campaign.dataset.owner, factories.researcher(), factories.researcher()
    of_another = factories.researcher()
    drafts = [planned(campaign.dataset, owner), planned(campaign.dataset, maker)]
    campaigns.add_member(campaign=drafts[0], user=reader, role="analyst")
    campaigns.add_member(
        campaign=planned(factories.dataset(), owner), user=of_another, role="analyst"
    )
    for draft in drafts:
        campaigns.discard_draft(campaign=draft, by=draft.created_by)
    labels = [submitted(begun(campaign, person))[0] for person in (reader, maker, of_another)]
    assert unblinded(campaign) == labels[:2]


def test_whoever_is_erased_is_named_neither_as_not_blind_nor_as_having_read_others() -> None:
    kept = [stored.about(unblinded=["A01", "A02"], read_others=["A02", "A03"])]
    [row] = about_section.About.without(kept, {"A02"})
    assert (row["unblinded"], row["read_others"]) == (["A01"], ["A03"])


def test_page_of_a_report_names_who_could_have_known_the_systems() -> None:
    campaign = studies.opened(annotators_per_task=3)
    label, _ = submitted(begun(campaign, campaign.created_by))
    analysed(campaign, metrics=[], mixed_model="never")
    page = factories.logged_in(campaign.created_by).get(
        reverse("analysis:report", args=[campaign.uuid])
    )
    assert (
        f"{label} could have known which system wrote which question: a role, a permission or an action of "
        "their own gave them access to the dataset before or between their judgments."
    ) in page.text


def planned(dataset: Dataset, by: User) -> Campaign:
    """Return a draft that was made as pages make it, with its place in the history."""
    return campaigns.create_campaign(
        by=by, dataset=dataset, protocol=factories.protocol(), plan={"title": "A draft"}
    )


def copied(of: Dataset, by: User) -> Dataset:
    """Return a degraded copy that holds all questions of the dataset under their systems."""
    wanted = WantedDegradation(
        name="Worse", systems=["Alba"], noise=["function_words"], beside="all"
    )
    return degradations.degrade_dataset(dataset=of, wanted=wanted, by=by)


def test_unblinded_are_those_who_see_the_material_in_a_degraded_copy_or_its_original() -> None:
    campaign, copier = studies.opened(annotators_per_task=5), factories.researcher()
    between = copied(campaign.dataset, copier)
    last = copied(between, copier)
    second = factories.opened(dataset=last, protocol=campaign.protocol, annotators_per_task=5)
    of_first, of_second = factories.researcher(), factories.researcher()
    campaigns.add_member(campaign=campaign, user=of_first, role="analyst")
    campaigns.add_member(campaign=second, user=of_second, role="analyst")
    unrelated = factories.opened(dataset=factories.dataset())
    campaigns.add_member(campaign=unrelated, user=(other := factories.researcher()), role="analyst")
    people = (of_first, of_second, copier, other)
    for each in (campaign, second):
        labels = [submitted(begun(each, person))[0] for person in people]
        assert unblinded(each) == labels[:3]
    dataset_uses.delete_dataset(
        dataset=between
    )  # the history still says of what the last is a copy
    assert unblinded(second) == labels[:3]


def test_unblinded_are_those_who_see_the_same_file_in_another_dataset() -> None:
    file, other = (storage.store_bytes(data) for data in (b"the same", b"another"))
    campaign = studies.opened(annotators_per_task=5)
    Dataset.objects.filter(pk=campaign.dataset_id).update(file_sha256=file.sha256)
    again = factories.dataset(file_sha256=other.sha256)
    again.added_files.create(
        number=1, file=file, added_by=again.owner, state="added", added_at=timezone.now()
    )
    elsewhere = factories.dataset(file_sha256=other.sha256[::-1])
    people = (again.owner, elsewhere.owner)
    labels = [submitted(begun(campaign, person))[0] for person in people]
    assert unblinded(campaign) == labels[:1]


def test_unblinded_are_those_who_saw_the_same_file_in_a_dataset_that_is_gone() -> None:
    campaign, reader = studies.opened(annotators_per_task=5), factories.researcher()
    Dataset.objects.filter(pk=campaign.dataset_id).update(file_sha256="a" * 64)
    again = factories.dataset(file_sha256="a" * 64)
    draft = planned(again, again.owner)
    campaigns.add_member(campaign=draft, user=reader, role="analyst")
    campaigns.discard_draft(campaign=draft, by=again.owner)
    dataset_uses.delete_dataset(dataset=again, by=again.owner)
    labels = [submitted(begun(campaign, person))[0] for person in (reader, again.owner)]
    assert unblinded(campaign) == labels


def test_unblinded_are_those_who_changed_the_protocol_and_judged() -> None:
    campaign, changer = studies.opened(annotators_per_task=3), factories.researcher()
    label, _ = submitted(begun(campaign, changer))
    assert unblinded(campaign) == []
    campaign.deviations.create(what="annotators", made_by=changer, made_at=timezone.now())
    assert unblinded(campaign) == [label]


def test_unblinded_are_analysts_who_judged() -> None:
    campaign, analyst = studies.opened(annotators_per_task=3), factories.researcher()
    campaigns.add_member(campaign=campaign, user=analyst, role="analyst")
    label, _ = submitted(begun(campaign, analyst))
    assert unblinded(campaign) == [label]


def same_file(campaign: Campaign, *, owner: User | None = None) -> Dataset:
    """Return a dataset of somebody else that was made of the study's file."""
    Dataset.objects.filter(pk=campaign.dataset_id).update(file_sha256="a" * 64)
    return factories.dataset(owner=owner, file_sha256="a" * 64)


def share(of: Dataset, person: User) -> None:
    datasets.share_dataset(dataset=of, user=person, by=of.owner)


def name_analyst(of: Dataset, person: User) -> None:
    own = planned(of, of.owner)
    campaigns.add_member(campaign=own, user=person, role="analyst", by=of.owner)


def name_manager_for_a_moment(of: Dataset, person: User) -> None:
    own = planned(of, of.owner)
    campaigns.add_member(campaign=own, user=person, role="manager", by=of.owner)
    campaigns.remove_member(campaign=own, user=person, role="manager", by=of.owner)


def hand_over(of: Dataset, person: User) -> None:
    dataset_uses.transfer_dataset(dataset=of, to=person, by=of.owner)


def hand_over_unwanted(of: Dataset, person: User) -> None:
    """Hand a dataset over to somebody who deletes it."""
    hand_over(of, person)
    dataset_uses.delete_dataset(dataset=of, by=person)


def hand_to_and_fro(of: Dataset, person: User) -> None:
    """Hand a dataset over to somebody who gives it back."""
    owner = of.owner
    dataset_uses.transfer_dataset(dataset=of, to=person, by=owner)
    of.refresh_from_db()
    dataset_uses.transfer_dataset(dataset=of, to=owner, by=person)


GIVEN = [
    share,
    name_analyst,
    name_manager_for_a_moment,
    hand_over,
    hand_over_unwanted,
    hand_to_and_fro,
]
WHENEVER = ("before", "while they judge", "at the end", "once it is closed")


@pytest.mark.parametrize(
    ("give", "when"),
    [
        pytest.param(
            give, when, marks=() if give is share or when == WHENEVER[1] else pytest.mark.long
        )
        for give in GIVEN
        for when in WHENEVER
    ],
)
def test_what_others_give_makes_nobody_unblinded_who_has_begun(give, when: str) -> None:
    campaign, honest = studies.opened(annotators_per_task=3), factories.researcher()
    theirs = same_file(campaign)
    if when == "before":
        give(theirs, honest)
    task = begun(campaign, honest)
    if when == "while they judge":
        give(theirs, honest)
    label, _ = submitted(task)
    if when == "at the end":
        give(theirs, honest)
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    if when == "once it is closed":
        give(theirs, honest)
    assert unblinded(campaign) == ([label] if when == "before" else [])


def test_a_share_by_the_page_of_a_stranger_makes_nobody_unblinded() -> None:
    campaign, honest = studies.opened(annotators_per_task=3), factories.researcher()
    theirs, task = same_file(campaign), begun(campaign, honest)
    name = {"username": honest.get_username()}
    answer = factories.logged_in(theirs.owner).post(f"/datasets/{theirs.pk}/share/", name)
    assert (answer.status_code, theirs.shares.count()) == (302, 1)
    submitted(task)
    assert unblinded(campaign) == []


def test_a_file_that_comes_into_a_shared_dataset_later_makes_nobody_unblinded() -> None:
    campaign, honest, maker = studies.opened(), factories.researcher(), factories.researcher()
    file = storage.store_bytes(b"the same")
    Dataset.objects.filter(pk=campaign.dataset_id).update(file_sha256=file.sha256)
    theirs, once_own = factories.dataset(), factories.dataset(owner=maker)
    share(theirs, honest)
    dataset_uses.transfer_dataset(dataset=once_own, to=theirs.owner, by=maker)
    for each in (theirs, once_own):
        name_analyst(each, honest)
    tasks = [begun(campaign, person) for person in (honest, maker)]
    for each in (theirs, once_own):
        each.added_files.create(
            number=1, file=file, added_by=theirs.owner, state="added", added_at=timezone.now()
        )
        Dataset.objects.filter(pk=each.pk).update(file_sha256=file.sha256)
    labels = [submitted(task)[0] for task in tasks]
    assert unblinded(campaign) == []
    AddedFile.objects.update(uploaded_at=timezone.now() - timedelta(days=1))
    assert unblinded(campaign) == labels


@pytest.mark.parametrize("has_it", [False, True])
def test_unblinded_are_those_who_send_the_file_themselves_before_their_last_judgment(
    has_it,
) -> None:
    campaign, sender = studies.opened(annotators_per_task=3), factories.researcher()
    file = storage.store_bytes(b"the same")
    Dataset.objects.filter(pk=campaign.dataset_id).update(file_sha256=file.sha256)
    own, task = factories.dataset(owner=sender), begun(campaign, sender)
    sent_at = timezone.now()
    label, _ = submitted(task)
    now = timezone.now()
    own.added_files.create(number=1, file=file, added_by=sender, state="added", added_at=now)
    if has_it:  # it waited to be added
        AddedFile.objects.update(uploaded_at=sent_at)
    assert unblinded(campaign) == ([label] if has_it else [])


def test_a_file_that_the_study_gets_later_was_seen_elsewhere_until_then() -> None:
    """Only then does the other dataset hold what they judge, and is it closed to them."""
    campaign, reader = studies.opened(), factories.researcher()
    file = storage.store_bytes(b"the same")
    theirs, task = factories.dataset(file_sha256=file.sha256), begun(campaign, reader)
    share(theirs, reader)
    campaign.dataset.added_files.create(
        number=1, file=file, added_by=theirs.owner, state="added", added_at=timezone.now()
    )
    label, _ = submitted(task)
    assert unblinded(campaign) == [label]
    AddedFile.objects.update(added_at=timezone.now())  # they had judged nothing of it
    assert unblinded(campaign) == []


@pytest.mark.parametrize("act", ["export", "report", "copy", "study", "upload", "nothing", "plan"])
def test_unblinded_are_those_who_use_what_they_were_given_while_they_judge(act: str) -> None:
    campaign, analyst = studies.opened(annotators_per_task=3), factories.researcher()
    task = begun(campaign, analyst)
    campaigns.add_member(campaign=campaign, user=analyst, role="analyst", by=campaign.created_by)
    share(campaign.dataset, analyst)
    do = {
        "export": lambda: export(campaign, analyst, "judgments.csv"),
        "report": lambda: runs.start_run(campaign=campaign, by=analyst, seed=1, parameters={}),
        "copy": lambda: copied(campaign.dataset, analyst),
        "study": lambda: planned(campaign.dataset, analyst),
        "upload": lambda: same_file(campaign, owner=analyst),
        "plan": lambda: export(campaign, analyst, "preregistration.md"),
    }.get(act, lambda: None)
    do()
    label, _ = submitted(task)
    assert unblinded(campaign) == ([] if act in ("nothing", "plan") else [label])


def export(campaign: Campaign, by: User, name: str) -> None:
    history.record_event(Event.Act.EXPORTED, by=by, campaign=campaign, about=name)


def test_what_somebody_does_after_their_last_judgment_makes_nobody_unblinded() -> None:
    campaign, reader = studies.opened(annotators_per_task=3), factories.researcher()
    label, _ = submitted(begun(campaign, reader))
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    campaigns.add_member(campaign=campaign, user=reader, role="manager", by=campaign.created_by)
    export(campaign, reader, "judgments.csv")
    own = same_file(campaign, owner=reader)
    planned(own, reader)
    campaign.deviations.create(what="annotators", made_by=reader, made_at=timezone.now())
    assert unblinded(campaign) == []
    Dataset.objects.filter(pk=own.pk).update(created_at=campaign.created_at)
    assert unblinded(campaign) == [label]


@pytest.mark.parametrize("when", ["before it was closed", "while it was closed", "afterwards"])
def test_unblinded_are_those_who_could_look_while_a_study_was_closed_in_between(when: str) -> None:
    campaign, reader = studies.opened(annotators_per_task=3), factories.researcher()
    theirs, task = same_file(campaign), begun(campaign, reader)
    if when == "before it was closed":
        share(theirs, reader)
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    if when == "while it was closed":
        share(theirs, reader)
    campaigns.open_campaign(campaign=campaign, now=timezone.now())
    if when == "afterwards":
        share(theirs, reader)
    label, state = submitted(task)
    assert state == "submitted"
    assert unblinded(campaign) == ([] if when == "afterwards" else [label])


def test_unblinded_are_those_who_hand_in_after_the_end_what_others_gave_them_meanwhile() -> None:
    campaign, reader = studies.opened(annotators_per_task=3), factories.researcher()
    theirs, task = same_file(campaign), begun(campaign, reader)
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    share(theirs, reader)
    label, state = submitted(task)
    assert state == "extra"
    assert unblinded(campaign) == [label]


def test_unblinded_are_those_who_could_look_while_a_study_was_out_of_use() -> None:
    owner, maker = factories.researcher(), factories.researcher()
    material = factories.dataset(owner=owner)
    campaign = factories.opened(dataset=material, manager=maker, annotators_per_task=3)
    reader = factories.researcher()
    task = begun(campaign, reader)
    share(material, reader)
    dataset_uses.end_use(dataset=material, user=maker, now=timezone.now(), by=owner)
    datasets.share_dataset(dataset=material, user=maker, by=owner)
    campaigns.open_campaign(campaign=campaign, now=timezone.now())
    label, _ = submitted(task)
    assert unblinded(campaign) == [label]


def test_unblinded_are_those_who_got_a_right_in_another_study_before_they_began_in_this() -> None:
    first, reader = studies.opened(annotators_per_task=3), factories.researcher()
    second = factories.opened(
        dataset=first.dataset, manager=first.created_by, annotators_per_task=3
    )
    task = begun(first, reader)
    campaigns.add_member(campaign=first, user=reader, role="analyst", by=first.created_by)
    submitted(task)
    campaigns.close_campaign(campaign=first, now=timezone.now())
    label, _ = submitted(begun(second, reader))
    assert (unblinded(first), unblinded(second)) == ([], [label])


@pytest.mark.parametrize("where", ["here", "elsewhere", "as owner"])
def test_a_name_on_the_list_of_annotators_closes_the_studys_own_dataset_alone(where) -> None:
    campaign, reader = studies.opened(annotators_per_task=3), factories.researcher()
    theirs = same_file(campaign)
    campaigns.add_member(campaign=campaign, user=reader, role="annotator")
    give = hand_over if where == "as owner" else share
    give(theirs if where == "elsewhere" else campaign.dataset, reader)
    campaign.refresh_from_db()
    assert judges_now(reader, campaign.dataset) == (where != "as owner")
    assert not judges_now(reader, theirs)
    label, _ = submitted(begun(campaign, reader))
    assert unblinded(campaign) == ([] if where == "here" else [label])


def test_unblinded_are_those_who_could_look_before_they_were_named_once_more() -> None:
    campaign, reader = studies.opened(annotators_per_task=3), factories.researcher()
    enrollments.enroll(campaign=campaign, user=reader)
    campaigns.remove_member(campaign=campaign, user=reader, role="annotator")
    share(campaign.dataset, reader)
    assert not judges_now(reader, campaign.dataset)
    label, _ = submitted(begun(campaign, reader))
    # the time a task is taken is that of the transaction, so here of the whole test
    Assignment.objects.filter(enrollment__user=reader).update(held_at=timezone.now())
    assert unblinded(campaign) == [label]


def test_who_has_begun_is_not_unblinded_by_a_role_that_is_taken_and_given_again() -> None:
    campaign, honest = studies.opened(annotators_per_task=3), factories.researcher()
    task = begun(campaign, honest)
    campaigns.remove_member(campaign=campaign, user=honest, role="annotator")
    share(same_file(campaign), honest)
    assert judges_now(honest, campaign.dataset)
    submitted(task)
    assert unblinded(campaign) == []
    campaigns.add_member(campaign=campaign, user=honest, role="annotator")
    assert unblinded(campaign) == []


@pytest.mark.parametrize("when", ["before", "after"])
def test_of_a_study_that_is_older_than_the_history_what_came_before_it_counts(when: str) -> None:
    """It may have been closed and opened again."""
    campaign, reader = studies.opened(annotators_per_task=3), factories.researcher()
    task = begun(campaign, reader)
    share(campaign.dataset, reader)
    label, _ = submitted(task)
    assert unblinded(campaign) == []
    Campaign.objects.filter(pk=campaign.pk).update(uuid=uuid4())
    campaign.refresh_from_db()
    assert unblinded(campaign) == []
    long_ago = timezone.now() - timedelta(days=400)
    Membership.objects.filter(campaign=campaign, user=reader).update(created_at=long_ago)
    Enrollment.objects.filter(user=reader).update(created_at=long_ago)
    Assignment.objects.filter(pk=task.pk).update(held_at=long_ago)
    given = long_ago + timedelta(days=1) if when == "before" else timezone.now()
    DatasetShare.objects.filter(user=reader).update(created_at=given)
    assert unblinded(campaign) == ([label] if when == "before" else [])


def test_an_unfinished_study_says_how_many_places_were_filled() -> None:
    campaign = studies.opened(annotators_per_task=3)
    submitted(begun(campaign, factories.user()))
    [row] = records(about_section.About, campaign)
    places = campaign.rounds.get(kind="main").tasks.count() * 3
    assert (row["filled"], row["places"], row["sources_judged"]) == (1, places, 1)
    assert (row["campaign"], row["annotators"]) == (campaign.title, 1)
    told = " ".join(about_section.About().caveats(stored.found(about=[row])))
    assert (
        f"1 of {places} assignments are submitted, and 1 of {row['sources']} sources have judgments"
        in told
    )


def test_places_that_hold_no_value_are_told_among_those_handed_in() -> None:
    campaign = studies.opened(annotators_per_task=3)
    people = [factories.user() for _ in range(3)]
    tasks = [begun(campaign, person) for person in people]
    submitted(tasks[0])
    for person, task in zip(people[1:], tasks[1:], strict=True):
        form = {"token": task.submit_token, "sequence": 1} | {"b1": "Broken", "b2": "Broken"}
        factories.logged_in(person).post(f"/tasks/{task.pk}/submit/?step=0", form)
    [row] = records(about_section.About, campaign)
    assert (row["filled"], row["without_values"], row["annotators"]) == (3, 2, 1)
    found = stored.found(about=[row])
    assert "Of the submitted assignments, 2 have no rating." in list(
        about_section.About().caveats(found)
    )
    one = stored.found(about=[{**row, "without_values": 1}])
    assert "Of the submitted assignments, 1 has no rating." in list(
        about_section.About().caveats(one)
    )


def test_time_at_work_is_the_median_over_tasks_of_seconds_a_question() -> None:
    campaign = studies.opened(annotators_per_task=3)
    people = [factories.user() for _ in range(3)]
    for person, seconds in zip(people, (30, 90, 0), strict=True):
        task = begun(campaign, person)
        submitted(task)
        Assignment.objects.filter(pk=task.pk).update(active_seconds=seconds)
    [row] = records(about_section.About, campaign)
    assert row["seconds_a_question"] == (30 / 2 + 90 / 2) / 2  # of two systems on a source
    assert row["annotators"] == 3
    Assignment.objects.update(active_seconds=0)  # as where scripts are off
    [row] = records(about_section.About, campaign)
    assert row["seconds_a_question"] is None


def test_a_deviation_from_a_locked_protocol_is_told_with_what_was_before_and_after() -> None:
    campaign = studies.opened()
    campaign.deviations.create(
        what="annotators",
        before="three",
        after="two",
        reason="One fell ill.",
        made_by=campaign.created_by,
        made_at=datetime(2026, 5, 4, 23, tzinfo=UTC),
    )
    [row] = records(about_section.About, campaign)
    assert row["deviations"] == [
        {
            "day": "2026-05-04",
            "what": "annotators",
            "before": "three",
            "after": "two",
            "reason": "One fell ill.",
        }
    ]


def test_a_report_keeps_the_first_deviations_and_the_beginnings_of_their_texts(monkeypatch) -> None:
    monkeypatch.setattr(about_section, "MAX_PAGE_ROWS", 2)
    campaign = studies.opened()
    made = {"made_by": campaign.created_by, "made_at": timezone.now()}
    for _n in range(3):
        campaign.deviations.create(what="consent", before="a " * 5_000, after="b", **made)
    [row] = records(about_section.About, campaign)
    assert (len(row["deviations"]), row["deviation_count"]) == (2, 3)
    assert {len(each["before"]) for each in row["deviations"]} == {500}


@pytest.mark.parametrize(
    ("origin", "word"), [("simulated", "not by people"), ("imported", "imported from a file")]
)
def test_origin_that_is_not_people_here_is_said_first(origin: str, word: str) -> None:
    found = results_in_words(stored.found(about=[stored.about(origin=origin)]))
    assert found[0]["about"] == "Study"
    assert word in found[0]["text"]


def test_ratings_by_people_here_need_no_word_on_their_origin() -> None:
    assert results_in_words(stored.found()) == []


def test_nothing_judged_is_said() -> None:
    told = results_in_words(stored.found(about=[stored.about(judgments=0)]))
    assert "There are no ratings yet" in told[0]["text"]


def test_means_without_ratings_are_not_called_a_study_nobody_judged() -> None:
    found = stored.found(
        about=[stored.about(origin="imported", judgments=0)], metric_definitions=MEANS
    )
    told = results_in_words(found)
    assert told[0]["text"].startswith("The human ratings were imported as means over annotators")
    assert "Nobody" not in told[0]["text"]


MEANS = [{"name": "rating", "kind": "human_mean"}]
OUT = [{"annotator": "A1", "reason": "slept"}]


@pytest.mark.parametrize("metrics", [[], MEANS])
@pytest.mark.parametrize("out", [{"excluded": OUT}, {"excluded_by_run": ["annotator A1"]}])
def test_ratings_that_are_all_left_out_are_not_called_means(metrics: list, out: dict) -> None:
    about = stored.about(origin="imported", judgments=0, **out)
    (told,) = results_in_words(stored.found(about=[about], metric_definitions=metrics))
    assert "There are no ratings of included annotators" in told["text"]
    assert "means over annotators" not in told["text"]


def test_sources_that_nobody_judged_are_said() -> None:
    told = results_in_words(stored.found(about=[stored.about(sources=50, sources_judged=12)]))
    assert "12 of 50 sources have judgments" in told[0]["text"]


def test_people_are_told_as_they_were_found_let_in_and_paid() -> None:
    campaign = studies.opened(consent="I agree.", pass_mark=75, rate=RATE, trains=False)
    assert list(about_section._people(campaign)) == [
        "They agreed to a consent text before their first task.",
        "A task paid 0.50 EUR at a planned 3 min, 10.00 EUR an hour.",
    ]
    crowd_platforms.add_crowd_platform(campaign=campaign, kind="prolific", by=campaign.created_by)
    Campaign.objects.filter(pk=campaign.pk).update(qualifies=True)
    campaign.refresh_from_db()
    now = timezone.now()
    for label, qualified_at in (("A01", now), ("A02", None), ("A03", None)):
        own = factories.enrollment(campaign, label=label)
        Enrollment.objects.filter(pk=own.pk).update(qualified_at=qualified_at)
        for number in (1, 2) if label != "A03" else ():
            QualificationTry.objects.create(enrollment=own, number=number, made_at=now)
    told = list(about_section._people(campaign))
    assert told[0] == "Annotators came from Prolific."
    assert told[2] == (
        "They qualified on 0 items: 75% of the answers had to be right in one of 2 tries; "
        "1 of 2 passed."
    )
