"""The handful of sources that somebody looks at before an import is confirmed."""

import pytest
from django.test import Client

from judging.models import Collection, Job, Upload
from tests import factories
from tests.judging.views.importing import DETAILS, at, confirmed, mapped, sent
from tests.working import WorkingClient

pytestmark = pytest.mark.django_db

MANY = "passage,answer,system,question\n" + "".join(
    f"Lock {n} is old.,Lock {n},{system},Which lock is number {n} of {system}?\n"
    for n in range(1, 21)
    for system in ("Alba", "Brisa")
)


def ready(page, text=MANY):
    """Return an upload whose preview was seen."""
    upload = sent(page, text)
    mapped(page, upload)
    page.get(at("preview", upload))
    return upload


@pytest.fixture(scope="module")
def seen(lasting) -> tuple[Client, Upload]:
    """Return an upload whose preview was seen, with the browser in which it was."""
    client = WorkingClient()
    client.force_login(factories.researcher())
    return client, ready(client)


@pytest.fixture
def page(seen) -> Client:
    browser = WorkingClient()
    browser.cookies.update(seen[0].cookies)
    return browser


@pytest.fixture
def upload(seen) -> Upload:
    return Upload.objects.get(pk=seen[1].pk)


def drawn(answer):
    return [each["source"]["key"] for each in answer.context["samples"]]


def test_a_handful_is_shown_under_letters_with_its_answer_marked(page, upload):
    answer = page.get(at("check", upload))

    assert len(drawn(answer)) == 5
    assert answer.text.count('<span class="letter" aria-hidden="true">A</span>') == 5
    assert answer.text.count("<mark>Lock ") == 5
    assert "Alba</dt>" not in answer.text


def test_the_same_seed_draws_the_same_sources_and_another_draws_others(page, upload):
    first, again, other = (
        drawn(page.get(at("check", upload) + f"?seed={seed}")) for seed in (1, 1, 2)
    )

    assert first == again != other
    assert "?seed=3" in page.get(at("check", upload) + "?seed=2").text


def test_sources_are_found_by_words_of_their_texts_and_questions(page, upload):
    found = page.get(at("check", upload), {"words": "LOCK 7 is"})
    asked = page.get(at("check", upload), {"words": "number 1"})
    none = page.get(at("check", upload), {"words": "\x00Alba <b>"})

    assert drawn(found) == ["7"]
    assert "1 source has “LOCK 7 is”" in found.text
    assert "These are the right outputs" not in found.text, "what is sought is not by chance"
    assert (asked.context["source_count"], len(drawn(asked))) == (11, 5)
    assert "?words=number%201&amp;seed=2" in asked.text
    assert none.context["words"] == ""
    none = page.get(at("check", upload), {"words": "<b>"})
    assert "No source has “&lt;b&gt;”" in none.text


@pytest.mark.parametrize("seed", ["x", "-1", "9" * 30, "²"])
def test_a_malformed_seed_draws_the_first_handful(page, upload, seed):
    assert drawn(page.get(at("check", upload) + f"?seed={seed}")) == drawn(
        page.get(at("check", upload))
    )


def test_confirming_without_the_tick_leads_to_the_check(page, upload):
    assert page.get(at("confirm", upload)).url == at("check", upload)
    assert page.post(at("confirm", upload), DETAILS).url == at("check", upload)
    assert Collection.objects.count() == 0


@pytest.mark.parametrize("form", [{"seed": "7"}, {}, {"seed": "x", "checked": "on"}])
def test_going_on_without_the_tick_says_what_to_do(page, upload, form):
    page.get(at("check", upload) + "?seed=7")
    answer = page.post(at("check", upload), form)

    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert len(drawn(answer)) == 5
    assert page.get(at("confirm", upload)).url == at("check", upload)


def test_the_sentence_beside_the_missing_tick(page, upload):
    page.get(at("check", upload) + "?seed=7")
    answer = page.post(at("check", upload), {"seed": "7"})

    assert "Look at these sources, then tick this." in answer.text
    assert drawn(answer) == drawn(page.get(answer.request["PATH_INFO"] + "?seed=7"))


def test_who_looked_at_what_is_kept_with_the_collection(page, upload):
    owner = upload.owner
    page.post(at("check", upload), {"seed": "7", "checked": "on"})
    page.post(at("confirm", upload), DETAILS)

    made = Collection.objects.get()
    checked = made.mapping["checked"]
    assert (checked["by"], checked["seed"], checked["sources"]) == (owner.username, 7, 5)
    assert checked["at"][:4].isdecimal()
    assert f"5 sources by {owner}" in page.get(f"/collections/{made.pk}/").text


def test_a_job_takes_along_who_looked(page, upload):
    confirmed(page, upload)

    job = Job.objects.get(kind="judging.import_study")
    assert job.parameters["checked"]["sources"] == 5


def test_another_reading_of_the_columns_asks_for_another_look(page, upload):
    page.post(at("check", upload), {"seed": "1", "checked": "on"})

    mapped(page, upload)
    page.get(at("preview", upload))

    assert page.get(at("confirm", upload)).url == at("check", upload)


def test_fewer_sources_than_a_handful_are_all_shown(page):
    answer = page.get(at("check", ready(page, "question,system,passage\nWhy?,Alba,A lock.\n")))

    assert len(drawn(answer)) == 1
    assert "Draw others" not in answer.text
