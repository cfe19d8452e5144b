"""Names of systems in reports."""


def system_name(name: str) -> str:
    """Return the name of a system; "(no name)" if the file gives none."""
    return name or "(no name)"
