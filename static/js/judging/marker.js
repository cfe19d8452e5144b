// Where the annotator is, and what is still missing.

import { controls, criteria, form, isFocus, isFrozen, isMissing, isOffScale, item, valueOf } from "./page.js";

const display = document.getElementById("missing");
// Where the focus goes within a criterion: the first of these that is there.
const DOORS = ["input:checked", "[data-begin]:not([hidden])", "input:not([type=hidden]), select"];
let current = null;

export const missing = () => criteria().filter(isMissing);
export const firstOffScale = () => criteria().find(isOffScale);
export const marked = () => current;

let moved = () => {};

// The questions scroll by themselves beside or below the passage, under what stays on top of them; on small or much enlarged
// screens the page scrolls as a whole.
const pane = form.querySelector(".questions");
const isPane = () => getComputedStyle(pane).overflowY === "auto";

function bringIntoView(fieldset) {
  const whole = item(fieldset);
  const scrollsItself = isPane();
  const head = whole.querySelector("header");
  const end = Math.min(innerHeight, form.querySelector(".dock").getBoundingClientRect().top); // on low screens the dock ends the page
  const frame = scrollsItself ? pane.getBoundingClientRect() : { top: 0, bottom: end };
  const strip = form.querySelector("#strip");
  const top = frame.top + (scrollsItself ? strip.offsetHeight : 0);
  const [first, last] = [whole.getBoundingClientRect(), fieldset.getBoundingClientRect()];
  const covered = scrollsItself && head !== fieldset ? head.offsetHeight : 0;
  let by = 0;
  if (last.bottom > frame.bottom) by = last.bottom - frame.bottom + 8;
  if (last.top - by < top + covered) by = last.top - top - covered - 8;
  if (first.height <= frame.bottom - top && (first.top < top || first.bottom > frame.bottom)) by = first.top - top - 4;
  (scrollsItself ? pane : window).scrollBy({ top: by, behavior: "instant" });
}

export function mark(fieldset) {
  if (!fieldset || fieldset === current) return;
  for (const element of form.querySelectorAll(".now")) element.classList.remove("now");
  current = fieldset;
  fieldset.classList.add("now");
  item(fieldset).classList.add("now");
  moved();
}

// No criterion is marked: a digit overwrites nothing.
export function unmark() {
  for (const element of form.querySelectorAll(".now")) element.classList.remove("now");
  current = null;
}

// Nothing is missing any more: Enter submits.
export function finish() {
  unmark();
  form.querySelector(".dock [data-needs-all]").focus({ preventScroll: true });
  moved();
}

// Marks what the focus enters in the list of all. With one question in view it opens nothing: the focus is then on a closed
// criterion's button, which would vanish. The words of a criterion come and go with the mark, so while a button is pressed
// nothing moves: the press would end beside what it was meant for. Afterwards what was pressed stays where it is on the screen.
function markFocused(target) {
  const fieldset = target?.closest?.("fieldset[data-criterion]");
  if (isFocus() || !fieldset || !form.contains(fieldset)) return;
  const before = fieldset.getBoundingClientRect().top;
  mark(fieldset);
  const by = { top: fieldset.getBoundingClientRect().top - before, behavior: "instant" };
  (isPane() ? pane : window).scrollBy(by);
}

export function startMarking(onMove) {
  moved = onMove;
  let isPressed = false;
  addEventListener("pointerdown", () => (isPressed = true), true);
  for (const end of ["pointerup", "pointercancel"]) {
    addEventListener(end, () => setTimeout(() => {
      isPressed = false;
      markFocused(document.activeElement);
    }), true);
  }
  form.addEventListener("focusin", ({ target }) => isPressed || markFocused(target));
  new ResizeObserver(() => current && isPane() && bringIntoView(current)).observe(pane); // a phone is turned, or the passage needs more room
}

export function goTo(fieldset) {
  if (!fieldset) return;
  mark(fieldset);
  const control = DOORS.map((door) => fieldset.querySelector(door)).find(Boolean);
  control?.focus({ preventScroll: true });
  bringIntoView(fieldset);
}

export function move(step) {
  const open = criteria().filter((fieldset) => !isFrozen(fieldset));
  if (current) return goTo(open[open.indexOf(current) + step]);
  const inView = open.filter((fieldset) => isFocus() && item(fieldset).classList.contains("shown"));
  goTo((inView.length ? inView : open).at(step > 0 ? 0 : -1));
}

// On to what is missing next, or to the end.
export function goOn() {
  const next = nextMissing();
  if (next) goTo(next);
  else finish();
}

export function nextMissing() {
  const all = criteria();
  const after = all.slice(all.indexOf(current) + 1);
  return after.find(isMissing) ?? missing()[0];
}

// ---- the dock's list, and the letters

const labelOf = (fieldset) => item(fieldset).dataset.item || fieldset.querySelector("legend [data-name]").textContent;

function link(fieldset) {
  const anchor = document.createElement("a");
  anchor.href = `#${fieldset.id}`;
  anchor.textContent = labelOf(fieldset);
  anchor.addEventListener("click", (event) => {
    event.preventDefault();
    goTo(fieldset);
  });
  return anchor;
}

function firstOfEach(fieldsets) {
  const seen = new Map();
  for (const fieldset of fieldsets) {
    const key = item(fieldset).dataset.item || fieldset;
    if (!seen.has(key)) seen.set(key, fieldset);
  }
  return [...seen.values()];
}

// ": A B", which is not shown where the letters stand on top anyway.
function where(open) {
  const list = document.createElement("span");
  list.append(":", ...firstOfEach(open).flatMap((fieldset) => [" ", link(fieldset)]));
  return list;
}

// A task that was submitted says what stands for each criterion: another value counts only once it is submitted again.
const isChanged = (fieldset) => "handed" in fieldset.dataset && valueOf(fieldset) !== fieldset.dataset.handed;

function refreshSubmitted() {
  if (!("changed" in display.dataset)) return display.dataset.complete;
  const changed = criteria().some(isChanged);
  document.getElementById("changed").hidden = !changed;
  document.getElementById("unchanged").hidden = changed;
  return changed ? display.dataset.changed : display.dataset.unchanged;
}

function refreshOffScale(note) {
  const fieldset = note.closest("fieldset");
  const isOff = isOffScale(fieldset);
  note.hidden = !isOff;
  for (const control of controls(fieldset)) control.setAttribute("aria-invalid", isOff);
}

export function refresh() {
  form.querySelectorAll("[data-off-scale]").forEach(refreshOffScale);
  const open = missing();
  const count = display.dataset.toGo.replace("#", open.length);
  const complete = refreshSubmitted();
  display.classList.toggle("complete", !open.length && complete !== display.dataset.changed);
  display.replaceChildren(...(open.length ? [count, where(open)] : [complete]));
  for (const whole of form.querySelectorAll("[data-item]")) {
    const asked = [...whole.querySelectorAll("fieldset[data-required]")];
    if (asked.length) whole.classList.toggle("done", !asked.some(isMissing));
  }
}
