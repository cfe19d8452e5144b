"""What the next page says once, such as that something was saved."""

from typing import Any

from django.contrib.messages.storage.fallback import FallbackStorage

MOST = 20


class LatestMessages(FallbackStorage):
    """Keeps the latest messages alone: a program that never opens the page they wait for would have
    each of its requests read and write all of them."""

    def _store(self, messages: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
        left: list[Any] = super()._store(messages[-MOST:], *args, **kwargs)  # type: ignore[misc]
        return left
