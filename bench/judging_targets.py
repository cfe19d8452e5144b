"""Measure what annotators see while they rate: every protocol in a real browser at four sizes,
judged by keyboard.

    python bench/judging_targets.py [--words 200] [--only qgbench] > docs/judging-targets.md

Each rating measures, without any scrolling by hand: whether the question and the answer (or, if no
answer is shown, the passage itself) are in view, whether the criterion being rated is in view with
all its values, and the passage's share of the screen's height. Keys are counted from the first
rating to the next page. Chromium is found as the tests find it. A database of its own is made and
removed.
"""

import argparse
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from run import CHROMIUM_NAMES  # noqa: E402

SIZES = ((360, 740), (768, 1024), (1366, 650), (1440, 900))
SIX = ("Alba", "Brisa", "Corvo", "Duna", "Eira", "Fonte")
MATERIAL: dict[str, dict[str, Any]] = {
    "qgstec2010-a": {"systems": ("Alba",), "expected": 6},
    "qgstec2010-b": {"systems": ("Alba",), "expected": 2},
    "qgstec-plus": {"systems": ("Alba",), "expected": 2},
    "schlichtkrull-cheng": {"systems": ("Alba", "Brisa"), "expected": 4},
    "nema-khapra": {"systems": SIX, "sources": 2},
}
ANSWER = "Agnes Tolliver"
SENTENCE = (
    "Its engineer, Agnes Tolliver, had replaced the planned timber gates with iron ones after the winter floods "
    "carried off the first pair."
)
FILLER = (
    "The lock at Harrow Weir was finished in the spring of 1794, two years late and at twice its price. Boatmen "
    "disliked the new gates, which took two people to move, until a counterweight was added in 1801. Upstream, the "
    "towpath was widened for horses in 1812, and a keeper lived in the cottage by the bridge until 1931."
)
QUESTIONS = (
    "Who replaced the timber gates of the lock with iron ones?",
    "What lock engineer the weir had gates carried off of?",
    "In which year was the lock finished?",
    "Why did boatmen dislike the new gates?",
    "What was added in 1801?",
    "Which engineer replaced the planned gates?",
)
LOOK = """() => {
  const fieldset = document.querySelector("fieldset.now");
  if (!fieldset) return null;
  const inView = (element) => {
    if (!element) return null;
    const box = element.getBoundingClientRect();
    if (!box.width || box.top < -1 || box.bottom > innerHeight + 1) return false;
    if (box.left < -1 || box.right > innerWidth + 1) return false;
    const points = [[.02, .15], [.5, .5], [.05, .85]];
    return points.every(([x, y]) => {
      const top = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y);
      return top && (element.contains(top) || top.contains(element));
    });
  };
  const item = fieldset.closest("[data-item]");
  const told = [...item.querySelectorAll("h2.text, .together li")];
  const own = told;
  const points = [...fieldset.querySelectorAll(".scale > label")];
  const scale = points.length ? points : [fieldset.querySelector(".ways, select, .ends")];
  const source = document.getElementById("source");
  const passage = source?.querySelector(".passage")?.getBoundingClientRect();
  const frame = source?.getBoundingClientRect();
  const answer = source?.querySelector(".asked dd");
  const whole = answer ? inView(answer) : source ? frame.top >= 0 && frame.bottom <= innerHeight : null;
  return {
    question: own.every(inView), answer: whole, scale: scale.every(inView),
    share: passage ? (Math.min(frame.bottom, innerHeight) - Math.max(frame.top, 0)) / innerHeight : null,
    full: source ? source.scrollHeight <= source.clientHeight + 1 : null,
  };
}"""


def passage(words: int) -> str:
    """Return a text of about so many words with the sentence of the answer in its middle."""
    known = FILLER.split()
    filler = [known[number % len(known)] for number in range(max(0, words - len(SENTENCE.split())))]
    half = len(filler) // 2
    return " ".join((*filler[:half], SENTENCE, *filler[half:]))


def campaign(key: str, words: int) -> Any:
    """Return an open campaign of a protocol with material of our own."""
    from judging.datasets.models.dataset import Question, Source
    from tests import factories

    material = factories.dataset(**({"sources": 3, "systems": SIX} | MATERIAL.get(key, {})))
    material.language = "en"
    material.save()
    text = passage(words)
    for source in Source.objects.filter(dataset=material):
        source.passage.text = text
        source.passage.save()
        source.answer, source.answer_start = ANSWER, text.index(ANSWER)
        source.sentence, source.sentence_start = SENTENCE, text.index(SENTENCE)
        source.target_type, source.modality = "who", "text"
        source.save()
    asked = Question.objects.filter(unit__question_set__source__dataset=material).order_by("pk")
    for number, question in enumerate(asked):
        question.text, question.submitted_answer, question.question_type = (
            QUESTIONS[number % 6],
            ANSWER,
            "who",
        )
        question.save()
    return factories.opened(
        dataset=material, protocol=factories.protocol(key), annotators_per_task=len(SIZES)
    )


def rate(page: Any) -> tuple[list[dict[str, Any]], int, int]:
    """Rate a whole task by keyboard; return what was seen at each rating, and the keys pressed for
    how many ratings."""
    seen, keys, before = [], 0, page.url
    while page.url == before and keys < 200:
        found = page.evaluate(LOOK)
        if found is None:
            with page.expect_navigation(timeout=20_000):
                page.keyboard.press("Enter")
            keys += 1
            continue
        seen.append(found)
        is_mark = page.locator("fieldset.now[data-span]").count()
        page.keyboard.press(
            "0"
            if is_mark
            else page.locator("fieldset.now .scale label").last.get_attribute("data-key")
        )
        keys += 1
    return seen, keys, len(seen)


def line(key: str, size: tuple[int, int], seen: list[dict[str, Any]], keys: int, view: str) -> str:
    """Return a row of the table."""

    def share(name: str) -> str:
        told = [each[name] for each in seen if each[name] is not None]
        return f"{100 * sum(told) / len(told):.0f} %" if told else "–"

    heights = [each["share"] for each in seen if each["share"] is not None]
    height = f"{100 * min(heights):.0f} %" if heights else "–"
    if heights and all(each["full"] for each in seen):
        height = "all of it"
    shown = f"| {key} | {size[0]} × {size[1]} | {view} | {len(seen)} | {share('question')} | {share('answer')} "
    return f"{shown}| {share('scale')} | {height} | {keys} |"


def measure(port: int, words: int, only: str | None, executable: str) -> None:
    from django.test import Client
    from playwright.sync_api import sync_playwright

    from judging.protocols import documents
    from tests import factories

    print(
        f"Passages of {words} words. In view, of all ratings: the question, the answer, the whole scale.\n"
    )
    print(
        "| protocol | screen | view | ratings | question | answer | scale | height of the passage, at least | keys |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-gpu"]
        )
        for key in documents.shipped_keys():
            if only not in (None, key):
                continue
            study = campaign(key, words)
            for width, height in SIZES:
                client = Client()
                client.force_login(factories.enrollment(study).user)
                cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value}
                viewport = {"width": width, "height": height}
                context = browser.new_context(
                    viewport=viewport, base_url=f"http://localhost:{port}"
                )
                context.add_cookies([cookie | {"domain": "localhost", "path": "/"}])
                page = context.new_page()
                page.goto(f"/work/{study.uuid}/?begin", wait_until="networkidle")
                view = page.evaluate("document.documentElement.dataset.view")
                seen, keys, _ratings = rate(page)
                print(line(key, (width, height), seen, keys, view), flush=True)
                context.close()
        browser.close()


def serve() -> int:
    """Serve the site and its static files on a free port of this machine; return the port."""
    from functools import partial

    from django.contrib.staticfiles.handlers import StaticFilesHandler
    from django.contrib.staticfiles.views import serve as static_file
    from django.core.handlers.wsgi import WSGIHandler
    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler

    handler = StaticFilesHandler(WSGIHandler())
    handler.serve = lambda request: static_file(
        request, handler.file_path(request.path), insecure=True
    )
    quiet = type("Handler", (WSGIRequestHandler,), {"log_message": lambda *args: None})
    server = ThreadedWSGIServer(("127.0.0.1", 0), partial(quiet))
    server.set_app(handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return int(server.server_port)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--words", type=int, default=200)
    parser.add_argument("--only")
    options = parser.parse_args()
    found = map(shutil.which, CHROMIUM_NAMES)
    executable = os.environ.get("QUAESTOR_CHROMIUM") or next(filter(None, found))
    from bench.own_database import own_database

    with own_database():
        import django
        from django.conf import settings

        # The browser's driver keeps an event loop in this thread
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        storage = "django.contrib.staticfiles.storage.StaticFilesStorage"
        settings.STORAGES["staticfiles"]["BACKEND"] = storage
        settings.ALLOWED_HOSTS = ["*"]
        django.setup()
        measure(serve(), options.words, options.only, executable)


if __name__ == "__main__":
    main()
