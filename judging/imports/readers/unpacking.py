"""How large the parts of a ZIP archive are, read from its directory."""

import zipfile


def unpacked_size(archive: zipfile.ZipFile) -> int:
    """Return how many bytes the parts of an archive are when they are unpacked."""
    return sum(part.file_size for part in archive.infolist())
