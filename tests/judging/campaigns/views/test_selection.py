"""The page on which a manager chooses what is judged."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.forms import selection
from judging.datasets.models.dataset import Attribute, Unit
from tests import factories
from tests.judging.campaign_pages import address, assert_same_queries, design
from tests.judging.importing import form_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def topical(owner):
    """A draft about four sources, two on canals and two on weirs, by two systems."""
    dataset = factories.dataset(sources=4, owner=owner)
    for unit in Unit.objects.filter(question_set__source__dataset=dataset, question__isnull=False):
        topic = "canals" if unit.question_set.source.key in ("s1", "s2") else "weirs"
        Attribute.objects.create(unit=unit, name="topic", value=topic)
    return factories.campaign(manager=owner, dataset=dataset)


def chosen(page, campaign, **fields):
    answer = page.post(address("selection", campaign), fields)
    campaign.refresh_from_db()
    return answer


def test_choice_is_kept_and_shown_in_words_with_counts(page, topical):
    fields = {"systems": ["Alba"], "column-0": ["weirs"], "size": 1, "how": "all", "sample_seed": 7}
    answer = chosen(page, topical, **fields)
    assert answer.url == address("plan", topical)
    sample = {"size": 1, "seed": 7, "over": "sources", "column": "", "each": False}
    assert topical.selection == {
        "systems": ["Alba"],
        "columns": {"topic": ["weirs"]},
        "sample": sample,
    }
    words = "1 of 8 questions: system Alba; topic: weirs; 1 source at random, seed 7"
    assert words in page.get(address("plan", topical)).text
    again = page.get(address("selection", topical))
    assert words in again.text
    assert again.context["form"].initial["size"] == 1
    campaigns.lock_plan(campaign=topical, now=timezone.now())
    assert words in page.get(address("plan", topical)).text


def test_plan_saved_afterwards_keeps_the_choice(page, topical):
    chosen(page, topical, systems=["Alba"])
    page.post(address("plan_part", topical, "design"), design(topical))
    topical.refresh_from_db()
    assert (topical.title, topical.selection) == ("Weirs", {"systems": ["Alba"]})


def test_empty_form_chooses_everything(page, topical):
    chosen(page, topical, systems=["Alba"])
    chosen(page, topical, sample_seed=1, how="all")
    assert topical.selection == {}
    assert "8 questions: everything" in page.get(address("plan", topical)).text


def test_stratified_sample(page, topical):
    chosen(page, topical, size=1, how="each_value", column="topic", sample_seed=7)
    assert (
        "4 of 8 questions: 1 source from each topic, seed 7"
        in page.get(address("plan", topical)).text
    )


def test_list_is_pasted_and_uploaded(page, topical):
    file = SimpleUploadedFile("ids.txt", "source\ns3\tBrisa\n".encode("utf-8-sig"))
    chosen(page, topical, ids="s1\ns2,Alba", file=file)
    assert topical.selection == {"list": [["s1", ""], ["s2", "Alba"], ["s3", "Brisa"]]}
    assert "s2\tAlba" in page.get(address("selection", topical)).text


@pytest.mark.long
@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"ids": "s1\ns9"}, "ids"),
        ({"file": b"s1,Corvo"}, "file"),
        ({"file": b"\xff\xfe\xfa"}, "file"),
        ({"size": 5, "how": "all", "sample_seed": 1}, "size"),
        ({"size": 1, "how": "column", "sample_seed": 1}, "column"),
        ({"size": 1, "how": "all"}, "sample_seed"),
        ({"column-0": ["bridges"]}, "column-0"),
        ({"ids": "s1", "column-0": ["weirs"]}, "__all__"),
    ],
)
def test_choice_that_does_not_fit_names_the_field_and_changes_nothing(page, topical, fields, field):
    sent = {
        name: SimpleUploadedFile("ids.txt", value) if isinstance(value, bytes) else value
        for name, value in fields.items()
    }
    answer = chosen(page, topical, **sent)
    assert answer.status_code == 422
    assert field in answer.context["form"].errors
    assert topical.selection == {}


def test_locked_choice_is_not_changed(page, topical):
    campaigns.lock_plan(campaign=topical, now=timezone.now())
    for answer in (
        page.get(address("selection", topical)),
        chosen(page, topical, systems=["Alba"]),
    ):
        assert answer.url == address("plan", topical)
    assert topical.selection == {}


def test_preview_shows_a_question_that_is_chosen(page, topical):
    from django.urls import reverse

    chosen(page, topical, ids="s4,Brisa")
    answer = page.get(reverse("annotation:preview", args=[topical.uuid]))
    assert "lock 4, asks Brisa" in answer.text
    assert "asks Alba" not in answer.text


def with_columns(dataset, names, value="x"):
    """Give every question the same value in each of some more columns."""
    units = Unit.objects.filter(question_set__source__dataset=dataset, question__isnull=False)
    Attribute.objects.bulk_create(
        Attribute(unit=unit, name=name, value=value) for unit in units for name in names
    )


@pytest.fixture
def paged(topical, monkeypatch):
    """The same draft with c0 to c5 before its topics, of which a page shows three."""
    monkeypatch.setattr(selection, "MAX_PAGE_ROWS", 3)
    with_columns(topical.dataset, [f"c{number}" for number in range(6)])
    return topical


def labels(answer):
    form = answer.context["form"]
    return [form.fields[key].label for key in form.columns]


@pytest.mark.long
def test_page_asks_as_much_of_many_columns_as_of_few(page, topical):
    numbers = iter(range(100))

    def more():
        with_columns(topical.dataset, [f"c{next(numbers)}" for _ in range(20)])

    assert_same_queries(page, address("selection", topical), more)


def test_columns_are_found_by_name(page, paged):
    answer = page.get(address("selection", paged) + "?named=TOP")
    assert labels(answer) == ["topic"]
    assert "1 of 7 columns" in answer.text
    none = page.get(address("selection", paged) + "?named=mood")
    assert labels(none) == []
    assert 'name="named"' in none.text


@pytest.mark.long
def test_columns_ticked_on_other_pages_stay(page, paged):
    own = address("selection", paged)
    moved = page.post(own, form_of(page.get(own)) | {"column-1": ["x"], "page": "3"})
    assert moved.url == own + "?page=3"
    last = page.get(moved.url)
    assert labels(last) == ["topic"]
    assert "c1" in last.text
    done = page.post(moved.url, form_of(last) | {"column-0": ["weirs"]})
    assert done.url == address("plan", paged)
    paged.refresh_from_db()
    assert paged.selection == {"columns": {"c1": ["x"], "topic": ["weirs"]}}

    chosen(page, paged, **form_of(page.get(own)) | {"column-1": []})
    assert paged.selection == {"columns": {"topic": ["weirs"]}}


def test_columns_of_other_pages_are_unticked_at_once(page, paged):
    own = address("selection", paged)
    assert "untick_others" not in page.get(own).text
    with_two = {"c0": ["x"], "c4": ["x"], "topic": ["weirs"]}
    campaigns.change_plan(campaign=paged, plan={"selection": {"columns": with_two}})
    fields = form_of(page.get(own)) | {"column-0": ["x"], "untick_others": "on"}
    chosen(page, paged, **fields)
    assert paged.selection == {"columns": {"c0": ["x"]}}


def test_what_is_ticked_is_about_the_columns_that_the_page_showed(page, paged):
    """A file that was added meanwhile has put a column before them."""
    own = address("selection", paged)
    form = form_of(page.get(own))
    with_columns(paged.dataset, ["a"])
    chosen(page, paged, **form | {"column-0": ["x"]})
    assert paged.selection == {"columns": {"c0": ["x"]}}


def test_column_that_is_gone_goes_with_the_next_save(page, paged):
    campaigns.change_plan(
        campaign=paged, plan={"selection": {"columns": {"mood": ["x"], "c5": ["x"]}}}
    )
    chosen(page, paged, **form_of(page.get(address("selection", paged))))
    assert paged.selection == {"columns": {"c5": ["x"]}}


@pytest.mark.long
def test_column_of_a_sample_is_kept_on_pages_that_do_not_show_it(page, paged):
    own = address("selection", paged)
    fields = {"size": 1, "how": "each_value", "column": "topic", "sample_seed": 7}
    chosen(page, paged, **form_of(page.get(own + "?page=3")) | fields)
    kept = paged.selection
    assert kept["sample"]["column"] == "topic"
    chosen(page, paged, **form_of(page.get(own)))
    assert paged.selection == kept
