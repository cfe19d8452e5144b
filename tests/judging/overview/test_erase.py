"""Erasing a person: by the command, on a page, and as the role that serves."""

import uuid
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connection, transaction
from django.test import Client
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.members import Enrollment, Erasure
from judging.enrolments.actions import enrollments
from judging.overview.actions import erasures
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.work.actions import drafts, judgments, sheets
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies
from tests.config.test_roles import serving

pytestmark = pytest.mark.django_db


def test_erase_removes_a_person_and_says_what_went() -> None:
    campaign = studies.opened()
    _client, enrollment = studies.annotator(campaign)
    studies.held(enrollment)
    out = StringIO()
    call_command(
        "erase",
        campaign.uuid,
        enrollment.label,
        by=campaign.created_by.username,
        yes=True,
        stdout=out,
    )
    assert out.getvalue().startswith(f"{enrollment.label} is erased: 0 judgment, ")
    assert not Enrollment.objects.filter(pk=enrollment.pk).exists()
    assert Erasure.objects.get().erased_by == campaign.created_by


def test_erase_refuses_strangers_unknown_labels_and_haste() -> None:
    campaign = studies.opened()
    _client, enrollment = studies.annotator(campaign)
    manager = campaign.created_by.username
    stranger = factories.researcher().username
    for words, by, yes in [
        ((campaign.uuid, enrollment.label), stranger, True),
        ((campaign.uuid, "A99"), manager, True),
        ((uuid.uuid4(), enrollment.label), manager, True),
        ((campaign.uuid, enrollment.label), manager, False),
    ]:
        with pytest.raises(CommandError):
            call_command("erase", *words, by=by, yes=yes)
    assert Enrollment.objects.filter(pk=enrollment.pk).exists()


def judged() -> Enrollment:
    """Return an annotator who came by a link and handed one task in."""
    campaign = studies.opened(annotators_per_task=1)
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    own = enrollments.join_by_link(
        invitation=link, user=None, agreed=True, now=timezone.now()
    ).enrollments.get()
    held = studies.held(own)
    drafts.save_draft(
        assignment=held,
        page=drafts.SentPage(
            [(asked, 2) for asked in sheets.sheet_of_assignment(held).asked()], sequence=1
        ),
    )
    judgments.submit_task(assignment=held, token=held.submit_token)
    return own


def test_manager_erases_on_a_page_by_typing_the_label() -> None:
    own = judged()
    campaign, client = own.campaign, Client()
    client.force_login(campaign.created_by)
    address = f"/campaigns/{campaign.uuid}/annotators/{own.pk}/erase/"
    assert address in client.get(f"/campaigns/{campaign.uuid}/annotators/{own.pk}/").text
    assert client.post(address, {"label": "A99"}).status_code == 422
    assert Judgment.objects.count() == 4
    client.post(address, {"label": own.label})
    assert (Judgment.objects.count(), Enrollment.objects.count()) == (0, 0)
    assert not User.objects.filter(pk=own.user_id).exists()
    event = Event.objects.get(act="annotator.erased")
    assert (event.who, event.campaign, event.about, event.before) == (
        campaign.created_by_id,
        campaign.uuid,
        own.label,
        "4 judgments",
    )


def test_erase_page_of_another_campaigns_annotator_is_not_found() -> None:
    own, other = judged(), judged()
    client = factories.logged_in(own.campaign.created_by)
    address = f"/campaigns/{own.campaign.uuid}/annotators/{other.pk}/erase/"
    assert client.get(address).status_code == 404


def test_serving_role_erases_by_the_function_alone_and_never_without_an_event() -> None:
    own = judged()
    with serving():
        erasures.erase_annotator(enrollment=own, by=own.campaign.created_by, now=timezone.now())
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert Judgment.objects.count() == 0
    assert Event.objects.get(act="annotator.erased").seal.position


def test_nobody_else_may_call_the_function() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE somebody")
        cursor.execute("GRANT USAGE ON SCHEMA public TO somebody")  # if not every role has it
        cursor.execute("SET ROLE somebody")
        with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
            cursor.execute("SELECT judging_erase_judgments(1, 1)")
        cursor.execute("RESET ROLE")
