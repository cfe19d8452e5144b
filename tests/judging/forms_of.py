"""The data that a browser would send for a form: the names and current values of its controls."""

from html.parser import HTMLParser


class _Reader(HTMLParser):
    def __init__(self, form: str) -> None:
        super().__init__()
        self.form, self.inside = form, False
        self.sent: dict[str, list[str]] = {}
        self.select = self.area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = given.get("id") == self.form
        if not self.inside:
            return
        if tag == "input" and (
            given.get("type") not in ("checkbox", "radio") or "checked" in given
        ):
            self._send(given)
        elif tag == "select":
            self.select = given["name"]
        elif tag == "option" and "selected" in given:
            self.sent[self.select] = [given["value"]]
        elif tag == "option":
            self.sent.setdefault(self.select, [given["value"]])
        elif tag == "textarea":
            self.area = given["name"]
            self.sent[self.area] = [""]

    def _send(self, given: dict[str, str]) -> None:
        if given.get("name") and given.get("type") != "submit":
            self.sent.setdefault(given["name"], []).append(
                given.get("value", "on" if given.get("type") == "checkbox" else "")
            )

    def handle_data(self, data: str) -> None:
        if self.area:
            self.sent[self.area][0] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self.area:
            text = self.sent[self.area][0].removeprefix("\n")
            self.sent[self.area] = [text.replace("\r\n", "\n").replace("\n", "\r\n")]
            self.area = ""
        self.inside = self.inside and tag != "form"


def fields(html: str, form: str) -> dict[str, list[str]]:
    """Return the controls of the form with that id."""
    reader = _Reader(form)
    reader.feed(html)
    return reader.sent
