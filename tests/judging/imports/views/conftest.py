"""The pages of imports are tried by the same people as the others."""

from tests.judging.views.conftest import owner, page

__all__ = ["owner", "page"]
