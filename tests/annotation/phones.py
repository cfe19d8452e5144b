"""Material of a real size for tests of the judging page on phones, and what is in view there."""

from typing import Any

from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Passage, Question, Source
from tests.annotation import studies

PASSAGE = (
    "The lock at Harrow Weir was finished in 1794, three years late, because the ground on the west "
    "bank gave way twice. Its timber gates were carried off by the winter floods of 1799, and the "
    "parish could not pay for new ones. The engineer Agnes Tolliver, who had built two bridges "
    "further up the river, replaced them with iron ones in a single summer. Boatmen disliked the new "
    "gates, which took two people to move, until a counterweight was added in 1801. From then on the "
    "lock was worked by one keeper, and the tolls paid for the repair of the west bank. A stone over "
    "the upper gate still names the year and the price of the iron."
)
ANSWER = "Agnes Tolliver"
SENTENCE = PASSAGE[PASSAGE.index("The engineer") : PASSAGE.index(" Boatmen")]
QUESTIONS = (
    "Which engineer replaced the timber gates of the lock at Harrow Weir after the winter floods?",
    "Who built two bridges up the river?",
)


def opened(key: str | None, **material: Any) -> Campaign:
    """Return an open campaign with a passage of 113 words and questions of one and two lines."""
    campaign = studies.opened(key, **({"sources": 1} | material))
    Passage.objects.update(text=PASSAGE)
    Source.objects.update(
        answer=ANSWER,
        answer_start=PASSAGE.index(ANSWER),
        sentence=SENTENCE,
        sentence_start=PASSAGE.index(SENTENCE),
    )
    questions = list(Question.objects.order_by("pk"))
    for number, question in enumerate(questions):
        question.text = QUESTIONS[number % len(QUESTIONS)]
    Question.objects.bulk_update(questions, ["text"])
    return campaign


# The parts of the marked criterion that a person cannot see and reach, without scrolling.
HIDDEN_PARTS = """() => {
  const now = document.querySelector("fieldset.now");
  const question = now.closest("[data-item]");
  const texts = question.querySelectorAll(":scope > header .text > [dir], :scope > header .together > li");
  const controls = now.querySelectorAll(".scale label, select, .number, [data-begin], .ways label");
  const parts = [...texts, ...now.querySelectorAll("legend b, .prompt"), ...controls];
  const boxesOf = (part) => {
    if (part.matches("label, button, select, input")) return [part.getBoundingClientRect()];
    const range = document.createRange();
    range.selectNodeContents(part);
    return [...range.getClientRects()].filter((box) => box.width > 6);
  };
  const isHidden = (part) => boxesOf(part).some((box) => {
    const inset = Math.min(12, box.height / 2 - 5); // a line of text may be lower than its letters' box
    const points = [[box.left + 3, box.top + inset], [box.right - 3, box.bottom - inset]];
    return points.some(([x, y]) => !part.contains(document.elementFromPoint(x, y)));
  });
  const shown = parts.filter((part) => part.checkVisibility());
  if (!shown.length) return ["nothing is shown"];
  return shown.filter(isHidden).map((part) => `${now.id}: ${part.textContent.trim().slice(0, 40)}`);
}"""

# How many lines of the passage are in view, and whether the answer is.
LINES_IN_VIEW = """() => {
  const passage = document.querySelector("#source .passage");
  const range = document.createRange();
  range.selectNodeContents(passage);
  const boxes = [...range.getClientRects()].filter((box) => box.width > 1);
  const lines = new Map();
  for (const box of boxes) lines.set(Math.round((box.top + box.bottom) / 20), box);
  const isInView = (box) => {
    const y = (box.top + box.bottom) / 2;
    return [box.top + 2, box.bottom - 2].every((y) => document.elementFromPoint(box.left + 2, y)?.closest(".passage"));
  };
  const mark = passage.querySelector("mark");
  return {
    lines: [...lines.values()].filter(isInView).length,
    all: lines.size,
    answer: !mark || isInView(mark.getClientRects()[0]),
  };
}"""
