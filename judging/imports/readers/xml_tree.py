"""XML as a small tree with line numbers; declarations of types and entities are refused."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.sax import SAXException, SAXParseException  # errors only: what parses is defusedxml
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl, Locator

from defusedxml import DefusedXmlException
from defusedxml.sax import parseString

from judging.imports.readers.other_formats import other_format
from judging.imports.readers.text import Unreadable
from judging.limits import MAX_JSON_DEPTH


@dataclass(slots=True)
class Element:
    """One element; `text` is its own text, without surrounding white space."""

    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list["Element"] = field(default_factory=list)

    def all(self, tag: str) -> Iterator["Element"]:
        """Yield the children of this name."""
        return (child for child in self.children if child.tag == tag)

    def text_of(self, tag: str) -> str:
        """Return the text of the first child of this name, or ""."""
        return next((child.text for child in self.all(tag)), "")


def parse_xml(data: bytes) -> Element:
    """Return the root element.

    Raises
    ------
    Unreadable
        If the file is not well-formed XML, declares types or entities, or is in an encoding that cannot be read.
    """
    if not data.strip():
        raise Unreadable("The file is empty.")
    if other := other_format(data):
        raise Unreadable(other)
    builder = _Builder()
    try:
        parseString(data, builder, forbid_dtd=True)
    except DefusedXmlException:
        raise Unreadable(
            "The XML declares a document type or entities; remove the declaration."
        ) from None
    except SAXParseException as error:
        line = error.getLineNumber() or 0
        raise Unreadable(
            f"The XML cannot be read at line {line:,}: {error.getMessage()}.", row=line
        ) from None
    except (SAXException, LookupError, UnicodeError, ValueError) as error:
        raise Unreadable(f"The XML cannot be read: {error}.") from None
    return builder.root


class _Builder(ContentHandler):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {}, 0)
        self._open: list[tuple[Element, list[str]]] = []
        self._locator: Locator | None = None

    def setDocumentLocator(self, locator: Locator) -> None:
        self._locator = locator

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        line = (self._locator.getLineNumber() if self._locator else 0) or 0
        if len(self._open) >= MAX_JSON_DEPTH:
            raise Unreadable(
                f"The elements are nested more than {MAX_JSON_DEPTH} deep at line {line:,}.",
                row=line,
            )
        element = Element(name, dict(attrs.items()), line)
        if self._open:
            self._open[-1][0].children.append(element)
        else:
            self.root = element
        self._open.append((element, []))

    def characters(self, content: str) -> None:
        self._open[-1][1].append(content)

    def endElement(self, name: str) -> None:
        element, pieces = self._open.pop()
        element.text = "".join(pieces).strip()
