"""Helpers for tests of a campaign's pages: addresses, a plan's form, and counting queries."""

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judging.campaigns.models.campaign import Campaign


def address(name: str, campaign: Campaign, *args: int) -> str:
    return reverse(f"judging:{name}", args=[campaign.uuid, *args])


def design(campaign: Campaign, **changes) -> dict:
    """Return what the form of a draft's protocol and annotators sends."""
    fields = {
        "title": "Weirs",
        "protocol": campaign.protocol_id,
        "annotators_per_task": 2,
        "order": "breadth",
    }
    return fields | changes


def pages(**changes) -> dict:
    """Return what the form of annotators' pages sends."""
    fields = {"text_language": "en", "lease_minutes": 30, "time_zone": "Europe/Berlin"}
    return fields | changes


def assert_same_queries(page: Client, url: str, add) -> None:
    """Count a page's queries, add two rows, count again."""
    page.get(url)
    with CaptureQueriesContext(connection) as one:
        page.get(url)
    add()
    add()
    with CaptureQueriesContext(connection) as three:
        page.get(url)
    assert len(three) == len(one)
