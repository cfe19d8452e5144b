"""Every number of a report that rests on questions leads to them, and the list it leads to is of
that number."""

import os
import re
from collections import defaultdict
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse

from judging.datasets.models.dataset import Attribute, Unit
from tests import factories
from tests.analysis import studies

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(lasting):
    study = studies.imported()
    units = Unit.objects.filter(question_set__source__dataset=study.dataset, position=1)
    Attribute.objects.bulk_create(
        Attribute(
            unit=unit,
            name="genre",
            value="news & law" if unit.question_set.source.position % 2 else "canals",
        )
        for unit in units.select_related("question_set__source")
    )
    return studies.analysed(study, slices=["column: genre"])


@pytest.fixture(scope="module")
def manager(made):
    return factories.logged_in(made.campaign.created_by)


@pytest.fixture(scope="module")
def links(made, manager):
    """Return each link of the report into the list of questions, with the number that carries
    it."""
    page = studies.whole_report(manager, reverse("analysis:report", args=[made.campaign.uuid]))
    address = reverse("analysis:items", args=[made.campaign.uuid])
    found = re.findall(rf'<a href="({re.escape(address)}\?[^"]*)">(.*?)</a>', page)
    return [(unescape(href), re.sub("<.*?>", "", text)) for href, text in found]


def asked(href):
    return {name: value for name, [value] in parse_qs(urlsplit(href).query).items()}


def of_each_kind(addresses):
    """Return two of each kind of list: of those that are sorted alike and ask for the same things."""
    kinds = defaultdict(list)
    for href in addresses:
        query = asked(href)
        kinds[query.get("sort"), query.get("metric"), *sorted(query)].append(href)
    return [href for alike in kinds.values() for href in (alike[0], alike[-1])]


@pytest.mark.long
def test_every_link_opens_a_list_that_is_not_empty(links, manager):
    """In the short form, two of each kind."""
    addresses = list(dict.fromkeys(href for href, _text in links))
    assert len(addresses) > 40
    if "QUAESTOR_LONG" not in os.environ:
        addresses = dict.fromkeys(of_each_kind(addresses))
        assert len(addresses) > 15
    # may list nothing where a value is given by one annotator alone
    empty = {
        "disagreement",
        "outlier",
    }
    for href in addresses:
        answer = manager.get(href)
        assert answer.status_code == 200, (href, answer.context["form"].errors)
        assert (
            answer.context["lines"] or asked(href).get("sort") in empty or "value" in asked(href)
        ), href


def test_links_name_criterion_metric_system_annotator_and_value(links):
    queries = [asked(href) for href, _text in links]
    assert {"sort": "gap", "criterion": "correctness", "metric": "meteor"} in queries
    assert {"sort": "disagreement", "criterion": "correctness"} in queries
    assert {"sort": "outlier", "criterion": "correctness", "annotator": "A2"} in queries
    assert {"sort": "mean", "criterion": "correctness", "system": "Corvo"} in queries
    assert {
        "sort": "loss",
        "criterion": "correctness",
        "system": "Brisa",
    } in queries  # by its letters
    assert {
        "sort": "loss",
        "criterion": "correctness",
        "system": "Alba",
        "against": "Corvo",
    } in queries
    assert {"criterion": "correctness", "value": "3", "annotator": "A1"} in queries
    assert {"criterion": "correctness", "system": "Brisa", "value": "2"} in queries
    genre = {"attribute": "genre", "attribute_value": "news & law"}
    assert {"sort": "mean", "criterion": "correctness", "system": "Alba", **genre} in queries


def test_share_of_a_value_leads_to_as_many_questions_as_it_counts(links, manager):
    [(href, share)] = [
        (href, text)
        for href, text in links
        if asked(href) == {"criterion": "correctness", "value": "3", "annotator": "A1"}
    ]
    assert share == "3: 33%"
    # of 18: the first annotator gives 3 to every question of Alba
    assert len(manager.get(href).context["lines"]) == 6


def test_mean_of_a_system_leads_to_its_questions_and_their_mean_is_that_number(links, manager):
    [(href, text)] = {
        (href, text)
        for href, text in links
        if asked(href) == {"sort": "mean", "criterion": "correctness", "system": "Brisa"}
    }
    keys = [float(line.key) for line in manager.get(href).context["lines"]]
    assert text == "2.25"
    assert sum(keys) / len(keys) == 2.25
