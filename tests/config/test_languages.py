"""Managers' pages are English in every browser; annotators' pages are in the annotator's language."""

import re
from datetime import UTC, datetime

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, get_resolver, reverse
from django.utils import timezone

from judging.actions import campaigns, keys, rubric_drafts
from judging.models import AccessKey, Campaign, User
from tests import factories
from tests.annotation import studies

pytestmark = pytest.mark.django_db
GERMAN = {"accept-language": "de-DE,de;q=0.9,en;q=0.5"}
ABOUT_A_CAMPAIGN = """judging:campaign judging:plan judging:annotators judging:tasks judging:quality
    judging:pay judging:selection judging:gold judging:rounds judging:history judging:crowd
    judging:exit_form judging:webhooks judging:machine_judges judging:adjudication judging:now
    judging:exclusion_rules analysis:report analysis:planning analysis:dry_run analysis:reproduce
    analysis:help"""


def language_of(answer: HttpResponse) -> tuple[str, str]:
    """Return the language that a page names, and that of its header."""
    [language] = re.findall(r'<html lang="([^"]*)"', answer.content.decode())
    return language, answer.headers["Content-Language"]


def german(user: User | None = None) -> Client:
    """Return the client of a browser that asks for German, and once chose it here."""
    client = Client(headers=GERMAN)
    if user:
        client.force_login(user)
    client.post("/language/", {"language": "de", "next": "/"})
    return client


def pages_without_parts() -> list[str]:
    """Return the addresses that need no key of an object, and are not annotators' pages."""
    found = []
    resolver = get_resolver()
    names = [each.name for each in resolver.url_patterns if isinstance(each, URLPattern)]
    for app in ("judging", "analysis"):
        names += [f"{app}:{name}" for name in resolver.namespace_dict[app][1].reverse_dict]
    for name in names:
        try:
            found.append(reverse(name))
        except NoReverseMatch:
            continue
    return found


def test_managers_page_in_a_german_browser_is_english() -> None:
    user = factories.researcher()
    User.objects.filter(pk=user.pk).update(is_superuser=True)
    client = german(user)
    read = set()
    for address in pages_without_parts():
        answer = client.get(address)
        if answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html"):
            assert (address, language_of(answer)) == (address, ("en", "en"))
            assert (address, 'action="/language/"' in answer.text) == (address, False)
            read.add(address)
    assert {"/campaigns/", "/key/", "/password/", "/accounts/", "/protocols/"} <= read


def test_campaign_in_a_german_browser_is_english() -> None:
    campaign = factories.opened()
    client = german(campaign.created_by)
    for name in ABOUT_A_CAMPAIGN.split():
        try:
            address = reverse(name, args=[campaign.uuid])
        except NoReverseMatch:
            continue
        answer = client.get(address)
        if "<html" in answer.text:
            assert (name, language_of(answer)) == (name, ("en", "en"))
        assert "Kampagne" not in answer.text


def test_error_of_a_managers_form_in_a_german_browser_is_english() -> None:
    answer = german(factories.researcher()).post("/key/", {"scope": "read", "days": ""})
    assert answer.context["form"].errors["days"] == ["Fill this in."]


def test_date_on_a_managers_page_in_a_german_browser_is_english() -> None:
    user = factories.researcher()
    keys.make(user=user, scope="read", days=3, now=timezone.now())
    AccessKey.objects.update(expires_at=datetime(2099, 3, 1, tzinfo=UTC))
    assert "1 Mar 2099" in german(user).get("/key/").text


def test_part_of_a_managers_page_in_a_german_browser_is_english() -> None:
    owner = factories.researcher()
    draft = rubric_drafts.start(by=owner, text="", now=timezone.now())
    pane = german(owner).post(reverse("annotation:rubric_pane", args=[draft.pk]), {})
    assert pane.headers["Content-Language"] == "en"


def test_page_of_no_address_in_a_german_browser_is_english() -> None:
    answer = german(factories.researcher()).get("/nowhere/")
    assert (answer.status_code, language_of(answer)) == (404, ("en", "en"))


def test_annotators_page_in_a_german_browser_is_german() -> None:
    campaign = studies.opened("qgbench", sources=1)
    link = campaigns.invite(campaign=campaign, by=campaign.created_by)
    assert language_of(german().get(f"/join/{link.token}/")) == ("de", "de")
    client = german(factories.enrollment(campaign).user)
    about = f"/work/{campaign.uuid}/"
    for address in ("/work/", f"{about}start/", f"{about}guideline/", f"{about}pause/"):
        assert (address, language_of(client.get(address))) == (address, ("de", "de"))
    for address in ("/work/nothing/", "/join/nothing/", f"/tasks/{campaign.uuid}/"):
        answer = client.get(address)
        assert (answer.status_code, language_of(answer)) == (404, ("de", "de"))


def test_log_in_is_in_the_language_of_the_page_it_leads_to() -> None:
    assert language_of(german().get("/login/")) == ("en", "en")
    assert language_of(german().get("/login/?next=/campaigns/")) == ("en", "en")
    assert language_of(german().get("/login/?next=/work/&account=")) == ("de", "de")
    wrong = german().post("/login/?next=/work/&account=", {"username": "x", "password": "y"})
    assert language_of(wrong) == ("de", "de")


def test_log_out_of_an_annotator_without_a_password_leads_to_a_german_page() -> None:
    user = factories.enrollment(studies.opened("qgbench", sources=1)).user
    assert language_of(german(user).post("/logout/", follow=True)) == ("en", "en")
    User.objects.filter(pk=user.pk).update(password="!")
    user.refresh_from_db()
    answer = german(user).post("/logout/", follow=True)
    assert language_of(answer) == ("de", "de")
    assert 'action="/language/"' in answer.text


def test_preview_of_a_campaign_is_in_the_language_of_annotators() -> None:
    campaign = factories.opened()
    client = german(campaign.created_by)
    address = reverse("annotation:preview", args=[campaign.uuid])
    assert language_of(client.get(address)) == ("de", "de")
    Campaign.objects.filter(pk=campaign.pk).update(fixed_language="en")
    assert language_of(client.get("/campaigns/")) == ("en", "en")
