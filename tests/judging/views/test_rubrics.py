"""The library of protocols: who sees which, what a page says, and how one's own begins."""

from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judging.actions import rubrics
from judging.models import Membership, Rubric, RubricDraft, User
from judging.protocols import documents
from judging.views import rubrics as rubric_pages
from tests import factories

pytestmark = pytest.mark.django_db
OWN = factories.SMALL.replace("key: small", "key: mine").replace(
    "title: Small", "title: Mine alone"
)


def own(owner: User, **changes: str) -> Rubric:
    text = OWN
    for key, value in changes.items():
        text = text.replace(key, value)
    return rubrics.install(document=documents.parse(text, "own.yaml"), owner=owner)


def test_library_lists_what_is_shipped_with_criteria_time_and_citation(page):
    made = rubrics.install_shipped()

    answer = page.get(reverse("judging:rubrics"))

    assert answer.status_code == 200
    for rubric in made:
        assert reverse("judging:rubric", args=[rubric.pk]) in answer.text
    assert "Krippendorff" not in answer.text
    assert "Understandability" in answer.text
    assert "about 2 minutes" in answer.text
    assert "Ushio" in answer.text


def test_library_shows_the_newest_version_and_links_the_older(page, owner):
    first = own(owner)
    second = own(owner, **{'version: "1"': 'version: "2"'})

    answer = page.get(reverse("judging:rubrics"))

    entry = answer.context["own"][0]
    assert (entry.rubric, entry.older) == (second, (first,))


def test_library_hides_other_peoples_protocols_and_drafts(page):
    other = factories.researcher()
    theirs = own(other)
    RubricDraft.objects.create(
        owner=other, title="Secret draft", text=OWN, updated_at=theirs.created_at
    )

    answer = page.get(reverse("judging:rubrics"))

    assert "Mine alone" not in answer.text
    assert "Secret draft" not in answer.text


def test_library_takes_the_same_queries_for_one_row_and_three(
    page, owner, django_assert_num_queries
):
    own(owner)
    page.get(reverse("judging:rubrics"))
    with django_assert_num_queries(5):
        page.get(reverse("judging:rubrics"))
    own(owner, mine="other")
    own(owner, mine="third")
    with django_assert_num_queries(5):
        page.get(reverse("judging:rubrics"))


@pytest.mark.parametrize(
    "key",
    [
        key if key in ("nema-khapra", "qgbench") else pytest.param(key, marks=pytest.mark.long)
        for key in documents.shipped_keys()
    ],
)
def test_page_tells_each_shipped_protocol_whole(page, key):
    rubric = factories.rubric(key)
    document = documents.shipped(key)

    text = page.get(reverse("judging:rubric", args=[rubric.pk]), {"beside": "de"}).text

    for criterion in document.criteria:
        assert_shown(criterion.prompt, text)
        for point in criterion.points:
            assert_shown(point.label, text)
    assert_shown(document.citation, text)
    assert_shown(documents.localized(document, "de").guideline.split("\n")[0], text)
    assert f"{reverse('judging:campaign_new')}?rubric={rubric.pk}" in text


def assert_shown(words: str, page: str) -> None:
    from django.utils.html import escape

    assert escape(words) in page


def test_page_says_rules_as_sentences(page):
    text = page.get(reverse("judging:rubric", args=[factories.rubric("qgstec2010-b").pk])).text

    assert (
        "an expected question that was not returned gets the worst value of every criterion" in text
    )
    assert "the only question left of a set gets Variety 3" in text
    assert "sets all other criteria to their worst" in text
    forced = page.get(reverse("judging:rubric", args=[factories.rubric("qgbench").pk])).text
    assert "On the page: Understandability 1 sets and locks Correctness 1." in forced


def test_translation_stands_beside_where_it_is_asked_for(page):
    url = reverse("judging:rubric", args=[factories.rubric("qgbench").pk])

    assert "Verständlichkeit" not in page.get(url).text
    assert "Verständlichkeit" not in page.get(url, headers={"Accept-Language": "de"}).text
    assert "Verständlichkeit" in page.get(url, {"beside": "de"}).text
    assert "Verständlichkeit" not in page.get(url, {"beside": "xx"}).text


def test_page_warns_of_overall_quality(page, owner):
    rubric = own(owner, **{"name: Grammaticality": "name: Overall quality"})

    assert (
        "annotators weigh its parts differently"
        in page.get(reverse("judging:rubric", args=[rubric.pk])).text
    )


def test_html_in_a_protocol_renders_as_text(page, owner):
    rubric = own(
        owner, **{"Form alone.": "'<script>alert(1)</script>'", "Read the question": "<b>Read</b>"}
    )

    text = page.get(reverse("judging:rubric", args=[rubric.pk])).text

    assert "<script>alert" not in text
    assert "<b>Read</b>" not in text


def test_protocol_comes_as_yaml_that_reads_back_equal(page):
    rubric = factories.rubric("qgeval")

    answer = page.get(reverse("judging:rubric_file", args=[rubric.pk]))

    assert answer["Content-Type"] == "application/yaml; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="qgeval-3.yaml"'
    assert documents.digest(documents.parse(answer.content.decode(), "x")) == rubric.digest


@pytest.mark.parametrize("name", ["rubric", "rubric_file"])
def test_foreign_protocol_is_not_found(name, owner):
    rubric = own(owner)

    assert (
        factories.logged_in(factories.researcher())
        .get(reverse(f"judging:{name}", args=[rubric.pk]))
        .status_code
        == 404
    )
    assert (
        factories.logged_in(owner).get(reverse(f"judging:{name}", args=[rubric.pk])).status_code
        == 200
    )


def test_members_of_a_campaign_see_its_protocol_and_cannot_plan_with_it(owner):
    rubric = own(owner)
    campaign = factories.campaign(manager=owner, rubric=rubric)
    member = factories.researcher()
    Membership.objects.create(user=member, campaign=campaign, role="analyst")

    answer = factories.logged_in(member).get(reverse("judging:rubric", args=[rubric.pk]))

    assert answer.status_code == 200
    assert reverse("judging:campaign_new") not in answer.text
    assert (
        "Of campaigns you take part in"
        in factories.logged_in(member).get(reverse("judging:rubrics")).text
    )


@pytest.mark.parametrize("name", ["rubric", "rubric_file"])
@pytest.mark.parametrize("pk", [987654, 10**18, 10**30])
def test_unknown_protocol_is_not_found(page, name, pk):
    assert page.get(reverse(f"judging:{name}", args=[pk])).status_code == 404


@pytest.mark.parametrize("name", ["rubrics", "rubric_new"])
def test_stranger_is_asked_to_log_in(client, name):
    answer = client.get(reverse(f"judging:{name}"))

    assert answer.status_code == 302
    assert answer.url.startswith(reverse("login"))


def test_who_may_not_create_reads_but_writes_nothing():
    rubric = factories.rubric("qgbench")
    client = factories.logged_in(factories.user())

    text = client.get(reverse("judging:rubric", args=[rubric.pk])).text
    assert reverse("judging:rubric_copy", args=[rubric.pk]) not in text
    assert client.post(reverse("judging:rubric_copy", args=[rubric.pk])).status_code == 403
    assert client.get(reverse("judging:rubric_new")).status_code == 403
    assert RubricDraft.objects.count() == 0


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("rubrics", "post"),
        ("rubric", "post"),
        ("rubric_file", "post"),
        ("rubric_copy", "get"),
        ("rubric_new", "put"),
    ],
)
def test_wrong_verb_is_refused(page, name, method):
    args = [factories.rubric().pk] if name in ("rubric", "rubric_file", "rubric_copy") else []

    assert getattr(page, method)(reverse(f"judging:{name}", args=args)).status_code == 405


def test_own_version_of_a_shipped_protocol_has_a_key_of_its_own_and_says_where_it_is_from(
    page, owner
):
    answer = page.post(reverse("judging:rubric_copy", args=[factories.rubric("qgbench").pk]))

    draft = RubricDraft.objects.get(owner=owner)
    assert answer.url == reverse("judging:rubric_draft", args=[draft.pk])
    document = documents.parse(draft.text, "x")
    assert (document.key, document.version) == ("qgbench-own", "1")
    assert document.citation.startswith("Adapted from QG-Bench")
    assert document.criteria == documents.shipped("qgbench").criteria


def test_next_version_of_ones_own_keeps_the_key(page, owner):
    own(owner)
    rubric = own(owner, **{'version: "1"': 'version: "2"'})

    page.post(reverse("judging:rubric_copy", args=[rubric.pk]))

    document = documents.parse(RubricDraft.objects.get().text, "x")
    assert (document.key, document.version) == ("mine", "3")


def test_protocol_starts_from_nothing(page, owner):
    answer = page.post(reverse("judging:rubric_new"), {"from": "nothing"})

    assert answer.url == reverse(
        "judging:rubric_draft", args=[RubricDraft.objects.get(owner=owner).pk]
    )


def test_protocol_starts_from_pasted_or_uploaded_yaml(page):
    page.post(reverse("judging:rubric_new"), {"from": "yaml", "text": OWN})
    page.post(
        reverse("judging:rubric_new"),
        {"from": "yaml", "file": upload(b"\xef\xbb\xbf" + OWN.encode())},
    )

    assert [documents.parse(each.text, "x").title for each in RubricDraft.objects.all()] == [
        "Mine alone"
    ] * 2


def upload(data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("mine.yaml", data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "Paste a protocol, or choose a file."),
        (b"\xff\xfe\x00binary", "This file is not text in UTF-8."),
        (b"key: a\x00b", "contains NUL bytes"),
        (b"x" * 1_000_001, "longer than 1,000,000 characters"),
        (b"x" * 4_000_001, "too large for a protocol"),
    ],
)
def test_upload_that_is_no_text_ends_in_a_sentence(page, data, reason):
    answer = page.post(reverse("judging:rubric_new"), {"from": "yaml", "file": upload(data)})

    assert answer.status_code == 422
    assert reason in answer.text
    assert RubricDraft.objects.count() == 0


def test_paste_too_large_for_a_form_ends_in_a_sentence(page):
    answer = page.post(reverse("judging:rubric_new"), {"from": "yaml", "text": "x" * 3_000_000})

    assert answer.status_code == 400
    assert "too large for a form" in answer.text


def test_campaign_is_planned_with_the_protocol_chosen(page, owner):
    factories.collection(owner=owner)
    factories.rubric("qgbench")
    rubric = factories.rubric("nema-khapra")

    answer = page.get(f"{reverse('judging:campaign_new')}?rubric={rubric.pk}")

    assert answer.context["form"]["rubric"].value() == rubric.pk
    assert rubric.title in answer.text


def test_library_reads_the_documents_of_one_page(page, owner, monkeypatch):
    monkeypatch.setattr(rubric_pages, "ON_A_PAGE", 2)
    made = [own(owner, mine=f"mine{n}") for n in range(3)]

    pages = [page.get(reverse("judging:rubrics"), {"page": n}) for n in (1, 2)]

    found = [[entry.rubric.pk for entry in each.context["own"]] for each in pages]
    assert [len(each) for each in found] == [2, 1]
    assert sorted(found[0] + found[1]) == [each.pk for each in made]


def test_page_says_the_weights_of_the_combined_score(page, owner):
    shipped = documents.shipped("qgstec2010-b")
    weighted = replace(shipped.aggregate, weights={"relevance": 3})
    changed = replace(shipped, key="weighted", aggregate=weighted)
    rubric = rubrics.install(document=changed)
    text = page.get(reverse("judging:rubric", args=[rubric.pk])).text
    assert "Weights: Relevance 3, Question type 1," in text
    plain = page.get(reverse("judging:rubric", args=[factories.rubric("qgstec2010-b").pk])).text
    assert "Weights:" not in plain
