"""A task's page as a browser asks for it."""

from django.http import HttpResponse
from django.test import Client

from judging.campaigns.models.assignment import Assignment


def address(assignment: Assignment, what: str = "", step: int | None = 0) -> str:
    base = f"/tasks/{assignment.pk}/{what}"
    return f"{base}?step={step}" if what == "submit/" else base


def page(client: Client, assignment: Assignment) -> str:
    response = client.get(address(assignment))
    assert response.status_code == 200
    return response.content.decode()


def one_line(answer: HttpResponse) -> str:
    """Return a page with each run of white space as one blank, as attributes stand on lines."""
    return " ".join(answer.content.decode().split())


def send(client: Client, assignment: Assignment, name: str, value: object, sequence: object = 1):
    return client.post(
        address(assignment, "draft/"), {"name": name, "value": value, "sequence": sequence}
    )
