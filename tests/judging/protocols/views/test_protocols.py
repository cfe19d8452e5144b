"""The library of protocols: who sees which, what a page says, and how one's own begins."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judging.campaigns.models.members import Membership
from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.actions import protocols
from judging.protocols.models.protocol import Protocol, ProtocolDraft
from tests import factories

pytestmark = pytest.mark.django_db
OWN = factories.SMALL.replace("key: small", "key: mine").replace(
    "title: Small", "title: Mine alone"
)


def own(owner: User, **changes: str) -> Protocol:
    text = OWN
    for key, value in changes.items():
        text = text.replace(key, value)
    return protocols.install(document=documents.parse(text, "own.yaml"), owner=owner)


def test_library_lists_what_is_shipped_with_criteria_time_and_citation(page):
    made = protocols.install_shipped()

    answer = page.get(reverse("judging:protocols"))

    assert answer.status_code == 200
    for protocol in made:
        assert reverse("judging:protocol", args=[protocol.pk]) in answer.text
    assert "Krippendorff" not in answer.text
    assert "Understandability" in answer.text
    assert "about 2 minutes" in answer.text
    assert "Ushio" in answer.text


def test_library_shows_the_newest_version_and_links_the_older(page, owner):
    first = own(owner)
    second = own(owner, **{'version: "1"': 'version: "2"'})

    answer = page.get(reverse("judging:protocols"))

    entry = answer.context["own"][0]
    assert (entry.protocol, entry.older) == (second, (first,))


def test_library_hides_other_peoples_protocols_and_drafts(page):
    other = factories.researcher()
    theirs = own(other)
    ProtocolDraft.objects.create(
        owner=other, title="Secret draft", text=OWN, updated_at=theirs.created_at
    )

    answer = page.get(reverse("judging:protocols"))

    assert "Mine alone" not in answer.text
    assert "Secret draft" not in answer.text


def test_library_takes_the_same_queries_for_one_row_and_three(
    page, owner, django_assert_num_queries
):
    own(owner)
    page.get(reverse("judging:protocols"))
    with django_assert_num_queries(6):
        page.get(reverse("judging:protocols"))
    own(owner, mine="other")
    own(owner, mine="third")
    with django_assert_num_queries(6):
        page.get(reverse("judging:protocols"))


@pytest.mark.parametrize(
    "key",
    [
        key if key in ("nema-khapra", "qgbench") else pytest.param(key, marks=pytest.mark.long)
        for key in documents.shipped_keys()
    ],
)
def test_page_tells_each_shipped_protocol_whole(page, key):
    protocol = factories.protocol(key)
    document = documents.shipped(key)

    text = page.get(reverse("judging:protocol", args=[protocol.pk]), {"beside": "de"}).text

    for criterion in document.criteria:
        assert_shown(criterion.prompt, text)
        for point in criterion.points:
            assert_shown(point.label, text)
    assert_shown(document.citation, text)
    assert_shown(documents.localized(document, "de").guideline.split("\n")[0], text)
    assert f"{reverse('judging:campaign_new')}?protocol={protocol.pk}" in text


def assert_shown(words: str, page: str) -> None:
    from django.utils.html import escape

    assert escape(words) in page


def test_translation_stands_beside_where_it_is_asked_for(page):
    url = reverse("judging:protocol", args=[factories.protocol("qgbench").pk])

    assert "Verständlichkeit" not in page.get(url).text
    assert "Verständlichkeit" not in page.get(url, headers={"Accept-Language": "de"}).text
    assert "Verständlichkeit" in page.get(url, {"beside": "de"}).text
    assert "Verständlichkeit" not in page.get(url, {"beside": "xx"}).text


def test_html_in_a_protocol_renders_as_text(page, owner):
    protocol = own(
        owner, **{"Form alone.": "'<script>alert(1)</script>'", "Read the question": "<b>Read</b>"}
    )

    text = page.get(reverse("judging:protocol", args=[protocol.pk])).text

    assert "<script>alert" not in text
    assert "<b>Read</b>" not in text


def test_protocol_comes_as_yaml_that_reads_back_equal(page):
    protocol = factories.protocol("qgeval")

    answer = page.get(reverse("judging:protocol_file", args=[protocol.pk]))

    assert answer["Content-Type"] == "application/yaml; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="qgeval-3.yaml"'
    assert documents.hash_document(documents.parse(answer.content.decode(), "x")) == protocol.digest


@pytest.mark.parametrize("name", ["protocol", "protocol_file"])
def test_foreign_protocol_is_not_found(name, owner):
    protocol = own(owner)

    assert (
        factories.logged_in(factories.researcher())
        .get(reverse(f"judging:{name}", args=[protocol.pk]))
        .status_code
        == 404
    )
    assert (
        factories.logged_in(owner).get(reverse(f"judging:{name}", args=[protocol.pk])).status_code
        == 200
    )


def test_members_of_a_campaign_see_its_protocol_and_cannot_plan_with_it(owner):
    protocol = own(owner)
    campaign = factories.campaign(manager=owner, protocol=protocol)
    member = factories.researcher()
    Membership.objects.create(user=member, campaign=campaign, role="analyst")

    answer = factories.logged_in(member).get(reverse("judging:protocol", args=[protocol.pk]))

    assert answer.status_code == 200
    assert reverse("judging:campaign_new") not in answer.text
    assert str(protocol.pk) in factories.logged_in(member).get(reverse("judging:protocols")).text


def test_own_version_of_a_shipped_protocol_has_a_key_of_its_own_and_says_where_it_is_from(
    page, owner
):
    answer = page.post(reverse("judging:protocol_copy", args=[factories.protocol("qgbench").pk]))

    draft = ProtocolDraft.objects.get(owner=owner)
    assert answer.url == reverse("judging:protocol_draft", args=[draft.pk])
    document = documents.parse(draft.text, "x")
    assert (document.key, document.version) == ("qgbench-own", "1")
    assert document.citation.startswith("Adapted from QG-Bench")
    assert document.criteria == documents.shipped("qgbench").criteria


def test_protocol_starts_from_nothing(page, owner):
    answer = page.post(reverse("judging:protocol_new"), {"from": "nothing"})

    assert answer.url == reverse(
        "judging:protocol_draft", args=[ProtocolDraft.objects.get(owner=owner).pk]
    )


def test_protocol_starts_from_pasted_or_uploaded_yaml(page):
    page.post(reverse("judging:protocol_new"), {"from": "yaml", "text": OWN})
    page.post(
        reverse("judging:protocol_new"),
        {"from": "yaml", "file": upload(b"\xef\xbb\xbf" + OWN.encode())},
    )

    assert [documents.parse(each.text, "x").title for each in ProtocolDraft.objects.all()] == [
        "Mine alone"
    ] * 2


def upload(data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("mine.yaml", data)
