"""Where the pages' scripts, styles and pictures lie."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Django's storage of files under names that follow their contents. It remembers what it has
    answered: a page asks ten times, and the names do not change while a process runs."""

    def __init__(self, *arguments: object, **options: object) -> None:
        """Start with nothing remembered."""
        super().__init__(*arguments, **options)
        self._addresses: dict[str | None, str] = {}

    def url(self, name: str | None, force: bool = False) -> str:
        """Return the address of a file."""
        address = self._addresses.get(name)
        if address is None:
            address = self._addresses[name] = super().url(name, force)
        return address
