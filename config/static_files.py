"""The storage of the pages' scripts, styles and pictures."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Django's storage of files under names that follow their contents, with a cache of addresses:
    a page asks for ten, and the names do not change while a process runs."""

    def __init__(self, *arguments: object, **options: object) -> None:
        """Start with an empty cache."""
        super().__init__(*arguments, **options)
        self._addresses: dict[str | None, str] = {}

    def url(self, name: str | None, force: bool = False) -> str:
        """Return the address of a file."""
        address = self._addresses.get(name)
        if address is None:
            address = self._addresses[name] = super().url(name, force)
        return address
