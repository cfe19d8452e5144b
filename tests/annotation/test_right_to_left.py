"""Pages that run from right to left, in a browser: a pseudo-locale around Arabic and Hebrew
material."""

import pytest

from judging.datasets.models.dataset import Dataset, Passage, Question
from judging.work.models.assignment import SpanMark
from tests import pseudo
from tests.annotation import studies
from tests.flows.axe import violations
from tests.flows.sessions import enter

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ARABIC = "بُنِيَ القفل في عام 1794، وأصلحته المهندسة أغنيس توليفر 👩‍🚀."


@pytest.fixture
def right_to_left(settings, tmp_path) -> None:
    settings.LOCALE_PATHS = [pseudo.install(tmp_path)]
    settings.LANGUAGES = [*settings.LANGUAGES, ("ar", "العربية")]


@pytest.mark.parametrize(
    ("language", "text"),
    [("ar", ARABIC)],
)
def test_judging_from_right_to_left(new_page, right_to_left, language: str, text: str) -> None:
    campaign = studies.opened("qgstec2010-a", sources=1, systems=["Alba"], expected=2)
    Dataset.objects.update(language=language)
    Passage.objects.update(text=text)
    Question.objects.update(text=f"{text[:20]}؟", submitted_answer=text[5:15], question_type="who")
    page = new_page(width=360, height=740, locale="ar", reduced_motion="reduce")
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    assert page.evaluate("[document.documentElement.dir, document.documentElement.lang]") == [
        "rtl",
        "ar",
    ]
    passage = page.locator(".passage")
    assert (passage.get_attribute("dir"), passage.get_attribute("lang")) == ("rtl", language)
    assert passage.inner_text() == text
    for width in (360, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        assert violations(page) == []
        assert (
            page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            <= 0
        )
    page.locator("#m1 [data-begin]").click()
    page.keyboard.press("ArrowLeft")  # forward, where a line runs to the left
    page.keyboard.press("Enter")
    page.wait_for_selector("#saved[data-state=saved]")
    mark = SpanMark.objects.get()
    assert text[mark.start : mark.end] == text.split()[1]


def test_pages_around_judging_from_right_to_left(new_page, right_to_left) -> None:
    campaign = studies.opened(sources=1, introduction="مقدمة", consent="موافق")
    enrollment = studies.annotator(campaign)[1]
    page = new_page(width=360, height=740, locale="ar", reduced_motion="reduce")
    enter(page, enrollment.user)
    for address in (
        "/work/",
        f"/work/{campaign.uuid}/consent/",
        f"/work/{campaign.uuid}/pause/",
        "/login/",
    ):
        page.goto(address)
        assert page.evaluate("document.documentElement.dir") == "rtl"
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
