// The whole keyboard: a digit answers the marked criterion and moves on, arrows move, letters lead to questions, Enter submits, ? helps.

import { isFrozen } from "./page.js";
import { goOn, marked, move } from "./marker.js";
import { openLetter } from "./view.js";

const steps = { ArrowDown: 1, ArrowUp: -1 };
const toggle = document.getElementById("shortcuts");
const hint = document.querySelector("[data-keys]");

const isText = (target) => target.matches("textarea, select, input:not([type=radio], [type=checkbox])") || target.isContentEditable;
const hasOwnEnter = (target) => target.closest("a, button, summary, [type=checkbox]:not([data-nothing])");
const isElsewhere = (event) =>
  event.repeat || event.isComposing || event.ctrlKey || event.altKey || event.metaKey || isText(event.target) || document.querySelector("dialog[open]");

// A held arrow or Enter would reach the browser, which changes or submits a radio button by it.
const isHeld = (event) => toggle.checked && event.repeat && event.target.matches("[type=radio]") && (event.key in steps || event.key === "Enter");

function answer(key) {
  const fieldset = marked();
  if (!fieldset || isFrozen(fieldset)) return false;
  const point = fieldset.querySelector(`label[data-key="${CSS.escape(key)}"] input`);
  if (!point) return false;
  point.checked = true;
  point.dispatchEvent(new Event("change", { bubbles: true }));
  goOn();
  return true;
}

// Switched off, nothing but Enter is taken from the browser: single characters may be speech (WCAG 2.1.4), and arrows are native.
function act(event, { submit, help }) {
  const { key } = event;
  if (!toggle.checked && key !== "Enter") return false;
  if (key === "?") return help();
  if (key === "Enter") return !hasOwnEnter(event.target) && submit();
  if (/^[a-z]$/.test(key) && !event.target.closest("#source") && openLetter(key)) return true;
  if (key in steps) return !event.target.closest("#source") && (move(steps[key]) ?? true);
  return !event.shiftKey && answer(key);
}

function remember() {
  try {
    localStorage.setItem("quaestor.shortcuts", toggle.checked ? "on" : "off");
  } catch {
    // Not remembered, then.
  }
  hint.hidden = !toggle.checked;
}

function recall() {
  try {
    toggle.checked = localStorage.getItem("quaestor.shortcuts") !== "off";
  } catch {
    toggle.checked = true;
  }
  hint.hidden = !toggle.checked;
}

export function startKeyboard(doors) {
  recall();
  toggle.addEventListener("change", remember);
  document.addEventListener("keydown", (event) => {
    if (isHeld(event) || (!isElsewhere(event) && act(event, doors))) event.preventDefault();
  });
}
