"""What a report calls a system."""


def system_name(name: str) -> str:
    """Return the name of a system; one that a file left without a name is said to have none."""
    return name or "(no name)"
