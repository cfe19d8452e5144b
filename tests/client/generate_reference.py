"""Write `docs/client.md`, the reference of the client, from its docstrings.

Run it when they have changed: `python tests/client/generate_reference.py`, with the
client installed or in PYTHONPATH.
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import quaestor_client
from quaestor_client import types

PAGE = Path(__file__).resolve().parents[2] / "docs" / "client.md"
HEAD = """# Reference of the Python client

Written from the docstrings of `quaestor_client` by `generate_reference.py`. The
[README](../packages/quaestor-client/README.md) says how to begin, [the tutorial](guide/api.md) goes
from a DataFrame to a report, and [a notebook](examples/report_from_csv.ipynb) from a CSV file to a
PDF. The types of requests and answers are in
[types.py](../packages/quaestor-client/src/quaestor_client/types.py); [the reference of the
API](api/README.md) describes them.
"""
MADE_BY_USERS = ("Quaestor", "Metric")
UNPACKED = re.compile(r"Unpack\[(types\.)?(\w+)\]")


def page() -> str:
    """Return the page as text."""
    names = sorted(quaestor_client.__all__, key=lambda name: (name != "Quaestor", name))
    described = [part for name in names for part in parts(getattr(quaestor_client, name))]
    return re.sub(r"\n{3,}", "\n\n", "\n\n".join([HEAD.rstrip(), *described])).rstrip() + "\n"


def parts(described: type) -> Iterator[str]:
    """Yield the parts of the page about a class."""
    yield f"## {described.__name__}"
    if described.__name__ in MADE_BY_USERS:
        yield f"`{described.__name__}{shown_signature(described)}`"
    yield text_of(described)
    for base in reversed(described.__mro__):
        if base.__module__.startswith("quaestor_client"):
            members = vars(base).items()
            yield from (member(*named) for named in members if is_documented(*named))


def is_documented(name: str, value: object) -> bool:
    """Return whether a member of a class has a place on the page."""
    is_member = inspect.isfunction(value) or hasattr(value, "fget") or hasattr(value, "func")
    return is_member and not name.startswith("_")


def member(name: str, value: object) -> str:
    """Return the part of the page about a method or a property."""
    if not inspect.isfunction(value):
        return f"### {name}\n\n{text_of(value)}"
    options = [
        f"Options: {', '.join(f'`{field}`' for field in getattr(types, kind).__annotations__)}."
        for _module, kind in UNPACKED.findall(str(inspect.signature(value)))
        if hasattr(types, kind)
    ]
    signature = f"`{name}{shown_signature(value)}`"
    return "\n\n".join([f"### {name}", signature, text_of(value), *options])


def shown_signature(value: object) -> str:
    """Return a signature without `self` and the quotes of annotations."""
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(value)))  # type: ignore[arg-type]
    return UNPACKED.sub(r"\2", re.sub(r"^\(self(, )?", "(", text)).replace("types.", "")


def text_of(value: object) -> str:
    """Return a docstring as Markdown."""
    text = inspect.getdoc(value) or ""
    text = re.sub(r"^(\w+)\n-+$", r"**\1**\n", text, flags=re.M)
    text = re.sub(r"^(\*{0,2}\w+(?:, \w+)*)\n((?:    .*\n?)+)", described_item, text, flags=re.M)
    text = text.replace("``", "`")
    text = re.sub(r"^(?:(?:>>>|\.\.\.) .*\n?)+", r"```python\n\g<0>\n```\n", text, flags=re.M)
    return re.sub(r"^(?:>>>|\.\.\.) ", "", text, flags=re.M).replace("\n\n```\n", "\n```\n")


def described_item(item: re.Match[str]) -> str:
    """Return a parameter with its description as an item of a list."""
    return f"- `{item[1]}`: {' '.join(item[2].split())}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
