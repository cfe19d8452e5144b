"""What axe-core, vendored for tests only, finds on a page."""

from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

AXE = Path(__file__).parent.parent / "vendor" / "axe" / "axe.min.js"
STILL = """() => document.getAnimations().forEach((each) => {
  if (each.effect?.getComputedTiming().endTime < Infinity) each.finish();
})"""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@cache
def _source() -> str:
    return AXE.read_text(encoding="utf-8")


def violations(page: Page) -> list[str]:
    """One line for each element that breaks a rule: the rule, the element, what is wrong.

    A page that a click led to may still be on its way, and a colour half way to another.
    """
    page.wait_for_load_state()
    page.evaluate(STILL)
    if not page.evaluate("'axe' in window"):
        page.evaluate(_source())
    run = {"type": "tag", "values": RULES}
    found = page.evaluate("run => axe.run({ runOnly: run, resultTypes: ['violations'] })", run)
    return [_line(rule, node) for rule in found["violations"] for node in rule["nodes"]]


def _line(rule: dict[str, Any], node: dict[str, Any]) -> str:
    place = " ".join(str(part) for part in node["target"])
    return f"{rule['id']}: {place}: {node['failureSummary']}".replace("\n", " ")
