"""Scripts of the world survive the whole way: file, database, page, export."""

import csv
import io

import pytest
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.datasets.models.dataset import Question
from judging.imports.actions import exports
from judging.work.models.assignment import SpanMark
from tests import factories
from tests.annotation import studies
from tests.judging.exported import long_csv
from tests.judging.studies import imported

pytestmark = pytest.mark.django_db

TEXTS = {
    "ja": ("閘門は一七九四年に𠮷田が造った。", "𠮷田", "誰が閘門を造りましたか？"),
    "ko": ("수문은 1794년에 지어졌다.", "1794년", "수문은 언제 지어졌는가?"),
    "ar": ("بُنِيَ القفل في عام 1794.", "القفل", "ماذا بُنِيَ؟"),
    "he": ("הַסֶּכֶר נבנה בשנת 1794.", "הַסֶּכֶר", "מה נבנה?"),
    "hi": ("यह ताला 1794 में बनाया गया था।", "ताला", "क्या बनाया गया?"),
    "fr": (
        "L'e\u0301cluse fut ba\u0302tie ici.",
        "e\u0301cluse",
        "Qu'est-ce qui fut ba\u0302ti\u00a0?",
    ),
    "en": ("👩‍🚀 𝒜nna built the lock 👨‍👩‍👧.", "𝒜nna", "Who 🏗️ built it?"),
}


def csv_of(language: str) -> bytes:
    passage, answer, question = TEXTS[language]
    buffer = io.StringIO()
    rows = [["passage", "answer", "answer_start", "system", "question"]]
    rows.append([passage, answer, str(passage.index(answer)), "Alba", question])
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode()


@pytest.mark.parametrize("language", TEXTS)
def test_texts_survive_import_page_and_export(language: str) -> None:
    passage, answer, question = TEXTS[language]
    owner = factories.researcher()
    made = imported(csv_of(language), by=owner, options={"language": language})
    campaign = factories.campaign(
        manager=owner,
        dataset=made.dataset,
        protocol=factories.protocol("qgstec2010-a"),
        annotators_per_task=1,
    )
    campaigns.lock_plan(campaign=campaign, now=timezone.now())
    campaigns.open_campaign(campaign=campaign, now=timezone.now())
    client, enrollment = studies.annotator(campaign)
    assignment = studies.held(enrollment)
    start = passage.index(answer)
    values = {
        "specificity": 3,
        "syntax": 1,
        "semantics": 1,
        "qtype_correct": 0,
        "diversity": 1,
        "composite": 1,
    }
    form = studies.filled(assignment, **values) | {"m1": "", "m1.text": answer}
    html = client.get(f"/tasks/{assignment.pk}/").content.decode()
    for text in (passage, question):
        assert text.replace("'", "&#x27;") in html
    client.post(f"/tasks/{assignment.pk}/submit/?step=0", form)
    assert list(SpanMark.objects.values_list("start", "end")) == [(start, start + len(answer))]
    [row, *_others] = csv.DictReader(
        io.StringIO(long_csv(exports.export_campaign(campaign=campaign)))
    )
    assert (row["passage"], row["question"], row["answer"]) == (passage, question, answer)
    assert int(row["answer_start"]) == start
    assert Question.objects.get().text == question
