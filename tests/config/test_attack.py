"""Attacks by who has read the source: two people with one link, an ex-analyst, a visitor, a thief
with a session.

That orders name no system is tried in annotation/test_blinding.py, every address for every role in
test_sweep.py.
"""

import re
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest
from celery import current_app
from django.contrib.auth import base_user
from django.test import Client
from django.urls import reverse
from django.utils import timezone

import analysis.tasks  # noqa: F401  # registers the jobs
import judging.tasks  # noqa: F401
from analysis.planning.actions import dry_runs as dry_runs_asked
from analysis.runs.actions import runs
from annotation.views import work
from judging.campaigns.actions import campaigns, dataset_uses
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.dry_run import DryRun
from judging.campaigns.models.members import Enrollment, Erasure, Invitation
from judging.crowd.models.crowd import CrowdPlatform
from judging.datasets.actions import datasets
from judging.enrolments.actions import enrollments
from judging.jobs import storage
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.llm_judges.actions import judge_jobs, llm_judges
from judging.llm_judges.actions.judge_jobs import WantedJudge
from judging.overview.actions import dry_runs, erasures
from judging.people.actions import accounts, log_ins, tokens
from judging.people.guards import CONFIRMED
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols.actions import protocols
from judging.quality.actions import adjudications, exclusions
from judging.quality.models.adjudication import Adjudication
from tests import factories
from tests.analysis import studies as imported_studies
from tests.annotation import studies
from tests.annotation.test_crowd_stress import all_at_once
from tests.judging import trials
from tests.judging.imports.studies import MATERIAL, assembled, scored, waiting

pytestmark = pytest.mark.django_db


def logged_in(user: User) -> Client:
    client = factories.logged_in(user)
    client.get("/sessions/")
    return client


def test_ex_analyst_reads_nothing_by_session_key_or_job() -> None:
    campaign, analyst = factories.opened(), factories.researcher()
    campaigns.add_member(campaign=campaign, user=analyst, role="analyst")
    client, key = (
        logged_in(analyst),
        tokens.make_token(user=analyst, now=timezone.now(), scope="manage"),
    )
    mine = jobs.enqueue(kind="analysis.run", parameters={}, by=analyst, campaign=campaign)
    about = jobs.enqueue(kind="analysis.score", parameters={}, by=analyst, dataset=campaign.dataset)
    campaign_paths = [
        "",
        "history/",
        "history.csv",
        "export/csv/",
        "annotators/",
        "tasks/",
        "report/",
    ]
    paths = [f"/campaigns/{campaign.uuid}/{path}" for path in campaign_paths]
    paths += [
        f"/api/v1/campaigns/{campaign.uuid}/",
        f"/jobs/{mine.pk}/",
        f"/jobs/{about.pk}/",
    ]
    assert {client.get(path).status_code for path in paths} == {200}

    campaigns.remove_member(campaign=campaign, user=analyst, role="analyst")

    token = {"Authorization": f"Token {key}"}
    assert {client.get(path).status_code for path in paths} == {404}
    address = f"/api/v1/campaigns/{campaign.uuid}/"
    assert Client().get(address, headers=token).status_code == 404
    assert Client().post(f"{address}lock/", headers=token).status_code == 404
    assert client.post(f"/jobs/{mine.pk}/cancel/").status_code == 404
    mine.refresh_from_db()
    assert mine.state == "queued"


def opens(link: dict[str, str]) -> bool:
    answer = Client().get(reverse("password_reset_confirm", kwargs=link))
    return answer.status_code == 302


def test_administrator_who_is_none_any_more_opens_no_account_by_links_they_made_before() -> None:
    stays, gone = (factories.user(is_superuser=True) for _ in range(2))
    owner = factories.researcher()
    before, other = (accounts.password_link_parts(user=owner, by=by) for by in (gone, stays))
    assert opens(before)
    gone.is_superuser = False
    accounts.set_rights(user=gone, by=stays)
    assert not opens(before)
    assert opens(other)
    assert not opens(before | {"token": before["token"].replace(f"{gone.pk}.", f"{stays.pk}.")})


def test_account_that_was_closed_and_opened_again_is_not_entered_by_an_older_link() -> None:
    factories.user(is_superuser=True)
    owner = factories.researcher()
    before = accounts.password_link_parts(user=owner)
    for is_active in (False, True):
        owner.is_active = is_active
        accounts.set_rights(user=owner)
        assert not opens(before)
    assert opens(accounts.password_link_parts(user=owner))


@pytest.mark.parametrize("by", ["old password", "link", "none yet"])
def test_new_password_at_the_moment_an_account_is_closed_brings_no_right_back(
    monkeypatch, by: str
) -> None:
    stays, gone = (factories.user(is_superuser=True) for _ in range(2))
    client, hashed = logged_in(gone), base_user.make_password
    path, form = "/password/", {"old_password": factories.PASSWORD}
    if by == "none yet":
        gone.set_unusable_password()
        gone.save(update_fields=["password"])
        client = logged_in(gone)
        path, form = "/work/account/", {}
    elif by == "link":
        link = accounts.password_link_parts(user=gone)
        path, form = client.get(reverse("password_reset_confirm", kwargs=link)).url, {}

    def close_meanwhile(password: str) -> str:
        now = User.objects.get(pk=gone.pk)
        now.is_superuser = now.is_active = False
        accounts.set_rights(user=now, by=stays)
        return hashed(password)

    monkeypatch.setattr(base_user, "make_password", close_meanwhile)
    new = "a heron at dusk"
    client.post(path, form | {"new_password1": new, "new_password2": new})
    gone.refresh_from_db()
    assert not (gone.is_superuser or gone.is_active)
    assert gone.version


def shown_copy(draft: Campaign, by: User) -> Campaign:
    run = dry_runs.copy_draft(draft=draft, by=by, now=timezone.now(), settings={})
    dry_runs.show(run=run)
    dry_runs.conclude_dry_run(run=run, by=by)
    DryRun.objects.filter(pk=run.pk).update(outcome={"order": []})  # filled
    return run.campaign


def test_ex_analyst_reads_no_dry_run_either_and_who_comes_later_reads_them() -> None:
    draft, analyst, later = factories.campaign(), factories.researcher(), factories.researcher()
    manager = draft.created_by
    campaigns.add_member(campaign=draft, user=analyst, role="analyst")
    copy = shown_copy(draft, manager)
    client, material = logged_in(analyst), f"/datasets/{draft.dataset_id}/"
    export = f"/campaigns/{copy.uuid}/export/csv/"
    assert {client.get(path).status_code for path in (material, export)} == {200}

    campaigns.remove_member(campaign=draft, user=analyst, role="analyst")
    campaigns.add_member(campaign=draft, user=later, role="analyst")

    assert {client.get(path).status_code for path in (material, export)} == {404}
    assert logged_in(later).get(export).status_code == 200
    campaigns.add_member(campaign=draft, user=later, role="manager")
    campaigns.remove_member(campaign=draft, user=manager, role="manager")
    assert logged_in(manager).get(export).status_code == 404


def test_ex_manager_gets_no_dry_run_that_they_asked_for_and_keeps_no_other_role_in_one() -> None:
    draft, other = factories.campaign(), factories.researcher()
    asked = {"draft": draft, "now": timezone.now(), "settings": {}}
    campaigns.add_member(campaign=draft, user=other, role="analyst")
    copy = shown_copy(draft, draft.created_by)
    factories.member(copy, other, "manager")  # as versions before 0.2 let managers of a copy do
    campaigns.remove_member(campaign=draft, user=other, role="analyst")
    assert not other.memberships.exists()
    with pytest.raises(dry_runs.CannotTry, match="no longer a manager"):
        dry_runs.copy_draft(by=other, **asked)  # the job waited while the role was taken


def test_nobody_is_given_a_role_or_a_way_in_in_a_dry_run() -> None:
    """Who left the draft had given it; it stood on no page of the draft."""
    draft, other = factories.campaign(), factories.researcher("other")
    manager = draft.created_by
    copy = shown_copy(draft, manager)
    client = logged_in(manager)
    forms: dict[str, dict[str, Any]] = {
        "members/": {"username": "other", "role": "analyst"},
        "members/ as annotator": {"username": "other", "role": "annotator"},
        "invitations/": {"places": 1, "expires_at": "2999-01-01T12:00"},
        "adjudication/name/": {"username": "other", "threshold": 0},
        "crowd/": {"kind": "prolific"},
    }
    for path, form in forms.items():
        client.post(f"/campaigns/{copy.uuid}/{path.split()[0]}", form)
    assert not other.memberships.exists()
    assert not copy.invitations.exists()
    assert not Adjudication.objects.exists()
    assert not CrowdPlatform.objects.exists()
    own = copy.memberships.get()
    client.post(f"/campaigns/{copy.uuid}/members/{own.pk}/remove/")
    assert copy.memberships.get() == own


def test_role_that_was_given_in_a_dry_run_alone_is_none() -> None:
    """Versions before 0.2 let managers of a copy give roles in it."""
    maker, other, settler = (factories.researcher() for _ in range(3))
    own = protocols.install(document=factories.small(), owner=maker)
    draft = factories.campaign(manager=maker, protocol=own)
    copy = shown_copy(draft, maker)
    factories.member(copy, other, "manager")
    campaigns.close_campaign(campaign=copy, now=timezone.now())
    Adjudication.objects.create(campaign=copy, adjudicator=settler, named_at=timezone.now())
    material = f"/datasets/{draft.dataset_id}/"
    client = logged_in(other)
    for path in (f"/campaigns/{copy.uuid}/", material, f"/protocols/{draft.protocol_id}/"):
        assert client.get(path).status_code == 404, path
    assert logged_in(settler).get(f"/campaigns/{copy.uuid}/settle/").status_code == 404
    campaigns.add_member(campaign=draft, user=other, role="analyst")
    assert client.get(f"/campaigns/{copy.uuid}/").status_code == 200
    assert client.get(material).status_code == 200
    assert client.get(f"/campaigns/{copy.uuid}/plan/").status_code == 403  # a manager's


def test_owner_sees_everybody_who_sees_the_dataset_through_a_campaign() -> None:
    owner, maker, analyst, nobody = (
        factories.researcher(name) for name in ("owner", "maker", "reads-along", "annotates")
    )
    material = factories.dataset(owner=owner)
    draft = factories.campaign(manager=maker, dataset=material, title="Second look")
    campaigns.add_member(campaign=draft, user=analyst, role="analyst")
    campaigns.add_member(campaign=draft, user=nobody, role="annotator")
    shown_copy(draft, maker)
    client, path = logged_in(owner), f"/datasets/{material.pk}/"
    page = client.get(path).text
    assert "Access through campaigns" in page
    assert "reads-along" in page
    assert "SIMULATED: Second look" in page
    assert "annotates" not in page
    campaigns.remove_member(campaign=draft, user=analyst, role="analyst")
    assert "reads-along" not in client.get(path).text


def test_account_is_handed_over_with_its_drafts_and_their_dry_runs() -> None:
    gone, to, administrator = (
        factories.researcher(), factories.researcher(), factories.user(is_superuser=True),
    )  # fmt: skip
    draft = factories.campaign(manager=gone)
    copy = shown_copy(draft, gone)
    assert dataset_uses.hand_over_all(owner=gone, to=to, by=administrator) == (1, 1)
    client = logged_in(to)
    for each in (draft, copy):
        assert client.get(f"/campaigns/{each.uuid}/plan/").status_code == 200


def test_whose_use_of_a_dataset_ended_reads_no_dry_run_that_its_owner_asked_for() -> None:
    owner, other = factories.researcher(), factories.researcher()
    draft = factories.campaign(manager=other, dataset=factories.dataset(owner=owner))
    campaigns.add_member(campaign=draft, user=owner, role="manager")
    copy = shown_copy(draft, owner)
    path = f"/campaigns/{copy.uuid}/export/csv/"
    assert logged_in(other).get(path).status_code == 200
    dataset_uses.end_use(dataset=draft.dataset, user=other, now=timezone.now(), by=owner)
    assert logged_in(other).get(path).status_code == 404
    assert logged_in(owner).get(path).status_code == 200


def test_pilot_of_whose_use_of_a_dataset_ended_gives_out_its_questions_no_more() -> None:
    owner, other = factories.researcher(), factories.researcher()
    material = factories.dataset(owner=owner, sources=3)
    datasets.share_dataset(dataset=material, user=other, by=owner)
    draft = factories.campaign(manager=other, dataset=material)
    pilot = trials.begun(draft, kind="pilot", size=3)
    own = enrollments.enroll(campaign=draft, user=other)
    trials.judged(own, pilot, most=1)
    client = logged_in(other)
    stopped = dataset_uses.end_use(dataset=material, user=other, now=timezone.now(), by=owner)
    assert stopped == 1
    assert client.get(f"/work/{draft.uuid}/?begin").status_code == 200  # no task
    assert Event.objects.filter(act="round.closed", campaign=draft.uuid).exists()


def test_who_settles_values_reads_nothing_after_the_use_of_the_dataset_ended() -> None:
    owner, other, settler = (factories.researcher() for _ in range(3))
    material = factories.dataset(owner=owner)
    campaign = factories.opened(manager=other, dataset=material)
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    who = {"campaign": campaign, "adjudicator": settler, "by": other, "now": timezone.now()}
    adjudications.name_adjudicator(threshold=0, **who)
    path = f"/campaigns/{campaign.uuid}/settle/"
    assert logged_in(settler).get(path).status_code == 200
    dataset_uses.end_use(dataset=material, user=other, now=timezone.now(), by=owner)
    assert logged_in(settler).get(path).status_code == 404


def test_ex_analyst_settles_no_values_any_more_unless_they_are_named_again() -> None:
    campaign, analyst = factories.opened(), factories.researcher()
    for role in ("analyst", "annotator"):
        campaigns.add_member(campaign=campaign, user=analyst, role=role)
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    who = {"campaign": campaign, "adjudicator": analyst, "now": timezone.now()}
    adjudications.name_adjudicator(threshold=0, by=campaign.created_by, **who)
    client, path = logged_in(analyst), f"/campaigns/{campaign.uuid}/settle/"
    campaigns.remove_member(campaign=campaign, user=analyst, role="annotator")
    assert client.get(path).status_code == 200
    campaigns.remove_member(campaign=campaign, user=analyst, role="analyst")
    assert client.get(path).status_code == 404
    page = logged_in(campaign.created_by).get(f"/campaigns/{campaign.uuid}/adjudication/")
    assert page.status_code == 200
    adjudications.name_adjudicator(threshold=0, by=campaign.created_by, **who)
    assert client.get(path).status_code == 200


Worker = Callable[[Job], Job]


@pytest.fixture
def worker(monkeypatch) -> Worker:
    """Do a job as its worker does, in this transaction: without the thread that beats for it."""
    monkeypatch.setattr(jobs.Work, "__enter__", lambda self: self)
    monkeypatch.setattr(jobs.Work, "__exit__", lambda self, *error: None)

    def carry_out(job: Job) -> Job:
        current_app.tasks[job.kind](str(job.pk))
        job.refresh_from_db()
        return job

    return carry_out


REFUSED = ("failed", "The user who asked for this no longer has the right.")
RIGHTS = {
    "judging.launch": "manager", "judging.ask_judge": "manager", "judging.add_judge": "manager",
    "judging.discard": "manager", "judging.erase": "manager", "judging.check_draws": "manager",
    "analysis.remove_dry_run": "manager", "analysis.discard_ended": "owner",
    "analysis.dry_run": "manager", "analysis.run": "analyst", "analysis.planning": "analyst",
    "analysis.repeatability": "analyst", "analysis.tuning": "analyst",
    "analysis.calibration": "analyst",
    "judging.delete_dataset": "owner", "judging.examine_file": "owner",
    "judging.add_files": "owner", "judging.take_back_file": "owner", "judging.add_rows": "owner",
    "judging.preview_files": "owner", "analysis.degrade": "owner",
    "analysis.score": "reader", "analysis.estimate": "reader", "analysis.matching": "reader",
    "analysis.reproduce": "creator", "analysis.forget": "",
}  # fmt: skip


ASKED_BY_NOBODY = {
    "judging.sweep",
    "judging.clean_up",
    "judging.send_webhook",
    "analysis.live_agreement",  # submissions ask for it
}


def test_every_kind_of_job_has_the_right_that_its_page_asks_for() -> None:
    """A new kind fails here until it is said who may ask for it."""
    kinds = {name for name in current_app.tasks if name.startswith(("judging.", "analysis."))}
    # a part asks for the right of its job: tests/analysis/scoring/actions/test_scoring_parts.py
    assert kinds - {"analysis.score_part"} - ASKED_BY_NOBODY == set(RIGHTS)


def asked_by(other: User, kind: str, right: str) -> tuple[Job, Campaign]:
    """Return a job that somebody has the right to ask for, with a campaign about its material."""
    campaign = factories.campaign(dataset=factories.dataset())
    about: dict[str, Any] = {}
    if right in ("manager", "analyst"):
        campaigns.add_member(campaign=campaign, user=other, role=right)
        about = {"campaign": campaign}
    elif right in ("owner", "reader"):
        about = {"dataset": campaign.dataset}
        if right == "owner":
            dataset_uses.transfer_dataset(dataset=campaign.dataset, to=other)
        else:
            datasets.share_dataset(dataset=campaign.dataset, user=other)
    return jobs.enqueue(
        kind=kind, parameters={"files": [], "enrollment": 0, "user": other.pk}, by=other, **about
    ), campaign


def take(right: str, other: User, campaign: Campaign) -> None:
    """Take a right from somebody who asked for a job, and leave them what is next to it."""
    if right == "manager":
        campaigns.add_member(campaign=campaign, user=other, role="analyst")
        campaigns.remove_member(campaign=campaign, user=other, role="manager")
    elif right == "analyst":
        campaigns.add_member(campaign=campaign, user=other, role="annotator")
        campaigns.remove_member(campaign=campaign, user=other, role="analyst")
    elif right == "owner":
        campaign.dataset.refresh_from_db()
        dataset_uses.transfer_dataset(dataset=campaign.dataset, to=campaign.created_by)
    elif right == "reader":
        dataset_uses.end_use(dataset=campaign.dataset, user=other, now=timezone.now())
    elif right == "creator":
        User.objects.filter(pk=other.pk).update(may_create_campaigns=False)


@pytest.mark.parametrize(("kind", "right"), [each for each in RIGHTS.items() if each[1]])
@pytest.mark.parametrize("ends", ["right", "account"])
def test_job_is_not_begun_for_whose_right_ended_while_it_waited(
    kind: str, right: str, ends: str, worker: Worker
) -> None:
    """A worker that was busy, perhaps with other jobs of theirs, comes to it only then."""
    other = factories.researcher()
    job, campaign = asked_by(other, kind, right)
    if ends == "right":
        take(right, other, campaign)
    else:
        User.objects.filter(pk=other.pk).update(is_active=False)
    worker(job)
    assert (job.state, job.error) == REFUSED


@pytest.mark.parametrize(("kind", "right"), [each for each in RIGHTS.items() if each[1]])
def test_job_of_whoever_has_the_right_still_is_begun(kind: str, right: str, worker: Worker) -> None:
    """What these cannot do for want of parameters is another matter."""
    job, _campaign = asked_by(factories.researcher(), kind, right)
    worker(job)
    assert job.error != REFUSED[1]


@pytest.mark.parametrize("right", ["manager", "analyst"])
def test_nothing_is_done_about_a_campaign_whose_maker_may_not_use_its_dataset_any_more(
    right: str, worker: Worker
) -> None:
    """An analysis wrote its metrics into the owner's dataset, and a dry run made a study about
    it."""
    owner, other = factories.researcher(), factories.researcher()
    material = factories.dataset(owner=owner)
    datasets.share_dataset(dataset=material, user=other, by=owner)
    for source in material.sources.all():
        source.references.create(position=1, text="Who built it?")
    make = factories.campaign if right == "manager" else factories.opened
    campaign = make(manager=other, dataset=material)
    if right == "manager":
        settings = dry_runs_asked.DryRunSettings()
        job = dry_runs_asked.start_dry_run(campaign=campaign, by=other, settings=settings)
    else:
        asked = {"metrics": ["rouge_l"], "resamples": 100}
        job = runs.start_run(campaign=campaign, by=other, seed=1, parameters=asked).job
    dataset_uses.end_use(dataset=material, user=other, now=timezone.now(), by=owner)
    worker(job)
    assert (job.state, job.error) == REFUSED
    assert not material.metrics.exists()
    assert material.campaigns.get() == campaign


def test_owner_of_a_dataset_has_its_imported_ratings_analysed_without_a_role(
    worker: Worker,
) -> None:
    importer, owner = factories.researcher(), factories.researcher()
    campaign = imported_studies.imported(by=importer, sources=2)
    dataset_uses.transfer_dataset(dataset=campaign.dataset, to=owner)
    job = runs.start_run(campaign=campaign, by=owner, seed=1, parameters={"resamples": 100}).job
    assert worker(job).state == "done"


def test_who_is_erased_is_taken_out_of_reports_whoever_lost_their_account(worker: Worker) -> None:
    campaign = factories.opened()
    asked = {"kind": jobs.FORGET_ANNOTATORS, "parameters": {"labels": ["A01"]}}
    job = jobs.enqueue(**asked, by=campaign.created_by, campaign=campaign)
    User.objects.filter(pk=campaign.created_by_id).update(is_active=False)
    assert worker(job).state == "done"


@pytest.mark.parametrize("ends", ["role", "account"])
def test_llm_judge_is_asked_nothing_more_once_the_right_ended(
    ends: str, monkeypatch, worker: Worker
) -> None:
    campaign, other = factories.opened(), factories.researcher()
    campaigns.add_member(campaign=campaign, user=other, role="manager")
    wanted = asdict(WantedJudge(address="http://judge.example", model="m", name="Small"))
    job = jobs.enqueue(kind="judging.ask_judge", parameters=wanted, by=other, campaign=campaign)
    asked = []

    def ask(*, step, **said) -> None:
        step(0, 2)
        asked.append(said)
        if ends == "role":
            campaigns.remove_member(campaign=campaign, user=other, role="manager")
        else:
            User.objects.filter(pk=other.pk).update(is_active=False)
        step(1, 2)
        pytest.fail("It goes on.")

    monkeypatch.setattr("judging.llm_judges.actions.asking.ask_llm_judge", ask)
    monkeypatch.setattr(judge_jobs, "allowed_addresses", lambda: ["http://judge.example"])
    worker(job)
    assert (job.state, job.error) == REFUSED
    assert len(asked) == 1


def left(link: Invitation, client: Client) -> int:
    """Join by a link and withdraw at once; return what joining was answered with."""
    answer = client.post(f"/join/{link.token}/", {"agree": "on"})
    client.post(f"/work/{link.campaign.uuid}/withdraw/")
    return answer.status_code


def test_who_withdraws_does_not_come_back_by_the_same_link_as_somebody_new() -> None:
    campaign = studies.opened(withdrawal=True)
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    first = Client()
    first.post(f"/join/{link.token}/", {"agree": "on"})
    own = campaign.enrollments.get()
    exclusions.exclude_annotator(
        enrollment=own, reason="clicked", by=campaign.created_by, now=timezone.now()
    )
    first.post(f"/work/{campaign.uuid}/withdraw/")
    assert not Enrollment.objects.exists()
    assert [
        each.post(f"/join/{link.token}/", {"agree": "on"}).status_code for each in (first, Client())
    ] == [410, 410]


def test_coming_and_going_in_a_loop_meets_the_same_limit_as_joining(monkeypatch) -> None:
    monkeypatch.setattr(enrollments, "MAX_ARRIVALS_PER_MINUTE", 60)
    campaign = studies.opened(withdrawal=True)
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by, places=1000)
    earlier = range(900, 900 + enrollments.MAX_ARRIVALS_PER_MINUTE - 2)
    Erasure.objects.bulk_create(
        Erasure(campaign=campaign, label=f"A{number}", erased_at=timezone.now())
        for number in earlier
    )
    assert [left(link, Client()) for _ in range(4)] == [302, 302, 429, 429]


def test_request_under_way_does_not_bring_back_who_withdraws_meanwhile(monkeypatch) -> None:
    """Who was left out would judge again, under another label and without a link."""
    campaign, user = factories.opened(), factories.user()
    own = enrollments.enroll(campaign=campaign, user=user)
    place_of = work.enrollment_of

    def withdrawn_then(*who):
        if Enrollment.objects.filter(pk=own.pk).exists():
            erasures.erase_annotator(enrollment=own, by=None, now=timezone.now())
        return place_of(*who)

    monkeypatch.setattr(work, "enrollment_of", withdrawn_then)
    client, path = factories.logged_in(user), f"/work/{campaign.uuid}/"
    assert client.get(path).status_code == 404
    assert not campaign.enrollments.exists()
    assert not user.memberships.exists()


def test_second_person_with_a_link_for_one_learns_nothing_of_the_first() -> None:
    campaign = studies.opened()
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    Client().post(f"/join/{link.token}/", {"agree": "on"})
    own = campaign.enrollments.get()
    held = studies.held(own)
    second = Client()
    page = second.post(f"/join/{link.token}/", {"agree": "on"})
    assert page.status_code == 410
    words = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page.text)  # which may read A01
    assert own.label not in words
    for path in (f"/tasks/{held.pk}/", f"/work/{campaign.uuid}/", f"/work/{campaign.uuid}/done/"):
        assert second.get(path).url.startswith("/login/")


def test_visitor_fills_the_history_no_faster_than_names_may_be_tried(monkeypatch) -> None:
    monkeypatch.setattr(
        log_ins, "MAX_LOGIN_ATTEMPTS_PER_MINUTE", 15
    )  # which a busy machine tries within one
    client = Client()
    for number in range(log_ins.MAX_LOGIN_ATTEMPTS_PER_MINUTE + 5):
        client.post("/login/", {"username": f"name{number}", "password": "x"})
    assert (
        Event.objects.filter(act="log_in.failed").count() == log_ins.MAX_LOGIN_ATTEMPTS_PER_MINUTE
    )


def test_thief_with_a_session_cannot_renew_the_proof_of_the_password() -> None:
    campaign = studies.opened()
    manager = campaign.created_by
    client = logged_in(manager)
    link = campaigns.create_invitation(campaign=campaign, by=manager, places=5)
    session = client.session
    session[CONFIRMED] -= 3600
    session.save()
    client.post(f"/join/{link.token}/", {"agree": "on"})
    client.post(f"/work/{campaign.uuid}/link/")  # gives the session another key
    client.get("/sessions/")
    assert client.post("/tokens/", {"scope": "write", "days": 300}).url.startswith("/confirm/")
    assert not manager.api_tokens.exists()


@pytest.mark.parametrize("path", ["/login/", "/confirm/", "/password/"])
def test_own_password_is_not_looked_at_as_often_as_somebody_likes(path: str, settings) -> None:
    """Each look costs a good part of a second: forty connections that show the right one held all
    threads."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    owner = factories.researcher()
    client, other = logged_in(owner), factories.researcher()
    own = dict.fromkeys(("password", "old_password"), factories.PASSWORD)
    form = own | {"username": owner.username, "new_password1": factories.PASSWORD}
    form |= {"new_password2": factories.PASSWORD}
    if path == "/login/":
        client.logout()
    said = []
    for _ in range(log_ins.MAX_LOGIN_ATTEMPTS_OF_ONE + 1):
        said.append(client.post(path, form).status_code)
        if path == "/login/":
            client.logout()
    assert said == [302] * log_ins.MAX_LOGIN_ATTEMPTS_OF_ONE + [429]
    assert Client().post("/login/", form | {"username": other.username}).status_code == 302


@pytest.mark.parametrize("path", ["/confirm/", "/password/"])
def test_thief_with_a_session_who_guesses_the_password_has_to_wait(path: str) -> None:
    owner = factories.researcher()
    client, new = logged_in(owner), "a heron at dusk"
    form = {"new_password1": new, "new_password2": new}
    guesses = [f"guess {number}" for number in range(log_ins.FREE)] + [factories.PASSWORD]
    said = [client.post(path, form | {"password": each, "old_password": each}) for each in guesses]
    assert [each.status_code for each in said[-2:]] == [said[0].status_code, 429]
    assert said[-1].headers["Retry-After"]
    owner.refresh_from_db()
    assert owner.check_password(factories.PASSWORD)
    log_ins.reset_attempts(name=owner.username)
    last = {"password": factories.PASSWORD, "old_password": factories.PASSWORD}
    assert client.post(path, form | last).status_code == 302


def test_browser_from_before_a_new_password_is_a_strangers_and_holds_up_nobody() -> None:
    """Whoever had the password once kept the owner's own browsers out, by wrong guesses for ever."""
    owner = factories.researcher()
    shown, new = {"username": owner.username, "password": factories.PASSWORD}, "a heron at dusk"
    thief, own = Client(), Client()
    for each in (thief, own):
        assert each.post("/login/", shown).status_code == 302
    thief.post("/logout/")
    form = {"old_password": factories.PASSWORD, "new_password1": new, "new_password2": new}
    assert own.post("/password/", form).status_code == 302
    own.post("/logout/")
    guesses = [thief.post("/login/", shown).status_code for _ in range(log_ins.FREE + 1)]
    assert guesses[-1] == 429
    assert own.post("/login/", shown | {"password": new}).status_code == 302


def test_who_is_named_an_annotator_in_another_study_of_the_material_is_blind_until_they_decline() -> (
    None
):
    """Whoever may use a dataset could blind the staff of any study of it, closed ones too."""
    owner, second, rival = (factories.researcher() for _ in range(3))
    material = factories.dataset(owner=owner)
    study = factories.opened(manager=owner, dataset=material)
    campaigns.add_member(campaign=study, user=rival, role="analyst", by=owner)
    campaigns.close_campaign(campaign=study, now=timezone.now())
    datasets.share_dataset(dataset=material, user=second, by=owner)
    draft = factories.campaign(manager=second, dataset=material)
    campaigns.add_member(campaign=draft, user=rival, role="annotator", by=second)
    client = logged_in(rival)
    items = f"/campaigns/{study.uuid}/items/"
    matching = reverse("analysis:matching", args=[material.pk])
    told = "You were named to judge it and have not begun"
    for path, status in ((items, 200), (matching, 403), (f"/datasets/{material.pk}/", 200)):
        page = client.get(path)
        assert (page.status_code, told in page.text) == (
            status,
            path != f"/datasets/{material.pk}/",
        )
    assert 'href="/work/"' in client.get(items).text
    decline = f"/work/{draft.uuid}/decline/"
    assert f'action="{decline}"' in client.get("/work/").text

    assert client.post(decline).status_code == 302
    assert told not in client.get(items).text
    assert client.get(matching).status_code == 200
    with pytest.raises(campaigns.NotAllowedNow, match="declined to judge"):
        campaigns.add_member(campaign=draft, user=rival, role="annotator", by=second)


def test_nobody_stays_blind_by_a_role_that_was_taken_before_they_began() -> None:
    """To look at the study made a place, which stayed, and no page gave it up."""
    study, second, rival = factories.opened(), factories.researcher(), factories.researcher()
    campaigns.add_member(campaign=study, user=rival, role="analyst")
    datasets.share_dataset(dataset=study.dataset, user=second)
    draft = factories.campaign(manager=second, dataset=study.dataset)
    campaigns.add_member(campaign=draft, user=rival, role="annotator", by=second)
    client, items = logged_in(rival), f"/campaigns/{study.uuid}/items/"
    client.get(f"/work/{draft.uuid}/")
    assert "You judge this dataset" in client.get(items).text
    campaigns.remove_member(campaign=draft, user=rival, role="annotator", by=second)
    assert "You judge this dataset" not in client.get(items).text


def test_who_has_begun_is_not_told_to_decline() -> None:
    study, rival = factories.opened(), factories.researcher()
    campaigns.add_member(campaign=study, user=rival, role="analyst")
    for begins in (False, True):
        draft = factories.opened(manager=study.created_by, dataset=study.dataset)
        campaigns.add_member(campaign=draft, user=rival, role="annotator", by=study.created_by)
        if begins:
            studies.held(enrollments.enroll(campaign=draft, user=rival))
    page = logged_in(rival).get(f"/campaigns/{study.uuid}/items/").text
    assert "You judge this dataset" in page
    assert "have not begun" not in page


def test_protocol_of_whose_use_of_a_dataset_ended_is_closed_to_their_analysts() -> None:
    owner, maker, analyst = (factories.researcher() for _ in range(3))
    plain = factories.user()
    study = factories.campaign(
        manager=maker,
        dataset=factories.dataset(owner=owner),
        protocol=protocols.install(document=factories.small(), owner=maker),
    )
    for each in (analyst, plain):
        campaigns.add_member(campaign=study, user=each, role="analyst")
    paths = [f"/protocols/{study.protocol_id}/", f"/protocols/{study.protocol_id}/yaml/"]
    for each in (analyst, plain):
        assert {logged_in(each).get(path).status_code for path in paths} == {200}
    dataset_uses.end_use(dataset=study.dataset, user=maker, now=timezone.now(), by=owner)
    for each in (analyst, plain):
        assert {logged_in(each).get(path).status_code for path in paths} <= {403, 404}
    assert logged_in(maker).get(paths[0]).status_code == 200


def test_owner_who_judges_learns_from_no_file_whose_question_it_names() -> None:
    material = assembled()
    own = factories.opened(manager=material.owner, dataset=material)
    place = factories.enrollment(own, account=material.owner)
    client = logged_in(material.owner)
    text = "passage,answer,system,question,Bleu_4\nHerons wade at dawn.,at dawn,Alba,When do herons wade?,0.50\n"
    columns = MATERIAL | scored("Bleu_4", scale="fraction")
    added = waiting(material, text, name="guess.csv", columns=columns)
    page = f"/datasets/{material.pk}/files/{added.number}/"
    assert client.get(page).status_code == 403
    assert "guess.csv" in client.get(f"/datasets/{material.pk}/files/").text
    place.delete()
    own.memberships.filter(role="annotator").delete()
    assert client.get(page).url.startswith("/jobs/")  # which looks at it


def test_manager_who_judges_learns_from_no_judges_table_whose_question_it_names() -> None:
    study = factories.opened()
    place = factories.enrollment(study, account=study.created_by)

    def refused(system: str) -> str:
        table = f"source,system,grammaticality\ns1,{system},99\n".encode()
        with pytest.raises(llm_judges.CannotTake) as told:
            llm_judges.add_llm_judge(
                campaign=study,
                by=study.created_by,
                file=storage.store_bytes(table),
                file_name="judge.csv",
                about={"name": "Small"},
            )
        return str(told.value).replace(system, "it")

    assert refused("Alba") == refused("Corvo")
    place.delete()
    study.memberships.filter(role="annotator").delete()
    assert refused("Alba") != refused("Corvo")


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["first password", "password link"])
def test_of_passwords_set_at_one_moment_one_is_hashed(way: str) -> None:
    """Each hash takes a quarter of a second, in which a page waits."""
    windows = [Client() for _ in range(6)]
    if way == "first password":
        campaign = studies.opened()
        link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
        windows[0].post(f"/join/{link.token}/", {"agree": "on"})
        for each in windows:
            each.cookies = windows[0].cookies
        path = "/work/account/"
    else:
        parts = accounts.password_link_parts(user=factories.researcher())
        address = reverse("password_reset_confirm", kwargs=parts)
        [path] = {each.get(address).url for each in windows}

    def choose(number: int) -> int:
        chosen = dict.fromkeys(("new_password1", "new_password2"), f"heron number {number}")
        return windows[number].post(path, chosen).status_code

    assert set(all_at_once(choose, list(range(6)))) <= {200, 302, 400}
    assert Event.objects.filter(act=Event.Act.PASSWORD_CHANGED).count() == 1
