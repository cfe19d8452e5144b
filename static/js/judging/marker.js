// Where the annotator is, and what is still missing.

import { criteria, form, isFrozen, isMissing, item } from "./page.js";

const display = document.getElementById("missing");
// Where the focus goes within a criterion: the first of these that is there.
const DOORS = ["input:checked", "[data-begin]:not([hidden])", "input:not([type=hidden]), select"];
let current = null;

export const missing = () => criteria().filter(isMissing);
export const marked = () => current;

function isInView(element) {
  const box = element.getBoundingClientRect();
  const dock = form.querySelector(".dock").getBoundingClientRect();
  return box.top >= 0 && box.bottom <= Math.min(dock.top, innerHeight);
}

function bringIntoView(fieldset) {
  const whole = item(fieldset);
  const target = whole.offsetHeight < innerHeight * 0.7 ? whole : fieldset;
  if (!isInView(target)) target.scrollIntoView({ block: "nearest" });
}

export function mark(fieldset) {
  if (!fieldset || fieldset === current) return;
  for (const element of form.querySelectorAll(".now")) element.classList.remove("now");
  current = fieldset;
  fieldset.classList.add("now");
  item(fieldset).classList.add("now");
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
  goTo(open[open.indexOf(current) + step]);
}

export function nextMissing() {
  const all = criteria();
  const after = all.slice(all.indexOf(current) + 1);
  return after.find(isMissing) ?? missing()[0];
}

// ---- the dock's list, and the letters

const labelOf = (fieldset) => item(fieldset).dataset.item || fieldset.querySelector("legend b").textContent;

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
    if (!seen.has(labelOf(fieldset))) seen.set(labelOf(fieldset), fieldset);
  }
  return [...seen.values()];
}

export function refresh() {
  const open = firstOfEach(missing());
  const count = display.dataset.toGo.replace("#", open.length);
  display.classList.toggle("complete", !open.length);
  display.replaceChildren(...(open.length ? [count, ...open.flatMap((fieldset) => [" ", link(fieldset)])] : [display.dataset.complete]));
  for (const whole of form.querySelectorAll("[data-item]")) {
    const asked = [...whole.querySelectorAll("fieldset[data-required]")];
    if (asked.length) whole.classList.toggle("done", !asked.some(isMissing));
  }
}
