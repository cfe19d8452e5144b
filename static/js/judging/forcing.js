// A protocol's rules, on the page: one answer can set another and lock it, and says why where it stands.
// The annotator's own answer beneath it comes back when the rule lets go.

import { isOver } from "./elsewhere.js";
import { announce, controls, criteria, isLocked, setValue, titleOf, valueOf } from "./page.js";

let news = [];
const rulesOf = (fieldset) => JSON.parse(fieldset.dataset.forces || "[]");

// What a rule on this page can set. What else is locked was decided by answers that are not on this page, and stays.
const targets = () => new Set(criteria().flatMap(rulesOf).map((rule) => rule.set));

function forcedNow() {
  const forced = new Map();
  for (const fieldset of criteria()) {
    for (const rule of rulesOf(fieldset)) {
      if ([].concat(rule.when).includes(valueOf(fieldset)) && !forced.has(rule.set)) forced.set(rule.set, rule);
    }
  }
  return forced;
}

function explain(fieldset, reason) {
  const note = fieldset.querySelector("[data-because]");
  note.textContent = reason;
  note.hidden = !reason;
}

function lock(fieldset, rule) {
  if (!isLocked(fieldset)) fieldset.dataset.own = valueOf(fieldset);
  const isNews = !isLocked(fieldset) || valueOf(fieldset) !== rule.to;
  fieldset.setAttribute("data-locked", "");
  setValue(fieldset, rule.to);
  for (const control of controls(fieldset)) control.disabled = true;
  explain(fieldset, rule.because);
  if (isNews) {
    announce(rule.because);
    news.push(`${titleOf(fieldset)}: ${rule.because}`);
  }
  return isNews;
}

function unlock(fieldset) {
  fieldset.removeAttribute("data-locked");
  for (const control of controls(fieldset)) control.disabled = isOver();
  setValue(fieldset, fieldset.dataset.own ?? "");
  explain(fieldset, "");
}

function applyOnce() {
  const forced = forcedNow();
  const rulable = targets();
  let changed = false;
  for (const fieldset of criteria()) {
    const rule = forced.get(fieldset.dataset.criterion);
    if (rule) changed = lock(fieldset, rule) || changed;
    else if (isLocked(fieldset) && rulable.has(fieldset.dataset.criterion)) {
      unlock(fieldset);
      changed = true;
    }
  }
  return changed;
}

// A forced value may force another: as many rounds as there are criteria always suffice. Returns what rules have set now.
export function applyRules() {
  news = [];
  for (let round = criteria().length; round && applyOnce(); round--);
  return news;
}
