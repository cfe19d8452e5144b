"""Attacks by who has read the source: two people with one link, an ex-analyst, a visitor, a thief
with a session.

That orders name no system is tried in annotation/test_blinding.py, every address for every role in
test_sweep.py.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from celery import current_app
from django.test import Client
from django.urls import reverse
from django.utils import timezone

import analysis.tasks  # noqa: F401
import judging.tasks  # noqa: F401
from judging import storage
from judging.actions import (
    accounts,
    campaigns,
    collections,
    dry_runs,
    enrollments,
    jobs,
    keys,
    log_ins,
    machine_judges,
)
from judging.guards import CONFIRMED
from judging.models import (
    Campaign,
    DryRun,
    Enrollment,
    Job,
    User,
)
from tests import factories
from tests.annotation import studies
from tests.judging.imports.studies import MATERIAL, assembled, waiting

pytestmark = pytest.mark.django_db


def logged_in(user: User) -> Client:
    client = factories.logged_in(user)
    client.get("/sessions/")
    return client


def test_ex_analyst_reads_nothing_by_session_key_or_job() -> None:
    campaign, analyst = factories.opened(), factories.researcher()
    campaigns.add_member(campaign=campaign, user=analyst, role="analyst")
    client, key = logged_in(analyst), keys.make(user=analyst, now=timezone.now(), scope="manage")
    mine = jobs.enqueue(kind="analysis.run", parameters={}, by=analyst, campaign=campaign)
    about = jobs.enqueue(
        kind="analysis.score", parameters={}, by=analyst, collection=campaign.collection
    )
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


def shown_copy(draft: Campaign, by: User) -> Campaign:
    run = dry_runs.copy(draft=draft, by=by, now=timezone.now(), settings={})
    dry_runs.show(run=run)
    dry_runs.conclude(run=run, by=by)
    DryRun.objects.filter(pk=run.pk).update(outcome={"order": []})  # filled
    return run.campaign


def test_ex_analyst_reads_no_dry_run_either_and_who_comes_later_reads_them() -> None:
    draft, analyst, later = factories.campaign(), factories.researcher(), factories.researcher()
    manager = draft.created_by
    campaigns.add_member(campaign=draft, user=analyst, role="analyst")
    copy = shown_copy(draft, manager)
    client, material = logged_in(analyst), f"/collections/{draft.collection_id}/"
    export = f"/campaigns/{copy.uuid}/export/csv/"
    assert {client.get(path).status_code for path in (material, export)} == {200}

    campaigns.remove_member(campaign=draft, user=analyst, role="analyst")
    campaigns.add_member(campaign=draft, user=later, role="analyst")

    assert {client.get(path).status_code for path in (material, export)} == {404}
    assert logged_in(later).get(export).status_code == 200
    campaigns.add_member(campaign=draft, user=later, role="manager")
    campaigns.remove_member(campaign=draft, user=manager, role="manager")
    assert logged_in(manager).get(export).status_code == 404


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
    "judging.delete_collection": "owner", "judging.examine_file": "owner",
    "judging.add_files": "owner", "judging.take_back_file": "owner", "judging.read_columns": "owner",
    "judging.add_rows": "owner",
    "judging.preview_files": "owner", "analysis.degrade": "owner",
    "analysis.score": "reader", "analysis.estimate": "reader", "analysis.matching": "reader",
    "analysis.reproduce": "creator", "analysis.forget": "",
}  # fmt: skip


def test_every_kind_of_job_has_the_right_that_its_page_asks_for() -> None:
    """A new kind fails here until it is said who may ask for it."""
    kinds = {name for name in current_app.tasks if name.startswith(("judging.", "analysis."))}
    # a part asks for the right of its job: tests/analysis/actions/test_scoring_parts.py
    assert kinds - {"analysis.score_part"} == set(RIGHTS)


def asked_by(other: User, kind: str, right: str) -> tuple[Job, Campaign]:
    """Return a job that somebody has the right to ask for, with a campaign about its material."""
    campaign = factories.campaign(collection=factories.collection())
    about: dict[str, Any] = {}
    if right in ("manager", "analyst"):
        campaigns.add_member(campaign=campaign, user=other, role=right)
        about = {"campaign": campaign}
    elif right in ("owner", "reader"):
        about = {"collection": campaign.collection}
        if right == "owner":
            collections.hand_over(collection=campaign.collection, to=other)
        else:
            collections.share(collection=campaign.collection, user=other)
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
        campaign.collection.refresh_from_db()
        collections.hand_over(collection=campaign.collection, to=campaign.created_by)
    elif right == "reader":
        collections.end_use(collection=campaign.collection, user=other, now=timezone.now())
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


def test_who_is_erased_is_taken_out_of_reports_whoever_lost_their_account(worker: Worker) -> None:
    campaign = factories.opened()
    asked = {"kind": jobs.FORGET_ANNOTATORS, "parameters": {"labels": ["A01"]}}
    job = jobs.enqueue(**asked, by=campaign.created_by, campaign=campaign)
    User.objects.filter(pk=campaign.created_by_id).update(is_active=False)
    assert worker(job).state == "done"


def test_who_withdraws_does_not_come_back_by_the_same_link_as_somebody_new() -> None:
    campaign = studies.opened(withdrawal=True)
    link = campaigns.invite(campaign=campaign, by=campaign.created_by)
    first = Client()
    first.post(f"/join/{link.token}/", {"agree": "on"})
    own = campaign.enrollments.get()
    enrollments.exclude(
        enrollment=own, reason="clicked", by=campaign.created_by, now=timezone.now()
    )
    first.post(f"/work/{campaign.uuid}/withdraw/")
    assert not Enrollment.objects.exists()
    assert [
        each.post(f"/join/{link.token}/", {"agree": "on"}).status_code for each in (first, Client())
    ] == [410, 410]


def test_second_person_with_a_link_for_one_learns_nothing_of_the_first() -> None:
    campaign = studies.opened()
    link = campaigns.invite(campaign=campaign, by=campaign.created_by)
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


def test_thief_with_a_session_cannot_renew_the_proof_of_the_password() -> None:
    campaign = studies.opened()
    manager = campaign.created_by
    client = logged_in(manager)
    link = campaigns.invite(campaign=campaign, by=manager, places=5)
    session = client.session
    session[CONFIRMED] -= 3600
    session.save()
    client.post(f"/join/{link.token}/", {"agree": "on"})
    client.post(f"/work/{campaign.uuid}/link/")  # gives the session another key
    client.get("/sessions/")
    assert client.post("/key/", {"scope": "write", "days": 300}).url.startswith("/confirm/")
    assert not hasattr(User.objects.get(pk=manager.pk), "access_key")


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
    log_ins.forget(name=owner.username)
    last = {"password": factories.PASSWORD, "old_password": factories.PASSWORD}
    assert client.post(path, form | last).status_code == 302


def test_who_is_named_an_annotator_in_another_study_of_the_material_is_blind_until_they_decline() -> (
    None
):
    """Whoever may use a collection could blind the staff of any study of it, closed ones too."""
    owner, second, rival = (factories.researcher() for _ in range(3))
    material = factories.collection(owner=owner)
    study = factories.opened(manager=owner, collection=material)
    campaigns.add_member(campaign=study, user=rival, role="analyst", by=owner)
    campaigns.close(campaign=study, now=timezone.now())
    collections.share(collection=material, user=second, by=owner)
    draft = factories.campaign(manager=second, collection=material)
    campaigns.add_member(campaign=draft, user=rival, role="annotator", by=second)
    client = logged_in(rival)
    items = f"/campaigns/{study.uuid}/items/"
    matching = reverse("analysis:matching", args=[material.pk])
    told = "You were named to judge it and have not begun"
    for path, status in ((items, 200), (matching, 403), (f"/collections/{material.pk}/", 200)):
        page = client.get(path)
        assert (page.status_code, told in page.text) == (
            status,
            path != f"/collections/{material.pk}/",
        )
    assert 'href="/work/"' in client.get(items).text
    decline = f"/work/{draft.uuid}/decline/"
    assert f'action="{decline}"' in client.get("/work/").text

    assert client.post(decline).status_code == 302
    assert told not in client.get(items).text
    assert client.get(matching).status_code == 200
    with pytest.raises(campaigns.NotAllowedNow, match="declined to judge"):
        campaigns.add_member(campaign=draft, user=rival, role="annotator", by=second)


def test_owner_who_judges_learns_from_no_file_whose_question_it_names() -> None:
    material = assembled()
    own = factories.opened(manager=material.owner, collection=material)
    place = factories.enrollment(own, account=material.owner)
    client = logged_in(material.owner)
    text = "passage,answer,system,question,Bleu_4\nHerons wade at dawn.,at dawn,Alba,When do herons wade?,0.50\n"
    score = {"column": "Bleu_4", "name": "Bleu_4", "direction": "higher", "scale": "fraction"}
    added = waiting(material, text, name="guess.csv", **MATERIAL, scores=[score])
    page = f"/collections/{material.pk}/files/{added.number}/"
    assert client.get(page).status_code == 403
    assert "guess.csv" in client.get(f"/collections/{material.pk}/files/").text
    place.delete()
    own.memberships.filter(role="annotator").delete()
    assert client.get(page).url.startswith("/jobs/")  # which looks at it


def test_manager_who_judges_learns_from_no_judges_table_whose_question_it_names() -> None:
    study = factories.opened()
    place = factories.enrollment(study, account=study.created_by)

    def refused(system: str) -> str:
        table = f"source,system,grammaticality\ns1,{system},99\n".encode()
        with pytest.raises(machine_judges.CannotTake) as told:
            machine_judges.add(
                campaign=study,
                by=study.created_by,
                file=storage.keep(table),
                file_name="judge.csv",
                about={"name": "Small"},
            )
        return str(told.value).replace(system, "it")

    assert refused("Alba") == refused("Corvo")
    place.delete()
    study.memberships.filter(role="annotator").delete()
    assert refused("Alba") != refused("Corvo")
