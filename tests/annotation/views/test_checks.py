"""Nobody can tell a check from a task: not by pages, addresses, numbers, progress, the way back or
the list."""

import re

import pytest
from django.urls import reverse

from judging.campaigns.models.assignment import Assignment
from tests import factories
from tests.annotation.studies import filled
from tests.judging.quality.actions.test_checks import checked, degrade, gold, person

pytestmark = pytest.mark.django_db


def prepare(campaign) -> None:
    gold(campaign)
    degrade(campaign)


@pytest.fixture(scope="module")
def judged(lasting):
    """Return the pages an annotator met one after the other, each with its assignment, and what
    they were led to."""
    campaign = checked(sources=14, gold=15, repeats=35, degraded=35, prepare=prepare)
    enrollment = person(campaign)
    client, pages = factories.logged_in(enrollment.user), []
    answer = client.get(reverse("annotation:work", args=[campaign.uuid]) + "?begin")
    while "/task" in answer.url and len(pages) < 60:
        html = client.get(answer.url).text
        own = Assignment.objects.select_related(
            "round__campaign__protocol", "task", "enrollment"
        ).get(pk=re.search(r"[0-9a-f-]{36}", answer.url)[0])
        pages.append((own, html, answer.url))
        form = filled(own)
        answer = client.post(f"{reverse('annotation:submit', args=[own.pk])}?step=0", form)
    return campaign, pages, client


def skeleton(html: str) -> str:
    """Return a page without what differs from task to task: texts of questions, keys, tokens and
    counts."""
    html = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "KEY", html)
    html = re.sub(r"(csrfmiddlewaretoken\W+value=|nonce=)\"[^\"]*\"", r"\1", html)
    html = re.sub(r">[^<]*<", "><", html)
    return re.sub(
        r"\d+(\.\d+)?|s\d+|data-[a-z-]+=\"[^\"]*\"|(value|content|aria-label|title)=\"[^\"]*\"",
        "",
        html,
    )


def test_checks_are_met_and_look_like_tasks(judged):
    _campaign, pages, _client = judged
    kinds = [own.round.kind for own, _html, _url in pages]
    assert kinds.count("main") == 14
    assert kinds.count("checks") >= 6
    said = {own.round.kind: set() for own, _html, _url in pages}
    for own, html, _url in pages[1:]:  # the first has no way back
        said[own.round.kind].add(skeleton(html))
    assert said["checks"] <= said["main"]


def test_no_page_says_check_gold_or_degraded(judged):
    campaign, pages, client = judged
    done = client.get(reverse("annotation:done", args=[campaign.uuid])).text
    for html in [*(html for _own, html, _url in pages), done]:
        words = re.sub(r"<script.*?</script>", "", html, flags=re.S)
        words = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", words).lower()
        assert "csrfmiddlewaretoken" not in words  # 64 drawn letters, which may read "gold"
        assert not re.search(r"gold|degraded|repeat_|check_|kind=|checks of", words)


def test_numbers_go_up_by_one_and_every_page_but_the_first_has_a_way_back(judged):
    _campaign, pages, _client = judged
    for place, (_own, html, _url) in enumerate(pages, start=1):
        assert re.search(rf"\b{place}\b", re.sub(r"<[^>]+>", " ", html))
    assert 'value="back"' not in pages[0][1]
    assert all('value="back"' in html for _own, html, _url in pages[1:])


def test_list_of_what_was_handed_in_holds_checks_among_the_others(judged):
    campaign, pages, client = judged
    listed = client.get(reverse("annotation:done", args=[campaign.uuid])).context["listed"]
    assert [own.pk for own, _question in listed] == [own.pk for own, _html, _url in reversed(pages)]
