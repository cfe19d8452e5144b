"""The client against the application itself, in this process and against a live server."""

from pathlib import Path

import httpx
import pandas as pd
import pytest
from django.core.wsgi import get_wsgi_application

from judging.datasets.models.dataset import Dataset
from judging.work.models.judgment import Judgment
from quaestor_client import JobFailed, Quaestor, QuaestorError
from tests import factories
from tests.analysis import studies
from tests.annotation import studies as annotated
from tests.client.clients import SITE, client_of

ROWS = [
    {"source_id": "s1", "passage": "Bert built it.", "system": "Alba", "question": "Who built it?"},
    {"source_id": "s1", "passage": "Bert built it.", "system": "Brisa", "question": "By whom?"},
]


class BreaksOnce(httpx.BaseTransport):
    """Loses the first response of a server that has done what was asked."""

    def __init__(self) -> None:
        self.inner, self.lost = httpx.WSGITransport(app=get_wsgi_application()), 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self.inner.handle_request(request)
        if request.method == "POST" and not self.lost:
            self.lost += 1
            response.read()
            raise httpx.ReadError("The connection broke.")
        return response


@pytest.mark.usefixtures("in_process")
def test_client_goes_through_all_pages_of_a_list():
    owner = factories.researcher()
    for _ in range(3):
        factories.dataset(owner=owner)
    client = client_of(owner)
    assert len(client.datasets.list(limit=1)) == 3
    assert client.me()["username"] == owner.username
    assert client.datasets.get(client.datasets.list()[0].id).items(limit=1)[0]["source_id"] == "s1"


@pytest.mark.usefixtures("in_process")
def test_client_error_names_status_code_and_fields():
    client = client_of(factories.researcher())
    with pytest.raises(QuaestorError, match="name") as raised:
        client.datasets.create("")
    assert (raised.value.status, raised.value.code) == (422, "invalid")
    assert raised.value.errors[0]["field"] == "name"
    with pytest.raises(QuaestorError) as raised:
        client.campaigns.get("00000000-0000-0000-0000-000000000000")
    assert (raised.value.status, raised.value.code) == (404, "not_found")
    with pytest.raises(QuaestorError) as raised:
        Quaestor(SITE, "x", transport=httpx.WSGITransport(app=get_wsgi_application())).me()
    assert (raised.value.status, raised.value.code) == (401, "authentication_failed")


@pytest.mark.usefixtures("in_process")
def test_client_whose_connection_breaks_creates_once():
    transport = BreaksOnce()
    client = client_of(factories.researcher(), transport=transport)
    made = client.datasets.create("Locks", licence="CC0")
    assert transport.lost == 1
    assert Dataset.objects.get().pk == made.id


@pytest.mark.usefixtures("in_process")
def test_client_whose_connection_breaks_joins_no_second_time():
    campaign = annotated.opened()
    invitation = client_of(campaign.created_by).campaigns.get(str(campaign.uuid)).invite(places=2)
    with pytest.raises(httpx.ReadError):
        Quaestor(SITE, transport=BreaksOnce()).join(invitation.link)
    assert campaign.enrollments.count() == 1


@pytest.mark.usefixtures("in_process")
def test_client_whose_connection_breaks_gets_the_link_of_its_invitation():
    campaign = annotated.opened()
    client = client_of(campaign.created_by, transport=BreaksOnce())
    made = client.campaigns.get(str(campaign.uuid)).invite(places=2)
    [invitation] = campaign.invitations.all()
    assert (made.id, made.token) == (invitation.pk, invitation.token)
    assert made.link.endswith(f"/join/{invitation.token}/")


@pytest.mark.usefixtures("in_process")
def test_client_plans_a_campaign_and_moves_it_through_its_states():
    owner = factories.researcher()
    material, protocol = factories.dataset(owner=owner), factories.protocol()
    client = client_of(owner)
    dataset = client.datasets.get(material.pk)
    assert client.protocols.get(protocol.pk).key == "small"
    campaign = client.campaigns.create("Locks", dataset, client.protocols.get("small"))
    assert campaign.state == "draft"
    assert campaign.open().state == "open"
    assert campaign.close().reopen().state == "open"
    assert campaign.pause().state == "paused"
    assert campaign.open().close().archive().state == "archived"
    assert [each.uuid for each in client.campaigns.list(state="archived")] == [campaign.uuid]


@pytest.mark.usefixtures("in_process")
def test_client_annotates_saves_and_submits():
    campaign = annotated.opened(sources=1)
    managed = client_of(campaign.created_by).campaigns.get(str(campaign.uuid))
    invitation = managed.invite()
    transport = httpx.WSGITransport(app=get_wsgi_application())
    annotator = Quaestor(SITE, transport=transport).join(invitation.token)
    task = annotator.claim()
    assert task.source["passage"].startswith("Lock 1")
    assert [question["letter"] for question in task.questions] == ["A", "B"]
    first, *others = task.controls
    assert first.values == (1, 2, 3)
    annotator.save(task, {first.name: 2}, note="Done")
    with pytest.raises(QuaestorError) as raised:
        annotator.submit(task)
    missing = {each["field"] for each in raised.value.errors}
    assert missing == {f"answers.{each.name}" for each in others}
    again = Quaestor(SITE, annotator.token, transport=transport).annotate(str(campaign.uuid))
    assert again.label == annotator.label
    assert again.read(task.id).data["note"] == "Done"
    assert annotator.submit(task, {each.name: 3 for each in others}) is None
    assert annotator.claim() is None
    assert annotator.outcome == "finished"
    assert Judgment.objects.count() == 4
    assert managed.annotators()[0]["submitted"] == 1
    assert managed.tasks()[0]["assignments"][0]["state"] == "submitted"


@pytest.mark.usefixtures("in_process")
def test_client_goes_on_to_the_next_stage():
    campaign = annotated.opened("qgbench-staged")
    enrollment = factories.enrollment(campaign)
    annotator = client_of(enrollment.user, "annotate").annotate(str(campaign.uuid))
    task = annotator.claim()
    annotator.save(task, {each.name: each.values[0] for each in task.controls if each.open})
    following = annotator.next_stage(task)
    assert following.data["stage"]["number"] == 2
    assert not following.controls[0].open


@pytest.mark.usefixtures("in_process")
def test_client_reads_judgments_as_rows_dataframe_and_csv(tmp_path: Path):
    campaign = studies.imported(sources=2)
    judgments = client_of(campaign.created_by).campaigns.get(str(campaign.uuid)).judgments
    assert len(list(judgments())) == 24
    df = judgments(annotator="A1", criterion="correctness").to_pandas()
    assert df.groupby("system")["value"].mean().to_dict() == {"Alba": 3, "Brisa": 2, "Corvo": 1}
    saved = judgments().to_csv(tmp_path / "judgments.csv")
    assert len(saved.read_text("utf-8-sig").splitlines()) == 25


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_client_waits_for_jobs_of_a_live_server(live_client, worker, tmp_path: Path):
    client = live_client(factories.researcher())
    dataset = client.datasets.create_from_dataframe(pd.DataFrame(ROWS), name="Locks")
    assert dataset.data["questions"] == 2
    job = client.post("datasets/", {"name": "Nothing", "rows": [{"x": 1}]})
    with pytest.raises(JobFailed, match="failed"):
        client.jobs.get(job["id"]).wait()
    file = tmp_path / "outputs.csv"
    head = ",".join(ROWS[0])
    file.write_text("\n".join([head, *(",".join(row.values()) for row in ROWS)]))
    other = client.datasets.create("From a file")
    other.add_file(file)
    assert other.data["questions"] == 2
    other.score(["self_bleu_2"])
    assert client.get(f"datasets/{other.id}/metrics/")
    assert other.export(tmp_path / "dataset.csv").stat().st_size > 100
    other.delete()
    with pytest.raises(QuaestorError):
        other.refresh()


@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_llm_judge_is_added_and_power_is_computed(live_client, worker) -> None:
    imported = studies.imported(sources=2)
    client = live_client(imported.created_by)
    campaign = client.campaigns.get(str(imported.uuid))
    verdicts = [{"item": row["item"], "correctness": 3} for row in campaign.llm_judges.items()]
    verdicts[0]["correctness"] = 9
    judge = campaign.llm_judges.add(verdicts, name="Judge", model="maker/small")
    assert judge["verdicts"] == len(verdicts) - 1
    [problem] = judge["problems"]
    assert "9" in problem
    campaign.llm_judges.delete(judge["id"])
    assert not campaign.llm_judges.list(name="Judge")
    power = campaign.power(difference=0.5, annotators=1, power=0.6)
    assert power["result"]["curve"]
    [job] = client.jobs.list(kind=power["kind"])
    assert client.jobs.get(job.data["id"]).state == "done"


@pytest.mark.long
@pytest.mark.jobs
@pytest.mark.django_db(transaction=True)
def test_client_follows_a_run_of_a_live_server(live_client, worker, tmp_path: Path):
    imported = studies.imported(sources=3)
    client = live_client(imported.created_by)
    campaign = client.campaigns.get(str(imported.uuid))
    run = campaign.run(resamples=100, metrics=[]).wait(timeout=120)
    assert run.state == "done"
    rows = run.table("correlations").to_pandas()
    assert {"metric", "criterion"} <= set(rows.columns)
    contents = run.contents()
    assert set(run.tables()) >= set(contents["tables"])
    assert "<td>Alba" in run._repr_html_()
    figure = contents["figures"][0]
    for name in (
        "report.pdf",
        "report.json",
        "correlations.csv",
        "correlations.tex",
        f"{figure}.svg",
    ):
        assert run.download(name, tmp_path / name).stat().st_size > 50
    assert [each.number for each in campaign.runs()] == [1]
    with pytest.raises(QuaestorError):
        run.download("nothing.csv", tmp_path / "nothing.csv")
    assert not (tmp_path / "nothing.csv").exists()
