"""Managers' pages are English in every browser; annotators' pages are in the annotator's language."""

import re

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, get_resolver, reverse

from judging.campaigns.actions import campaigns
from judging.people.models.user import User
from tests import factories
from tests.annotation import studies

pytestmark = pytest.mark.django_db
GERMAN = {"accept-language": "de-DE,de;q=0.9,en;q=0.5"}


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
        is_page = answer.headers.get("Content-Type", "").startswith("text/html")
        if answer.status_code == 200 and is_page and "<html" in answer.text:
            assert (address, language_of(answer)) == (address, ("en", "en"))
            assert (address, 'action="/language/"' in answer.text) == (address, False)
            read.add(address)
    assert {"/campaigns/", "/tokens/", "/password/", "/accounts/", "/protocols/"} <= read


def test_annotators_page_in_a_german_browser_is_german() -> None:
    campaign = studies.opened("qgbench", sources=1)
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
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
