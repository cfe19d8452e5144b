"""Systems of a dataset, renamed, merged and marked by programs."""

import pytest

from judging.datasets.models.system_change import SystemChange
from tests import factories
from tests.judging.imports.studies import assembled
from tests.judging.programs import API, counted, fields_of, program

pytestmark = pytest.mark.django_db
SPELLED = """\
passage,answer,system,question
Herons wade at dawn.,at dawn,gpt-4,When do herons wade?
The mill was sold in 1850.,1850,GPT-4,When was the mill sold?
The mill was sold in 1850.,1850,Brisa,What was sold?
"""


@pytest.fixture
def dataset():
    return assembled(SPELLED)


@pytest.fixture
def api(dataset):
    return program(dataset.owner)


@pytest.fixture
def path(dataset):
    return f"{API}/datasets/{dataset.pk}/system-changes/"


def named(dataset):
    return set(dataset.systems.values_list("name", flat=True))


def keys(dataset):
    return {each.name: each.pk for each in dataset.systems.all()}


def test_systems_are_renamed_merged_and_marked_and_each_change_is_undone(dataset, api, path):
    key = keys(dataset)
    wanted = [
        {"id": key["gpt-4"], "name": "GPT-4"},
        {"id": key["Brisa"], "name": "Brisa 2", "kind": "human"},
    ]
    made = api.post(path, {"systems": wanted, "reason": "One spelling."})
    assert made.status_code == 200, made.content
    assert [(each["what"], each["before"], each["after"]) for each in made.json()] == [
        ("merged", "gpt-4", "GPT-4"),
        ("renamed", "Brisa", "Brisa 2"),
        ("marked", "model", "human"),
    ]
    assert named(dataset) == {"GPT-4", "Brisa 2"}
    assert api.get(path).json()["results"] == made.json()
    merged, renamed, marked = (each["id"] for each in made.json())
    assert api.post(f"{path}{merged}/undo/").status_code == 409
    for pk in (marked, renamed, merged):
        undone = api.post(f"{path}{pk}/undo/")
        assert undone.json()["undone_at"], undone.content
    assert named(dataset) == {"gpt-4", "GPT-4", "Brisa"}
    assert api.post(f"{path}{merged}/undo/").status_code == 409
    assert api.get(f"{path}{merged}/").json()["what"] == "merged"


def test_questions_of_a_system_get_a_subset(dataset, api, path):
    made = api.post(path, {"systems": [{"id": keys(dataset)["Brisa"], "subset": "SQuAD"}]})
    assert [(each["what"], each["after"]) for each in made.json()] == [("split", "SQuAD")]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"kind": "robot"}, "systems.0.kind"),
        ({"id": 10**30}, "systems.0.id"),
        ({"name": "a" * 201}, "systems.0.name"),
    ],
)
def test_system_change_wrong_content_names_the_field(dataset, api, path, change, field):
    body = {"systems": [{"id": keys(dataset)["Brisa"]} | change]}
    assert fields_of(api.post(path, body)) == {field}
    assert not SystemChange.objects.exists()


def test_systems_of_another_dataset_are_not_changed(dataset, api, path):
    other = factories.dataset()
    body = {"systems": [{"id": other.systems.first().pk, "name": "Other"}]}
    assert fields_of(api.post(path, body)) == {"systems.0.id"}
    assert api.post(f"{API}/datasets/{other.pk}/system-changes/", body).status_code == 404


@pytest.mark.long
def test_system_changes_are_listed_with_a_constant_number_of_queries(dataset, api, path):
    def queries() -> int:
        with counted() as found:
            assert api.get(path).status_code == 200
        return len(found)

    brisa = keys(dataset)["Brisa"]
    api.post(path, {"systems": [{"id": brisa, "name": "B1"}]})
    with_one = queries()
    for number in range(5):
        api.post(path, {"systems": [{"id": brisa, "name": f"C{number}"}]})
    assert queries() == with_one
