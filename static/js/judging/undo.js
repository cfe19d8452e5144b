// The answers given on this page, so that the last one can be taken back.

import { announce, criteria, setValue, titleOf, valueOf } from "./page.js";
import { goTo } from "./marker.js";

const given = []; // {fieldset, before}: the answer that was given last is at the end
const known = new Map(); // fieldset -> its value before the next answer
const buttons = () => document.querySelectorAll("[data-undo]");
let onUndo = () => {};

function refreshButtons() {
  for (const button of buttons()) button.hidden = !given.length;
}

// Called before an answer takes effect on the page.
export function rememberAnswer(fieldset) {
  const before = known.get(fieldset) ?? "";
  if (before !== valueOf(fieldset)) given.push({ fieldset, before });
  refreshButtons();
}

// Called after each change by the annotator or by a rule.
export function noteValues() {
  for (const fieldset of criteria()) known.set(fieldset, valueOf(fieldset));
}

export function undo() {
  const last = given.pop();
  if (!last) return false;
  const { fieldset, before } = last;
  setValue(fieldset, before);
  onUndo(fieldset.dataset.criterion, before);
  goTo(fieldset);
  announce(`${document.querySelector("[data-undone]").dataset.undone}: ${titleOf(fieldset)}`);
  refreshButtons();
  return true;
}

export function startUndo(change) {
  onUndo = change;
  for (const button of buttons()) button.addEventListener("click", undo);
}
