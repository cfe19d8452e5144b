// A hint to rest after long work without a break: values drift when people grow tired. Nothing is stopped, and nothing is sent.

import { announce, form } from "./page.js";
import { finish, goTo, marked } from "./marker.js";

export const REST = 5 * 60_000; // ms without an answer: the next one begins anew
export const LONG = 25 * 60_000;
const KEY = "quaestor-at-work";

// What is known of this stretch of work, after an answer or a new page at `now`.
export const workedOn = (now, before) => (before && now >= before.last && now - before.last < REST ? { ...before, last: now } : { began: now, last: now });

function read() {
  try {
    const { began, last } = JSON.parse(localStorage.getItem(KEY));
    return Number.isFinite(began) && Number.isFinite(last) ? { began, last } : null;
  } catch {
    return null;
  }
}

function write(work) {
  try {
    localStorage.setItem(KEY, JSON.stringify(work));
  } catch {
    // A browser that keeps nothing counts anew on every page.
  }
}

export function startResting() {
  const hint = document.getElementById("rest");
  if (!hint) return;
  const look = () => {
    const work = workedOn(Date.now(), read());
    write(work);
    if (work.last - work.began < LONG || !hint.hidden) return;
    hint.hidden = false;
    announce(hint.querySelector("[data-says]").textContent);
  };
  hint.querySelector("button").addEventListener("click", () => {
    hint.hidden = true;
    write({ began: Date.now(), last: Date.now() });
    if (marked()) goTo(marked());
    else finish();
  });
  form.addEventListener("change", look);
  look();
}
