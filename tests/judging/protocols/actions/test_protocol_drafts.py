"""Protocols in the making: kept whatever state they are in, finished into versions that never
change."""

import pytest
from django.utils import timezone

from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.actions import protocol_drafts, protocols
from judging.protocols.actions.protocol_drafts import ChangedElsewhere, NotText
from judging.protocols.models.protocol import Protocol, ProtocolDraft
from judging.protocols.protocol_yaml import ProtocolError
from tests import factories

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def owner() -> User:
    return factories.researcher()


def draft(owner: User, text: str = factories.SMALL) -> ProtocolDraft:
    return protocol_drafts.start_protocol_draft(by=owner, text=text, now=NOW)


@pytest.mark.parametrize("text", ["", "title: [", "- a", "title: Half a protocol", "key: &a *a"])
def test_draft_keeps_text_in_any_state(owner, text):
    assert ProtocolDraft.objects.get(pk=draft(owner, text).pk).text == text


def test_draft_takes_its_title_from_the_text(owner):
    assert draft(owner).title == "Small"
    assert draft(owner, "title: [").title == ""
    assert draft(owner, f"title: {'x' * 300}").title == "x" * 200


@pytest.mark.parametrize("text", ["a\x00b", "x" * 1_000_001])
def test_what_is_no_text_is_refused(owner, text):
    with pytest.raises(NotText):
        draft(owner, text)
    with pytest.raises(NotText):
        protocol_drafts.save_protocol_draft(draft=draft(owner), text=text, revision=1, now=NOW)


def test_save_from_an_older_revision_is_refused_and_changes_nothing(owner):
    made = draft(owner)
    protocol_drafts.save_protocol_draft(draft=made, text="title: First", revision=1, now=NOW)

    with pytest.raises(ChangedElsewhere):
        protocol_drafts.save_protocol_draft(draft=made, text="title: Second", revision=1, now=NOW)

    made.refresh_from_db()
    assert (made.text, made.title, made.revision) == ("title: First", "First", 2)


def test_finish_makes_a_version_of_its_owner_and_drops_the_draft(owner):
    protocol = protocol_drafts.finish_protocol_draft(draft=draft(owner))

    assert (protocol.owner, protocol.key, protocol.version) == (owner, "small", "1")
    assert list(protocol.criteria.values_list("key", flat=True)) == [
        "grammaticality",
        "correctness",
    ]
    assert not ProtocolDraft.objects.exists()


def test_finish_of_an_incomplete_draft_names_everything_and_keeps_it(owner):
    made = draft(owner, "title: Half\ncriteria:\n  - name: Fluency\n")

    with pytest.raises(ProtocolError) as refused:
        protocol_drafts.finish_protocol_draft(draft=made)

    keys = {problem.key for problem in refused.value.problems}
    assert {"key", "citation", "criteria[0].definition", "criteria[0].points"} <= keys
    assert ProtocolDraft.objects.filter(pk=made.pk).exists()
    assert not Protocol.objects.exists()


def test_finish_refuses_a_version_that_says_something_else(owner):
    protocol_drafts.finish_protocol_draft(draft=draft(owner))
    made = draft(owner, factories.SMALL.replace("Form alone.", "Spelling too."))

    with pytest.raises(ProtocolError) as refused:
        protocol_drafts.finish_protocol_draft(draft=made)

    problem = refused.value.problems[0]
    assert (problem.key, problem.line) == ("version", 3)
    assert Protocol.objects.count() == 1


def test_finish_of_the_same_text_is_the_same_version(owner):
    first = protocol_drafts.finish_protocol_draft(draft=draft(owner))

    assert protocol_drafts.finish_protocol_draft(draft=draft(owner)) == first


def test_two_owners_may_have_the_same_key_and_version(owner):
    protocol_drafts.finish_protocol_draft(draft=draft(owner))
    protocol_drafts.finish_protocol_draft(
        draft=draft(factories.researcher(), factories.SMALL.replace("Form alone.", "Other."))
    )

    assert Protocol.objects.count() == 2


def test_copies_of_a_shipped_protocol_never_share_a_key(owner):
    shipped = protocols.install(document=documents.shipped("qgbench"))
    keys = []
    for _ in range(2):
        made = protocol_drafts.start_own_version(protocol=shipped, by=owner, now=NOW)
        keys.append(protocol_drafts.finish_protocol_draft(draft=made).key)

    assert keys == ["qgbench-own", "qgbench-own-2"]


def test_next_version_counts_on_from_those_there_are(owner):
    for version in ("1", "2"):
        text = factories.SMALL.replace('version: "1"', f'version: "{version}"')
        latest = protocol_drafts.finish_protocol_draft(draft=draft(owner, text))

    made = protocol_drafts.start_own_version(protocol=latest, by=owner, now=NOW)

    assert protocol_drafts.finish_protocol_draft(draft=made).version == "3"


def test_discard_drops_the_draft_alone(owner):
    protocol = protocol_drafts.finish_protocol_draft(draft=draft(owner))
    protocol_drafts.discard_protocol_draft(draft=draft(owner))

    assert not ProtocolDraft.objects.exists()
    assert Protocol.objects.get() == protocol
