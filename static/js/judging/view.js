// One question in view, with the others behind their letters, or all of them in a list: the same form either way.

import { announce, criteria, form, isFocus, isFrozen, isMissing, item, nameOf, valueOf, wordsOf } from "./page.js";
import { goTo, marked, missing, unmark } from "./marker.js";
import { noteAppearance } from "./pointer.js";

const root = document.documentElement;
const strip = document.getElementById("strip");
const toggle = document.getElementById("view-toggle");
export const items = () => [...form.querySelectorAll("[data-item]")].filter((whole) => "empty" in whole.dataset || whole.querySelector("fieldset"));
export const own = (whole) => criteria().filter((fieldset) => item(fieldset) === whole);
const label = form.querySelector(".dock [data-label]");
let shown = null; // the question in view
let moved = () => {}; // told when a summary opens

// ---- what an answered criterion says of itself while another one is open

function addLine(fieldset) {
  const line = document.createElement("p");
  line.className = "line";
  line.innerHTML = "<span></span> <button type='button' class='change'></button>";
  const button = line.querySelector("button");
  button.addEventListener("click", () => goTo(fieldset));
  fieldset.append(line);
}

// An answer in short; `isMaterial`: in words that stay as they are where a browser translates the page.
export function answerOf(fieldset) {
  const value = valueOf(fieldset);
  if (value === "") return { words: strip.dataset.open, isMaterial: false };
  if (value === "none") return { words: strip.dataset.nothing, isMaterial: false };
  if (!("span" in fieldset.dataset)) return { words: wordsOf(fieldset, value), isMaterial: true };
  const pieces = [...fieldset.querySelectorAll(".kept q")].map((piece) => piece.textContent);
  return { words: pieces.join(" … ") || value, isMaterial: true };
}

function refreshLine(fieldset) {
  const line = fieldset.querySelector(".line");
  const value = valueOf(fieldset);
  const { words, isMaterial } = answerOf(fieldset);
  const said = line.querySelector("span");
  said.textContent = words;
  said.translate = !isMaterial;
  const button = line.querySelector("button");
  button.textContent = value === "" ? strip.dataset.answer : strip.dataset.change;
  button.setAttribute("aria-label", `${button.textContent}: ${nameOf(fieldset)}`);
  button.hidden = isFrozen(fieldset);
  fieldset.classList.toggle("answered", value !== "");
}

// ---- the letters

export const titleOfItem = (whole) => whole.dataset.item || strip.dataset.together;

function link(whole) {
  const anchor = document.createElement("a");
  anchor.textContent = whole.dataset.item || "∗";
  anchor.href = `#${whole.id}`;
  anchor.addEventListener("click", (event) => {
    event.preventDefault();
    open(whole);
  });
  return anchor;
}

function stateOf(whole) {
  const open = own(whole).filter(isMissing).length;
  if ("empty" in whole.dataset) return "empty";
  if (!open) return "done";
  return own(whole).some((fieldset) => valueOf(fieldset) !== "") ? "part" : "open";
}

function refreshStrip() {
  for (const [at, whole] of items().entries()) {
    const anchor = strip.querySelectorAll("a")[at];
    const state = stateOf(whole);
    anchor.className = state;
    anchor.setAttribute("aria-label", `${titleOfItem(whole)}, ${strip.dataset[state]}`);
    if (whole === shown) anchor.setAttribute("aria-current", "true");
    else anchor.removeAttribute("aria-current");
  }
  strip.querySelector("small").textContent = missing().length ? strip.dataset.toGo.replace("#", missing().length) : "";
}

// ---- which question is in view

function announceItem(whole) {
  const text = whole.querySelector("h2.text, p.text")?.innerText ?? "";
  announce(text.replace(/\s+/g, " "));
}

// Called whenever the mark moves: the question it is in comes into view and, to those who hear the page, is read.
export function follow() {
  if (isFocus()) noteAppearance();
  const whole = marked() ? item(marked()) : shown ?? items()[0];
  if (!whole || whole === shown) return refreshView();
  const isFirst = !shown;
  shown?.classList.remove("shown");
  shown = whole;
  shown.classList.add("shown");
  if (!isFirst) announceItem(whole);
  refreshView();
}

// The question's answers in short, each with a button that opens it.
function openSummary(whole) {
  unmark();
  const isNew = whole !== shown;
  shown?.classList.remove("shown");
  shown = whole;
  shown.classList.add("shown");
  moved();
  refreshView();
  if (isNew) announceItem(whole);
  const change = whole.querySelector(".change:not([hidden])");
  change?.focus({ preventScroll: true });
  if (isFocus()) form.querySelector(".questions").scrollTop = 0; // what stays on top covers nothing there
  (change ?? whole).scrollIntoView({ block: "nearest" });
}

// A question that lacks an answer opens there; one that lacks none shows its summary, unless all questions are in view.
export function open(whole) {
  const changeable = own(whole).filter((fieldset) => !isFrozen(fieldset));
  const next = changeable.find(isMissing);
  if (next) return goTo(next);
  if (changeable.length && (!isFocus() || changeable.length === 1)) return goTo(changeable[0]);
  return openSummary(whole);
}

export function openLetter(letter) {
  const whole = items().find((each) => each.dataset.item.toLowerCase() === letter);
  if (whole) open(whole);
  return Boolean(whole);
}

// With one question in view Enter leads to the next that lacks an answer, and its button says so.
function refreshButton() {
  label.dataset.last ??= label.textContent;
  const next = nextQuestion();
  const isReviewDue = "review" in form.dataset && "review" in label.dataset && !("review" in root.dataset);
  const last = isReviewDue ? label.dataset.review : label.dataset.last;
  label.textContent = next ? label.dataset.next.replace("{question}", item(next).dataset.item || nameOf(next)) : last;
}

// What is missing first in another question than the one in view: after it, else before it.
export function nextQuestion() {
  if (!isFocus()) return undefined;
  const others = missing().filter((fieldset) => item(fieldset) !== shown);
  return others.find((fieldset) => shown?.compareDocumentPosition(fieldset) & Node.DOCUMENT_POSITION_FOLLOWING) ?? others[0];
}

export function refreshView() {
  criteria().forEach(refreshLine);
  refreshStrip();
  refreshButton();
}

// ---- the choice

function nameToggle() {
  toggle.querySelector("span").textContent = isFocus() ? toggle.dataset.list : toggle.dataset.focus;
}

function change() {
  root.dataset.view = isFocus() ? "list" : "focus";
  noteAppearance();
  try {
    localStorage.setItem(`quaestor.view.${root.dataset.preferred}`, root.dataset.view);
  } catch {
    // Not remembered, then.
  }
  nameToggle();
  refreshView();
  marked()?.scrollIntoView({ block: "nearest" });
}

export function startView(onMove = () => {}) {
  moved = onMove;
  for (const [at, whole] of items().entries()) whole.id ||= `together${at}`;
  criteria().forEach(addLine);
  strip.querySelector(".letters").append(...items().map(link));
  strip.hidden = false;
  toggle.hidden = "fixed" in root.dataset;
  toggle.addEventListener("click", change);
  nameToggle();
  noteAppearance();
}
