"""Pages about gold questions and degraded copies."""

import pytest
from django.utils.html import escape

from judging.campaigns.actions.unit_names import unit_name
from judging.campaigns.models.campaign import Campaign, Deviation
from judging.quality.actions import check_items
from judging.quality.models.check import CheckItem
from tests import factories
from tests.judging.campaign_pages import address

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(draft):
    """Return what a manager sends to make a gold question of the first source's first question."""
    unit = draft.dataset.sources.first().question_sets.first().units.get(position=1)
    criterion = draft.protocol.criteria.get(key="correctness")
    name = unit_name(draft, unit.pk)
    return {"unit": name, "text": "Who is it?", f"accepted_{criterion.pk}": [2, 3]}


def test_gold_question_is_found_by_its_source_and_added_without_naming_a_system(page, draft, sent):
    html = page.get(address("gold", draft), {"source": "s1"}).text
    assert "Who built lock 1, asks Alba (1)?" in html
    assert "Brisa</" not in html
    units = draft.dataset.sources.first().question_sets.values_list("units", flat=True)
    assert not any(f'value="{unit}"' in html for unit in units)  # in the order of the file
    assert page.post(f"{address('gold', draft)}?source=s1", sent).status_code == 302
    item = CheckItem.objects.get()
    assert sorted(item.accepted.values_list("value", flat=True)) == [2, 3]
    assert "Who is it?" in page.get(address("gold", draft)).text


def test_correcting_a_gold_question_after_the_lock_asks_why_and_lists_it(page, draft, sent):
    page.post(f"{address('gold', draft)}?source=s1", sent)
    page.post(address("lock", draft))
    item = CheckItem.objects.get()
    own = f"/campaigns/{draft.uuid}/plan/checks/gold/{item.pk}/"
    criterion = next(name for name in sent if name.startswith("accepted_"))

    assert page.post(own, {criterion: [1]}).status_code == 422
    assert page.post(own, {criterion: [1], "reason": "Both values were wrong."}).status_code == 302
    listed = Deviation.objects.get(campaign=draft)
    assert (listed.before, listed.after) == ("correctness: 2, 3", "correctness: 1")
    assert "Both values were wrong." in page.get(address("plan", draft)).text


def test_check_taken_out_is_met_no_more(page, draft, sent):
    page.post(f"{address('gold', draft)}?source=s1", sent)
    item = CheckItem.objects.get()
    page.post(f"/campaigns/{draft.uuid}/plan/checks/{item.pk}/retire/")
    item.refresh_from_db()
    assert item.retired_at
    assert check_items.checks_document(draft) == {}


def test_degraded_copies_are_made_by_a_button(page, draft):
    page.post(f"/campaigns/{draft.uuid}/plan/checks/degraded/")
    assert CheckItem.objects.filter(kind="degraded").count() == 2


def test_who_judges_the_material_sees_no_copies_for_a_plan_of_a_part_of_it(page, draft):
    made = f"/campaigns/{draft.uuid}/plan/checks/degraded/"
    page.post(made)
    copies = list(CheckItem.objects.values_list("unit__question__text", flat=True))
    Campaign.objects.filter(pk=draft.pk).update(selection={"systems": ["Alba"]})
    judged = factories.opened(dataset=draft.dataset, manager=draft.created_by)
    shown = page.get(address("gold", draft)).text
    assert all(escape(text) in shown for text in copies)

    factories.enrollment(judged, account=draft.created_by)

    refused, shown = page.post(made), page.get(address("gold", draft)).text
    assert refused.status_code == 403
    assert not any(escape(text) in shown for text in copies)


def test_items_of_another_campaign_are_not_found(page, draft, sent, open_campaign):
    other = factories.campaign()
    unit = other.dataset.sources.first().question_sets.first().units.get(position=1)
    theirs = check_items.add_gold(
        campaign=other, unit=unit, text="", accepted={other.protocol.criteria.first().pk: [1]}
    )
    assert page.get(f"/campaigns/{draft.uuid}/plan/checks/gold/{theirs.pk}/").status_code == 404
    assert page.post(f"/campaigns/{draft.uuid}/plan/checks/{theirs.pk}/retire/").status_code == 404
