"""Pages in the annotator's language, and texts in their own."""

import pytest

from judging.datasets.models.dataset import Dataset, Question, Source
from tests.annotation import studies
from tests.annotation.views.tasks import one_line

pytestmark = pytest.mark.django_db


def test_switch_turns_pages_and_protocol_to_german() -> None:
    client, enrollment = studies.annotator(
        studies.opened("qgstec2010-a", sources=1, systems=["Alba"], expected=2)
    )
    address = f"/tasks/{studies.held(enrollment).pk}/"
    assert (
        '<button class="button quiet small" name="language" value="de" lang="de">Deutsch</button>'
        in (client.get(address).content.decode())
    )
    assert (
        client.post("/language/", {"language": "de", "next": address}).headers["Location"]
        == address
    )
    html = client.get(address).content.decode()
    assert '<html lang="de" dir="ltr">' in html
    assert "Abgeben" in html
    assert "Umfang" in html


def test_messages_of_actions_are_in_german() -> None:
    client, enrollment = studies.annotator(studies.opened())
    sent = {"name": "q1.correctness", "value": "31", "sequence": 1}
    response = client.post(
        f"/tasks/{studies.held(enrollment).pk}/draft/", sent, headers={"accept-language": "de"}
    )
    assert response.json() == {"error": "31 gibt es auf der Skala 1–3 nicht."}


@pytest.mark.parametrize(
    ("language", "direction"), [("ar", "rtl"), ("he-IL", "rtl"), ("ja", "auto"), ("", "auto")]
)
def test_texts_carry_the_language_and_direction_of_the_dataset(
    language: str, direction: str
) -> None:
    campaign = studies.opened("qgstec2010-a", sources=1, systems=["Alba"], expected=2)
    Dataset.objects.update(language=language)
    Question.objects.update(submitted_answer="القفل", question_type="ما")
    client, enrollment = studies.annotator(campaign)
    html = one_line(client.get(f"/tasks/{studies.held(enrollment).pk}/"))
    tagged = f'lang="{language}" dir="{direction}" translate="no"'
    assert f'<p class="passage" {tagged}' in html
    assert html.count(f"<span {tagged}>What does the") == 2
    assert html.count(f"<bdi {tagged}>القفل</bdi>") == 2


@pytest.mark.parametrize(("language", "direction"), [("ar", "rtl"), ("zh-Hant", "auto")])
def test_texts_carry_the_language_of_their_source(language: str, direction: str) -> None:
    campaign = studies.opened("qgstec2010-a", sources=1, systems=["Alba"], expected=2)
    Source.objects.update(language=language)
    client, enrollment = studies.annotator(campaign)

    html = one_line(client.get(f"/tasks/{studies.held(enrollment).pk}/"))

    tagged = f'lang="{language}" dir="{direction}" translate="no"'
    assert f'<p class="passage" {tagged}' in html
    assert html.count(f"<span {tagged}>What does the") == 2
