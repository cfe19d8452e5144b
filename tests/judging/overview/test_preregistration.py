"""The document of what a study fixed before its data."""

import html
import json
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from markdown_it import MarkdownIt

from judging.campaigns.actions import campaigns, fixed_parts
from judging.campaigns.hypotheses import (
    Hypotheses,
    Margin,
    PrimaryHypothesis,
    hypotheses_to_document,
)
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset
from judging.overview.actions import preregistration
from judging.people.models.event import Event
from judging.protocols import documents
from judging.protocols.actions import protocols
from tests import factories
from tests.annotation import studies
from tests.judging.quality.actions.test_checks import checked, gold

pytestmark = pytest.mark.django_db


def planned(**columns: object) -> Campaign:
    campaign = factories.campaign(
        analysis_plan="Alba beats Brisa on correctness.",
        sample_reason="Power .8 for a difference of .3.",
        consent="I take part of my own will.",
        pay="9 euros an hour",
        **columns,
    )
    campaigns.lock_plan(campaign=campaign, now=timezone.now(), by=campaign.created_by)
    return campaign


def test_the_document_has_every_prompt_as_annotators_read_it_and_what_was_promised() -> None:
    campaign = planned(protocol=factories.protocol("qgbench"))
    text = preregistration.as_markdown(campaign)
    assert "(QCET, HEDS): Grammaticality, correctness of form in its own right." in text
    for criterion in documents.protocol_from_document(campaign.protocol.document).criteria:
        assert f"### {criterion.name}" in text
        assert f"> {' '.join(criterion.prompt.split())}" in text
        for point in criterion.points:
            assert f"- {point.value}: {point.label}" in text
    for promised in (
        "Alba beats Brisa on correctness.",
        "Power .8 for a difference of .3.",
        "Consent: I take part of my own will.",
        "Pay: 9 euros an hour",
        f"`{campaign.locked_digest}`",
        "No ethics approval is named.",
        "- Nothing.",
        campaign.locked_plan["draws"]["secret_sha256"],
    ):
        assert promised in text
    assert "\n\n\n" not in text


def test_what_changes_after_the_lock_stands_at_the_end_and_the_promise_stays() -> None:
    campaign = planned()
    change = {"what": "pay", "value": "12 euros an hour", "reason": "Too little."}
    campaigns.amend_field(campaign=campaign, by=campaign.created_by, now=timezone.now(), **change)
    text = preregistration.as_markdown(campaign)
    assert "Pay: 9 euros an hour" in text
    assert "from “9 euros an hour” to “12 euros an hour”. Too little." in text
    [deviation] = preregistration.as_json(campaign)["deviations"]
    assert (deviation["before"], deviation["after"]) == ("9 euros an hour", "12 euros an hour")


def test_what_people_wrote_is_text_in_it_and_neither_a_tag_nor_a_link_nor_a_heading() -> None:
    sign = "<img src=x onerror=alert(1)> [click](javascript:alert(1)) `a`"
    protocol = factories.SMALL
    for written in ("Small", "none", "Grammaticality", "Form alone.", "nearly"):
        protocol = protocol.replace(f": {written}", f": {json.dumps(sign)}", 1)
    protocol = protocol.replace("Is it grammatical?", sign)
    texts = ("title", "consent", "ethics", "pay", "sample_reason")
    campaign = factories.campaign(
        protocol=protocols.install(document=documents.parse(protocol, "small.yaml")),
        dataset=factories.dataset(systems=[sign, "Brisa"]),
        selection={"systems": [sign]},
        analysis_plan=f"# What changed\n{sign}\n---\n\n- one\n- two_\n",
        **dict.fromkeys(texts, sign),
    )
    Dataset.objects.update(name=sign)
    by, now = campaign.created_by, timezone.now()
    campaigns.lock_plan(campaign=campaign, now=now, by=by)
    change = {"what": "pay", "value": f"{sign} more", "reason": sign}
    campaigns.amend_field(campaign=campaign, by=by, now=now, **change)
    shown = MarkdownIt("commonmark", {"html": True}).render(preregistration.as_markdown(campaign))
    assert shown.count(html.escape(sign)) == 17
    assert not re.findall(r"<(?:img|a)\b|<code>a</code>|<h1>(?!Pre)|<h2>[^<]*click", shown)
    assert "<li>one</li>\n<li>two_</li>" in shown


def test_what_was_promised_is_part_of_the_protocols_hash() -> None:
    one, other = (
        campaigns.plan_document(factories.campaign(analysis_plan=plan)) for plan in ("A", "B")
    )
    assert one["texts"]["analysis_plan"] == "A"
    assert campaigns.hash_plan(one | {"draws": 0}) != campaigns.hash_plan(other | {"draws": 0})


def test_right_answers_of_checks_are_not_in_it_and_rules_are_in_words() -> None:
    campaign = checked(sources=14, gold=20, exclude_speed=True, prepare=gold)
    text = preregistration.as_markdown(campaign)
    assert "- gold: 1" in text
    assert "Excluded from the analysis: an annotator who is flagged as too fast" in text
    assert "accepted" not in text + preregistration.preregistration_text(campaign)


def test_it_is_downloaded_once_the_protocol_is_locked() -> None:
    campaign, client = factories.campaign(), Client()
    client.force_login(campaign.created_by)
    address = reverse("judging:preregistration", args=[campaign.uuid])
    assert client.get(address).status_code == 404
    campaigns.lock_plan(campaign=campaign, now=timezone.now(), by=campaign.created_by)
    answer = client.get(address)
    assert answer.text == preregistration.as_markdown(Campaign.objects.get(pk=campaign.pk))
    assert answer["Content-Disposition"] == 'attachment; filename="preregistration.md"'
    found = json.loads(
        client.get(reverse("judging:preregistration_json", args=[campaign.uuid])).text
    )
    assert found["plan_sha256"] == Campaign.objects.get(pk=campaign.pk).locked_digest
    assert Event.objects.filter(act=Event.Act.EXPORTED, about="preregistration.md").count() == 1
    assert address in client.get(reverse("judging:plan", args=[campaign.uuid])).text


def test_the_form_asks_for_both() -> None:
    campaign, client = factories.campaign(), Client()
    client.force_login(campaign.created_by)
    page = client.get(reverse("judging:plan", args=[campaign.uuid])).text
    assert 'name="analysis_plan"' in page and 'name="sample_reason"' in page


DECLARED = hypotheses_to_document(
    Hypotheses(
        (PrimaryHypothesis("grammaticality", "Alba", "Brisa", "greater"),),
        margins={"grammaticality": Margin(0.3, "One step is noticed.")},
        corrected_together=("grammaticality", "correctness"),
    )
)


def test_preregistration_hypotheses_declared_locked_and_printed() -> None:
    campaign = planned(hypotheses=DECLARED)
    assert campaign.locked_plan["hypotheses"] == DECLARED
    text = preregistration.as_markdown(campaign)
    assert (
        "- Primary hypothesis: “Alba” is better than “Brisa” on Grammaticality (one-sided).\n"
        "- It is tested first, at the 5% level, without a correction. Every other test is exploratory.\n"
        "- Margin of equivalence and non-inferiority on Grammaticality: 0.3 scale points. Reason: One step is "
        "noticed.\n"
        "- Comparisons of systems are corrected together (Holm) over these criteria: Grammaticality, Correctness."
    ) in text
    client = Client()
    client.force_login(campaign.created_by)
    page = client.get(reverse("judging:plan", args=[campaign.uuid])).text
    assert "“Alba” is better than “Brisa” on Grammaticality" in page


def test_preregistration_no_hypothesis_declared_says_exploratory() -> None:
    campaign = planned()
    assert "hypotheses" not in campaign.locked_plan
    text = preregistration.as_markdown(campaign)
    assert "- No primary hypothesis is declared: every test is exploratory." in text


def test_reproduction_hypotheses_differ_protocols_still_match() -> None:
    first, second = (
        campaigns.plan_document(factories.campaign(hypotheses=declared))
        for declared in ({}, DECLARED)
    )
    assert "hypotheses" not in fixed_parts.find_changed_parts(first, second, imported=False)


# Fields that the first locked plans did not have; a dot leads into a part
LATER_FIELDS = [
    "checks",
    "dataset.files",
    "draws",
    "exit_form",
    "hypotheses",
    "quality",
    "qualification",
    "qualification.paid",
    "rate",
    "reproduces",
    "selection",
    "selection.chosen",
    "training",
    "design.fixed_language",
    "design.fixed_view",
    "design.highlight_keywords",
    "design.review_before_submit",
    "design.review_is_optional",
    "design.tasks_per_annotator",
    "texts.analysis_plan",
    "texts.decisions",
    "texts.ethics",
    "texts.pay",
    "texts.retention_days",
    "texts.sample_reason",
    "texts.translated_texts",
    "texts.withdrawal",
]
READERS = (
    "/campaigns/{}/",
    "/campaigns/{}/plan/",
    "/campaigns/{}/preregistration.md",
    "/campaigns/{}/preregistration.json",
    "/api/v1/campaigns/{}/",
)


@pytest.fixture(scope="module")
def locked_once(lasting: None) -> Campaign:
    """Return a locked reproduction whose protocol has every field."""
    campaign = factories.campaign(
        dataset=factories.dataset(sources=4),
        analysis_plan="Alba beats Brisa.",
        sample_reason="Power .8.",
        consent="I agree.",
        ethics="Approved.",
        pay="9 euros an hour",
        rate={"amount": "0.45", "currency": "GBP", "minutes": "3", "floor": "9.00"},
        withdrawal=True,
        retention_days=30,
        tasks_per_annotator=5,
        fixed_language="en",
        fixed_view="focus",
        highlight_keywords=True,
        review_before_submit=True,
        review_is_optional=True,
        hypotheses=DECLARED,
        selection={"systems": ["Alba"]},
    )
    campaigns.lock_plan(campaign=campaign, now=timezone.now(), by=campaign.created_by)
    whole = campaign.locked_plan
    assert whole is not None
    exercise = {"passage": "", "answer": "", "question": "Who?", "keys": {}}
    whole["training"] = {"items": [exercise]}
    whole["qualification"] = {"items": [exercise], "pass_mark": 80, "tries": 2, "paid": True}
    whole["exit_form"] = [{"text": "Age?", "kind": "text"}]
    whole["checks"] = {"gold": 1, "sha256": "0" * 64}
    whole["dataset"]["files"] = ["1" * 64, "2" * 64]
    whole["texts"] |= {"decisions": {"version": 1, "text": "Ask twice."}, "translated_texts": {}}
    whole["reproduces"] = {"protocol": "3" * 64, "shared": "4" * 64}
    Campaign.objects.filter(pk=campaign.pk).update(locked_plan=whole)
    return campaign


@pytest.mark.parametrize("field", LATER_FIELDS)
def test_locked_protocol_without_a_later_field_is_read(locked_once: Campaign, field: str) -> None:
    campaign = Campaign.objects.get(pk=locked_once.pk)
    protocol = campaign.locked_plan
    assert protocol is not None
    part, _dot, name = field.rpartition(".")
    del (protocol[part] if part else protocol)[name]
    Campaign.objects.filter(pk=campaign.pk).update(locked_plan=protocol)
    client = factories.logged_in(campaign.created_by)
    answers = {form: client.get(form.format(campaign.uuid)).status_code for form in READERS}
    assert answers == dict.fromkeys(READERS, 200)


def test_locked_protocol_without_later_fields_promises_nothing_about_them(
    locked_once: Campaign,
) -> None:
    campaign = Campaign.objects.get(pk=locked_once.pk)
    assert campaign.locked_plan is not None
    whole = preregistration.as_markdown(campaign)
    assert "Annotators review all answers" in whole
    assert "They may switch the review off after three tasks." in whole
    assert "2 tries, paid." in whole
    del campaign.locked_plan["design"]["review_before_submit"]
    del campaign.locked_plan["qualification"]["paid"]
    older = preregistration.as_markdown(campaign)
    assert "Annotators review all answers" not in older
    assert "2 tries." in older
    # the hash is of the protocol as it was locked
    assert preregistration.as_json(campaign)["plan"]["design"] == campaign.locked_plan["design"]


def test_a_study_of_every_kind_has_a_document() -> None:
    for order in ("depth", "breadth"):
        assert preregistration.as_markdown(studies.opened(order=order)).startswith(
            "# Preregistration"
        )
