"""Protocols for programs."""

import pytest
import yaml

from judging.protocols.models.protocol import Protocol
from tests import factories
from tests.judging.programs import API, counted, fields_of, program

pytestmark = pytest.mark.django_db
PATH = f"{API}/protocols/"
OWN = factories.SMALL.replace("key: small", "key: mine")


@pytest.fixture
def api():
    return program(factories.researcher())


def test_protocols_create_from_yaml_and_document_is_one_version(api):
    made = api.post(PATH, {"yaml": OWN})
    assert made.status_code == 201, made.content
    again = api.post(PATH, {"document": made.json()["document"]})
    assert again.json() == made.json()
    assert Protocol.objects.count() == 1


def test_protocols_list_and_retrieve_as_document_and_yaml(api):
    shipped = factories.protocol()
    pk = api.post(PATH, {"yaml": OWN}).json()["id"]
    listed = api.get(PATH).json()["results"]
    assert [each["id"] for each in listed] == [shipped.pk, pk]
    assert [each["owner"] is None for each in listed] == [True, False]
    assert [each["id"] for each in api.get(PATH, {"shipped": "true"}).json()["results"]] == [
        shipped.pk
    ]
    assert api.get(f"{PATH}{pk}/").json()["document"]["key"] == "mine"
    file = api.get(f"{PATH}{pk}/yaml/", HTTP_ACCEPT="application/yaml")
    assert file.headers["Content-Type"].startswith("application/yaml")
    assert yaml.safe_load(file.content)["key"] == "mine"


def test_protocols_list_takes_a_constant_number_of_queries(api):
    api.post(PATH, {"yaml": OWN})
    with counted() as one:
        api.get(PATH)
    for number in range(2, 6):
        api.post(PATH, {"yaml": OWN.replace('version: "1"', f'version: "{number}"')})
    with counted() as several:
        assert len(api.get(PATH).json()["results"]) == 5
    assert len(one) == len(several)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"yaml": [1]}, {"yaml"}),
        ({"document": "x"}, {"document"}),
        (
            {"yaml": OWN.replace("level: ordinal", "level: odd")},
            {"criteria.0.level", "criteria.1.level"},
        ),
        ({"yaml": "a: [b"}, {""}),
        ({"document": {"key": {"nested": [None]}}}, None),
    ],
)
def test_protocols_create_from_a_wrong_document_names_the_field(api, body, fields):
    found = fields_of(api.post(PATH, body))
    assert fields is None or len(found) == len(fields)
    assert not Protocol.objects.exists()


def test_protocols_create_another_protocol_under_a_taken_version_is_refused(api):
    api.post(PATH, {"yaml": OWN})
    answer = api.post(PATH, {"yaml": OWN.replace("title: Small", "title: Other")})
    assert fields_of(answer) == {"version"}


def test_protocols_validate_stores_nothing(api):
    found = api.post(f"{PATH}validate/", {"yaml": OWN}).json()
    assert (found["is_valid"], found["problems"]) == (True, [])
    wrong = api.post(
        f"{PATH}validate/", {"yaml": OWN.replace("level: ordinal", "level: odd")}
    ).json()
    assert not wrong["is_valid"]
    assert wrong["problems"][0]["line"] > 1
    assert not api.post(f"{PATH}validate/", {"yaml": "a: [b"}).json()["is_valid"]
    assert api.post(f"{PATH}validate/", {"yaml": "a\x00b"}).status_code in (200, 422)
    assert not Protocol.objects.exists()


def test_protocols_of_others_are_404_and_creating_needs_the_right(api):
    pk = api.post(PATH, {"yaml": OWN}).json()["id"]
    other = program(factories.researcher())
    assert other.get(f"{PATH}{pk}/").status_code == 404
    assert other.get(f"{PATH}{pk}/yaml/").status_code == 404
    assert program(factories.user()).post(PATH, {"yaml": OWN}).status_code == 403
