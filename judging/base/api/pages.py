"""Pages of the lists of the REST API."""

import re
from typing import Any

from django.utils.dateparse import parse_datetime
from rest_framework import pagination
from rest_framework.exceptions import NotFound
from rest_framework.request import Request


class DescribedPages:
    """Pages whose description says that the first has no previous and the last no next one."""

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Describe a page in OpenAPI 3.1, whose null is a type."""
        address = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {
                "next": {**address, "description": "The address of the next page."},
                "previous": {**address, "description": "The address of the previous page."},
                "results": schema,
            },
        }


class Pages(DescribedPages, pagination.CursorPagination):
    """Pages that stay correct while rows are added."""

    ordering = "pk"
    page_size = 50
    page_size_query_param = "limit"
    cursor_query_description = "The place in the list, from the address of another page."
    max_page_size = 1_000

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Describe the parameters with the limits of a page's size."""
        parameters: list[dict[str, Any]] = super().get_schema_operation_parameters(view)
        for parameter in parameters:
            if parameter["name"] == self.page_size_query_param:
                parameter["schema"] |= {"minimum": 1, "maximum": self.max_page_size}
        return parameters

    def decode_cursor(self, request: Request) -> pagination.Cursor | None:
        """Refuse a cursor that was never issued, before the database does."""
        cursor = super().decode_cursor(request)
        position = cursor.position if cursor else None
        if position is not None and not self.is_position(str(position)):
            raise NotFound(self.invalid_cursor_message)
        return cursor

    def is_position(self, position: str) -> bool:
        """Return whether a cursor's position can be a value of the column that orders the rows."""
        return re.fullmatch("[0-9]{1,18}", position) is not None  # of a primary key


class NewestFirst(Pages):
    """Pages of rows with random ids, in order of time; the newest row is first."""

    ordering = "-created_at"

    def is_position(self, position: str) -> bool:
        try:
            return parse_datetime(position) is not None
        except ValueError:
            return False
