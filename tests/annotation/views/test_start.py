"""What annotators read before their first task."""

import re
from dataclasses import replace

import pytest
from django.test import Client

from judging.campaigns.actions import campaigns
from judging.protocols import documents
from judging.protocols.actions import protocols
from tests import factories
from tests.annotation import studies

pytestmark = pytest.mark.django_db


def text_of(html: str) -> str:
    """Return what a page says, white space collapsed."""
    main = re.search(r"<main.*</main>", html, re.DOTALL)
    assert main
    return " ".join(re.sub(r"<[^>]+>", " ", main[0]).split())


def test_start_states_time_pay_criteria_and_a_worked_item() -> None:
    campaign = studies.opened(
        "qgbench", pay="9 euros an hour", contact="Ada", tasks_per_annotator=40
    )
    client, _enrollment = studies.annotator(campaign)

    said = text_of(client.get(f"/work/{campaign.uuid}/start/").text)

    assert (
        "Time about 2.5 minutes a task Tasks up to 40; you may pause at any time "
        "In total up to about 100 minutes for all tasks Pay 9 euros an hour" in said
    )
    assert "Is the question grammatical? 1 Many errors 2 Small errors 3 Correct" in said
    assert (
        "So many errors, or such bad ones, that it hardly reads as a sentence. What did the baker"
        in said
    )
    assert "Answer Jonas Lind Who did become the first keeper of the bridge at Holm?" in said
    assert "Grammaticality 2 Small errors “Who did become” should be “Who became”." in said
    assert (
        "Correctness 3 Asks exactly for it By the passage Jonas Lind was the first keeper" in said
    )


@pytest.mark.parametrize("seconds", [10, 44, 50, 75, 150, 100])
@pytest.mark.parametrize("tasks", [1, 7, 41])
def test_start_states_total_that_is_time_per_task_times_tasks(seconds: int, tasks: int) -> None:
    timed = replace(documents.shipped("qgbench"), key="timed", estimated_seconds=seconds)
    protocol = protocols.install(document=timed)
    campaign = factories.opened(protocol=protocol, tasks_per_annotator=tasks)
    client, _enrollment = studies.annotator(campaign)

    said = text_of(client.get(f"/work/{campaign.uuid}/start/").text)

    [per_task] = re.findall(r"about ([\d.]+) minutes? a task", said)
    [total] = re.findall(r"about ([\d.,]+) minutes? for all tasks", said)
    assert float(per_task) * tasks == float(total.replace(",", ""))


def test_start_has_one_button_that_leads_to_the_first_task() -> None:
    campaign = studies.opened()
    client, enrollment = studies.annotator(campaign)

    html = client.get(f"/work/{campaign.uuid}/start/").text
    [button] = re.findall(r'<a class="button primary" href="([^"]+)">([^<]+)</a>', html)

    assert button == (f"/work/{campaign.uuid}/?begin", "To the first task")
    assert not enrollment.assignments.exists()
    assert client.get(button[0]).url == f"/tasks/{enrollment.assignments.get().pk}/"


def test_work_leads_to_the_start_before_the_first_task_and_never_again() -> None:
    campaign = studies.opened()
    client, enrollment = studies.annotator(campaign)
    work, start = f"/work/{campaign.uuid}/", f"/work/{campaign.uuid}/start/"

    assert client.get(work).url == start
    task = studies.held(enrollment)

    assert client.get(work).url == f"/tasks/{task.pk}/"
    assert start in client.get(f"/tasks/{task.pk}/").text


def test_start_in_german_and_of_a_set() -> None:
    campaign = studies.opened("qgstec2010-b", expected=2)
    client, _enrollment = studies.annotator(campaign)

    answer = client.get(f"/work/{campaign.uuid}/start/", headers={"accept-language": "de"})
    said = text_of(answer.text)

    assert 'lang="de"' in answer.text
    assert (
        "Wer wurde ihr Wärter? Andere Fragen der Gruppe: Wer hütete als Erster die Brücke in Holm?"
        in said
    )
    assert (
        "Verschiedenheit 2 Dasselbe in anderen Worten Beide Fragen wollen dieselbe Antwort" in said
    )


def test_start_of_a_protocol_without_a_worked_item_shows_none() -> None:
    bare = replace(documents.shipped("qgbench"), key="bare", worked_item=None, translations={})
    campaign = factories.opened(protocol=protocols.install(document=bare))
    client, _enrollment = studies.annotator(campaign)

    html = client.get(f"/work/{campaign.uuid}/start/").text

    assert "One item, worked" not in html
    assert "Pay" not in text_of(html)


def test_invitation_states_pay_and_tasks() -> None:
    campaign = studies.opened(pay="9 euros an hour", tasks_per_annotator=40)
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)

    said = text_of(Client().get(f"/join/{link.token}/").text)

    assert "Tasks up to 40; you may pause at any time In total up to about 40 minutes" in said
    assert "for all tasks Pay 9 euros an hour" in said


def test_invitation_states_the_minutes_that_pay_is_planned_by() -> None:
    rate = {"amount": "1.00", "currency": "EUR", "minutes": "7"}
    campaign = studies.opened(rate=rate)
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)

    assert "about 7 minutes a task" in text_of(Client().get(f"/join/{link.token}/").text)


def test_start_shows_the_personal_link_to_those_who_have_no_password() -> None:
    campaign = studies.opened()
    client, enrollment = studies.annotator(campaign)
    assert "personal-link" not in client.get(f"/work/{campaign.uuid}/start/").text
    enrollment.user.set_unusable_password()
    enrollment.user.save()
    client.force_login(enrollment.user)

    html = client.get(f"/work/{campaign.uuid}/start/").text

    [link] = re.findall(r'<code id="personal-link" translate="no">([^<]+)</code>', html)
    assert "/go/" in link
    assert 'data-copy="personal-link"' in html
    assert Client().get(link).status_code == 200


def test_task_page_total_does_not_shrink_when_others_take_places() -> None:
    campaign = studies.opened(sources=4, annotators_per_task=1)
    client, enrollment = studies.annotator(campaign)
    task = studies.held(enrollment)

    assert "Task 1 of 4" in client.get(f"/tasks/{task.pk}/").text
    other = factories.enrollment(campaign)
    studies.held(other)

    assert "Task 1 of 4" in client.get(f"/tasks/{task.pk}/").text
