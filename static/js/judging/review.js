// All answers of the task, listed once more before it is submitted: questions that lack an answer first, each with a button that
// leads back to it. A campaign can do without, and may let its annotators switch the review off.

import { criteria, form, isFrozen, nameOf, valueOf } from "./page.js";
import { unmark } from "./marker.js";
import { answerOf, items, open, own, refreshView, titleOfItem } from "./view.js";

const root = document.documentElement;
const section = document.getElementById("review");
const isOptional = "reviewOptional" in form.dataset;
const KEY = `quaestor.review.${form.dataset.who}`;

export const isReviewing = () => "review" in root.dataset;

const isAnswered = (fieldset) => valueOf(fieldset) !== "";
const lacksAnswer = (whole) => own(whole).some((fieldset) => !isAnswered(fieldset));

function answerLine(fieldset) {
  const line = document.createElement("li");
  const answer = document.createElement("b");
  const { words, isMaterial } = answerOf(fieldset);
  answer.textContent = words;
  answer.translate = !isMaterial;
  line.classList.toggle("lacking", !isAnswered(fieldset));
  line.append(`${nameOf(fieldset)}: `, answer);
  return line;
}

function row(whole) {
  const line = section.querySelector("#reviewed").content.firstElementChild.cloneNode(true);
  const text = whole.querySelector("h2.text [dir]");
  const button = line.querySelector("button");
  line.dataset.of = titleOfItem(whole);
  line.querySelector(".of-question").textContent = titleOfItem(whole);
  if (text) {
    const question = line.querySelector(".asked-question");
    question.textContent = text.textContent;
    question.lang = text.lang;
    question.dir = text.dir;
  }
  line.querySelector("ul").append(...own(whole).map(answerLine));
  button.setAttribute("aria-label", `${button.textContent}: ${titleOfItem(whole)}`);
  button.hidden = own(whole).every(isFrozen);
  button.addEventListener("click", () => open(whole));
  return line;
}

export function openReview() {
  const asked = items().filter((whole) => own(whole).length);
  const sorted = [...asked.filter(lacksAnswer), ...asked.filter((whole) => !lacksAnswer(whole))];
  section.querySelector(":scope > ul").replaceChildren(...sorted.map(row));
  unmark();
  root.dataset.review = "";
  section.hidden = false;
  section.scrollTop = 0;
  section.querySelector("h2").focus();
  refreshView();
}

// Called whenever a question or a criterion is opened.
export function closeReview() {
  if (!isReviewing()) return;
  delete root.dataset.review;
  section.hidden = true;
  refreshView();
}

function goBack() {
  closeReview();
  form.querySelector(".dock [data-needs-all]").focus({ preventScroll: true });
}

const isWanted = () => "review" in form.dataset;

// Whether the campaign and its annotator want a review, and it is not open yet.
export const isReviewDue = () => section !== null && isWanted() && !isReviewing() && criteria().length > 0;

// ---- the annotator's choice, which the browser remembers

// Return the condition under which the answers of this page are given; "" where the annotator has no choice.
export function reviewDisplay() {
  if (!isOptional) return "";
  return isWanted() ? "shown" : "off";
}

function want(wanted) {
  if (wanted) form.dataset.review = "";
  else delete form.dataset.review;
  for (const box of document.querySelectorAll("[data-review-choice]")) box.checked = wanted;
}

function choose(wanted) {
  want(wanted);
  try {
    localStorage.setItem(KEY, wanted ? "shown" : "off");
  } catch {
    // Not remembered, then.
  }
  refreshView();
}

function startChoice() {
  const boxes = document.querySelectorAll("[data-review-choice]");
  if (!boxes.length) return;
  for (const box of boxes) box.addEventListener("change", () => choose(box.checked));
  try {
    if (localStorage.getItem(KEY) === "off") want(false);
  } catch {
    // The review is shown, then.
  }
}

export function startReview() {
  if (!section) return;
  startChoice();
  section.querySelector("[data-back]").addEventListener("click", goBack);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isReviewing() && !document.querySelector("dialog[open]")) goBack();
  });
}
