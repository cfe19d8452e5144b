"""Checks between tasks: when they come, what annotators see of them, and what comes out."""

import re
from collections.abc import Callable
from itertools import count, pairwise
from uuid import NAMESPACE_URL, uuid5

import pytest

from judging.campaigns import quality_plan
from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round, Task
from judging.campaigns.models.members import Enrollment
from judging.campaigns.quality_plan import QualityPlan
from judging.datasets.models.dataset import Dataset, Unit
from judging.overview.actions import erasures
from judging.people.models.event import Event
from judging.quality.actions import check_items, checks, snapshots
from judging.quality.models.check import CheckItem, CheckTask
from judging.quality.quality import Checked
from judging.work.actions import drafts, judgments, sheets
from judging.work.actions.assignments import Here
from judging.work.actions.drafts import SentPage
from judging.work.actions.sheets import Sheet
from judging.work.models.assignment import Note
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation.studies import main_round
from tests.refusing import refused

pytestmark = pytest.mark.django_db


def checked(*, sources: int = 30, key: str | None = None, prepare=None, **shares):
    """Return an open campaign with checks, each `gap` 3 tasks after what it is made of unless it
    says otherwise."""
    campaign = factories.campaign(
        dataset=factories.dataset(sources=sources, expected=1), protocol=factories.protocol(key)
    )
    plan = quality_plan.quality_plan_to_document(QualityPlan(**{"gap": 3, **shares}))
    campaigns.change_plan(campaign=campaign, plan={"quality": plan})
    campaign.refresh_from_db()
    Campaign.objects.filter(pk=campaign.pk).update(secret="5e" * 32)  # the same draws in every run
    campaign.refresh_from_db()
    if prepare:
        prepare(campaign)
    campaigns.lock_plan(campaign=campaign, now=factories.timezone.now())
    campaigns.open_campaign(campaign=campaign, now=factories.timezone.now())
    return campaign


def person(campaign, label: str = "") -> Enrollment:
    """Return an annotator whose draws are the same in every run of the tests."""
    label = label or f"A{campaign.enrollments.count() + 1:02d}"
    made = factories.enrollment(campaign, label=label)
    made.draw_id = uuid5(NAMESPACE_URL, label)
    made.save()
    return made


def walk(enrollment: Enrollment, choose, *, most: int = 100) -> list[Assignment]:
    """Have an annotator take what comes, checks too, until nothing does; `choose` sees assignment
    and control."""

    def answers(own: Assignment, sheet: Sheet) -> SentPage:
        return SentPage([(asked, choose(own, asked)) for asked in sheet.asked()], 1)

    return _walk(enrollment, answers, most)


def evade(enrollment: Enrollment, text: str = "Broken", *, most: int = 100) -> list[Assignment]:
    """Have an annotator do the study and report all that comes in checks, without a value."""

    def reports(own: Assignment, sheet: Sheet) -> SentPage:
        if own.round.kind == "checks":
            return SentPage([], 1, reports=dict.fromkeys(sheet.reports(), text))
        return SentPage([(asked, 2) for asked in sheet.asked()], 1)

    return _walk(enrollment, reports, most)


def _walk(
    enrollment: Enrollment, page: Callable[[Assignment, Sheet], SentPage], most: int
) -> list[Assignment]:
    met = []
    for _ in range(most):
        outcome = checks.claim_with_checks(
            enrollment=enrollment, round=main_round(enrollment.campaign)
        )
        if not isinstance(outcome, Here):
            break
        own = Assignment.objects.select_related(
            "task", "enrollment", "round__campaign__protocol"
        ).get(pk=outcome.assignment.pk)
        sheet = sheets.sheet_of_assignment(own)
        drafts.save_draft(assignment=own, page=page(own, sheet))
        own.refresh_from_db()
        judgments.submit_task(assignment=own, token=own.submit_token, sheet=sheet)
        met.append(own)
    return met


def units_of(assignment: Assignment) -> set[int]:
    return set(assignment.task.task_units.values_list("unit", flat=True))


def question(campaign, number: int = 1) -> Unit:
    return Unit.objects.filter(question_set__source__dataset=campaign.dataset, position=1).order_by(
        "pk"
    )[number]


def two(own, asked):
    return 2


def test_without_checks_nothing_is_put_in():
    campaign = checked(sources=6)
    met = walk(person(campaign), two)
    assert {each.round.kind for each in met} == {"main"}
    assert not Round.objects.filter(campaign=campaign, kind="checks").exists()


def test_repeat_shows_the_units_of_a_task_done_long_enough_before_and_each_task_once():
    campaign = checked(repeats=40)
    met = walk(person(campaign), two)
    again = [place for place, each in enumerate(met) if each.round.kind == "checks"]

    assert len(again) >= 5
    for place in again:
        of_study = [each for each in met[:place] if each.round.kind == "main"]
        [first] = [at for at, each in enumerate(of_study) if units_of(each) == units_of(met[place])]
        assert len(of_study) - first > 3
    assert len({frozenset(units_of(met[place])) for place in again}) == len(again)
    assert sum(each.round.kind == "main" for each in met) == 30


def test_share_of_repeats_is_near_what_was_planned():
    campaign = checked(sources=1, repeats=10, gap=20)
    drawn = [
        checks.planned_check(
            plan=QualityPlan(repeats=10), campaign=campaign, enrollment=who, turn=turn
        )
        for who in (person(campaign) for _ in range(10))
        for turn in range(300)
    ]
    # 10 annotators x 279 turns at 10 %: 279, standard deviation 15.8
    assert 230 < drawn.count("repeat") < 328
    assert not any(
        checks.planned_check(
            plan=QualityPlan(repeats=100), campaign=campaign, enrollment=who, turn=20
        )
        for who in campaign.enrollments.all()
    )


def test_turns_follow_from_the_secret_and_the_annotator_and_nothing_else():
    campaign = checked(sources=1, repeats=30)
    who, other = person(campaign), person(campaign)
    plan = QualityPlan(repeats=30)

    def drawn(enrollment):
        return [
            checks.planned_check(plan=plan, campaign=campaign, enrollment=enrollment, turn=turn)
            for turn in range(200)
        ]

    assert drawn(who) == drawn(who)
    assert drawn(who) != drawn(other)


def gold(campaign, number: int = 1) -> CheckItem:
    return add_gold(campaign, question(campaign, number), text="Who is it that built it?")


def add_gold(campaign, unit: Unit, *, text: str = "") -> CheckItem:
    criteria = {each.key: each.pk for each in campaign.protocol.criteria.all()}
    accepted = {criteria["grammaticality"]: [3], criteria["correctness"]: [2, 3]}
    return check_items.add_gold(campaign=campaign, unit=unit, text=text, accepted=accepted)


def test_gold_question_stands_on_a_page_like_any_other_and_is_met_once():
    made = []
    campaign = checked(sources=12, gold=50, prepare=lambda campaign: made.append(gold(campaign)))
    met = walk(person(campaign), two)
    [own] = [each for each in met if each.round.kind == "checks"]

    assert made[0].unit_id in units_of(own)
    assert len(units_of(own)) == len(units_of(met[0]))
    texts = [each.text for each in sheets.sheet_of_assignment(own).questions()]
    assert "Who is it that built it?" in texts


@pytest.mark.long
def test_gold_question_among_single_ones_is_about_what_the_others_of_its_page_are():
    """It is shown in the place of the question it was made of, as a degraded copy is: from another
    source, it alone would be known as gold."""

    def prepare(campaign):
        [criterion] = campaign.protocol.criteria.values_list("pk", flat=True)
        held = Unit.objects.filter(question_set__source__dataset=campaign.dataset, position=1)
        for unit in held:
            accepted = {criterion: [1]}
            check_items.add_gold(campaign=campaign, unit=unit, text="Who?", accepted=accepted)

    campaign = checked(sources=20, key="nema-khapra", gold=100, gap=0, prepare=prepare)
    met = walk(person(campaign), two)
    passages = "unit__question_set__source__passage__text"
    pages = [(each, list(each.task.task_units.values_list(passages, flat=True))) for each in met]
    of_study = [sorted(texts) for each, texts in pages if each.round.kind == "main"]
    of_checks = [sorted(texts) for each, texts in pages if each.round.kind == "checks"]
    assert len(of_checks) >= 3
    assert all(texts in of_study for texts in of_checks)


@pytest.mark.parametrize("apart", [False, True])
def test_gold_question_stands_on_no_longer_page_where_part_of_the_systems_is_judged(apart):
    """Also where its source is none of those that are judged."""

    def prepare(campaign):
        only = {"systems": ["Brisa"]} | ({"without": ["s1"]} if apart else {})
        Campaign.objects.filter(pk=campaign.pk).update(selection=only)
        gold(campaign)

    campaign = checked(sources=12, gold=50, prepare=prepare)
    met = walk(person(campaign), two)
    [own] = [each for each in met if each.round.kind == "checks"]
    assert {len(list(sheets.sheet_of_assignment(each).questions())) for each in met} == {1}
    assert CheckItem.objects.get().unit_id in units_of(own)


def test_gold_is_passed_by_any_accepted_value_and_corrected_values_count_at_once():
    items = []
    campaign = checked(sources=12, gold=60, prepare=lambda campaign: items.append(gold(campaign)))
    right, wrong = person(campaign, label="A01"), person(campaign, label="A02")
    walk(right, lambda own, asked: 3 if asked.criterion.key == "grammaticality" else 2)
    walk(wrong, lambda own, asked: 3 if asked.criterion.key == "grammaticality" else 1)

    def passed():
        found = snapshots.campaign_counts(campaign).annotators.values()
        return {
            each.work.label: (each.work.checked.gold, each.work.checked.passed) for each in found
        }

    assert passed() == {"A01": (1, 1), "A02": (1, 0)}
    criteria = {each.key: each.pk for each in campaign.protocol.criteria.all()}
    check_items.correct_gold(
        item=items[0],
        accepted={criteria["correctness"]: [1]},
        by=campaign.created_by,
        now=factories.timezone.now(),
        reason="A typo.",
    )
    assert passed() == {"A01": (1, 0), "A02": (1, 1)}
    event = Event.objects.filter(act="check.gold").latest("pk")
    assert (event.who, event.before) == (
        campaign.created_by.pk,
        "grammaticality: 3; correctness: 2, 3",
    )
    deviation = campaign.deviations.get()
    assert (deviation.after, deviation.reason) == ("correctness: 1", "A typo.")


def test_gold_of_another_dataset_is_refused():
    campaign, elsewhere = factories.campaign(), factories.campaign()
    accepted = {campaign.protocol.criteria.first().pk: [1]}
    with refused("invalid_check"):
        check_items.add_gold(
            campaign=campaign, unit=question(elsewhere), text="", accepted=accepted
        )


def degrade(campaign) -> None:
    for unit in Unit.objects.filter(
        question_set__source__dataset=campaign.dataset, position=1
    ).order_by("pk")[::2]:
        check_items.add_degraded(
            campaign=campaign, unit=unit, text="Who built?", method="function_words"
        )


def test_degraded_copy_replaces_one_question_of_a_page_seen_before_and_is_tested_by_signs():
    campaign = checked(sources=14, degraded=100, prepare=degrade)
    careful, careless = person(campaign, label="A01"), person(campaign, label="A02")
    worse = set(CheckItem.objects.values_list("unit", flat=True))
    met = walk(careful, lambda own, asked: 1 if asked.unit in worse else 3)
    walk(careless, two)

    copies = [each for each in met if each.round.kind == "checks"]
    assert len(copies) >= 5
    assert {len(units_of(each)) for each in met} == {len(units_of(met[0]))}
    assert all(len(units_of(each) & worse) >= 1 for each in copies)
    found = {
        each.work.label: each for each in snapshots.campaign_counts(campaign).annotators.values()
    }
    own, other = found["A01"].work.checked, found["A02"].work.checked
    assert (own.lower, own.higher, own.ties) == (len(copies), 0, 0)
    assert own.p == own.p_of_ranks == pytest.approx(0.5 ** len(copies))
    assert set(own.differences) == {-4} and not any(other.differences)
    assert (other.lower, other.higher, other.p, other.p_of_ranks) == (0, 0, 1, 1)
    assert "degraded" in [flag.reason for flag in found["A02"].flags]
    assert "degraded" not in [flag.reason for flag in found["A01"].flags]


def test_gold_that_is_reported_and_not_answered_is_met_and_not_passed_until_it_is_retired():
    items = []
    campaign = checked(sources=12, gold=60, prepare=lambda campaign: items.append(gold(campaign)))
    who = person(campaign, label="A01")
    [own] = [each for each in evade(who) if each.round.kind == "checks"]

    def counted():
        [found] = snapshots.campaign_counts(campaign).annotators.values()
        return found.work.checked.gold, found.work.checked.passed, found.work.checked.evaded

    assert counted() == (1, 0, 1)
    Note.objects.filter(assignment=own).update(text="")  # taken back, as it could be before
    assert counted() == (1, 0, 1)
    Note.objects.filter(assignment=own).delete()
    assert counted() == (0, 0, 0)
    Note.objects.create(assignment=own, unit=items[0].unit, text="Broken", sequence=1)
    check_items.retire_check(item=items[0], by=campaign.created_by, now=factories.timezone.now())
    assert counted() == (0, 0, 0)


def test_gold_that_is_reported_and_answered_in_part_is_not_passed():
    campaign = checked(sources=12, gold=60, prepare=gold)
    [own] = [each for each in evade(person(campaign)) if each.round.kind == "checks"]
    item = CheckItem.objects.get()
    criteria = {each.key: each for each in campaign.protocol.criteria.all()}

    def answer(key: str, value: int) -> tuple[int, int, int]:
        given = {"criterion": criteria[key], "value": value, "unit": item.unit}
        Judgment.objects.create(assignment=own, **given)
        [found] = snapshots.campaign_counts(campaign).annotators.values()
        return found.work.checked.gold, found.work.checked.passed, found.work.checked.evaded

    assert answer("grammaticality", 3) == (1, 0, 1)
    assert answer("correctness", 2) == (1, 1, 0)


@pytest.mark.long
def test_repeat_that_is_reported_has_none_of_its_values_given_again():
    campaign = checked(sources=20, repeats=50)
    met = evade(person(campaign, label="A01"))
    repeats = sum(each.round.kind == "checks" for each in met)
    [found] = snapshots.campaign_counts(campaign).annotators.values()
    own = found.work.checked
    values = repeats * len(units_of(met[0])) * 2
    assert repeats > 0
    assert (own.pairs, own.unrepeated, own.repeat_agreement) == (0, values, 0)
    assert [flag.reason for flag in found.flags if flag.reason == "repeats"] == ["repeats"]


@pytest.mark.long
def test_agreement_with_oneself_is_the_share_of_equal_values():
    campaign = checked(sources=20, repeats=50)
    steady, fickle = person(campaign, label="A01"), person(campaign, label="A02")
    walk(steady, lambda own, asked: 1 + asked.unit % 3)
    turns = count()
    walk(fickle, lambda own, asked: 1 + (own.round.kind == "checks" or next(turns) < 0))

    found = {
        each.work.label: each for each in snapshots.campaign_counts(campaign).annotators.values()
    }
    assert found["A01"].work.checked.repeat_agreement == 1
    assert found["A02"].work.checked.repeat_agreement == 0
    assert [flag.reason for flag in found["A02"].flags if flag.reason == "repeats"] == ["repeats"]


def test_sign_test_of_five_copies():
    assert Checked(differences=[-1] * 5).p == pytest.approx(1 / 32)
    assert Checked(differences=[-1] * 4 + [1]).p == pytest.approx(6 / 32)
    assert Checked(differences=[-1] * 4 + [0] * 3).p == pytest.approx(1 / 16)
    assert Checked().p is None


def test_check_that_was_left_comes_back_and_is_nobody_elses():
    campaign = checked(sources=8, repeats=100)
    who, other = person(campaign), person(campaign)
    walk(who, two, most=4)
    held = checks.claim_with_checks(enrollment=who, round=main_round(campaign)).assignment
    assert held.round.kind == "checks"
    assert (
        checks.claim_with_checks(enrollment=who, round=main_round(campaign)).assignment.pk
        == held.pk
    )

    from judging.work.actions import assignments

    assignments.give_back(assignment=held)
    assert (
        checks.claim_with_checks(enrollment=other, round=main_round(campaign)).assignment.round.kind
        == "main"
    )
    again = checks.claim_with_checks(enrollment=who, round=main_round(campaign)).assignment
    assert (again.pk, again.state) == (held.pk, "held")


def test_progress_and_the_way_back_count_checks_as_tasks():
    campaign = checked(sources=10, repeats=60)
    who = person(campaign)
    met = walk(who, two, most=8)
    assert any(each.round.kind == "checks" for each in met)
    current = checks.claim_with_checks(enrollment=who, round=main_round(campaign)).assignment
    current.round.campaign = campaign

    seen = checks.progress_with_checks(assignment=current)
    assert seen.done == 8
    left = walk(who, two)
    assert seen.total == 8 + len(left)
    left[0].refresh_from_db()
    assert checks.previous_with_checks(assignment=left[0]) == met[-1].pk
    for earlier, later in pairwise(met):
        later.refresh_from_db()
        assert checks.previous_with_checks(assignment=later) == earlier.pk


def test_erasing_an_annotator_removes_their_checks():
    campaign = checked(sources=8, repeats=100)
    who = person(campaign)
    walk(who, two)
    assert CheckTask.objects.exists()
    erasures.erase_annotator(enrollment=who, by=campaign.created_by, now=factories.timezone.now())
    assert not CheckTask.objects.exists()
    assert not Judgment.objects.exists()
    assert not Task.objects.filter(round__kind="checks").exists()


def test_draft_with_checks_can_be_deleted_with_them():
    campaign = factories.campaign()
    gold(campaign)
    campaigns.discard_draft(campaign=campaign)
    assert not Dataset.objects.filter(checks_of__isnull=False).exists()
    assert not CheckItem.objects.exists()


def test_dataset_of_checks_is_on_no_list(client):
    campaign = factories.campaign()
    gold(campaign)
    client.force_login(campaign.created_by)
    own = Dataset.objects.get(checks_of=campaign)
    assert client.get(f"/datasets/{own.pk}/").status_code == 404
    assert "Checks of" not in client.get("/datasets/").text


def test_staff_who_judge_see_nothing_of_how_they_did_in_the_checks_before_the_end():
    def prepare(campaign):
        campaigns.change_plan(
            campaign=campaign, plan={"quality": campaign.quality | {"exclude_gold": 0}}
        )
        campaign.refresh_from_db()
        for number in range(1, 5):
            gold(campaign, number)

    campaign = checked(sources=30, gold=30, prepare=prepare)
    own, other = person(campaign, label="A01"), factories.researcher()
    for each in (own.user, other):
        campaigns.add_member(campaign=campaign, user=each, role="manager")
    assert sum(each.round.kind == "checks" for each in walk(own, two)) >= 3
    own.assignments.update(active_seconds=60)  # else their speed is named first
    at = f"/campaigns/{campaign.uuid}/"
    pages = {
        "annotators/": "passed 0%",
        "": "passed 0%",
        f"annotators/{own.pk}/": "Gold questions passed",
        "annotators/rules/": "failed more than 0 gold questions:",
    }

    def told(who) -> set[str]:
        reader = factories.logged_in(who)
        return {path for path, words in pages.items() if words in reader.get(at + path).text}

    assert told(own.user) == set()
    assert told(other) == set(pages)
    excluded = {"annotator": own.pk}
    factories.logged_in(own.user).post(f"{at}annotators/rules/", excluded)
    assert not own.exclusions.exists()
    campaigns.close_campaign(campaign=campaign, now=factories.timezone.now())
    assert told(own.user) == set(pages)


@pytest.mark.long
def test_tasks_page_tells_staff_who_judge_of_no_task_they_hold_that_it_is_a_check():
    """No count includes a check, and no list of reports a report on it: so neither may they include
    other tasks that this user holds or reports on."""
    campaign = checked(sources=12, gold=0, repeats=30, gap=1)
    who, other = person(campaign), person(campaign)
    factories.member(campaign, who.user, "analyst")
    client, kinds = factories.logged_in(who.user), set()
    page = f"/campaigns/{campaign.uuid}/tasks/"
    taken = checks.claim_with_checks(enrollment=other, round=main_round(campaign)).assignment
    assert filled_and_held(client.get(page).text) == (0, 1)
    for _task in range(6):
        found = checks.claim_with_checks(enrollment=who, round=main_round(campaign))
        if not isinstance(found, Here):
            break
        own = Assignment.objects.select_related(
            "task", "enrollment", "round__campaign__protocol"
        ).get(pk=found.assignment.pk)
        sheet = sheets.sheet_of_assignment(own)
        kinds.add(own.round.kind)
        said = {"name": next(iter(sheet.reports())).name, "value": "a mark", "sequence": 1}
        assert client.post(f"/tasks/{own.pk}/draft/", said).status_code == 204
        text = client.get(page).text
        assert "a mark" not in text
        assert "a mark" not in client.get(f"/campaigns/{campaign.uuid}/").text
        assert filled_and_held(text) == (0, 1)
        client.post(f"/tasks/{own.pk}/draft/", said | {"value": "", "sequence": 2})
        drafts.save_draft(assignment=own, page=SentPage([(asked, 2) for asked in sheet.asked()], 3))
        own.refresh_from_db()
        judgments.submit_task(assignment=own, token=own.submit_token, sheet=sheet)
    assert kinds == {"main", "checks"}
    assert taken.round.kind == "main"


@pytest.mark.long
def test_own_row_and_page_of_staff_who_judge_change_neither_with_a_task_nor_with_a_check():
    campaign = checked(sources=12, gold=0, repeats=30, gap=1)
    who, other = person(campaign, label="A01"), person(campaign, label="A02")
    factories.member(campaign, who.user, "analyst")
    reader, at = factories.logged_in(who.user), f"/campaigns/{campaign.uuid}/annotators/"

    def own() -> tuple[str, ...]:
        row = re.search(rf"{at}{who.pk}/.*?</tr>", reader.get(at).text, re.DOTALL)[0]
        overview = reader.get(f"/campaigns/{campaign.uuid}/").text
        named = re.search(rf"{at}{who.pk}/.*?</tr>", overview, re.DOTALL)[0]
        page = reader.get(f"{at}{who.pk}/").text
        return row, named, page[page.index("<h1") :]

    walk(other, two, most=3)
    seen, kinds = {own()}, []
    for _task in range(6):
        kinds += [each.round.kind for each in walk(who, two, most=1)]
        seen.add(own())
    assert set(kinds) == {"main", "checks"}
    assert len(seen) == 1
    page = reader.get(f"{at}{other.pk}/").text
    assert "<dt>Tasks</dt><dd>3</dd>" in page
    campaigns.close_campaign(campaign=campaign, now=factories.timezone.now())
    tasks = f"<dt>Tasks</dt><dd>{kinds.count('main')}</dd>"
    assert tasks in reader.get(f"{at}{who.pk}/").text


def filled_and_held(page):
    rows = re.findall(3 * r'<td class="n">(\d+)</td>', page)
    assert len(rows) == 12
    return sum(int(filled) for filled, _, _ in rows), sum(int(held) for _, held, _ in rows)
