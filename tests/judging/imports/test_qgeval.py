"""QGEval's workbooks on the pages of a new dataset."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judging import tasks
from judging.models import AddedFile, Attribute, Collection, Judgment, Metric
from tests import factories
from tests.judging.imports.qgeval import (
    ANNOTATORS,
    BY_CRITERION,
    CRITERIA,
    METRICS,
    SUBSETS,
    SYSTEMS,
    TEXTS,
    QGEval,
)
from tests.judging.imports.test_three_minutes import Stranger
from tests.judging.views.importing import form_of, use

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_new_dataset_of_qgeval_workbooks_has_files_as_annotators_and_a_metric_for_each_criterion(
    client, monkeypatch
):
    monkeypatch.setattr(tasks, "ring", lambda job_id: None)
    factories.rubric("qgeval")
    study, owner = QGEval(passages=2), factories.researcher()
    client.force_login(owner)
    user = Stranger(client)
    files = [SimpleUploadedFile(name, data) for name, data in study.files().items()]

    page = user.press("collection_new", data={"name": "QGEval", "files": files})
    collection = Collection.objects.get()
    header = ",".join([*TEXTS, *CRITERIA])
    said = use(form_of(page), header, "source", use="system")
    page = user.press("file_columns", collection.pk, page.context["added"].number, data=said)
    header = ",".join(TEXTS)
    said = use(form_of(page), header, "source", use="system")
    said |= {name: "higher" for name in said if name.endswith("-direction")}
    user.press("file_columns", collection.pk, page.context["added"].number, data=said)
    user.press("files_add", collection.pk)
    page = client.get(
        reverse("judging:systems", args=[collection.pk]), {"tool": "split", "find": "_"}
    )
    form = page.context["form"]
    user.press(
        "systems", collection.pk, data={name: form[name].value() or "" for name in form.fields}
    )

    assert set(AddedFile.objects.values_list("state", flat=True)) == {"added"}
    labels = Judgment.objects.values_list("assignment__enrollment__label", flat=True)
    assert set(labels) == set(ANNOTATORS)
    assert Judgment.objects.count() == len(study.questions) * len(ANNOTATORS) * len(CRITERIA)
    metrics = {*METRICS, *(f"{name}.{key}" for name in BY_CRITERION for key in CRITERIA)}
    assert set(Metric.objects.values_list("name", "kind")) == {(n, "imported") for n in metrics}
    assert set(collection.systems.values_list("name", flat=True)) == set(SYSTEMS)
    assert set(Attribute.objects.values_list("name", "value")) == {("subset", s) for s in SUBSETS}
