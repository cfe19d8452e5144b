// Under which conditions an answer is given: when its criterion was first shown, by the clock of this device, and with what the
// annotator answers. Sent with each answer; how the page is laid out and the size of the screen are sent with the submission.

import { keywordDisplay } from "./keywords.js";
import { criteria, form } from "./page.js";
import { reviewDisplay } from "./review.js";

const PHONE_WIDTH = 640; // px, as in css/judging.css
const PHONE_HEIGHT = 544; // px, of a phone held sideways
const TABLET_WIDTH = 1024; // px
const firstShown = new Map(); // name of a criterion -> milliseconds since 1970
let input = "";

const optionsOf = (fieldset) => fieldset.querySelector(".scale, select, .number");

function noteShown(entries) {
  for (const { target, isIntersecting } of entries) {
    const { criterion } = target.closest("fieldset").dataset;
    if (isIntersecting && !firstShown.has(criterion)) firstShown.set(criterion, Date.now());
  }
}

// A key may answer before the browser has reported that the criterion is in view.
export function timesOf(name) {
  const answered = Date.now();
  return { shown: firstShown.get(name) ?? answered, answered, input };
}

function deviceClass() {
  const { innerWidth: width, innerHeight: height } = window;
  if (width <= PHONE_WIDTH || (height <= PHONE_HEIGHT && width <= TABLET_WIDTH)) return "phone";
  return width <= TABLET_WIDTH ? "tablet" : "desktop";
}

// Called before the form is sent or kept.
export function fillConditions() {
  form.elements.view.value = document.documentElement.dataset.view;
  form.elements.device.value = deviceClass();
  form.elements.keywords.value = keywordDisplay();
  form.elements.review.value = reviewDisplay();
}

export function startConditions() {
  const observer = new IntersectionObserver(noteShown);
  for (const options of criteria().map(optionsOf)) if (options) observer.observe(options);
  addEventListener("pointerdown", (event) => (input = event.pointerType === "mouse" ? "mouse" : "touch"), true);
  addEventListener("keydown", () => (input = "keyboard"), true);
}
